public import Accounts
import Groups
public import Vitals

/// A person's year as it is stored: what each kind and level has cost, and what the last window that was charged took of it.
public struct ChargedYear: Sendable, Hashable {
    /// What is charged for in one window.
    public struct Release: Sendable, Hashable, Comparable {
        public let kind: DataKind
        public let level: RegionLevel

        public init(_ kind: DataKind, _ level: RegionLevel) { (self.kind, self.level) = (kind, level) }

        public static func < (one: Self, other: Self) -> Bool {
            (one.kind.rawValue, one.level) < (other.kind.rawValue, other.level)
        }
    }

    private struct Line: Sendable, Hashable {
        var releases: Int
        var cost: Rho
        /// Of the last window.
        var isInLast: Bool
    }

    private var charged: [Release: Line] = [:]
    private var last: GroupWindow?

    init() {}

    /// By kind and level.
    var lines: [PersonLedger.Line] {
        charged.sorted { $0.key < $1.key }.map {
            PersonLedger.Line(purpose: .cube($0.key.kind, $0.key.level), releases: $0.value.releases, cost: $0.value.cost)
        }
    }

    /// Charges what is not charged yet, in the order of kind and level, as far as the budget holds it.
    /// - Returns: what the person is in, and whether anything was charged.
    mutating func charge(
        _ window: GroupWindow, _ costs: [Release: Rho], within budget: Rho
    ) -> (allowed: Set<Release>, isChanged: Bool) {
        var spent = charged.values.reduce(Rho.zero) { $0 + $1.cost }, allowed: Set<Release> = [], isChanged = false
        if window != last {
            for release in charged.keys { charged[release]?.isInLast = false }
            last = window
        }
        for (release, cost) in costs.sorted(by: { $0.key < $1.key }) {
            var line = charged[release] ?? Line(releases: 0, cost: .zero, isInLast: false)
            if !line.isInLast {
                guard spent + cost <= budget else { continue }
                spent = spent + cost
                line = Line(releases: line.releases + 1, cost: line.cost + cost, isInLast: true)
                charged[release] = line
                isChanged = true
            }
            allowed.insert(release)
        }
        return (allowed, isChanged)
    }

    // MARK: Bytes

    /// The length of a row tells no more than blocks: a person of one kind has as many as one of four.
    private static let block = 128
    private static let version: UInt8 = 1, lineBytes = 10, headBytes = 7, flag: UInt8 = 0x80
    private static let costMax: UInt64 = 1 << 48 - 1

    /// A version, the last window (length, number), a count of lines; then for each line kind, level with a flag, releases and cost; zeros.
    func encoded() -> [UInt8] {
        var bytes = [Self.version, UInt8(last.flatMap { GroupWindow.Length.allCases.firstIndex(of: $0.length) } ?? 0)]
        bytes.appendLittleEndian(Int32(clamping: last?.number ?? 0))
        bytes.append(UInt8(clamping: charged.count))
        for (release, line) in charged.sorted(by: { $0.key < $1.key }) {
            bytes.append(release.kind.rawValue)
            bytes.append(UInt8(release.level.rawValue) | (line.isInLast ? Self.flag : 0))
            bytes.appendLittleEndian(UInt16(clamping: line.releases))
            let cost = min(line.cost.trillionths, Self.costMax)
            for shift in stride(from: UInt64(0), to: 48, by: 8) { bytes.append(UInt8(truncatingIfNeeded: cost >> shift)) }
        }
        bytes += [UInt8](repeating: 0, count: (Self.block - bytes.count % Self.block) % Self.block)
        return bytes
    }

    /// nil for bytes that ``encoded()`` did not make.
    init?(decoding bytes: [UInt8]) {
        let lengths = GroupWindow.Length.allCases
        guard bytes.count >= Self.headBytes, bytes[0] == Self.version, Int(bytes[1]) < lengths.count,
            bytes.count >= Self.headBytes + Int(bytes[6]) * Self.lineBytes
        else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { range.reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) } }
        last = GroupWindow(lengths[Int(bytes[1])], number: Int64(Int32(truncatingIfNeeded: number(2..<6))))
        for line in 0..<Int(bytes[6]) {
            let at = Self.headBytes + line * Self.lineBytes
            guard let kind = DataKind(rawValue: bytes[at]), let level = RegionLevel(rawValue: Int(bytes[at + 1] & ~Self.flag)) else {
                return nil
            }
            charged[Release(kind, level)] = Line(
                releases: Int(number(at + 2..<at + 4)), cost: Rho(trillionths: number(at + 4..<at + 10)),
                isInLast: bytes[at + 1] & Self.flag != 0)
        }
    }
}

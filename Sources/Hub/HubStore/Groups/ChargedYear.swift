public import Accounts
public import Groups
public import Vitals

/// The cost of a release of one kind at one level to a person in it.
public struct GroupCost: Sendable, Hashable {
    public let kind: DataKind
    public let level: RegionLevel
    public let cost: Rho

    public init(_ kind: DataKind, _ level: RegionLevel, _ cost: Rho) { (self.kind, self.level, self.cost) = (kind, level, cost) }
}

/// A person's year as it is stored: what each kind and level has cost, and what the last window that was charged took of it.
struct ChargedYear: Sendable, Hashable {
    private struct Line: Sendable, Hashable {
        let kind: UInt8, level: UInt8
        var releases: Int
        var cost: Rho
        /// Of the last window.
        var isInLast: Bool
    }

    /// In the order of kind and level.
    private var charged: [Line] = []
    private var last: GroupWindow?

    init() {}

    /// By kind and level.
    var lines: [PersonLedger.Line] {
        charged.compactMap { line in
            guard let kind = DataKind(rawValue: line.kind), let level = RegionLevel(rawValue: Int(line.level)) else { return nil }
            return PersonLedger.Line(purpose: .cube(kind, level), releases: line.releases, cost: line.cost)
        }
    }

    /// Charges what this window has not charged yet. A kind is charged for at all of its levels, or not at all.
    /// - Parameters:
    ///   - kinds: what each kind costs, by level.
    ///   - budget: of the year.
    /// - Returns: which kinds the person is in, a bit for each, and whether anything was charged.
    mutating func charge(_ window: GroupWindow, _ kinds: [[GroupCost]], within budget: Rho) -> (allowed: UInt32, isChanged: Bool) {
        var spent = charged.reduce(Rho.zero) { $0 + $1.cost }, allowed: UInt32 = 0, isChanged = false
        if window != last {
            for index in charged.indices { charged[index].isInLast = false }
            last = window
        }
        for (number, costs) in kinds.enumerated() where !costs.isEmpty {
            let new = costs.filter { cost in place(cost).map { !charged[$0].isInLast } ?? true }
            let sum = new.reduce(Rho.zero) { $0 + $1.cost }
            guard spent + sum <= budget else { continue }
            spent = spent + sum
            for cost in new { add(cost) }
            isChanged = isChanged || !new.isEmpty
            allowed |= 1 << UInt32(number)
        }
        return (allowed, isChanged)
    }

    private func place(_ cost: GroupCost) -> Int? {
        charged.firstIndex { $0.kind == cost.kind.rawValue && Int($0.level) == cost.level.rawValue }
    }

    private mutating func add(_ cost: GroupCost) {
        guard let place = place(cost) else {
            let line = Line(
                kind: cost.kind.rawValue, level: UInt8(clamping: cost.level.rawValue), releases: 1, cost: cost.cost, isInLast: true)
            let next = charged.firstIndex { ($0.kind, $0.level) > (line.kind, line.level) } ?? charged.endIndex
            return charged.insert(line, at: next)
        }
        charged[place].releases += 1
        charged[place].cost = charged[place].cost + cost.cost
        charged[place].isInLast = true
    }

    // MARK: Bytes

    /// The length of a row tells no more than blocks: a person of one kind has as many as one of four.
    private static let block = 128
    private static let version: UInt8 = 1, lineBytes = 10, headBytes = 7, flag: UInt8 = 0x80
    private static let costMax: UInt64 = 1 << 48 - 1

    /// A version, the last window (length, number), a count of lines; then for each line kind, level with a flag, releases and cost; zeros.
    func encoded() -> [UInt8] {
        let length = Self.headBytes + charged.count * Self.lineBytes
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length + Self.block)
        bytes.append(Self.version)
        bytes.append(UInt8(clamping: last.flatMap { GroupWindow.Length.allCases.firstIndex(of: $0.length) } ?? 0))
        bytes.appendLittleEndian(Int32(clamping: last?.number ?? 0))
        bytes.append(UInt8(clamping: charged.count))
        for line in charged {
            bytes.append(line.kind)
            bytes.append(line.level | (line.isInLast ? Self.flag : 0))
            bytes.appendLittleEndian(UInt16(clamping: line.releases))
            let cost = min(line.cost.trillionths, Self.costMax)
            for shift in stride(from: UInt64(0), to: 48, by: 8) { bytes.append(UInt8(truncatingIfNeeded: cost >> shift)) }
        }
        while bytes.count % Self.block != 0 { bytes.append(0) }
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
            let at = Self.headBytes + line * Self.lineBytes, level = bytes[at + 1] & ~Self.flag
            guard DataKind(rawValue: bytes[at]) != nil, RegionLevel(rawValue: Int(level)) != nil else { return nil }
            charged.append(
                Line(
                    kind: bytes[at], level: level, releases: Int(number(at + 2..<at + 4)), cost: Rho(trillionths: number(at + 4..<at + 10)),
                    isInLast: bytes[at + 1] & Self.flag != 0))
        }
    }
}

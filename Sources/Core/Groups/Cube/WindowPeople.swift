public import Accounts
public import Vitals

/// The contributions of a window: one row of 5 bytes and one for each kind, at most 24, for each person who counts; no name and no key.
///
/// It stands in memory while the window can be asked about, and at rest only sealed with the hub's key.
public struct WindowPeople: Sendable, Hashable {
    public let kinds: [DataKind]
    /// The lowest region that somebody lives in, by the number in the rows.
    public let homes: [RegionCode]
    /// The rows, one after the other: home (4 bytes, least first), sex and age band, then the class of each kind or ``nothing``.
    public private(set) var bytes: [UInt8] = []

    public static let nothing = UInt8.max
    private var stride: Int { 5 + kinds.count }

    public init(kinds: [DataKind], homes: [RegionCode], capacity: Int = 0) {
        (self.kinds, self.homes) = (kinds, homes)
        bytes.reserveCapacity(capacity * (5 + kinds.count))
    }

    /// Rows that were stored.
    /// - Returns: nil where these are no such rows.
    public init?(kinds: [DataKind], homes: [RegionCode], bytes: [UInt8]) {
        self.init(kinds: kinds, homes: homes)
        guard bytes.count % stride == 0 else { return nil }
        self.bytes = bytes
        for row in 0..<count {
            let person = person(row), classes = bytes[row * stride + 5..<(row + 1) * stride]
            guard homes.indices.contains(person.home), person.cell < Self.cellsPerHome,
                classes.allSatisfy({ $0 < UInt8(GroupBins.count) || $0 == Self.nothing })
            else { return nil }
        }
    }

    public var count: Int { bytes.count / stride }

    /// Adds a person once. Where somebody is added twice, no noise protects them: the caller goes through its people in one order.
    /// - Parameters:
    ///   - home: a number of ``homes``.
    ///   - bins: by the order of ``kinds``; nil for nothing.
    /// - Returns: false, and nobody is added, for a home or a class that does not exist.
    public mutating func append(_ sex: CellSex, _ band: AgeBand, home: Int, bins: [Int?]) -> Bool {
        guard homes.indices.contains(home), bins.count == kinds.count,
            bins.allSatisfy({ $0.map((0..<GroupBins.count).contains) ?? true })
        else { return false }
        let number = UInt32(home)
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        bytes.append(sex.rawValue * UInt8(AgeBand.all.count) + band.number)
        for bin in bins { bytes.append(bin.map(UInt8.init) ?? Self.nothing) }
        return true
    }

    static let cellsPerHome = CellSex.allCases.count * AgeBand.all.count

    private func person(_ row: Int) -> (home: Int, cell: Int) {
        let at = row * stride
        let home = Int(bytes[at]) | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]) << 16 | Int(bytes[at + 3]) << 24
        return (home, Int(bytes[at + 4]))
    }

    /// True counts of the classes of a kind, by cell of a level. They leave through ``ReleaseRule`` alone.
    /// - Parameter kind: one of ``kinds``.
    public func counts(of kind: DataKind, at level: RegionLevel, in tree: RegionTree) -> [GroupCell: TrueCounts] {
        guard let column = kinds.firstIndex(of: kind) else { return [:] }
        var codes: [RegionCode] = [], numbers: [RegionCode: Int] = [:]
        let regionOfHome: [Int?] = homes.map { home in
            guard let region = tree.path(from: home).first(where: { $0.level == level && $0.hasCells }) else { return nil }
            if let number = numbers[region.code] { return number }
            numbers[region.code] = codes.count
            codes.append(region.code)
            return codes.count - 1
        }
        var counts = [Int32](repeating: 0, count: codes.count * Self.cellsPerHome * GroupBins.count)
        for row in 0..<count {
            let bin = bytes[row * stride + 5 + column], person = person(row)
            guard bin != Self.nothing, let region = regionOfHome[person.home] else { continue }
            counts[(region * Self.cellsPerHome + person.cell) * GroupBins.count + Int(bin)] += 1
        }
        var found: [GroupCell: TrueCounts] = [:]
        for (number, code) in codes.enumerated() {
            for sex in CellSex.allCases {
                for band in AgeBand.all {
                    let cell = number * Self.cellsPerHome + Int(sex.rawValue) * AgeBand.all.count + Int(band.number)
                    let bins = counts[cell * GroupBins.count..<(cell + 1) * GroupBins.count]
                    if bins.contains(where: { $0 > 0 }) { found[GroupCell(sex, band, code)] = TrueCounts(bins.map(Int64.init)) }
                }
            }
        }
        return found
    }

    /// True counts of the classes of a kind over people of whom every condition holds: for the second door.
    ///
    /// Every row costs the same, in the group or not: how long it takes tells nothing of its size.
    func counts(for question: DoorQuestion, in tree: RegionTree) -> TrueCounts {
        guard let column = kinds.firstIndex(of: question.kind) else { return TrueCounts([Int64](repeating: 0, count: GroupBins.count)) }
        let isWanted = homes.map { home in tree.path(from: home).contains { question.regions.contains($0.code) } ? Int64(1) : 0 }
        let cells = Set(question.sexes.flatMap { sex in question.bands.map { Int(sex.rawValue) * AgeBand.all.count + Int($0.number) } })
        let isAsked = (0..<Self.cellsPerHome).map { cells.contains($0) ? Int64(1) : 0 }
        // By column: 1 for the classes that hold. What nobody has a column of, nobody fulfils.
        var conditions: [(column: Int, holds: [Int64])] = []
        for range in question.ranges {
            guard let place = kinds.firstIndex(of: range.kind) else { return TrueCounts([Int64](repeating: 0, count: GroupBins.count)) }
            conditions.append((place, (0...Int(UInt8.max)).map { range.bins.contains($0) && $0 < GroupBins.count ? 1 : 0 }))
        }
        // The last place takes those without a value.
        var counts = [Int64](repeating: 0, count: Int(UInt8.max) + 1)
        for row in 0..<count {
            let person = person(row)
            var isThere = isWanted[person.home] & isAsked[person.cell]
            for condition in conditions { isThere &= condition.holds[Int(bytes[row * stride + 5 + condition.column])] }
            counts[Int(bytes[row * stride + 5 + column])] += isThere
        }
        return TrueCounts(Array(counts.prefix(GroupBins.count)))
    }
}

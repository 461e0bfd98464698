public import Accounts
public import Vitals

/// An organisation's question about a group (GRP-1), in its snapped form: kinds, whole bands and regions, classes of values. Two ways to say the
/// same are equal.
public struct GroupAsk: Sendable, Hashable {
    /// By their numbers, each once.
    public let kinds: [DataKind]
    /// In order; nil for everybody.
    public let sexes: [CellSex]?
    public let bands: [AgeBand]?
    /// In order, none within another one; nil for everywhere.
    public let regions: [RegionCode]?
    /// By the numbers of their kinds, one for each.
    public let ranges: [DoorQuestion.Range]

    /// Regions of one question, at most: a longer list is better said by the provinces around them.
    public static let regionsMax = 500

    /// A problem of a question.
    public enum Problem: Error, Sendable, Hashable {
        case noKinds
        /// A kind that has no classes, or no share of the budget.
        case notGrouped(DataKind)
        /// There is no constraint (GRP-1).
        case unconstrained
        /// Nobody can fulfil it.
        case empty
        case unknownRegion(RegionCode)
        /// There are more than ``GroupAsk/regionsMax``.
        case tooManyRegions(Int)
        /// Places of positions are parts of one region: they are asked of one alone.
        case positionsOfOneRegion
        /// Positions have no order, so that there is no range of them.
        case rangeOfPositions
    }

    /// - Parameters:
    ///   - offered: kinds with a share of the budget.
    ///   - sexes, bands, regions: nil for all; so are all of them.
    ///   - ranges: several of one kind hold together; one that holds for every value is none.
    public init(
        kinds: Set<DataKind>, of offered: Set<DataKind> = Set(GroupBins.kinds), sexes: Set<CellSex>? = nil, bands: Set<AgeBand>? = nil,
        regions: Set<RegionCode>? = nil, ranges: [DoorQuestion.Range] = [], in tree: RegionTree
    ) throws(Problem) {
        guard !kinds.isEmpty else { throw .noKinds }
        let asked = kinds.sorted { $0.rawValue < $1.rawValue }
        for kind in asked + ranges.map(\.kind) where !offered.contains(kind) || GroupBins(kind) == nil { throw .notGrouped(kind) }
        self.kinds = asked
        self.sexes = sexes == Set(CellSex.allCases) ? nil : sexes?.sorted()
        self.bands = bands == Set(AgeBand.all) ? nil : bands?.sorted()
        if let unknown = regions?.filter({ tree.regions[$0] == nil }).min() { throw .unknownRegion(unknown) }
        let joined = regions.map { tree.joined($0) }
        self.regions = joined == Set(tree.roots) ? nil : joined?.sorted()
        self.ranges = try Self.joined(ranges)
        guard sexes?.isEmpty != true, bands?.isEmpty != true, regions?.isEmpty != true else { throw .empty }
        guard self.sexes != nil || self.bands != nil || self.regions != nil || !self.ranges.isEmpty else { throw .unconstrained }
        if let count = self.regions?.count, count > Self.regionsMax { throw .tooManyRegions(count) }
        if asked.contains(.position), self.regions?.count != 1 { throw .positionsOfOneRegion }
    }

    private static func joined(_ ranges: [DoorQuestion.Range]) throws(Problem) -> [DoorQuestion.Range] {
        var joined: [DataKind: ClosedRange<Int>] = [:]
        for range in ranges {
            guard GroupBins(range.kind)?.isOrdered == true else { throw .rangeOfPositions }
            let known = joined[range.kind] ?? 0...GroupBins.count - 1
            guard range.bins.overlaps(known) else { throw .empty }
            joined[range.kind] = range.bins.clamped(to: known)
        }
        return joined.filter { $0.value != 0...GroupBins.count - 1 }.map { DoorQuestion.Range($0.key, bins: $0.value) }
            .sorted { $0.kind.rawValue < $1.kind.rawValue }
    }

    /// Whether it goes through the second door.
    public var needsDoor: Bool { !ranges.isEmpty }

    /// The question to the cube about one of its kinds.
    /// - Throws: what a list of regions of another version lacks.
    public func question(_ kind: DataKind, in tree: RegionTree) throws(GroupQuestion.Problem) -> GroupQuestion {
        // Constraints of ranges alone are of everybody.
        try GroupQuestion(kind, sexes: Set(sexes ?? CellSex.allCases), bands: bands.map(Set.init), regions: regions.map(Set.init), in: tree)
    }

    /// The question to the second door about one of its kinds and a window.
    /// - Returns: nil for a question to the cube.
    public func door(_ kind: DataKind, in window: GroupWindow, _ tree: RegionTree) throws(GroupQuestion.Problem) -> DoorQuestion? {
        DoorQuestion(try question(kind, in: tree), in: window, where: ranges)
    }

    /// The number of base cells that it is made of at most, before the fewest are looked for.
    public func cells(in tree: RegionTree) -> Int {
        (sexes?.count ?? CellSex.allCases.count) * (bands?.count ?? AgeBand.all.count) * (regions?.count ?? tree.roots.count)
    }
}

extension GroupAsk: Codable {
    private enum CodingKeys: CodingKey {
        case kinds, sexes, bands, regions, ranges
    }

    private struct StoredRange: Codable {
        let kind: UInt8, from: Int, through: Int
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(kinds.map(\.rawValue), forKey: .kinds)
        try values.encodeIfPresent(sexes?.map(\.rawValue), forKey: .sexes)
        try values.encodeIfPresent(bands?.map(\.from), forKey: .bands)
        try values.encodeIfPresent(regions?.map(\.text), forKey: .regions)
        try values.encode(
            ranges.map { StoredRange(kind: $0.kind.rawValue, from: $0.bins.lowerBound, through: $0.bins.upperBound) }, forKey: .ranges)
    }

    /// Checks nothing again but that it can be read.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func unreadable(_ key: CodingKeys) -> DecodingError {
            .dataCorruptedError(forKey: key, in: values, debugDescription: "no part of a question")
        }
        func kind(_ number: UInt8, _ key: CodingKeys) throws -> DataKind {
            guard let kind = DataKind(rawValue: number) else { throw unreadable(key) }
            return kind
        }
        kinds = try values.decode([UInt8].self, forKey: .kinds).map { try kind($0, .kinds) }
        sexes = try values.decodeIfPresent([UInt8].self, forKey: .sexes)?.map { number in
            guard let sex = CellSex(rawValue: number) else { throw unreadable(.sexes) }
            return sex
        }
        bands = try values.decodeIfPresent([Int].self, forKey: .bands)?.map(AgeBand.init(age:))
        regions = try values.decodeIfPresent([String].self, forKey: .regions)?.map { text in
            guard let code = RegionCode(text) else { throw unreadable(.regions) }
            return code
        }
        ranges = try values.decode([StoredRange].self, forKey: .ranges).map { range in
            guard range.from >= 0, range.from <= range.through, range.through < GroupBins.count else { throw unreadable(.ranges) }
            return DoorQuestion.Range(try kind(range.kind, .ranges), bins: range.from...range.through)
        }
    }
}

public import Accounts
public import Groups
public import Runs
public import Vitals

/// A group as somebody typed or drew it, before it becomes a question of whole bands, regions and classes.
public struct GroupDraft: Sendable {
    /// Values of a kind, in its unit; nil for no limit.
    public struct Range: Sendable {
        public var kind: DataKind
        public var from: Double?, below: Double?

        public init(_ kind: DataKind, from: Double?, below: Double?) { (self.kind, self.from, self.below) = (kind, from, below) }
    }

    public var kinds: Set<DataKind> = []
    /// nil for everybody.
    public var sexes: Set<CellSex>?
    /// In whole years; nil for no limit.
    public var ageFrom: Int?, ageThrough: Int?
    /// Codes or names of places.
    public var places: [String] = []
    /// The municipalities whose middle lies inside are asked for beside the places.
    public var areas: [GroupArea] = []
    public var ranges: [Range] = []

    public init() {}

    /// The problem.
    public enum Problem: Error, Sendable, Hashable {
        /// The last year of age comes before the first, or one is below 0 or above ``GroupDraft/ageMax``.
        case ages
        case unknownPlace(String)
        /// Several places have this name, the large ones first.
        case ambiguousPlace(String, [RegionCode])
        /// A circle without a radius, a polygon with fewer than three corners, or something outside of the world.
        case area
        /// The middle of no place of the list lies inside: only Italian municipalities have one.
        case areaWithoutPlaces
        /// The upper limit is not above the lower one.
        case range(DataKind)
        case ask(GroupAsk.Problem)
    }

    public static let ageMax = 150
}

/// Turns what was typed and drawn into questions, the same way for pages and programs (GRP-1).
public struct GroupSnapping: Sendable {
    public let list: RegionList
    public let tree: RegionTree
    /// Kinds with a share of the budget, by their numbers.
    public let kinds: [DataKind]
    private let middles: [(code: RegionCode, middle: CoursePoint)]

    public init(list: RegionList, tree: RegionTree, budget: GroupBudget) {
        (self.list, self.tree) = (list, tree)
        kinds = GroupBins.counted.filter { (budget.shares.kinds[$0] ?? 0) > 0 }.sorted { $0.rawValue < $1.rawValue }
        middles = list.regions.compactMap { region in
            region.centre.map { centre in
                let middle = CoursePoint(latitude: Int32(centre.latitude * 1e7), longitude: Int32(centre.longitude * 1e7))
                return (code: region.code, middle: middle)
            }
        }
    }

    /// The question that a draft becomes.
    public func ask(_ draft: GroupDraft) throws(GroupDraft.Problem) -> GroupAsk {
        let regions = try regions(draft), bands = try bands(draft)
        var ranges: [DoorQuestion.Range] = []
        for range in draft.ranges {
            if let from = range.from, let below = range.below, from >= below { throw .range(range.kind) }
            guard let snapped = DoorQuestion.Range(range.kind, from: range.from, below: range.below) else {
                throw .ask(.notGrouped(range.kind))
            }
            ranges.append(snapped)
        }
        do {
            return try GroupAsk(
                kinds: draft.kinds, of: Set(kinds), sexes: draft.sexes, bands: bands, regions: regions, ranges: ranges, in: tree)
        } catch { throw .ask(error) }
    }

    private func bands(_ draft: GroupDraft) throws(GroupDraft.Problem) -> Set<AgeBand>? {
        guard draft.ageFrom != nil || draft.ageThrough != nil else { return nil }
        let from = draft.ageFrom ?? 0, through = draft.ageThrough ?? GroupDraft.ageMax
        guard (0...GroupDraft.ageMax).contains(from), (0...GroupDraft.ageMax).contains(through), from <= through else { throw .ages }
        return AgeBand.nearest(from: draft.ageFrom, through: draft.ageThrough)
    }

    private func regions(_ draft: GroupDraft) throws(GroupDraft.Problem) -> Set<RegionCode>? {
        guard !draft.places.isEmpty || !draft.areas.isEmpty else { return nil }
        var found: Set<RegionCode> = []
        for place in draft.places {
            let named = list.places(named: place)
            guard let first = named.first else { throw .unknownPlace(place) }
            guard named.count == 1 else { throw .ambiguousPlace(place, named.map(\.code)) }
            found.insert(first.code)
        }
        for area in draft.areas {
            guard area.isValid else { throw .area }
            let inside = area.regions(of: middles)
            guard !inside.isEmpty else { throw .areaWithoutPlaces }
            found.formUnion(inside)
        }
        return found
    }

    /// The middles of the municipalities that a question names, for a map; nothing for regions without one.
    public func middles(of ask: GroupAsk) -> [(code: RegionCode, middle: CoursePoint)] {
        guard let regions = ask.regions.map(Set.init) else { return [] }
        return middles.filter { middle in tree.path(from: middle.code).contains { regions.contains($0.code) } }
    }
}

public import Accounts
public import Vitals

/// A question to the cube, as what it became: whole bands and regions. Two ways to say the same are equal.
public struct GroupQuestion: Sendable, Hashable {
    public let kind: DataKind
    public let sexes: Set<CellSex>
    public let bands: Set<AgeBand>
    /// No region lies within another one of them.
    public let regions: Set<RegionCode>

    /// A missing part of a question.
    public enum Problem: Error, Sendable, Hashable {
        /// There is no constraint (GRP-1).
        case unconstrained
        /// A sex, age or region is asked for that leaves nobody.
        case empty
        /// A code that the list of regions does not have.
        case unknownRegion(RegionCode)
        case notGrouped(DataKind)
    }

    /// - Parameters:
    ///   - sexes, bands, regions: nil for all.
    ///   - tree: the list of regions. A region of which all parts are asked for is asked for itself, so that one cell answers for many.
    public init(
        _ kind: DataKind, sexes: Set<CellSex>? = nil, bands: Set<AgeBand>? = nil, regions: Set<RegionCode>? = nil, in tree: RegionTree
    ) throws(Problem) {
        guard GroupBins(kind) != nil else { throw .notGrouped(kind) }
        guard sexes != nil || bands != nil || regions != nil else { throw .unconstrained }
        if let unknown = regions?.filter({ tree.regions[$0] == nil }).min() { throw .unknownRegion(unknown) }
        self.kind = kind
        self.sexes = sexes ?? Set(CellSex.allCases)
        self.bands = bands ?? Set(AgeBand.all)
        self.regions = tree.joined(regions ?? Set(tree.roots))
        guard !self.sexes.isEmpty, !self.bands.isEmpty, !self.regions.isEmpty else { throw .empty }
    }
}

extension RegionTree {
    /// The same area in the fewest regions: a region of which all parts are in it stands for them.
    func joined(_ codes: Set<RegionCode>) -> Set<RegionCode> {
        func cover(_ code: RegionCode) -> (codes: Set<RegionCode>, isWhole: Bool) {
            if codes.contains(code) { return ([code], true) }
            let children = children(of: code)
            guard !children.isEmpty else { return ([], false) }
            let parts = children.map(cover)
            return parts.allSatisfy(\.isWhole) ? ([code], true) : (parts.reduce(into: []) { $0.formUnion($1.codes) }, false)
        }
        return roots.reduce(into: []) { $0.formUnion(cover($1).codes) }
    }
}

extension AgeBand {
    /// The bands next to limits of age, so that whoever asks sees what it became: 6 to 19 is 5 to 19, 30 to 35 is 30 to 34.
    ///
    /// Each limit goes to the nearest edge of a band; there is always one band.
    /// - Parameters:
    ///   - from: the first year of age; nil for none.
    ///   - through: the last year of age; nil for none.
    public static func nearest(from: Int?, through: Int?) -> Set<AgeBand> {
        func edge(_ years: Int) -> Int { (min(max(years, 0), 1_000) + years.signum() * (Self.years / 2)) / Self.years }
        let low = min(Int(last), from.map(edge) ?? 0)
        let high = max(low, through.map { edge(min($0, 1_000) + 1) - 1 } ?? Int(last))
        return Set(all.filter { (low...high).contains(Int($0.number)) })
    }
}

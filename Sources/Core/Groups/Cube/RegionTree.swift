public import Accounts

/// One row of the list of regions, as far as groups need it.
public struct GroupRegion: Sendable, Hashable {
    public let code: RegionCode
    public let level: RegionLevel
    /// The province of a municipality, the region of a province.
    public let parent: RegionCode?
    /// Whether it has cells of its own: no municipality below ``inhabitantsMin`` has.
    public let hasCells: Bool

    public static let inhabitantsMin = 20_000

    public init(_ code: RegionCode, level: RegionLevel, parent: RegionCode? = nil, hasCells: Bool = true) {
        (self.code, self.level, self.parent, self.hasCells) = (code, level, parent, hasCells)
    }
}

/// The list of regions as a tree. It holds every region, those without cells too: a province is all of its municipalities.
public struct RegionTree: Sendable, Hashable {
    public let regions: [RegionCode: GroupRegion]
    private let childrenOf: [RegionCode: [RegionCode]]
    /// Those without a parent, in order of their codes.
    public let roots: [RegionCode]

    /// A region whose parent is not in the list, or does not stand above it, becomes a root.
    public init(_ list: [GroupRegion]) {
        let regions = Dictionary(list.map { ($0.code, $0) }) { first, _ in first }
        func parent(_ region: GroupRegion) -> RegionCode? {
            region.parent.flatMap { regions[$0] }.flatMap { $0.level < region.level ? $0.code : nil }
        }
        var children: [RegionCode: [RegionCode]] = [:], roots: [RegionCode] = []
        for region in regions.values.sorted(by: { $0.code < $1.code }) {
            if let above = parent(region) { children[above, default: []].append(region.code) } else { roots.append(region.code) }
        }
        (self.regions, self.childrenOf, self.roots) = (regions, children, roots)
    }

    /// In order of their codes.
    public func children(of code: RegionCode) -> [RegionCode] { childrenOf[code] ?? [] }

    /// The region itself and all above it, the lowest first: where a person of it counts.
    public func path(from code: RegionCode) -> [GroupRegion] {
        var path: [GroupRegion] = [], next = regions[code]
        while let region = next {
            path.append(region)
            next = region.parent.flatMap { regions[$0] }.flatMap { $0.level < region.level ? $0 : nil }
        }
        return path
    }
}

extension RegionTree {
    /// Of the whole list. A municipality has cells of its own where the list knows of ``GroupRegion/inhabitantsMin`` people.
    public init(_ list: RegionList) {
        self.init(
            list.regions.map { region in
                GroupRegion(
                    region.code, level: region.level, parent: region.parent,
                    hasCells: region.level != .municipality || (region.population ?? 0) >= GroupRegion.inhabitantsMin)
            })
    }
}

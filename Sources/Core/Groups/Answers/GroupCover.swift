public import Accounts

/// The released cells of one kind and window, and where they lie: what answers are put together from.
public struct ReleasedCells: Sendable, Hashable {
    /// By level.
    public let releases: [RegionLevel: GroupRelease]
    /// The released cells, and those around them: nothing below any other one was released.
    fileprivate let known: Set<GroupCell>
    fileprivate let regions: Set<RegionCode>

    public init(_ releases: [RegionLevel: GroupRelease], in tree: RegionTree) {
        var known: Set<GroupCell> = [], paths: [RegionCode: [RegionCode]] = [:]
        for cell in releases.values.flatMap(\.cells.keys) {
            if paths[cell.region] == nil { paths[cell.region] = tree.path(from: cell.region).map(\.code) }
            for region in paths[cell.region] ?? [] { known.insert(GroupCell(cell.sex, cell.band, region)) }
        }
        (self.releases, self.known, regions) = (releases, known, Set(paths.values.joined()))
    }

    /// The number of released cells, over all levels.
    public var count: Int { releases.values.reduce(0) { $0 + $1.cells.count } }
}

/// The cells that a question reads: the fewest released ones that make up its group.
public struct GroupCover: Sendable, Hashable {
    /// A released cell and its level.
    public struct Part: Sendable, Hashable {
        public let level: RegionLevel
        public let cell: GroupCell
    }

    /// Cells that do not overlap, in order.
    public let parts: [Part]
    /// Parts of the question of which nothing was released, in order: too few people, or no cells. The answer says so.
    public let missing: [GroupCell]

    /// - Parameter releases: of the question's kind and one window, by level.
    public init(_ question: GroupQuestion, in tree: RegionTree, from releases: [RegionLevel: GroupRelease]) {
        self.init(question, in: tree, from: ReleasedCells(releases, in: tree))
    }

    /// - Parameter released: of the question's kind and one window.
    public init(_ question: GroupQuestion, in tree: RegionTree, from released: ReleasedCells) {
        var parts: [Part] = [], missing: [GroupCell] = []
        let sexes = question.sexes.sorted(), bands = question.bands.sorted()
        for region in question.regions.sorted() {
            let isKnown = released.regions.contains(region)
            for sex in sexes {
                for band in bands {
                    guard isKnown else {
                        missing.append(GroupCell(sex, band, region))
                        continue
                    }
                    Self.cover(GroupCell(sex, band, region), tree, released, &parts, &missing)
                }
            }
        }
        (self.parts, self.missing) = (parts, missing)
    }

    /// One cell of the region itself goes before those of its parts: it has the noise of one.
    private static func cover(
        _ cell: GroupCell, _ tree: RegionTree, _ released: ReleasedCells, _ parts: inout [Part], _ missing: inout [GroupCell]
    ) {
        guard released.known.contains(cell) else { return missing.append(cell) }
        if let level = tree.regions[cell.region]?.level, released.releases[level]?.cells[cell] != nil {
            return parts.append(Part(level: level, cell: cell))
        }
        for region in tree.children(of: cell.region) {
            cover(GroupCell(cell.sex, cell.band, region), tree, released, &parts, &missing)
        }
    }
}

public import Accounts

/// What a question reads: the fewest released cells that make up its group.
public struct GroupCover: Sendable, Hashable {
    /// A released cell and its level.
    public struct Part: Sendable, Hashable {
        public let level: RegionLevel
        public let cell: GroupCell
    }

    /// Cells that do not overlap, in order.
    public let parts: [Part]
    /// What of the question nothing was released of, in order: too few people, or no cells. The answer says so.
    public let missing: [GroupCell]

    /// - Parameter releases: of the question's kind and one window, by level.
    public init(_ question: GroupQuestion, in tree: RegionTree, from releases: [RegionLevel: GroupRelease]) {
        var parts: [Part] = [], missing: [GroupCell] = []
        for region in question.regions.sorted() {
            for sex in question.sexes.sorted() {
                for band in question.bands.sorted() {
                    let found = Self.cover(region, sex, band, tree, releases)
                    parts += found.parts
                    missing += found.missing
                }
            }
        }
        (self.parts, self.missing) = (parts, missing)
    }

    /// One cell of the region itself goes before those of its parts: it has the noise of one.
    private static func cover(
        _ code: RegionCode, _ sex: CellSex, _ band: AgeBand, _ tree: RegionTree, _ releases: [RegionLevel: GroupRelease]
    ) -> (parts: [Part], missing: [GroupCell]) {
        let cell = GroupCell(sex, band, code)
        if let level = tree.regions[code]?.level, releases[level]?.cells[cell] != nil { return ([Part(level: level, cell: cell)], []) }
        let below = tree.children(of: code).map { cover($0, sex, band, tree, releases) }
        let parts = below.flatMap(\.parts)
        return parts.isEmpty ? ([], [cell]) : (parts, below.flatMap(\.missing))
    }
}

public import Accounts
public import Vitals

/// A question with ranges of health values, as what it became: whole classes, bands and regions, in one order. Two ways to say the same
/// are equal, and have the same answer.
public struct DoorQuestion: Sendable, Hashable {
    /// That a person's value of a kind falls into some classes.
    public struct Range: Sendable, Hashable {
        public let kind: DataKind
        public let bins: ClosedRange<Int>

        public init(_ kind: DataKind, bins: ClosedRange<Int>) { (self.kind, self.bins) = (kind, bins) }

        /// The classes next to a range in the kind's unit: each limit goes to the nearest edge.
        /// - Parameters:
        ///   - from, below: nil for no limit.
        /// - Returns: nil for a kind without ordered classes.
        public init?(_ kind: DataKind, from: Double?, below: Double?) {
            guard let classes = GroupBins(kind), classes.isOrdered else { return nil }
            let low = from.map { classes.edge(nearest: $0) } ?? 0
            let high = below.map { classes.edge(nearest: $0) - 1 } ?? GroupBins.count - 1
            self.init(kind, bins: low...max(low, high))
        }
    }

    public let window: GroupWindow
    /// The kind that the answer is about.
    public let kind: DataKind
    public let sexes: [CellSex]
    public let bands: [AgeBand]
    public let regions: [RegionCode]
    /// One for each kind, by its number; none that holds for everybody.
    public let ranges: [Range]

    /// - Parameter ranges: several of one kind hold together.
    /// - Returns: nil where no range is left, or one that nobody can fulfil: the cube answers the first.
    public init?(_ question: GroupQuestion, in window: GroupWindow, where ranges: [Range]) {
        var joined: [DataKind: ClosedRange<Int>] = [:]
        for range in ranges {
            let known = joined[range.kind] ?? 0...GroupBins.count - 1
            guard range.bins.overlaps(known) else { return nil }
            joined[range.kind] = range.bins.clamped(to: known)
        }
        let left = joined.map { Range($0.key, bins: $0.value) }
        guard !left.isEmpty else { return nil }
        self.window = window
        kind = question.kind
        sexes = question.sexes.sorted()
        bands = question.bands.sorted()
        regions = question.regions.sorted()
        self.ranges = left.sorted { $0.kind.rawValue < $1.kind.rawValue }
    }

    /// The question as a line of text: equal questions have the same, others another one.
    public var text: String {
        func list(_ values: some Sequence<String>) -> String { values.joined(separator: ",") }
        return [
            "\(window.length.rawValue) \(window.number)", "\(kind.rawValue)", list(sexes.map { "\($0.rawValue)" }),
            list(bands.map { "\($0.number)" }), list(regions.map(\.text)),
            list(ranges.map { "\($0.kind.rawValue):\($0.bins.lowerBound)-\($0.bins.upperBound)" }),
        ].joined(separator: ";")
    }
}

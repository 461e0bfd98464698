public import Vitals

/// One runner's line in the ranking.
public struct RankingRow: Hashable, Sendable, Codable {
    /// In the order in which they stand.
    public enum Group: String, Sendable, Codable, CaseIterable {
        case finished, running
        /// More than 5 % of the course was left out: the organiser decides.
        case incomplete
        case notStarted = "not-started"
        case didNotFinish = "did-not-finish"
        case didNotStart = "did-not-start"
        case disqualified

        var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        /// Whether it has places.
        public var isRanked: Bool { self == .finished || self == .running }
    }

    public var bib: Int
    public var group: Group
    /// 1 for the first; equal ones share it and the next is left out. nil where the group has none.
    public var place: Int?
    /// Metres from the start.
    public var metres: Double
    /// Milliseconds: to the finish for finishers (full seconds, begun ones counted), to `metres` for the others; nil before the start.
    public var time: Milliseconds?
    /// Milliseconds behind the first, at the same distance; nil where there are no places, 0 for the first. Negative for somebody who ranks
    /// behind by silence or by not being through yet, and was faster so far.
    public var gapToFirst: Milliseconds?
    /// Milliseconds behind the one who ranks before, at the same distance; nil for the first and where there are no places.
    public var gapToPrevious: Milliseconds?
}

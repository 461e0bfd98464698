import Database
public import Privacy
public import Vitals

/// The samples of one segment, of the granted kinds, in UTC.
public struct Arrival: Sendable, Hashable {
    /// The place behind this.
    public let cursor: SubscriptionCursor
    /// Tells the streams of one person apart: two boxes may have sent the same minute.
    public let stream: Int64
    public let provenance: Provenance
    /// UTC milliseconds.
    public let received: Milliseconds
    public let samples: SampleSet
}

/// What a reader has not had of a person.
public enum Arrivals: Sendable, Hashable {
    /// All that the place lacks, or the first of it; in the order of arrival at this hub. `upTo` is the place behind it, also where nothing of it
    /// was for this reader; nil when nothing came.
    case items([Arrival], upTo: SubscriptionCursor?)
    /// What was missed cannot be told apart by segment. All of it was sampled at `from` (UTC milliseconds) or later: read again from there, then go
    /// on behind `cursor`.
    case startOver(from: Milliseconds, cursor: SubscriptionCursor)
}

extension ArrivalReader {
    /// A place is exact for so long, milliseconds: 30 days.
    public static let lifetime: Milliseconds = 30 * 86_400_000
    /// Before a place was made something may have been received so long, milliseconds, that its hub did not see: clocks of hubs differ.
    static let margin: Milliseconds = 600_000

    /// What a place lacks of the grant's person, in the order of arrival (DATA-14). It is exact whether it waits in the journal or was merged into
    /// blocks.
    ///
    /// The answer is ``Arrivals/startOver(from:cursor:)`` for a place that is older than ``lifetime``, that no hub with this person's key gave, or that
    /// lacks what a hub up to release 0.3 merged; for more streams than a place holds, and for more samples in an hour than are told apart.
    /// - Parameters:
    ///   - cursor: nil begins with what was received at `since`.
    ///   - since: only what was received at this instant or later (UTC milliseconds): the begin of the access.
    ///   - segmentsMax: so many segments.
    /// - Returns: nil when the grant does not hold (any more).
    public func read(
        _ grant: Grant, after cursor: SubscriptionCursor?, since: Milliseconds, segmentsMax: Int = 200, now: Milliseconds
    ) throws -> Arrivals? {
        try reading(grant, now: now) {
            guard let row = try accounts.row(of: grant.person), let key = try keys.key(of: grant.person) else {
                return .items([], upTo: nil)
            }
            let look = ArrivalLook(reader: self, grant: grant, row: row, key: key, since: since, now: now)
            var most = max(1, segmentsMax)
            for _ in 0..<Self.looksMax {
                do { return try look.arrivals(after: cursor, most: most) } catch is JournalMoved {
                    continue
                } catch is ArrivalLook.TooMuch {
                    most = max(1, most / 2)
                }
            }
            throw HubStoreError.database(path: journal.path, reason: "a segment that should wait in it is not there")
        }
    }

    private static let looksMax = 50
}

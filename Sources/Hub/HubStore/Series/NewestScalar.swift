import Database
public import Privacy
public import Vitals

/// The newest value of a scalar kind, however old: a weight of last month is still the last one.
public struct NewestScalar: Sendable, Hashable {
    public let sample: ScalarSample
    public let provenance: Provenance

    public init(sample: ScalarSample, provenance: Provenance) { (self.sample, self.provenance) = (sample, provenance) }
}

extension SeriesReader {
    /// The newest value of each scalar kind that the grant names and that has one, in the order of their numbers.
    /// - Returns: nil when the grant does not hold (any more).
    public func newestScalars(_ grant: Grant, now: Milliseconds) throws -> [NewestScalar]? {
        try reading(grant, now: now) {
            let kinds = grant.kinds.filter(\.isScalar)
            guard !kinds.isEmpty, let row = try accounts.row(of: grant.person) else { return [] }
            let upTo = Self.come(at: now)
            // Before the blocks: what is merged between the two shows in both.
            let waiting = try store.waiting(row).map(\.lowerBound).min()
            let merged = try series.read { db in
                try db.fetchAll(
                    sql: """
                        SELECT kind, max(CASE WHEN utc_last < ?2 THEN utc_last ELSE ?2 END) FROM block
                        WHERE person = ?1 AND utc_first <= ?2 AND kind IN (\(kinds.blocks)) GROUP BY kind
                        """,
                    arguments: [row, upTo])
            }
            let times = Dictionary(uniqueKeysWithValues: merged.map { ($0[0] as UInt8, $0[1] as Milliseconds) })
            // Kinds whose newest blocks are of one hour are read together; what waits for merging may be newer, and is in each reading.
            let groups = Dictionary(grouping: kinds) { times[$0.rawValue].map { $0 / SeriesStore.hour } ?? .min }
            var newest: [DataKind: NewestScalar] = [:]
            for (hour, kinds) in groups {
                // An hour more: a clock may be known better since. Of kinds without blocks there is at most what waits: somebody's years of
                // others need not be looked through.
                let begin = hour == .min ? waiting.map { $0 - SeriesStore.hour } : (hour - 1) * SeriesStore.hour
                guard let from = begin else { continue }
                let streams = try readStreams(grant.person, row: row, kinds: Set(kinds), from: from, to: upTo).streams
                for piece in PrimarySource.pieces(streams) {
                    for sample in piece.samples.scalars where sample.time >= newest[sample.kind]?.sample.time ?? .min {
                        newest[sample.kind] = NewestScalar(sample: sample, provenance: piece.provenance)
                    }
                }
            }
            return newest.values.sorted { $0.sample.kind.rawValue < $1.sample.kind.rawValue }
        }
    }
}

import Database
public import Privacy
public import Vitals

/// The newest heart rate that was measured, however old.
public struct NewestHeartRate: Sendable, Hashable {
    public let sample: HeartRateSample
    public let provenance: Provenance

    public init(sample: HeartRateSample, provenance: Provenance) { (self.sample, self.provenance) = (sample, provenance) }
}

extension SeriesReader {
    /// The number of times that an hour is looked at: a strap that lies on a table sends samples that are no reading.
    private static let hoursLookedAt = 24

    /// The newest heart rate of a worn sensor.
    /// - Returns: nil where there is none in the last 24 hours that have samples, and when the grant does not hold (any more) or names no
    ///   heart rate.
    public func newestHeartRate(_ grant: Grant, now: Milliseconds) throws -> NewestHeartRate? {
        guard grant.kinds.contains(.heartRate) else { return nil }
        let found = try reading(grant, now: now) { () throws -> NewestHeartRate? in
            guard let row = try accounts.row(of: grant.person) else { return nil }
            return try newestHeartRate(of: grant.person, row: row, upTo: Self.come(at: now))
        }
        return found ?? nil
    }

    private func newestHeartRate(of person: PersonID, row: Int64, upTo: Milliseconds) throws -> NewestHeartRate? {
        var before = upTo + 1
        for _ in 0..<Self.hoursLookedAt {
            // Before the blocks: what is merged between the two shows in both.
            let waiting = try store.waiting(row).filter { $0.lowerBound < before }.max { $0.upperBound < $1.upperBound }
            let merged = try series.read { db in
                try db.fetchOne(
                    Milliseconds.self,
                    sql: """
                        SELECT max(CASE WHEN utc_last < ?3 THEN utc_last ELSE ?3 END) FROM block
                        WHERE person = ?1 AND kind = ?2 AND utc_first <= ?3
                        """,
                    arguments: [row, DataKind.heartRate.rawValue, before - 1])
            }
            let sent = waiting.map { min($0.upperBound, before - 1) }
            guard let newest = [merged, sent].compactMap(\.self).max() else { return nil }
            var from = newest - SeriesStore.hour
            // A segment is opened as a whole, so all of it is looked at, a day at most.
            if let waiting, waiting.upperBound >= from { from = min(from, max(waiting.lowerBound, newest - 24 * SeriesStore.hour)) }
            let streams = try readStreams(person, row: row, kinds: [.heartRate], from: from, to: before - 1).streams
            for piece in PrimarySource.pieces(streams).reversed() {
                guard let sample = piece.samples.heartRates.last(where: { $0.beatsPerMinute > 0 && $0.contact != .notDetected }) else {
                    continue
                }
                return NewestHeartRate(sample: sample, provenance: piece.provenance)
            }
            before = from
        }
        return nil
    }
}

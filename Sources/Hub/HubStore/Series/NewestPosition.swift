import Database
public import Privacy
public import Vitals

extension SeriesReader {
    /// The newest position, however old. What waits to be merged is not looked at: that came in the last minutes, and is in each reading of
    /// them.
    /// - Returns: nil where there is none, and when the grant does not hold (any more) or names no positions.
    public func newestPosition(_ grant: Grant, now: Milliseconds) throws -> PositionSample? {
        guard grant.kinds.contains(.position) else { return nil }
        let found = try reading(grant, now: now) { () throws -> PositionSample? in
            guard let row = try accounts.row(of: grant.person) else { return nil }
            let newest = try series.read { db in
                try db.fetchOne(
                    Milliseconds.self,
                    sql: """
                        SELECT max(CASE WHEN utc_last < ?3 THEN utc_last ELSE ?3 END) FROM block
                        WHERE person = ?1 AND kind = ?2 AND utc_first <= ?3
                        """,
                    arguments: [row, DataKind.position.rawValue, Self.come(at: now)])
            }
            guard let newest else { return nil }
            let streams = try readStreams(grant.person, row: row, kinds: [.position], from: newest - SeriesStore.hour, to: newest).streams
            return PrimarySource.select(streams).positions.last
        }
        return found ?? nil
    }
}

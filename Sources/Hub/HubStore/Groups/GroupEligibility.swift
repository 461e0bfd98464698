import Database
import Groups
import History
import Seams
public import Vitals

/// People whose data may count in statistics about groups: accounts of some age, with data of their own on some days, so that accounts that somebody makes up
/// to single a person out cost time. Replays and drills are no data of anybody (design rule 11); what is imported or typed counts like what is measured.
public struct GroupEligibility: SeriesSubjectStore {
    let store: SeriesStore

    private static let day: Milliseconds = 86_400_000
    private static let played: Set<Provenance> = [.replay, .drill]

    /// People with replays or drills within a span: the summaries of those hours hold these as well. Reads all streams once.
    /// - Parameters:
    ///   - from: UTC milliseconds, included.
    ///   - to: UTC milliseconds, not included.
    public func peopleWithPlayedData(from: Milliseconds, to: Milliseconds) throws -> Set<PersonID> {
        let rows = try series.read { db in
            try db.fetchAll(
                Int64.self,
                sql: """
                    SELECT DISTINCT person FROM block WHERE clock IN (SELECT id FROM clock WHERE stream IN
                        (SELECT id FROM stream WHERE provenance = ? OR provenance = ?)) AND utc_last >= ? AND utc_first < ?
                    """, arguments: [Provenance.replay.rawValue, Provenance.drill.rawValue, from, to])
        }
        return Set(try accounts.people(rows: rows).values)
    }

    /// Whether somebody's data counts at `now`.
    /// - Parameters:
    ///   - created: when the account was made, UTC milliseconds.
    ///   - isPlayed: whether they ever had replays or drills. Their own days are those of which there is raw data.
    public func isMet(by person: PersonID, created: Milliseconds, isPlayed: Bool, now: Milliseconds) throws -> Bool {
        guard let row = try accounts.row(of: person) else { return false }
        return try isMet(row: row, created: created, isPlayed: isPlayed, now: now)
    }

    /// - Parameter row: the number of the person.
    func isMet(row: Int64, created: Milliseconds, isPlayed: Bool, now: Milliseconds) throws -> Bool {
        guard now - created >= Eligibility.accountAgeMin else { return false }
        let days = created.flooredQuotient(by: Self.day)...now.flooredQuotient(by: Self.day)
        return try series.read { db in
            try (isPlayed ? rawDays(of: row, days, db) : rolledDays(of: row, days, db)).count >= Eligibility.daysWithDataMin
        }
    }

    /// Days of which there is a summary of any kind; no more than are needed.
    private func rolledDays(of row: Int64, _ days: ClosedRange<Int64>, _ db: Connection) throws -> Set<Int64> {
        let statement = try db.cachedStatement(
            sql: "SELECT start FROM rollup WHERE person = ? AND kind = ? AND level = 1 AND start BETWEEN ? AND ? ORDER BY start LIMIT ?")
        var found: Set<Int64> = []
        for kind in DataKind.allCases where RollupRule(kind) != nil && found.count < Eligibility.daysWithDataMin {
            found.formUnion(
                try statement.fetchAll(
                    Int64.self, arguments: [row, kind.rawValue, days.lowerBound, days.upperBound, Eligibility.daysWithDataMin]))
        }
        return found
    }

    private func rawDays(of row: Int64, _ days: ClosedRange<Int64>, _ db: Connection) throws -> Set<Int64> {
        let blocks = try db.fetchAll(
            sql: """
                SELECT utc_first, utc_last, stream.provenance FROM block JOIN clock ON clock.id = block.clock
                JOIN stream ON stream.id = clock.stream WHERE block.person = ?
                """, arguments: [row])
        return blocks.reduce(into: []) { found, block in
            guard let provenance = Provenance(rawValue: block[2]), !Self.played.contains(provenance) else { return }
            // A block holds an hour of one clock at most.
            found.formUnion([block[0] as Milliseconds, block[1]].map { $0.flooredQuotient(by: Self.day) }.filter(days.contains))
        }
    }
}

extension SeriesStore {
    public var groupEligibility: GroupEligibility { GroupEligibility(store: self) }
}

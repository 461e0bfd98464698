import Database
import Foundation
public import Runs
public import Vitals

/// One line of the results.
public struct RunResult: Sendable, Hashable {
    /// ``StoredEnrolment/row``.
    public let enrolment: Int64
    /// nil when the account was deleted: group, place and time stay, and are nobody's.
    public let person: PersonID?
    public let group: RankingRow.Group
    /// From 1; equal ones share it. nil where the group has none.
    public let place: Int?
    /// Milliseconds from the gun to the finish.
    public let time: Milliseconds?
    /// All that is known; gone with the account. Who shows it looks at the runner's choices.
    public let result: RunnerResult?
    /// How they got along, for the replay: the gun (UTC milliseconds), then seconds since it and metres from the start, by turns.
    public let trail: [Milliseconds]

    public init(_ result: RunnerResult, trail: [Milliseconds] = [], of enrolment: StoredEnrolment) {
        (self.enrolment, person, self.result, self.trail) = (enrolment.row, enrolment.person, result, trail)
        (group, place, time) = (result.group, result.place, result.gunTime)
    }

    init(
        enrolment: Int64, person: PersonID?, group: RankingRow.Group, place: Int?, time: Milliseconds?, kept: KeptResult?
    ) {
        (self.enrolment, self.person, self.group) = (enrolment, person, group)
        (self.place, self.time, trail) = (place, time, kept?.trail ?? [])
        // What is sealed is as it was worked out; the others' may have moved it since.
        var result = kept?.result
        result?.group = group
        result?.place = place
        self.result = result
    }
}

/// The sealed part of a result.
struct KeptResult: Codable {
    var result: RunnerResult
    var trail: [Milliseconds]
}

/// Results of runs.
public struct RunResultStore: RunSubjectStore {
    let runs: RunsStore
}

extension RunResultStore {
    /// Sets the results of some, in the place of those before: data that came late changes them (RUN-14).
    public func setResults(_ results: [RunResult], of run: RunID) throws { try setResults(results, of: run, places: nil, inClass: nil) }

    /// - Parameters:
    ///   - places: by ``RunResult/enrolment``, where they are not those that were worked out.
    ///   - inClass: the same within classes.
    func setResults(_ results: [RunResult], of run: RunID, places: [Int64: Int]?, inClass: [Int64: Int]?) throws {
        try pool.write { db in
            guard let row = try db.fetchOne(Int64.self, sql: "SELECT id FROM run WHERE run = ?", arguments: [Data(run.bytes)]) else {
                return
            }
            for result in results {
                // Nobody's result comes back to somebody who was deleted meanwhile.
                let person = try result.person.flatMap { try keys.isDeleted($0) ? nil : $0 }
                let sealed = try person.flatMap { person in
                    try result.result.map { known -> Data in
                        var known = known
                        if let inClass { known.placeInCategory = inClass[result.enrolment] }
                        return try seal(
                            KeptResult(result: known, trail: result.trail), of: person, .runResult, Self.place(run, result.enrolment))
                    }
                }
                let place = if let places { places[result.enrolment] } else { result.place }
                try db.cachedStatement(
                    sql: """
                        INSERT INTO result(run, enrolment, person, standing, place, time, envelope) VALUES(?, ?, ?, ?, ?, ?, ?)
                        ON CONFLICT(run, enrolment) DO UPDATE SET person = excluded.person, standing = excluded.standing,
                            place = excluded.place, time = excluded.time, envelope = excluded.envelope
                        """
                ).execute(arguments: [
                    row, result.enrolment, person.map { Data($0.bytes) }, result.group.rawValue, place, result.time, sealed,
                ])
            }
        }
    }

    static func place(_ run: RunID, _ enrolment: Int64) -> (UInt64, UInt64) {
        // 64 bits of the run and the number: an enrolment's row is never used twice.
        (run.high, UInt64(bitPattern: enrolment))
    }

    /// All of a run: those with a place first, in their order.
    public func results(of run: RunID) throws -> [RunResult] {
        try results("run.run = ? ORDER BY place IS NULL, place, time, result.enrolment", Data(run.bytes)).map(\.result)
    }

    /// Those of a person, the newest first.
    public func results(of person: PersonID) throws -> [(run: RunID, result: RunResult)] {
        try results("person = ? ORDER BY starts DESC", Data(person.bytes))
    }

    private func results(_ condition: String, _ key: Data) throws -> [(run: RunID, result: RunResult)] {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: """
                    SELECT run.run, enrolment, person, standing, place, time, result.envelope FROM result JOIN run ON run.id = result.run
                    WHERE \(condition)
                    """,
                arguments: [key])
            return try rows.compactMap { row in
                guard let run = RunID(bytes: row[0] as Data), let group = RankingRow.Group(rawValue: row[3]) else { return nil }
                let enrolment: Int64 = row[1]
                let known = (row[2] as Data?).flatMap { PersonID(bytes: $0) }
                // A deleted person's row may not be cleared yet.
                let person = try known.flatMap { try keys.isDeleted($0) ? nil : $0 }
                let kept = try person.flatMap { try self.kept(row[6], of: $0, run, enrolment) }
                return (
                    run,
                    RunResult(enrolment: enrolment, person: person, group: group, place: row[4], time: row[5], kept: kept)
                )
            }
        }
    }

    /// nil also for one that does not open, which is told: place and time stand beside it, and it hides nobody else's.
    func kept(_ sealed: Data?, of person: PersonID, _ run: RunID, _ enrolment: Int64) throws -> KeptResult? {
        do {
            return try sealed.flatMap { try open(KeptResult.self, $0, of: person, .runResult, Self.place(run, enrolment)) }
        } catch let error where HubStoreError.isDamage(error) {
            runs.tellDamage(.init(kind: .result, run: run, row: enrolment))
            return nil
        }
    }
}

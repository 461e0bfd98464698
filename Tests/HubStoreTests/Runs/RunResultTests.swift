import Accounts
import Database
import Foundation
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct RunResultTests {
    private func result(
        _ enrolment: StoredEnrolment, place: Int, seconds: Int, in name: String? = nil, _ placeInClass: Int? = nil,
        trail: [Milliseconds] = []
    ) throws -> RunResult {
        let json = """
            {"bib": \(enrolment.bib), "group": "finished", "place": \(place), "gunTime": \(seconds * 1000), "metres": 4000,
            "missedMetres": 0, "splits": [], "stretches": []}
            """
        var result = try JSONDecoder().decode(RunnerResult.self, from: Data(json.utf8))
        (result.category, result.placeInCategory) = (name, placeInClass)
        return RunResult(result, trail: trail, of: enrolment)
    }

    private func finished(_ engine: Engine, count: Int = 3) throws -> (runs: RunFixture, run: StoredRun, all: [StoredEnrolment]) {
        let runs = try RunFixture(engine), run = try runs.run()
        let all = try (0..<count).map { _ in try runs.enrol(in: run) }
        try runs.store.results.setResults(
            all.enumerated().map { try result($1, place: $0 + 1, seconds: 1000 + $0 * 10, trail: [1, 2]) }, of: run.id)
        return (runs, run, all)
    }

    @Test(
        "RUN-10: results stand in the order of places, with all that is known of each; late data changes them", arguments: Engine.allCases)
    func set(engine: Engine) throws {
        let (runs, run, all) = try finished(engine), store = runs.store
        let results = try store.results.results(of: run.id)
        #expect(
            results.map(\.enrolment) == all.map(\.row) && results.map(\.place) == [1, 2, 3] && results.map(\.person) == all.map(\.person))
        #expect(results[0].time == 1_000_000 && results[0].trail == [1, 2] && results[0].result?.bib == 1)
        try store.results.setResults([result(all[2], place: 1, seconds: 990), result(all[0], place: 3, seconds: 1000)], of: run.id)
        #expect(try store.results.results(of: run.id).map(\.enrolment) == [all[2].row, all[1].row, all[0].row])
        try store.results.setResults([result(all[0], place: 1, seconds: 1)], of: .random())
        #expect(try store.results.results(of: run.id).count == 3 && store.results.results(of: RunID.random()).isEmpty)
    }

    @Test("RUN-18: a runner sees results of their own, the newest run first", arguments: Engine.allCases)
    func own(engine: Engine) throws {
        let (runs, run, all) = try finished(engine), store = runs.store, later = try runs.run(RunFixture.plan(starts: 20 * day), code: "B")
        let again = try runs.enrol(all[0].person, in: later)
        try store.results.setResults([result(again, place: 1, seconds: 900)], of: later.id)
        #expect(
            try store.results.results(of: all[0].person).map(\.run) == [later.id, run.id]
                && store.results.results(of: all[1].person).map(\.run) == [run.id]
        )
        #expect(try store.results.results(of: PersonID.random()).isEmpty)
    }

    @Test("RUN-10: a damaged result keeps its place and time, is told, and hides nobody else's", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let (runs, run, all) = try finished(engine), store = runs.store, told = Told<DamagedRunRow>()
        store.tellDamaged { told.tell($0) }
        try runs.damage("result", where: "enrolment = \(all[1].row)")
        let results = try store.results.results(of: run.id)
        #expect(
            results.map(\.place) == [1, 2, 3] && results.map { $0.result != nil } == [true, false, true] && results[1].time == 1_010_000)
        #expect(told.all == [DamagedRunRow(kind: .result, run: run.id, row: all[1].row)])
        #expect(try store.results.results(of: all[1].person).map(\.result.place) == [2])
    }

    @Test("DATA-10: a deleted runner's result is nobody's; place and time stay", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let (runs, run, all) = try finished(engine), store = runs.store, person = all[1].person
        _ = try runs.keys.destroy(person, now: 5)
        #expect(try store.results.results(of: run.id)[1].person == nil && store.results.results(of: run.id)[1].result == nil)
        #expect(try store.deletedWithRows() == [person])
        try store.erase(person, now: 6)
        let left = try store.results.results(of: run.id)
        #expect(try left.map(\.place) == [1, 2, 3] && left[1].time == 1_010_000 && store.results.results(of: person).isEmpty)
        #expect(try store.run(run.id)?.enrolled == 2 && store.deletedWithRows().isEmpty)
        // Nothing comes back to them.
        try store.results.setResults([result(all[1], place: 1, seconds: 1)], of: run.id)
        #expect(try store.results.results(of: person).isEmpty)
    }

    @Test("RUN-14: who has no result any more loses it while the run goes on, and keeps it when it is over", arguments: Engine.allCases)
    func kept(engine: Engine) throws {
        let (runs, run, all) = try finished(engine), store = runs.store
        try store.enrolments.decide([(all[0], .checkedIn), (all[1], .checkedIn)], in: run, now: 5)
        let first = try [result(all[0], place: 1, seconds: 1000)]
        try store.results.keepResults(first, of: run.id, unread: [all[1].row])
        #expect(try store.results.results(of: run.id).map(\.enrolment) == [all[0].row, all[1].row])
        try store.results.setResults([result(all[2], place: 3, seconds: 1500)], of: run.id)
        try store.results.keepResults(first, of: run.id, isOver: true)
        #expect(
            try store.results.results(of: run.id).map(\.enrolment) == [all[0].row, all[1].row],
            "who took part keeps theirs, and nobody else")
        try store.results.keepResults(first, of: run.id)
        #expect(try store.results.results(of: run.id).map(\.enrolment) == [all[0].row])
    }

    @Test(
        "DATA-10, RUN-6: a deleted organiser's runs are called off or stay without one, and who is enrolled is told",
        arguments: Engine.allCases)
    func organiser(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, boss = AccountID.random(), ada = PersonID.random()
        let coming = try runs.run(code: "A", by: boss), draft = try runs.draft(code: "B", by: boss),
            over = try runs.run(RunFixture.plan(starts: day), code: "C", by: boss)
        _ = try (runs.enrol(ada, in: coming), runs.enrol(ada, in: over))
        _ = try runs.keys.destroy(boss.person, now: 2 * day)
        #expect(try store.deletedWithRows() == [boss.person])
        try store.erase(boss.person, now: 2 * day)
        #expect(try [coming, draft, over].map { try store.run($0.id)?.state } == [.cancelled, .cancelled, .finished])
        #expect(try [coming, draft, over].allSatisfy { try store.run($0.id)?.organiser == nil } && store.runs(of: boss).isEmpty)
        #expect(try Set(runs.tell(now: 2 * day).map(\.kind)) == [.runCancelled, .runFinished] && store.deletedWithRows().isEmpty)
    }

    @Test("RUN-10: each place is given once: finishers stand by begun seconds, who was under way around the places that were left")
    func places() {
        func kept(_ row: Int64, _ group: RankingRow.Group, _ place: Int?, _ time: Milliseconds? = nil, isLeft: Bool = false) -> Rank {
            Rank(row: row, group: group, place: place, time: time, isLeft: isLeft)
        }
        let rows = [
            kept(1, .finished, 1, 1_000_400), kept(2, .finished, 1, 1_000_900, isLeft: true), kept(3, .finished, 2, 1_001_001),
            kept(4, .running, 3), kept(5, .running, 5, isLeft: true), kept(6, .running, 4), kept(7, .running, 4),
            kept(8, .didNotFinish, nil),
        ]
        #expect(Rank.places(rows) == [1: 1, 2: 1, 3: 3, 4: 4, 5: 5, 6: 6, 7: 6])
        #expect(Rank.places(rows.reversed()) == Rank.places(rows))
        #expect(Rank.places([kept(1, .running, 7, isLeft: true)]) == [1: 1] && Rank.places([]).isEmpty)
    }

    @Test(
        "RUN-10: where results are left each row is written once, with the place that it has among all, and only those left that move",
        arguments: Engine.allCases)
    func writtenOnce(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run()
        let list = try (0..<6).map { _ in try runs.enrol(in: run) }
        // The first two and the last one are left; the third passes the second.
        try store.results.keepResults(list.enumerated().map { try result($1, place: $0 + 1, seconds: 1000 + $0 * 10) }, of: run.id)
        #expect(try store.results.results(of: run.id).map(\.place) == [1, 2, 3, 4, 5, 6])
        try store.pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE seen(enrolment, place);
                    CREATE TRIGGER written AFTER UPDATE ON result BEGIN INSERT INTO seen VALUES(NEW.enrolment, NEW.place); END
                    """)
        }
        let again = try [
            result(list[2], place: 1, seconds: 1005), result(list[3], place: 2, seconds: 1030), result(list[4], place: 3, seconds: 1040),
        ]
        try store.results.keepResults(again, of: run.id, unread: [list[0].row, list[1].row, list[5].row], slice: 2)
        let seen = try store.pool.read { db in
            try db.fetchAll(sql: "SELECT enrolment, place FROM seen ORDER BY rowid").map { [$0[0] as Int64, $0[1] as Int64] }
        }
        #expect(seen == [[list[2].row, 2], [list[3].row, 4], [list[4].row, 5], [list[1].row, 3]])
        let kept = try store.results.results(of: run.id)
        #expect(kept.map(\.enrolment) == [0, 2, 1, 3, 4, 5].map { list[$0].row } && kept.map(\.place) == [1, 2, 3, 4, 5, 6])
        try store.results.keepResults(again, of: run.id, unread: [list[0].row])
        #expect(try store.results.results(of: run.id).map(\.enrolment) == [0, 2, 3, 4].map { list[$0].row })
        #expect(try store.results.results(of: run.id).map(\.place) == [1, 2, 3, 4])
    }

    @Test(
        "RUN-10: who is left counts within their class too; behind somebody whose class is not known any more no place in it is told",
        arguments: Engine.allCases)
    func classes(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run()
        let list = try (0..<5).map { _ in try runs.enrol(in: run) }
        func places() throws -> [Int?] {
            let kept = Dictionary(try store.results.results(of: run.id).map { ($0.enrolment, $0.result?.placeInCategory) }) { $1 }
            return list.map { kept[$0.row] ?? nil }
        }
        try store.results.keepResults(
            [
                result(list[0], place: 1, seconds: 1000, in: "Men", 1), result(list[1], place: 2, seconds: 1010, in: "Women", 1),
                result(list[2], place: 3, seconds: 1020, in: "Men", 2), result(list[3], place: 4, seconds: 1030, in: "Women", 2),
            ], of: run.id)
        #expect(try places() == [1, 1, 2, 2, nil])
        // The first and the fourth are left; the fifth came in between, and the third is the last one now.
        let again = try [
            result(list[1], place: 1, seconds: 1010, in: "Women", 1), result(list[4], place: 2, seconds: 1015, in: "Women", 2),
            result(list[2], place: 3, seconds: 1040, in: "Men", 1),
        ]
        try store.results.keepResults(again, of: run.id, unread: [list[0].row, list[3].row])
        #expect(try store.results.results(of: run.id).map(\.enrolment) == [0, 1, 4, 3, 2].map { list[$0].row })
        #expect(try places() == [1, 1, 2, 3, 2])
        _ = try runs.keys.destroy(list[3].person, now: 2)
        try store.results.keepResults(again, of: run.id, unread: [list[0].row])
        #expect(try places() == [1, 1, nil, nil, 2] && store.results.results(of: run.id).map(\.place) == [1, 2, 3, 4, 5])
    }
}

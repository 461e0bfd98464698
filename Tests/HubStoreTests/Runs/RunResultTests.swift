import Accounts
import Database
import Foundation
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct RunResultTests {
    private func result(_ enrolment: StoredEnrolment, place: Int, seconds: Int, trail: [Milliseconds] = []) throws -> RunResult {
        let json = """
            {"bib": \(enrolment.bib), "group": "finished", "place": \(place), "gunTime": \(seconds * 1000), "metres": 4000,
            "missedMetres": 0, "splits": [], "stretches": []}
            """
        return RunResult(try JSONDecoder().decode(RunnerResult.self, from: Data(json.utf8)), trail: trail, of: enrolment)
    }

    private func finished(_ engine: Engine, count: Int = 3) throws -> (runs: RunFixture, run: StoredRun, all: [StoredEnrolment]) {
        let runs = try RunFixture(engine), run = try runs.run()
        let all = try (0..<count).map { _ in try runs.enrol(in: run) }
        try runs.store.setResults(
            all.enumerated().map { try result($1, place: $0 + 1, seconds: 1000 + $0 * 10, trail: [1, 2]) }, of: run.id)
        return (runs, run, all)
    }

    @Test(
        "RUN-10: results stand in the order of places, with all that is known of each; late data changes them", arguments: Engine.allCases)
    func set(engine: Engine) throws {
        let (runs, run, all) = try finished(engine), store = runs.store
        let results = try store.results(of: run.id)
        #expect(
            results.map(\.enrolment) == all.map(\.row) && results.map(\.place) == [1, 2, 3] && results.map(\.person) == all.map(\.person))
        #expect(results[0].time == 1_000_000 && results[0].trail == [1, 2] && results[0].result?.bib == 1)
        try store.setResults([result(all[2], place: 1, seconds: 990), result(all[0], place: 3, seconds: 1000)], of: run.id)
        #expect(try store.results(of: run.id).map(\.enrolment) == [all[2].row, all[1].row, all[0].row])
        try store.setResults([result(all[0], place: 1, seconds: 1)], of: .random())
        #expect(try store.results(of: run.id).count == 3 && store.results(of: RunID.random()).isEmpty)
    }

    @Test("RUN-18: a runner sees results of their own, the newest run first", arguments: Engine.allCases)
    func own(engine: Engine) throws {
        let (runs, run, all) = try finished(engine), store = runs.store, later = try runs.run(RunFixture.plan(starts: 20 * day), code: "B")
        let again = try runs.enrol(all[0].person, in: later)
        try store.setResults([result(again, place: 1, seconds: 900)], of: later.id)
        #expect(
            try store.results(of: all[0].person).map(\.run) == [later.id, run.id] && store.results(of: all[1].person).map(\.run) == [run.id]
        )
        #expect(try store.results(of: PersonID.random()).isEmpty)
    }

    @Test("RUN-10: a damaged result keeps its place and time, is told, and hides nobody else's", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let (runs, run, all) = try finished(engine), store = runs.store, told = Told<DamagedRunRow>()
        store.tellDamaged { told.tell($0) }
        try runs.damage("result", where: "enrolment = \(all[1].row)")
        let results = try store.results(of: run.id)
        #expect(
            results.map(\.place) == [1, 2, 3] && results.map { $0.result != nil } == [true, false, true] && results[1].time == 1_010_000)
        #expect(told.all == [DamagedRunRow(kind: .result, run: run.id, row: all[1].row)])
        #expect(try store.results(of: all[1].person).map(\.result.place) == [2])
    }

    @Test("DATA-10: a deleted runner's result is nobody's; place and time stay", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let (runs, run, all) = try finished(engine), store = runs.store, person = all[1].person
        _ = try runs.keys.destroy(person, now: 5)
        #expect(try store.results(of: run.id)[1].person == nil && store.results(of: run.id)[1].result == nil)
        #expect(try store.deletedWithRows() == [person])
        try store.erase(person, now: 6)
        let left = try store.results(of: run.id)
        #expect(try left.map(\.place) == [1, 2, 3] && left[1].time == 1_010_000 && store.results(of: person).isEmpty)
        #expect(try store.run(run.id)?.enrolled == 2 && store.deletedWithRows().isEmpty)
        // Nothing comes back to them.
        try store.setResults([result(all[1], place: 1, seconds: 1)], of: run.id)
        #expect(try store.results(of: person).isEmpty)
    }

    @Test("RUN-14: who has no result any more loses it while the run goes on, and keeps it when it is over", arguments: Engine.allCases)
    func kept(engine: Engine) throws {
        let (runs, run, all) = try finished(engine), store = runs.store
        try store.decide([(all[0], .checkedIn), (all[1], .checkedIn)], in: run, now: 5)
        let first = try [result(all[0], place: 1, seconds: 1000)]
        try store.keepResults(first, of: run.id, unread: [all[1].row])
        #expect(try store.results(of: run.id).map(\.enrolment) == [all[0].row, all[1].row])
        try store.setResults([result(all[2], place: 3, seconds: 1500)], of: run.id)
        try store.keepResults(first, of: run.id, isOver: true)
        #expect(try store.results(of: run.id).map(\.enrolment) == [all[0].row, all[1].row], "who took part keeps theirs, and nobody else")
        try store.keepResults(first, of: run.id)
        #expect(try store.results(of: run.id).map(\.enrolment) == [all[0].row])
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
}

import Database
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// A run that its organiser started too early.
@Suite struct RunStartTests {
    @Test(
        "RUN-6: a start that is taken back leaves the run as planned: on its list, with its timers, and told", arguments: Engine.allCases)
    func takenBack(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), start = run.plan.starts, early = start - hour
        let people = [PersonID.random(), .random(), .random(), .random()]
        for person in people { _ = try runs.enrol(person, in: run) }
        _ = try store.enrolments.withdraw(people[3], from: run.id, now: 2)
        #expect(try store.takeBackStart(of: run.id, told: [:], now: early) == nil, "it has not been started")
        let live = try #require(try store.move(run.id, to: .live, now: early))
        let list = try people.prefix(3).map { try #require(try store.enrolments.enrolment(of: $0, in: run.id)) }
        try store.enrolments.decide(
            [(list[0], .checkedIn), (list[1], .notCheckedIn), (list[2], .noPosition)], in: live, now: early)
        #expect(try store.run(run.id)?.enrolled == 1)
        _ = try runs.tell(now: early)
        #expect(try store.takeBackStart(of: run.id, told: ["what": "start"], now: start) == nil, "it would have begun by itself")

        let back = try #require(try store.takeBackStart(of: run.id, told: ["what": "start"], now: early + 1))
        #expect(back.state == .scheduled && back.began == nil && back.enrolled == 3 && back.revision > live.revision)
        let states = try people.map { try store.enrolments.enrolment(of: $0, in: run.id)?.state }
        #expect(states == [.enrolled, .enrolled, .enrolled, .withdrawn])
        let told = try runs.tell(now: early + 2)
        #expect(told.map(\.kind) == [.runChanged] && Set(told.flatMap(\.people)) == Set(people.prefix(3)))
        let timers = try store.timers.dueTimers(9, lease: 1, now: 30 * day)
        #expect(timers.first { $0.kind == .start }?.due == start && !timers.contains { $0.kind == .bringBack })
        // It starts once more, by itself.
        #expect(try store.move(run.id, to: .live, now: start)?.began == start)
        #expect(try store.takeBackStart(of: run.id, told: [:], now: start + 1) == nil)
        #expect(try store.takeBackStart(of: .random(), told: [:], now: 1) == nil)
    }
}

import Database
import Foundation
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct EnrolmentTests {
    @Test("RUN-4: each reason for which nobody is enrolled is told, before the place is counted", arguments: Engine.allCases)
    func refusals(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(RunFixture.plan(most: 1)), ada = PersonID.random(),
            bob = PersonID.random()
        let hidden = try runs.run(RunFixture.plan(starts: 30 * day, most: 1, isPublic: false), code: "B")
        let overlapping = try runs.run(RunFixture.plan(starts: 10 * day + hour - 1), code: "C")
        #expect(try runs.refusal(ada, in: run) == nil && runs.refusal(ada, in: hidden) == .notInvited)
        #expect(try runs.enrol(ada, in: run).bib == 1 && store.run(run.id)?.isFull == true)
        #expect(try runs.refusal(ada, in: run) == .alreadyEnrolled && runs.refusal(bob, in: run) == .full)
        #expect(try runs.refusal(ada, in: overlapping) == .overlaps(code: run.code) && runs.refusal(bob, in: overlapping) == nil)
        #expect(try runs.refusal(bob, in: run, now: run.plan.closes) == .closed(at: run.plan.closes))
        #expect(
            try runs.refusal(bob, in: run, now: run.plan.starts) == .started && runs.refusal(bob, in: run, now: run.plan.ends) == .finished)
        _ = try store.move(overlapping.id, to: .cancelled, now: 2)
        #expect(try runs.refusal(bob, in: overlapping) == .cancelled)
        _ = try runs.keys.destroy(bob, now: 3)
        #expect(try runs.refusal(bob, in: hidden) == .unknown)
    }

    @Test(
        "RUN-4: within one commit each is checked behind the one before: full, twice the same person, and another run at the same time",
        arguments: Engine.allCases)
    func batch(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store
        let run = try runs.run(RunFixture.plan(most: 2)), other = try runs.run(code: "GHJKMN")
        let (ada, bob, eve) = (PersonID.random(), PersonID.random(), PersonID.random())
        func wish(_ run: StoredRun, _ person: PersonID) -> EnrolmentStore.Enrolling { .init(run: run.id, person: person, choices: .init()) }
        let outcomes = try store.enrolments.enrol(
            [wish(run, ada), wish(run, ada), wish(other, ada), wish(run, bob), wish(run, eve)], now: 1)
        let refusals = outcomes.map { outcome -> EnrolmentRefusal? in
            if case .failure(let refusal) = outcome { refusal } else { nil }
        }
        #expect(refusals == [nil, .alreadyEnrolled, .overlaps(code: run.code), nil, .full])
        // A place that is free again goes to the next one.
        _ = try store.enrolments.withdraw(bob, from: run.id, now: 2).get()
        #expect(try #require(try store.enrolments.enrol([wish(run, eve)], now: 3).first).get().bib == 3)
        #expect(try store.enrolments.refusal(wish(run, bob), now: 4) == .full)
    }

    @Test("RUN-4: who withdraws gives the place back, and has the same number when they come again", arguments: Engine.allCases)
    func withdrawal(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(RunFixture.plan(most: 2))
        let ada = PersonID.random(), bob = PersonID.random(), eve = PersonID.random()
        #expect(try store.enrolments.withdraw(ada, from: run.id, now: 1) == .failure(.notEnrolled))
        let first = try runs.enrol(ada, in: run)
        _ = try runs.enrol(bob, in: run)
        try store.enrolments.asked(first, checkIn: .random(), publicHeartRate: nil, for: run)
        #expect(try store.enrolments.withdraw(ada, from: run.id, now: 2).get().bib == 1 && store.run(run.id)?.enrolled == 1)
        #expect(try store.enrolments.withdraw(ada, from: run.id, now: 3) == .failure(.notEnrolled))
        #expect(try runs.enrol(eve, in: run).bib == 3 && runs.refusal(ada, in: run) == .full)
        _ = try store.enrolments.withdraw(eve, from: run.id, now: 4)
        let back = try runs.enrol(ada, in: run)
        #expect(try back.bib == 1 && back.checkIn == nil && !back.isAsked(for: run) && store.run(run.id)?.enrolled == 2)
        #expect(try store.enrolments.withdraw(bob, from: run.id, now: run.plan.starts).get().bib == 2, "who drops out withdraws")
        #expect(try store.enrolments.withdraw(ada, from: run.id, now: run.plan.ends) == .failure(.finished))
        _ = try store.move(run.id, to: .cancelled, now: 5)
        #expect(try store.enrolments.withdraw(ada, from: run.id, now: 6) == .failure(.cancelled))
    }

    @Test("RUN-10: what a runner chose can be changed, and is theirs alone", arguments: Engine.allCases)
    func choices(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), ada = PersonID.random()
        #expect(try store.enrolments.setChoices(.init(publicName: "X"), of: ada, in: run.id) == nil)
        _ = try runs.enrol(ada, in: run, .init(publicName: "Ada", wave: 1, delay: 60_000, published: [.time]))
        let changed = try #require(try store.enrolments.setChoices(.init(publicName: "A", published: []), of: ada, in: run.id))
        #expect(try changed.choices.publicName == "A" && changed.bib == 1 && store.enrolments.enrolment(of: ada, in: run.id) == changed)
        let sealed = try store.pool.read { try $0.fetchAll(Data.self, sql: "SELECT envelope FROM enrolment") }
        #expect(sealed.allSatisfy { $0.range(of: Data("publicName".utf8)) == nil })
    }

    @Test(
        "RUN-18: lists come in the order of enrolment, by state and in parts; one's own the newest start first", arguments: Engine.allCases)
    func lists(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(),
            other = try runs.run(RunFixture.plan(starts: 20 * day), code: "B")
        let people = (0..<4).map { _ in PersonID.random() }
        let all = try people.map { try runs.enrol($0, in: run) }
        _ = try (runs.enrol(people[0], in: other), store.enrolments.withdraw(people[1], from: run.id, now: 2))
        #expect(try store.enrolments.enrolments(in: run.id).map(\.person) == people)
        #expect(
            try store.enrolments.enrolments(in: run.id, [.enrolled]).map(\.bib) == [1, 3, 4]
                && store.enrolments.enrolments(in: run.id, [.withdrawn]).map(\.bib) == [2])
        #expect(
            try store.enrolments.enrolments(in: run.id, after: all[1].row, count: 1).map(\.bib) == [3]
                && store.enrolments.enrolments(in: run.id, []).isEmpty)
        #expect(
            try store.enrolments.enrolments(of: people[0]).map(\.run.id) == [other.id, run.id]
                && store.enrolments.enrolments(of: people[0], count: 1).count == 1)
        #expect(try store.enrolments.setEntry(.didNotStart, bib: 3, in: run) && !store.enrolments.setEntry(.didNotStart, bib: 99, in: run))
        #expect(try store.enrolments.enrolments(in: run.id)[2].entry == .didNotStart)
    }

    @Test(
        "RUN-9: of a list that is read each second only changes are opened; a damaged row is counted and told", arguments: Engine.allCases)
    func seen(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), told = Told<DamagedRunRow>()
        store.tellDamaged { told.tell($0) }
        let people = (0..<3).map { _ in PersonID.random() }, all = try people.map { try runs.enrol($0, in: run) }
        var seen = EnrolmentsSeen()
        #expect(try store.enrolments.enrolments(in: run.id, &seen).map(\.person) == people && seen.damaged.isEmpty)
        _ = try store.enrolments.setChoices(.init(publicName: "New"), of: people[1], in: run.id)
        #expect(try store.enrolments.enrolments(in: run.id, &seen)[1].choices.publicName == "New")
        try runs.damage("enrolment", where: "bib = 3")
        for _ in 0..<2 { #expect(try store.enrolments.enrolments(in: run.id, &seen).map(\.bib) == [1, 2] && seen.damaged == [all[2].row]) }
        #expect(told.all.map(\.row) == [all[2].row] && told.all.map(\.kind) == [.enrolment])
        #expect(
            try store.enrolments.enrolments(in: run.id, count: 2).map(\.bib) == [1, 2]
                && store.enrolments.enrolment(of: people[2], in: run.id) == nil)
        #expect(try store.enrolments.dropUnreadable(of: run, now: 5) == 1 && store.enrolments.dropUnreadable(of: run, now: 6) == 0)
        #expect(try store.run(run.id)?.enrolled == 2)
        let news = try runs.tell(now: 9)
        #expect(news.map(\.kind) == [.runTakenOff] && news[0].people == [people[2]])
    }

    @Test("RUN-5: who is enrolled is asked for the run's times as they are, and anew when these move", arguments: Engine.allCases)
    func checkIn(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), people = (0..<3).map { _ in PersonID.random() }
        for person in people { _ = try runs.enrol(person, in: run) }
        let ask = try store.enrolments.toAsk(run, count: 2), consent = ConsentID.random()
        #expect(try ask.map(\.person) == Array(people.prefix(2)) && !store.enrolments.endAsking(run, again: 50))
        try store.enrolments.asked(ask[0], checkIn: consent, publicHeartRate: nil, for: run)
        for one in try store.enrolments.toAsk(run, count: 9) {
            try store.enrolments.asked(one, checkIn: nil, publicHeartRate: nil, for: run)
        }
        #expect(try store.enrolments.toAsk(run, count: 9).isEmpty && store.enrolments.endAsking(run, again: 50))
        #expect(
            try store.enrolments.enrolment(of: people[0], checkIn: consent)?.run.id == run.id
                && store.enrolments.enrolment(of: people[1], checkIn: consent) == nil)
        let moved = try #require(
            try store.change(
                run.id, revision: run.revision, to: RunFixture.plan(starts: 20 * day), course: nil, area: run.area, search: "", told: [:],
                now: 5))
        #expect(try store.enrolments.enrolment(of: people[0], checkIn: consent) == nil, "void for other times")
        #expect(
            try store.enrolments.toAsk(moved, count: 9).map(\.person) == [people[1], people[2]]
                && store.enrolments.toEnd(moved, count: 9).map(\.person) == [people[0]])
        try store.enrolments.consentsEnded(store.enrolments.toEnd(moved, count: 9), of: moved)
        #expect(try store.enrolments.toEnd(moved, count: 9).isEmpty && store.enrolments.toAsk(moved, count: 9).count == 3)
    }

    @Test("RUN-5: consents of a run that is over end once, and still say what may be read of it", arguments: Engine.allCases)
    func consentsEnd(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), ada = PersonID.random(), consent = ConsentID.random()
        try store.enrolments.asked(runs.enrol(ada, in: run), checkIn: consent, publicHeartRate: .random(), for: run)
        #expect(try store.enrolments.toEnd(run, count: 9).isEmpty)
        let over = try #require(try store.move(run.id, to: .finished, now: run.plan.ends))
        let ending = try store.enrolments.toEnd(over, count: 9)
        try store.enrolments.consentsEnded(ending, of: over)
        #expect(try ending.map(\.person) == [ada] && store.enrolments.toEnd(over, count: 9).isEmpty)
        #expect(try store.enrolments.enrolment(of: ada, in: run.id)?.checkIn == consent)
    }

    @Test(
        "RUN-5: the list is decided with one commit; who was taken off is told, and comes back with the first position",
        arguments: Engine.allCases)
    func decisions(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), people = (0..<4).map { _ in PersonID.random() }
        let all = try people.map { try runs.enrol($0, in: run) }
        _ = try store.enrolments.withdraw(people[3], from: run.id, now: 2)
        let states: [EnrolmentState] = [.checkedIn, .notCheckedIn, .noPosition, .checkedIn]
        try store.enrolments.decide(zip(all, states).map { ($0, $1) }, in: run, now: 3)
        #expect(try store.enrolments.enrolments(in: run.id).map(\.state) == [.checkedIn, .notCheckedIn, .noPosition, .withdrawn])
        #expect(try store.run(run.id)?.enrolled == 1)
        let told = try runs.tell(now: 4)
        #expect(told.map(\.kind) == [.runTakenOff, .runTakenOff] && Set(told.flatMap(\.people)) == [people[1], people[2]])
        try store.enrolments.decide(
            [(try #require(try store.enrolments.enrolment(of: people[2], in: run.id)), .checkedIn)], in: run, now: 5)
        #expect(try runs.tell(now: 6).map(\.kind) == [.runBack] && store.run(run.id)?.enrolled == 2)
    }
}

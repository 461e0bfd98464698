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

    @Test("RUN-4: who withdraws gives the place back, and has the same number when they come again", arguments: Engine.allCases)
    func withdrawal(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(RunFixture.plan(most: 2))
        let ada = PersonID.random(), bob = PersonID.random(), eve = PersonID.random()
        #expect(try store.withdraw(ada, from: run.id, now: 1) == .failure(.notEnrolled))
        let first = try runs.enrol(ada, in: run)
        _ = try runs.enrol(bob, in: run)
        try store.asked(first, checkIn: .random(), publicHeartRate: nil, for: run)
        #expect(try store.withdraw(ada, from: run.id, now: 2).get().bib == 1 && store.run(run.id)?.enrolled == 1)
        #expect(try store.withdraw(ada, from: run.id, now: 3) == .failure(.notEnrolled))
        #expect(try runs.enrol(eve, in: run).bib == 3 && runs.refusal(ada, in: run) == .full)
        _ = try store.withdraw(eve, from: run.id, now: 4)
        let back = try runs.enrol(ada, in: run)
        #expect(try back.bib == 1 && back.checkIn == nil && !back.isAsked(for: run) && store.run(run.id)?.enrolled == 2)
        #expect(try store.withdraw(bob, from: run.id, now: run.plan.starts).get().bib == 2, "who drops out withdraws")
        #expect(try store.withdraw(ada, from: run.id, now: run.plan.ends) == .failure(.finished))
        _ = try store.move(run.id, to: .cancelled, now: 5)
        #expect(try store.withdraw(ada, from: run.id, now: 6) == .failure(.cancelled))
    }

    @Test("RUN-10: what a runner chose can be changed, and is theirs alone", arguments: Engine.allCases)
    func choices(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), ada = PersonID.random()
        #expect(try store.setChoices(.init(publicName: "X"), of: ada, in: run.id) == nil)
        _ = try runs.enrol(ada, in: run, .init(publicName: "Ada", wave: 1, delay: 60_000, published: [.time]))
        let changed = try #require(try store.setChoices(.init(publicName: "A", published: []), of: ada, in: run.id))
        #expect(try changed.choices.publicName == "A" && changed.bib == 1 && store.enrolment(of: ada, in: run.id) == changed)
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
        _ = try (runs.enrol(people[0], in: other), store.withdraw(people[1], from: run.id, now: 2))
        #expect(try store.enrolments(in: run.id).map(\.person) == people)
        #expect(
            try store.enrolments(in: run.id, [.enrolled]).map(\.bib) == [1, 3, 4]
                && store.enrolments(in: run.id, [.withdrawn]).map(\.bib) == [2])
        #expect(try store.enrolments(in: run.id, after: all[1].row, count: 1).map(\.bib) == [3] && store.enrolments(in: run.id, []).isEmpty)
        #expect(
            try store.enrolments(of: people[0]).map(\.run.id) == [other.id, run.id] && store.enrolments(of: people[0], count: 1).count == 1)
        #expect(try store.setEntry(.didNotStart, bib: 3, in: run) && !store.setEntry(.didNotStart, bib: 99, in: run))
        #expect(try store.enrolments(in: run.id)[2].entry == .didNotStart)
    }

    @Test(
        "RUN-9: of a list that is read each second only changes are opened; a damaged row is counted and told", arguments: Engine.allCases)
    func seen(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), told = Told<DamagedRunRow>()
        store.tellDamaged { told.tell($0) }
        let people = (0..<3).map { _ in PersonID.random() }, all = try people.map { try runs.enrol($0, in: run) }
        var seen = EnrolmentsSeen()
        #expect(try store.enrolments(in: run.id, &seen).map(\.person) == people && seen.damaged.isEmpty)
        _ = try store.setChoices(.init(publicName: "New"), of: people[1], in: run.id)
        #expect(try store.enrolments(in: run.id, &seen)[1].choices.publicName == "New")
        try runs.damage("enrolment", where: "bib = 3")
        for _ in 0..<2 { #expect(try store.enrolments(in: run.id, &seen).map(\.bib) == [1, 2] && seen.damaged == [all[2].row]) }
        #expect(told.all.map(\.row) == [all[2].row] && told.all.map(\.kind) == [.enrolment])
        #expect(try store.enrolments(in: run.id, count: 2).map(\.bib) == [1, 2] && store.enrolment(of: people[2], in: run.id) == nil)
        #expect(try store.dropUnreadable(of: run, now: 5) == 1 && store.dropUnreadable(of: run, now: 6) == 0)
        #expect(try store.run(run.id)?.enrolled == 2)
        let news = try runs.tell(now: 9)
        #expect(news.map(\.kind) == [.runTakenOff] && news[0].people == [people[2]])
    }

    @Test("RUN-5: who is enrolled is asked for the run's times as they are, and anew when these move", arguments: Engine.allCases)
    func checkIn(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), people = (0..<3).map { _ in PersonID.random() }
        for person in people { _ = try runs.enrol(person, in: run) }
        let ask = try store.toAsk(run, count: 2), consent = ConsentID.random()
        #expect(try ask.map(\.person) == Array(people.prefix(2)) && !store.endAsking(run, again: 50))
        try store.asked(ask[0], checkIn: consent, publicHeartRate: nil, for: run)
        for one in try store.toAsk(run, count: 9) { try store.asked(one, checkIn: nil, publicHeartRate: nil, for: run) }
        #expect(try store.toAsk(run, count: 9).isEmpty && store.endAsking(run, again: 50))
        #expect(
            try store.enrolment(of: people[0], checkIn: consent)?.run.id == run.id
                && store.enrolment(of: people[1], checkIn: consent) == nil)
        let moved = try #require(
            try store.change(
                run.id, revision: run.revision, to: RunFixture.plan(starts: 20 * day), course: nil, area: run.area, search: "", told: [:],
                now: 5))
        #expect(try store.enrolment(of: people[0], checkIn: consent) == nil, "void for other times")
        #expect(
            try store.toAsk(moved, count: 9).map(\.person) == [people[1], people[2]]
                && store.toEnd(moved, count: 9).map(\.person) == [people[0]])
        try store.consentsEnded(store.toEnd(moved, count: 9), of: moved)
        #expect(try store.toEnd(moved, count: 9).isEmpty && store.toAsk(moved, count: 9).count == 3)
    }

    @Test("RUN-5: consents of a run that is over end once, and still say what may be read of it", arguments: Engine.allCases)
    func consentsEnd(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), ada = PersonID.random(), consent = ConsentID.random()
        try store.asked(runs.enrol(ada, in: run), checkIn: consent, publicHeartRate: .random(), for: run)
        #expect(try store.toEnd(run, count: 9).isEmpty)
        let over = try #require(try store.move(run.id, to: .finished, now: run.plan.ends))
        let ending = try store.toEnd(over, count: 9)
        try store.consentsEnded(ending, of: over)
        #expect(try ending.map(\.person) == [ada] && store.toEnd(over, count: 9).isEmpty)
        #expect(try store.enrolment(of: ada, in: run.id)?.checkIn == consent)
    }

    @Test(
        "RUN-5: the list is decided with one commit; who was taken off is told, and comes back with the first position",
        arguments: Engine.allCases)
    func decisions(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), people = (0..<4).map { _ in PersonID.random() }
        let all = try people.map { try runs.enrol($0, in: run) }
        _ = try store.withdraw(people[3], from: run.id, now: 2)
        let states: [EnrolmentState] = [.checkedIn, .notCheckedIn, .noPosition, .checkedIn]
        try store.decide(zip(all, states).map { ($0, $1) }, in: run, now: 3)
        #expect(try store.enrolments(in: run.id).map(\.state) == [.checkedIn, .notCheckedIn, .noPosition, .withdrawn])
        #expect(try store.run(run.id)?.enrolled == 1)
        let told = try runs.tell(now: 4)
        #expect(told.map(\.kind) == [.runTakenOff, .runTakenOff] && Set(told.flatMap(\.people)) == [people[1], people[2]])
        try store.decide([(try #require(try store.enrolment(of: people[2], in: run.id)), .checkedIn)], in: run, now: 5)
        #expect(try runs.tell(now: 6).map(\.kind) == [.runBack] && store.run(run.id)?.enrolled == 2)
    }

    @Test("RUN-11: an invitation lets so many in until it expires or is revoked; who was let in stays so", arguments: Engine.allCases)
    func invitations(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(RunFixture.plan(isPublic: false))
        func invite(_ hash: UInt8, uses: Int, daily: Int = 9, now: Milliseconds = 0) throws -> Bool {
            try store.addInvitation(
                .init(email: "a\(hash)@example.org"), hash: [hash], uses: uses, expires: 100, to: run, daily: daily, now: now)
        }
        let people = (0..<3).map { _ in PersonID.random() }
        #expect(try invite(1, uses: 2) && invite(2, uses: 1) && !invite(3, uses: 1, daily: 2))
        #expect(
            try store.run(invitedBy: [1], now: 99)?.id == run.id && store.run(invitedBy: [1], now: 100) == nil
                && store.run(invitedBy: [9], now: 0) == nil)
        #expect(try store.redeem([1], for: people[0], now: 1)?.id == run.id && store.redeem([1], for: people[0], now: 1)?.id == run.id)
        #expect(
            try store.invitations(to: run, now: 1).map(\.left) == [1, 1] && store.isInvited(people[0], to: run)
                && !store.isInvited(people[1], to: run))
        #expect(
            try store.redeem([1], for: people[1], now: 1) != nil && store.redeem([1], for: people[2], now: 1) == nil
                && store.run(invitedBy: [1], now: 1) == nil)
        #expect(try store.redeem([2], for: people[2], now: 100) == nil)
        try store.revokeInvitation(2, to: run)
        #expect(try store.redeem([2], for: people[2], now: 1) == nil && store.invitations(to: run, now: 1).isEmpty)
        #expect(try runs.refusal(people[0], in: run) == nil && runs.refusal(people[2], in: run) == .notInvited)
        #expect(try invite(4, uses: 1, daily: 2, now: day + 1))
    }

    @Test("RUN-11: a damaged invitation is told, and hides no other from its organiser", arguments: Engine.allCases)
    func damagedInvitation(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run()
        for hash in [1, 2] as [UInt8] {
            _ = try store.addInvitation(.init(email: nil), hash: [hash], uses: 5, expires: 100, to: run, daily: 9, now: 0)
        }
        try runs.damage("invitation", where: "number = 1")
        #expect(try store.invitations(to: run, now: 1).map(\.number) == [2] && runs.fixture.unreadable == [.runInvitation])
        #expect(try store.redeem([1], for: .random(), now: 1)?.id == run.id, "who has the link is let in all the same")
    }

    @Test("RUN-6: timers of a run come in order, again behind their lease; of late ones the operator hears", arguments: Engine.allCases)
    func timers(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), start = run.plan.starts
        #expect(try store.dueTimers(9, lease: 100, now: run.checkInOpens - 1).isEmpty)
        #expect(try store.dueTimers(9, lease: 100, now: run.checkInOpens).map(\.kind) == [.checkIn])
        #expect(
            try store.dueTimers(9, lease: 100, now: start).map(\.kind) == [.checkIn, .start]
                && store.dueTimers(9, lease: 100, now: start).isEmpty)
        try store.releaseTimers()
        #expect(try store.dueTimers(1, lease: 100, now: start).map(\.kind) == [.checkIn])
        try store.setTimer(.checkIn, of: run, due: nil)
        try store.setTimer(.bringBack, of: run, due: start + 1)
        #expect(try store.dueTimers(9, lease: 1, now: start + hour).map(\.kind) == [.start, .bringBack, .finish])
        #expect(try store.lateTimers(by: hour, now: start + hour) == 1 && store.lateTimers(by: 0, now: start + hour) == 3)
    }
}

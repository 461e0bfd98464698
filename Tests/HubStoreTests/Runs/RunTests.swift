import Accounts
import Database
import Foundation
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct RunTests {
    @Test("RUN-1: a draft is its organiser's alone, until it is published", arguments: Engine.allCases)
    func drafts(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, draft = try runs.draft()
        #expect(draft.state == .draft && draft.revision == 1 && draft.schedule == 1 && draft.enrolled == 0)
        #expect(try store.runs(of: runs.organiser).map(\.id) == [draft.id] && store.upcoming(from: 0).isEmpty)
        #expect(try store.search(["made"], now: 0).isEmpty && store.runs(in: draft.area, from: 0).isEmpty)
        #expect(try runs.refusal(.random(), in: draft) == .unknown)
        #expect(try store.move(draft.id, to: .live, now: 1) == nil && store.publish(draft.id, now: draft.plan.starts) == nil)
        let run = try #require(try store.publish(draft.id, now: 1))
        #expect(try run.state == .scheduled && run.revision == 2 && store.publish(draft.id, now: 1) == nil)
        #expect(try store.upcoming(from: 0).map(\.id) == [run.id] && store.run(code: "ABCDEF")?.id == run.id)
        #expect(try store.course(of: run.id) == RunFixture.course() && store.code(of: run.id) == "ABCDEF")
        #expect(try store.run(.random()) == nil && store.course(of: .random()) == nil && store.code(of: .random()) == nil)
    }

    @Test("RUN-1: an organiser has fifty runs that are not over; a code is given once", arguments: Engine.allCases)
    func limits(engine: Engine) throws {
        let runs = try RunFixture(engine), plan = RunFixture.plan(), course = RunFixture.course(),
            area = try #require(RunArea(course.points))
        for number in 0..<RunsStore.openRunsMax { _ = try runs.draft(code: "C\(number)") }
        func add(_ code: String, by organiser: AccountID, now: Milliseconds) throws -> RunsStore.Added {
            try runs.store.add(plan, course: course, area: area, search: "", code: code, by: organiser, now: now)
        }
        #expect(try add("NEW", by: runs.organiser, now: 0) == .tooMany && add("C0", by: AccountID(high: 2, low: 2), now: 0) == .codeTaken)
        guard case .added = try add("NEW", by: runs.organiser, now: plan.ends) else {
            Issue.record("what is over does not count")
            return
        }
        #expect(try runs.store.runs(of: runs.organiser, count: 3).count == 3)
        #expect(try runs.store.runs(of: runs.organiser, before: plan.starts).isEmpty)
    }

    @Test("RUN-17: a change of a run that has not begun is told to who is enrolled, and moves its timers", arguments: Engine.allCases)
    func changes(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), ada = PersonID.random()
        _ = try runs.enrol(ada, in: run)
        let later = RunFixture.plan("Renamed", starts: 20 * day), area = run.area
        func change(_ revision: Int, now: Milliseconds, told: [String: String] = ["what": "time"]) throws -> StoredRun? {
            try store.change(
                run.id, revision: revision, to: later, course: RunFixture.course(5), area: area, search: "renamed", told: told, now: now)
        }
        #expect(try change(1, now: 5) == nil, "somebody else changed it meanwhile")
        #expect(try change(2, now: run.plan.starts) == nil, "it has begun")
        let changed = try #require(try change(2, now: 5))
        #expect(changed.plan == later && changed.revision == 3 && changed.schedule == 2)
        #expect(try store.course(of: run.id) == RunFixture.course(5) && store.search(["renamed"], now: 5).map(\.id) == [run.id])
        #expect(try store.search(["made"], now: 5).isEmpty)
        let told = try runs.tell(now: 6)
        #expect(told.map(\.kind) == [.runChanged] && told[0].people == [ada] && told[0].organiser)
        let timers = try store.timers.dueTimers(9, lease: 1, now: 30 * day)
        #expect(timers.map(\.kind) == [.endConsents, .checkIn, .start, .finish] && timers[2].due == 20 * day)
        let same = try #require(try store.change(run.id, revision: 3, to: later, course: nil, area: area, search: "", told: [:], now: 7))
        #expect(try same.schedule == 2 && runs.tell(now: 8).isEmpty && store.course(of: run.id) == RunFixture.course(5))
    }

    @Test(
        "RUN-6: a run's state follows the clock, however late its timer comes; who is concerned is told of each step",
        arguments: Engine.allCases)
    func states(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, run = try runs.run(), ada = PersonID.random(), start = run.plan.starts
        _ = try runs.enrol(ada, in: run)
        #expect(run.state(at: start - 1) == .scheduled && run.state(at: start) == .live && run.state(at: run.plan.ends) == .finished)
        #expect(run.checkInOpens == start - StoredRun.checkInLead && !run.isFull)
        #expect(try store.move(run.id, to: .live, now: start)?.began == start)
        #expect(try store.current(now: start, late: 0).map(\.id) == [run.id] && !store.isCalledOff(run.id))
        let ended = try #require(try store.move(run.id, to: .finished, now: start + 5))
        #expect(ended.state.isOver && ended.ended == start + 5 && ended.began == start)
        #expect(try store.current(now: start + 6, late: 0).isEmpty && store.current(now: start + 6, late: 100).map(\.id) == [run.id])
        #expect(try runs.tell(now: start + 9).map(\.kind) == [.runStarted, .runFinished])
        #expect(try store.timers.dueTimers(9, lease: 1, now: .max / 2).map(\.kind) == [.endConsents])
        // Never started: it began when it was to.
        let other = try runs.run(code: "GHJKMN")
        #expect(try store.move(other.id, to: .finished, now: other.plan.ends)?.began == other.plan.starts)
        let off = try runs.run(code: "PQRSTU")
        #expect(try store.move(off.id, to: .cancelled, ["reason": "storm"], now: 5)?.began == nil && store.isCalledOff(off.id))
        // Nobody heard of a draft that is dropped.
        _ = try runs.tell(now: start + 9)
        #expect(
            try store.move(runs.draft(code: "VWXYZA").id, to: .cancelled, now: 5)?.state == .cancelled && runs.tell(now: start + 9).isEmpty)
    }

    @Test("RUN-3: strangers find public runs by words, by place and by time, the next one first", arguments: Engine.allCases)
    func finding(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store
        let far = try runs.run(RunFixture.plan("River 10% run", starts: 20 * day), code: "A", at: 100_000_000)
        let near = try runs.run(RunFixture.plan("River walk", starts: 12 * day), code: "B")
        let old = try runs.run(RunFixture.plan("River old", starts: day), code: "C")
        let closed = try runs.run(RunFixture.plan("River secret", isPublic: false), code: "D")
        let now = 5 * day
        #expect(try store.upcoming(from: now).map(\.id) == [near.id, far.id] && store.upcoming(from: now, count: 1).map(\.id) == [near.id])
        #expect(try store.search(["river"], now: now).map(\.id) == [near.id, far.id, old.id])
        #expect(try store.search(["river", "walk"], now: now).map(\.id) == [near.id] && store.search([], now: now).isEmpty)
        #expect(
            try store.search(["10%"], now: now).map(\.id) == [far.id] && store.search(["r_ver"], now: now).isEmpty
                && store.search(["%"], now: now).map(\.id) == [far.id])
        #expect(
            try store.runs(in: near.area, from: now).map(\.id) == [near.id] && store.runs(in: far.area, from: now).map(\.id) == [far.id])
        let world = RunArea(south: -900_000_000, west: -1_800_000_000, north: 900_000_000, east: 1_800_000_000)
        #expect(try store.runs(in: world, from: now, count: 1).map(\.id) == [near.id])
        #expect(try store.run(closed.id)?.plan.isPublic == false && store.readable(closed.id)?.id == closed.id)
        let wide = RunArea(south: 0, west: 0, north: 5, east: 5), narrow = try #require(RunArea([CoursePoint(latitude: 6, longitude: 6)]))
        #expect(
            try store.runs(in: wide, from: now).map(\.id) == [near.id] && store.runs(in: narrow, from: now).isEmpty && RunArea([]) == nil)
    }

    @Test("RUN-2: runs of the same place and time are warned of, public or not, but not the run itself", arguments: Engine.allCases)
    func conflicts(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, start = 10 * day
        let one = try runs.run(code: "A"), hidden = try runs.run(RunFixture.plan(isPublic: false), code: "B")
        _ = try (runs.draft(code: "C"), runs.run(code: "D", at: 100_000_000))
        #expect(try store.conflicts(with: one.area, from: start, to: start + hour, but: nil).map(\.id) == [one.id, hidden.id])
        #expect(try store.conflicts(with: one.area, from: start, to: start + hour, but: one.id).map(\.id) == [hidden.id])
        #expect(try store.conflicts(with: one.area, from: start + hour, to: start + 2 * hour, but: nil).isEmpty)
        #expect(try store.conflicts(with: one.area, from: start - hour, to: start, but: nil).isEmpty)
        _ = try store.move(hidden.id, to: .cancelled, now: 1)
        #expect(try store.conflicts(with: one.area, from: start, to: start + hour, but: one.id).isEmpty)
    }

    @Test("RUN-1: the permission document is the last one, and goes with its organiser's account", arguments: Engine.allCases)
    func documents(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = try runs.fixture.account("Ada", [.organiser])
        let run = try runs.run(by: ada.id)
        #expect(try store.document(of: run) == nil)
        for name in ["one.pdf", "two.pdf"] { try store.setDocument(.init(name: name, type: "application/pdf", bytes: [1, 2]), of: run) }
        #expect(try store.document(of: run) == .init(name: "two.pdf", type: "application/pdf", bytes: [1, 2]))
        try store.setDocument(nil, of: run)
        #expect(try store.document(of: run) == nil)
        try store.setDocument(.init(name: "three.pdf", type: "application/pdf", bytes: [3]), of: run)
        try runs.fixture.accounts.deletePerson(ada.id.person, now: 5)
        #expect(try store.deletedWithRows() == [ada.id.person])
        try store.erase(ada.id.person, now: 5)
        let left = try #require(try store.run(run.id))
        #expect(try left.organiser == nil && left.state == .cancelled && store.document(of: run) == nil && store.deletedWithRows().isEmpty)
    }

    @Test("RUN-3: a damaged run is told, is on no list, and hides no other", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, told = Told<DamagedRunRow>()
        store.tellDamaged { told.tell($0) }
        let bad = try runs.run(code: "A"), good = try runs.run(code: "B")
        try runs.damage("run", where: "code = 'A'")
        #expect(try store.upcoming(from: 0).map(\.id) == [good.id] && store.runs(of: runs.organiser).map(\.id) == [good.id])
        #expect(try store.search(["made"], now: 0).map(\.id) == [good.id] && store.runs(in: bad.area, from: 0).map(\.id) == [good.id])
        #expect(try store.conflicts(with: bad.area, from: 0, to: 20 * day, but: nil).map(\.id) == [good.id])
        #expect(
            try store.current(now: 10 * day, late: 0).map(\.id) == [good.id] && store.readable(bad.id) == nil
                && store.code(of: bad.id) == "A")
        #expect(told.all.map(\.kind) == [.run] && told.all[0].run == bad.id)
        #expect(throws: HubStoreError.self) { try store.run(bad.id) }
    }
}

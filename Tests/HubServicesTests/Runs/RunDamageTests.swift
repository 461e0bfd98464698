import Database
import Foundation
import HubStore
import Logging
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Rows of runs that do not open any more: everybody else goes on, and the operator is told once, by numbers alone.
@Suite(.timeLimit(.minutes(2))) struct RunDamageTests {
    /// 3 km from the square of ``RunTown/course(latitude:longitude:)``.
    private static let near = CoursePoint(latitude: 454_300_000, longitude: 90_000_000)

    private let log: KeptLog
    private let town: RunTown

    init() throws {
        log = KeptLog()
        town = try RunTown(logger: log.logger)
    }

    private func change(_ sql: String) throws {
        let path = town.hub.directory.url.appendingPathComponent("runs.sqlite").path
        try DatabasePool(path: path).write { try $0.execute(sql: sql) }
    }

    private func damage(_ table: String, _ condition: String) throws {
        try change("UPDATE \(table) SET envelope = zeroblob(60) WHERE \(condition)")
    }

    private func told(_ what: String) -> [String] { log.lines.filter { $0.contains(what) } }

    @Test("RUN-3, RUN-7: a run that does not open holds up no other: lists leave it out, the others go on, nobody is told that it is over")
    func run() async throws {
        let bad = try town.published(town.plan("Bad")), good = try town.published(town.plan("Good"))
        let later = try town.published(town.plan("Later", in: 3 * day)), ada = town.ada
        for run in [bad, later] { try await town.enrol(ada, in: run) }
        try await town.advance(to: bad.plan.starts)
        let live = town.liveRuns(), reader = try live.watch(bad, from: "192.0.2.1")
        live.tick()
        #expect(live.live(bad.id) != nil && live.live(good.id) != nil)
        try damage("run", "code = '\(bad.code)'")
        for _ in 0..<2 {
            town.clock.advance(1000)
            live.tick()
            #expect(live.live(bad.id) == nil && live.live(good.id) != nil)
        }
        let last = await reader.next()
        #expect(last == nil, "the stream is cut, so that the page tries again, and does not say that the run is over")

        let store = town.store, others = Set([good.id, later.id])
        #expect(try Set(store.upcoming(from: town.now).map(\.id)) == others)
        #expect(try Set(store.search(["bergamo"], now: town.now).map(\.id)) == others)
        #expect(try Set(store.runs(in: bad.area, from: town.now).map(\.id)) == others)
        #expect(try Set(store.runs(of: town.organiser.id).map(\.id)) == others)
        let near = try store.conflicts(with: bad.area, from: bad.plan.starts, to: later.plan.ends, but: nil)
        #expect(Set(near.map(\.id)) == others)
        #expect(try town.enrolments.runs(of: ada.id.person, for: ada).map(\.run.id) == [later.id])
        #expect(try RunsExport(ada.id, store).enrolments.map(\.code) == [later.code])
        #expect(throws: HubStoreError.self) { try store.run(bad.id) }
        #expect(told("a run is") == ["error a run is damaged and on no list; restore it from the backup run=\(bad.id)"])

        try await town.advance(to: good.plan.ends)
        #expect(try town.state(good) == .finished)
        try town.deletion.deletePerson(town.organiser.id.person, by: town.organiser.id, now: town.now)
        try town.deletion.work(now: town.now)
        #expect(try store.deletedWithRows().isEmpty && town.state(later) == .cancelled)
    }

    @Test("RUN-7: of a run without a course the operator is told; the others go on")
    func course() async throws {
        let bad = try town.published(town.plan("Bad")), good = try town.published(town.plan("Good"))
        try await town.advance(to: bad.plan.starts)
        try change("DELETE FROM course WHERE run = (SELECT id FROM run WHERE code = '\(bad.code)')")
        let live = town.liveRuns()
        live.tick()
        #expect(live.live(bad.id) == nil && live.live(good.id) != nil)
        #expect(told("its course is gone").count == 1 && told("run=\(bad.code)").count == 1)
    }

    @Test("RUN-6: what is to be told and does not open, or is of such a run, keeps nobody else from being told; restored, it is told too")
    func telling() async throws {
        let bad = try town.published(town.plan("Bad")), good = try town.published(town.plan("Good", in: 3 * day)), ada = town.ada
        for run in [bad, good] { try await town.enrol(ada, in: run) }
        try await town.settle()
        func messages() throws -> [String] { try town.hub.accounts.notices.notices(of: ada).compactMap { $0.arguments["text"] } }
        try town.organising.message("Of the bad one", to: bad.id, by: town.organiser)
        try town.organising.message("Damaged", to: good.id, by: town.organiser)
        try town.organising.message("Sound", to: good.id, by: town.organiser)
        try change("CREATE TABLE kept AS SELECT id, envelope FROM run")
        try damage("run", "code = '\(bad.code)'")
        try damage("telling", "id = (SELECT max(id) - 1 FROM telling)")
        try await town.settle()
        #expect(try messages() == ["Sound"])
        try town.organising.message("Later", to: good.id, by: town.organiser)
        town.clock.advance(RunTimerService.lease)
        try await town.settle()
        #expect(try messages() == ["Later", "Sound"])
        #expect(told("error a run is").count == 1)
        let lines = told("to be told of a run is damaged")
        #expect(lines.count == 1 && lines.first?.contains("run=\(good.id) telling=") == true)

        try change("UPDATE run SET envelope = (SELECT envelope FROM kept WHERE kept.id = run.id)")
        town.clock.advance(RunTimerService.lease)
        try await town.settle()
        #expect(try messages() == ["Of the bad one", "Later", "Sound"])
    }

    @Test("RUN-12: a wish that does not open, and a run that does not, keep nobody from being told of the runs near them")
    func nearby() async throws {
        let bob = try town.runner("Bob"), ada = town.ada
        for account in [ada, bob] {
            try town.finder.askNearby(NearbyWish(place: Self.near, radius: 10_000), of: account.id.person, by: account)
        }
        try damage("nearby", "id = (SELECT min(id) FROM nearby)")
        let bad = try town.published(town.plan("Bad"))
        town.clock.advance(1)
        let good = try town.published(town.plan("Good"))
        try damage("run", "code = '\(bad.code)'")
        for _ in 0..<2 {
            try await town.settle()
            #expect(try town.told(bob) == [.runNearby] && town.told(ada).isEmpty)
            town.clock.advance(RunTimerService.lease)
        }
        #expect(try town.notice(.runNearby, to: bob)?["code"] == good.code)
        #expect(told("a wish to be told").count == 1 && told("a run is").count == 1)
        // Whoever asks again is told again.
        #expect(try town.finder.nearbyWish(of: ada.id.person, for: ada) == nil)
        try town.finder.askNearby(NearbyWish(place: Self.near, radius: 10_000), of: ada.id.person, by: ada)
        _ = try town.published(town.plan("Next"))
        try await town.settle()
        #expect(try town.told(ada) == [.runNearby])
    }

    @Test("RUN-5: an enrolment that does not open keeps nobody behind it from being asked to check in, and the hub from nothing")
    func asking() async throws {
        let run = try town.published(), bob = try town.runner("Bob"), ada = town.ada
        for runner in [bob, ada] { try await town.enrol(runner, in: run) }
        try damage("enrolment", "bib = 1")
        town.clock.advance(run.checkInOpens - town.now)
        for _ in 0..<20 { try await town.runs.timers.fire() }
        #expect(try town.store.enrolments.enrolment(of: ada.id.person, in: run.id)?.checkIn != nil)
        #expect(try await town.runs.timers.fire() == 0, "nothing is left to do at once")
        #expect(try town.store.enrolments.toAsk(run, count: 1).isEmpty)
        let eve = try town.runner("Eve")
        try await town.enrol(eve, in: run)
        #expect(try town.store.enrolments.toAsk(run, count: 1).map(\.person) == [eve.id.person])
    }
}

import Accounts
import Database
import Foundation
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// Notice of public runs near one's place (RUN-12).
@Suite struct RunNearbyTests {
    /// 3 km from the square of ``RunTown/course(latitude:longitude:)``.
    static let near = CoursePoint(latitude: 454_300_000, longitude: 90_000_000)
    /// 100 km away.
    static let far = CoursePoint(latitude: 463_000_000, longitude: 90_000_000)

    private func ask(_ account: StoredAccount, _ town: RunTown, at place: CoursePoint = near, within radius: Int = 10_000) throws {
        try town.finder.askNearby(NearbyWish(place: place, radius: radius), of: account.id.person, by: account)
    }

    private func count(_ account: StoredAccount, _ town: RunTown) throws -> Int { try town.told(account).count { $0 == .runNearby } }

    @Test("RUN-12: who asked is told once of a public run near their place; nobody else is, and it is off until asked for")
    func near() async throws {
        let town = try RunTown(), bob = try town.runner("Bob"), eve = try town.runner("Eve")
        try ask(town.ada, town)
        try ask(bob, town, at: Self.far)
        let run = try town.published()
        try await town.settle()
        #expect(try (count(town.ada, town), count(bob, town), count(eve, town)) == (1, 0, 0))
        let notice = try #require(try town.notice(.runNearby, to: town.ada))
        #expect(notice["code"] == run.code && notice["run"] == run.plan.name && notice["place"] == "Bergamo")
        // Changed within reach: told already.
        var plan = run.plan
        plan.starts += hour
        plan.ends += hour
        let moved = try town.organising.edit(run.id, revision: run.revision, plan, by: town.organiser)
        try await town.settle()
        #expect(try count(town.ada, town) == 1)
        // Moved into Bob's reach, and out of Ada's.
        _ = try town.organising.edit(
            run.id, revision: moved.revision, plan, course: RunTown.course(latitude: 463_000_000), by: town.organiser)
        try await town.settle()
        #expect(try (count(town.ada, town), count(bob, town), count(eve, town)) == (1, 1, 0))
    }

    @Test("RUN-12: nobody is told of a run by invitation, of a draft, of one that was called off, or after one tap to end it")
    func silence() async throws {
        let town = try RunTown(), bob = try town.runner("Bob")
        try ask(town.ada, town)
        try ask(bob, town)
        try town.finder.endNearby(of: bob.id.person, by: bob)
        #expect(try town.finder.nearbyWish(of: bob.id.person, for: bob) == nil)
        let hidden = try town.published(town.plan("Hidden", isPublic: false)), draft = try town.draft(town.plan("Draft"))
        let gone = try town.published(town.plan("Gone", in: 3 * day))
        _ = try town.organising.cancel(gone.id, reason: "", by: town.organiser)
        try await town.settle()
        #expect(try (count(town.ada, town), count(bob, town)) == (0, 0))
        // From its change to a public one on it is everybody's.
        var plan = hidden.plan
        plan.isPublic = true
        _ = try town.organising.edit(hidden.id, revision: hidden.revision, plan, by: town.organiser)
        try await town.settle()
        #expect(try (count(town.ada, town), count(bob, town)) == (1, 0))
        _ = try town.organising.publish(draft.id, by: town.organiser)
        try await town.settle()
        #expect(try (count(town.ada, town), count(bob, town)) == (2, 0))
    }

    @Test("RUN-12: publishing waits for nobody; people are told in parts, and after a stop and a start none twice and none not at all")
    func parts() async throws {
        let town = try RunTown()
        var people: [StoredAccount] = []
        for index in 0..<120 { people.append(try town.runner("Runner \(index)".replacing(" ", with: ""))) }
        for person in people { try ask(person, town) }
        _ = try town.published()
        #expect(try town.told(people[0]).isEmpty)
        // The first part is told, and the hub stops before it wrote that down.
        let part = try #require(
            try town.store.nearby.dueAnnouncing(
                look: RunFinder.nearbyLook, count: RunTimerService.tellBatch, lease: RunTimerService.lease, now: town.now))
        #expect(part.people.count == RunTimerService.tellBatch)
        try town.hub.accounts.runConsents.tellNearby([:], code: part.run.code, people: part.people, now: town.now)
        let again = try town.restarted()
        #expect(try await again.runs.timers.fire() == 0)
        again.clock.advance(RunTimerService.lease)
        #expect(try again.finder.announceNext())
        #expect(try again.finder.announceNext())
        #expect(try again.finder.announceNext())
        #expect(try !again.finder.announceNext())
        for person in people { #expect(try count(person, again) == 1) }
    }

    @Test("RUN-12: those who asked elsewhere are passed over in parts of a bounded length; nobody behind them is forgotten")
    func many() throws {
        let town = try RunTown()
        for _ in 0..<1000 {
            try town.store.nearby.setNearby(NearbyWish(place: Self.far, radius: 10_000), of: .random(), now: town.now)
        }
        try ask(town.ada, town)
        _ = try town.published()
        var parts = 0
        while try town.finder.announceNext() { parts += 1 }
        #expect(try parts == 1001 / RunFinder.nearbyLook + 1 && count(town.ada, town) == 1)
    }

    @Test("RUN-12, DATA-9: the place is sealed, is in the download of one's data, and goes with the account")
    func personal() async throws {
        let town = try RunTown()
        try ask(town.ada, town)
        _ = try town.published()
        try await town.settle()
        let export = try RunsExport(town.ada.id, town.store)
        #expect(export.nearby == NearbyWish(place: Self.near, radius: 10_000))
        // Neither the place nor the run stands there in the clear.
        let row = try town.store.row("SELECT envelope, told FROM nearby")
        #expect(row.allSatisfy { !String(decoding: $0, as: UTF8.self).contains("454300000") } && row.count == 2)
        #expect(throws: RunFinder.NearbyRefusal.radius) { try ask(town.ada, town, within: 200_000) }
        #expect(throws: RunFinder.NearbyRefusal.place) { try ask(town.ada, town, at: CoursePoint(latitude: 2_000_000_000, longitude: 0)) }
        let bob = try town.runner("Bob")
        #expect(throws: RunFinder.NearbyRefusal.notYours) {
            try town.finder.askNearby(NearbyWish(place: Self.near, radius: 10_000), of: town.ada.id.person, by: bob)
        }
        try town.deletion.deletePerson(town.ada.id.person, by: town.ada.id, now: town.now)
        #expect(try town.store.nearby.nearby(of: town.ada.id.person) == nil)
        try town.deletion.work(now: town.now)
        #expect(try town.store.row("SELECT envelope FROM nearby").isEmpty)
    }
}

extension RunsStore {
    /// The bytes of a query's first row.
    func row(_ sql: String) throws -> [Data] {
        try pool.read { db in
            guard let row = try db.fetchOne(sql: sql) else { return [] }
            return row.values.compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
        }
    }
}

import Accounts
import Privacy
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// Track4Run as a service that is added and removed.
@Suite struct Track4RunTests {
    @Test("CONS-8: who removes Track4Run is off every list that is not over, and neither organiser nor friend sees anything any more")
    func removed() async throws {
        let town = try RunTown(), ada = town.ada, person = ada.id.person, service = town.runs.track4Run
        let today = try town.published(), later = try town.published(town.plan("Later", in: 3 * day))
        #expect(try service.standing(of: person).isNothing)
        for run in [today, later] { try await town.enrol(ada, in: run) }
        try town.finder.askNearby(NearbyWish(place: RunNearbyTests.near, radius: 10_000), of: person, by: ada)
        _ = try town.enrolments.makeFeed(of: person, by: ada)
        try await town.advance(to: today.checkInOpens)
        try await town.checkedIn(ada, to: today, publicHeartRate: true)
        _ = try town.workouts.beginWorkout(of: person, isShared: true, by: ada)
        let standing = Track4Run.Standing(runs: 2, isShared: true, isNearby: true, hasFeed: true)
        #expect(try service.standing(of: person) == standing)
        let grant = try #require(try town.results.participants(in: today.id, for: town.organiser).first?.health?.grant)
        try service.end(person, by: ada.id)
        #expect(try service.standing(of: person).isNothing)
        #expect(try town.hub.accounts.reading(grant, now: town.now) { true } == nil)
        #expect(try town.consents.followers(of: person, for: ada.id).items.allSatisfy { $0.consent.isOver(at: town.now) })
        #expect(try town.workouts.openWorkout(of: person, for: ada)?.isShared == false)
        // Who wants to, comes back.
        try await town.enrol(ada, in: later)
        #expect(try service.standing(of: person).runs == 1)
    }

    @Test("CONS-8: its consent that is revoked anywhere ends the same, and it is added once however often one enrols")
    func revoked() async throws {
        let town = try RunTown(), ada = town.ada, person = ada.id.person, service = town.runs.track4Run, run = try town.published()
        town.consents.ends.tell { _, person, account in
            do { try service.end(person, by: account) } catch { Issue.record(error) }
        }
        try await town.enrol(ada, in: run)
        for _ in 0..<2 { try service.addBeside(person, purpose: "To follow you", by: ada.id) }
        let running = try town.consents.followers(of: person, for: ada.id).items.filter { $0.name == "Track4Run" }
        #expect(running.count == 1)
        try town.consents.answer(try #require(running.first).consent.id, .revoke, by: ada.id)
        #expect(try service.standing(of: person).isNothing)
    }
}

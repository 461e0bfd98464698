import Accounts
import Database
import Foundation
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct NearbyTests {
    private let near = NearbyWish(place: CoursePoint(latitude: 10_000, longitude: 1), radius: 5000)
    private let far = NearbyWish(place: CoursePoint(latitude: 500_000_000, longitude: 1), radius: 5000)

    private func told(_ runs: RunFixture, count: Int = 9, now: Milliseconds) throws -> [PersonID] {
        var people: [PersonID] = []
        while let part = try runs.store.nearby.dueAnnouncing(look: 2, count: count, lease: 10, now: now) {
            people += part.people
            try runs.store.nearby.announced(part, now: now)
        }
        return people
    }

    @Test(
        "RUN-12: who asked for runs near a place is told of each once, by parts, also when the run is changed", arguments: Engine.allCases)
    func announcing(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, people = (0..<5).map { _ in PersonID.random() }
        for (number, person) in people.enumerated() { try store.nearby.setNearby(number == 1 ? far : near, of: person, now: 1) }
        #expect(try store.nearby.nearby(of: people[0]) == near && store.nearby.nearby(of: .random()) == nil)
        let run = try runs.run(now: 2)
        #expect(try told(runs, count: 1, now: 2) == [people[0], people[2], people[3], people[4]] && told(runs, now: 3).isEmpty)
        // Elsewhere now: who was told of it before is left out.
        _ = try store.change(
            run.id, revision: run.revision, to: run.plan, course: nil,
            area: RunArea(south: 500_000_000, west: 0, north: 500_000_001, east: 1), search: "", told: [:], now: 4)
        #expect(try told(runs, now: 4) == [people[1]])
        try store.nearby.endNearby(of: people[2])
        #expect(try store.nearby.nearby(of: people[2]) == nil)
        _ = try runs.run(code: "B", now: 5)
        #expect(try told(runs, now: 5) == [people[0], people[3], people[4]])
    }

    @Test(
        "RUN-12: nobody is told of a run by invitation, or of one that was called off; a part comes again behind its lease",
        arguments: Engine.allCases)
    func notAnnounced(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random()
        try store.nearby.setNearby(near, of: ada, now: 1)
        _ = try runs.run(RunFixture.plan(isPublic: false), code: "A")
        #expect(try told(runs, now: 2).isEmpty)
        let run = try runs.run(code: "B")
        let part = try #require(try store.nearby.dueAnnouncing(look: 9, count: 9, lease: 10, now: 2))
        #expect(try part.people == [ada] && store.nearby.dueAnnouncing(look: 9, count: 9, lease: 10, now: 11) == nil)
        #expect(try store.nearby.dueAnnouncing(look: 9, count: 9, lease: 10, now: 12)?.people == [ada])
        _ = try store.move(run.id, to: .cancelled, now: 13)
        #expect(try told(runs, now: 30).isEmpty && runs.fixture.count("announcing", in: store.pool) == 0)
    }

    @Test("RUN-12: a damaged wish is told, and nobody else waits for it", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, rows = Told<DamagedRunRow>(), people = (0..<3).map { _ in PersonID.random() }
        store.tellDamaged { rows.tell($0) }
        for person in people { try store.nearby.setNearby(near, of: person, now: 1) }
        try runs.damage("nearby", where: "id = 2")
        _ = try runs.run(now: 2)
        #expect(try told(runs, now: 2) == [people[0], people[2]] && store.nearby.nearby(of: people[1]) == nil)
        #expect(rows.all.map(\.kind) == [.nearby])
        try store.nearby.setNearby(far, of: people[1], now: 3)
        #expect(try store.nearby.nearby(of: people[1]) == far, "a new wish puts it right")
    }

    @Test("RUN-12, ACC-17: of a run nearby a person is told once, and for a child those who decide", arguments: Engine.allCases)
    func notices(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, consents = accounts.runConsents
        let ada = try fixture.account("Ada"), parent = try fixture.account("Parent")
        guard case .added(let kid) = try accounts.care.openMinor(HubFixture.new("Kid"), guardian: parent.id, adultFrom: 1000, now: 0) else {
            throw HubFixture.Taken()
        }
        for _ in 0..<2 { try consents.tellNearby(["run": "R"], code: "AB", people: [ada.id.person, kid.id.person], now: 1) }
        #expect(try accounts.notices.notices(of: ada).map { $0.arguments["code"] } == ["AB"])
        #expect(try accounts.notices.notices(of: parent).count == 1 && accounts.notices.notices(of: kid).isEmpty)
        try consents.tell(.runStarted, ["run": "R"], people: [ada.id.person, kid.id.person], and: [ada.id], now: 2)
        #expect(try accounts.notices.notices(of: ada).filter { $0.kind == .runStarted }.count == 1, "an organiser who runs reads it once")
        #expect(try accounts.notices.notices(of: parent).first?.kind == .runStarted)
        try consents.tell(.runStarted, [:], people: [], now: 3)
        #expect(try fixture.count("notice") == 4)
    }

    @Test(
        "RUN-5: a check-in lets its organiser read, and spectators the position; a damaged one lets nobody, and hides no other runner",
        arguments: Engine.allCases)
    func grants(engine: Engine) throws {
        let asking = try AskingFixture(engine), accounts = asking.accounts, consents = accounts.runConsents,
            organiser = Reader.organiser(asking.boss.id)
        let bob = try asking.fixture.account("Bob")
        func checkIn(_ account: StoredAccount) throws -> ConsentID {
            try asking.consents.giveConsent(
                try asking.scope([.heartRate, .position], "Run", term: .until(1000), reader: organiser), of: account.id.person,
                by: account.id,
                parameters: .runCheckIn(start: 500), now: 1
            ).consent.id
        }
        let one = try checkIn(asking.ada), two = try checkIn(bob)
        let heart = try asking.give(asking.scope([.heartRate], "Public", term: .until(1000), reader: organiser), now: 1)
        let asked = [
            RunConsentStore.RunConsents(checkIn: one, publicHeartRate: heart), .init(checkIn: two, publicHeartRate: nil),
            .init(checkIn: nil, publicHeartRate: heart),
        ]
        let grants = try consents.runGrants(by: asked, to: asking.boss.id, now: 10)
        #expect(
            grants.map { $0.own != nil } == [true, true, false] && grants.map { $0.position?.kinds } == [[.position], [.position], nil])
        #expect(grants.map { $0.heartRate != nil } == [true, false, false], "a heart rate of who is not seen is nothing to show")
        #expect(try consents.runGrants(by: asked, to: nil, now: 10).allSatisfy { $0.own == nil })
        #expect(
            try consents.runGrant(by: one, to: asking.clinic.id, now: 10) == nil
                && consents.runPublicGrant(by: one, now: 10)?.kinds == [.position])
        #expect(
            try consents.checkIns(of: asking.person).map(\.consent.id) == [heart, one] && consents.checkIn(one, of: bob.id.person) == nil)
        try asking.damage(one)
        let left = try consents.runGrants(by: asked, to: asking.boss.id, now: 10)
        #expect(left.map { $0.own != nil } == [false, true, false] && left[0].position == nil && left[1].position != nil)
        #expect(try consents.takenBack([one, two, heart]) == [one], "what cannot be read is shown to nobody")
        #expect(try consents.checkIns(of: asking.person).map(\.consent.id) == [heart] && asking.fixture.unreadable == [.consent])
        _ = try asking.consents.answerConsent(two, .revoke, by: bob.id, now: 20)
        #expect(try consents.takenBack([two, heart, .random()]).count == 2)
    }
}

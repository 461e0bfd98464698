import Accounts
import Credentials
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// How long a session lasts that nobody uses, and however much it is used, by what its account may do.
struct SessionLimitTests {
    private let hour: Milliseconds = 3_600_000

    private func session(_ made: AccountFixture, _ account: StoredAccount) throws -> () throws -> Bool {
        let token = SecretToken.random()
        try made.store.addSession(token.hash, of: account.row, strength: .full, device: "", now: made.clock.now)
        return { try made.accounts.session(token.text) != nil }
    }

    @Test(
        "ACC-6, ACC-9: a session that nobody uses ends: after eight hours for who decides for others, after thirty days on one's own phone",
        arguments: [
            (Role.operator, 8 as Milliseconds), (.organisation, 8), (.responder, 8), (.person, 720), (.organiser, 720), (.caregiver, 720),
        ])
    func idle(role: Role, hours: Milliseconds) async throws {
        let made = try AccountFixture(), account = try await made.account(role)
        let holds = try session(made, account)
        // Each use begins the time anew.
        for _ in 0..<2 {
            made.clock.advance(hours * hour - 1)
            #expect(try holds())
        }
        made.clock.advance(hours * hour)
        #expect(try !holds())
        #expect(try made.store.sessions(of: account.row, now: made.clock.now).isEmpty)
    }

    @Test(
        "ACC-9: however much it is used a session ends: after thirty days for who decides for others, else after ninety",
        arguments: [
            (Role.operator, 30 as Milliseconds), (.person, 90),
        ])
    func lifetime(role: Role, days: Milliseconds) async throws {
        let made = try AccountFixture(), account = try await made.account(role)
        let holds = try session(made, account)
        for _ in 0..<(days * 4 - 1) {
            made.clock.advance(6 * hour)
            #expect(try holds())
        }
        made.clock.advance(6 * hour)
        #expect(try !holds())
    }

    @Test("ACC-16: a crew on duty is not logged out while it waits for an alarm; off duty it is")
    func onDuty() async throws {
        let made = try AccountFixture(), crew = try await made.account(.responder)
        let hospital = try await made.account(.organisation, email: "clinic@example.org")
        _ = try made.store.hospitals.admitHospital(hospital, now: made.clock.now)
        let label = AmbulanceLabel(name: "Bergamo 1", plate: "ZA 123 BC"), code = SecretToken.random()
        let ambulance = try #require(try made.store.hospitals.addAmbulance(label, of: hospital, now: made.clock.now))
        #expect(try made.store.hospitals.addCrewCode(code.hash, ambulance: ambulance, of: hospital, expires: .max, now: made.clock.now))
        #expect(try made.store.hospitals.joinCrew(code.hash, crew, now: made.clock.now))
        #expect(try made.store.care.beginDuty(crew, now: made.clock.now))
        let holds = try session(made, crew)
        made.clock.advance(20 * hour)
        #expect(try holds())
        try made.store.care.endDuty(crew)
        made.clock.advance(8 * hour)
        #expect(try !holds())
        // A session that was over stays over, on duty as well: a telephone that was left somewhere.
        #expect(try made.store.care.beginDuty(crew, now: made.clock.now))
        #expect(try !holds() && made.store.sessions(of: crew.row, now: made.clock.now).isEmpty)
        let new = try session(made, crew)
        made.clock.advance(20 * hour)
        #expect(try new() && !holds())
    }
}

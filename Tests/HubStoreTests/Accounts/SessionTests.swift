import Accounts
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct SessionTests {
    @Test("ACC-6: the strictest role of an account limits its sessions")
    func limits() throws {
        let own = SessionLimits.own, staff = SessionLimits.staff, onDuty = SessionLimits.onDuty
        for roles in [[], [.person], [.organiser, .caregiver]] as [Set<Role>] {
            let limits = try SessionLimits.of(roles)
            #expect(limits == own)
        }
        for role in [Role.operator, .organisation] {
            let limits = SessionLimits.of([.person, role, .responder]) { true }
            #expect(limits == staff)
        }
        let resting = try SessionLimits.of([.responder]), working = SessionLimits.of([.responder]) { true }
        #expect(resting == staff && working == onDuty)
        #expect(own.holds(created: 0, seen: 0, now: own.idle - 1) && !own.holds(created: 0, seen: 0, now: own.idle))
        #expect(!own.holds(created: 0, seen: own.lifetime - 1, now: own.lifetime) && onDuty.idle == staff.lifetime)
    }

    @Test("ACC-6: a session ends when nobody used it for too long, and after its lifetime however busy", arguments: Engine.allCases)
    func ends(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada")
        #expect(try fixture.session([1], of: ada)?.expires == SessionLimits.own.lifetime)
        let idle = SessionLimits.own.idle
        #expect(try accounts.session([1], now: idle - 1)?.seen == 0)
        #expect(try accounts.session([1], now: idle)?.seen == idle - 1)
        #expect(try accounts.session([1], now: 2 * idle - 2) != nil)
        #expect(try accounts.session([1], now: SessionLimits.own.lifetime) == nil)
        let op = try fixture.account("Op", [.operator])
        #expect(try fixture.session([2], of: op)?.expires == SessionLimits.staff.lifetime)
        #expect(try accounts.session([2], now: 8 * hour) == nil && accounts.session([2], now: 8 * hour - 1) != nil)
        #expect(try accounts.session([3], now: 0) == nil)
    }

    @Test("ACC-6: that a session was used is written once a minute", arguments: Engine.allCases)
    func seldom(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada")
        _ = try fixture.session([1], of: ada)
        func stored() throws -> Milliseconds? { try accounts.pool.read { try $0.fetchOne(Int64.self, sql: "SELECT seen FROM session") } }
        _ = try accounts.session([1], now: 59_999)
        #expect(try stored() == 0)
        _ = try accounts.session([1], now: 60_000)
        #expect(try stored() == 60_000)
    }

    @Test("ACC-6: the owner sees sessions by their browsers, the newest use first, and ends one's own alone", arguments: Engine.allCases)
    func list(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        try accounts.addSession([1], of: ada.row, strength: .begun, device: String(repeating: "x", count: 500), now: 10)
        try accounts.addSession([2], of: ada.row, strength: .full, device: "Phone", now: 20)
        _ = try fixture.session([3], of: bob)
        let sessions = try accounts.sessions(of: ada.row, now: 30)
        #expect(sessions.map(\.hash) == [[2], [1]] && sessions.map(\.strength) == [.full, .begun] && sessions[1].device?.count == 200)
        #expect(try accounts.session([2], now: 30)?.device == nil, "the name of a browser is opened for no request")
        #expect(StoredSession.Strength.begun < .full && sessions[0].proved == 20 && sessions[0].account == ada)
        #expect(try !accounts.endSession([3], of: ada.row) && accounts.session([3], now: 30) != nil)
        #expect(try accounts.endSession([1], of: ada.row) && !accounts.endSession([1], of: ada.row))
        #expect(try accounts.sessions(of: ada.row, now: 30).map(\.hash) == [[2]])
        try accounts.endSession([2])
        #expect(try accounts.sessions(of: ada.row, now: 30).isEmpty)
    }

    @Test("ACC-15: a browser that logs in anew keeps its notices; with another account it loses them", arguments: Engine.allCases)
    func replaced(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada"),
            bob = try fixture.account("Bob")
        let browser = PushAddress(endpoint: "https://push.example/1", publicKey: [1], secret: [2], name: "Phone")
        _ = try (fixture.session([1], of: ada), fixture.session([2], of: ada), fixture.session([3], of: bob))
        try accounts.pushes.addPushDevice(browser, to: ada, session: [1], now: 0)
        try accounts.replaceSession([1], by: [1])
        try accounts.replaceSession([1], by: [2])
        #expect(try accounts.session([1], now: 1) == nil && accounts.pushes.pushDevices(of: ada).count == 1)
        try accounts.replaceSession([2], by: [3])
        #expect(try accounts.session([2], now: 1) == nil && accounts.pushes.pushDevices(of: ada).isEmpty)
    }

    @Test("ACC-15: a session that got too old leaves its browser, until somebody logs out there", arguments: Engine.allCases)
    func forgotten(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try fixture.account("Ada")
        let browser = PushAddress(endpoint: "https://push.example/1", publicKey: [1], secret: [2], name: "Phone")
        _ = try fixture.session([1], of: ada)
        try accounts.pushes.addPushDevice(browser, to: ada, session: [1], now: 0)
        let late = AccountStore.sessionLifetime
        try accounts.forgetUnconfirmedAccounts(before: 0, now: late)
        #expect(try fixture.count("session") == 0 && accounts.pushes.pushDevices(of: ada).count == 1)
        _ = try fixture.session([2], of: ada, now: late)
        try accounts.replaceSession([1], by: [2])
        #expect(try accounts.pushes.pushDevices(of: ada).count == 1)
        try accounts.endSession([2])
        #expect(try accounts.pushes.pushDevices(of: ada).isEmpty)
        try accounts.pushes.addPushDevice(browser, to: ada, session: nil, now: 0)
        try accounts.endSession([1])
        #expect(try accounts.pushes.pushDevices(of: ada).count == 1)
    }

    @Test("ACC-16: a crew on duty is not logged out; a session that was over when the duty began stays over", arguments: Engine.allCases)
    func duty(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, station = try CareFixture(fixture)
        let crew = try station.crew("Crew")
        _ = try fixture.session([1], of: crew)
        #expect(try accounts.care.beginDuty(crew, now: hour))
        #expect(try accounts.session([1], now: 20 * hour) != nil)
        try accounts.care.endDuty(crew)
        #expect(try accounts.session([1], now: 29 * hour) == nil)
        _ = try fixture.session([2], of: crew, now: 0)
        #expect(try accounts.care.beginDuty(crew, now: 9 * hour))
        #expect(try accounts.session([2], now: 10 * hour) == nil)
    }
}

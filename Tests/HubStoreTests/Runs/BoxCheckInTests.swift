import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct BoxCheckInTests {
    /// A question of a run's organiser, and one of an organisation, which is none of the box's check-ins.
    private func asked(_ asking: AskingFixture) throws -> ConsentID {
        _ = try asking.ask(asking.scope([.event]))
        let scope = try asking.scope([.heartRate, .position], "Run", term: .until(1000), reader: .organiser(asking.boss.id))
        return try asking.ask(scope, parameters: .runCheckIn(start: 500))
    }

    @Test(
        "RUN-5: an answer at the box stands in the ledger with the box, and in the audit log, both or neither", arguments: Engine.allCases)
    func answered(engine: Engine) throws {
        let asking = try AskingFixture(engine), checkIns = asking.accounts.runConsents, id = try asked(asking), box = AgentID.random()
        let audit = try AuditLog(asking.fixture.hub, accounts: asking.accounts, environment: [:])
        func answer(_ answer: ConsentAnswer, by account: AccountID, now: Milliseconds) throws -> ConsentOutcome {
            try checkIns.answerCheckIn(id, answer, by: account, at: box, audit: audit, now: now)
        }
        #expect(try checkIns.checkIns(of: asking.person).map(\.consent.id) == [id] && checkIns.checkIns(of: .random()).isEmpty)
        #expect(throws: ConsentProblem.notYours) { try answer(.accept, by: asking.boss.id, now: 5) }
        #expect(try asking.fixture.count("audit") == 0)
        #expect(try answer(.accept, by: asking.ada.id, now: 6).opened)
        let line = try #require(try asking.accounts.ledger.ledger(of: asking.person).entries.first)
        #expect(line.what == .consent(.accepted, by: asking.ada.id) && line.box == box && line.name == "Boss Invented")
        #expect(try !answer(.accept, by: asking.ada.id, now: 7).opened && asking.fixture.count("audit") == 1, "again changes nothing")
        #expect(try answer(.revoke, by: asking.ada.id, now: 8).cut && asking.fixture.count("audit") == 2 && audit.verify().problem == nil)
        #expect(try checkIns.checkIns(of: asking.person).isEmpty && checkIns.checkIn(id, of: asking.person) != nil)
    }

    @Test("RUN-5: an answer behind the start is an end by time, and nobody's act", arguments: Engine.allCases)
    func late(engine: Engine) throws {
        let asking = try AskingFixture(engine), id = try asked(asking)
        let audit = try AuditLog(asking.fixture.hub, accounts: asking.accounts, environment: [:])
        let outcome = try asking.accounts.runConsents.answerCheckIn(id, .accept, by: asking.ada.id, at: .random(), audit: audit, now: 500)
        #expect(outcome.refused == .over(.unanswered))
        let line = try #require(try asking.accounts.ledger.ledger(of: asking.person).entries.first)
        #expect(try line.what == .consent(.over(.unanswered), by: nil) && line.box == nil && asking.fixture.count("audit") == 0)
    }

    @Test("EDGE-12: who wants no questions on the box sees there what runs, and no question", arguments: Engine.allCases)
    func withoutQuestions(engine: Engine) throws {
        let asking = try AskingFixture(engine), checkIns = asking.accounts.runConsents, id = try asked(asking)
        try asking.accounts.notices.setNoticeWays([.asked: [.mail]], of: asking.ada)
        #expect(try checkIns.checkIns(of: asking.person).isEmpty)
        _ = try asking.consents.answerConsent(id, .accept, by: asking.ada.id, now: 5)
        #expect(try checkIns.checkIns(of: asking.person).map(\.consent.id) == [id])
    }

    @Test("DATA-12: many reads of a run are written down in parts, each once an hour", arguments: Engine.allCases)
    func reads(engine: Engine) throws {
        let asking = try AskingFixture(engine), checkIns = asking.accounts.runConsents, id = try asked(asking)
        _ = try asking.consents.answerConsent(id, .accept, by: asking.ada.id, now: 5)
        let grant = try #require(try checkIns.runGrant(by: id, to: asking.boss.id, now: 6)).grant
        for time in [6, 7, hour] { try checkIns.recordReads(Array(repeating: grant, count: 120), now: time) }
        #expect(try asking.accounts.ledger.ledger(of: asking.person).entries.filter { $0.what == .read }.map(\.at) == [hour, 6])
    }
}

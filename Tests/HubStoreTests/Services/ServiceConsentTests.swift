import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// The consents that services work by.
@Suite struct ServiceConsentTests {
    private let service = ServiceID(high: 5, low: 5), other = ServiceID(high: 5, low: 6)

    @Test("CONS-8: a person's consents are found by their service, direct requests by none of them", arguments: Engine.allCases)
    func listed(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        let first = try asking.give(asking.scope([.heartRate], "One", service: service))
        let second = try asking.give(asking.scope([.heartRate], "Two", service: other), now: 1)
        #expect(throws: ConsentProblem.alreadyRuns(first)) { try asking.give(asking.scope([.position], "Three", service: service), now: 2) }
        _ = try consents.answerConsent(first, .revoke, by: asking.ada.id, now: 2)
        let again = try asking.give(asking.scope([.position], "Three", service: service), now: 3)
        _ = try asking.give(asking.scope([.heartRate], "Direct"), now: 4)
        #expect(try consents.consents(of: asking.person, for: service).map(\.id) == [again, first], "also what is over, the newest first")
        #expect(try consents.consents(of: asking.person, for: nil).map(\.id) == [again, second, first])
        #expect(try consents.consents(of: asking.boss.id.person, for: nil).isEmpty)
        try asking.damage(again)
        #expect(try consents.consents(of: asking.person, for: service).map(\.id) == [first])
        #expect(asking.fixture.unreadable == [.consent])
    }

    @Test(
        "CONS-8, SOS-1: a service works by a consent that runs; where none is found and one does not open nobody says that there is none",
        arguments: Engine.allCases)
    func running(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        func running(_ now: Milliseconds, of id: ServiceID? = nil) throws -> ConsentID? {
            try consents.running(id ?? service, of: asking.person, now: now)?.id
        }
        #expect(try running(0) == nil)
        let old = try asking.give(asking.scope([.heartRate], "Old", term: .lasting(100), service: service))
        #expect(try running(50) == old && running(101) == nil && running(50, of: other) == nil)
        let id = try asking.give(asking.scope([.heartRate], "Service", service: service), now: 150)
        #expect(try running(200) == id && consents.running(service, of: asking.boss.id.person, now: 200) == nil)
        let direct = try asking.give(asking.scope([.heartRate], "Direct"), now: 151)
        try asking.damage(direct)
        #expect(try running(200) == id, "another one that does not open hides none that does")
        #expect(throws: (any Error).self) { try running(200, of: other) }
        _ = try consents.answerConsent(id, .revoke, by: asking.ada.id, now: 160)
        #expect(throws: (any Error).self) { try running(200) }
        // What is over is asked about no more, damaged or not.
        try asking.accounts.pool.write { db in
            try db.execute(sql: "UPDATE consent SET state = 3 WHERE consent = ?", arguments: [Data(direct.bytes)])
        }
        #expect(try running(200) == nil)
    }

    @Test(
        "CONS-7: who has access is named: a service with its organisation, whoever asked directly by their own name",
        arguments: Engine.allCases)
    func names(engine: Engine) throws {
        let asking = try AskingFixture(engine), services = asking.accounts.services, clinic = OrganisationID(asking.clinic.id)
        let id = try #require(try services.publishService(.made("Sleep"), by: clinic, now: 1))
        #expect(try services.checkService(id, version: 1, isApproved: true, now: 2))
        _ = try asking.give(asking.scope([.heartRate], "Service", service: id), now: 3)
        _ = try asking.give(asking.scope([.position], "Direct"), now: 4)
        func names() throws -> [String] { try asking.consents.running(of: asking.person).map { $0.name } }
        #expect(try names() == ["Sleep (Clinic)", "Clinic"])
        // Where the service does not open its organisation is still named, and the consent is on the list.
        try asking.fixture.damage("service", "shown")
        #expect(try names() == ["Clinic", "Clinic"] && asking.fixture.unreadable == [.service])
    }
}

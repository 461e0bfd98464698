import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct PseudonymTests {
    @Test("CONS-12: each reader and each service knows a person by another name, which stays", arguments: Engine.allCases)
    func names(engine: Engine) throws {
        let asking = try AskingFixture(engine), pseudonyms = asking.accounts.pseudonyms,
            other = Reader.organisation(OrganisationID(asking.boss.id))
        let service = ServiceID(high: 1, low: 2)
        let names = [
            pseudonyms.pseudonym(of: asking.person, for: asking.reader, service: nil),
            pseudonyms.pseudonym(of: asking.person, for: asking.reader, service: service),
            pseudonyms.pseudonym(of: asking.person, for: other, service: nil),
            pseudonyms.pseudonym(of: asking.boss.id.person, for: asking.reader, service: nil),
        ]
        #expect(Set(names).count == 4 && names.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
        let again = try asking.fixture.reopened().accounts.pseudonyms
        #expect(again.pseudonym(of: asking.person, for: asking.reader, service: nil) == names[0])
    }

    @Test("CONS-12: a name leads to its person for the reader that got it, and only once somebody agreed", arguments: Engine.allCases)
    func resolved(engine: Engine) throws {
        let asking = try AskingFixture(engine), pseudonyms = asking.accounts.pseudonyms, service = ServiceID(high: 1, low: 2)
        let plain = pseudonyms.pseudonym(of: asking.person, for: asking.reader, service: nil)
        let inService = pseudonyms.pseudonym(of: asking.person, for: asking.reader, service: service)
        let asked = try asking.ask(asking.scope())
        #expect(try pseudonyms.person(plain, for: asking.reader) == nil)
        #expect(try pseudonyms.pseudonymousConsent(asked, askedBy: asking.reader, now: 1)?.pseudonym == nil)
        _ = try asking.consents.answerConsent(asked, .accept, by: asking.ada.id, now: 2)
        let found = try #require(try pseudonyms.person(plain, for: asking.reader))
        #expect(try found.person == asking.person && found.service == nil && pseudonyms.person(inService, for: asking.reader) == nil)
        #expect(try pseudonyms.person(plain, for: .caregiver(asking.clinic.id)) == nil)
        #expect(try pseudonyms.pseudonymousConsent(asked, askedBy: asking.reader, now: 3)?.pseudonym == plain)
        #expect(try pseudonyms.pseudonymousConsent(asked, askedBy: .caregiver(asking.clinic.id), now: 3) == nil)
        _ = try asking.give(asking.scope([.position], "service", service: service))
        #expect(try pseudonyms.person(inService, for: asking.reader)?.service == service)
        #expect(
            try pseudonyms.grants(to: asking.reader, on: asking.person, service: service, now: 3).map { $0.grant.kinds.contains(.position) }
                == [true])
        #expect(try pseudonyms.grants(to: asking.reader, on: asking.person, service: nil, now: 3).map(\.consent.id) == [asked])
        // What was read by a consent that is over keeps its name.
        _ = try asking.consents.answerConsent(asked, .revoke, by: asking.ada.id, now: 4)
        #expect(try pseudonyms.pseudonymousConsent(asked, askedBy: asking.reader, now: 5)?.pseudonym == plain)
        #expect(try pseudonyms.grants(to: asking.reader, on: asking.person, service: nil, now: 5).isEmpty)
    }
}

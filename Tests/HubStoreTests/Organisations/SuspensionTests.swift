import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct SuspensionTests {
    @Test(
        "ACC-20: while an organisation is suspended it reads nothing by any consent, and reads again by the same ones when it may go on",
        arguments: Engine.allCases)
    func suspended(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, organisations = asking.accounts.organisations
        let id = try asking.ask(asking.scope(), now: 10)
        _ = try consents.answerConsent(id, .accept, by: asking.ada.id, now: 11)
        let grant = try #require(try consents.grant(by: id, to: asking.reader, now: 12))
        #expect(try organisations.overseen(now: 12).map(\.suspended) == [nil])
        #expect(try organisations.setSuspended(true, asking.clinic.id, now: 13))
        #expect(try !organisations.setSuspended(true, asking.clinic.id, now: 14), "it is suspended already")
        #expect(try organisations.overseen(now: 14).map(\.suspended) == [13])
        #expect(try consents.grant(by: id, to: asking.reader, now: 14) == nil && consents.access(by: id, now: 14) == nil)
        #expect(try consents.subscription(by: id, now: 14) == nil && consents.grants(to: asking.reader, now: 14).isEmpty)
        #expect(try asking.accounts.pseudonyms.grants(to: asking.reader, on: asking.person, service: nil, now: 14).isEmpty)
        #expect(try asking.accounts.pool.read { try !consents.upholds(grant, now: 14, $0) }, "a stream that is open ends")
        #expect(try asking.fixture.reopened().accounts.consents.grant(by: id, to: asking.reader, now: 14) == nil)
        // Of nobody else, and only of a confirmed organisation.
        #expect(try !organisations.setSuspended(true, asking.ada.id, now: 14))
        #expect(try organisations.setSuspended(false, asking.clinic.id, now: 15))
        #expect(try consents.grant(by: id, to: asking.reader, now: 16) == grant)
        #expect(try !organisations.setSuspended(false, asking.clinic.id, now: 17))
    }

    @Test(
        "ACC-20, CONS-8: while its organisation is suspended nothing is taken of a service, and the person sees why",
        arguments: Engine.allCases)
    func results(engine: Engine) throws {
        let asking = try AskingFixture(engine), services = asking.accounts.services, organisations = asking.accounts.organisations
        let id = try asking.give(asking.scope(service: ServiceID(high: 5, low: 5))), result = ServiceResult(text: "Fine")
        func shown() throws -> [Bool] { try asking.consents.consents(of: asking.person).items.map { $0.asker?.isSuspended == true } }
        #expect(try shown() == [false])
        _ = try organisations.setSuspended(true, asking.clinic.id, now: 1)
        #expect(try organisations.isSuspended(OrganisationID(asking.clinic.id)) && shown() == [true])
        #expect(try services.addResult(result, to: id, by: asking.reader, now: 2) == .suspended)
        #expect(try services.results(of: asking.person).isEmpty)
        _ = try organisations.setSuspended(false, asking.clinic.id, now: 3)
        #expect(try services.addResult(result, to: id, by: asking.reader, now: 4) == .stored(number: 1) && shown() == [false])
    }

    @Test(
        "ACC-20: an approval is taken back, does not count of who is suspended, and lapses after a year: then an operator looks again",
        arguments: Engine.allCases)
    func approvals(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, organisations = asking.accounts.organisations
        var number = 0
        /// Whether another request of the kind leaves without a look.
        func leaves(now: Milliseconds) throws -> Bool {
            number += 1
            let id = try asking.ask(asking.scope(), email: "\(number)@example.org", parameters: .data4Help, now: now)
            return try asking.state(id) != .awaitingOperator
        }
        let first = try asking.ask(asking.scope(), parameters: .data4Help, now: 10)
        _ = try consents.approveConsent(first, now: 20)
        #expect(try leaves(now: 30) && organisations.overseen(now: 30).map(\.approvals) == [1])
        _ = try organisations.setSuspended(true, asking.clinic.id, now: 31)
        #expect(try !leaves(now: 32))
        _ = try organisations.setSuspended(false, asking.clinic.id, now: 33)
        #expect(try leaves(now: 34))
        let end = 20 + OrganisationStore.approvalLifetime
        #expect(try leaves(now: end - 1) && !leaves(now: end))
        #expect(try organisations.overseen(now: end).map(\.approvals) == [0])
        #expect(try organisations.takeBackApprovals(of: asking.clinic.id) && !organisations.takeBackApprovals(of: asking.clinic.id))
        #expect(try !leaves(now: 35))
    }
}

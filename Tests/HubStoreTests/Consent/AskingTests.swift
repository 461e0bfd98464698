import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct AskingTests {
    @Test(
        "CONS-11: a first request of a kind waits for an operator; approved, its kind leaves by itself from then on",
        arguments: Engine.allCases)
    func approval(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        let first = try asking.ask(asking.scope(), parameters: .data4Help, now: 10)
        let second = try asking.ask(asking.scope(), email: "eve@example.org", parameters: .data4Help, now: 11)
        #expect(try asking.state(first) == .awaitingOperator && asking.notices(of: asking.ada).isEmpty)
        #expect(try consents.consentsAwaitingOperator(now: 12).map(\.id) == [first, second])
        #expect(try consents.consentsAwaitingOperator(1, now: 12).map(\.asker?.id) == [asking.clinic.id])
        #expect(try asking.notices(of: asking.boss) == [.check, .check])
        let outcome = try #require(try consents.approveConsent(first, seen: asking.clinic.checkMark, now: 20))
        #expect(outcome.refused == nil && outcome.consent.person == asking.person)
        #expect(try asking.notices(of: asking.ada) == [.asked])
        // The other one of this kind leaves by its timer.
        #expect(try asking.accounts.timers.dueTimers(9, lease: 1, now: 20).map(\.subject) == [second.bytes])
        #expect(try consents.reachConsent(second, now: 21)?.consent.reach == .nobody(.unknown))
        #expect(try consents.consentsAwaitingOperator(now: 22).isEmpty)
        let third = try asking.ask(asking.scope(), email: "zoe@example.org", parameters: .data4Help, now: 30)
        guard case .pending? = try asking.state(third) else {
            Issue.record("another one of the kind waits")
            return
        }
        let other = try asking.ask(asking.scope([.position]), email: "zoe@example.org", parameters: .data4Help, now: 31)
        #expect(try asking.state(other) == .awaitingOperator)
    }

    @Test("CONS-11: an operator decides about what they saw, and refuses what has not left", arguments: Engine.allCases)
    func operatorDecides(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        let id = try asking.ask(asking.scope(), parameters: .data4Help)
        #expect(throws: AskerChanged.self) { try consents.approveConsent(id, seen: "another", now: 1) }
        #expect(try asking.state(id) == .awaitingOperator && consents.approveConsent(.random(), now: 1) == nil)
        let refused = try #require(try consents.refuseConsent(id, now: 2))
        guard case .over(let end) = refused.consent.state else { throw HubFixture.Taken() }
        #expect(end.ending == .refusedByOperator)
        #expect(try asking.notices(of: asking.clinic) == [.answered] && asking.notices(of: asking.ada).isEmpty)
        #expect(try consents.approveConsent(id, now: 3)?.refused == .over(.refusedByOperator))
        #expect(try consents.refuseConsent(id, now: 3)?.refused == nil, "again changes nothing")
        let sent = try asking.ask(asking.scope([.position]), parameters: .caregiver)
        #expect(try consents.refuseConsent(sent, now: 4)?.refused == .alreadySent)
    }

    @Test("CONS-2: a person accepts once; the answer is the decider's alone", arguments: Engine.allCases)
    func answers(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, ada = asking.ada.id
        let id = try asking.ask(asking.scope(), now: 10)
        for stranger in [asking.clinic.id, asking.boss.id] {
            #expect(throws: ConsentProblem.notYours) { try consents.answerConsent(id, .accept, by: stranger, now: 11) }
        }
        #expect(throws: ConsentProblem.notYours) { try consents.answerConsent(.random(), .accept, by: ada, now: 11) }
        #expect(try consents.answerConsent(id, .revoke, by: ada, now: 11).refused == .notAccepted)
        let accepted = try consents.answerConsent(id, .accept, by: ada, now: 12)
        #expect(accepted.opened && !accepted.cut && accepted.refused == nil)
        #expect(try !consents.answerConsent(id, .accept, by: ada, now: 13).opened)
        #expect(try consents.answerConsent(id, .deny, by: ada, now: 13).refused == .alreadyAccepted)
        #expect(try consents.access(by: id, now: 12)?.since == 12 && consents.access(by: id, now: 11) == nil)
        #expect(try asking.notices(of: asking.clinic) == [.answered])
        #expect(try consents.answerConsent(id, .revoke, by: ada, now: 14).cut && consents.access(by: id, now: 14) == nil)
        #expect(try consents.answerConsent(id, .accept, by: ada, now: 15).refused == .over(.revoked))
        let lines = try asking.accounts.ledger.ledger(of: asking.person).entries.map(\.what)
        #expect(lines == [.consent(.over(.revoked), by: ada), .consent(.accepted, by: ada), .consent(.asked, by: nil)])
    }

    @Test("CONS-3: what nobody answered in 72 hours is denied by itself, also by an answer that comes too late", arguments: Engine.allCases)
    func unanswered(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, wait = 72 * hour
        let one = try asking.ask(asking.scope()), two = try asking.ask(asking.scope([.position]))
        #expect(try asking.accounts.timers.dueTimers(9, lease: 1, now: wait - 1).isEmpty)
        let due = try asking.accounts.timers.dueTimers(9, lease: 1, now: wait)
        #expect(due.allSatisfy { $0.kind == .consentDeadline && $0.due == wait } && Set(due.map(\.subject)) == [one.bytes, two.bytes])
        _ = try consents.passTime(one, now: wait - 1)
        #expect(try consents.consent(one)?.isOver(at: wait - 1) == false, "a timer that came too early is set again")
        _ = try consents.passTime(one, now: wait)
        let late = try consents.answerConsent(two, .accept, by: asking.ada.id, now: wait + 5)
        #expect(late.refused == .over(.unanswered) && !late.opened)
        for id in [one, two] {
            guard case .over(let end)? = try asking.state(id) else { throw HubFixture.Taken() }
            #expect(end.ending == .unanswered && end.at == wait)
        }
        #expect(try asking.accounts.timers.dueTimers(9, lease: 1, now: wait * 2).isEmpty)
        #expect(try consents.passTime(.random(), now: 0) == nil)
    }

    @Test("CONS-1: what the asker is told does not depend on whether somebody is there", arguments: Engine.allCases)
    func sameForNobody(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        let real = try asking.ask(asking.scope()), none = try asking.ask(asking.scope(), email: "nobody@example.org")
        let shown = try [real, none].map { try #require(try consents.consent($0, askedBy: asking.reader, now: 5)).shown }
        #expect(shown[0] == shown[1])
        #expect(throws: ConsentProblem.alreadyAsked(real)) { try asking.ask(asking.scope(), now: 6) }
        #expect(throws: ConsentProblem.alreadyAsked(none)) { try asking.ask(asking.scope(), email: "nobody@example.org", now: 6) }
        #expect(try consents.consent(real, askedBy: .organisation(OrganisationID(asking.boss.id)), now: 5) == nil)
        #expect(try consents.consent(none)?.person == nil && consents.consent(real)?.person == asking.person)
        #expect(throws: ConsentProblem.notYours) { try consents.answerConsent(none, .accept, by: asking.ada.id, now: 7) }
    }

    @Test(
        "CONS-10: three denials block an asker, whom the person can let ask again; an acceptance begins the count anew",
        arguments: Engine.allCases)
    func blocked(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, ada = asking.ada.id
        for number in 0..<2 {
            _ = try consents.answerConsent(asking.ask(asking.scope([.heartRate], "\(number)")), .deny, by: ada, now: 1)
        }
        _ = try consents.answerConsent(asking.ask(asking.scope([.heartRate], "yes")), .accept, by: ada, now: 1)
        for number in 2..<5 {
            #expect(try consents.blockedAskers(of: asking.person).isEmpty)
            _ = try consents.answerConsent(asking.ask(asking.scope([.heartRate], "\(number)")), .deny, by: ada, now: 1)
        }
        let blocked = try #require(try consents.blockedAskers(of: asking.person).first)
        #expect(blocked.reader == asking.reader && blocked.name == "Clinic" && !blocked.key.isEmpty)
        let silent = try asking.ask(asking.scope([.heartRate], "again"), now: 5)
        #expect(try consents.consent(silent)?.reach == .nobody(.blocked(asking.person)))
        #expect(try asking.notices(of: asking.ada).filter { $0 == .blocked }.count == 1)
        #expect(throws: ConsentProblem.notYours) {
            try consents.liftBlock(of: asking.reader, with: asking.person, by: asking.clinic.id, now: 6)
        }
        try consents.liftBlock(of: asking.reader, with: asking.person, by: ada, now: 6)
        #expect(try consents.blockedAskers(of: asking.person).isEmpty && asking.fixture.count("standing") == 0)
        let heard = try asking.ask(asking.scope([.heartRate], "once more"), now: 7)
        #expect(try consents.consent(heard)?.person == asking.person)
    }

    @Test("CONS-13: a policy keeps questions away, by kind and by asker; it is the decider's to set", arguments: Engine.allCases)
    func policy(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        #expect(try consents.policy(of: asking.person) == AccessPolicy())
        let policy = AccessPolicy(anybody: [], exceptions: [asking.reader: [.position]])
        #expect(throws: ConsentProblem.notYours) { try consents.setPolicy(policy, of: asking.person, by: asking.clinic.id, now: 1) }
        try consents.setPolicy(policy, of: asking.person, by: asking.ada.id, now: 1)
        let kept = try asking.ask(asking.scope()), asked = try asking.ask(asking.scope([.position]))
        #expect(try consents.consent(kept)?.reach == .nobody(.policy(asking.person)) && consents.consent(asked)?.person == asking.person)
        #expect(try asking.fixture.reopened().accounts.consents.policy(of: asking.person) == policy)
        // A policy that cannot be read is not taken for none, by which everything may be asked for.
        try asking.fixture.damage("policy")
        #expect(throws: HubStoreError.self) { try asking.ask(asking.scope([.event])) }
        #expect(throws: HubStoreError.self) { try consents.policy(of: asking.person) }
    }

    @Test("CONS-2: at most three questions of one asker are open, to one address and to one person", arguments: Engine.allCases)
    func open(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        guard case .added(let bob) = try asking.accounts.addConfirmedAccount(HubFixture.new("Bob", identifier: "IT 1"), now: 0) else {
            throw HubFixture.Taken()
        }
        for number in 0..<3 { _ = try asking.ask(asking.scope([.heartRate], "\(number)"), email: "bob@example.org") }
        #expect(throws: ConsentProblem.tooManyOpen) { try asking.ask(asking.scope([.heartRate], "4"), email: "bob@example.org") }
        let request = ConsentRequest(whom: consents.whom(identifier: "IT 1"), scope: try asking.scope([.heartRate], "5"), created: 0)
        let byNumber = try consents.ask(request, label: "IT 1", parameters: .caregiver).consent.id
        try consents.reachConsent(byNumber, now: 0)
        #expect(try consents.consent(byNumber)?.reach == .nobody(.repeated(bob.id.person)))
    }

    @Test("CONS-6: an asker takes a question back, ends what it reads, and nobody else's", arguments: Engine.allCases)
    func ended(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, other = Reader.caregiver(asking.boss.id)
        let open = try asking.ask(asking.scope()), running = try asking.give(asking.scope([.position]))
        #expect(try consents.endConsent(open, by: other, now: 5)?.refused == .notYours)
        #expect(try consents.endConsent(open, by: asking.reader, now: 5)?.cut == false)
        #expect(try consents.endConsent(running, by: asking.reader, now: 6)?.cut == true)
        #expect(
            try consents.endConsent(running, by: asking.reader, now: 7)?.cut == false
                && consents.endConsent(.random(), by: other, now: 7) == nil)
        let endings = try consents.consents(askedBy: asking.reader, now: 8).items.map { item -> Consent.Ending? in
            if case .over(let ending, _) = item.shown { ending } else { nil }
        }
        #expect(endings == [.endedByAsker, .withdrawn])
        #expect(try asking.notices(of: asking.ada) == [.over, .over, .asked])
    }

    @Test("CONS-9: a once is over with its delivery, and can be downloaded again if anything was read by it", arguments: Engine.allCases)
    func once(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        let read = try asking.give(asking.scope([.heartRate], "read", term: .once), now: 10)
        let unread = try asking.give(asking.scope([.heartRate], "unread", term: .once), now: 10)
        #expect(try consents.deliveredConsent(.random(), now: 11) == nil && consents.subscription(by: read, now: 11) == nil)
        try asking.accounts.ledger.recordRead(try #require(try consents.grant(by: read, to: asking.reader, now: 11)), now: 11)
        for id in [read, unread] { #expect(try consents.deliveredConsent(id, now: 12)?.cut == true) }
        let again = try #require(try consents.repeated(by: read, to: asking.reader, now: 13))
        #expect(try again.upTo == 10 && consents.repeated(by: unread, to: asking.reader, now: 13) == nil)
        #expect(try asking.accounts.reading(again.grant, now: 13) { true } == true)
        let shown = try consents.consents(askedBy: asking.reader, now: 13).items
        #expect(shown.map { $0.repeatedUntil != nil } == [false, true])
        #expect(try consents.answerConsent(read, .revoke, by: asking.ada.id, now: 14).cut)
        #expect(try asking.accounts.reading(again.grant, now: 15) { true } == nil)
    }

    @Test("DATA-10: of an asker who was deleted nothing is read, and of a person who was nobody is asked", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, accounts = asking.accounts
        let id = try asking.give(asking.scope()), grant = try #require(try consents.grant(by: id, to: asking.reader, now: 1))
        #expect(try accounts.reading(grant, now: 1) { true } == true)
        try accounts.deletePerson(asking.clinic.id.person, now: 2)
        #expect(try accounts.reading(grant, now: 3) { true } == nil && consents.grant(by: id, to: asking.reader, now: 3) == nil)
        #expect(try consents.consents(of: asking.person).items.isEmpty && consents.consents(of: asking.person).unreadable == 0)
        #expect(try consents.passTime(id, now: 4) == nil)
        let other = try AskingFixture(engine)
        try other.accounts.deletePerson(other.person, now: 1)
        let asked = try other.ask(other.scope(), now: 2)
        #expect(try other.consents.consent(asked)?.reach == .nobody(.unknown))
    }
}

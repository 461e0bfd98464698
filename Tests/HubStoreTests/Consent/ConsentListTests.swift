import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct ConsentListTests {
    @Test("CONS-7: a person sees who may read, what for, and when they last did", arguments: Engine.allCases)
    func followers(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, ledger = asking.accounts.ledger
        let one = try asking.give(asking.scope()), two = try asking.ask(asking.scope([.position]))
        let grant = try #require(try consents.grant(by: one, to: asking.reader, now: hour))
        for time in [hour, hour + 5, 3 * hour] { try ledger.recordRead(grant, now: time) }
        let page = try consents.consents(of: asking.person)
        #expect(page.items.map(\.consent.id) == [two, one] && page.items.map(\.name) == ["Clinic", "Clinic"] && page.next == nil)
        #expect(page.items.map(\.lastRead) == [nil, 3 * hour])
        #expect(try consents.running(of: asking.person).map(\.consent.id) == [one])
        #expect(
            try ledger.ledger(of: asking.person, consent: one).entries.map(\.what) == [.read, .read, .consent(.given, by: asking.ada.id)])
        #expect(try consents.consents(of: asking.boss.id.person).items.isEmpty)
    }

    @Test("CONS-7: a consent that runs is found on the first page, however many newer ones are over", arguments: Engine.allCases)
    func runningIsFound(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, kept = try asking.give(asking.scope([.weight]), now: 0)
        for number in 1...Milliseconds(ConsentStore.consentPageMax + 1) {
            let id = try asking.give(asking.scope([.heartRate]), now: 10 * number)
            _ = try consents.answerConsent(id, .revoke, by: asking.ada.id, now: 10 * number + 5)
        }
        #expect(try !consents.consents(of: asking.person).items.contains { $0.consent.id == kept })
        let first = try consents.firstConsents(of: asking.person)
        #expect(first.items.last?.consent.id == kept && first.next != nil)
    }

    @Test("CONS-9: long lists come in pages, each entry once, the newest first", arguments: Engine.allCases)
    func pages(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, count = ConsentStore.consentPageMax + 5
        let ids = try (0..<count).map { number in
            let request = ConsentRequest(
                whom: consents.whom(email: "n\(number)@example.org"), scope: try asking.scope(), created: Milliseconds(number))
            return try consents.ask(request, label: "n\(number)", parameters: .caregiver).consent.id
        }
        let first = try consents.consents(askedBy: asking.reader, now: 0)
        let second = try consents.consents(askedBy: asking.reader, before: first.next, now: 0)
        #expect(first.items.count == ConsentStore.consentPageMax && second.items.count == 5 && second.next == nil)
        #expect((first.items + second.items).map(\.id) == ids.reversed())
        let pseudonyms = asking.accounts.pseudonyms
        let named = try pseudonyms.pseudonymousConsents(askedBy: asking.reader, now: 0)
        let rest = try pseudonyms.pseudonymousConsents(askedBy: asking.reader, after: named.last?.asked.id, now: 0)
        #expect((named + rest).map(\.asked.id) == ids.reversed() && (named + rest).allSatisfy { $0.pseudonym == nil })
        #expect(try consents.runningConsents(askedBy: asking.reader, now: 0).items.isEmpty)
    }

    @Test(
        "CONS-15: an organisation sees the consents that run, each with what it may read; what ran out is left out at once",
        arguments: Engine.allCases)
    func running(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        let one = try asking.give(asking.scope()), brief = try asking.give(asking.scope([.position], term: .lasting(100)))
        _ = try asking.ask(asking.scope([.event]))
        #expect(try consents.runningConsents(askedBy: asking.reader, now: 99).items.map(\.id) == [brief, one])
        #expect(try consents.grants(to: asking.reader, now: 99).map(\.consent.id) == [one, brief])
        // The timer has not come yet.
        #expect(try consents.runningConsents(askedBy: asking.reader, now: 100).items.map(\.id) == [one])
        #expect(try consents.grants(to: asking.reader, now: 100).map(\.consent.id) == [one])
        #expect(try consents.subscription(by: one, now: 50)?.since == 0 && consents.subscription(by: brief, now: 100) == nil)
        #expect(try consents.grants(to: .caregiver(asking.boss.id), now: 50).isEmpty)
    }

    @Test("CONS-16: what is given unasked is given once; a service is added once, whatever words it has", arguments: Engine.allCases)
    func given(engine: Engine) throws {
        let asking = try AskingFixture(engine), service = ServiceID(high: 1, low: 1)
        let id = try asking.give(asking.scope([.heartRate, .position]))
        #expect(throws: ConsentProblem.alreadyRuns(id)) { try asking.give(asking.scope([.heartRate])) }
        let added = try asking.give(asking.scope([.heartRate], "one", service: service))
        #expect(throws: ConsentProblem.alreadyRuns(added)) { try asking.give(asking.scope([.position], "other", service: service)) }
        #expect(throws: ConsentProblem.notYours) {
            try asking.consents.giveConsent(
                try asking.scope([.event]), of: asking.person, by: asking.clinic.id, parameters: .caregiver, now: 0)
        }
        #expect(try asking.consents.consents(of: asking.person, for: service).map(\.id) == [added])
        #expect(try asking.consents.consents(of: asking.person, for: nil).map(\.id) == [added])
        #expect(try asking.consents.running(service, of: asking.person, now: 1)?.id == added)
        _ = try asking.consents.answerConsent(added, .revoke, by: asking.ada.id, now: 2)
        #expect(try asking.consents.running(service, of: asking.person, now: 3) == nil)
        #expect(try asking.give(asking.scope([.heartRate], "one", service: service), now: 4) != added)
    }

    @Test("CONS-7, DATA-12: a damaged consent is counted and told, and hides no other on any list", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, pseudonyms = asking.accounts.pseudonyms
        let good = try asking.give(asking.scope()), bad = try asking.give(asking.scope([.position]))
        let name = pseudonyms.pseudonym(of: asking.person, for: asking.reader, service: nil)
        try asking.damage(bad)
        let page = try consents.consents(of: asking.person)
        #expect(page.items.map(\.consent.id) == [good] && page.unreadable == 1)
        #expect(try consents.running(of: asking.person).map(\.consent.id) == [good])
        #expect(try consents.consents(askedBy: asking.reader, now: 1).items.map(\.id) == [good])
        #expect(try consents.consents(askedBy: asking.reader, now: 1).unreadable == 1)
        #expect(try consents.runningConsents(askedBy: asking.reader, now: 1).items.map(\.id) == [good])
        #expect(try consents.grants(to: asking.reader, now: 1).map(\.consent.id) == [good])
        #expect(try pseudonyms.pseudonymousConsents(askedBy: asking.reader, now: 1).map(\.asked.id) == [good])
        #expect(try pseudonyms.grants(to: asking.reader, on: asking.person, service: nil, now: 1).map(\.consent.id) == [good])
        #expect(try pseudonyms.person(name, for: asking.reader)?.person == asking.person)
        #expect(asking.fixture.keys.unreadable.rows == [UnreadableRow(.consent, bad)])
        // It lets nobody read, and is not taken for one that there never was.
        #expect(throws: HubStoreError.self) { try consents.grant(by: bad, to: asking.reader, now: 1) }
        #expect(throws: HubStoreError.self) { try consents.answerConsent(bad, .revoke, by: asking.ada.id, now: 1) }
        // The rest goes on: other questions reach, other consents are given.
        #expect(try consents.consent(asking.ask(asking.scope([.event])))?.person == asking.person)
        _ = try asking.give(asking.scope([.position], "another"))
    }

    @Test("CONS-2, CONS-11: what waits for a person and for the operators is counted until it is answered", arguments: Engine.allCases)
    func waitingCounts(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        #expect(try consents.openQuestions(of: asking.person) == 0 && consents.countAwaitingOperator() == 0)
        _ = try asking.ask(asking.scope(), parameters: .data4Help)
        #expect(try consents.openQuestions(of: asking.person) == 0 && consents.countAwaitingOperator() == 1)
        let question = try asking.ask(asking.scope([.position]))
        #expect(try consents.openQuestions(of: asking.person) == 1 && consents.openQuestions(of: asking.clinic.id.person) == 0)
        _ = try consents.answerConsent(question, .accept, by: asking.ada.id, now: 1)
        #expect(try consents.openQuestions(of: asking.person) == 0)
    }

    @Test("CONS-11: damaged requests and approvals keep no operator from the others", arguments: Engine.allCases)
    func damagedWaiting(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        let one = try asking.ask(asking.scope(), parameters: .data4Help),
            two = try asking.ask(asking.scope([.position]), parameters: .data4Help)
        try asking.damage(one)
        #expect(try consents.consentsAwaitingOperator(now: 1).map(\.id) == [two])
        _ = try consents.approveConsent(two, now: 2)
        try asking.fixture.damage("approval")
        let third = try asking.ask(asking.scope([.position]), email: "eve@example.org", parameters: .data4Help, now: 3)
        #expect(try asking.state(third) == .awaitingOperator, "without the approval an operator looks once more")
        #expect(asking.fixture.unreadable == [.approval, .consent])
    }

    @Test("SOS-21: a service is never called ended because its consent cannot be read", arguments: Engine.allCases)
    func damagedService(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents, sos = BuiltInService.automatedSOS.id
        let old = try asking.give(asking.scope([.heartRate], "old", service: sos))
        _ = try consents.answerConsent(old, .revoke, by: asking.ada.id, now: 1)
        let running = try asking.give(asking.scope([.heartRate], "new", service: sos), now: 2)
        #expect(try consents.running(sos, of: asking.person, now: 3)?.id == running)
        try asking.damage(running)
        #expect(throws: HubStoreError.self) { try consents.running(sos, of: asking.person, now: 3) }
        #expect(try consents.consents(of: asking.person, for: sos).map(\.id) == [old], "lists show what can be read")
        // Another service that runs is found beside it.
        let other = ServiceID(high: 9, low: 9), added = try asking.give(asking.scope([.heartRate], "x", service: other), now: 4)
        #expect(try consents.running(other, of: asking.person, now: 5)?.id == added)
    }

    @Test("CONS-10: a standing that cannot be read blocks until the person lifts it", arguments: Engine.allCases)
    func damagedStanding(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        _ = try consents.answerConsent(asking.ask(asking.scope()), .deny, by: asking.ada.id, now: 1)
        try asking.fixture.damage("standing")
        #expect(try consents.blockedAskers(of: asking.person).map(\.reader) == [asking.reader])
        let silent = try asking.ask(asking.scope([.position]), now: 2)
        #expect(try consents.consent(silent)?.reach == .nobody(.blocked(asking.person)) && asking.fixture.unreadable == [.standing])
        try consents.liftBlock(of: asking.reader, with: asking.person, by: asking.ada.id, now: 3)
        let heard = try asking.ask(asking.scope([.event]), now: 4)
        #expect(try consents.blockedAskers(of: asking.person).isEmpty && consents.consent(heard)?.person == asking.person)
    }

    @Test("DATA-11: a damaged consent is not forgotten as used up, and keeps none from being forgotten", arguments: Engine.allCases)
    func damagedRetention(engine: Engine) throws {
        let asking = try AskingFixture(engine), consents = asking.consents
        let ids = try (0..<3).map { try asking.give(asking.scope([.heartRate], "\($0)")) }
        for id in ids { _ = try consents.answerConsent(id, .revoke, by: asking.ada.id, now: 5) }
        try asking.damage(ids[1])
        #expect(try asking.accounts.forgetUsedUp(before: 100).consents == 2)
        #expect(try asking.fixture.count("consent") == 1 && asking.fixture.unreadable == [.consent])
    }

    @Test("DATA-12: a ledger comes in pages; a damaged line is counted, and hides no other", arguments: Engine.allCases)
    func ledger(engine: Engine) throws {
        let asking = try AskingFixture(engine), ledger = asking.accounts.ledger
        let id = try asking.give(asking.scope()), grant = try #require(try asking.consents.grant(by: id, to: asking.reader, now: 1))
        for number in 1...6 as ClosedRange<Milliseconds> { try ledger.recordRead(grant, now: number * hour) }
        try ledger.recordRead(
            try #require(try asking.consents.authority(over: asking.person).grant(to: asking.ada.id, at: 1)), now: 9 * hour)
        let first = try ledger.ledger(of: asking.person, count: 4),
            second = try ledger.ledger(of: asking.person, before: first.next, count: 4)
        #expect(first.entries.map(\.at) == [6, 5, 4, 3].map { $0 * hour } && second.entries.map(\.at) == [2 * hour, hour, 0])
        #expect(second.next == nil && second.entries[2].kinds.contains(.heartRate) && second.entries[0].name == "Clinic")
        #expect(try ledger.ledger(of: asking.person, count: 0).entries.count == 1, "one at least")
        try asking.fixture.damage("ledger", where: "time = \(5 * hour)")
        let page = try ledger.ledger(of: asking.person, count: 4)
        #expect(page.entries.map(\.at) == [6, 4, 3].map { $0 * hour } && page.unreadable == 1 && page.next == first.next)
        #expect(asking.fixture.unreadable == [.ledgerLine])
        try asking.accounts.deletePerson(asking.person, now: 1)
        #expect(try ledger.ledger(of: asking.person).entries.isEmpty)
    }

    @Test("CONS-2, CONS-7: a list says of each organisation what is true of it, however many ask", arguments: Engine.allCases)
    func facts(engine: Engine) throws {
        let asking = try AskingFixture(engine), accounts = asking.accounts
        let lab = try asking.fixture.account("Lab", [.organisation]), friend = try asking.fixture.account("Friend")
        let byLab = try asking.give(asking.scope(reader: .organisation(OrganisationID(lab.id))))
        let byClinic = try asking.give(asking.scope()), second = try asking.give(asking.scope([.position], "Another study"))
        let byFriend = try asking.give(asking.scope(reader: .caregiver(friend.id)))
        #expect(try accounts.organisations.setSuspended(true, lab.id, now: 5))
        try accounts.pool.write { db in
            for made in [70, 90, 80] as [Milliseconds] {
                try db.execute(
                    sql: "INSERT INTO approval(asker, consent, envelope, made) VALUES(?, ?, ?, ?)",
                    arguments: [asking.reader.key, Data(byClinic.bytes), Data(), made])
            }
        }
        let list = try asking.consents.consents(of: asking.person).items
        let facts = Dictionary(uniqueKeysWithValues: list.map { ($0.consent.id, $0.asker) })
        #expect(facts.count == 4)
        #expect(facts[byLab]??.isSuspended == true && facts[byLab]??.checked == nil)
        for id in [byClinic, second] { #expect(facts[id]??.isSuspended == false && facts[id]??.checked == 90) }
        #expect(facts[byFriend] == .some(nil), "a person is no organisation")
        for id in [byLab, byClinic, second, byFriend] {
            #expect(try asking.consents.consent(id, of: asking.person) == list.first { $0.consent.id == id })
        }
    }
}

import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Who counts in statistics about groups, and who says so.
@Suite struct GroupChoiceTests {
    private func words(_ fixture: HubFixture, of person: PersonID) throws -> [LedgerEntry.Content] {
        try fixture.accounts.ledger.ledger(of: person).entries.map(\.what)
    }

    @Test("CONS-13: a person counts until they object; both are in the ledger, and nobody else decides", arguments: Engine.allCases)
    func objection(engine: Engine) throws {
        let fixture = try HubFixture(engine), ada = try fixture.account("Ada"), eve = try fixture.account("Eve")
        let groups = fixture.accounts.consents.groups, person = ada.id.person
        #expect(try groups.standing(of: person).isCounted && groups.standing(of: person).choice == nil)
        #expect(throws: ConsentProblem.notYours) { try groups.choose(isCounted: false, of: person, by: eve.id, now: 5) }
        #expect(try groups.standing(of: person).isCounted && words(fixture, of: person).isEmpty)

        try groups.choose(isCounted: false, of: person, by: ada.id, now: 10)
        try groups.choose(isCounted: false, of: person, by: ada.id, now: 11)
        let out = try groups.standing(of: person)
        #expect(!out.isCounted && out.choice?.at == 10 && out.choice?.by == ada.id)
        #expect(try words(fixture, of: person) == [.counted(false, by: ada.id)])
        #expect(try !fixture.reopened().accounts.consents.groups.standing(of: person).isCounted)

        try groups.choose(isCounted: true, of: person, by: ada.id, now: 20)
        #expect(try groups.standing(of: person).isCounted && groups.standing(of: eve.id.person).isCounted)
        #expect(try words(fixture, of: person) == [.counted(true, by: ada.id), .counted(false, by: ada.id)])
    }

    @Test("ACC-17: a minor counts only with a parent's yes, and later only with a yes of somebody", arguments: Engine.allCases)
    func minors(engine: Engine) throws {
        let fixture = try HubFixture(engine), parent = try fixture.account("Parent"), groups = fixture.accounts.consents.groups
        let care = fixture.accounts.care
        guard case .added(let kid) = try care.openMinor(HubFixture.new("Kid"), guardian: parent.id, adultFrom: 1000, now: 0) else {
            throw HubFixture.Taken()
        }
        let person = kid.id.person
        #expect(try groups.standing(of: person) == GroupStanding(choice: nil, needsYes: true))
        #expect(try !groups.standing(of: person).isCounted)
        #expect(throws: ConsentProblem.notYours) { try groups.choose(isCounted: true, of: person, by: kid.id, now: 5) }
        try groups.choose(isCounted: true, of: person, by: parent.id, now: 10)
        #expect(try groups.standing(of: person).isCounted && groups.standing(of: person).choice?.by == parent.id)
        #expect(try words(fixture, of: person).contains(.counted(true, by: parent.id)))
        // Of age, they decide alone.
        #expect(throws: ConsentProblem.notYours) { try groups.choose(isCounted: false, of: person, by: parent.id, now: 2000) }
        try groups.choose(isCounted: false, of: person, by: kid.id, now: 2001)
        #expect(try !groups.standing(of: person).isCounted)
    }

    @Test("DATA-10, DATA-11: the choice is sealed, alike in length, and goes with the person; what does not open is an objection")
    func sealed() throws {
        let fixture = try HubFixture(.files), ada = try fixture.account("Ada"), bob = try fixture.account("Bob")
        let groups = fixture.accounts.consents.groups, told = Locked<[PersonID]>([]), other = Locked(0)
        fixture.accounts.listenToProfiles { person in told.change { $0.append(person) } }
        fixture.accounts.listenToProfiles { _ in other.change { $0 += 1 } }
        try groups.choose(isCounted: false, of: ada.id.person, by: ada.id, now: 1_700_000_000_000)
        try groups.choose(isCounted: true, of: bob.id.person, by: bob.id, now: 1_700_000_000_001)
        #expect(told.current == [ada.id.person, bob.id.person] && other.current == 2)
        let lengths = try fixture.accounts.pool.read { db in
            try db.fetchAll(
                Int.self, sql: "SELECT length(envelope) FROM group_choice WHERE person IN (?, ?)",
                arguments: [
                    Data(ada.id.person.bytes), Data(bob.id.person.bytes),
                ])
        }
        #expect(lengths.count == 2 && Set(lengths).count == 1)
        try fixture.damage("group_choice")
        #expect(try !groups.standing(of: bob.id.person).isCounted)
        _ = try fixture.accounts.deletePerson(ada.id.person, now: 2)
        try fixture.accounts.eraseRows(of: ada.id.person)
        #expect(try fixture.count("group_choice") == 1)
    }
}

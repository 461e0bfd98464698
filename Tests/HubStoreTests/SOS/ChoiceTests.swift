import Database
import Distress
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct ChoiceTests {
    @Test("SOS-1: what holds by default is off; turning it on and off is kept with who did it", arguments: Engine.allCases)
    func choices(engine: Engine) throws {
        let cases = try CaseFixture(engine), store = cases.store, by = cases.ada.id
        #expect(try store.choice(of: cases.person) == SOSChoice() && store.peopleWatched().isEmpty)
        let on = try store.change(cases.person, by: by, now: 5) { choice in
            choice.isOn = true
            return ["on"]
        }
        #expect(on.isOn && on.version == 1 && on.changedAt == 5 && on.changedBy == by)
        #expect(try store.peopleWatched() == [cases.person] && store.choice(of: cases.person) == on)
        #expect(try store.change(cases.person, by: by, now: 6) { _ in ["nothing"] } == on, "nothing changed: no version, no line")
        try store.change(cases.person, by: nil, now: 7) { choice in
            choice.isOn = false
            return ["by the hub itself"]
        }
        #expect(try store.peopleWatched().isEmpty && store.changes(of: cases.person).map(\.what) == [["on"]])
        let again = try cases.fixture.reopened().sos().choice(of: cases.person)
        #expect(again.version == 2 && again.changedAt == 5 && again.changedBy == by, "who did it last")
    }

    @Test("SOS-2: versions count over all people, so that a box of several has one", arguments: Engine.allCases)
    func versions(engine: Engine) throws {
        let cases = try CaseFixture(engine), store = cases.store, bob = try cases.fixture.account("Bob").id
        func turn(_ person: PersonID) throws -> Int {
            let choice = try store.change(person, by: cases.ada.id, now: 1) { choice in
                choice.asksFirst.toggle()
                return ["question"]
            }
            return choice.version
        }
        #expect(try [turn(cases.person), turn(bob.person), turn(cases.person), turn(bob.person)] == [1, 2, 3, 4])
        #expect(try store.changes(of: cases.person, count: 1).count == 1 && store.changes(of: bob.person).count == 2)
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try store.change(bob.person, by: nil, now: 2) { choice in
                choice.isOn = true
                throw Refused()
            }
        }
        #expect(try !store.choice(of: bob.person).isOn && turn(bob.person) == 5)
    }

    @Test("SOS-21: a choice that cannot be read is never taken for off; a damaged line hides no other change", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let cases = try CaseFixture(engine), store = cases.store
        for number in 0..<3 {
            try store.change(cases.person, by: cases.ada.id, now: Milliseconds(number)) { choice in
                choice.isOn = true
                choice.relativesAfter = Milliseconds(number)
                return ["\(number)"]
            }
        }
        try cases.damage("change", where: "id = 2")
        #expect(try store.changes(of: cases.person).map(\.what) == [["2"], ["0"]] && cases.fixture.unreadable == [.sosChange])
        try cases.damage("choice")
        #expect(throws: HubStoreError.self) { try store.choice(of: cases.person) }
        #expect(throws: HubStoreError.self) { try store.change(cases.person, by: nil, now: 9) { _ in [] } }
        #expect(try store.peopleWatched() == [cases.person])
    }

    @Test("SOS-1: the consent to calls runs until it is ended; each record is kept", arguments: Engine.allCases)
    func consent(engine: Engine) throws {
        let cases = try CaseFixture(engine), store = cases.store, parent = try cases.fixture.account("Parent").id
        #expect(try store.consent(of: cases.person) == nil)
        for (giver, time) in [(cases.ada.id, 1), (parent, 2)] as [(AccountID, Milliseconds)] {
            try store.setConsent(SOSConsent(giver: giver, document: "v\(time)", given: time), of: cases.person, now: time)
        }
        #expect(try store.consent(of: cases.person) == SOSConsent(giver: parent, document: "v2", given: 2))
        try store.setConsent(nil, of: cases.person, now: 3)
        #expect(try store.consent(of: cases.person) == nil && cases.fixture.count("consent", in: store.pool) == 2)
        #expect(try cases.fixture.count("consent", where: "ended IS NULL", in: store.pool) == 0)
    }

    @Test("SOS-2: a change of another life of the hub is known as far as this database saw it", arguments: Engine.allCases)
    func lives(engine: Engine) throws {
        let cases = try CaseFixture(engine), first = cases.store, by = cases.ada.id
        func change(_ store: SOSStore) throws -> SOSChoice {
            try store.change(cases.person, by: by, now: 1) { choice in
                choice.asksFirst.toggle()
                return ["question"]
            }
        }
        let one = try change(first), second = try cases.fixture.reopened().sos(), two = try change(second)
        let (old, new) = (first.origin(of: one, by: "Ada"), second.origin(of: two, by: "Ada"))
        #expect(old.version == 1 && new.version == 2 && old.hub != new.hub && new.time == 1)
        #expect(second.knows(old, two, versionOfBox: 2) && second.knows(new, two, versionOfBox: 2))
        let lost = SettingsOrigin(hub: .random(), version: 2, time: 1, by: nil),
            ahead = SettingsOrigin(hub: new.hub, version: 3, time: 1, by: nil)
        #expect(!second.knows(lost, two, versionOfBox: 2) && !second.knows(ahead, two, versionOfBox: 2))
        let oldest = SettingsOrigin(hub: nil, version: 2, time: nil, by: nil)
        #expect(second.knows(oldest, two, versionOfBox: 2) && !second.knows(oldest, two, versionOfBox: 1))
        #expect(second.knows(SettingsOrigin(hub: .random(), version: 0, time: nil, by: nil), two, versionOfBox: 0))
        var decided = two
        decided.accept(lost)
        #expect(second.knows(lost, decided, versionOfBox: 2))
    }
}

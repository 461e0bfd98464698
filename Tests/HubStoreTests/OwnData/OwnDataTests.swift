import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct OwnDataTests {
    @Test("DATA-10: a part is asked for by a person who is there, and listed with the keys, the oldest first", arguments: Engine.allCases)
    func parts(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), accounts = store.accounts, bob = try accounts.addPerson(name: "Bob", now: 0).id
        let second = try accounts.requestDeletion(of: [.position, .steps], in: 5...9, person: store.person, now: 20)
        let first = try accounts.requestDeletion(of: [.heartRate], in: 1...1, person: bob, now: 10)
        #expect(try accounts.deletedParts() == [first, second] && accounts.deletedParts(of: bob) == [first])
        #expect(try second.kinds == [.position, .steps] && second.span == 5...9 && accounts.deletedParts(of: .random()).isEmpty)
        #expect(throws: HubStoreError.self) { try accounts.requestDeletion(of: [.heartRate], in: 1...2, person: .random(), now: 1) }
        try accounts.deletePerson(bob, now: 30)
        #expect(throws: HubStoreError.self) { try accounts.requestDeletion(of: [.heartRate], in: 1...2, person: bob, now: 31) }
        #expect(try accounts.deletedParts() == [second], "with the key the list goes as well")
    }

    @Test("DATA-10: a part is unfinished until it was removed, pending and merged", arguments: Engine.allCases)
    func progress(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), accounts = store.accounts, erasure = store.series.erasure
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60), positions: positions(from: noon, count: 60)), sequence: 1)
        let part = try accounts.requestDeletion(of: [.heartRate], in: noon...noon + 29_999, person: store.person, now: 5)
        #expect(try erasure.unfinishedDeletions() == [part] && erasure.progress(of: part) == nil)
        try erasure.delete(part, now: 6)
        #expect(try erasure.progress(of: part) == .init(removed: 30, finished: 6) && erasure.unfinishedDeletions().isEmpty)
        #expect(try store.all().heartRates.count == 30 && store.all().positions.count == 60)
        // What comes for the span behind it is new.
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 5)), sequence: 2)
        #expect(try store.all().heartRates.count == 35)
    }

    @Test("DATA-10: a damaged block goes with the part that touches it: nobody can say what of it was to stay", arguments: Engine.allCases)
    func damagedBlock(engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60)), sequence: 1)
        try store.append(SampleSet(heartRates: heartRates(from: noon + 2 * hour, count: 60)), sequence: 2)
        try store.series.merger.merge(now: 1)
        try store.series.series.write { try $0.execute(sql: "UPDATE block SET envelope = zeroblob(60) WHERE utc_first = \(noon)") }
        #expect(try store.all().heartRates.count == 60, "no reading has it")
        let part = try store.accounts.requestDeletion(of: [.heartRate], in: noon...noon, person: store.person, now: 5)
        try store.series.erasure.delete(part, now: 6)
        #expect(try store.all().heartRates.count == 60 && store.series.erasure.progress(of: part)?.removed == 60)
    }

    @Test("DATA-8: what was overwritten is told once in so long, and the farthest instant stands", arguments: Engine.allCases)
    func overwritten(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, ada = try accounts.addPerson(name: "Ada", now: 0).id
        func note(_ until: Milliseconds, of person: PersonID, now: Milliseconds) throws -> Bool {
            try accounts.noteOverwritten(Overwritten(person: person, bytes: 1, until: until), pause: 100, now: now)
        }
        #expect(try accounts.overwritten(of: ada) == nil && accounts.overwritten(of: .random()) == nil)
        #expect(try note(50, of: ada, now: 10) && !note(40, of: ada, now: 109) && accounts.overwritten(of: ada) == 50)
        #expect(try note(60, of: ada, now: 110) && !note(70, of: ada, now: 120) && accounts.overwritten(of: ada) == 70)
        #expect(try !note(1, of: .random(), now: 0))
    }

    @Test("DATA-10: keys and rows are held against each other at the start", arguments: Engine.allCases)
    func reconciled(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts
        let ada = try accounts.addPerson(name: "Ada", now: 0).id, bob = try accounts.addPerson(name: "Bob", now: 0).id
        #expect(try accounts.reconcileKeys(now: 1).isEmpty)
        try accounts.deletePerson(ada, now: 2)
        try accounts.eraseRows(of: ada)
        #expect(try accounts.reconcileKeys(now: 3).isEmpty)
        // The key store of the day before: Ada is not on its list, and Bob has no key yet.
        try fixture.keys.pool.write { db in
            try db.execute(sql: "DELETE FROM deleted")
            try db.execute(sql: "DELETE FROM person_key WHERE person = ?", arguments: [Data(bob.bytes)])
        }
        let problems = try accounts.reconcileKeys(now: 4)
        #expect(problems.count == 2 && problems[0].contains("1 deleted people") && problems[1].contains("keys of 1 people"))
        #expect(try accounts.isDeleted(ada) && fixture.keys.deleted() == [ada: 4])
    }

    @Test("DATA-10: series of a deleted person are found and cleared; another's stay", arguments: Engine.allCases)
    func erased(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), erasure = store.series.erasure
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60)), sequence: 1)
        try store.series.merger.merge(now: 1)
        #expect(try erasure.erase(store.person) == 0 && erasure.deletedWithBlocks().isEmpty)
        try store.accounts.deletePerson(store.person, now: 2)
        #expect(try erasure.deletedWithBlocks() == [store.person] && !store.series.canSeal(store.person))
        #expect(try erasure.erase(store.person) == 1 && erasure.deletedWithBlocks().isEmpty && erasure.erase(store.person) == 0)
        #expect(try store.series.space.bytes(of: store.person) == 0 && store.count("SELECT count(*) FROM merged") == 1)
        #expect(try store.series.reader.read(.maintenance(of: store.person), from: 0, to: .max, now: 3) == nil)
    }

    @Test(
        "DATA-11: consents and lines that are old enough are forgotten; what a consent that is still there did stays",
        arguments: Engine.allCases)
    func forgotten(engine: Engine) throws {
        let asking = try AskingFixture(engine), accounts = asking.accounts
        let old = try asking.give(asking.scope()), running = try asking.give(asking.scope([.position]))
        for id in [old, running] {
            try accounts.ledger.recordRead(try #require(try asking.consents.grant(by: id, to: asking.reader, now: 1)), now: hour)
        }
        _ = try asking.consents.answerConsent(old, .revoke, by: asking.ada.id, now: 2 * hour)
        let early = try accounts.forgetUsedUp(before: 2 * hour), late = try accounts.forgetUsedUp(before: 3 * hour)
        #expect(early.consents == 0 && early.lines == 2, "the reads")
        #expect(late.consents == 1 && late.lines == 2, "the old one, and what is written of it")
        #expect(try asking.consents.consent(old) == nil && asking.consents.consent(running) != nil)
        #expect(try accounts.ledger.ledger(of: asking.person).entries.map(\.consent) == [running])
    }
}

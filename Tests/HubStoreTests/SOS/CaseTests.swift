import Database
import Distress
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct CaseTests {
    @Test("SOS-7: a case is found by its name and its other names, over a restart too", arguments: Engine.allCases)
    func names(engine: Engine) throws {
        let cases = try CaseFixture(engine), alias = IncidentID(high: 8, low: 1)
        let item = cases.incident(1, aliases: [alias])
        try cases.save(item)
        #expect(try cases.store.incident(item.id) == item && cases.store.incident(alias) == item && cases.store.incident(.random()) == nil)
        let again = try cases.fixture.reopened().sos()
        #expect(try again.incident(alias) == item && again.counts() == (1, 1))
        #expect(try again.cases(of: cases.person) == [item] && again.cases(of: .random()).isEmpty)
    }

    @Test(
        "SOS-8: a person has one case that is open; what one decision changed is stored together or not at all", arguments: Engine.allCases)
    func oneOpen(engine: Engine) throws {
        let cases = try CaseFixture(engine), bob = PersonID.random()
        try cases.save(cases.incident(1))
        #expect(throws: DatabaseError.self) {
            try cases.store.save([
                .init(person: bob, state: cases.state(of: bob), incident: cases.incident(2, of: bob)),
                .init(person: cases.person, incident: cases.incident(3)),
            ])
        }
        #expect(try cases.store.everything().states.isEmpty && cases.store.counts() == (1, 1))
        // A test beside it is no second one.
        try cases.save(cases.incident(4, isTest: true))
        #expect(try cases.store.counts() == (2, 1))
        try cases.save(cases.incident(1, ended: 20))
        try cases.save(cases.incident(3))
        #expect(try cases.store.counts() == (3, 1) && cases.store.cases(of: cases.person, count: 1).map(\.id.low) == [3])
    }

    @Test(
        "SOS-19: a test replaces no record of a real case; what belongs to a case joins it and changes nothing else",
        arguments: Engine.allCases)
    func onlyNew(engine: Engine) throws {
        let cases = try CaseFixture(engine), alias = IncidentID(high: 8, low: 1), item = cases.incident(1, aliases: [alias])
        try cases.save(item)
        try cases.store.save([.init(person: cases.person, incident: cases.incident(1, isTest: true), isOnlyNew: true)])
        #expect(try cases.store.incident(item.id)?.isTest == false)
        let joined = SOSCase.Joined(id: IncidentID(high: 9, low: 9), raisedAt: 15, at: 16)
        for _ in 0..<2 { try cases.store.save([.init(person: cases.person, joined: (alias, joined))]) }
        #expect(try cases.store.incident(item.id)?.joined == [joined])
        try cases.store.save([.init(person: cases.person, joined: (.random(), joined))])
        #expect(try cases.store.counts() == (1, 1))
    }

    @Test("SOS-21: a hub's start finds every state and each case at which something is to be done", arguments: Engine.allCases)
    func resumes(engine: Engine) throws {
        let cases = try CaseFixture(engine)
        var state = cases.state()
        (state.journal, state.pressNumber) = (77, 3)
        state.last = .init(id: IncidentID(high: 7, low: 2), outcome: .answeredLate, at: 5, aliases: [IncidentID(high: 8, low: 2)])
        try cases.store.save([.init(person: cases.person, state: state, incident: cases.incident(1))])
        try cases.save(cases.incident(2, ended: 20))
        let found = try cases.fixture.reopened().sos().everything()
        #expect(found.states[cases.person]?.journal == 77 && found.states[cases.person]?.last?.id.low == 2)
        #expect(found.cases.map(\.id.low) == [1] && found.problems.isEmpty)
        // The other name of the last case leads to it.
        #expect(try cases.store.incident(IncidentID(high: 8, low: 2))?.id.low == 2)
    }

    @Test("SOS-21: a damaged state or case is told at the start, and keeps nobody else unprotected", arguments: Engine.allCases)
    func damagedStart(engine: Engine) throws {
        let cases = try CaseFixture(engine), bob = try cases.fixture.account("Bob").id.person
        for (number, person) in [(1, cases.person), (2, bob)] as [(UInt64, PersonID)] {
            try cases.store.save([.init(person: person, state: cases.state(of: person), incident: cases.incident(number, of: person))])
        }
        for table in ["watch", "incident"] {
            try cases.store.pool.write { db in
                try db.execute(sql: "UPDATE \(table) SET envelope = zeroblob(60) WHERE person = ?", arguments: [Data(cases.person.bytes)])
            }
        }
        let found = try cases.store.everything()
        #expect(Array(found.states.keys) == [bob] && found.cases.map(\.person) == [bob] && found.problems.count == 2)
        // The case is not taken for over: no other one of this person begins.
        #expect(throws: HubStoreError.self) { try cases.store.incident(IncidentID(high: 7, low: 1)) }
        #expect(try cases.store.counts() == (2, 2) && cases.store.whileOpen(cases.person) { true } == true)
    }

    @Test("SOS-12: ends of a while ago are found; a damaged case is told and hides none of them", arguments: Engine.allCases)
    func ended(engine: Engine) throws {
        let cases = try CaseFixture(engine), start = 10 * day
        for number in 1...4 as ClosedRange<UInt64> {
            try cases.save(cases.incident(number, opened: start, ended: start + Milliseconds(number) * hour))
        }
        try cases.save(cases.incident(5, opened: start, ended: start + 9 * hour, isTest: true))
        #expect(try cases.store.casesEnded(since: start + 2 * hour).map(\.id.low) == [4, 3, 2])
        try cases.damage("incident", where: "id = 3")
        #expect(try cases.store.casesEnded(since: start + 2 * hour).map(\.id.low) == [4, 2])
        #expect(try cases.store.cases(of: cases.person).map(\.id.low) == [5, 4, 2, 1])
        let row = UnreadableRow(.sosCase, IncidentID(high: 7, low: 3))
        #expect(cases.fixture.keys.unreadable.rows == [row] && row.kind.concernsAlarms)
    }

    @Test("SOS-19: tests of a while ago are found; a damaged one is told, not left out in silence", arguments: Engine.allCases)
    func tests(engine: Engine) throws {
        let cases = try CaseFixture(engine)
        for number in 1...3 as ClosedRange<UInt64> {
            try cases.save(cases.incident(number, opened: Milliseconds(number) * 100, ended: Milliseconds(number) * 100, isTest: true))
        }
        try cases.save(cases.incident(4, opened: 400, ended: 400))
        #expect(try cases.store.tests(since: 200).map(\.id.low) == [3, 2])
        try cases.damage("incident", where: "id = 2")
        let told = Told<UnreadableRow>()
        cases.fixture.keys.unreadable.listen { told.tell($0) }
        for _ in 0..<2 { #expect(try cases.store.tests(since: 200).map(\.id.low) == [3]) }
        #expect(told.all == [UnreadableRow(.sosCase, IncidentID(high: 7, low: 2))])
    }

    @Test("SOS-6: the emergency chain reads while a case is open, and no longer", arguments: Engine.allCases)
    func chain(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), sos = try SOSStore(store.hub, keys: store.accounts.keys)
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 5), positions: positions(from: noon, count: 5)), sequence: 1)
        let grant = Grant.sos(of: store.person, since: noon + 602_000), last = Grant.sosLastPosition(of: store.person)
        func read(_ now: Milliseconds) throws -> HubStore.Reading? {
            try store.series.emergency(upheldBy: sos).read(grant, from: 0, to: .max, now: now)
        }
        #expect(try read(noon) == nil && store.series.emergency(upheldBy: sos).lastPosition(last, now: noon) == nil)
        let alarm = Alarm(id: IncidentID(high: 7, low: 1), person: store.person, provenance: .live, raisedAt: noon, abnormalities: [])
        var item = SOSCase(alarm, isTest: false, opened: noon)
        try sos.save([.init(person: store.person, incident: item)])
        #expect(try read(noon)?.heartRates.map(\.time) == [noon + 2000, noon + 3000, noon + 4000], "nothing from before the grant")
        #expect(try store.series.emergency(upheldBy: sos).lastPosition(last, now: noon + 5000)?.time == noon + 4000)
        #expect(try store.accounts.reading(grant, now: noon) { true } == nil, "by no other store")
        #expect(try store.series.emergency(upheldBy: sos).read(.maintenance(of: store.person), from: 0, to: .max, now: noon) == nil)
        item.ended = noon + 9
        try sos.save([.init(person: store.person, incident: item)])
        #expect(try read(noon) == nil && store.series.emergency(upheldBy: sos).lastPosition(last, now: noon) == nil)
    }

    @Test("DATA-10: a deleted person's cases cannot be read, and what remains is cleared and told", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let cases = try CaseFixture(engine), bob = try cases.fixture.account("Bob").id.person, told = Told<PersonID>()
        cases.store.tellErased { told.tell($0) }
        let item = cases.incident(1, aliases: [IncidentID(high: 8, low: 1)])
        try cases.store.save([
            .init(person: cases.person, state: cases.state(), incident: item), .init(person: bob, incident: cases.incident(2, of: bob)),
        ])
        try cases.store.setConsent(SOSConsent(giver: cases.ada.id, document: "1", given: 1), of: cases.person, now: 1)
        try cases.store.erase(cases.person)
        #expect(try told.all.isEmpty && cases.store.incident(item.id) != nil, "nobody is erased who was not deleted")
        try cases.fixture.accounts.deletePerson(cases.person, now: 5)
        #expect(try cases.store.incident(item.id) == nil && cases.store.cases(of: cases.person).isEmpty)
        #expect(try cases.store.deletedWithRows() == [cases.person] && cases.store.everything().cases.map(\.person) == [bob])
        try cases.store.save([.init(person: cases.person, incident: cases.incident(3))])
        try cases.store.erase(cases.person)
        #expect(try told.all == [cases.person] && cases.store.deletedWithRows().isEmpty && cases.store.counts() == (1, 1))
        for table in SOSStore.tables {
            let left = try cases.store.pool.read { db in
                try db.fetchOne(
                    Int.self, sql: "SELECT count(*) FROM \(table) WHERE person = ?", arguments: [Data(cases.person.bytes)])
            }
            #expect(left == 0, "\(table)")
        }
        #expect(cases.fixture.unreadable.isEmpty)
    }
}

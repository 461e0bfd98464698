import Database
import Groups
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// With what people count, as their rollups say it.
@Suite struct GroupValueTests {
    @Test("GRP-4: a number of each person's own says whether their rollups changed since it was looked at", arguments: Engine.allCases)
    func changes(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), values = store.series.groupValues
        let other = try store.accounts.addPerson(name: "Other", now: 0).id, people = [store.person, other].sorted()
        func changes() throws -> Int64 {
            let found = try values.changes(of: people)
            #expect(Set(found.keys) == Set(people) && found[other] == 0)
            return try #require(found[store.person])
        }
        #expect(try changes() == 0 && values.changes(of: []).isEmpty && values.changes(of: [.random()]).isEmpty)
        #expect(try values.changes(of: [other]) == [other: 0], "nobody's but theirs who are asked about")
        let end = noon + day
        var last: Int64 = 0
        for part in 0..<3 as Range<UInt64> {
            try store.append(SampleSet(heartRates: heartRates(from: noon + Milliseconds(part) * 3 * hour, count: 120)), sequence: part)
            try store.series.merger.merge(now: 1)
            #expect(try changes() == last && values.isWaiting(before: end), "merged, and not rolled up yet")
            try store.series.rollups.build(before: end)
            let now = try changes()
            #expect(try now > last && !values.isWaiting(before: end), "part \(part)")
            try store.series.rollups.build(before: end)
            #expect(try changes() == now, "nothing is worked out twice")
            last = now
        }
        let again = try store.reopened().series.groupValues
        #expect(try again.changes(of: [store.person]) == [store.person: last])
    }

    @Test("GRP-3, DATA-10: whose data does not count yet counts with nothing; who was deleted is not named", arguments: Engine.allCases)
    func values(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), other = try store.accounts.addPerson(name: "Other", now: 0).id
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 600)), sequence: 1)
        try store.series.merger.merge(now: 1)
        try store.series.rollups.build(before: noon + 30 * day)
        let people = [store.person, other].sorted().map { GroupValues.Person($0, created: noon) }, window = GroupWindow(.week, at: noon)
        func values() throws -> [PersonID: GroupValue] {
            try store.series.groupValues.values(of: people, in: window, kinds: [.heartRate], everPlayed: [])
        }
        let found = try values(), changes = try #require(try store.series.groupValues.changes(of: [store.person])[store.person])
        #expect(Set(found.keys) == [store.person, other] && found.values.allSatisfy { !$0.isSomething })
        #expect(found[store.person]?.holds(at: changes) == true && found[store.person]?.holds(at: changes + 1) == false)
        #expect(try store.series.groupValues.values(of: [], in: window, kinds: [.heartRate], everPlayed: []).isEmpty)
        try store.accounts.deletePerson(store.person, now: noon + day)
        #expect(try Array(values().keys) == [other])
    }
}

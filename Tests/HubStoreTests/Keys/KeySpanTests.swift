import Crypto
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// The keys of many people at once, for statistics about groups.
@Suite struct KeySpanTests {
    private func bytes(_ key: PersonKey?) -> [UInt8]? { key.map { $0.key.withUnsafeBytes { Array($0) } } }

    @Test(
        "DATA-10, GRP-3: keys of a span of people are those of each of them; who was deleted, and whose does not open, is left out",
        arguments: Engine.allCases)
    func span(engine: Engine) throws {
        let keys = try HubFixture(engine).keys, people = (1...6).map { PersonID(high: 7, low: $0) }
        for person in people { _ = try keys.key(of: person) }
        func found(_ first: Int, _ last: Int) throws -> [PersonID] {
            try keys.keys(from: people[first], through: people[last]).keys.sorted()
        }
        #expect(try found(0, 5) == people && found(1, 3) == Array(people[1...3]) && found(4, 4) == [people[4]] && found(3, 1).isEmpty)
        let all = try keys.keys(from: people[0], through: people[5])
        for person in people {
            #expect(try bytes(all[person]) == bytes(keys.key(of: person)) && all[person]?.number == keys.key(of: person)?.number)
        }
        _ = try keys.destroy(people[2], now: 5)
        try keys.pool.write { db in
            try db.execute(sql: "UPDATE person_key SET wrapped = zeroblob(60) WHERE person = ?", arguments: [Data(people[4].bytes)])
            // As a key that was moved to somebody else's row.
            try db.execute(
                sql: "UPDATE person_key SET wrapped = (SELECT other.wrapped FROM person_key other WHERE other.person = ?) WHERE person = ?",
                arguments: [Data(people[0].bytes), Data(people[5].bytes)])
        }
        #expect(try found(0, 5) == [people[0], people[1], people[3]])
        #expect(try keys.keys(from: .init(high: 8, low: 0), through: .init(high: 9, low: 0)).isEmpty)
    }
}

import Database
import Foundation
import TestSupport
import Testing

@testable import HubStore

@Suite struct MigrationTests {
    private static let lists: [String: [Migration]] = [
        "accounts": Migration.accounts, "keys": Migration.keys, "journal": Migration.journal, "series": Migration.series,
        "sos": Migration.sos,
        "runs": Migration.runs,
    ]

    private func schema(_ pool: DatabasePool) throws -> [String] {
        try pool.read { db in
            try db.fetchAll(
                String.self, sql: "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY type, name")
        }
    }

    @Test("OPS-2: a database of any earlier step comes to the same schema as a new one", arguments: MigrationTests.lists.keys.sorted())
    func steps(name: String) throws {
        let list = try #require(Self.lists[name]), directory = try TemporaryDirectory()
        let whole = try schema(DatabasePool(inMemory: list))
        #expect(Set(list.map(\.name)).count == list.count && !whole.isEmpty)
        for count in 1..<max(list.count, 2) {
            let path = directory.url.appendingPathComponent("\(count).sqlite").path
            try DatabasePool(path: path, migrations: Array(list.prefix(count))).close()
            let pool = try DatabasePool(path: path, migrations: list)
            #expect(try schema(pool) == whole, "from step \(count)")
            try pool.close()
            // Once more changes nothing.
            #expect(try schema(DatabasePool(path: path, migrations: list)) == whole)
        }
    }

    @Test("OPS-2: rows of the first schema are there in the last one")
    func rows() throws {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("runs.sqlite").path
        let old = try DatabasePool(path: path, migrations: Array(Migration.runs.prefix(1)))
        try old.write { db in
            try db.execute(
                sql: """
                    INSERT INTO run(run, code, state, is_public, starts, ends, closes, most, revision, schedule, south, west, north, east, created,
                        search, envelope) VALUES(x'01', 'A', 0, 1, 1, 2, 1, 5, 1, 1, 0, 0, 0, 0, 0, '', x'00')
                    """)
            try db.execute(
                sql: "INSERT INTO invitation(hash, run, number, left, created, expires, envelope) VALUES(x'02', 1, 1, 7, 0, 9, x'00')")
        }
        try old.close()
        let new = try DatabasePool(path: path, migrations: Migration.runs)
        #expect(try new.read { try $0.fetchOne(Int.self, sql: "SELECT uses FROM invitation WHERE run = 1") } == 7)
    }

    @Test("OPS-2: both engines have the same tables, indexes and triggers")
    func engines() throws {
        for (name, list) in Self.lists {
            let directory = try TemporaryDirectory()
            let file = try DatabasePool(path: directory.url.appendingPathComponent("\(name).sqlite").path, migrations: list)
            #expect(try schema(file) == schema(DatabasePool(inMemory: list)), "\(name)")
            #expect(try file.read { try $0.fetchAll(sql: "PRAGMA foreign_key_check") }.isEmpty)
        }
    }
}

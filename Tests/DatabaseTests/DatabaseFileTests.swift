import Database
import Foundation
import Synchronization
import TestSupport
import Testing

final class Told: Sendable {
    private let told = Mutex<[String]>([])
    func add(_ statement: String) { told.withLock { $0.append(statement) } }
    var all: [String] { told.withLock { $0 } }
}

@Suite struct DatabaseFileTests {
    @Test("a file is its owner's, syncs each commit, writes ahead, and has the page size that was asked for")
    func settings() throws {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("a.sqlite").path
        let pool = try DatabasePool(path: path, pageSize: 32_768, migrations: DatabaseFixture.migrations)
        func pragma(_ name: String) throws -> String? {
            try pool.writeWithoutTransaction { try $0.fetchOne(String.self, sql: "PRAGMA \(name)") }
        }
        #expect(try pragma("page_size") == "32768" && pragma("auto_vacuum") == "2")
        #expect(try pragma("journal_mode") == "wal" && pragma("synchronous") == "2")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(pool.path == path)
    }

    @Test("each step of the schema is done once, also when the file is opened again with more of them")
    func migrations() throws {
        let fixture = try DatabaseFixture()
        try fixture.pool.write { try $0.execute(sql: "INSERT INTO thing(name) VALUES('old')") }
        try fixture.pool.close()
        let more = DatabaseFixture.migrations + [Migration(name: "2 places", sql: "ALTER TABLE thing ADD COLUMN place TEXT")]
        let pool = try DatabasePool(path: fixture.pool.path, migrations: more)
        let row = try pool.read { try $0.fetchOne(sql: "SELECT name, place FROM thing") }
        #expect(row?[0] == "old" && row?[1] as String? == nil)
        // The table and its column are those that hubs of 0.3.0 have.
        let done = try pool.read { try $0.fetchAll(String.self, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid") }
        #expect(done == ["1 things", "2 places"])
    }

    @Test("OPS-6: a file that a newer version has changed is refused by an older one, and stays as it is")
    func downgrade() throws {
        let fixture = try DatabaseFixture()
        try fixture.pool.close()
        let newer = DatabaseFixture.migrations + [Migration(name: "2 places", sql: "ALTER TABLE thing ADD COLUMN place TEXT")]
        try DatabasePool(path: fixture.pool.path, migrations: newer).close()
        let older = DatabaseFixture.migrations + [Migration(name: "2 colours", sql: "ALTER TABLE thing ADD COLUMN colour TEXT")]
        for migrations in [DatabaseFixture.migrations, older] {
            let problem = #expect(throws: NewerDatabase.self) { try DatabasePool(path: fixture.pool.path, migrations: migrations) }
            #expect(problem?.description.contains("install that version again") == true)
        }
        let pool = try DatabasePool(path: fixture.pool.path, migrations: newer)
        let columns = try pool.read { try $0.fetchAll(String.self, sql: "SELECT name FROM pragma_table_info('thing')") }
        #expect(columns.contains("place") && !columns.contains("colour"))
    }

    @Test("a step that fails leaves nothing behind")
    func failedMigration() throws {
        let fixture = try DatabaseFixture()
        let wrong = DatabaseFixture.migrations + [Migration(name: "2", sql: "CREATE TABLE half(a INTEGER); CREATE TABLE thing(a INTEGER)")]
        #expect(throws: DatabaseError.self) { try DatabasePool(path: fixture.pool.path, migrations: wrong) }
        let tables = try fixture.pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM sqlite_master WHERE name = 'half'") }
        #expect(tables == 0)
    }

    @Test("what is none of a database is damaged, and what cannot be opened says so")
    func damaged() throws {
        let directory = try TemporaryDirectory(), file = directory.url.appendingPathComponent("a.sqlite")
        try Data(repeating: 7, count: 8192).write(to: file)
        func meaning(_ path: String) -> DatabaseError.Meaning? {
            do { _ = try DatabasePool(path: path) } catch { return (error as? DatabaseError)?.meaning }
            return nil
        }
        #expect(meaning(file.path) == .corrupt)
        #expect(meaning(directory.url.appendingPathComponent("none/a.sqlite").path) == .noAccess)
    }

    @Test("a commit of another connection changes the version, its own does not")
    func version() throws {
        let fixture = try DatabaseFixture()
        let before = try fixture.pool.dataVersion()
        try fixture.pool.write { try $0.execute(sql: "INSERT INTO thing(name) VALUES('own')") }
        #expect(try fixture.pool.dataVersion() == before)
        try DatabasePool(path: fixture.pool.path).write { try $0.execute(sql: "INSERT INTO thing(name) VALUES('other')") }
        #expect(try fixture.pool.dataVersion() != before)
    }

    @Test("what was deleted gives its space back in steps, and the log is emptied")
    func space() throws {
        let fixture = try DatabaseFixture(), pool = fixture.pool
        try pool.overwriteDeleted()
        let marker = Data("a mark that is deleted".utf8)
        try pool.write { db in
            for _ in 0..<50 { try db.execute(sql: "INSERT INTO thing(bytes) VALUES(?)", arguments: [marker + Data(count: 20_000)]) }
        }
        #expect(try pool.truncateLog())
        func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: pool.path)) }
        let before = try bytes()
        #expect(before.range(of: marker) != nil)
        try pool.write { try $0.execute(sql: "DELETE FROM thing") }
        var steps = 1
        while try pool.shrink(pages: 50) { steps += 1 }
        #expect(try pool.truncateLog())
        let after = try bytes()
        #expect(steps > 2 && after.count < before.count / 10)
        #expect(after.range(of: marker) == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: pool.path + "-wal")).isEmpty)
    }
}

import Database
import Foundation
import TestSupport
import Testing

/// The same for a file with several connections and for one connection in memory.
enum Kind: CaseIterable, Sendable {
    case file, memory
}

/// A database with one table.
struct DatabaseFixture {
    static let migrations = [
        Migration(
            name: "1 things",
            sql: """
                CREATE TABLE thing(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, number INTEGER, share REAL, bytes BLOB);
                CREATE INDEX thing_number ON thing(number);
                """)
    ]

    let directory: TemporaryDirectory
    let pool: DatabasePool

    init(_ kind: Kind = .file) throws {
        directory = try TemporaryDirectory()
        pool =
            switch kind {
            case .file: try DatabasePool(path: directory.url.appendingPathComponent("things.sqlite").path, migrations: Self.migrations)
            case .memory: try DatabasePool(inMemory: Self.migrations)
            }
    }

    var names: [String] {
        get throws { try pool.read { try $0.fetchAll(String.self, sql: "SELECT name FROM thing ORDER BY id") } }
    }
}

struct Undone: Error {}

@Suite struct DatabasePoolTests {
    @Test("values of every type come back as they were bound, nulls as nil", arguments: Kind.allCases)
    func values(kind: Kind) throws {
        let fixture = try DatabaseFixture(kind), pool = fixture.pool
        defer { withExtendedLifetime(fixture) {} }
        let bytes = Data([0, 1, 255])
        try pool.write { db in
            try db.execute(
                sql: "INSERT INTO thing(name, number, share, bytes) VALUES(?, ?, ?, ?)", arguments: ["è 'x'", Int64.min, 0.1, bytes])
            try db.execute(
                sql: "INSERT INTO thing(name, number, share, bytes) VALUES(?, ?, ?, ?)",
                arguments: [nil as String?, true, nil as Double?, Data?.none])
        }
        let rows = try pool.read { try $0.fetchAll(sql: "SELECT * FROM thing ORDER BY id") }
        let first = try #require(rows.first), last = try #require(rows.last)
        #expect(first["name"] == "è 'x'" && first[2] == Int64.min && first["SHARE"] == 0.1 && first[4] == bytes)
        #expect(first.columns == ["id", "name", "number", "share", "bytes"])
        #expect(first.values == [.integer(1), .text("è 'x'"), .integer(.min), .real(0.1), .bytes(bytes)])
        #expect(last[1] as String? == nil && last["number"] == true && last[2] == UInt8(1) && last[3] as Double? == nil)
        #expect(last[4] as Data? == nil && last != first && first == first)
        #expect(try first.withBytes(at: 4) { $0.map(Array.init) } == [0, 1, 255])
        #expect(try last.withBytes(at: 4) { $0 == nil })
    }

    @Test("arguments are put together in their order; an array of values is one for each ?", arguments: Kind.allCases)
    func arguments(kind: Kind) throws {
        let fixture = try DatabaseFixture(kind), pool = fixture.pool
        defer { withExtendedLifetime(fixture) {} }
        let sum = try pool.read {
            try $0.fetchOne(Int.self, sql: "SELECT ? * 100 + ? * 10 + ?", arguments: Arguments([1, 2]) + [3])
        }
        #expect(sum == 123)
        #expect(throws: DatabaseError.self, "too few") { try pool.read { try $0.fetchOne(Int.self, sql: "SELECT ? + ?", arguments: [1]) } }
    }

    @Test("a statement that is kept gives each time what it is asked for; RETURNING gives rows", arguments: Kind.allCases)
    func statements(kind: Kind) throws {
        let fixture = try DatabaseFixture(kind)
        try fixture.pool.write { db in
            let add = try db.cachedStatement(sql: "INSERT INTO thing(name, number) VALUES(?, ?) RETURNING id")
            for number in 1...3 as ClosedRange<Int64> { #expect(try add.insert(arguments: ["\(number)", number]) == number) }
            #expect(throws: NothingInserted.self) {
                try db.insert(sql: "INSERT INTO thing(name) VALUES(?) ON CONFLICT DO NOTHING RETURNING id", arguments: ["1"])
            }
            try db.execute(sql: "UPDATE thing SET number = number + 1 WHERE number >= ?", arguments: [2])
            #expect(db.changesCount == 2)
            let find = try db.cachedStatement(sql: "SELECT number FROM thing WHERE name = ?")
            #expect(try find.fetchOne(Int.self, arguments: ["3"]) == 4)
            #expect(try find.fetchOne(arguments: ["1"])?[0] == 1)
            #expect(try find.fetchOne(Int.self, arguments: ["none"]) == nil)
            #expect(try find.fetchAll(Int.self, arguments: ["2"]) == [3])
        }
        let seen = try fixture.pool.read { db in
            let rows = try db.fetchCursor(sql: "SELECT id, name FROM thing ORDER BY id DESC")
            var seen: [String] = []
            while let row = try rows.next() { seen.append(row[1]) }
            return seen
        }
        #expect(seen == ["3", "2", "1"])
    }

    @Test("what throws or asks for it is undone as a whole; a part of a transaction by itself", arguments: Kind.allCases)
    func undone(kind: Kind) throws {
        let fixture = try DatabaseFixture(kind), insert = "INSERT INTO thing(name) VALUES(?)"
        #expect(throws: Undone.self) {
            try fixture.pool.write { db in
                try db.execute(sql: insert, arguments: ["thrown"])
                throw Undone()
            }
        }
        try fixture.pool.writeInTransaction { db in
            try db.execute(sql: insert, arguments: ["given up"])
            return .rollback
        }
        #expect(try fixture.names.isEmpty)
        try fixture.pool.write { db in
            try db.execute(sql: insert, arguments: ["stays"])
            #expect(throws: Undone.self) {
                try db.inSavepoint {
                    try db.execute(sql: insert, arguments: ["thrown"])
                    throw Undone()
                }
            }
            try db.inSavepoint {
                try db.execute(sql: insert, arguments: ["given up"])
                return .rollback
            }
            try db.inSavepoint {
                try db.execute(sql: insert, arguments: ["kept"])
                return .commit
            }
        }
        try fixture.pool.writeInTransaction { db in
            try db.execute(sql: insert, arguments: ["committed"])
            return .commit
        }
        #expect(try fixture.names == ["stays", "kept", "committed"])
    }

    @Test("a read writes nothing, and may stand within another read", arguments: Kind.allCases)
    func reads(kind: Kind) throws {
        let fixture = try DatabaseFixture(kind)
        #expect(throws: DatabaseError.self) { try fixture.pool.read { try $0.execute(sql: "DELETE FROM thing") } }
        try fixture.pool.write { try $0.execute(sql: "INSERT INTO thing(name) VALUES('a')") }
        let count = try fixture.pool.read { _ in
            try fixture.pool.readWithinRead { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM thing") }
        }
        #expect(count == 1)
    }

    @Test("a read within a read sees the same state, whatever is committed meanwhile; one within a write sees what is being written")
    func readsWithin() throws {
        let fixture = try DatabaseFixture(), pool = fixture.pool
        func count() throws -> Int? { try pool.readWithinRead { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM thing") } }
        let insert = "INSERT INTO thing(name) VALUES('a')"
        let seen = try pool.read { db in
            let before = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM thing")
            try pool.write { try $0.execute(sql: insert) }
            return [before, try count(), try pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM thing") }]
        }
        #expect(seen == [0, 0, 1])
        #expect(try count() == 1)
        let written = try pool.write { db in
            try db.execute(sql: "DELETE FROM thing")
            return try count()
        }
        #expect(written == 0)
    }

    @Test("more threads than connections read, those that are too many after the others; a file that is closed is read by nobody")
    func manyReaders() async throws {
        let fixture = try DatabaseFixture(), pool = fixture.pool
        let begun = DispatchSemaphore(value: 0), go = DispatchSemaphore(value: 0), threads = 100
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 0..<threads {
                group.addTask {
                    await withCheckedContinuation { ended in
                        Thread.detachNewThread {
                            begun.signal()
                            let read = try? pool.read { db in
                                go.wait()
                                return try db.fetchOne(Int.self, sql: "SELECT ?", arguments: [number])
                            }
                            ended.resume(returning: read ?? -1000)
                        }
                    }
                }
            }
            Thread.detachNewThread {
                for _ in 0..<threads { begun.wait() }
                for _ in 0..<threads { go.signal() }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == threads * (threads - 1) / 2)
        try pool.close()
        #expect(throws: DatabaseError.self) { try pool.read { try $0.fetchOne(Int.self, sql: "SELECT 1") } }
        try pool.close()
    }

    @Test(
        "a store may read while it writes: a file shows what was committed, a single connection what it is writing",
        arguments: Kind.allCases)
    func readWithinWrite(kind: Kind) throws {
        let fixture = try DatabaseFixture(kind)
        let seen = try fixture.pool.write { db in
            try db.execute(sql: "INSERT INTO thing(name) VALUES('a')")
            return try fixture.names
        }
        #expect(seen == (kind == .file ? [] : ["a"]))
        #expect(try fixture.names == ["a"])
    }

    @Test("errors have a meaning, and name the statement without its values", arguments: Kind.allCases)
    func errors(kind: Kind) throws {
        let fixture = try DatabaseFixture(kind)
        func error(_ sql: String, _ arguments: Arguments = []) -> DatabaseError? {
            do {
                try fixture.pool.write { try $0.execute(sql: sql, arguments: arguments) }
                return nil
            } catch { return error as? DatabaseError }
        }
        let insert = "INSERT INTO thing(name, bytes) VALUES(?, ?)"
        #expect(error(insert, ["secret", Data()]) == nil)
        let twice = try #require(error(insert, ["secret", Data()]))
        #expect(twice.meaning == .constraint && twice.code == 2067 && twice.sql == insert)
        #expect("\(twice)".contains("UNIQUE constraint failed: thing.name") && !"\(twice)".contains("secret"), "\(twice)")
        #expect(error("SELECT * FROM nothing")?.meaning == .other)
        try fixture.pool.writeWithoutTransaction { _ = try $0.fetchOne(Int.self, sql: "PRAGMA max_page_count = 1") }
        #expect(error(insert, ["large", Data(count: 100_000)])?.meaning == .full)
    }

    @Test("the tables with a column are found, and the last number that was given, also of a row that is gone", arguments: Kind.allCases)
    func schema(kind: Kind) throws {
        let fixture = try DatabaseFixture(kind)
        try fixture.pool.write { db in
            #expect(try db.lastIdentity(of: "thing") == nil)
            try db.execute(sql: "CREATE TABLE other(number BLOB, name TEXT); INSERT INTO thing(name) VALUES('a'), ('b'); DELETE FROM thing")
            let found = try db.tables(withColumn: "number")
            #expect(found.map(\.name) == ["other", "thing"] && found.map(\.type) == ["BLOB", "INTEGER"])
            #expect(try db.tables(withColumn: "none").isEmpty)
            #expect(try db.lastIdentity(of: "thing") == 2)
        }
    }

    @Test("statements are told while somebody asks for them")
    func traced() throws {
        let fixture = try DatabaseFixture(.memory), told = Told()
        try fixture.pool.write { db in
            db.trace { told.add($0) }
            _ = try db.fetchOne(Int.self, sql: "SELECT 1")
            db.trace(nil)
            _ = try db.fetchOne(Int.self, sql: "SELECT 2")
        }
        #expect(told.all == ["SELECT 1"])
    }
}

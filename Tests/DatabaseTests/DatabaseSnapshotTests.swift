import Database
import Foundation
import TestSupport
import Testing

/// Several databases that a thread writes, one after the other, with a number that counts up.
private struct Counted {
    static let migrations = [Migration(name: "1", sql: "CREATE TABLE count(id INTEGER PRIMARY KEY, number INTEGER, bytes BLOB)")]
    let directory: TemporaryDirectory
    let pools: [DatabasePool]

    init(_ count: Int) throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        pools = try (0..<count).map {
            try DatabasePool(
                path: directory.url.appendingPathComponent("\($0).sqlite").path, pageSize: $0 == 0 ? 32_768 : 4096,
                migrations: Self.migrations)
        }
    }

    var paths: [String] { pools.map(\.path) }

    /// Writes a number into each database in turn.
    func write(_ number: Int) throws {
        for pool in pools {
            try pool.write { db in
                try db.execute(
                    sql: "INSERT INTO count(id, number, bytes) VALUES(?, ?, ?) ON CONFLICT(id) DO UPDATE SET number = excluded.number",
                    arguments: [number % 50, number, Data(repeating: UInt8(number % 251), count: 3000)])
            }
        }
    }

    /// Writes a snapshot into a file of its own.
    func copy(_ snapshot: DatabaseSnapshot, as name: String, piece: Int = 131_072) throws -> DatabasePool {
        var bytes: [UInt8] = []
        while bytes.count < snapshot.size { bytes += try snapshot.read(at: bytes.count, count: piece) }
        #expect(bytes.count == snapshot.size)
        let path = directory.url.appendingPathComponent(name).path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try DatabasePool(path: path)
    }
}

extension DatabasePool {
    fileprivate func newest() throws -> Int { try read { try $0.fetchOne(Int.self, sql: "SELECT max(number) FROM count") ?? -1 } }
}

@Suite(.timeLimit(.minutes(2))) struct DatabaseSnapshotTests {
    @Test("OPS-2: a snapshot is the database of its moment, whatever is written, moved out of the log or given back meanwhile")
    func stays() throws {
        let counted = try Counted(1), pool = try #require(counted.pools.first)
        for number in 0..<80 { try counted.write(number) }
        for round in 0..<4 {
            // With pages in the log alone; with some of them in the file; with an empty log; with a log that began anew.
            if round == 1 { try pool.writeWithoutTransaction { _ = try $0.fetchAll(sql: "PRAGMA wal_checkpoint(PASSIVE)") } }
            if round == 2 { try pool.truncateLog() }
            let before = try pool.newest(), rows = try pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM count") ?? 0 }
            let snapshot = try #require(try DatabaseSnapshot.ofOneMoment(counted.paths, tries: 1) {}.first)
            for number in 1000 * (round + 1)..<1000 * (round + 1) + 60 { try counted.write(number) }
            try pool.write { try $0.execute(sql: "DELETE FROM count WHERE id < 20") }
            try pool.writeWithoutTransaction { _ = try $0.fetchAll(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
            _ = try pool.shrink(pages: 100)
            let start = ContinuousClock.now
            #expect(try !pool.truncateLog(waitsForReaders: false))
            #expect(ContinuousClock.now - start < .seconds(5), "nobody is held up for the ten seconds of a writer")
            let copy = try counted.copy(snapshot, as: "copy\(round)")
            #expect(try copy.newest() == before && copy.integrityProblems().isEmpty)
            #expect(try copy.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM count") } == rows)
            try snapshot.end()
            #expect(throws: SnapshotProblem.self) { try snapshot.read(at: 0, count: 4096) }
        }
        #expect(try pool.truncateLog(), "nobody holds the log any more")
    }

    @Test("OPS-2: snapshots of several databases are of one moment, while they are written all the time, and hold no writer up")
    func oneMoment() throws {
        let counted = try Counted(4), stops = Locked(false), done = DispatchSemaphore(value: 0), written = Locked(0)
        try counted.write(0)
        Thread.detachNewThread {
            var number = 1
            while !stops.current {
                try? counted.write(number)
                let done = number
                written.change { $0 = done }
                number += 1
            }
            done.signal()
        }
        defer {
            stops.change { $0 = true }
            done.wait()
        }
        for round in 0..<20 {
            let snapshots = try DatabaseSnapshot.ofOneMoment(counted.paths, tries: 100_000) { usleep(200) }
            let held = written.current
            while written.current < held + 3 { usleep(500) }
            let newest = try snapshots.enumerated().map { try counted.copy($1, as: "copy\(round)-\($0)").newest() }
            for snapshot in snapshots { try snapshot.end() }
            // Whoever writes them in turn has come to one of them: those before it have the new number, those behind it the one before.
            #expect(newest == newest.sorted(by: >) && (newest.first ?? 0) - (newest.last ?? 0) <= 1, "\(newest)")
        }
    }

    @Test("OPS-2: where each try meets a commit, it is said, and nothing is held")
    func busy() throws {
        let counted = try Counted(2), pool = try #require(counted.pools.first)
        try counted.write(0)
        #expect(throws: NoCommonMoment.self) { try DatabaseSnapshot.ofOneMoment(counted.paths, tries: 0) {} }
        #expect(try pool.truncateLog())
    }

    @Test("OPS-2: a damaged page is found by the check of a whole file")
    func damaged() throws {
        let counted = try Counted(1), pool = try #require(counted.pools.first)
        for number in 0..<50 { try counted.write(number) }
        #expect(try pool.integrityProblems().isEmpty)
        try pool.closeAsOneFile()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: pool.path))
        let page = bytes.count / 32_768 / 2 * 32_768
        bytes.replaceSubrange(page..<page + 200, with: Data(repeating: 0xEE, count: 200))
        try bytes.write(to: URL(fileURLWithPath: pool.path))
        let found = Result { try DatabasePool(path: pool.path).integrityProblems() }
        if case .success(let problems) = found { #expect(!problems.isEmpty) }
    }
}

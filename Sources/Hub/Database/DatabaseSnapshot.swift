import GRDB
import GRDBSQLite
import Synchronization

/// A database as it was at one moment, page by page, while others go on writing. A reader's transaction holds the moment, so no writer waits.
///
/// SQLite has no function for pages of a snapshot. They are read as its file formats say (sqlite.org/fileformat2.html, section 4;
/// sqlite.org/walformat.html, section 2.1): of the write-ahead log where it has a page, of the file otherwise. Neither changes under a reader's
/// mark: no checkpoint copies frames behind it, and the log does not begin anew. They are read through SQLite's own descriptors, because closing
/// another one would drop the locks of the whole process.
public final class DatabaseSnapshot: Sendable {
    public let path: String
    private let queue: GRDB.DatabaseQueue
    private let held = Mutex<Held?>(nil)

    private struct Held: Sendable {
        var pageSize = 0
        var pageCount = 0
        /// Where the log has the newest version of a page: offset of the page itself.
        var frames: [Int: Int64] = [:]
    }

    /// The head of the log's index, which changes with each commit; and how many frames are in the file already.
    private struct LogState: Equatable {
        var head: [UInt8]
        var copied: UInt32

        var frames: UInt32 { head.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self) } }
        var salts: ArraySlice<UInt8> { head[32..<40] }
    }

    // MARK: The moment

    /// Opens several databases as they were at one moment: no commit to any of them lies between the first and the last.
    ///
    /// No lock is taken. It is looked whether one of them was written while the transactions began; if so, all begin anew.
    /// - Parameters:
    ///   - paths: files of databases with a write-ahead log.
    ///   - tries: how often it is tried.
    ///   - pause: waits a little before the next try.
    /// - Throws: ``NoCommonMoment`` when each try met a commit.
    public static func ofOneMoment(_ paths: [String], tries: Int, pause: () -> Void) throws -> [DatabaseSnapshot] {
        let all = try paths.map { try DatabaseSnapshot($0) }
        for _ in 0..<tries {
            let before = try all.map { try $0.look() }
            for snapshot in all { try snapshot.begin() }
            let after = try all.map { try $0.look() }
            let isQuiet = zip(before, after).allSatisfy { before, after in before != nil && before?.head == after?.head }
            if isQuiet {
                for (snapshot, state) in zip(all, after) { if let state { try snapshot.hold(state) } }
                return all
            }
            for snapshot in all { try snapshot.rollback() }
            pause()
        }
        throw NoCommonMoment(tries: tries)
    }

    private init(_ path: String) throws {
        self.path = path
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(10)
        // The transaction outlasts the closure in which it begins.
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseError.translating { try GRDB.DatabaseQueue(path: path, configuration: configuration) }
        try DatabaseError.translating {
            try queue.inDatabase { db in
                try db.execute(sql: "PRAGMA query_only = 1")
                guard try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal" else {
                    throw SnapshotProblem(path: path, reason: "it has no write-ahead log; start the hub once")
                }
                // Opens the log and reads the schema, so that what follows is quick.
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
            }
        }
    }

    private func begin() throws {
        try DatabaseError.translating {
            try queue.inDatabase { db in
                try db.execute(sql: "BEGIN DEFERRED TRANSACTION")
                // The transaction begins with its first read.
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
            }
        }
    }

    private func rollback() throws {
        try DatabaseError.translating { try queue.inDatabase { try $0.execute(sql: "ROLLBACK") } }
    }

    /// nil while a commit changes it.
    private func look() throws -> LogState? {
        try queue.inDatabase { db in
            let file = try pointer(to: SQLITE_FCNTL_FILE_POINTER, db)
            var region: UnsafeMutableRawPointer?
            let code = withUnsafeMutablePointer(to: &region) { place in
                place.withMemoryRebound(to: UnsafeMutableRawPointer?.self, capacity: 1) { place in
                    file.pointee.pMethods.pointee.xShmMap(file, 0, Self.indexRegion, 0, place)
                }
            }
            guard code == SQLITE_OK, let region else { throw SnapshotProblem(path: path, reason: "the index of its log cannot be read") }
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            let bytes = Array(UnsafeRawBufferPointer(start: region, count: Self.headsLength + 4))
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            let half = Self.headsLength / 2
            guard bytes[..<half].elementsEqual(bytes[half..<Self.headsLength]) else { return nil }
            let copied = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: Self.headsLength, as: UInt32.self) }
            return LogState(head: Array(bytes[..<half]), copied: copied)
        }
    }

    /// Bytes of the log's index that SQLite maps at once, and of its head, which stands there twice.
    private static let indexRegion: Int32 = 32_768, headsLength = 96
    /// Bytes of the log's head, and before each of its pages.
    private static let logHead: Int64 = 32, frameHead = 24

    private func hold(_ state: LogState) throws {
        let new = try DatabaseError.translating {
            try queue.inDatabase { db in
                var new = Held()
                new.pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
                new.pageCount = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                // All frames are in the file: the log may begin anew, and the file stays as it is.
                guard state.copied < state.frames else { return new }
                let log = try pointer(to: SQLITE_FCNTL_JOURNAL_POINTER, db)
                var head = [UInt8](repeating: 0, count: Self.frameHead)
                for frame in 0..<Int64(state.frames) {
                    let place = Self.logHead + frame * Int64(Self.frameHead + new.pageSize)
                    try read(log, &head, at: place)
                    guard head[8..<16] == state.salts else {
                        throw SnapshotProblem(path: path, reason: "its log is not what its index says")
                    }
                    let page = head[..<4].reduce(0) { $0 << 8 | Int($1) }
                    new.frames[page] = place + Int64(Self.frameHead)
                }
                return new
            }
        }
        held.withLock { $0 = new }
    }

    // MARK: Pages

    /// In bytes.
    public var size: Int { held.withLock { $0.map { $0.pageSize * $0.pageCount } ?? 0 } }
    /// In bytes, 512 to 65,536.
    public var pageSize: Int { held.withLock { $0?.pageSize ?? 0 } }

    /// The bytes of whole pages.
    /// - Parameters:
    ///   - offset: a multiple of ``pageSize``, below ``size``.
    ///   - count: bytes, a multiple of ``pageSize``; fewer come at the end.
    public func read(at offset: Int, count: Int) throws -> [UInt8] {
        guard let held = held.withLock({ $0 }) else { throw SnapshotProblem(path: path, reason: "its moment is over") }
        let first = offset / held.pageSize, last = min(held.pageCount, first + count / held.pageSize)
        guard first < last else { return [] }
        return try queue.inDatabase { db in
            let file = try pointer(to: SQLITE_FCNTL_FILE_POINTER, db)
            var length: sqlite3_int64 = 0
            guard file.pointee.pMethods.pointee.xFileSize(file, &length) == SQLITE_OK else {
                throw SnapshotProblem(path: path, reason: "its size is not known")
            }
            var bytes = [UInt8](repeating: 0, count: (last - first) * held.pageSize)
            let there = max(0, min(bytes.count, Int(length) - first * held.pageSize))
            try read(file, &bytes, count: there, at: Int64(first * held.pageSize))
            let log = held.frames.isEmpty ? nil : try pointer(to: SQLITE_FCNTL_JOURNAL_POINTER, db)
            var page = [UInt8](repeating: 0, count: held.pageSize)
            for index in first..<last {
                let place = (index - first) * held.pageSize
                if let log, let frame = held.frames[index + 1] {
                    try read(log, &page, at: frame)
                    bytes.replaceSubrange(place..<place + held.pageSize, with: page)
                } else if place + held.pageSize > there, index != Self.lockByte / held.pageSize {
                    throw SnapshotProblem(path: path, reason: "it is shorter than it says")
                }
            }
            return bytes
        }
    }

    /// The page with this byte is never written.
    private static let lockByte = 0x4000_0000

    /// Lets the moment go: the log may be emptied again.
    public func end() throws {
        guard
            held.withLock({ held in
                defer { held = nil }
                return held
            }) != nil
        else { return }
        try rollback()
        try DatabaseError.translating { try queue.close() }
    }

    // MARK: SQLite's files

    private func pointer(to what: Int32, _ db: GRDB.Database) throws -> UnsafeMutablePointer<sqlite3_file> {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = withUnsafeMutablePointer(to: &file) { sqlite3_file_control(db.sqliteConnection, "main", what, $0) }
        guard code == SQLITE_OK, let file else { throw SnapshotProblem(path: path, reason: "its files cannot be reached") }
        return file
    }

    private func read(_ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: inout [UInt8], count: Int? = nil, at offset: Int64) throws {
        let count = count ?? bytes.count
        guard count > 0 else { return }
        let code = bytes.withUnsafeMutableBytes { file.pointee.pMethods.pointee.xRead(file, $0.baseAddress, Int32(count), offset) }
        guard code == SQLITE_OK else { throw SnapshotProblem(path: path, reason: "it cannot be read (SQLite error \(code))") }
    }
}

/// Databases were written too often to be seen at one moment.
public struct NoCommonMoment: Error, Sendable, Hashable {
    public let tries: Int
}

/// A database cannot be read page by page.
public struct SnapshotProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let path: String
    public let reason: String

    public var description: String { "\(path): \(reason)" }
}

extension DatabasePool {
    /// What SQLite's own check of the whole file finds; empty when all is well.
    public func integrityProblems() throws -> [String] {
        try read { db in
            try db.fetchAll(String.self, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
        }
    }
}

import Foundation
import GRDB
import Synchronization

/// A database: one connection that writes and several that read beside it. Each `read` and each `write` is one transaction; the closures are
/// synchronous, so that nothing else gets in between. Both block the calling thread.
public final class DatabasePool: Sendable {
    /// The file; `:memory:` for a database in memory.
    public let path: String
    private let engine: Engine

    private enum Engine {
        /// A file with a write-ahead log.
        case file(GRDB.DatabaseQueue, Readers)
        /// One connection: in memory, or to a file that is only read.
        case single(GRDB.DatabaseQueue)

        var writer: GRDB.DatabaseQueue {
            switch self {
            case .file(let queue, _), .single(let queue): queue
            }
        }
    }

    /// The thread that writes; 0 for none.
    private let writingThread = Atomic<UInt>(0)

    /// Readers side by side in one file, which are opened when they are needed. More than the threads of a hub that may read for long: whoever
    /// answers an alarm finds one that is free.
    private static let readersMax = 32
    /// How long a writer waits for one of another process, in seconds.
    private static let busyTimeout = 10.0
    /// The same where writers need not be held up.
    private static let readersTimeout = 0.05

    /// Opens a file, which is made when it is not there, readable by its owner only. A commit returns after its fsync.
    /// - Parameters:
    ///   - pageSize: in bytes, a power of two from 512 to 65,536; of an existing file it stays as it is.
    ///   - migrations: the steps to the present schema; those that were done already are left out.
    public init(path: String, pageSize: Int = 4096, migrations: [Migration] = []) throws {
        self.path = path
        engine = try DatabaseError.translating {
            if !FileManager.default.fileExists(atPath: path) { try Self.make(path, pageSize: pageSize) }
            var configuration = GRDB.Configuration()
            configuration.busyMode = .timeout(Self.busyTimeout)
            configuration.journalMode = .wal
            let queue = try GRDB.DatabaseQueue(path: path, configuration: configuration)
            // GRDB chooses NORMAL for WAL; an acknowledgement may only follow an fsync.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            if !migrations.isEmpty { try Migration.run(migrations, on: queue) }
            return .file(queue, Readers(path: path, configuration: configuration, count: Self.readersMax))
        }
    }

    /// A database in memory with a single connection, which is gone with the last reference. Reads and writes wait for each other.
    public init(inMemory migrations: [Migration]) throws {
        path = ":memory:"
        engine = try DatabaseError.translating {
            let queue = try GRDB.DatabaseQueue()
            try Migration.run(migrations, on: queue)
            return .single(queue)
        }
    }

    /// Opens a file that somebody else wrote, to read it only: it is neither made nor changed. Reads wait for each other.
    public init(reading path: String) throws {
        self.path = path
        engine = try DatabaseError.translating {
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            return .single(try GRDB.DatabaseQueue(path: path, configuration: configuration))
        }
    }

    /// Page size and vacuum mode can only be chosen before the first table and before WAL.
    private static func make(_ path: String, pageSize: Int) throws {
        let queue = try GRDB.DatabaseQueue(path: path)
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA page_size = \(pageSize)")
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try db.execute(sql: "VACUUM")
        }
        try queue.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// The writer is closed last: it alone can move the log into the file.
    deinit {
        if case .file(_, let readers) = engine { try? readers.close() }
    }

    // MARK: Transactions

    /// Reads in one transaction: everything in `body` sees the same state, whatever is written meanwhile.
    public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try DatabaseError.translating {
            switch engine {
            case .file(_, let readers): try readers.read { try body(Connection(database: $0)) }
            case .single(let queue): try Self.read(queue) { try body(Connection(database: $0)) }
            }
        }
    }

    /// As ``read(_:)``, also within a `read` or a `write` of the same database, whose connection and state it then takes.
    public func readWithinRead<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try DatabaseError.translating {
            guard case .file(let queue, let readers) = engine else {
                return try engine.writer.unsafeReentrantRead { try body(Connection(database: $0)) }
            }
            let isWriting = writingThread.load(ordering: .relaxed) == Readers.thisThread
            guard let own = try isWriting ? queue : readers.ofThisThread() else { return try read(body) }
            return try own.unsafeReentrantRead { try body(Connection(database: $0)) }
        }
    }

    /// Writes in one transaction, which is undone when `body` throws. One at a time; not within another of the same database.
    @discardableResult
    public func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try DatabaseError.translating { try engine.writer.write { db in try writing { try body(Connection(database: db)) } } }
    }

    /// As ``write(_:)``; `body` says whether what it did stays.
    public func writeInTransaction(_ body: (Connection) throws -> TransactionEnd) throws {
        try DatabaseError.translating {
            try engine.writer.inTransaction { db in try writing { try body(Connection(database: db)).completion } }
        }
    }

    /// The writing connection without a transaction: each statement is committed by itself.
    @discardableResult
    public func writeWithoutTransaction<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try DatabaseError.translating {
            try engine.writer.writeWithoutTransaction { db in try writing { try body(Connection(database: db)) } }
        }
    }

    private func writing<Result>(_ body: () throws -> Result) rethrows -> Result {
        writingThread.store(Readers.thisThread, ordering: .relaxed)
        defer { writingThread.store(0, ordering: .relaxed) }
        return try body()
    }

    /// A store may read while it writes. With a single connection such a read belongs to the open transaction.
    private static func read<Result>(_ queue: GRDB.DatabaseQueue, _ body: (GRDB.Database) throws -> Result) throws -> Result {
        try queue.unsafeReentrantRead { db in
            guard !db.isInsideTransaction else { return try body(db) }
            try db.execute(sql: "PRAGMA query_only = 1; BEGIN DEFERRED TRANSACTION")
            defer { try? db.execute(sql: "ROLLBACK; PRAGMA query_only = 0") }
            return try body(db)
        }
    }

    // MARK: Files

    /// Closes the file before the last reference is gone; nothing can be read or written after that.
    public func close() throws {
        try DatabaseError.translating {
            if case .file(_, let readers) = engine { try readers.close() }
            try engine.writer.close()
        }
    }

    /// As ``close()``, and the file stands alone from then on, without a log beside it: it can be moved, and read by whoever may not write.
    public func closeAsOneFile() throws {
        // Nobody else may have it open.
        if case .file(_, let readers) = engine { try DatabaseError.translating { try readers.close() } }
        try writeWithoutTransaction { _ = try $0.fetchAll(sql: "PRAGMA journal_mode = DELETE") }
        try close()
    }

    /// A number that changes when another process commits.
    public func dataVersion() throws -> Int {
        try writeWithoutTransaction { try $0.fetchOne(Int.self, sql: "PRAGMA data_version") ?? 0 }
    }

    /// From now on what is deleted is overwritten, not only unlinked.
    public func overwriteDeleted() throws {
        try writeWithoutTransaction { _ = try $0.fetchAll(sql: "PRAGMA secure_delete = ON") }
    }

    /// Moves the write-ahead log into the file and empties it.
    /// - Parameter waitsForReaders: whether it waits for another process that is just reading as long as for one that writes, and writers with it.
    /// - Returns: false when another process is just reading, so that the log stays.
    @discardableResult
    public func truncateLog(waitsForReaders: Bool = true) throws -> Bool {
        let wait = waitsForReaders ? Self.busyTimeout : Self.readersTimeout
        do {
            try writeWithoutTransaction { db in
                _ = try db.fetchAll(sql: "PRAGMA busy_timeout = \(Int(wait * 1000))")
                defer { _ = try? db.fetchAll(sql: "PRAGMA busy_timeout = \(Int(Self.busyTimeout * 1000))") }
                _ = try db.database.checkpoint(.truncate)
            }
            return true
        } catch let error as DatabaseError where error.meaning == .busy {
            return false
        }
    }

    /// Gives free pages of the file back to the file system.
    /// - Parameter pages: at most so many, so that the writer is not held up.
    /// - Returns: whether free pages are left and more can be given back.
    public func shrink(pages: Int) throws -> Bool {
        try writeWithoutTransaction { db in
            let before = try db.fetchOne(Int.self, sql: "PRAGMA freelist_count") ?? 0
            if before > 0 { _ = try db.fetchAll(sql: "PRAGMA incremental_vacuum(\(pages))") }
            let after = try db.fetchOne(Int.self, sql: "PRAGMA freelist_count") ?? 0
            return after > 0 && after < before
        }
    }
}

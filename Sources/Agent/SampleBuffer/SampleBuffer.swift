internal import GRDB
public import Seams
internal import Synchronization
public import Vitals

/// An instant that can be put in order with those of other boots without any clock.
public struct BufferTime: Sendable, Hashable {
    /// Counts the boots that the buffer has seen.
    public var boot: UInt32
    /// Since that boot.
    public var milliseconds: Milliseconds

    public init(boot: UInt32, milliseconds: Milliseconds) {
        self.boot = boot
        self.milliseconds = milliseconds
    }

    /// Grows from hour to hour and from boot to boot.
    var hour: Int64 { Int64(boot) << 24 + milliseconds / 3_600_000 }
}

/// The agent's outbox: one SQLite file with sealed segments, what became of them, and the progress of replays (design rules 1 to 3).
///
/// Every method is one transaction that is on the disk (`synchronous = FULL`) when it returns; nothing is freed before the hub acknowledged
/// it. A damaged file is set aside, what can be read is carried over, and the call goes on with the new file.
public final class SampleBuffer: Sendable {
    public struct Limits: Sendable, Hashable {
        /// Bytes of the file's used pages.
        public var bytesMax: Int = 512 << 20
        /// Acknowledged and refused segments are kept so long, as space allows: a restored hub asks for them.
        public var retention: Milliseconds = 14 * 86_400_000

        public init() {}
    }

    public let path: String
    public let limits: Limits
    /// Bytes that may still be written to the disk of a file; nil where nobody says.
    let freeBytes: @Sendable (String) -> Int?
    private let file: Mutex<BufferFile>
    private let notices: Mutex<[String]>
    let unconfirmed = UnconfirmedSeal()
    let deferred = Mutex(DeferredAnswers())
    /// There may be damaged files that were not read to their ends.
    let hasRest = Mutex(true)
    /// A salvage reads for so long before the new file starts.
    private let salvageTime: Duration
    let machine: Machine

    /// Opens the buffer in a directory that exists, and makes it when it is not there. While the disk is full it may stay closed: a notice
    /// says so, every call fails, and each tries again.
    /// - Parameter machine: whose clock, random numbers and files it takes.
    public convenience init(directory: String, limits: Limits = Limits(), machine: Machine = .system) throws(BufferError) {
        try self.init(directory: directory, limits: limits, machine: machine, freeBytes: DiskSpace.free)
    }

    init(
        directory: String, limits: Limits, salvageTime: Duration = Salvaged.timeMax, machine: Machine = .system,
        freeBytes: @escaping @Sendable (String) -> Int?
    ) throws(BufferError) {
        let path = directory + "/buffer.sqlite"
        do {
            let opened = try Self.openOrSalvage(path, for: salvageTime, on: machine)
            file = Mutex(BufferFile(queue: opened.queue))
            notices = Mutex(opened.notices)
        } catch let error as DatabaseError where error.isRefusal {
            file = Mutex(BufferFile())
            notices = Mutex(["\(BufferError(error, path: path))"])
        } catch {
            throw BufferError(error, path: path)
        }
        self.path = path
        self.limits = limits
        (self.salvageTime, self.machine) = (salvageTime, machine)
        self.freeBytes = freeBytes
    }

    /// What happened to the file that somebody should know; each is told once.
    public func takeNotices() -> [String] {
        notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
    }

    func notify(_ notice: String) { notices.withLock { $0.append(notice) } }

    func write<Value: Sendable>(_ body: (Database) throws -> Value) throws(BufferError) -> Value {
        try perform(writing: true) { try $0.write(body) }
    }

    func read<Value: Sendable>(_ body: (Database) throws -> Value) throws(BufferError) -> Value {
        try perform(writing: false) { try $0.read(body) }
    }

    private func perform<Value: Sendable>(writing: Bool, _ body: (DatabaseQueue) throws -> Value) throws(BufferError) -> Value {
        let result = file.withLock { file in
            Result {
                do {
                    return try body(try opened(&file))
                } catch  where file.queue != nil && file.isDamaged(by: error) {
                    // A read that the disk refused once looks the same: what is found at a second opening counts.
                    try? file.queue?.close()
                    file.queue = nil
                }
                let queue = try opened(&file)
                do {
                    return try body(queue)
                } catch  where file.isDamaged(by: error) {
                    try? queue.close()
                    file.queue = nil
                    file.damage = (error as? DatabaseError)?.message ?? "unreadable values"
                    let salvaged = try opened(&file)
                    do { return try body(salvaged) } catch {
                        if case .likely = Damage(error) { file.suspectsFile = false }
                        throw error
                    }
                }
            }
        }
        do { return try result.get() } catch {
            if (error as? DatabaseError)?.resultCode == .SQLITE_READONLY { closeReadOnly() }
            throw BufferError(error, path: path, writing: writing)
        }
    }

    /// Where a file cannot be opened for writing SQLite opens it for reading, and that stays so: the next call opens it again.
    func closeReadOnly() {
        file.withLock { file in
            try? file.queue?.close()
            file.queue = nil
        }
    }

    /// Brings the log into the file, so that the next write begins at the log's start and needs no room on the disk for it; answers whether
    /// that succeeded.
    func restartLog() -> Bool {
        file.withLock { file in
            guard let queue = file.queue else { return false }
            return (try? queue.writeWithoutTransaction { _ = try $0.checkpoint(.restart) }) != nil
        }
    }

    /// Brings the log into the file, and leaves nothing of it behind.
    func emptyLog() throws(BufferError) {
        let result = file.withLock { file in
            Result {
                try file.queue?.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
                WriteAheadLog.fill(path + "-wal")
            }
        }
        do { try result.get() } catch { throw BufferError(error, path: path, writing: true) }
    }

    private func opened(_ file: inout BufferFile) throws -> DatabaseQueue {
        if let queue = file.queue { return queue }
        let opened = try Self.openOrSalvage(path, because: file.damage, for: salvageTime, on: machine)
        (file.queue, file.damage) = (opened.queue, nil)
        if let before = unconfirmed.last { try opened.queue.write { try before.restore($0) } }
        // After a salvage, what the hub has is sent again.
        if !opened.notices.isEmpty {
            deferred.withLock { $0.clear() }
            hasRest.withLock { $0 = true }
        }
        notices.withLock { $0 += opened.notices }
        return opened.queue
    }
}

extension SampleBuffer {
    static func openQueue(_ path: String, on machine: Machine) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // For a new file only. A commit writes whole pages, and small ones spare the memory card: a segment has about 200 bytes.
            try database.execute(sql: "PRAGMA page_size = 512; PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY")
            database.add(function: DatabaseFunction("new_id", argumentCount: 0) { _ in machine.randomness.id(StreamID.self).blob })
        }
        let queue = try DatabaseQueue(path: WriteAheadLog.unshared(path), configuration: configuration)
        // GRDB sets NORMAL when it opens WAL, with which the last commits are lost when the power fails.
        try queue.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = \(WriteAheadLog.frames)")
        }
        try Schema.migrator.migrate(queue)
        WriteAheadLog.fill(path + "-wal")
        return queue
    }

    /// - Parameter damage: why the file must be salvaged, if that is known already.
    private static func openOrSalvage(
        _ path: String, because damage: String? = nil, for time: Duration, on machine: Machine
    ) throws -> OpenedBuffer {
        if let salvaged = try finishSalvage(path, for: time, on: machine) { return salvaged }
        if let damage { return try salvage(path, because: damage, for: time, on: machine) }
        do { return try openChecked(path, on: machine) } catch {
            if case .none = Damage(error) { throw error }
        }
        // A read that the disk refused once looks like damage.
        do { return try openChecked(path, on: machine) } catch {
            guard case .none = Damage(error) else {
                return try salvage(path, because: (error as? DatabaseError)?.message ?? "unreadable values", for: time, on: machine)
            }
            throw error
        }
    }

    private static func openChecked(_ path: String, on machine: Machine) throws -> OpenedBuffer {
        let queue = try openQueue(path, on: machine)
        try queue.read { database in
            try Schema.check(database)
            try probe(database)
        }
        return OpenedBuffer(queue: queue)
    }

    /// Touches what the first minutes need, so that damage there is found before anything is collected; a full check would take too long.
    private static func probe(_ database: Database) throws {
        _ = try Row.fetchAll(database, sql: "SELECT * FROM setting")
        _ = try Row.fetchAll(database, sql: "SELECT * FROM stream")
        _ = try Row.fetchAll(database, sql: "SELECT * FROM replay")
        _ = try Row.fetchAll(
            database, sql: "SELECT key, length(bytes) FROM segment WHERE state = 0 ORDER BY hour DESC, key LIMIT 64")
        _ = try Row.fetchOne(database, sql: "SELECT * FROM segment ORDER BY key DESC LIMIT 1")
    }
}

/// The database's file, as far as it is known.
private struct BufferFile {
    /// nil after a failure to open; the next call tries again.
    var queue: DatabaseQueue?
    /// Why the file has to be salvaged before it is used.
    var damage: String?
    /// Cleared when SQL failed on a new file as it had on the old one: then the mistake is ours, and salvaging again is no help.
    var suspectsFile = true

    func isDamaged(by error: any Error) -> Bool {
        switch Damage(error) {
        case .certain: true
        case .likely: suspectsFile
        case .none: false
        }
    }
}

/// A database that was opened, and what there is to say of it.
struct OpenedBuffer {
    var queue: DatabaseQueue
    var notices: [String] = []
}

import Database
public import Foundation
public import Seams
import Segments
import Synchronization

/// Where a hub keeps its files. Four databases, each with one job, so that none waits for another:
/// `accounts` (people, agents, tokens, links), `keys` (wrapped keys and the list of the deleted; its backup is its latest state only),
/// `journal` (what was received and is not merged yet) and `series` (merged blocks, streams, clocks, fingerprints).
public struct HubDirectory: Sendable {
    public let url: URL
    /// nil for databases in files.
    private let memory: MemoryDatabases?

    /// Where the databases are; keys and the like are files in any case.
    public enum Databases: Sendable, CaseIterable {
        case files
        /// One connection each, whose readers and writers wait for each other: for a hub that runs on one thread. As long as a copy of the directory.
        case inMemory
    }

    /// Makes the directory, readable by its owner only, when it is not there.
    /// - Parameter machine: on whose disk it is.
    public init(_ url: URL, databases: Databases = .files, machine: Machine = .system) throws {
        self.url = url
        memory = databases == .inMemory ? MemoryDatabases() : nil
        do throws(FileProblem) { try machine.files.makeFolder(url.path) } catch {
            throw HubStoreError.directory(path: url.path, reason: error.reason)
        }
    }

    /// The path of a file in it.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Keeps other hubs out as long as the lock is held: two on one directory would store everything twice. The kernel gives it back
    /// when the process ends, however that happens.
    public func lock() throws -> DirectoryLock {
        guard let lock = try take("lock") else { throw HubStoreError.inUse(path: url.path) }
        return lock
    }

    /// Keeps other backups out as long as the lock is held; nil while one is made. Hubs are not kept out.
    public func lockForBackup() throws -> DirectoryLock? { try take("backup.lock") }

    /// The same for a copy of the keys.
    public func lockForKeys() throws -> DirectoryLock? { try take("backup-keys.lock") }

    private func take(_ name: String) throws -> DirectoryLock? {
        let file = Glibc.open(path(name), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw HubStoreError.directory(path: url.path, reason: String(cString: strerror(errno))) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            return nil
        }
        return DirectoryLock(file: file)
    }

    func open(_ name: String, pageSize: Int, migrations: [Migration]) throws -> DatabasePool {
        if let memory { return try memory.open(name, migrations) }
        let path = path(name + ".sqlite")
        do {
            return try DatabasePool(path: path, pageSize: pageSize, migrations: migrations)
        } catch let error as DatabaseError {
            throw HubStoreError.database(path: path, reason: error.message ?? "\(error)")
        } catch let error as NewerDatabase {
            throw HubStoreError.database(path: path, reason: error.description)
        }
    }
}

/// Databases in memory by their names: who opens one again finds what is there, as with a file.
private final class MemoryDatabases: Sendable {
    private let opened = Mutex<[String: DatabasePool]>([:])

    func open(_ name: String, _ migrations: [Migration]) throws -> DatabasePool {
        try opened.withLock { opened in
            if let pool = opened[name] { return pool }
            let pool = try DatabasePool(inMemory: migrations)
            opened[name] = pool
            return pool
        }
    }
}

/// See ``HubDirectory/lock()``.
public final class DirectoryLock: Sendable {
    private let file: Int32
    fileprivate init(file: Int32) { self.file = file }
    deinit {
        // Closing alone is not enough: a program that another thread starts has the descriptor, too, from its fork until its exec.
        flock(file, LOCK_UN)
        close(file)
    }
}

/// Failures of the hub's files, in words for the operator.
public enum HubStoreError: Error, CustomStringConvertible, Sendable {
    case directory(path: String, reason: String)
    case inUse(path: String)
    case database(path: String, reason: String)
    case masterKey(path: String, reason: String)
    case unknownPerson(String)
    case wrongKey(what: String)
    case audit(path: String, reason: String)

    /// Whether a row does not open, rather than a database that cannot be read now.
    static func isDamage(_ error: any Error) -> Bool {
        if case HubStoreError.wrongKey = error { return true }
        return error is DecodingError || error is SegmentError
    }

    public var description: String {
        switch self {
        case .directory(let path, let reason):
            "The hub's directory \(path) cannot be used: \(reason). Give another one with --directory, or mend its permissions."
        case .inUse(let path):
            "A hub already runs in \(path). Stop it first, or give another directory with --directory."
        case .database(let path, let reason):
            "The database \(path) cannot be used: \(reason). Check free space and permissions; a damaged file is restored from the backup."
        case .masterKey(let path, let reason):
            "The master key \(path) cannot be used: \(reason). Without the key that the data was written with nothing can be read."
        case .unknownPerson(let name):
            "No person \(name) is known here. `trackme-hub person list` shows the identifiers."
        case .wrongKey(let what):
            "\(what) does not open with its key: the master key is another one, or the data was changed."
        case .audit(let path, let reason):
            "The audit log's file \(path) cannot be used: \(reason). Restore it from the backup, or give the hub the right to write there."
        }
    }
}

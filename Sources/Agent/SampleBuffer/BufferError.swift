internal import GRDB

/// Why the buffer did not do what it was asked. Nothing that was stored before is lost by any of them.
public enum BufferError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The disk is full or does not take writes.
    case notWritable(path: String, detail: String)
    /// The file cannot be opened or read.
    case notReadable(path: String, detail: String)
    /// Another program has it open, and shares it with nobody.
    case inUse(path: String)
    /// There is nothing under this name (a replay or stream that another program removed).
    case missing(what: String)

    public var description: String {
        switch self {
        case .notWritable(let path, let detail):
            "The buffer \(path) cannot be written (\(detail)). Free space on that disk or check that it is writable; "
                + "what is collected waits in memory meanwhile"
        case .notReadable(let path, let detail):
            "The buffer \(path) cannot be read (\(detail)). Check the permissions of its directory"
        case .inUse(let path):
            "The buffer \(path) is in use by another program: an agent that runs, or a replay. Ask that one, or stop it"
        case .missing(let what):
            "The buffer has no \(what). Start again"
        }
    }

    init(_ error: any Error, path: String, writing: Bool = false) {
        switch error {
        case let error as BufferError: self = error
        case let error as DatabaseError where error.resultCode == .SQLITE_BUSY: self = .inUse(path: path)
        case let error as DatabaseError where error.isStorageFailure || writing:
            self = .notWritable(path: path, detail: error.message ?? "\(error.resultCode)")
        default: self = .notReadable(path: path, detail: "\(error)")
        }
    }
}

extension DatabaseError {
    /// What the file holds is not what this code wrote.
    static func damage(_ message: String) -> DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT, message: message) }

    /// The disk is full, or failed in a way that looks like it.
    var isShortage: Bool { resultCode == .SQLITE_FULL || resultCode == .SQLITE_IOERR }

    /// The disk takes nothing now, and may again: a card that failed is mounted anew for reading alone.
    var isRefusal: Bool { isShortage || resultCode == .SQLITE_READONLY || resultCode == .SQLITE_CANTOPEN }

    var isStorageFailure: Bool {
        [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_NOMEM].contains(resultCode)
    }
}

/// The meaning of an error for the file.
enum Damage {
    case none
    /// Constant SQL failed, or gave a value of another type, as damage in the schema or in a record makes it. A mistake in this code would
    /// look the same.
    case likely
    /// SQLite says so.
    case certain

    init(_ error: any Error) {
        switch error {
        // There is no trigger in the schema, and whoever adds one to a file wants to be told by it.
        case let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER: self = .none
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .certain
            case .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_CONSTRAINT: self = .likely
            default: self = .none
            }
        case is RowDecodingError: self = .likely
        default: self = .none
        }
    }
}

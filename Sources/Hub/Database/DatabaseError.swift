import GRDB

/// A database's refusal, with the same meaning for any engine.
public struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// The meaning of the engine's code for the caller.
    public enum Meaning: Sendable, Hashable {
        /// Another connection holds what is needed; later it may work.
        case busy
        /// The disk, or the space that the database may take, is full.
        case full
        /// The file is damaged, or none of a database.
        case corrupt
        /// A row would break a rule of its table: unique, not null, a reference, a check.
        case constraint
        /// The files may not be written, or cannot be opened.
        case noAccess
        /// The disk failed to read or write.
        case inputOutput
        /// The statement itself is wrong, or the tables are not what it expects.
        case other
    }

    public let meaning: Meaning
    /// The engine's own code; of SQLite the extended one.
    public let code: Int32
    /// The engine's message, without values.
    public let message: String?
    /// The statement, with `?` in place of its values.
    public let sql: String?

    public var description: String {
        "SQLite error \(code & 0xff)" + (message.map { ": \($0)" } ?? "") + (sql.map { " - while executing `\($0)`" } ?? "")
    }

    init(_ error: GRDB.DatabaseError) {
        code = error.extendedResultCode.rawValue
        message = error.message
        sql = error.sql
        meaning =
            switch error.resultCode {
            case .SQLITE_BUSY: .busy
            case .SQLITE_FULL: .full
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
            case .SQLITE_CONSTRAINT: .constraint
            case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: .noAccess
            case .SQLITE_IOERR: .inputOutput
            default: .other
            }
    }

    /// Runs `body`; what the engine throws becomes a ``DatabaseError``, everything else stays as it is.
    static func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as GRDB.DatabaseError { throw DatabaseError(error) }
    }
}

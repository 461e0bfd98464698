import GRDB

/// A connection within `read` or `write` of a ``DatabasePool``. Valid in that closure only.
///
/// The SQL is what SQLite 3.40 and PostgreSQL 15 both understand; values are bound to `?`, never written into the text.
public struct Connection {
    let database: GRDB.Database

    // MARK: Statements

    /// Runs one statement, or several that are parted by `;`.
    public func execute(sql: String, arguments: Arguments = []) throws {
        try DatabaseError.translating { try database.execute(sql: sql, arguments: arguments.bound) }
    }

    /// The statement of this text, prepared with its first use by this connection and kept. For texts that do not vary.
    public func cachedStatement(sql: String) throws -> Statement {
        try DatabaseError.translating { Statement(statement: try database.cachedStatement(sql: sql)) }
    }

    private func statement(_ sql: String) throws -> Statement {
        try DatabaseError.translating { Statement(statement: try database.makeStatement(sql: sql)) }
    }

    // MARK: Results

    /// The first row; nil when there is none.
    public func fetchOne(sql: String, arguments: Arguments = []) throws -> Row? {
        try statement(sql).fetchOne(arguments: arguments)
    }

    /// All rows.
    public func fetchAll(sql: String, arguments: Arguments = []) throws -> [Row] {
        try statement(sql).fetchAll(arguments: arguments)
    }

    /// The rows one by one, for large results.
    public func fetchCursor(sql: String, arguments: Arguments = []) throws -> RowCursor {
        try statement(sql).fetchCursor(arguments: arguments)
    }

    /// The first column of the first row; nil when there is no row or the column is null.
    public func fetchOne<Value: ColumnValue>(_ type: Value.Type, sql: String, arguments: Arguments = []) throws -> Value? {
        try statement(sql).fetchOne(type, arguments: arguments)
    }

    /// The first column of all rows.
    public func fetchAll<Value: ColumnValue>(_ type: Value.Type, sql: String, arguments: Arguments = []) throws -> [Value] {
        try statement(sql).fetchAll(type, arguments: arguments)
    }

    // MARK: What a statement changed

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    public var changesCount: Int { database.changesCount }

    /// Runs an INSERT that says `RETURNING id` and gives the new row's `id`.
    public func insert(sql: String, arguments: Arguments = []) throws -> Int64 {
        try statement(sql).insert(arguments: arguments)
    }

    // MARK: The schema

    /// The tables that have a column of this name, by name, with the type that the column was declared with.
    public func tables(withColumn column: String) throws -> [(name: String, type: String)] {
        try fetchAll(
            sql: """
                SELECT master.name, field.type FROM sqlite_master AS master, pragma_table_info(master.name) AS field
                WHERE master.type = 'table' AND field.name = ? ORDER BY master.name
                """,
            arguments: [column]
        ).map { ($0[0], $0[1]) }
    }

    /// The greatest `id` that a table with ids of its own ever gave, whether the row is still there or not; nil before the first.
    public func lastIdentity(of table: String) throws -> Int64? {
        try fetchOne(Int64.self, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table])
    }

    /// Tells each statement that this connection runs from now on; nobody with nil.
    public func trace(_ told: (@Sendable (String) -> Void)?) {
        database.trace { event in told?(event.description) }
        if told == nil { database.trace(nil) }
    }

    // MARK: Parts of a transaction

    /// A part of the transaction that is undone as a whole when `body` throws or returns ``TransactionEnd/rollback``.
    public func inSavepoint(_ body: () throws -> TransactionEnd) throws {
        try DatabaseError.translating { try database.inSavepoint { try body().completion } }
    }
}

/// How a transaction ends.
public enum TransactionEnd: Sendable {
    case commit, rollback

    var completion: GRDB.Database.TransactionCompletion { self == .commit ? .commit : .rollback }
}

import GRDB

/// An INSERT made no row, or did not say `RETURNING id`.
public struct NothingInserted: Error {}

/// A prepared statement. Kept with its connection, so that the next use of the same text costs no parsing.
public struct Statement {
    let statement: GRDB.Statement

    /// Runs a statement whose rows, if any, nobody asks for.
    public func execute(arguments: Arguments = []) throws {
        try DatabaseError.translating { try statement.execute(arguments: arguments.bound) }
    }

    /// The first row; nil when there is none.
    public func fetchOne(arguments: Arguments = []) throws -> Row? {
        try DatabaseError.translating {
            // The row is gone with its cursor.
            let rows = try rows(arguments)
            return try withExtendedLifetime(rows) { try rows.next().map { Row(row: $0.copy()) } }
        }
    }

    /// All rows.
    public func fetchAll(arguments: Arguments = []) throws -> [Row] {
        try DatabaseError.translating {
            let rows = try rows(arguments)
            var all: [Row] = []
            while let row = try rows.next() { all.append(Row(row: row.copy())) }
            return all
        }
    }

    /// The rows one by one.
    public func fetchCursor(arguments: Arguments = []) throws -> RowCursor {
        try DatabaseError.translating { RowCursor(cursor: try rows(arguments)) }
    }

    /// The first column of the first row; nil when there is no row or the column is null.
    public func fetchOne<Value: ColumnValue>(_ type: Value.Type, arguments: Arguments = []) throws -> Value? {
        try DatabaseError.translating {
            let rows = try rows(arguments)
            return try withExtendedLifetime(rows) { try rows.next().flatMap { Value.readIfPresent(Column(row: $0, index: 0)) } }
        }
    }

    /// The first column of all rows.
    public func fetchAll<Value: ColumnValue>(_ type: Value.Type, arguments: Arguments = []) throws -> [Value] {
        try DatabaseError.translating {
            let rows = try rows(arguments)
            var all: [Value] = []
            while let row = try rows.next() { all.append(Value.read(Column(row: row, index: 0))) }
            return all
        }
    }

    /// Runs an INSERT that says `RETURNING id` and gives the new row's `id`.
    public func insert(arguments: Arguments = []) throws -> Int64 {
        guard let id = try fetchOne(Int64.self, arguments: arguments) else { throw NothingInserted() }
        return id
    }

    private func rows(_ arguments: Arguments) throws -> GRDB.RowCursor {
        try GRDB.Row.fetchCursor(statement, arguments: arguments.bound)
    }
}

import Foundation
import GRDB

/// One row of a result. Columns are read by their place or name, as the type that the caller names: `let id: Int64 = row[0]`.
/// A column that is null or does not fit the type is an error of the program, which ends it; an optional type takes null.
public struct Row {
    let row: GRDB.Row

    public subscript<Result: ColumnValue>(_ index: Int) -> Result { Result.read(Column(row: row, index: index)) }

    /// The leftmost column of this name, whatever the case of its letters.
    public subscript<Result: ColumnValue>(_ name: String) -> Result {
        // A name that is not there fails in the read, as a place that is not there does.
        Result.read(Column(row: row, index: index(of: name) ?? row.count))
    }

    /// The columns' names, in their order.
    public var columns: [String] { Array(row.columnNames) }

    /// All columns as they are stored.
    public var values: [Value] { row.databaseValues.map(Value.init) }

    /// The bytes of a column without a copy; they are valid within `body` only. Nil for null.
    public func withBytes<Result>(at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result) throws -> Result {
        try row.withUnsafeData(atIndex: index) { data in
            guard let data else { return try body(nil) }
            return try data.withUnsafeBytes { try body($0) }
        }
    }

    private func index(of name: String) -> Int? {
        // No list of the names is made: each column of each row may be read by name.
        func first(_ isMeant: (String) -> Bool) -> Int? { row.columnNames.enumerated().first { isMeant($0.element) }?.offset }
        return first { $0 == name } ?? first { $0.lowercased() == name.lowercased() }
    }
}

extension Row: Equatable {
    public static func == (left: Row, right: Row) -> Bool { left.row == right.row }
}

/// The rows of a large result, one after the other, never all in memory. Lives as long as the transaction in which it was made.
public struct RowCursor {
    let cursor: GRDB.RowCursor

    /// The next row, valid until the next call; nil at the end.
    public func next() throws -> Row? {
        try DatabaseError.translating { try cursor.next().map(Row.init) }
    }
}

public import Foundation
import GRDB

/// A value of a column, the same in SQLite and PostgreSQL.
public enum Value: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes(Data)
}

/// A type whose values are bound to statements and read from columns.
public protocol ColumnValue {
    /// The value as it is bound to a statement.
    var value: Value { get }

    /// The value of a column that is not null and fits. Anything else is an error of the program and ends it.
    static func read(_ column: Column) -> Self
    /// The value of a column; nil for null.
    static func readIfPresent(_ column: Column) -> Self?
}

/// One column of a row while it is read.
public struct Column {
    let row: GRDB.Row
    let index: Int
}

extension Int64: ColumnValue {
    public var value: Value { .integer(self) }
    public static func read(_ column: Column) -> Int64 { column.row[column.index] }
    public static func readIfPresent(_ column: Column) -> Int64? { column.row[column.index] }
}

extension Int: ColumnValue {
    public var value: Value { .integer(Int64(self)) }
    public static func read(_ column: Column) -> Int { column.row[column.index] }
    public static func readIfPresent(_ column: Column) -> Int? { column.row[column.index] }
}

extension Int32: ColumnValue {
    public var value: Value { .integer(Int64(self)) }
    public static func read(_ column: Column) -> Int32 { column.row[column.index] }
    public static func readIfPresent(_ column: Column) -> Int32? { column.row[column.index] }
}

extension UInt8: ColumnValue {
    public var value: Value { .integer(Int64(self)) }
    public static func read(_ column: Column) -> UInt8 { column.row[column.index] }
    public static func readIfPresent(_ column: Column) -> UInt8? { column.row[column.index] }
}

extension UInt16: ColumnValue {
    public var value: Value { .integer(Int64(self)) }
    public static func read(_ column: Column) -> UInt16 { column.row[column.index] }
    public static func readIfPresent(_ column: Column) -> UInt16? { column.row[column.index] }
}

extension UInt32: ColumnValue {
    public var value: Value { .integer(Int64(self)) }
    public static func read(_ column: Column) -> UInt32 { column.row[column.index] }
    public static func readIfPresent(_ column: Column) -> UInt32? { column.row[column.index] }
}

/// Kept as 0 or 1.
extension Bool: ColumnValue {
    public var value: Value { .integer(self ? 1 : 0) }
    public static func read(_ column: Column) -> Bool { column.row[column.index] }
    public static func readIfPresent(_ column: Column) -> Bool? { column.row[column.index] }
}

extension Double: ColumnValue {
    public var value: Value { .real(self) }
    public static func read(_ column: Column) -> Double { column.row[column.index] }
    public static func readIfPresent(_ column: Column) -> Double? { column.row[column.index] }
}

extension String: ColumnValue {
    public var value: Value { .text(self) }
    public static func read(_ column: Column) -> String { column.row[column.index] }
    public static func readIfPresent(_ column: Column) -> String? { column.row[column.index] }
}

extension Data: ColumnValue {
    public var value: Value { .bytes(self) }
    public static func read(_ column: Column) -> Data { column.row[column.index] }
    public static func readIfPresent(_ column: Column) -> Data? { column.row[column.index] }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    public var value: Value { map(\.value) ?? .null }
    public static func read(_ column: Column) -> Wrapped? { Wrapped.readIfPresent(column) }
    public static func readIfPresent(_ column: Column) -> Wrapped?? { Wrapped.readIfPresent(column) }
}

/// The values of a statement's `?`, in their order. Without numbers behind the `?`, as both engines number them alike.
public struct Arguments: ExpressibleByArrayLiteral, Sendable {
    private var values: [Value]

    public init(arrayLiteral elements: (any ColumnValue)?...) {
        values = elements.map { $0?.value ?? .null }
    }

    public init(_ elements: some Sequence<any ColumnValue>) { values = elements.map { $0.value } }
    public init(_ elements: some Sequence<some ColumnValue>) { values = elements.map { $0.value } }

    public static func + (left: Arguments, right: Arguments) -> Arguments {
        var all = left
        all.values += right.values
        return all
    }

    var bound: StatementArguments {
        // Of values of one type GRDB makes a key path for each statement that is run: of any, it makes none.
        StatementArguments(values.map { $0.bound as (any DatabaseValueConvertible)? })
    }
}

extension Value {
    init(_ stored: DatabaseValue) {
        self =
            switch stored.storage {
            case .null: .null
            case .int64(let number): .integer(number)
            case .double(let number): .real(number)
            case .string(let text): .text(text)
            case .blob(let bytes): .bytes(bytes)
            }
    }

    fileprivate var bound: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): bytes.databaseValue
        }
    }
}

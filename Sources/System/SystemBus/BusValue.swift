/// A value as D-Bus carries it (D-Bus Specification, "Type System").
public enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// A file descriptor, "h".
    case descriptor(BusDescriptor)
    /// An array of bytes, "ay".
    case bytes([UInt8])
    /// An array of anything else; `of` is the signature of its elements.
    case array([BusValue], of: String)
    /// The signatures of its keys and values stand beside it, as it may be empty.
    case dictionary([BusValue: BusValue], key: String, value: String)
    case structure([BusValue])
    indirect case variant(BusValue)

    /// An array of strings, "as".
    public static func strings(_ values: [String]) -> BusValue { .array(values.map(BusValue.string), of: "s") }

    /// A dictionary of names to variants, "a{sv}".
    public static func properties(_ values: [String: BusValue]) -> BusValue {
        let pairs = values.map { (BusValue.string($0), BusValue.variant($1)) }
        return .dictionary(Dictionary(pairs) { first, _ in first }, key: "s", value: "v")
    }

    /// The type in the letters of the specification.
    public var typeSignature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(_, let element): "a" + element
        case .dictionary(_, let key, let value): "a{\(key)\(value)}"
        case .structure(let fields): "(" + fields.map(\.typeSignature).joined() + ")"
        case .variant: "v"
        }
    }
}

/// The value without its variants. nil when it is something else.
extension BusValue {
    /// The value in all its variants.
    public var content: BusValue {
        if case .variant(let inner) = self { return inner.content }
        return self
    }

    /// Of a string, an object path or a signature.
    public var string: String? {
        switch content {
        case .string(let value), .objectPath(let value), .signature(let value): value
        default: nil
        }
    }

    public var bool: Bool? {
        if case .bool(let value) = content { return value }
        return nil
    }

    /// Of every type of integer, where it fits.
    public var int: Int? {
        switch content {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    public var double: Double? {
        if case .double(let value) = content { return value }
        return nil
    }

    public var bytes: [UInt8]? {
        if case .bytes(let value) = content { return value }
        return nil
    }

    /// The elements of an array, or the fields of a structure.
    public var elements: [BusValue]? {
        switch content {
        case .array(let values, _): values
        case .structure(let fields): fields
        case .bytes(let bytes): bytes.map(BusValue.byte)
        default: nil
        }
    }

    /// Of an array of strings or paths.
    public var strings: [String]? {
        guard case .array(let values, let element) = content, ["s", "o", "g"].contains(element) else { return nil }
        return values.compactMap(\.string)
    }

    /// Of a dictionary whose keys are strings or paths; its values without their variants.
    public var dictionary: [String: BusValue]? {
        guard case .dictionary(let pairs, let key, _) = content, ["s", "o", "g"].contains(key) else { return nil }
        return Dictionary(pairs.compactMap { key, value in key.string.map { ($0, value.content) } }) { first, _ in first }
    }
}

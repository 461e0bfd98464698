/// Base types of FIT (Protocol, 4.2.1): the low five bits of a field's type.
enum FITType: UInt8 {
    case enumeration = 0
    case int8, uint8, int16, uint16, int32, uint32, string, float32, float64, uint8z, uint16z, uint32z, byte, int64, uint64,
        uint64z

    init?(byte: UInt8) { self.init(rawValue: byte & 0x1F) }

    /// Bytes of an element.
    var size: Int {
        switch self {
        case .enumeration, .int8, .uint8, .string, .uint8z, .byte: 1
        case .int16, .uint16, .uint16z: 2
        case .int32, .uint32, .float32, .uint32z: 4
        case .float64, .int64, .uint64, .uint64z: 8
        }
    }

    /// The element that means "no value".
    var invalid: UInt64 {
        switch self {
        case .enumeration, .uint8, .byte: 0xFF
        case .int8: 0x7F
        case .int16: 0x7FFF
        case .uint16: 0xFFFF
        case .int32: 0x7FFF_FFFF
        case .uint32, .float32: 0xFFFF_FFFF
        case .float64, .uint64: .max
        case .int64: 0x7FFF_FFFF_FFFF_FFFF
        case .string, .uint8z, .uint16z, .uint32z, .uint64z: 0
        }
    }
}

/// The description of the data messages of its local type (FIT Protocol, 4.2).
struct FITDefinition {
    struct Field {
        let number: UInt8
        let size: Int
        /// nil where the size does not fit the type: the bytes are passed over.
        let type: FITType?
        /// In the message, behind its header byte.
        let offset: Int
    }

    let global: UInt16
    let isBigEndian: Bool
    let fields: [Field]
    let developerFields: Int
    /// Bytes of a data message without its header byte.
    let size: Int
    /// Bytes of the definition message itself, with its header byte.
    let length: Int

    /// - Returns: nil where the bytes up to `end` hold no whole definition message, or an impossible one.
    init?(_ bytes: [UInt8], at start: Int, end: Int) {
        guard start + 6 <= end, bytes[start + 2] <= 1 else { return nil }
        isBigEndian = bytes[start + 2] == 1
        let pair = (UInt16(bytes[start + 3]), UInt16(bytes[start + 4]))
        global = isBigEndian ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
        let count = Int(bytes[start + 5])
        var at = start + 6, offset = 0, fields: [Field] = []
        guard at + 3 * count <= end else { return nil }
        for _ in 0..<count {
            let size = Int(bytes[at + 1]), type = FITType(byte: bytes[at + 2])
            let fits = type.map { size > 0 && size % $0.size == 0 } ?? false
            fields.append(Field(number: bytes[at], size: size, type: fits ? type : nil, offset: offset))
            (at, offset) = (at + 3, offset + size)
        }
        var developers = 0
        if bytes[start] & 0x20 != 0 {
            guard at < end, at + 1 + 3 * Int(bytes[at]) <= end else { return nil }
            developers = Int(bytes[at])
            at += 1
            for _ in 0..<developers { (at, offset) = (at + 3, offset + Int(bytes[at + 1])) }
        }
        (self.fields, developerFields, size, length) = (fields, developers, offset, at - start)
    }

    /// Whether it looks like one, to somebody who does not know whether it is: no field without a sense, and a message of the profile.
    var isPlausible: Bool { fields.count > 1 && fields.allSatisfy { $0.type != nil } && FITMessage(rawValue: global) != nil }
}

/// A data message: bytes behind its header, and what they mean.
struct FITData {
    let bytes: [UInt8]
    let start: Int
    let definition: FITDefinition

    /// The first element of a field; nil where it is invalid.
    func integer(_ field: FITDefinition.Field) -> Int64? { element(field, 0) }

    /// The field of this number; nil without it.
    func integer(_ number: UInt8) -> Int64? { definition.fields.first { $0.number == number }.flatMap { integer($0) } }

    func field(_ number: UInt8) -> FITDefinition.Field? { definition.fields.first { $0.number == number } }

    /// All elements of a field, without the invalid ones.
    func integers(_ field: FITDefinition.Field) -> [Int64] {
        guard let type = field.type else { return [] }
        return (0..<field.size / type.size).compactMap { element(field, $0) }
    }

    /// Bytes of a field as they are.
    func raw(_ field: FITDefinition.Field) -> ArraySlice<UInt8> { bytes[start + field.offset..<start + field.offset + field.size] }

    /// A text up to its first zero, or to the field's end without one; nil for an empty one.
    func text(_ number: UInt8) -> String? {
        guard let field = field(number), field.type == .string else { return nil }
        let text = String(decoding: raw(field).prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? nil : String(text.prefix(ActivityFile.Limits.nameMax))
    }

    private func element(_ field: FITDefinition.Field, _ index: Int) -> Int64? {
        guard let type = field.type, type != .string else { return nil }
        let from = start + field.offset + index * type.size
        var value: UInt64 = 0
        if definition.isBigEndian {
            for at in from..<from + type.size { value = value << 8 | UInt64(bytes[at]) }
        } else {
            for at in (from..<from + type.size).reversed() { value = value << 8 | UInt64(bytes[at]) }
        }
        guard value != type.invalid else { return nil }
        switch type {
        case .int8: return Int64(Int8(truncatingIfNeeded: value))
        case .int16: return Int64(Int16(truncatingIfNeeded: value))
        case .int32: return Int64(Int32(truncatingIfNeeded: value))
        case .float32: return Self.whole(Double(Float(bitPattern: UInt32(truncatingIfNeeded: value))))
        case .float64: return Self.whole(Double(bitPattern: value))
        case .int64: return Self.bounded(Int64(bitPattern: value))
        default: return Int64(exactly: value).flatMap { Self.bounded($0) }
        }
    }

    /// No field of the profile holds more: what is calculated with a value does not overflow.
    private static func bounded(_ value: Int64) -> Int64? { value.magnitude < 1 << 40 ? value : nil }
    private static func whole(_ value: Double) -> Int64? { value.magnitude < 1e12 ? Int64(value.rounded()) : nil }
}

internal import CSystemd
internal import Glibc

/// Reads the arguments of a message.
struct BusReader {
    /// A message with more values is refused: none that this program asks for has a tenth of it.
    static let valuesMax = 200_000
    private let message: OpaquePointer
    private var count = 0

    private init(_ message: OpaquePointer) { self.message = message }

    /// All arguments of `message`.
    static func arguments(of message: OpaquePointer) throws(BusError) -> [BusValue] {
        var reader = BusReader(message)
        try BusError.check(sd_bus_message_rewind(message, 1))
        return try reader.rest()
    }

    /// The rest of the container that was entered.
    private mutating func rest() throws(BusError) -> [BusValue] {
        var result: [BusValue] = []
        while let value = try next() { result.append(value) }
        return result
    }

    /// nil at the end of the container.
    private mutating func next() throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let result = sd_bus_message_peek_type(message, &type, &contents)
        try BusError.check(result)
        guard result > 0 else { return nil }
        count += 1
        guard count <= Self.valuesMax else {
            throw BusError(name: "System.Error.EMSGSIZE", message: "A message of more than \(Self.valuesMax) values was refused")
        }
        let inner = contents.map { String(cString: $0) } ?? ""
        switch UInt8(truncatingIfNeeded: type) {
        case UInt8(ascii: "a") where inner == "y": return .bytes(try bytes())
        case UInt8(ascii: "a") where inner.hasPrefix("{"): return try dictionary(type, inner)
        case UInt8(ascii: "a"): return .array(try inside(type, inner), of: inner)
        case UInt8(ascii: "r"): return .structure(try inside(type, inner))
        case UInt8(ascii: "v"):
            guard let value = try inside(type, inner).first else { throw BusError(result: -EBADMSG) }
            return .variant(value)
        case let letter: return try basic(letter, type)
        }
    }

    private mutating func inside(_ type: CChar, _ contents: String) throws(BusError) -> [BusValue] {
        try BusError.check(sd_bus_message_enter_container(message, type, contents))
        let result = try rest()
        try BusError.check(sd_bus_message_exit_container(message))
        return result
    }

    private mutating func dictionary(_ type: CChar, _ contents: String) throws(BusError) -> BusValue {
        var pairs: [BusValue: BusValue] = [:]
        let (key, value) = (contents.dropFirst().prefix(1), contents.dropFirst(2).dropLast())
        try BusError.check(sd_bus_message_enter_container(message, type, contents))
        let entry = CChar(truncatingIfNeeded: UInt8(ascii: "e"))
        while true {
            let result = sd_bus_message_enter_container(message, entry, String(key + value))
            try BusError.check(result)
            guard result > 0 else { break }
            let pair = try rest()
            try BusError.check(sd_bus_message_exit_container(message))
            guard pair.count == 2 else { throw BusError(result: -EBADMSG) }
            pairs[pair[0]] = pair[1]
        }
        try BusError.check(sd_bus_message_exit_container(message))
        return .dictionary(pairs, key: String(key), value: String(value))
    }

    private func bytes() throws(BusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var size = 0
        try BusError.check(sd_bus_message_read_array(message, CChar(truncatingIfNeeded: UInt8(ascii: "y")), &start, &size))
        guard let start else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: size))
    }

    private func basic(_ letter: UInt8, _ type: CChar) throws(BusError) -> BusValue {
        switch letter {
        case UInt8(ascii: "y"): return .byte(try read(type, 0))
        case UInt8(ascii: "b"): return .bool(try read(type, Int32(0)) != 0)
        case UInt8(ascii: "n"): return .int16(try read(type, 0))
        case UInt8(ascii: "q"): return .uint16(try read(type, 0))
        case UInt8(ascii: "i"): return .int32(try read(type, 0))
        case UInt8(ascii: "u"): return .uint32(try read(type, 0))
        case UInt8(ascii: "x"): return .int64(try read(type, 0))
        case UInt8(ascii: "t"): return .uint64(try read(type, 0))
        case UInt8(ascii: "d"): return .double(try read(type, 0))
        case UInt8(ascii: "s"): return .string(try text(type))
        case UInt8(ascii: "o"): return .objectPath(try text(type))
        case UInt8(ascii: "g"): return .signature(try text(type))
        case UInt8(ascii: "h"):
            // The message owns its descriptor and closes it.
            let own = fcntl(try read(type, Int32(-1)), F_DUPFD_CLOEXEC, 0)
            try BusError.check(own < 0 ? -errno : own)
            return .descriptor(BusDescriptor(own))
        default: throw BusError(result: -EBADMSG)
        }
    }

    private func read<Value: BitwiseCopyable>(_ type: CChar, _ zero: Value) throws(BusError) -> Value {
        var value = zero
        try BusError.check(sd_bus_message_read_basic(message, type, &value))
        return value
    }

    /// The message owns the characters, which are copied here.
    private func text(_ type: CChar) throws(BusError) -> String {
        try read(type, UnsafePointer<CChar>?.none).map { String(cString: $0) } ?? ""
    }
}

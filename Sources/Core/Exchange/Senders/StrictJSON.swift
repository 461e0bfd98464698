/// A JSON value (RFC 8259) as a stranger sent it.
enum StrictJSON: Equatable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case array([StrictJSON])
    case object([String: StrictJSON])

    /// Nested deeper than this is an attack.
    static let depthMax = 16

    /// Reads exactly one value. Refused are what the grammar does not have (NaN, comments, commas at the end, text behind the value), a name
    /// that an object has twice, numbers too large for a Double, escapes of half a character, and bytes that are not UTF-8.
    init(_ bytes: [UInt8]) throws(SenderRefusal) {
        var end = 0
        self = try Self.value(bytes, &end)
    }

    /// The same; `end` is the byte at which reading stopped.
    static func value(_ bytes: [UInt8], _ end: inout Int) throws(SenderRefusal) -> StrictJSON {
        var parser = Parser(bytes: bytes)
        defer { end = parser.at }
        let value = try parser.value(depth: 0)
        parser.skipBlanks()
        guard parser.at == bytes.count else { throw parser.wrong("has something behind its end") }
        return value
    }

    subscript(_ name: String) -> StrictJSON? {
        guard case .object(let members) = self, let value = members[name], value != .null else { return nil }
        return value
    }

    /// The value as a field; nil for lists, objects and null.
    var field: SenderField? {
        switch self {
        case .flag(let value): .flag(value)
        case .number(let value): .number(value)
        case .text(let text): .text(text)
        case .null, .array, .object: nil
        }
    }
}

private struct Parser {
    let bytes: [UInt8]
    var at = 0

    func wrong(_ what: String) -> SenderRefusal { .malformed("The request's JSON \(what) (byte \(at))") }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    mutating func skipBlanks() {
        while let byte = next, " \t\r\n".utf8.contains(byte) { at += 1 }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[at...].starts(with: expected) else { return false }
        at += expected.count
        return true
    }

    mutating func value(depth: Int) throws(SenderRefusal) -> StrictJSON {
        guard depth <= StrictJSON.depthMax else { throw wrong("is nested too deeply") }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .text(try text())
        default:
            if skip("null") { return .null }
            if skip("true") { return .flag(true) }
            if skip("false") { return .flag(false) }
            return .number(try number())
        }
    }

    private mutating func array(_ depth: Int) throws(SenderRefusal) -> StrictJSON {
        at += 1
        var items: [StrictJSON] = []
        skipBlanks()
        if skip("]") { return .array([]) }
        repeat {
            items.append(try value(depth: depth + 1))
            skipBlanks()
        } while skip(",")
        guard skip("]") else { throw wrong("has a list without an end") }
        return .array(items)
    }

    private mutating func object(_ depth: Int) throws(SenderRefusal) -> StrictJSON {
        at += 1
        var members: [String: StrictJSON] = [:]
        skipBlanks()
        if skip("}") { return .object([:]) }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw wrong("has an object whose member has no name") }
            let name = try text()
            skipBlanks()
            guard skip(":") else { throw wrong("has a name without a colon") }
            guard members.updateValue(try value(depth: depth + 1), forKey: name) == nil else { throw wrong("has the same name twice") }
            skipBlanks()
        } while skip(",")
        guard skip("}") else { throw wrong("has an object without an end") }
        return .object(members)
    }

    private mutating func digits() -> Int {
        let start = at
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
        return at - start
    }

    private mutating func number() throws(SenderRefusal) -> Double {
        let start = at
        _ = skip("-")
        guard skip("0") || digits() > 0 else { throw wrong("has something that is no value") }
        if skip("."), digits() == 0 { throw wrong("has a number without digits behind its point") }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            guard digits() > 0 else { throw wrong("has a number without digits in its exponent") }
        }
        guard let value = Double(String(decoding: bytes[start..<at], as: UTF8.self)), value.isFinite else {
            throw wrong("has a number that is too large")
        }
        return value
    }

    private mutating func text() throws(SenderRefusal) -> String {
        at += 1
        var plain: [UInt8] = []
        while let byte = next {
            at += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: plain, as: UTF8.self) else { throw wrong("has text that is not UTF-8") }
                return text
            case UInt8(ascii: "\\"): try escape(&plain)
            case 0..<0x20: throw wrong("has a control character in a text")
            default: plain.append(byte)
            }
        }
        throw wrong("has a text without an end")
    }

    private mutating func escape(_ plain: inout [UInt8]) throws(SenderRefusal) {
        guard let byte = next else { throw wrong("has a text without an end") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain.append(byte)
        case UInt8(ascii: "b"): plain.append(8)
        case UInt8(ascii: "f"): plain.append(12)
        case UInt8(ascii: "n"): plain.append(10)
        case UInt8(ascii: "r"): plain.append(13)
        case UInt8(ascii: "t"): plain.append(9)
        case UInt8(ascii: "u"):
            var code = try unit()
            if (0xD800..<0xDC00).contains(code), skip("\\u") {
                let low = try unit()
                guard (0xDC00..<0xE000).contains(low) else { throw wrong("has an escape of half a character") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw wrong("has an escape of half a character") }
            plain.append(contentsOf: String(scalar).utf8)
        default: throw wrong("has an escape that JSON does not know")
        }
    }

    /// Four hexadecimal digits.
    private mutating func unit() throws(SenderRefusal) -> UInt32 {
        let digits = bytes[at...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw wrong("has an escape without four hexadecimal digits") }
        at += 4
        return unit
    }
}

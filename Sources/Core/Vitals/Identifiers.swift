/// A 128-bit identifier, written as 32 lower-case hexadecimal digits.
///
/// Identifiers are random and say nothing about what they name, so they may stand in logs.
public protocol Identifier128: Hashable, Sendable, Codable, Comparable, LosslessStringConvertible {
    /// The upper 64 bits.
    var high: UInt64 { get }
    /// The lower 64 bits.
    var low: UInt64 { get }
    init(high: UInt64, low: UInt64)
}

extension Identifier128 {
    /// A new identifier from `generator` (the system's generator unless a test brings a seeded one).
    public static func random(using generator: inout some RandomNumberGenerator) -> Self {
        Self(high: generator.next(), low: generator.next())
    }

    /// A new identifier from the system's random generator.
    public static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Reads 32 hexadecimal digits; nil for anything else.
    public init?(_ description: String) {
        let digits = Array(description.utf8)
        guard digits.count == 32 else { return nil }
        var words: [UInt64] = [0, 0]
        for (index, digit) in digits.enumerated() {
            guard let value = Hexadecimal.value(of: digit) else { return nil }
            words[index / 16] = words[index / 16] << 4 | UInt64(value)
        }
        self.init(high: words[0], low: words[1])
    }

    public var description: String { Hexadecimal.string(bytes) }

    /// The 16 bytes, most significant first.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            for index in 0..<8 {
                buffer[index] = UInt8(truncatingIfNeeded: high >> (56 - 8 * UInt64(index)))
                buffer[index + 8] = UInt8(truncatingIfNeeded: low >> (56 - 8 * UInt64(index)))
            }
            count = 16
        }
    }

    /// Reads 16 bytes, most significant first; nil for another count.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var words: [UInt64] = [0, 0]
        for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        self.init(high: words[0], low: words[1])
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "an identifier has 32 hexadecimal digits, this has \(text.count) characters")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A person who wears a sensor.
public struct PersonID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Somebody who can log in. A person's account has the person's identifier, so that one key seals all that belongs to them.
public struct AccountID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    public init(_ person: PersonID) { self.init(high: person.high, low: person.low) }

    /// The person whose account this is, where it is one.
    public var person: PersonID { PersonID(high: high, low: low) }
}

/// An organisation, or a professional on their own, that may ask for people's data: the identifier of its account.
public struct OrganisationID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    public init(_ account: AccountID) { self.init(high: account.high, low: account.low) }

    public var account: AccountID { AccountID(high: high, low: low) }
}

/// A service that an organisation publishes.
public struct ServiceID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// One request for one person's data, and the consent that comes of it.
public struct ConsentID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// An enrolled agent: one key on one box.
public struct AgentID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// One sequence of segments. Made at random with the agent's database file or with a replay, so that two files never share one.
public struct StreamID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// The life of a hub database, or of one process that changes it: which of both, its user says. A copy of a database has the same one.
public struct HubIncarnation: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// The life of one boot of a box (`/proc/sys/kernel/random/boot_id`).
public struct BootID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// Lower-case hexadecimal text of bytes.
public enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    public static func string(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Bytes of an even number of hexadecimal digits; nil for anything else.
    public static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let upper = value(of: digits[index]), let lower = value(of: digits[index + 1]) else { return nil }
            bytes.append(upper << 4 | lower)
        }
        return bytes
    }

    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

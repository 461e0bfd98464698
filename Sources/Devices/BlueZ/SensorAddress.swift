/// The Bluetooth address of a low-energy sensor.
public struct SensorAddress: Hashable, Sendable, LosslessStringConvertible {
    /// Whether the manufacturer registered the address or the sensor made it up (Core 5.3, Vol 6 Part B, 1.3).
    public enum Kind: String, Sendable, CaseIterable {
        case `public`
        case random
    }

    /// Six bytes as written, the first one first.
    public let bytes: [UInt8]
    public let kind: Kind

    /// Reads "C4:01:02:03:04:05", optionally with "/public" or "/random"; nil for anything else.
    ///
    /// Without a kind, an address whose two top bits are set is taken for a static random one, as most straps have.
    public init?(_ description: String) {
        let parts = description.split(separator: "/", omittingEmptySubsequences: false)
        let fields = parts[0].split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, fields.count == 6 else { return nil }
        var bytes: [UInt8] = []
        for field in fields {
            guard field.count == 2, field.allSatisfy(\.isHexDigit), let byte = UInt8(field, radix: 16) else { return nil }
            bytes.append(byte)
        }
        if parts.count == 2 {
            guard let kind = Kind(rawValue: String(parts[1])) else { return nil }
            self.kind = kind
        } else {
            kind = bytes[0] >= 0xC0 ? .random : .public
        }
        self.bytes = bytes
    }

    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":") + "/\(kind.rawValue)"
    }
}

extension SensorAddress: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let address = SensorAddress(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no Bluetooth address")
        }
        self = address
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

public import Vitals

/// Weight Measurement, characteristic 0x2A9D (Weight Scale Service 1.0, 3.2; GATT Specification Supplement).
public struct WeightMeasurement: Hashable, Sendable {
    /// Hundredths of a kilogram, whatever the scale's unit is.
    public var hundredths: Int
    /// The scale's own clock, as civil milliseconds since 1970 without a time zone; nil where it sends none, or does not know it.
    public var stamp: Milliseconds?
    /// The user that the scale recognises: 0 to 254; nil where it does not say, or does not know.
    public var user: UInt8?

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let imperial = Flags(rawValue: 1 << 0)
        static let stamp = Flags(rawValue: 1 << 1)
        static let user = Flags(rawValue: 1 << 2)
        static let bodyMass = Flags(rawValue: 1 << 3)
    }

    /// "Measurement unsuccessful".
    private static let none: UInt16 = 0xFFFF

    public init(hundredths: Int, stamp: Milliseconds? = nil, user: UInt8? = nil) {
        (self.hundredths, self.stamp, self.user) = (hundredths, stamp, user)
    }

    /// Decodes a value as indicated. Body mass index and height are left out, as are reserved flags (bits 4 to 7).
    public init(_ bytes: [UInt8]) throws(SensorValueProblem) {
        guard bytes.count >= 3 else { throw .weightCutShort }
        let flags = Flags(rawValue: bytes[0]), stamped = flags.contains(.stamp) ? DateTime.length : 0
        let length = 3 + stamped + (flags.contains(.user) ? 1 : 0) + (flags.contains(.bodyMass) ? 4 : 0)
        guard bytes.count >= length else { throw .weightCutShort }
        guard bytes.count == length else { throw .weightTooLong }
        let raw = bytes.littleEndian16(at: 1)
        guard raw != Self.none else { throw .weightNoNumber }
        // Steps of 5 g, or of a hundredth of a pound (0.45359237 kg).
        hundredths = flags.contains(.imperial) ? (Int(raw) * 45_359_237 + 50_000_000) / 100_000_000 : (Int(raw) + 1) / 2
        stamp = stamped > 0 ? try DateTime.civil(bytes[3..<3 + stamped], or: .weightTime) : nil
        let user = flags.contains(.user) ? bytes[3 + stamped] : .max
        self.user = user == .max ? nil : user
    }

    /// The value as a scale sends it, without a time.
    var encoded: [UInt8] {
        let raw = UInt16(clamping: hundredths * 2)
        return [0, UInt8(truncatingIfNeeded: raw), UInt8(raw >> 8)]
    }
}

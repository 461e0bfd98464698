public import Vitals

/// Temperature Measurement, characteristic 0x2A1C (Health Thermometer Service 1.0, 3.1; GATT Specification Supplement).
public struct TemperatureMeasurement: Hashable, Sendable {
    /// Hundredths of a degree Celsius, whatever the thermometer's unit is.
    public var hundredths: Int
    /// The thermometer's own clock, as civil milliseconds since 1970 without a time zone; nil where it sends none, or does not know it.
    public var stamp: Milliseconds?
    /// Where on the body; nil where it does not say, or says what is reserved.
    public var place: TemperaturePlace?

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let fahrenheit = Flags(rawValue: 1 << 0)
        static let stamp = Flags(rawValue: 1 << 1)
        static let place = Flags(rawValue: 1 << 2)
    }

    /// Hundredths of a degree that any thermometer can show.
    private static let possible: ClosedRange<Int> = -10_000...20_000

    public init(hundredths: Int, stamp: Milliseconds? = nil, place: TemperaturePlace? = nil) {
        (self.hundredths, self.stamp, self.place) = (hundredths, stamp, place)
    }

    /// Decodes a value as indicated. Reserved flags (bits 3 to 7) are ignored.
    public init(_ bytes: [UInt8]) throws(SensorValueProblem) {
        guard bytes.count >= 5 else { throw .temperatureCutShort }
        let flags = Flags(rawValue: bytes[0])
        let length = 5 + (flags.contains(.stamp) ? 7 : 0) + (flags.contains(.place) ? 1 : 0)
        guard bytes.count >= length else { throw .temperatureCutShort }
        guard bytes.count == length else { throw .temperatureTooLong }
        let word = bytes[1...4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard let number = MedicalFloat(word) else { throw .temperatureNoNumber }
        // Two places more than are kept, so that the conversion rounds once.
        guard let fine = number.scaled(places: 4) else { throw .temperatureImpossible }
        let celsius = flags.contains(.fahrenheit) ? Self.celsius(fine) : fine
        hundredths = Self.divided(celsius, by: 100)
        guard Self.possible.contains(hundredths) else { throw .temperatureImpossible }
        stamp = flags.contains(.stamp) ? try DateTime.civil(bytes[5..<12], or: .temperatureTime) : nil
        place = flags.contains(.place) ? TemperaturePlace(rawValue: bytes[length - 1]) : nil
    }

    /// Of ten-thousandths of a degree.
    private static func celsius(_ fahrenheit: Int) -> Int {
        guard abs(fahrenheit) < 1 << 50 else { return fahrenheit }
        return divided((fahrenheit - 320_000) * 5, by: 9)
    }

    private static func divided(_ value: Int, by divisor: Int) -> Int { (value + (value < 0 ? -divisor : divisor) / 2) / divisor }

    /// The value as a thermometer sends it, in hundredths of a degree Celsius, without a time.
    var encoded: [UInt8] {
        let word = MedicalFloat(exponent: -2, mantissa: hundredths).encoded
        let number = (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) }
        return [place == nil ? 0 : Flags.place.rawValue] + number + (place.map { [$0.rawValue] } ?? [])
    }
}

/// Temperature Type (0x2A1D; Health Thermometer Service 1.0, 3.2): where a thermometer measures.
public enum TemperaturePlace: UInt8, Hashable, Sendable, CaseIterable {
    case armpit = 1
    case body, ear, finger, stomach, mouth, rectum, toe, eardrum

    /// Fingers and toes are as cold as the room wants them: their temperature is not the body's.
    public var tellsBodyTemperature: Bool { self != .finger && self != .toe }
}

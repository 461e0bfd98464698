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
        stamp = flags.contains(.stamp) ? try Self.stamp(Array(bytes[5..<12])) : nil
        place = flags.contains(.place) ? TemperaturePlace(rawValue: bytes[length - 1]) : nil
    }

    /// Of ten-thousandths of a degree.
    private static func celsius(_ fahrenheit: Int) -> Int {
        guard abs(fahrenheit) < 1 << 50 else { return fahrenheit }
        return divided((fahrenheit - 320_000) * 5, by: 9)
    }

    private static func divided(_ value: Int, by divisor: Int) -> Int { (value + (value < 0 ? -divisor : divisor) / 2) / divisor }

    /// Date Time (0x2A08): year, month, day, hours, minutes, seconds. A year, month or day of 0 is not known.
    private static func stamp(_ bytes: [UInt8]) throws(SensorValueProblem) -> Milliseconds? {
        let year = Int(bytes[0]) | Int(bytes[1]) << 8, month = Int(bytes[2]), day = Int(bytes[3])
        guard year == 0 || (1582...9999).contains(year), month <= 12, day <= 31, bytes[4] <= 23, bytes[5] <= 59, bytes[6] <= 59
        else { throw .temperatureTime }
        guard year > 0, month > 0, day > 0 else { return nil }
        guard let days = CivilDate.days(year: year, month: month, day: day) else { throw .temperatureTime }
        return ((Milliseconds(days) * 24 + Milliseconds(bytes[4])) * 60 + Milliseconds(bytes[5])) * 60_000 + Milliseconds(bytes[6]) * 1000
    }

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

/// Tells a thermometer's new measurements from those that it had kept: a thermometer hands on everything that it measured while nobody was
/// connected (Health Thermometer Service 1.0, 3.1.1.3), and nobody's temperature of last night may raise an alarm.
///
/// The measurements' own times show it: from one new measurement to the next the thermometer's clock goes on as far as the box's.
struct ThermometerClock: Hashable, Sendable {
    /// The two clocks may differ by so much from one measurement to the next: stamps are whole seconds, and radios retry.
    static let tolerance: Milliseconds = 10_000

    /// The box's clock less the thermometer's, of the last measurement.
    private var difference: Milliseconds?

    /// Whether it was measured now. The first one with a stamp, and the first after the thermometer's clock was set, do not count: nothing
    /// tells of them yet. A measurement without a stamp was made when it came.
    mutating func isNew(stamp: Milliseconds?, at time: Milliseconds) -> Bool {
        guard let stamp else { return true }
        let before = difference, found = time - stamp
        difference = found
        return before.map { abs(found - $0) <= Self.tolerance } ?? false
    }
}

public import Vitals

/// PLX Spot-Check Measurement, characteristic 0x2A5E, and PLX Continuous Measurement, 0x2A5F (Pulse Oximeter Service 1.0, 3.1 and 3.2; GATT
/// Specification Supplement).
public struct OximeterMeasurement: Hashable, Sendable {
    /// Oxygen saturation in tenths of a percent.
    public var tenths: Int
    /// The oximeter's own clock, as civil milliseconds since 1970 without a time zone; nil where it sends none, or does not know it.
    public var stamp: Milliseconds?

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let spotStamp = Flags(rawValue: 1 << 0)
        static let spotStatus = Flags(rawValue: 1 << 1)
        static let spotDevice = Flags(rawValue: 1 << 2)
        static let spotAmplitude = Flags(rawValue: 1 << 3)
        static let fast = Flags(rawValue: 1 << 0)
        static let slow = Flags(rawValue: 1 << 1)
        static let status = Flags(rawValue: 1 << 2)
        static let device = Flags(rawValue: 1 << 3)
        static let amplitude = Flags(rawValue: 1 << 4)
    }

    /// Measurement Status: the value was kept, is made up, or is none.
    private enum Status {
        static let stored = 1 << 9
        /// For demonstration, for testing.
        static let madeUp = 1 << 10 | 1 << 11
        /// Calibration, unavailable, questionable, invalid.
        static let uncertain = 1 << 12 | 1 << 13 | 1 << 14 | 1 << 15
    }

    /// Device and Sensor Status: a malfunction, an inadequate, erratic or nonpulsatile signal, or a sensor that is not at its place.
    private static let noSignal = 1 << 1 | 1 << 3 | 1 << 6 | 1 << 7 | 1 << 11 | 1 << 13 | 1 << 14 | 1 << 15

    public init(tenths: Int, stamp: Milliseconds? = nil) { (self.tenths, self.stamp) = (tenths, stamp) }

    /// Decodes a value of 0x2A5E as indicated. Reserved flags (bits 5 to 7) are ignored.
    public init(spotCheck bytes: [UInt8]) throws(SensorValueProblem) {
        let flags = Flags(rawValue: bytes.first ?? 0)
        var fields = try Fields(
            bytes,
            [
                (flags.contains(.spotStamp), DateTime.length), (flags.contains(.spotStatus), 2),
                (flags.contains(.spotDevice), 3), (flags.contains(.spotAmplitude), 2),
            ])
        let stamp = flags.contains(.spotStamp) ? try DateTime.civil(fields.take(DateTime.length), or: .oximeterTime) : nil
        let status = flags.contains(.spotStatus) ? fields.number(2) : 0, device = flags.contains(.spotDevice) ? fields.number(3) : 0
        self.init(tenths: try Self.tenths(bytes, status, device), stamp: stamp)
    }

    /// Decodes a value of 0x2A5F as notified. What it says of fast and slow averages is left out, as are reserved flags (bits 5 to 7).
    public init(continuous bytes: [UInt8]) throws(SensorValueProblem) {
        let flags = Flags(rawValue: bytes.first ?? 0)
        var fields = try Fields(
            bytes,
            [
                (flags.contains(.fast), 4), (flags.contains(.slow), 4), (flags.contains(.status), 2),
                (flags.contains(.device), 3), (flags.contains(.amplitude), 2),
            ])
        if flags.contains(.fast) { _ = fields.take(4) }
        if flags.contains(.slow) { _ = fields.take(4) }
        let status = flags.contains(.status) ? fields.number(2) : 0, device = flags.contains(.device) ? fields.number(3) : 0
        self.init(tenths: try Self.tenths(bytes, status, device))
    }

    private static func tenths(_ bytes: [UInt8], _ status: Int, _ device: Int) throws(SensorValueProblem) -> Int {
        guard status & Status.madeUp == 0 else { throw .oximeterMadeUp }
        guard status & Status.stored == 0 else { throw .oximeterStored }
        guard status & Status.uncertain == 0, device & noSignal == 0 else { throw .oximeterUncertain }
        guard let number = MedicalFloat(short: bytes.littleEndian16(at: 1)) else { throw .oximeterNoNumber }
        guard let tenths = number.scaled(places: 1), (0...1000).contains(tenths) else { throw .oximeterImpossible }
        return tenths
    }

    /// The fields behind the two numbers that every value has.
    private struct Fields {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8], _ parts: [(isThere: Bool, length: Int)]) throws(SensorValueProblem) {
            let length = parts.reduce(5) { $1.isThere ? $0 + $1.length : $0 }
            guard bytes.count >= length else { throw .oximeterCutShort }
            guard bytes.count == length else { throw .oximeterTooLong }
            rest = bytes[5...]
        }

        mutating func take(_ count: Int) -> ArraySlice<UInt8> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func number(_ count: Int) -> Int { take(count).reversed().reduce(0) { $0 << 8 | Int($1) } }
    }

    /// The value of 0x2A5F as an oximeter sends it, without a pulse rate.
    var encoded: [UInt8] {
        let saturation = MedicalFloat(exponent: -1, mantissa: tenths).encodedShort, none: UInt16 = 0x07FF
        return [0] + [saturation, none].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }
}

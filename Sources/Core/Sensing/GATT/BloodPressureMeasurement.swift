public import Vitals

/// Blood Pressure Measurement, characteristic 0x2A35 (Blood Pressure Service 1.1, 3.1; GATT Specification Supplement).
public struct BloodPressureMeasurement: Hashable, Sendable {
    /// mmHg, whatever the monitor's unit is.
    public var systolic: Int, diastolic: Int
    /// The monitor's own clock, as civil milliseconds since 1970 without a time zone; nil where it sends none, or does not know it.
    public var stamp: Milliseconds?
    /// The user that the monitor recognises: 0 to 254; nil where it does not say, or does not know.
    public var user: UInt8?

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let kilopascal = Flags(rawValue: 1 << 0)
        static let stamp = Flags(rawValue: 1 << 1)
        static let pulse = Flags(rawValue: 1 << 2)
        static let user = Flags(rawValue: 1 << 3)
        static let status = Flags(rawValue: 1 << 4)
    }

    /// Measurement Status: the body moved, the cuff is too loose, the cuff is at the wrong height.
    private static let uncertain = 1 << 0 | 1 << 1 | 1 << 5

    public init(systolic: Int, diastolic: Int, stamp: Milliseconds? = nil, user: UInt8? = nil) {
        (self.systolic, self.diastolic, self.stamp, self.user) = (systolic, diastolic, stamp, user)
    }

    /// Decodes a value as indicated. The mean pressure and the pulse rate are left out, as are reserved flags (bits 5 to 7).
    public init(_ bytes: [UInt8]) throws(SensorValueProblem) {
        guard bytes.count >= 7 else { throw .pressureCutShort }
        let flags = Flags(rawValue: bytes[0]), stamped = flags.contains(.stamp) ? DateTime.length : 0
        let userPlace = 7 + stamped + (flags.contains(.pulse) ? 2 : 0), statusPlace = userPlace + (flags.contains(.user) ? 1 : 0)
        let length = statusPlace + (flags.contains(.status) ? 2 : 0)
        guard bytes.count >= length else { throw .pressureCutShort }
        guard bytes.count == length else { throw .pressureTooLong }
        stamp = stamped > 0 ? try DateTime.civil(bytes[7..<7 + stamped], or: .pressureTime) : nil
        let status = flags.contains(.status) ? Int(bytes.littleEndian16(at: statusPlace)) : 0
        guard status & Self.uncertain == 0 else { throw .pressureUncertain }
        let isKilopascal = flags.contains(.kilopascal)
        systolic = try Self.pressure(bytes, at: 1, isKilopascal)
        diastolic = try Self.pressure(bytes, at: 3, isKilopascal)
        guard diastolic <= systolic else { throw .pressureSwapped }
        let user = flags.contains(.user) ? bytes[userPlace] : .max
        self.user = user == .max ? nil : user
    }

    /// In mmHg.
    private static func pressure(_ bytes: [UInt8], at place: Int, _ isKilopascal: Bool) throws(SensorValueProblem) -> Int {
        guard let number = MedicalFloat(short: bytes.littleEndian16(at: place)) else { throw .pressureNoNumber }
        // 1 kPa is 7.50062 mmHg.
        guard let fine = number.scaled(places: 4), (0...10_000_000).contains(fine) else { throw .pressureImpossible }
        let pressure = isKilopascal ? (fine * 750_062 + 500_000_000) / 1_000_000_000 : (fine + 5000) / 10_000
        guard pressure <= 400 else { throw .pressureImpossible }
        return pressure
    }

    /// The value as a monitor sends it, without a time; the mean pressure is not told.
    var encoded: [UInt8] {
        let numbers = [systolic, diastolic].map { MedicalFloat(exponent: 0, mantissa: $0).encodedShort } + [0x07FF]
        return [0] + numbers.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }
}

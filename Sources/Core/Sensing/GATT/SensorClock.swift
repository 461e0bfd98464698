import Vitals

/// Tells a sensor's new measurements from those that it had kept: a thermometer hands on everything that it measured while nobody was
/// connected (Health Thermometer Service 1.0, 3.1.1.3), and nobody's temperature of last night may raise an alarm.
///
/// The measurements' own times show it: from one new measurement to the next the sensor's clock goes on as far as the box's.
struct SensorClock: Hashable, Sendable {
    /// The two clocks may differ by so much from one measurement to the next: stamps are whole seconds, and radios retry.
    static let tolerance: Milliseconds = 10_000

    /// The box's clock less the sensor's, of the last measurement.
    private var difference: Milliseconds?

    /// Whether it was measured now. The first one with a stamp, and the first after the sensor's clock was set, do not count: nothing
    /// tells of them yet. A measurement without a stamp was made when it came.
    mutating func isNew(stamp: Milliseconds?, at time: Milliseconds) -> Bool {
        guard let stamp else { return true }
        let before = difference, found = time - stamp
        difference = found
        return before.map { abs(found - $0) <= Self.tolerance } ?? false
    }
}

/// Date Time (0x2A08): year, month, day, hours, minutes, seconds. A year, month or day of 0 is not known.
enum DateTime {
    static let length = 7

    /// Civil milliseconds since 1970 without a time zone; nil for what the sensor does not know.
    /// - Parameter problem: thrown for a time that no calendar has.
    static func civil(_ slice: ArraySlice<UInt8>, or problem: SensorValueProblem) throws(SensorValueProblem) -> Milliseconds? {
        let bytes = Array(slice), year = Int(bytes[0]) | Int(bytes[1]) << 8, month = Int(bytes[2]), day = Int(bytes[3])
        guard year == 0 || (1582...9999).contains(year), month <= 12, day <= 31, bytes[4] <= 23, bytes[5] <= 59, bytes[6] <= 59
        else { throw problem }
        guard year > 0, month > 0, day > 0 else { return nil }
        guard let date = CivilDay(year: Int64(year), month: Int64(month), day: Int64(day)) else { throw problem }
        return ((date.days * 24 + Milliseconds(bytes[4])) * 60 + Milliseconds(bytes[5])) * 60_000 + Milliseconds(bytes[6]) * 1000
    }
}

/// Values that are physically possible for a person with a sensor (DATA-3). The agent leaves out what lies outside, and counts it; the hub
/// does not take it from anybody.
public enum SampleLimits {
    /// Beats per minute. 0 is what sensors send without contact; above 300 nothing alive is meant.
    public static let beatsPerMinuteMax: UInt16 = 300
    /// -500 to 9,000 m in 0.1 m.
    public static let altitude: ClosedRange<Int32> = -5_000...90_000
    /// Up to 150 m/s in 0.01 m/s: people travel in trains, too.
    public static let speed: ClosedRange<Int32> = 0...15_000
    /// 0.01 degrees.
    public static let course: Range<Int32> = 0..<36_000
    /// Events, gap records and clock records in one segment: a box writes a handful in ten seconds.
    public static let eventsMax = 4096
    public static let gapsMax = 1024
    public static let clocksMax = 1024
    /// 2000-01-01T00:00:00Z: before it there was no sensor to record from.
    public static let earliest: Milliseconds = 946_684_800_000
    /// A clock may be this much ahead of the hub's: 24 hours.
    public static let aheadMax: Milliseconds = 86_400_000
    /// A boot's clock counts from 0 and no box runs for more than 20 years.
    public static let boottimeMax: Milliseconds = 20 * 366 * 86_400_000
}

extension PositionSample {
    /// Whether its coordinates are on the earth (WGS 84), and altitude, speed and course within ``SampleLimits``.
    public var isWithinLimits: Bool {
        latitude.magnitude <= 900_000_000 && longitude.magnitude <= 1_800_000_000
            && altitude.map(SampleLimits.altitude.contains) ?? true && speed.map(SampleLimits.speed.contains) ?? true
            && course.map(SampleLimits.course.contains) ?? true
    }
}

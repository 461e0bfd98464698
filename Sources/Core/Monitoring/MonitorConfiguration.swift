public import Vitals

/// The times and limits that a ``PersonMonitor`` goes by. All times in milliseconds. SOS-18 wants a broken link told within 60 s, and
/// detection.md's proposal a missing signal after 30 s.
public struct MonitorConfiguration: Hashable, Sendable {
    public var role: BoxRole
    /// The box's power supply, where the person knows better than the box; nil: as the box finds it.
    public var powerOverride: BoxPower?
    /// Whether there is anything that gives positions: gpsd, a location service or a fixed place.
    public var hasPosition: Bool

    public init(role: BoxRole, powerOverride: BoxPower? = nil, hasPosition: Bool = true) {
        self.role = role
        self.powerOverride = powerOverride
        self.hasPosition = hasPosition
    }

    /// Beats per minute that can be a reading: the quality gate's range. What lies outside is recorded, and never counts.
    public static let countedRange: ClosedRange<UInt16> = 25...240
    /// No usable reading for so long is no signal. Sensors send once a second; the trigger allows gaps of 10 s.
    public static let silence: Milliseconds = 10_000
    /// A missing signal is told after so long.
    public static let lostTold: Milliseconds = 30_000
    /// Missing contact is told after so long: a strap that is moved loses it for a moment.
    public static let notWornTold: Milliseconds = 20_000
    /// No signal for so long at a box that stands still: the wearer has gone.
    public static let awayAfter: Milliseconds = 300_000
    /// The same value for so long without an RR interval is frozen.
    public static let frozenAfter: Milliseconds = 60_000
    /// Number of readings in a row that change the conclusion about skin contact.
    public static let readingsToDecide = 3
    /// A rise of the sensor's battery by so many points, while nobody wears it, is charging.
    public static let chargingRise = 2
    /// Percent at which batteries are told, and by how much they must recover until that is over.
    public static let batteryLow = 20
    public static let batteryVeryLow = 10
    public static let batteryRecovery = 3
    /// The box's battery is recorded when it has changed by so many points.
    public static let batteryRecorded = 5
    /// The box's power is not known any more when nobody has looked at it for so long, and its age is shown to ``powerShown``: a look each
    /// 2 s that finds nothing new is no news.
    public static let powerOld: Milliseconds = 60_000
    public static let powerShown: Milliseconds = 30_000
    /// A box that people carry tells for so long that it was unplugged; one that stays where it is, until it is on the mains again.
    public static let mainsLostShown: Milliseconds = 60_000
    /// A position is old after so long; missing, and told, after ``positionTold``.
    public static let positionOld: Milliseconds = 10_000
    public static let positionTold: Milliseconds = 45_000
    /// Location services tell a position now and then only.
    public static let networkPositionOld: Milliseconds = 600_000
    /// Fixes of this speed (0.01 m/s) and more for ``movingAfter``, without a slower one, are a box that is carried; it is until there
    /// was none for ``movingEnds``.
    public static let movingSpeed: Int32 = 150
    public static let movingAfter: Milliseconds = 30_000
    public static let movingEnds: Milliseconds = 300_000
    /// A hub that does not answer is told after so long.
    public static let hubTold: Milliseconds = 30_000
    /// A person without a sensor is told after so long: after a start, the choice is read first.
    public static let noSensorTold: Milliseconds = 10_000
    /// Time after which a told problem that stays good is over: links that come and go are told once.
    public static let settled: Milliseconds = 5_000
    /// Missing contact is over so long after a missing signal took its place, and the other way round.
    public static let lingers: Milliseconds = 300_000

    /// The box's power supply, decided: the person's word first, then what the box found, then what boxes of this role mostly do.
    func feed(_ found: BoxPower) -> BoxPower {
        if let powerOverride, powerOverride != .unknown { return powerOverride }
        if found != .unknown { return found }
        return role == .gateway ? .mains : .battery
    }
}

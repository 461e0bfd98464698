public import Vitals

/// One point of a recorded activity: what a `trkpt` of GPX, a `Trackpoint` of TCX or a record message of FIT says. Integers in the
/// resolution of the project's samples. A value that the file does not have, or that lies outside of what is possible, is nil.
public struct ActivityPoint: Sendable, Hashable {
    /// A place on WGS 84 in 1e-7 degrees, north and east positive.
    public struct Place: Sendable, Hashable {
        public var latitude: Int32, longitude: Int32

        public init(latitude: Int32, longitude: Int32) { (self.latitude, self.longitude) = (latitude, longitude) }
    }

    /// UTC; nil in files that hold a drawn course.
    public var time: Milliseconds?
    /// nil without a fix of the receiver.
    public var place: Place?
    /// Height above mean sea level in 0.1 m.
    public var altitude: Int32?
    /// Beats per minute, 0 included: some devices write it for "no reading".
    public var heartRate: UInt16?
    /// Steps or turns of the crank in 0.1 a minute. Files count the steps of one foot; here both count.
    public var cadence: Int32?
    /// 0.01 m/s.
    public var speed: Int32?
    /// Since the start, by the device's own reckoning, in 0.01 m.
    public var distance: Int32?
    /// Over ground, 0.01 degrees clockwise from true north, 0 to 35,999.
    public var course: Int32?
    /// Estimated horizontal error in 0.1 m.
    public var horizontalError: Int32?
    /// Watts.
    public var power: UInt16?
    /// Of the air, or of the device that wears on the skin, in 0.1 degrees Celsius.
    public var temperature: Int16?
    /// The kind of the receiver's fix.
    public var mode = FixMode.unknown

    public init(time: Milliseconds? = nil, place: Place? = nil) { (self.time, self.place) = (time, place) }

    /// Whether it says anything beside its time.
    var isEmpty: Bool { self == ActivityPoint(time: time) }
}

extension ActivityPoint {
    /// The great-circle way to another point in metres, on a sphere of 6,371,008.8 m; 0 where one has no place. The cosine is a polynomial,
    /// good to 0.1 % for points that are near each other.
    func distance(to other: ActivityPoint) -> Double {
        guard let here = place, let there = other.place else { return 0 }
        let radians = Double.pi / 180e7, radius = 6_371_008.8
        let angle = (Double(here.latitude) + Double(there.latitude)) / 2 * radians, square = angle * angle
        let cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)))
        let north = (Double(there.latitude) - Double(here.latitude)) * radians * radius
        var turn = Double(there.longitude) - Double(here.longitude)
        if turn > 180e7 { turn -= 360e7 } else if turn < -180e7 { turn += 360e7 }
        let east = turn * radians * radius * cosine
        return (north * north + east * east).squareRoot()
    }
}

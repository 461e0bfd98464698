import Vitals

/// A fix as the history keeps it: 16 bytes.
struct RunFix: Hashable, Sendable {
    /// Milliseconds since the gun, negative before it.
    var time: Int32
    var latitude: Int32
    var longitude: Int32
    /// 0.1 m; `unknown` where the receiver does not tell.
    var error: UInt16
    /// 0.01 m/s; `unknown` where the receiver does not tell.
    var speed: UInt16

    static let unknown = UInt16.max

    /// nil for coordinates outside of their range.
    init?(_ sample: PositionSample, time: Int32) {
        guard CoursePoint(sample).isValid else { return nil }
        self.time = time
        latitude = sample.latitude
        longitude = sample.longitude
        error = sample.horizontalError.map { UInt16(clamping: min(max($0, 0), 65_534)) } ?? Self.unknown
        speed = sample.speed.map { UInt16(clamping: min(max($0, 0), 65_534)) } ?? Self.unknown
    }

    var seconds: Double { Double(time) / 1000 }
    var point: CoursePoint { CoursePoint(latitude: latitude, longitude: longitude) }
    /// Metres.
    var errorMetres: Double {
        error == Self.unknown ? MatchCosts.errorUnknown : max(Double(error) / 10, MatchCosts.errorMin)
    }

    /// Of two fixes of the same moment (the same `spacing`), whether this one stands for it: the later, then the better, then any fixed order,
    /// so that the order of arrival does not matter.
    func outranks(_ other: RunFix) -> Bool {
        if time != other.time { return time > other.time }
        return (error, latitude, longitude, speed) < (other.error, other.latitude, other.longitude, other.speed)
    }
}

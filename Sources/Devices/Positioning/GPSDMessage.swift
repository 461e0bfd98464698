/// One line of gpsd's JSON protocol, as far as a position source needs it.
enum GPSDMessage: Sendable, Equatable {
    case version(release: String, protocolMajor: Int)
    /// TPV: time, position, velocity.
    case report(TPVReport)
    /// The number of gpsd's receivers.
    case devices(count: Int)
    /// A receiver was opened, or closed and lost.
    case device(path: String, isActive: Bool)
    /// gpsd's own complaint.
    case error(String)
    /// A class that says nothing about the position (SKY, WATCH and the like).
    case other
}

/// A TPV report (gpsd_json(5)). Every number except the mode may be missing, which libgps writes as NaN.
struct TPVReport: Sendable, Equatable {
    /// Which receiver reports.
    var device = ""
    /// 0 unknown, 1 no fix, 2 two-dimensional, 3 three-dimensional.
    var mode = 0
    /// UTC milliseconds of the fix.
    var utc: Int64?
    /// Degrees.
    var latitude = Double.nan
    var longitude = Double.nan
    /// Metres above mean sea level.
    var altitudeMSL = Double.nan
    /// Metres; gpsd before 3.20 sent only this one, later ones leave undefined what it means.
    var altitude = Double.nan
    /// Metres a second.
    var speed = Double.nan
    /// Degrees from true north.
    var track = Double.nan
    /// Estimated errors in metres: horizontal, and along longitude and latitude.
    var eph = Double.nan
    var epx = Double.nan
    var epy = Double.nan
    /// The receiver says that it simulates (status 8).
    var isSimulated = false
}

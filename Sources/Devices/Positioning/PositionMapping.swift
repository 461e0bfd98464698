import Vitals

extension PositionSample {
    /// The sample of a report that was received at `time`; nil when it has no fix or no usable position.
    init?(_ report: TPVReport, time: Milliseconds) {
        guard report.mode >= 2,
            let latitude = Int32(scaling: report.latitude, by: 1e7, within: -900_000_000...900_000_000),
            let longitude = Int32(scaling: report.longitude, by: 1e7, within: -1_800_000_000...1_800_000_000)
        else { return nil }
        let isThreeDimensional = report.mode >= 3
        // A two-dimensional fix carries at most the height that the receiver assumed.
        let height = report.altitudeMSL.isFinite ? report.altitudeMSL : report.altitude
        self.init(
            time: time, latitude: latitude, longitude: longitude,
            altitude: isThreeDimensional ? Int32(scaling: height, by: 10, within: -200_000...10_000_000) : nil,
            speed: Int32(scaling: report.speed, by: 100, within: 0...Int32.max),
            course: Int32(scaling: report.track, by: 100, within: 0...36_000).map { $0 % 36_000 },
            horizontalError: Self.horizontalError(of: report),
            mode: isThreeDimensional ? .threeDimensional : .twoDimensional, source: .gnss)
    }

    /// `eph`, or what the errors along the two axes make together, in 0.1 m; nil when the receiver does not say.
    private static func horizontalError(of report: TPVReport) -> Int32? {
        let metres: Double
        if report.eph.isFinite {
            metres = report.eph
        } else if report.epx.isFinite, report.epy.isFinite {
            metres = (report.epx * report.epx + report.epy * report.epy).squareRoot()
        } else {
            metres = report.epx.isFinite ? report.epx : report.epy
        }
        return Int32(scaling: metres, by: 10, within: 0...Int32.max)
    }
}

extension Int32 {
    /// `value` times `factor`, rounded; nil when that is no number or outside `range`.
    init?(scaling value: Double, by factor: Double, within range: ClosedRange<Int32>) {
        let scaled = (value * factor).rounded()
        // NaN is neither above nor below anything, so it fails too.
        guard scaled >= Double(range.lowerBound), scaled <= Double(range.upperBound) else { return nil }
        self = Int32(scaled)
    }
}

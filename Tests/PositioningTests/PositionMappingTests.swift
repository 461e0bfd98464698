import Testing
import Vitals

@testable import Positioning

struct PositionMappingTests {
    private let full = TPVReport(
        device: "/dev/a", mode: 3, utc: 1, latitude: 45.4781234, longitude: -9.2270005, altitudeMSL: 120.04, altitude: 999,
        speed: 3.025, track: 40.55, eph: 17.1, epx: 3, epy: 4)

    @Test("EDGE-3: a report becomes a sample in the stored resolution")
    func everyField() throws {
        let sample = try #require(PositionSample(full, time: 42))
        #expect(
            sample
                == PositionSample(
                    time: 42, latitude: 454_781_234, longitude: -92_270_005, altitude: 1200, speed: 303, course: 4055,
                    horizontalError: 171, mode: .threeDimensional, source: .gnss))
    }

    @Test("EDGE-3: what a report does not say is missing in the sample, not zero")
    func missingFields() throws {
        let sample = try #require(PositionSample(TPVReport(mode: 2, latitude: 0, longitude: 0), time: 1))
        #expect(sample == PositionSample(time: 1, latitude: 0, longitude: 0, mode: .twoDimensional))
    }

    @Test(
        "EDGE-3: no fix, no number or no place on Earth is no position",
        arguments: [
            TPVReport(mode: 0, latitude: 1, longitude: 1), TPVReport(mode: 1, latitude: 1, longitude: 1),
            TPVReport(mode: -1, latitude: 1, longitude: 1), TPVReport(mode: 3), TPVReport(mode: 3, latitude: 1),
            TPVReport(mode: 3, latitude: .infinity, longitude: 1), TPVReport(mode: 3, latitude: 90.1, longitude: 1),
            TPVReport(mode: 3, latitude: 1, longitude: -180.1), TPVReport(mode: 3, latitude: 1e300, longitude: 1e300),
        ])
    func noPosition(report: TPVReport) {
        #expect(PositionSample(report, time: 1) == nil)
    }

    @Test("EDGE-3: impossible numbers beside a position are left out")
    func impossibleFields() throws {
        var report = full
        (report.altitudeMSL, report.altitude) = (1e12, .nan)
        (report.speed, report.track, report.eph, report.epx, report.epy) = (-1, 400, -5, .nan, .nan)
        let sample = try #require(PositionSample(report, time: 1))
        #expect(sample.altitude == nil && sample.speed == nil && sample.course == nil && sample.horizontalError == nil)
        (report.speed, report.eph) = (1e300, 1e300)
        let other = try #require(PositionSample(report, time: 1))
        #expect(other.speed == nil && other.horizontalError == nil)
    }

    @Test("EDGE-3: a two-dimensional fix has no height, a course of 360 degrees is north, alt stands in for altMSL")
    func corners() throws {
        var report = full
        (report.mode, report.track) = (2, 359.999)
        let flat = try #require(PositionSample(report, time: 1))
        #expect(flat.altitude == nil && flat.course == 0 && flat.mode == .twoDimensional)
        (report.mode, report.altitudeMSL) = (4, .nan)
        let old = try #require(PositionSample(report, time: 1))
        #expect(old.altitude == 9990 && old.mode == .threeDimensional)
    }

    @Test(
        "EDGE-3: without eph the error comes from the axes",
        arguments: [(3.0, 4.0, Int32?(50)), (3.0, Double.nan, 30), (Double.nan, 4.0, 40), (Double.nan, Double.nan, nil)])
    func axisErrors(epx: Double, epy: Double, expected: Int32?) throws {
        var report = full
        (report.eph, report.epx, report.epy) = (.nan, epx, epy)
        #expect(try #require(PositionSample(report, time: 1)).horizontalError == expected)
    }
}

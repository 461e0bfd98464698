import Sensing
import SystemBus
import Testing
import Vitals

@testable import Positioning

@Suite
struct GeoClueTests {
    private let properties: [String: BusValue] = [
        "Latitude": .double(45.5), "Longitude": .double(-9.25), "Accuracy": .double(61.25), "Altitude": .double(-.greatestFiniteMagnitude),
        "Speed": .double(-1), "Heading": .double(-1), "Timestamp": .structure([.uint64(1_795_248_000), .uint64(0)]),
    ]
    private let wall: Milliseconds = 1_795_248_005_000

    @Test("EDGE-3: a place of GeoClue is marked as a network's, with its error and its age")
    func place() {
        #expect(
            PositionSample(geoclue: properties, now: 60_000, wall: wall)
                == PositionSample(
                    time: 55_000, latitude: 455_000_000, longitude: -92_500_000, horizontalError: 613, mode: .unknown, source: .network))
    }

    @Test("EDGE-3: a clock that is wrong makes no place of the future, and an error of 0 m is none")
    func doubtful() {
        var altered = properties
        altered["Accuracy"] = .double(0)
        let sample = PositionSample(geoclue: altered, now: 60_000, wall: 0)
        #expect(sample?.time == 60_000 && sample?.horizontalError == nil)
    }

    @Test("EDGE-3: without a latitude or a longitude there is no place", arguments: ["Latitude", "Longitude", "Accuracy"])
    func missing(name: String) {
        #expect(PositionSample(geoclue: properties.filter { $0.key != name }, now: 1, wall: wall) == nil)
    }

    @Test("EDGE-3: a GeoClue that denies or is missing is told with what to write where")
    func problems() {
        #expect(SourceProblem.geoclue(BusError(name: "org.freedesktop.DBus.Error.AccessDenied")).advice.contains("[trackme-agent]"))
        #expect(SourceProblem.geoclue(BusError(name: "org.freedesktop.DBus.Error.ServiceUnknown")).advice.contains("geoclue-2.0"))
    }
}

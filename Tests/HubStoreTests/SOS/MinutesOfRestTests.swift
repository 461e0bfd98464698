import Distress
import Segments
import Testing
import Vitals

@testable import HubStore

struct MinutesOfRestTests {
    @Test(
        "SOS-2: a speed that a satellite receiver did not find well for the person makes no minute one of rest",
        arguments: Engine.allCases)
    func minutesOfRest(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        func place(_ minute: Milliseconds, _ source: PositionSource, error: Int32 = 80) -> PositionSample {
            PositionSample(
                time: noon + minute * 60_000, latitude: 454_640_000, longitude: 91_900_000, speed: 0, horizontalError: error, source: source
            )
        }
        try store.append(
            SampleSet(
                heartRates: heartRates(from: noon, count: 240),
                positions: [place(0, .gnss), place(1, .fixed), place(2, .network), place(3, .gnss, error: 600)]),
            sequence: 1)
        let minutes = try store.series.detection.minutesOfRest(of: store.person, from: noon, to: noon + 240_000, now: noon + 240_000)
        #expect(minutes.sorted { $0.start < $1.start }.map(\.speed) == [0, nil, nil, nil])
    }
}

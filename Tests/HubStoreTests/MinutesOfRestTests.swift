import Distress
import Segments
import Testing
import Vitals

@testable import HubStore

struct MinutesOfRestTests {
    @Test("SOS-2: a speed that a satellite receiver did not find for the person makes no minute one of rest")
    func minutesOfRest() throws {
        let store = try StoreFixture()
        func place(_ minute: Milliseconds, _ source: PositionSource) -> PositionSample {
            PositionSample(time: noon + minute * 60_000, latitude: 454_640_000, longitude: 91_900_000, speed: 0, source: source)
        }
        try store.append(
            SampleSet(heartRates: heartRates(from: noon, count: 180), positions: [place(0, .gnss), place(1, .fixed), place(2, .network)]),
            sequence: 1)
        let minutes = try store.series.minutesOfRest(of: store.person, from: noon, to: noon + 180_000, now: noon + 180_000)
        #expect(minutes.sorted { $0.start < $1.start }.map(\.speed) == [0, nil, nil])
    }
}

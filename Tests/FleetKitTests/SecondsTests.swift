import Segments
import Testing
import Vitals

@testable import FleetKit

@Suite("A heart rate of each second")
struct SecondsTests {
    private static let day: Milliseconds = 86_400_000
    /// Not at an hour.
    private static let now: Milliseconds = 1_795_800_000_000 + 1_230_000

    private let year = MadeUpYear(seed: 1, zone: "UTC", begins: now - 200 * day)

    @Test("each second of a day has one, also of a day without a watch, and the same again")
    func whole() {
        for index in [3, 134] {
            let seconds = year.seconds(index), span = year.day(index).span
            #expect(seconds.map(\.time) == Array(stride(from: span.lowerBound, to: span.upperBound, by: 1000)))
            #expect(seconds.allSatisfy { (38...190).contains($0.beatsPerMinute) } && seconds == year.seconds(index))
        }
        #expect(year.seconds(3) != year.seconds(4))
    }

    @Test("they follow what is known of the day")
    func follows() throws {
        let known = year.samples(7).heartRates, seconds = year.seconds(7)
        let byTime = Dictionary(uniqueKeysWithValues: seconds.map { ($0.time, $0.beatsPerMinute) })
        let both = known.compactMap { sample in byTime[sample.time].map { (Int(sample.beatsPerMinute), Int($0)) } }
        #expect(both.count > 500)
        #expect(both.allSatisfy { abs($0.0 - $0.1) <= 2 })
    }

    @Test("hours are those of UTC, end now, and fit into what a hub takes")
    func hours() throws {
        let all = (0...200).suffix(5).map { year.hours($0, until: Self.now) }, hours = all.flatMap { $0 }
        #expect(hours.allSatisfy { Set($0.map { $0.time / 3_600_000 }).count == 1 && $0.count <= 3600 })
        #expect(hours.joined().last?.time == Self.now && all[0].count == 24)
        #expect(hours.reduce(0) { $0 + $1.count } <= 524_288)
        #expect(hours.allSatisfy { $0.count <= Segment.samplesMax })
    }
}

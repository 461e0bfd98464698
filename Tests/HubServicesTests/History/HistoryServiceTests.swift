import History
import Privacy
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

@Suite struct HistoryServiceTests {
    private static let hour: Milliseconds = 3_600_000
    /// 2026-10-24, midnight in Rome, the day before the clocks go back.
    private static let midnight: Milliseconds = 1_792_792_800_000

    /// As in Rome: two hours until 2026-10-25 01:00 UTC, one from then on.
    private static let rome = HistoryService.Bucket.day { $0 < 1_792_890_000_000 ? 2 * hour : hour }

    private static func fixture(hours: Int, everyHour count: Int) async throws -> (hub: ServicesFixture, history: HistoryService) {
        let hub = try ServicesFixture()
        hub.clock.advance(midnight + Milliseconds(hours) * hour - hub.clock.now)
        let box = try await hub.enrol(), stream = StreamID.random()
        for number in 0..<hours {
            let start = midnight + Milliseconds(number) * hour
            let rates = (0..<count).map {
                HeartRateSample(time: start + Milliseconds($0) * 1000, beatsPerMinute: UInt16(60 + (number + $0) % 40))
            }
            let segment = Segment(
                stream: stream, sequence: UInt64(number), person: hub.person, provenance: .live, clock: .wall,
                samples: SampleSet(heartRates: rates))
            _ = try await hub.send([segment.encoded()], token: box.token)
        }
        return (hub, HistoryService(accounts: hub.accounts, series: hub.series, now: { hub.clock.now }))
    }

    @Test("DATA-5: days are the reader's: one of 25 hours where the clocks go back")
    func localDays() async throws {
        let (hub, history) = try await Self.fixture(hours: 72, everyHour: 4)
        let own = Grant.maintenance(of: hub.person), to = Self.midnight + 73 * Self.hour
        let days = try #require(try history.points(own, of: .heartRate, by: Self.rome, from: Self.midnight, to: to))
        let begins: [Milliseconds] = [0, 24, 49].map { (hours: Milliseconds) -> Milliseconds in Self.midnight + hours * Self.hour }
        #expect(days.map(\.time) == begins)
        #expect(days.map(\.rollup.count) == [96, 100, 92])
        let hours = try #require(try history.points(own, of: .heartRate, by: .hour, from: Self.midnight, to: to))
        #expect(hours.count == 72 && hours.allSatisfy { $0.rollup.count == 4 })
        let minutes = try #require(try history.points(own, of: .heartRate, by: .minute, from: Self.midnight, to: Self.midnight + Self.hour))
        #expect(minutes.map(\.time) == [Self.midnight])
    }

    @Test("DATA-6: statistics are those of the samples while these are there, and of the rollups when they went")
    func statistics() async throws {
        let (hub, history) = try await Self.fixture(hours: 10, everyHour: 300)
        let own = Grant.maintenance(of: hub.person), to = Self.midnight + 10 * Self.hour
        let exact = try #require(try history.statistics(own, of: .heartRate, from: Self.midnight, to: to))
        #expect(exact.count == 3000 && exact.error == 0 && exact.minimum == 60 && exact.maximum == 99)
        try hub.series.merger.merge(now: to)
        while try hub.series.rollups.build(before: to) > 0 {}
        #expect(try history.statistics(own, of: .heartRate, from: Self.midnight, to: to) == exact)
        _ = try hub.series.space.keepWithin(hub.series.space.bytes(of: hub.person) / 2)
        #expect(try hub.series.reader.read(own, from: Self.midnight, to: to, now: to)?.heartRates.count ?? 0 < 3000)
        let left = try #require(try history.statistics(own, of: .heartRate, from: Self.midnight, to: to))
        // Each heart rate is a bin of its own: nothing is lost.
        #expect(left.count == 3000 && left.mean == exact.mean && left.percentiles == exact.percentiles)
        #expect(try history.statistics(own, of: .heartRate, from: to, to: to + Self.hour) == nil)
        #expect(try history.statistics(own, of: .sleep, from: Self.midnight, to: to) == nil)
    }

    @Test("CONS-9: what may be read up to an instant ends there in points, statistics and zones, also within an hour and a minute")
    func ending() async throws {
        let (hub, history) = try await Self.fixture(hours: 3, everyHour: 1500)
        let own = Grant.maintenance(of: hub.person), to = Self.midnight + 3 * Self.hour
        let until = Self.midnight + Self.hour + 1_230_000, ended = history.ending(at: until)
        func points(_ bucket: HistoryService.Bucket) throws -> [HistoryService.Point] {
            try #require(try ended.points(own, of: .heartRate, by: bucket, from: Self.midnight, to: to))
        }
        // 20 whole minutes of the second hour: of the 21st nothing, as a summary of it would tell of what follows.
        func look() throws {
            #expect(try points(.minute).map(\.time).last == Self.midnight + Self.hour + 19 * 60_000)
            #expect(try points(.minute).count == 45 && points(.hour).map(\.rollup.count) == [1500, 1200])
            #expect(try points(Self.rome).map(\.rollup.count) == [2700])
            let zones = try #require(HeartRateZones(maximum: 200))
            let heart = try #require(try ended.heartSummary(own, zones: zones, from: Self.midnight, to: to))
            #expect(heart.minutes == 45 && heart.zoneMinutes?.reduce(0, +) == 45)
            #expect(try ended.points(own, of: .heartRate, by: .hour, from: until + 1, to: to) == [])
            #expect(try ended.statistics(own, of: .heartRate, from: until + 1, to: to) == nil)
            let latest = try #require(try ended.latest(own))
            #expect(latest.heartRate == nil && latest.scalars.isEmpty)
            #expect(try ended.derived(own, on: [Self.midnight..<to], body: nil) == [])
        }
        try look()
        let exact = try #require(try ended.statistics(own, of: .heartRate, from: Self.midnight, to: to))
        #expect(exact.count == 2731)
        #expect(try history.ending(at: to).statistics(own, of: .heartRate, from: Self.midnight, to: to)?.count == 4500)
        try hub.series.merger.merge(now: to)
        while try hub.series.rollups.build(before: to) > 0 {}
        try look()
        _ = try hub.series.space.keepWithin(hub.series.space.bytes(of: hub.person) / 2)
        #expect(try ended.statistics(own, of: .heartRate, from: Self.midnight, to: to)?.count == 2700)
    }
}

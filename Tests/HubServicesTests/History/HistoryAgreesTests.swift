import Foundation
import History
import Privacy
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// What is read from rollups, because that is quicker, is what the samples and the calendar say.
@Suite struct HistoryAgreesTests {
    private static let minute: Milliseconds = 60_000, hour: Milliseconds = 3_600_000
    /// 2026-11-23, midnight UTC.
    private static let midnight: Milliseconds = 1_795_392_000_000

    private struct Wearer {
        let hub: ServicesFixture
        let history: HistoryService
        var own: Grant { Grant.maintenance(of: hub.person) }

        /// Five hours with a heart rate every seven seconds.
        init() async throws {
            let hub = try ServicesFixture()
            hub.clock.advance(midnight + 6 * hour - hub.clock.now)
            let token = try await hub.enrol().token, stream = StreamID.random()
            var generator = SeededGenerator(seed: 4)
            for number in 0..<5 as Range<UInt64> {
                let rates = (0..<514).map { index in
                    HeartRateSample(
                        time: midnight + Milliseconds(number) * hour + Milliseconds(index) * 7000,
                        beatsPerMinute: 50 + UInt16(generator.next() % 90))
                }
                let segment = Segment(
                    stream: stream, sequence: number, person: hub.person, provenance: .live, clock: .wall,
                    samples: SampleSet(heartRates: rates))
                _ = try await hub.send([segment.encoded()], token: token)
            }
            history = HistoryService(accounts: hub.accounts, series: hub.series, now: { hub.clock.now })
            self.hub = hub
        }

        func rollUp() throws {
            try hub.series.merger.merge(now: hub.clock.now)
            while try hub.series.rollups.build(before: midnight + 9 * hour) > 0 {}
        }
    }

    @Test("DATA-6: statistics of heart rates are those of the samples to 1e-9, on whole hours or not, waiting, merged and rolled up")
    func statistics() async throws {
        let wearer = try await Wearer()
        let spans: [(Milliseconds, Milliseconds)] = [
            (0, 6 * Self.hour), (Self.hour, 3 * Self.hour), (30 * Self.minute, 90 * Self.minute), (5 * Self.minute, 40 * Self.minute),
            (90 * Self.minute, 4 * Self.hour + Self.minute), (Self.hour + 1, 2 * Self.hour),
        ]
        func look() throws {
            for (first, last) in spans {
                let (from, to) = (Self.midnight + first, Self.midnight + last)
                let reading = try #require(try wearer.hub.series.reader.read(wearer.own, from: from, to: to - 1, now: to))
                let exact = try #require(Statistics(reading.heartRates.map { Double($0.beatsPerMinute) }))
                let points = try wearer.history.points(wearer.own, of: .heartRate, by: .minute, from: from, to: to)
                for known in [nil, points] {
                    let found = try #require(
                        try wearer.history.statistics(wearer.own, of: .heartRate, from: from, to: to, points: known))
                    #expect(found.count == exact.count && found.percentiles == exact.percentiles && found.error == 0)
                    #expect(found.minimum == exact.minimum && found.maximum == exact.maximum && abs(found.mean - exact.mean) < 1e-9)
                    #expect(abs((found.variance ?? 0) - (exact.variance ?? 0)) < 1e-9)
                }
            }
        }
        try look()
        try wearer.rollUp()
        try look()
    }

    @Test("DATA-6: resting heart rate is that of the means of minutes to half a beat, and zones are those of the minutes")
    func heart() async throws {
        let wearer = try await Wearer(), zones = try #require(HeartRateZones(maximum: 150))
        try wearer.rollUp()
        let spans: [(Milliseconds, Milliseconds)] = [
            (0, 5 * Self.hour), (10 * Self.minute, 2 * Self.hour), (Self.hour + 5 * Self.minute, Self.hour + 50 * Self.minute),
        ]
        for (first, last) in spans {
            let (from, to) = (Self.midnight + first, Self.midnight + last)
            let minutes = try #require(try wearer.history.points(wearer.own, of: .heartRate, by: .minute, from: from, to: to))
            let means = minutes.compactMap(\.rollup.mean), exact = try #require(Statistics(means)).percentiles.p5
            let found = try #require(try wearer.history.heartSummary(wearer.own, zones: zones, from: from, to: to))
            #expect(found.minutes == means.count && abs(found.resting - exact) < 0.5 + 1e-9)
            let counted = means.reduce(into: [0, 0, 0, 0, 0, 0]) { $0[zones.zone(of: Int64($1.rounded()))] += 1 }
            #expect(found.zoneMinutes == counted)
        }
    }

    @Test(
        "DATA-5: days of hours begin at midnight of each zone, also where the clocks change by half an hour",
        arguments: ["UTC", "Europe/Rome", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia"])
    func days(_ name: String) throws {
        let zone = try #require(TimeZone(identifier: name)), rule = try #require(RollupRule(.heartRate))
        func offset(_ time: Milliseconds) -> Milliseconds {
            Milliseconds(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time) / 1000))) * 1000
        }
        // From the autumn of 2011, when Apia left out a day, on.
        let first: Milliseconds = 1_317_427_200_000
        let hours = (0..<9000).map { number in
            var rollup = Rollup()
            rollup.take(60 + Int64(number % 40), by: rule)
            return HistoryService.Point(time: first + Milliseconds(number) * Self.hour, rollup: rollup)
        }
        var expected: [Int64: Rollup] = [:]
        for hour in hours {
            expected[(hour.time + offset(hour.time)).flooredQuotient(by: 24 * Self.hour), default: Rollup()].merge(hour.rollup)
        }
        let days = hours.days(offset: offset)
        #expect(days.map(\.rollup) == expected.sorted { $0.key < $1.key }.map(\.value))
        #expect(days.allSatisfy { ($0.time + offset($0.time)) % (24 * Self.hour) == 0 })
    }

    @Test("DATA-4: the newest values are found among what waits to be merged, behind newer samples of other kinds, and beside blocks")
    func newest() async throws {
        let hub = try ServicesFixture()
        hub.clock.advance(Self.midnight + 90 * Self.hour - hub.clock.now)
        let token = try await hub.enrol().token
        let history = HistoryService(accounts: hub.accounts, series: hub.series, now: { hub.clock.now })
        func send(_ samples: SampleSet) async throws {
            let segment = Segment(
                stream: .random(), sequence: 0, person: hub.person, provenance: samples.scalars.isEmpty ? .live : .import, clock: .wall,
                samples: samples)
            _ = try await hub.send([segment.encoded()], token: token)
        }
        func latest() throws -> HistoryService.Latest? { try history.latest(Grant.maintenance(of: hub.person)) }
        func rate(_ time: Milliseconds, _ rate: UInt16) -> SampleSet { SampleSet(heartRates: [.init(time: time, beatsPerMinute: rate)]) }
        func weight(_ time: Milliseconds) throws -> ScalarSample { try #require(ScalarSample(.weight, time: time, value: 7_000)) }
        func steps(_ time: Milliseconds) throws -> ScalarSample {
            try #require(ScalarSample(.steps, time: time, value: 9, end: time + Self.minute))
        }
        try await send(rate(Self.midnight, 61))
        for number in 1...5 as ClosedRange<Milliseconds> {
            try await send(SampleSet(scalars: [try steps(Self.midnight + number * 10 * Self.hour)]))
        }
        #expect(try latest()?.heartRate?.sample.beatsPerMinute == 61)
        #expect(try latest()?.scalars.map(\.sample.kind) == [.steps])
        try hub.series.merger.merge(now: hub.clock.now)
        #expect(try latest()?.heartRate?.sample.beatsPerMinute == 61)
        // Older than a block, and of a kind that has none.
        let old = HeartRateSample(time: Self.midnight - Self.hour, beatsPerMinute: 99)
        try await send(SampleSet(heartRates: [old], scalars: [try weight(Self.midnight - 50 * Self.hour)]))
        #expect(try latest()?.heartRate?.sample.beatsPerMinute == 61)
        #expect(Set(try latest()?.scalars.map(\.sample.kind) ?? []) == [.steps, .weight])
        try await send(rate(Self.midnight + 80 * Self.hour, 77))
        #expect(try latest()?.heartRate?.sample.beatsPerMinute == 77)
    }
}

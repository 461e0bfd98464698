import History
import Privacy
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// What a page of health shows beside plots and statistics.
@Suite struct HistoryHealthTests {
    private static let minute: Milliseconds = 60_000, hour: Milliseconds = 3_600_000
    /// 2026-11-23, midnight UTC.
    private static let midnight: Milliseconds = 1_795_392_000_000

    private struct Wearer {
        let hub: ServicesFixture
        let token: String

        init(at time: Milliseconds) async throws {
            hub = try ServicesFixture()
            hub.clock.advance(time - hub.clock.now)
            token = try await hub.enrol().token
        }

        var history: HistoryService {
            let clock = hub.clock
            return HistoryService(accounts: hub.accounts, series: hub.series, now: { clock.now })
        }

        var own: Grant { Grant.maintenance(of: hub.person) }

        func send(_ samples: SampleSet, _ provenance: Provenance = .live) async throws {
            let segment = Segment(
                stream: .random(), sequence: 0, person: hub.person, provenance: provenance, clock: .wall, samples: samples)
            _ = try await hub.send([segment.encoded()], token: token)
        }
    }

    /// A heart rate each two seconds, with an interval that is longer and shorter by turns.
    private static func rates(
        _ rate: UInt16, from time: Milliseconds, minutes: Int, contact: SensorContact = .detected, hasIntervals: Bool = false
    ) -> SampleSet {
        SampleSet(
            heartRates: (0..<minutes * 30).map { index in
                HeartRateSample(
                    time: time + Milliseconds(index) * 2000, beatsPerMinute: rate, contact: contact,
                    rrIntervals: hasIntervals ? [index.isMultiple(of: 2) ? 900 : 940] : [])
            })
    }

    @Test("DATA-6: resting heart rate is the 5th percentile of the minutes' means, zones count minutes, RMSSD is over all intervals")
    func summary() async throws {
        let wearer = try await Wearer(at: Self.midnight + 4 * Self.hour)
        try await wearer.send(Self.rates(50, from: Self.midnight, minutes: 10, hasIntervals: true))
        try await wearer.send(Self.rates(125, from: Self.midnight + Self.hour, minutes: 60))
        try await wearer.send(Self.rates(185, from: Self.midnight + 2 * Self.hour, minutes: 31))
        let zones = try #require(HeartRateZones(maximum: 200))
        let found = try #require(
            try wearer.history.heartSummary(wearer.own, zones: zones, from: Self.midnight, to: Self.midnight + 3 * Self.hour))
        #expect(found.minutes == 101 && found.zoneMinutes == [10, 0, 60, 0, 0, 31])
        // The sixth of 101 minutes.
        #expect(found.resting == 50)
        #expect(abs((found.rmssd ?? 0) - 40 * 1000.0 / 1024) < 0.01)
        let later = try #require(
            try wearer.history.heartSummary(
                wearer.own, zones: nil, from: Self.midnight + Self.hour, to: Self.midnight + 3 * Self.hour))
        #expect(later.minutes == 91 && later.resting == 125 && later.zoneMinutes == nil && later.rmssd == nil)
        #expect(try wearer.history.heartSummary(wearer.own, zones: zones, from: Self.midnight - Self.hour, to: Self.midnight) == nil)
        let long = Self.midnight + Self.hour - HistoryService.variabilityMax
        let year = try #require(try wearer.history.heartSummary(wearer.own, zones: zones, from: long, to: Self.midnight + Self.hour))
        let longer = try #require(try wearer.history.heartSummary(wearer.own, zones: zones, from: long - 1, to: Self.midnight + Self.hour))
        #expect(year.rmssd != nil && longer.rmssd == nil, "RR intervals of more than a year are not read")
        #expect(longer.minutes == 10 && longer.resting == 50 && longer.zoneMinutes == year.zoneMinutes)
    }

    @Test("DATA-4: the newest heart rate is that of a worn sensor, and a value of long ago is still the newest of its kind")
    func latest() async throws {
        let wearer = try await Wearer(at: Self.midnight + 30 * Self.hour)
        #expect(try wearer.history.latest(wearer.own) == .init(heartRate: nil, scalars: []))
        let weight = try #require(ScalarSample(.weight, time: Self.midnight - 40 * 24 * Self.hour, value: 7_250))
        try await wearer.send(SampleSet(scalars: [weight]), .import)
        try await wearer.send(Self.rates(66, from: Self.midnight, minutes: 5))
        try await wearer.send(Self.rates(0, from: Self.midnight + 8 * Self.hour, minutes: 90, contact: .notDetected))
        try await wearer.send(Self.rates(70, from: Self.midnight + 20 * Self.hour, minutes: 30, contact: .notDetected))
        func look() throws {
            let found = try #require(try wearer.history.latest(wearer.own))
            #expect(found.heartRate?.sample.beatsPerMinute == 66 && found.heartRate?.sample.time == Self.midnight + 298_000)
            #expect(found.heartRate?.provenance == .live)
            #expect(found.scalars == [NewestScalar(sample: weight, provenance: .import)])
        }
        try look()
        try wearer.hub.series.merger.merge(now: wearer.hub.clock.now)
        try look()
        try await wearer.send(Self.rates(71, from: Self.midnight + 29 * Self.hour, minutes: 1))
        #expect(try wearer.history.latest(wearer.own)?.heartRate?.sample.beatsPerMinute == 71, "what waits to be merged is seen")
    }

    @Test("DATA-5: points merge into longer ones in their order")
    func merged() {
        let rule = RollupRule(measure: .readings, binWidth: 1)
        let points = [0, 1, 5, 6].map { (number: Int64) in
            var rollup = Rollup()
            rollup.take(60 + number, by: rule)
            return HistoryService.Point(time: number * Self.minute, rollup: rollup)
        }
        let longer = points.merged { $0 / (5 * Self.minute) * 5 * Self.minute }
        #expect(longer.map(\.time) == [0, 5 * Self.minute] && longer.map(\.rollup.mean) == [60.5, 65.5])
        #expect(longer.map(\.rollup.count) == [2, 2])
    }
}

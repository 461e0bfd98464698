import Database
import Foundation
import History
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// What stands beside the newest values: means of days, and values that nobody measured.
@Suite struct HistoryDerivedTests {
    private static let midnight = StoredWearer.midnight, hour = StoredWearer.hour
    private static let today = midnight..<midnight + 24 * hour

    private func scalar(_ kind: DataKind, _ value: Int64, _ from: Milliseconds, _ to: Milliseconds? = nil) throws -> ScalarSample {
        try #require(ScalarSample(kind, time: from, value: value, end: to))
    }

    private func body() throws -> EnergyBody { try #require(EnergyBody(weight: 70, height: 175, age: 30, isFemale: false)) }

    @Test("DATA-4: distance walked and run, steps, active and resting energy are derived where nothing else is known of the time")
    func derived() async throws {
        let wearer = try await StoredWearer(), nine = Self.midnight + 9 * Self.hour
        var samples = StoredWearer.way(from: nine, seconds: 600, metresASecond: 3)
        for second in 0..<600 { samples.scalars.append(try scalar(.cadence, 1600, nine + Milliseconds(second) * 1000)) }
        try await wearer.send(samples)
        let found = try #require(try wearer.history.derived(wearer.own, on: [Self.today], body: body()))
        let day = try #require(found.first)
        #expect(found.count == 1 && day.begin == Self.midnight && !day.isExtrapolated)
        #expect(abs((day.run ?? 0) - 1797) < 40 && (day.walked ?? .infinity) < 40)
        // 160 a minute for ten minutes, and the last reading holds for 10 s.
        #expect(abs((day.steps ?? 0) - 1624) <= 4)
        #expect((60...200).contains(day.active ?? 0))
        // Mifflin and St Jeor: 1648.75 kcal a day, twenty hours of it so far.
        #expect(abs((day.resting ?? 0) - 1648.75 / 24 * 20) < 2)
        let bodiless = try #require(try wearer.history.derived(wearer.own, on: [Self.today], body: nil)?.first)
        #expect(bodiless.active == nil && bodiless.resting == nil && bodiless.steps == day.steps)
    }

    @Test("DATA-4: a derived value yields to one that was measured, imported or entered for the same time")
    func yields() async throws {
        let wearer = try await StoredWearer(), nine = Self.midnight + 9 * Self.hour
        var samples = StoredWearer.way(from: nine, seconds: 600, metresASecond: 3)
        for second in 0..<600 { samples.scalars.append(try scalar(.cadence, 1600, nine + Milliseconds(second) * 1000)) }
        try await wearer.send(samples)
        let others = SampleSet(scalars: [
            try scalar(.steps, 900, nine, nine + Self.hour), try scalar(.distance, 20_000, nine, nine + Self.hour),
            try scalar(.restingEnergy, 600, nine, nine + Self.hour),
        ])
        try await wearer.send(others, .import)
        let day = try #require(try wearer.history.derived(wearer.own, on: [Self.today], body: body())?.first)
        #expect(day.steps == nil && day.walked == nil && day.run == nil)
        #expect(day.active != nil && abs((day.resting ?? 0) - 1648.75 / 24 * 19) < 2, "the other hours stay")
    }

    @Test("DATA-4: a day of which nothing was recorded has no derived value, and more than a week is not worked out")
    func bounds() async throws {
        let wearer = try await StoredWearer()
        #expect(try wearer.history.derived(wearer.own, on: [Self.today], body: body()) == [])
        let days = (0..<9).map { Self.midnight + Milliseconds($0 - 9) * 86_400_000 }.map { $0..<$0 + 86_400_000 }
        try await wearer.send(StoredWearer.way(from: days[8].lowerBound + Self.hour, seconds: 600, metresASecond: 3))
        #expect(try wearer.history.derived(wearer.own, on: days, body: body()) == [])
        #expect(try wearer.history.derived(wearer.own, on: [days[8]], body: body())?.count == 1)
    }

    @Test("DATA-4: heart rates far from positions are not read to derive values, and those beside them still tell a ride")
    func beside() async throws {
        let wearer = try await StoredWearer(), nine = Self.midnight + 9 * Self.hour, hub = wearer.hub
        // A ride that is slow after its beginning, without a crank's cadence: the heart alone tells it from a run.
        var samples = StoredWearer.way(from: nine, seconds: 120, metresASecond: 8)
        let slow = StoredWearer.way(from: nine + 120_000, seconds: 1200, metresASecond: 5, latitude: 458_000_000 + 86_333)
        samples.append(slow)
        samples.heartRates += (0..<600).map { HeartRateSample(time: Self.midnight + Milliseconds($0) * 1000, beatsPerMinute: 60) }
        samples.heartRates.sort { $0.time < $1.time }
        try await wearer.send(samples)
        try hub.series.merger.merge(now: hub.clock.now)
        while try hub.series.rollups.build(before: hub.clock.now) > 0 {}
        // Whoever reads the night finds that its block does not open.
        try hub.series.series.write {
            try $0.execute(
                sql: "UPDATE block SET envelope = ? WHERE utc_first = ? AND kind = ?",
                arguments: [Data(count: 100), Self.midnight, DataKind.heartRate.rawValue])
        }
        let day = try #require(try wearer.history.derived(wearer.own, on: [Self.today], body: body(), maximum: 190)?.first)
        #expect((day.run ?? 0) + (day.walked ?? 0) < 100, "a ride is no way on foot: \(day)")
        #expect(day.resting != nil && (day.active ?? 0) > 100)
        #expect(hub.accounts.keys.unreadable.count == 0, "the night was read")
        let night = Self.midnight..<Self.midnight + 6 * Self.hour
        let rest = try #require(try wearer.history.derived(wearer.own, on: [night], body: body())?.first)
        #expect(abs((rest.resting ?? 0) - 1648.75 / 4) < 2, "a heart rate alone is a day of which something is known")
    }

    @Test("DATA-4: resting heart rate needs ten hours, steps are a mean of days with steps, sleep one of nights from noon to noon")
    func means() async throws {
        let wearer = try await StoredWearer(), before = Self.midnight - 3 * 86_400_000
        var samples = SampleSet()
        for minute in 0..<660 {
            samples.heartRates.append(
                HeartRateSample(time: before + Milliseconds(minute) * 60_000, beatsPerMinute: 55, contact: .detected))
        }
        samples.scalars = [
            try scalar(.steps, 4000, before + 10 * Self.hour, before + 11 * Self.hour),
            try scalar(.steps, 8000, before + 34 * Self.hour, before + 35 * Self.hour),
            try scalar(.sleep, 3, before + 22 * Self.hour, before + 24 * Self.hour),
            try scalar(.sleep, 4, before + 24 * Self.hour, before + 29 * Self.hour),
            try scalar(.sleep, 2, before + 29 * Self.hour, before + 30 * Self.hour),
        ]
        try await wearer.send(samples)
        let span = Self.midnight - 7 * 86_400_000..<Self.midnight
        let means = try #require(try wearer.history.dailyMeans(wearer.own, in: span) { _ in 0 })
        #expect(means.resting == 55)
        #expect(means.steps == .init(value: 6000, count: 2))
        #expect(means.sleep == .init(value: 7, count: 1))
        let short = try #require(
            try wearer.history.dailyMeans(wearer.own, in: before + 2 * Self.hour..<Self.midnight) { _ in 0 })
        #expect(short.resting == nil)
    }
}

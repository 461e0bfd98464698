import History
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// What days came to stays when the samples are gone.
@Suite struct DayRecordTests {
    private static let midnight = StoredWearer.midnight, nine = midnight + 9 * hour
    private static let hour = StoredWearer.hour, day = 24 * hour

    private func wearerOfFigures() -> WorkoutRecords.Wearer {
        .init(zones: nil, body: nil, energy: EnergyBody(weight: 70, height: 175, age: 30, isFemale: false))
    }

    private func history(_ wearer: StoredWearer) -> HistoryService {
        let clock = wearer.hub.clock
        return HistoryService(
            accounts: wearer.hub.accounts, series: wearer.hub.series, days: wearer.runs.workoutRecords, now: { clock.now })
    }

    /// A run of a quarter of an hour, with a foot pod.
    private func run() throws -> SampleSet {
        var samples = StoredWearer.way(from: Self.nine, seconds: 900, metresASecond: 3)
        for second in 0..<900 {
            samples.scalars.append(
                try #require(ScalarSample(.cadence, time: Self.nine + Milliseconds(second) * 1000, value: 1600)))
        }
        return samples
    }

    /// By the hours of the day.
    private func amounts(_ wearer: StoredWearer, _ kind: DataKind) throws -> [Int64: Int64] {
        let points = try #require(
            try history(wearer).points(
                wearer.own, of: kind, by: .hour, from: Self.midnight, to: Self.midnight + Self.day, withDerived: true))
        return Dictionary(uniqueKeysWithValues: points.map { (($0.time - Self.midnight) / Self.hour, $0.rollup.sum) })
    }

    @Test("DATA-4, DATA-5: derived amounts stand in plots of any span by the hour, marked, and stay when raw data is overwritten")
    func stays() async throws {
        let wearer = try await StoredWearer(), space = wearer.hub.series.space
        try await wearer.send(run())
        #expect(try wearer.records.look(wearer.own, wearerOfFigures()) == 0)
        let kinds: [DataKind] = [.distance, .steps, .activeEnergy, .restingEnergy]
        let before = try kinds.map { try amounts(wearer, $0) }
        // 2,697 m; 160 a minute, and the last reading holds for ten seconds.
        #expect(before[0].keys.sorted() == [9] && abs((before[0][9] ?? 0) - 26_970) < 600)
        #expect(before[1].keys.sorted() == [9] && abs((before[1][9] ?? 0) - 2424) <= 4)
        #expect(before[2].keys.sorted() == [9])
        // Mifflin and St Jeor: 1648.75 kcal a day, twenty hours of it so far.
        #expect(before[3].keys.sorted() == Array(0..<20) && before[3].values.allSatisfy { $0 == 687 })
        let (own, from, to) = (wearer.own, Self.midnight - 400 * Self.day, Self.midnight + Self.day)
        let days = try #require(
            try history(wearer).points(own, of: .distance, by: .day { _ in 0 }, from: from, to: to, withDerived: true))
        #expect(days.map(\.isDerived) == [true] && days[0].rollup.sum == before[0][9])
        #expect(try history(wearer).points(own, of: .distance, by: .hour, from: from, to: to) == [], "statistics are of measured ones")
        try wearer.hub.series.merger.merge(now: wearer.hub.clock.now)
        _ = try space.keepWithin(0)
        #expect(try wearer.history.derived(own, on: [Self.midnight..<Self.midnight + Self.day], body: nil) == [], "raw data is gone")
        #expect(try wearer.records.look(own, wearerOfFigures()) == 0)
        #expect(try kinds.map { try amounts(wearer, $0) } == before)
    }
    @Test("DATA-4, DATA-10: a deletion takes what was made from it alone, also when raw data is gone; a measured value comes before")
    func deleted() async throws {
        let wearer = try await StoredWearer(), person = wearer.hub.person, own = try OwnDataFixture(wearer.hub, runs: wearer.runs)
        try await wearer.send(run())
        _ = try wearer.records.look(wearer.own, wearerOfFigures())
        let steps = try amounts(wearer, .steps)
        try wearer.hub.series.merger.merge(now: wearer.hub.clock.now)
        _ = try wearer.hub.series.space.keepWithin(0)
        _ = try own.deletion.deletePart(
            of: person, kinds: [.position], span: Self.nine...Self.nine + Self.hour - 1, by: AccountID(high: person.high, low: person.low),
            now: wearer.hub.clock.now)
        try own.deletion.work(now: wearer.hub.clock.now)
        _ = try wearer.records.look(wearer.own, wearerOfFigures())
        #expect(try amounts(wearer, .distance).isEmpty && amounts(wearer, .steps) == steps && !steps.isEmpty)
        // A watch says it later, as an import.
        let said = try #require(ScalarSample(.steps, time: Self.nine, value: 2300, end: Self.nine + Self.hour))
        try await wearer.send(SampleSet(scalars: [said]), .import)
        #expect(try amounts(wearer, .steps) == [9: 2300])
    }

    @Test("DATA-7: where somebody went without sport is on the map by day, of a phone's sparse fixes, too; leaps and noise are not")
    func ways() async throws {
        let wearer = try await StoredWearer(), span = Self.midnight..<Self.midnight + Self.day
        // A train: 3 km each 100 s, and before it an hour in which the phone lay still, with noise and a leap.
        var samples = SampleSet()
        for fix in 0..<12 {
            let noise: Int32 = fix == 5 ? 40_000_000 : Int32(fix % 3) * 900
            samples.positions.append(
                PositionSample(
                    time: Self.nine + Milliseconds(fix) * 300_000, latitude: 450_000_000 + noise, longitude: 90_000_000,
                    horizontalError: 150))
        }
        for fix in 0..<10 {
            samples.positions.append(
                PositionSample(
                    time: Self.nine + Self.hour + Milliseconds(fix) * 100_000, latitude: 450_000_000 + Int32(fix) * 269_790,
                    longitude: 90_000_000, horizontalError: 150))
        }
        try await wearer.send(samples)
        #expect(try wearer.records.look(wearer.own, .init(zones: nil, body: nil)) == 0)
        let found = try #require(try wearer.records.ways(wearer.own, in: span)), way = try #require(found.days.first)
        #expect(found.ways.isEmpty && found.days.count == 1 && way.begin == Self.midnight)
        #expect(abs(way.metres - 27_000) < 100 && way.pieces.count == 1, "\(way.metres)")
        let last: Int32 = 450_000_000 + 9 * 269_790
        #expect(way.pieces[0].last.map(\.latitude) == last)
        #expect(try wearer.records.ways(wearer.own, in: span, withDays: false)?.days.isEmpty == true)
        #expect(try wearer.records.ways(wearer.own, in: span.upperBound..<span.upperBound + Self.day)?.days.isEmpty == true)
        #expect(found.ended(by: Self.midnight + Self.day - 1).days.isEmpty && found.ended(by: Self.midnight + Self.day).days.count == 1)
    }
}

import Database
import History
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct RollupStoreTests {
    private static func own(_ store: StoreFixture) -> Grant { Grant.maintenance(of: store.person) }

    private static func minutes(_ store: StoreFixture, _ kind: DataKind = .heartRate) throws -> [Int64: Rollup] {
        try #require(
            try store.series.history.rollups(own(store), of: kind, by: .minutes, from: noon - 9 * day, to: noon + 9 * day, now: 0))
    }

    private static func hours(_ store: StoreFixture, _ kind: DataKind = .heartRate) throws -> [Int64: Rollup] {
        try #require(try store.series.history.rollups(own(store), of: kind, by: .hours, from: noon - 9 * day, to: noon + 9 * day, now: 0))
    }

    private static func means(_ store: StoreFixture) throws -> [Int64: Rollup] {
        try #require(
            try store.series.history.rollups(own(store), of: .heartRate, by: .means, from: noon - 9 * day, to: noon + 9 * day, now: 0))
    }

    /// What the means of minutes come to by hour.
    private static func meant(_ minutes: [Int64: Rollup]) -> [Int64: Rollup] {
        Dictionary(grouping: minutes) { RollupHour.number(of: $0.key * 60_000) }.mapValues { Rollup(meansOf: $0.map(\.value)) }
    }

    /// The sums by hour that minutes come to.
    private static func summed(_ minutes: [Int64: Rollup]) -> [Int64: Rollup] {
        minutes.reduce(into: [:]) { $0[RollupHour.number(of: $1.key * 60_000), default: Rollup()].merge($1.value) }
    }

    private static func rows(_ store: StoreFixture, level: Int) throws -> Int {
        try store.series.series.read {
            try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM rollup WHERE level = ?", arguments: [level]) ?? 0
        }
    }

    @Test("DATA-8: rollups are what the samples come to: waiting, merged, built and read anew", arguments: Engine.allCases)
    func agreesWithSamples(engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        for part in 0..<12 as Range<UInt64> {
            try store.append(
                SampleSet(heartRates: heartRates(from: noon + Milliseconds(part) * 1_000_000, count: 600, rate: 80 + UInt16(part))),
                sequence: part)
        }
        let expected = try store.all().samples.rollups(of: .heartRate)
        #expect(!expected.isEmpty)
        #expect(try Self.minutes(store) == expected && Self.hours(store) == Self.summed(expected))
        try store.series.merger.merge(now: 1)
        #expect(try Self.rows(store, level: 0) == 0)
        #expect(try Self.means(store) == Self.meant(expected), "what is not rolled up is read from the samples")
        #expect(try Self.minutes(store) == expected && Self.hours(store) == Self.summed(expected))
        #expect(try store.series.rollups.build(before: noon + 9 * day) > 0)
        #expect(try Self.rows(store, level: 0) == Set(expected.keys.map { RollupHour.number(of: $0 * 60_000) }).count)
        #expect(try Self.minutes(store) == expected && Self.hours(store) == Self.summed(expected))
        #expect(try Self.rows(store, level: 2) == 1 && Self.means(store) == Self.meant(expected))
        if engine == .files { #expect(try Self.minutes(store.reopened()) == expected) }
        #expect(try store.series.rollups.build(before: noon + 9 * day) == 0, "nothing is due twice")
    }

    @Test("DATA-8: the present hour is left for later, and read from its samples")
    func present() throws {
        let store = try StoreFixture()
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60)), sequence: 1)
        try store.series.merger.merge(now: 1)
        #expect(try store.series.rollups.build(before: noon + hour - 1) == 0)
        #expect(try Self.minutes(store).count == 1)
        #expect(try store.series.rollups.build(before: noon + hour) == 1)
    }

    @Test("DATA-8: a second source that becomes the better one changes what was rolled up")
    func changesSource() throws {
        let store = try StoreFixture(), other = StreamID.random()
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 20, rate: 80)), sequence: 1)
        try store.series.merger.merge(now: 1)
        try store.series.rollups.build(before: noon + day)
        _ = try store.known(other)
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60, rate: 120)), sequence: 1, stream: other)
        let expected = try store.all().samples.rollups(of: .heartRate)
        #expect(expected.values.first?.minimum == 120)
        #expect(try Self.minutes(store) == expected)
        try store.series.merger.merge(now: 2)
        try store.series.rollups.build(before: noon + day)
        #expect(try Self.minutes(store) == expected && Self.hours(store) == Self.summed(expected))
    }

    @Test("DATA-8: a kind without rollups has none, and of a deleted person nothing is read")
    func nothing() throws {
        let store = try StoreFixture()
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60)), sequence: 1)
        #expect(try store.series.history.rollups(Self.own(store), of: .event, by: .hours, from: 0, to: noon + day, now: 0) == [:])
        try store.accounts.deletePerson(store.person, now: 2)
        #expect(try store.series.history.rollups(Self.own(store), of: .heartRate, by: .hours, from: 0, to: noon + day, now: 3) == nil)
    }

    @Test("DATA-8: the means of minutes stay where the minutes went, and whole ones are there of one kind alone")
    func means() throws {
        let store = try StoreFixture()
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 7200)), sequence: 1)
        try store.series.merger.merge(now: 1)
        try store.series.rollups.build(before: noon + day)
        let before = try Self.means(store), meant = Self.meant(try Self.minutes(store))
        #expect(before.values.map(\.count) == [60, 60] && before == meant)
        _ = try store.series.space.keepWithin(1)
        #expect(try Self.minutes(store).isEmpty && Self.means(store) == before)
        #expect(try store.series.history.rollups(Self.own(store), of: .rrIntervals, by: .means, from: noon, to: noon + day, now: 0) == [:])
    }

    @Test("DATA-2, DATA-8: what was deleted a moment before its minutes are overwritten does not stay in its hour")
    func deletedAndOverwritten() throws {
        let store = try StoreFixture()
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 1800)), sequence: 1)
        try store.series.merger.merge(now: 1)
        try store.series.rollups.build(before: noon + day)
        let part = try store.accounts.requestDeletion(of: [.heartRate], in: 0...(.max / 2), person: store.person, now: 5)
        try store.series.erasure.delete(part, now: 6)
        _ = try store.series.space.keepWithin(0)
        #expect(try Self.hours(store).isEmpty && Self.means(store).isEmpty)
    }

    // MARK: - Any order

    /// What rollups should come to, kept beside the store.
    private struct Model {
        /// From this hour on raw data is whole.
        var whole = Int64.min
        /// What was closed, by minute.
        var closed: [Int64: Rollup] = [:]
        /// What waits to be merged.
        var waiting: [HeartRateSample] = []

        mutating func merged() {
            for (minute, rollup) in SampleSet(heartRates: waiting).rollups(of: .heartRate)
            where RollupHour.number(of: minute * 60_000) < whole { closed[minute, default: Rollup()].merge(rollup) }
            waiting = []
        }

        /// Takes whole minutes out, and whole hours where the minutes are gone.
        /// - Parameter minutes: the hour from which on minutes are there.
        mutating func delete(_ span: ClosedRange<Milliseconds>, minutes: Int64) {
            closed = closed.filter { minute, _ in
                let hour = RollupHour.number(of: minute * 60_000), start = hour < minutes ? hour * RollupHour.length : minute * 60_000
                return !span.overlaps(start...start + (hour < minutes ? RollupHour.length : 60_000) - 1)
            }
        }
    }

    @Test(
        "DATA-8: after any order of samples, late ones, merging, building, overwriting and deletion, rollups are what they should be",
        arguments: 1...12)
    func anyOrder(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed), model = Model()
        let store = try StoreFixture(databases: .inMemory)
        var sequence: UInt64 = 0
        for step in 0..<40 {
            switch generator.next() % 10 {
            case 0...4:
                let start = noon + Milliseconds(generator.next() % 8) * hour + Milliseconds(generator.next() % 3600) * 1000
                sequence += 1
                let samples = heartRates(
                    from: start, count: 1 + Int(generator.next() % 400), rate: 60 + UInt16(generator.next() % 90)
                ).map { sample in
                    var sample = sample
                    // So that no two are equal.
                    sample.energyKilojoules = UInt16(sequence)
                    return sample
                }
                try store.append(SampleSet(heartRates: samples), sequence: sequence)
                model.waiting += samples
            case 5:
                try store.series.merger.merge(now: 1)
                model.merged()
            case 6: try store.series.rollups.build(before: noon + Milliseconds(generator.next() % 10) * hour)
            case 7:
                let before = try store.all().heartRates.filter { sample in !model.waiting.contains(sample) }
                let raw = SampleSet(heartRates: before).rollups(of: .heartRate)
                let bytes = try store.series.space.bytes(of: store.person)
                _ = try store.series.space.keepWithin(bytes * Int(50 + generator.next() % 50) / 100)
                let kept = try store.kept("whole")
                for (minute, rollup) in raw {
                    let hour = RollupHour.number(of: minute * 60_000)
                    if hour >= model.whole, hour < kept { model.closed[minute] = rollup }
                }
                model.whole = max(model.whole, kept)
            case 8:
                let first = noon + Milliseconds(generator.next() % 28_800_000), length = Milliseconds(generator.next() % 7_200_000)
                let part = try store.accounts.requestDeletion(
                    of: [.heartRate], in: first...first + length, person: store.person, now: 5)
                try store.series.erasure.delete(part, now: 6)
                model.merged()
                model.delete(first...first + length, minutes: try store.kept("minutes"))
            default: break
            }
            try check(store, model, "seed \(seed), step \(step)")
        }
    }

    private func check(_ store: StoreFixture, _ model: Model, _ comment: Comment) throws {
        var expected = try store.all().samples.rollups(of: .heartRate).filter { RollupHour.number(of: $0.key * 60_000) >= model.whole }
        for (minute, rollup) in model.closed { expected[minute] = rollup }
        let hours = try Self.hours(store)
        #expect(hours == Self.summed(expected), comment)
        // Minutes may be gone; those that are there are right.
        let minutes = try Self.minutes(store)
        #expect(minutes.allSatisfy { expected[$0.key] == $0.value }, comment)
        // Where minutes are gone, one that gets late samples counts once more.
        let means = try Self.means(store), kept = try store.kept("minutes")
        let whole = Self.meant(expected).filter { $0.key >= kept }
        #expect(means.filter { $0.key >= kept } == whole && Set(means.keys) == Set(hours.keys), comment)
    }
}

extension StoreFixture {
    fileprivate func kept(_ what: String) throws -> Int64 {
        try series.series.read { try $0.fetchOne(Int64.self, sql: "SELECT \(what) FROM rollup_kept WHERE kind = 1") ?? .min }
    }
}

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

    @Test("DATA-8: a minute to which its own source adds late counts once among the means of its hour, with the mean of all of it")
    func meansOfLate() throws {
        let store = try StoreFixture()
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 1770, rate: 60)), sequence: 1)
        try store.series.merger.merge(now: 1)
        _ = try store.series.space.keepWithin(store.series.space.bytes(of: store.person) * 9 / 10)
        #expect(try store.all().heartRates.isEmpty && Self.minutes(store).count == 30, "the minutes are there, of what went")
        // The second half of the last minute.
        try store.append(SampleSet(heartRates: heartRates(from: noon + 1_770_000, count: 30, rate: 100)), sequence: 2)
        try store.series.merger.merge(now: 2)
        let last = try #require(try Self.minutes(store)[noon / 60_000 + 29])
        #expect(last.count == 60 && last.mean == 82)
        let means = try #require(try Self.means(store)[RollupHour.number(of: noon)])
        #expect(means.histogram == [.init(number: 62, count: 29), .init(number: 82, count: 1)])
        // What stays when the minutes go as well.
        _ = try store.series.space.keepWithin(0)
        #expect(try Self.minutes(store).isEmpty && Self.means(store).values.elementsEqual([means]))
    }

    @Test("DATA-8: minutes of a kind that a later version rolled up do not keep others from being overwritten")
    func unknownKind() throws {
        let store = try StoreFixture()
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60)), sequence: 1)
        try store.series.merger.merge(now: 1)
        try store.series.series.write {
            try $0.execute(
                sql: "INSERT INTO rollup(person, kind, level, start, envelope) VALUES(?, 250, 0, 1, zeroblob(60))", arguments: [store.row])
        }
        _ = try store.series.space.keepWithin(0)
        #expect(try Self.rows(store, level: 0) == 0 && Self.hours(store).count == 1)
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
}

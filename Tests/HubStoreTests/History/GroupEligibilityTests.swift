import Database
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Whose data may count in statistics about groups.
@Suite struct GroupEligibilityTests {
    private static let day: Milliseconds = 86_400_000

    /// One minute of heart rate on each of these days before noon.
    private func add(_ days: ClosedRange<Int>, to store: StoreFixture, _ provenance: Provenance, _ first: UInt64 = 0) throws {
        let stream = provenance == .live ? store.stream : StreamID.random()
        for day in days {
            try store.append(
                SampleSet(heartRates: heartRates(from: noon - Milliseconds(day) * Self.day, count: 60)),
                sequence: first + UInt64(day), provenance: provenance, stream: stream)
        }
        try store.series.merger.merge(now: 1)
        try store.series.rollups.build(before: noon + Self.day)
    }

    private func isMet(_ store: StoreFixture, age days: Int, isPlayed: Bool = false) throws -> Bool {
        let created = noon - Milliseconds(days) * Self.day
        return try store.series.groupEligibility.isMet(by: store.person, created: created, isPlayed: isPlayed, now: noon)
    }

    private func played(_ store: StoreFixture, from: Milliseconds, to: Milliseconds) throws -> Set<PersonID> {
        try store.series.groupEligibility.peopleWithPlayedData(from: from, to: to)
    }

    @Test("GRP-4: an account counts from 30 days on, with data on 7 days since it was made", arguments: Engine.allCases)
    func days(engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        try add(1...6, to: store, .live)
        #expect(try !isMet(store, age: 40))
        // The seventh lies before the account was made.
        try add(35...35, to: store, .live)
        #expect(try !isMet(store, age: 34) && isMet(store, age: 35))
        try add(7...7, to: store, .live)
        #expect(try isMet(store, age: 30) && !isMet(store, age: 29))
        #expect(try played(store, from: 0, to: noon + Self.day).isEmpty)
    }

    @Test(
        "GRP-4: replays and drills are nobody's data; typed and imported values are",
        arguments: [Provenance.replay, .drill, .manual, .import])
    func played(provenance: Provenance) throws {
        let store = try StoreFixture(), isPlayed = provenance == .replay || provenance == .drill
        try add(1...6, to: store, .live)
        try add(10...16, to: store, provenance)
        #expect(try played(store, from: 0, to: noon) == (isPlayed ? [store.person] : []))
        // From the 16th to the 10th day before, and not at another time.
        #expect(try played(store, from: noon - 16 * Self.day, to: noon - 16 * Self.day + 1).isEmpty == !isPlayed)
        #expect(try played(store, from: noon - 9 * Self.day, to: noon).isEmpty)
        #expect(try played(store, from: 0, to: noon - 16 * Self.day).isEmpty)
        #expect(try isMet(store, age: 40, isPlayed: isPlayed) == !isPlayed)
        try add(20...20, to: store, .live)
        #expect(try isMet(store, age: 40, isPlayed: isPlayed))
    }

    @Test("GRP-4: nobody counts who has no data")
    func nothing() throws {
        let store = try StoreFixture()
        #expect(try !isMet(store, age: 400) && !isMet(store, age: 400, isPlayed: true))
        #expect(try !store.series.groupEligibility.isMet(by: .random(), created: 0, isPlayed: false, now: noon))
    }
}

import Database
import Foundation
import Privacy
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Scalars of all kinds in the series (DATA-1, DATA-3).
struct ScalarStoreTests {
    /// Each kind once an hour, on the half hour.
    private func scalars(hours: Int) throws -> [ScalarSample] {
        try (0..<hours).flatMap { hour in
            try DataKind.scalars.map { kind in
                let time = noon + Milliseconds(hour) * 3_600_000 + 1_800_000
                return try #require(
                    ScalarSample(
                        kind, time: time, value: kind.entry.range.lowerBound + Int64(hour % 3),
                        end: kind.entry.span == .none ? nil : time + 60_000, second: kind.entry.second.map { $0.range.lowerBound + 1 }))
            }
        }
    }

    /// As readers get them: kind after kind.
    private func inOrder(_ samples: [ScalarSample]) -> [ScalarSample] { samples.byKind.flatMap(\.samples) }

    @Test("DATA-3: scalars of every kind read the same pending, merged, and after a restart, across hours", arguments: Engine.allCases)
    func reads(_ engine: Engine) throws {
        var store = try StoreFixture(databases: engine)
        let samples = try scalars(hours: 6), kinds = DataKind.scalars.count
        for hour in 0..<6 {
            try store.append(SampleSet(scalars: Array(samples[hour * kinds..<(hour + 1) * kinds])), sequence: UInt64(hour))
            if hour == 2 { try store.series.merger.merge(now: 2) }
            if hour == 4 { store = try store.reopened() }
        }
        #expect(try store.all().scalars == inOrder(samples))
        try store.series.merger.merge(now: 3)
        #expect(try store.all().scalars == inOrder(samples))
        let again = try store.reopened()
        #expect(try again.all().scalars == inOrder(samples))
        let part = try again.series.reader.read(.maintenance(of: store.person), from: noon + 3_600_000, to: noon + 7_199_999, now: 0)
        #expect(part?.scalars == Array(samples[kinds..<2 * kinds]))
        // A block for each kind and hour, none of another kind.
        let blocks = try again.series.series.read { try $0.fetchAll(Int.self, sql: "SELECT DISTINCT kind FROM block ORDER BY kind") }
        #expect(blocks == DataKind.scalars.map { Int($0.rawValue) })
        #expect(try again.series.reader.last(1, .maintenance(of: store.person), now: noon + day)?.scalars.count == kinds)
    }

    @Test("DATA-14: the times of a box's clock become UTC, a span's end too", arguments: Engine.allCases)
    func clocks(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), boot = ClockDomain.boottime(boot: .random(), counter: 1)
        let night = try #require(ScalarSample(.sleep, time: 61_000, value: 4, end: 121_000))
        try store.append(
            SampleSet(clocks: [ClockRecord(time: 1000, utc: noon, uncertainty: 10, source: .gnss)], scalars: [night]), sequence: 1,
            clock: boot)
        for _ in 0..<2 {
            #expect(try store.all().scalars == [#require(ScalarSample(.sleep, time: noon + 60_000, value: 4, end: noon + 120_000))])
            try store.series.merger.merge(now: 2)
        }
    }

    @Test("CONS-4: a reader gets the scalars of the granted kinds alone, pending and merged, also those that an older hub kept unread")
    func granted() throws {
        let store = try StoreFixture()
        let weight = try #require(ScalarSample(.weight, time: noon, value: 7150))
        let steps = try #require(ScalarSample(.steps, time: noon, value: 90))
        try store.append(SampleSet(events: [StateEvent(time: noon, code: .ok)], scalars: [weight, steps]), sequence: 1)
        func reading(_ kinds: Set<DataKind>) throws -> SampleSet {
            let (streams, _, _) = try store.series.reader.readStreams(store.person, row: store.row, kinds: kinds, from: noon, to: noon)
            return PrimarySource.select(streams).samples
        }
        for state in ["pending", "merged"] {
            #expect(try reading([.weight]) == SampleSet(scalars: [weight]), "\(state)")
            #expect(try reading([.event]) == SampleSet(events: [StateEvent(time: noon, code: .ok)]), "\(state)")
            #expect(try reading([.heartRate]).isEmpty, "\(state)")
            try store.series.merger.merge(now: 2)
        }
        // A block of events in which a hub that did not know the kind put a column of weights.
        let other = try StoreFixture()
        let event = StateEvent(time: noon, code: .paused)
        try other.append(SampleSet(events: [event]), sequence: 1)
        try other.series.merger.merge(now: 2)
        let key = try #require(try KeyStore(HubDirectory(other.directory.url), environment: [:]).key(of: other.person))
        try other.series.series.write { db in
            let row = try #require(try db.fetchOne(sql: "SELECT kind, clock, hour FROM block"))
            let place = Envelope.Place(
                person: other.person, table: .block,
                row: (UInt64(row[0] as Int64) << 32 | UInt64(row[1] as Int64), UInt64(bitPattern: row[2] as Int64)))
            var columns: [UInt8] = []
            SampleColumns.encode(SampleSet(events: [event], scalars: [weight]), into: &columns)
            try db.execute(sql: "UPDATE block SET envelope = ?", arguments: [Data(try Envelope.seal(columns, with: key, at: place))])
        }
        let (streams, _, _) = try other.series.reader.readStreams(other.person, row: other.row, kinds: [.event], from: noon, to: noon)
        #expect(PrimarySource.select(streams).samples == SampleSet(events: [event]))
    }

    @Test(
        "CONS-4: whoever may read the heart rate alone gets neither RR intervals nor energy, and events alone come without falls and seizures",
        arguments: Engine.allCases)
    func parts(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        let beat = HeartRateSample(time: noon, beatsPerMinute: 60, contact: .detected, energyKilojoules: 12, rrIntervals: [1000, 1010])
        let events = [
            StateEvent(time: noon, code: .fall), StateEvent(time: noon + 1, code: .sensorLost), StateEvent(time: noon + 2, code: .help),
        ]
        try store.append(SampleSet(heartRates: [beat], events: events), sequence: 1)
        func reading(_ kinds: Set<DataKind>) throws -> Reading {
            let streams = try store.series.reader.readStreams(store.person, row: store.row, kinds: kinds, from: noon, to: noon + 10).streams
            return PrimarySource.select(streams)
        }
        for state in ["pending", "merged"] {
            #expect(
                try reading([.heartRate]).heartRates == [HeartRateSample(time: noon, beatsPerMinute: 60, contact: .detected)], "\(state)")
            #expect(try reading([.heartRate, .rrIntervals]).heartRates.first?.rrIntervals == [1000, 1010], "\(state)")
            #expect(try reading([.heartRate, .energyExpended]).heartRates.first?.energyKilojoules == 12, "\(state)")
            #expect(try reading(DataKind.heartRate.contentIn030).heartRates == [beat], "\(state)")
            #expect(try reading([.rrIntervals, .flaggedEvent]).samples.isEmpty, "\(state)")
            // An export that goes through the heart rates has all of them.
            let pieces = try store.series.reader.pieces(
                .maintenance(of: store.person), kinds: [.heartRate], hour: noon / 3_600_000, in: noon...noon + 10, now: 3)
            #expect(pieces?.first?.samples == SampleSet(heartRates: [beat]), "\(state)")
            #expect(try reading([.event]).events == Array(events.dropFirst()), "\(state)")
            #expect(try reading([.event, .flaggedEvent]).events == events, "\(state)")
            try store.series.merger.merge(now: 2)
        }
        // A part can be deleted by itself.
        let part = try store.accounts.requestDeletion(of: [.rrIntervals, .flaggedEvent], in: noon...noon + 5, person: store.person, now: 5)
        try store.series.erasure.delete(part, now: 6)
        let left = try store.all()
        #expect(left.heartRates.first?.rrIntervals == [] && left.heartRates.first?.energyKilojoules == 12)
        #expect(left.events == Array(events.dropFirst()))
        #expect(try store.series.erasure.progress(of: part)?.removed == 2)
    }

    @Test("DATA-10: a span of one scalar kind is deleted, pending data too; other kinds stay", arguments: Engine.allCases)
    func deleted(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        let samples = try scalars(hours: 4)
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60), scalars: samples), sequence: 1)
        let span = noon...noon + 2 * 3_600_000 - 1
        let part = try store.accounts.requestDeletion(of: [.sleep, .weight], in: span, person: store.person, now: 5)
        #expect(try store.accounts.deletedParts() == [part])
        try store.series.erasure.delete(part, now: 6)
        let left = samples.filter { ![.sleep, .weight].contains($0.kind) || !span.contains($0.time) }
        for _ in 0..<2 {
            #expect(try store.all().scalars == inOrder(left))
            #expect(try store.reopened().all().heartRates.count == 60)
        }
        #expect(try store.series.erasure.progress(of: part)?.removed == 4)
    }

    @Test("DATA-8: raw scalars are overwritten with the other raw data, the oldest first", arguments: Engine.allCases)
    func quota(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        try store.append(SampleSet(scalars: try scalars(hours: 10)), sequence: 1)
        try store.series.merger.merge(now: 2)
        let overwritten = try store.series.space.keepWithin(1)
        #expect(overwritten.first?.person == store.person)
        #expect(try store.all().scalars.isEmpty)
    }

    @Test(
        "DATA-9: an export has scalars with their provenance; which source counts is decided for each kind by itself",
        arguments: Engine.allCases)
    func exported(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        let live = try #require(ScalarSample(.weight, time: noon, value: 7150)),
            late = try #require(ScalarSample(.steps, time: noon, value: 10))
        try store.append(SampleSet(scalars: [live]), sequence: 1)
        let copy = try #require(ScalarSample(.weight, time: noon, value: 7200))
        try store.append(SampleSet(scalars: [late, copy]), sequence: 1, provenance: .import, stream: .random())
        for _ in 0..<2 {
            let pieces = try #require(
                try store.series.reader.pieces(
                    .maintenance(of: store.person), kinds: DataKind.scalars, hour: noon / 3_600_000, in: noon...noon + 1, now: 3))
            func values(_ provenance: Provenance) -> [Int64] {
                pieces.filter { $0.provenance == provenance }.flatMap(\.samples.scalars).map(\.value)
            }
            #expect(values(.live) == [7150] && values(.import) == [10])
            #expect(try store.series.reader.holdsScalars(.maintenance(of: store.person), in: noon...noon, now: 3) == true)
            #expect(try store.series.reader.holdsScalars(.maintenance(of: store.person), in: noon + 1...noon + 5, now: 3) == false)
            try store.series.merger.merge(now: 2)
        }
    }
}

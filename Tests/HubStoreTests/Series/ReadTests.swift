import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct SeriesReadTests {
    private func scalars(_ kind: DataKind, from start: Milliseconds, count: Int) -> [ScalarSample] {
        (0..<count).compactMap { ScalarSample(kind, time: start + Milliseconds($0) * 1000, value: kind.entry.range.lowerBound + Int64($0)) }
    }

    @Test("DATA-3: a span reads what lies in it, both ends included, waiting and merged", arguments: Engine.allCases)
    func spans(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), rates = heartRates(from: noon, count: 20)
        let reader = store.series.reader
        func read(_ from: Milliseconds, _ to: Milliseconds) throws -> [Milliseconds]? {
            try reader.read(.maintenance(of: store.person), from: noon + from, to: noon + to, now: 0)?.heartRates.map(\.time)
        }
        #expect(try store.all() == HubStore.Reading() && reader.last(5, .maintenance(of: store.person), now: 0) == HubStore.Reading())
        try store.append(SampleSet(heartRates: rates), sequence: 1)
        for _ in 0..<2 {
            #expect(try read(5000, 7000) == [5, 6, 7].map { noon + $0 * 1000 } && read(5001, 5999) == [] && read(90_000, 99_000) == [])
            #expect(try read(-99_000, 0) == [noon] && read(19_000, 90_000) == [noon + 19_000])
            try store.series.merger.merge(now: 1)
        }
        let reading = try store.all()
        #expect(reading.provenance == .live && reading.received == noon + day && reading.samples.count == 20)
    }

    @Test("DATA-1: the newest samples are those before the newest one, so many, and no older than asked", arguments: Engine.allCases)
    func last(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), own = Grant.maintenance(of: store.person)
        let reader = store.series.reader
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 10)), sequence: 1)
        try store.append(
            SampleSet(heartRates: heartRates(from: noon + 3 * hour, count: 3), positions: positions(from: noon + 3 * hour, count: 1)),
            sequence: 2)
        for _ in 0..<2 {
            #expect(try reader.last(2, own, now: noon + day)?.heartRates.map(\.time) == [noon + 3 * hour + 1000, noon + 3 * hour + 2000])
            #expect(try reader.last(9, own, now: noon + day)?.heartRates.count == 3, "two hours back by default")
            #expect(try reader.last(9, own, within: 4 * hour, now: noon + day)?.heartRates.count == 9)
            #expect(try reader.last(9, own, now: noon + day)?.positions.count == 1)
            try store.series.merger.merge(now: 1)
        }
        try store.append(
            SampleSet(scalars: scalars(.weight, from: noon + 9 * hour, count: 1)), sequence: 3, provenance: .manual, stream: .random())
        let rates = try reader.last(1, own, now: noon + day)?.heartRates
        #expect(rates?.map(\.time) == [noon + 3 * hour + 2000], "what was typed hides no sensor")
    }

    @Test("DATA-9: an export goes through the hours that have something, of the kinds that are granted", arguments: Engine.allCases)
    func export(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), own = Grant.maintenance(of: store.person), span = noon - day...noon + day
        let reader = store.series.reader
        let first = noon / hour
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 10)), sequence: 1)
        try store.append(SampleSet(positions: positions(from: noon + 3 * hour, count: 10)), sequence: 2)
        #expect(try reader.hours(own, in: span, now: 0) == [first...first, first + 3...first + 3])
        try store.series.merger.merge(now: 1)
        #expect(try reader.hours(own, of: [.position], in: span, now: 0) == [first + 3...first + 3])
        #expect(try reader.hours(own, in: noon + hour...noon + 2 * hour, now: 0) == [])
        let pieces = try #require(try reader.pieces(own, kinds: [.heartRate, .position], hour: first, in: span, now: 0))
        #expect(pieces.map(\.provenance) == [.live] && pieces[0].samples.heartRates.count == 10 && pieces[0].samples.positions.isEmpty)
        #expect(
            try reader.pieces(own, kinds: [.heartRate], hour: first, in: noon + 2000...noon + 4000, now: 0)?.first?.samples.heartRates
                .count == 3)
        #expect(try reader.pieces(own, kinds: [.steps], hour: first, in: span, now: 0)?.isEmpty == true)
        #expect(try reader.holdsScalars(own, in: span, now: 0) == false)
        try store.append(SampleSet(scalars: scalars(.steps, from: noon, count: 2)), sequence: 3)
        #expect(try reader.holdsScalars(own, in: span, now: 0) == true && reader.holdsScalars(own, in: 0...5, now: 0) == false)
        try store.accounts.deletePerson(store.person, now: 2)
        #expect(
            try reader.hours(own, in: span, now: 3) == nil
                && reader.pieces(own, kinds: [.heartRate], hour: first, in: span, now: 3) == nil)
        #expect(try reader.holdsScalars(own, in: span, now: 3) == nil && reader.last(1, own, now: 3) == nil)
    }

    @Test(
        "DATA-9: an hour is found in a block that a corrected clock made days long, without looking at later ones",
        arguments: Engine.allCases)
    func stretched(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), own = Grant.maintenance(of: store.person), reader = store.series.reader
        #expect(try reader.longestBlock(own, now: 0) == 2 * hour)
        let boot = ClockDomain.boottime(boot: BootID(high: 5, low: 6), counter: 1)
        // Long ago, as clocks that are ahead of the hub's are not believed.
        let past = noon - 20 * day, clocks = [record(0, past, 60_000), record(3_000_000, past + 3_000_000 + 2 * day, 60_000)]
        try store.append(
            SampleSet(heartRates: heartRates(from: 0, count: 2) + heartRates(from: 2_990_000, count: 10), clocks: clocks), sequence: 1,
            clock: boot)
        try store.append(SampleSet(heartRates: heartRates(from: past + 9 * day, count: 3)), sequence: 2)
        try store.series.merger.merge(now: 1)
        let longest = try #require(try reader.longestBlock(own, now: 0)), span = past - day...noon
        #expect(longest > day && longest < 3 * day)
        let hours = try #require(try reader.hours(own, in: span, now: 0)).flatMap { Array($0) }
        func counts(_ longest: Milliseconds?) throws -> [Int] {
            try hours.map { hour in
                let pieces = try reader.pieces(own, kinds: [.heartRate], hour: hour, in: span, longest: longest, now: 0)
                return try #require(pieces).reduce(0) { $0 + $1.samples.heartRates.count }
            }
        }
        let all = try counts(nil)
        #expect(try all.reduce(0, +) == 15 && counts(longest) == all)
        #expect(try counts(hour).reduce(0, +) < 15, "the bound is held")
        try store.accounts.deletePerson(store.person, now: 2)
        #expect(try reader.longestBlock(own, now: 3) == nil)
    }

    @Test("DATA-14: a sample ahead of the hub's clock is kept, and hides nothing before its time has come", arguments: Engine.allCases)
    func ahead(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), own = Grant.maintenance(of: store.person), reader = store.series.reader
        let now = noon + hour, weight = scalars(.weight, from: noon, count: 1)
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 5), scalars: weight), sequence: 1)
        // An hour later and ten.
        for (number, time) in [now + 60_001, now + 10 * hour].enumerated() {
            try store.append(
                SampleSet(heartRates: heartRates(from: time, count: 3), scalars: scalars(.weight, from: time, count: 1)),
                sequence: UInt64(2 + number))
        }
        for _ in 0..<2 {
            #expect(try reader.last(9, own, now: now)?.heartRates.map(\.time) == (0..<5).map { noon + $0 * 1000 })
            #expect(try reader.newestHeartRate(own, now: now)?.sample.time == noon + 4000)
            #expect(try reader.newestScalars(own, now: now)?.map(\.sample.time) == [noon])
            #expect(try store.all().heartRates.count == 11)
            // Its time has come.
            let later = now + 10 * hour
            #expect(try reader.last(9, own, now: later)?.heartRates.count == 3)
            #expect(try reader.newestHeartRate(own, now: later)?.sample.time == later + 2000)
            #expect(try reader.newestScalars(own, now: later)?.map(\.sample.time) == [later])
            try store.series.merger.merge(now: 1)
        }
    }

    @Test("CONS-4: who may read heart rates gets the same, whether or not newer positions came", arguments: Engine.allCases)
    func nothingOfOthers(engine: Engine) throws {
        let asking = try AskingFixture(engine),
            store = try StoreFixture(asking.fixture.directory, hub: asking.fixture.hub, person: asking.person)
        let id = try asking.give(asking.scope([.heartRate]), now: 0), now = noon + day, reader = store.series.reader
        let grant = try #require(try asking.consents.grant(by: id, to: asking.reader, now: now))
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 5)), sequence: 1)
        func rates() throws -> [HeartRateSample]? { try reader.last(9, grant, now: now)?.heartRates }
        #expect(try rates()?.count == 5)
        try store.append(SampleSet(positions: positions(from: noon + 5 * hour, count: 5)), sequence: 2)
        for _ in 0..<2 {
            #expect(try rates()?.count == 5)
            try store.series.merger.merge(now: 1)
        }
    }

    @Test("DATA-9: where two provenances meet each sample says where it comes from", arguments: Engine.allCases)
    func mixed(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), own = Grant.maintenance(of: store.person), imported = StreamID.random()
        let reader = store.series.reader
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 60)), sequence: 1)
        _ = try store.known(imported, provenance: .import)
        try store.append(
            SampleSet(heartRates: heartRates(from: noon + 120_000, count: 60, rate: 90)), sequence: 1, provenance: .import, stream: imported
        )
        let pieces = try #require(
            try reader.pieces(own, kinds: [.heartRate], hour: noon / hour, in: noon...noon + hour, now: 0))
        #expect(pieces.map(\.provenance) == [.live, .import] && pieces.map { $0.samples.heartRates.count } == [60, 60])
        #expect(try store.all().heartRates.count == 120 && store.all().provenance == .import)
    }

    @Test("CONS-4: a reader gets the granted kinds and no part of others", arguments: Engine.allCases)
    func kinds(engine: Engine) throws {
        let asking = try AskingFixture(engine),
            store = try StoreFixture(asking.fixture.directory, hub: asking.fixture.hub, person: asking.person)
        let reader = store.series.reader
        try store.append(
            SampleSet(
                heartRates: heartRates(from: noon, count: 5), positions: positions(from: noon, count: 5),
                scalars: scalars(.weight, from: noon, count: 2)),
            sequence: 1)
        let id = try asking.give(asking.scope([.weight]), now: 0)
        let grant = try #require(try asking.consents.grant(by: id, to: asking.reader, now: 1))
        for _ in 0..<2 {
            let reading = try #require(try reader.read(grant, from: 0, to: .max, now: 1))
            #expect(reading.scalars.count == 2 && reading.heartRates.isEmpty && reading.positions.isEmpty)
            try store.series.merger.merge(now: 1)
        }
        #expect(try reader.newestScalars(grant, now: noon + day)?.map(\.sample.value) == [DataKind.weight.entry.range.lowerBound + 1])
        _ = try asking.consents.answerConsent(id, .revoke, by: asking.ada.id, now: 2)
        #expect(try reader.read(grant, from: 0, to: .max, now: 3) == nil && reader.newestScalars(grant, now: 3) == nil)
    }

    @Test("design rule 11: streams of other provenances than those that are asked for are not read", arguments: Engine.allCases)
    func provenances(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), own = Grant.maintenance(of: store.person), reader = store.series.reader
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 5)), sequence: 1)
        try store.append(
            SampleSet(heartRates: heartRates(from: noon + 60_000, count: 3)), sequence: 1, provenance: .replay, stream: .random())
        func count(_ provenances: Set<Provenance>) throws -> Int? {
            try reader.read(own, from: noon, to: noon + hour, of: provenances, now: 0)?.heartRates.count
        }
        for _ in 0..<2 {
            #expect(try count([.live]) == 5 && count([.replay]) == 3 && count([.live, .replay]) == 8 && count([.import]) == 0)
            try store.series.merger.merge(now: 1)
        }
        #expect(try reader.read(own, from: noon + 1, to: noon, of: [.live], now: 0) == HubStore.Reading(), "a span that is none")
        try store.accounts.deletePerson(store.person, now: 2)
        #expect(try count([.live]) == nil)
    }

    // MARK: Clocks

    private func record(_ time: Milliseconds, _ utc: Milliseconds, _ uncertainty: UInt32 = 100) -> ClockRecord {
        ClockRecord(time: time, utc: utc, uncertainty: uncertainty, source: .wall)
    }

    @Test("EDGE-6: between two records the offset is interpolated, and beyond them it stays")
    func interpolated() {
        var model = ClockModel([record(0, noon), record(1_000_000, noon + 1_000_100, 10)])
        #expect(
            !model.isEmpty && model.utc(500_000) == noon + 500_050 && model.utc(-5) == noon - 5 && model.utc(2_000_000) == noon + 2_000_100)
        #expect(ClockModel().utc(5) == nil && ClockModel().isEmpty && ClockModel.utc.utc(5) == 5 && !ClockModel.utc.isEmpty)
        let before = model
        let isVague = model.insert(record(10, noon + 50, 5000)), isUnset = model.insert(record(10, 5))
        #expect(!isVague && !isUnset && model == before, "one says less than what is known, the other is of a clock that was never set")
        var utc = ClockModel.utc
        let isTaken = utc.insert(record(0, noon))
        #expect(!isTaken)
    }

    @Test("EDGE-6: one good record puts right what a wrong clock said, and the number of records has a bound")
    func corrected() {
        var model = ClockModel([record(0, noon + day, 60_000), record(100_000, noon + day, 60_000)])
        let good = record(50_000, noon, 1)
        model.insert(good)
        #expect(model.records == [good] && model.utc(0) == noon - 50_000)
        var many = ClockModel()
        for number in 0..<Milliseconds(ClockModel.recordsMax + 20) {
            _ = many.insert(record(number * 3_000_000, noon + number * 3_000_000, 100))
        }
        #expect(many.records.count <= ClockModel.recordsMax && many.records.count > 100)
    }
}

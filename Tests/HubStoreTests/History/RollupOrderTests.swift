import Database
import Foundation
import History
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Orders that are tried, where `TRACKME_TRIALS` says how many; 13 to 15 are those on files.
private let trials = ProcessInfo.processInfo.environment["TRACKME_TRIALS"].flatMap { UInt64($0) }

/// The rules of decision 25 after any order of what can happen.
@Suite struct RollupOrderTests {
    /// A store and what its rollups should come to: two boxes, an import and a hand that types.
    private struct Trial {
        let store: StoreFixture
        var models: [RollupModel]
        var generator: SeededGenerator
        private var sequence: UInt64 = 0
        private(set) var hasLostMinutes = false

        init(_ engine: Engine, seed: UInt64) throws {
            generator = SeededGenerator(seed: seed)
            let store = try StoreFixture(databases: engine)
            self.store = store
            // Boxes of their own. Streams and their clocks are known in this order.
            let sources = try [Provenance.live, .live, .import, .import, .manual].enumerated().map { agent, provenance in
                let stream = StreamID.random()
                let claim = SeriesStore.StreamClaim(stream: stream, agent: Int64(agent + 1), provenance: provenance)
                let row = try #require(try store.series.streams([claim], now: 0)[stream]).row
                _ = try store.series.clocks([SeriesStore.ClockKey(stream: row, domain: .recorded)])
                return RollupModel.Source(stream: stream, row: row, provenance: provenance)
            }
            models = [RollupModel(.heartRate, sources), RollupModel(.steps, sources)]
        }

        mutating func number(_ below: UInt64) -> Milliseconds { Milliseconds(generator.next() % below) }

        /// Heart rates with intervals, or steps, each of its own value, within four hours and around their ends, so that they meet.
        mutating func append() throws {
            let index = Int(number(5)), source = models[0].sources[index], start = noon + number(4) * hour + 2_700_000 + number(1200) * 1000
            sequence += 1
            var samples = SampleSet()
            let column = source.provenance == .manual ? 1 : Int(number(2))
            if column == 0 {
                let rate = 60 + UInt16(number(90)), step = 1000 * (1 + number(3))
                samples.heartRates = (0..<1 + number(200)).map { beat in
                    HeartRateSample(
                        time: start + beat * step, beatsPerMinute: rate + UInt16(beat % 5), contact: .detected,
                        energyKilojoules: UInt16(sequence), rrIntervals: [800 + UInt16(beat % 7) * 9 + UInt16(sequence % 50)])
                }
            } else {
                samples.scalars = try (0..<1 + number(20)).map { part in
                    let time = start + part * 90_000, end = time + 60_000 + Milliseconds(sequence)
                    return try #require(ScalarSample(.steps, time: time, value: 1 + number(90), end: end))
                }
            }
            try store.append(samples, sequence: sequence, provenance: source.provenance, stream: source.stream)
            models[column].sources[index].waiting.append(samples)
        }

        mutating func merge() throws {
            try store.series.merger.merge(now: 1)
            for index in models.indices { models[index].merge() }
        }

        /// - Parameter share: of the space that is used, in percent.
        mutating func overwrite(_ share: Int) throws {
            let before = try kept()
            _ = try store.series.space.keepWithin(store.series.space.bytes(of: store.person) * share / 100)
            let after = try kept()
            for index in models.indices { models[index].overwrite(after[index]) }
            guard zip(before, after).contains(where: { $0.minutes < $1.minutes }) else { return }
            hasLostMinutes = true
            #expect(try rows("SELECT count(*) FROM block WHERE kind IN (1, 17)") == 0, "minutes go after all raw data")
            let oldest = try rows("SELECT coalesce(min(start), \(Int64.max)) FROM rollup WHERE level = 0")
            let gone = zip(before, after).filter { $0.minutes < $1.minutes }.map { $1.minutes - 1 }
            #expect(gone.allSatisfy { $0 <= oldest }, "and the oldest first")
        }

        mutating func delete() throws {
            let first = noon + number(18_000_000), span = first...first + number(3_600_000), index = Int(number(3))
            let deleted = index == 2 ? [0, 1] : [index], kinds = Set(deleted.map { models[$0].column })
            let part = try store.accounts.requestDeletion(of: kinds, in: span, person: store.person, now: 5)
            try store.series.erasure.delete(part, now: 6)
            for index in models.indices {
                if deleted.contains(index) { models[index].delete(span) } else { models[index].merge() }
            }
        }

        mutating func undo() throws {
            let index = 2 + Int(number(2))
            let part = try store.accounts.requestDeletion(
                of: Set(DataKind.allCases.filter { !$0.isAttachment }), in: 0...(.max / 2), stream: models[0].sources[index].stream,
                person: store.person, now: 5)
            try store.series.erasure.delete(part, now: 6)
            for column in models.indices { models[column].undo(index) }
        }

        private func rows(_ sql: String) throws -> Int64 { try store.series.series.read { try $0.fetchOne(Int64.self, sql: sql) ?? 0 } }

        /// From which hours on raw data of each column is whole, and minutes are there.
        private func kept() throws -> [(whole: Int64, minutes: Int64)] {
            try models.map { model -> (whole: Int64, minutes: Int64) in
                let sql = "SELECT whole, minutes FROM rollup_kept WHERE kind = ?"
                let row = try store.series.series.read { try $0.fetchOne(sql: sql, arguments: [model.column.rawValue]) }
                return row.map { ($0[0], $0[1]) } ?? (.min, .min)
            }
        }

        func check(_ comment: Comment) throws {
            let grant = Grant.maintenance(of: store.person), from = noon - 9 * day, to = noon + 9 * day
            for model in models {
                for kind in model.kinds {
                    let expected = model.expected(kind)
                    let hours = try #require(
                        try store.series.history.rollups(grant, of: kind, by: .hours, from: from, to: to, now: 0))
                    #expect(hours == expected.hours, "\(comment), hours of \(kind)")
                    let minutes = try #require(
                        try store.series.history.rollups(grant, of: kind, by: .minutes, from: from, to: to, now: 0))
                    #expect(minutes == expected.minutes, "\(comment), minutes of \(kind)")
                    guard kind.hasMeans else { continue }
                    let means = try #require(
                        try store.series.history.rollups(grant, of: kind, by: .means, from: from, to: to, now: 0))
                    #expect(means == expected.means, "\(comment), means of \(kind)")
                }
            }
        }
    }

    @Test(
        "DATA-8: rollups are what they should be after any order of samples, late ones, merging, sources, overwriting, deletion, undoing",
        arguments: trials.map { 1..<max(1, $0) + 1 } ?? Seeds.some(4, of: 1..<13))
    func anyOrder(seed: UInt64) throws {
        var trial = try Trial(.inMemory, seed: seed)
        try run(&trial, seed, steps: 50)
    }

    @Test("DATA-8: the same on files", arguments: 13...15)
    func onFiles(seed: UInt64) throws {
        var trial = try Trial(.files, seed: seed)
        try run(&trial, seed, steps: 25)
    }

    private func run(_ trial: inout Trial, _ seed: UInt64, steps: Int) throws {
        for step in 0..<steps {
            switch trial.number(20) {
            case 0...9: try trial.append()
            case 10...12: try trial.merge()
            case 13...14: try trial.store.series.rollups.build(before: noon + trial.number(7) * hour)
            case 15...16: try trial.overwrite(50 + Int(trial.number(50)))
            // Below what raw data takes, so that minutes go as well.
            case 17: try trial.overwrite(Int(trial.number(40)))
            case 18: try trial.delete()
            default: try trial.undo()
            }
            try trial.check("seed \(seed), step \(step)")
        }
        // Whatever the dice said: in the end minutes go, and the hours are there.
        try trial.merge()
        try trial.overwrite(0)
        try trial.check("seed \(seed), at last")
        #expect(trial.hasLostMinutes)
    }

    @Test("DATA-8, DATA-2: a file that is imported again after its raw data was overwritten is not counted twice, nor is a second box")
    func twice() throws {
        let store = try StoreFixture(), first = StreamID.random(), again = StreamID.random(), box = StreamID.random()
        func hours() throws -> [Int64: Rollup]? {
            try store.series.history.rollups(
                .maintenance(of: store.person), of: .heartRate, by: .hours, from: noon - day, to: noon + day, now: 0)
        }
        func add(_ stream: StreamID, _ provenance: Provenance, rate: UInt16 = 120, from start: Milliseconds = noon) throws {
            try store.append(
                SampleSet(heartRates: heartRates(from: start, count: 1800, rate: rate)), sequence: 1, provenance: provenance,
                stream: stream)
            try store.series.merger.merge(now: 1)
        }
        try add(first, .import)
        let once = try hours()
        #expect(once?.values.first?.count == 1800)
        _ = try store.series.space.keepWithin(store.series.space.bytes(of: store.person) * 9 / 10)
        #expect(try store.all().heartRates.isEmpty)
        try add(again, .import)
        #expect(try hours() == once)
        try add(box, .live, rate: 90, from: noon + 900_000)
        // Of the second half of its time nothing was there.
        #expect(try hours()?.values.first?.count == 2700)
        // Also where the minutes are gone.
        _ = try store.series.space.keepWithin(0)
        try add(.random(), .import)
        #expect(try hours()?.values.first?.count == 2700)
    }

    @Test("DATA-2, DATA-8: an import that is taken back leaves closed hours, but for minutes in which something else is")
    func takenBack() throws {
        let store = try StoreFixture(), file = StreamID.random()
        func count() throws -> Int64 {
            try #require(
                try store.series.history.rollups(
                    .maintenance(of: store.person), of: .heartRate, by: .hours, from: noon - day, to: noon + day, now: 0)
            ).values.reduce(0) { $0 + $1.count }
        }
        try store.append(SampleSet(heartRates: heartRates(from: noon, count: 600)), sequence: 1)
        try store.append(
            SampleSet(heartRates: heartRates(from: noon + 540_000, count: 1200)), sequence: 1, provenance: .import, stream: file)
        try store.series.merger.merge(now: 1)
        #expect(try count() == 1740, "the box counts in the minute that both have")
        _ = try store.series.space.keepWithin(store.series.space.bytes(of: store.person) * 8 / 10)
        let part = try store.accounts.requestDeletion(of: [.heartRate], in: 0...(.max / 2), stream: file, person: store.person, now: 5)
        try store.series.erasure.delete(part, now: 6)
        #expect(try count() == 600)
    }
}

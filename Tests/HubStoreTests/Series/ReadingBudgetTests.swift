import Foundation
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// A person's space holds thousands of times as many samples as the hub's memory: whoever fills it so holds up nobody.
@Suite struct ReadingBudgetTests {
    /// Streams that fill the same hour, the later ones with later ends; each counts as a source of its own.
    private func filled(_ store: StoreFixture, streams: Int, samples: Int) throws {
        for number in 0..<streams {
            let list = (0..<samples).map {
                HeartRateSample(time: noon + Milliseconds(number + $0) * 1000, beatsPerMinute: UInt16(60 + number), contact: .detected)
            }
            try store.append(SampleSet(heartRates: list), sequence: 1, stream: .random())
        }
    }

    private func read(_ store: StoreFixture, blocks: Int = 1000, waiting: Int = 1000) throws -> (
        rates: Set<UInt16>, samples: Int, isCut: Bool
    ) {
        let read = try store.series.reader.readStreams(
            store.person, row: store.row, kinds: [.heartRate], from: .min / 2, to: .max / 2, budget: .init(blocks: blocks, waiting: waiting)
        )
        let all = read.streams.flatMap(\.samples.heartRates)
        return (Set(all.map(\.beatsPerMinute)), all.count, read.isCut)
    }

    @Test("PERF-6: of more than a reading may decode it takes the newest, out of blocks and of what waits", arguments: Engine.allCases)
    func newest(engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        try filled(store, streams: 10, samples: 100)
        func check(_ when: String) throws {
            let all = try read(store)
            #expect(all.rates.count == 10 && all.samples == 1000 && !all.isCut, "\(when)")
            let few = try read(store, blocks: 350, waiting: 350)
            #expect(few.rates == [67, 68, 69] && few.samples == 300 && few.isCut, "\(when)")
            // One block or segment is always read.
            let one = try read(store, blocks: 10, waiting: 10)
            #expect(one.rates == [69] && one.samples == 100 && one.isCut, "\(when)")
        }
        try check("waiting")
        try store.series.merger.merge(now: noon + day)
        try check("merged")
    }

    @Test("PERF-6: what waits is decoded as one reading's share after a start too, when nobody knows how much it is")
    func started() throws {
        let store = try StoreFixture()
        try filled(store, streams: 10, samples: 100)
        let again = try store.reopened(), few = try read(again, waiting: 350)
        #expect(few.rates == [67, 68, 69] && few.isCut)
        #expect(try read(again).samples == 1000)
    }

    @Test("PERF-6: segments are counted until they hold as much as may be, and one at least")
    func counted() {
        func segment(_ samples: Int?) -> PendingSegment {
            PendingSegment(
                JournalFrame(
                    person: 1, stream: 1, clock: 1, sequence: 1, fingerprint: 1, first: 0, last: 0, hasClocks: false, gaps: [],
                    envelope: [], samples: samples), journal: 1, offset: 0)
        }
        #expect([segment(10), segment(10), segment(10)].count(within: 25, unknown: 0) == 2)
        #expect([segment(100), segment(1)].count(within: 25, unknown: 0) == 1)
        #expect([segment(nil), segment(nil), segment(nil)].count(within: 25, unknown: 10) == 2)
        #expect([PendingSegment]().count(within: 25, unknown: 10) == 0)
        #expect([segment(1), segment(2)].samples == 3 && [segment(1), segment(nil)].samples == nil)
    }

    @Test("DATA-14: a merging pass takes a backlog in parts that memory holds, and all of it")
    func merged() throws {
        let store = try StoreFixture()
        // Of unknown size each: a part holds 32 of them.
        for number in 0..<100 as Range<UInt64> {
            try store.append(SampleSet(heartRates: heartRates(from: noon + Milliseconds(number) * 10_000, count: 10)), sequence: number)
        }
        let report = try store.reopened().series.merger.merge(now: noon + day)
        #expect(report.segments == 100 && report.people == 1 && report.quarantined.isEmpty)
    }
}

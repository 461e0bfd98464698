import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct SeriesMergerTests {
    @Test(
        "DATA-14: what waits for merging is counted, with the time of the oldest, by a store that is opened again too",
        arguments: Engine.allCases)
    func backlog(engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        func check(_ store: StoreFixture, segments: Int, oldest: Milliseconds?) {
            let backlog = store.series.merger.backlog
            #expect(backlog.segments == segments && backlog.oldest == oldest)
        }
        check(store, segments: 0, oldest: nil)
        for number in 0..<3 as Range<UInt64> {
            try store.append(SampleSet(heartRates: heartRates(from: noon + Milliseconds(number) * 10_000, count: 10)), sequence: number)
        }
        check(store, segments: 3, oldest: noon + day)
        let again = try store.reopened(), report = try again.series.merger.merge(now: noon)
        #expect(report.segments == 3 && report.people == 1 && report.blocks == 1 && report.quarantined.isEmpty)
        check(again, segments: 0, oldest: nil)
        try again.append(SampleSet(heartRates: heartRates(from: noon + 60_000, count: 10)), sequence: 3)
        check(try again.reopened(), segments: 1, oldest: noon + day)
    }
}

import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

struct QuotaTests {
    @Test("DATA-8: the space counted is the sealed blocks and what waits, whatever happens to them", arguments: Engine.allCases)
    func counts(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        func measured() throws -> Int { try store.count("SELECT coalesce(sum(length(envelope)), 0) FROM block") }
        for part in 0..<20 {
            let start = noon + Milliseconds(part) * 600_000
            try store.append(SampleSet(heartRates: heartRates(from: start, count: 600)), sequence: UInt64(part))
            let waiting = try store.series.space.bytes(of: store.person)
            #expect(try waiting > measured())
            if part.isMultiple(of: 3) {
                try store.series.merger.merge(now: 1)
                #expect(try store.series.space.bytes(of: store.person) == measured())
            }
        }
        try store.series.merger.merge(now: 1)
        let part = try store.accounts.requestDeletion(of: [.heartRate], in: noon...noon + 5_000_000, person: store.person, now: 5)
        try store.series.erasure.delete(part, now: 6)
        #expect(try store.series.space.bytes(of: store.person) == measured())
    }

    @Test("DATA-8: beyond the space the oldest raw hours go and no others; the notice is due once a week", arguments: Engine.allCases)
    func overwrites(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        let gap = GapRecord(time: noon, sequences: 900...901, reason: .bufferFull)
        for part in 0..<60 {
            let start = noon + Milliseconds(part) * 600_000
            try store.append(
                SampleSet(heartRates: heartRates(from: start, count: 600), gaps: part == 0 ? [gap] : []), sequence: UInt64(part))
        }
        try store.series.merger.merge(now: 1)
        try store.series.rollups.build(before: noon + 86_400_000)
        let all = try store.all().heartRates
        let space = try store.series.space.bytes(of: store.person)
        #expect(try store.series.space.keepWithin(space).isEmpty)
        #expect(try store.accounts.overwritten(of: store.person) == nil)
        let gone = try #require(try store.series.space.keepWithin(space / 2).first)
        #expect(try store.series.space.bytes(of: store.person) <= space / 2)
        let left = try store.all()
        #expect(left.heartRates == all.filter { $0.time > gone.until })
        #expect(left.heartRates.count.isMultiple(of: 3600) && left.heartRates.count >= 3 * 3600)
        #expect(left.gaps == [gap])
        let week: Milliseconds = 7 * 86_400_000
        #expect(try store.accounts.noteOverwritten(gone, pause: week, now: 10))
        #expect(try !store.accounts.noteOverwritten(gone, pause: week, now: 10 + week - 1))
        #expect(try store.accounts.noteOverwritten(gone, pause: week, now: 10 + week))
        #expect(try store.accounts.overwritten(of: store.person) == gone.until)
    }
}

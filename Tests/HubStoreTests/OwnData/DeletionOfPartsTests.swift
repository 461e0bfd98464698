import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

struct DeletionOfPartsTests {
    private static let hour: Milliseconds = 3_600_000

    /// Five hours of heart rates and positions; the last part waits for merging.
    private func filled(_ engine: Engine) throws -> StoreFixture {
        let store = try StoreFixture(databases: engine)
        for part in 0..<30 {
            let start = noon + Milliseconds(part) * 600_000
            try store.append(
                SampleSet(heartRates: heartRates(from: start, count: 600), positions: positions(from: start, count: 600)),
                sequence: UInt64(part))
            if part == 25 { try store.series.merger.merge(now: 1) }
        }
        return store
    }

    @Test(
        "DATA-10: a span of one kind is deleted to the millisecond, pending data too; the rest stays as it was",
        arguments: Engine.allCases)
    func part(_ engine: Engine) throws {
        let store = try filled(engine)
        let before = try store.all()
        let span = noon + 90 * 60_000...noon + 280 * 60_000
        let part = try store.accounts.requestDeletion(of: [.heartRate], in: span, person: store.person, now: 5)
        #expect(try store.series.erasure.unfinishedDeletions() == [part])
        try store.series.erasure.delete(part, now: 6)
        let expected = before.heartRates.filter { !span.contains($0.time) }
        for state in ["as it is", "after a restart"] {
            let after = try (state == "as it is" ? store : store.reopened()).all()
            #expect(after.heartRates == expected, "\(state)")
            #expect(after.positions == before.positions, "\(state)")
        }
        #expect(try store.series.erasure.progress(of: part) == .init(removed: before.heartRates.count - expected.count, finished: 6))
        #expect(try store.series.erasure.unfinishedDeletions().isEmpty)
        // What comes for the span afterwards is new data.
        try store.append(SampleSet(heartRates: heartRates(from: span.lowerBound, count: 10)), sequence: 99)
        try store.series.merger.merge(now: 7)
        #expect(try store.all().heartRates.count == expected.count + 10)
    }

    @Test(
        "DATA-10: what was measured before a part was deleted and comes late stays out, what is typed or imported later stays",
        arguments: Engine.allCases)
    func late(_ engine: Engine) throws {
        let store = try filled(engine), before = try store.all(), now = noon + 6 * Self.hour
        let part = try store.accounts.requestDeletion(of: [.heartRate], in: noon...now, person: store.person, now: now)
        try store.series.erasure.delete(part, now: now + 1)
        #expect(try store.all().heartRates.isEmpty)
        // A box that was away sends what it had measured, and what it measures from then on.
        let late = SampleSet(
            heartRates: heartRates(from: noon + Self.hour, count: 10) + heartRates(from: now + 1000, count: 5),
            positions: positions(from: noon + Self.hour, count: 10))
        try store.append(late, sequence: 99)
        try store.series.merger.merge(now: now + 2000)
        #expect(try store.all().heartRates.map(\.time) == heartRates(from: now + 1000, count: 5).map(\.time))
        #expect(try store.all().positions.count == before.positions.count + 10, "kinds that were not deleted stay")
        #expect(try store.reopened().all().heartRates.count == 5)
    }

    @Test("DATA-10: a deletion that was cut off goes on where it stopped, and its count stays right", arguments: Engine.allCases)
    func resumes(_ engine: Engine) throws {
        let store = try filled(engine)
        let part = try store.accounts.requestDeletion(
            of: [.heartRate, .position], in: noon...noon + 4 * Self.hour - 1, person: store.person, now: 5)
        try store.series.merger.merge(now: 5)
        // As a kill after the first slice leaves it.
        let first = try #require(
            try store.series.series.read {
                try $0.fetchOne(Int64.self, sql: "SELECT min(id) FROM block WHERE utc_last < ?", arguments: [noon + 4 * Self.hour])
            })
        try store.series.series.write { db in
            try db.execute(sql: "DELETE FROM block WHERE id = ?", arguments: [first])
            try db.execute(
                sql: "INSERT INTO deletion(part, block, removed) VALUES(?, ?, 3600)", arguments: [Data(part.id.bytes), first])
        }
        let again = try store.reopened()
        #expect(try again.series.erasure.unfinishedDeletions() == [part])
        try again.series.erasure.delete(part, now: 8)
        let left = try again.all()
        #expect(left.heartRates.count == 3600 && left.positions.count == 3600)
        #expect(try again.series.erasure.progress(of: part)?.removed == 8 * 3600)
    }

    @Test("DATA-10: series from a backup are cut again: the list of deleted parts is with the keys", arguments: Engine.allCases)
    func restored(_ engine: Engine) throws {
        let store = try filled(engine)
        let part = try store.accounts.requestDeletion(of: [.position], in: noon...noon + 5 * Self.hour, person: store.person, now: 5)
        try store.series.erasure.delete(part, now: 6)
        // The table as a backup from before has it.
        try store.series.series.write { try $0.execute(sql: "DELETE FROM deletion") }
        #expect(try store.reopened().series.erasure.unfinishedDeletions() == [part])
    }

    @Test("DATA-10: a box's clock counts, not the numbers in the block", arguments: Engine.allCases)
    func clocks(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        let boot = ClockDomain.boottime(boot: .random(), counter: 1)
        try store.append(
            SampleSet(
                heartRates: heartRates(from: 1000, count: 100),
                clocks: [ClockRecord(time: 1000, utc: noon, uncertainty: 10, source: .gnss)]), sequence: 1, clock: boot)
        let part = try store.accounts.requestDeletion(of: [.heartRate], in: noon...noon + 49_999, person: store.person, now: 5)
        try store.series.erasure.delete(part, now: 6)
        #expect(try store.all().heartRates.map(\.time) == (50..<100).map { noon + $0 * 1000 })
    }
}

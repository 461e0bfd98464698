import Database
import Distress
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct DamagedBlockTests {
    /// The block that begins at an instant.
    private func block(at time: Milliseconds, in store: StoreFixture) throws -> (id: Int64, envelope: Data) {
        let row = try store.series.series.read {
            try $0.fetchOne(sql: "SELECT id, envelope FROM block WHERE utc_first = ?", arguments: [time])
        }
        let found = try #require(row)
        return (found[0], found[1])
    }

    private func replace(_ id: Int64, with envelope: Data, in store: StoreFixture) throws {
        try store.series.series.write { try $0.execute(sql: "UPDATE block SET envelope = ? WHERE id = ?", arguments: [envelope, id]) }
    }

    private func unreadable(_ store: StoreFixture) -> [String] { store.accounts.keys.unreadable.rows.map(\.description).sorted() }

    @Test(
        "DATA-11, DATA-14: a block that does not open is left out and told once; the rest reads, and it does as well once it is restored",
        arguments: Engine.allCases)
    func leftOut(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), own = Grant.maintenance(of: store.person), reader = store.series.reader
        for number in 0..<3 as Range<Milliseconds> {
            try store.append(SampleSet(heartRates: heartRates(from: noon + number * hour, count: 10)), sequence: UInt64(number))
        }
        try store.series.merger.merge(now: 1)
        let before = try store.all(), (id, envelope) = try block(at: noon + hour, in: store), told = Told<UnreadableRow>()
        store.accounts.keys.unreadable.listen { told.tell($0) }
        try replace(id, with: Data(count: envelope.count), in: store)
        for _ in 0..<2 {
            #expect(try store.all().heartRates == before.heartRates.filter { $0.time < noon + hour || $0.time >= noon + 2 * hour })
            #expect(try reader.last(99, own, within: 4 * hour, now: noon + day)?.heartRates.count == 20)
        }
        let span = noon...noon + 3 * hour, hours = try #require(try reader.hours(own, in: span, now: 0))
        let pieces = try hours.joined().flatMap { try reader.pieces(own, kinds: [.heartRate], hour: $0, in: span, now: 0) ?? [] }
        #expect(pieces.map { $0.samples.heartRates.count } == [10, 10])
        #expect(told.all.map(\.description) == ["block \(id)"] && told.all.allSatisfy { !$0.kind.concernsAlarms })
        #expect(store.accounts.keys.unreadable.count == 1)
        try replace(id, with: envelope, in: store)
        #expect(try store.all() == before)
    }

    @Test("DATA-11: a block that opens and is none of this hub's format is left out and told", arguments: Engine.allCases)
    func otherFormat(engine: Engine) throws {
        let store = try StoreFixture(databases: engine)
        for number in 0..<2 as Range<Milliseconds> {
            try store.append(SampleSet(heartRates: heartRates(from: noon + number * hour, count: 10)), sequence: UInt64(number))
        }
        try store.series.merger.merge(now: 1)
        let (id, _) = try block(at: noon, in: store), key = try #require(try store.accounts.keys.key(of: store.person))
        let row = try store.series.series.read {
            try $0.fetchOne(sql: "SELECT kind, clock, hour FROM block WHERE id = ?", arguments: [id])
        }
        let stored = try #require(row), (kind, clock, begin) = (stored[0] as UInt8, stored[1] as Int64, stored[2] as Int64)
        let place = Envelope.Place(
            person: store.person, table: .block, row: (UInt64(kind) << 32 | UInt64(clock), UInt64(bitPattern: begin)))
        try replace(id, with: Data(try Envelope.seal([0xFF], with: key, at: place)), in: store)
        #expect(try store.all().heartRates.count == 10 && unreadable(store) == ["block \(id)"])
    }

    @Test("DATA-14: a segment that waits for merging and does not open is left out and told", arguments: Engine.allCases)
    func waiting(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), stream = try store.known(store.stream).row
        for number in 0..<2 as Range<Milliseconds> {
            try store.append(SampleSet(heartRates: heartRates(from: noon + number * hour, count: 10)), sequence: UInt64(number) + 7)
        }
        try store.series.journal.write { try $0.execute(sql: "UPDATE journal SET frames = zeroblob(length(frames)) WHERE id = 1") }
        for _ in 0..<2 { #expect(try store.all().heartRates.map(\.time) == heartRates(from: noon + hour, count: 10).map(\.time)) }
        #expect(unreadable(store) == ["segment \(stream) 7"])
    }

    @Test(
        "SOS-6, SOS-22: where the newest positions do not open, those before are where the person was last; it is told as critical",
        arguments: Engine.allCases)
    func lastPosition(engine: Engine) throws {
        let store = try StoreFixture(databases: engine), sos = try SOSStore(store.hub, keys: store.accounts.keys)
        let emergency = store.series.emergency(upheldBy: sos), grant = Grant.sosLastPosition(of: store.person)
        try store.append(SampleSet(positions: positions(from: noon, count: 5)), sequence: 1)
        try store.append(SampleSet(positions: positions(from: noon + 5 * hour, count: 5)), sequence: 2)
        try store.series.merger.merge(now: 1)
        let alarm = Alarm(id: IncidentID(high: 7, low: 1), person: store.person, provenance: .live, raisedAt: noon, abnormalities: [])
        try sos.save([.init(person: store.person, incident: SOSCase(alarm, isTest: false, opened: noon))])
        #expect(try emergency.lastPosition(grant, now: noon + 6 * hour)?.time == noon + 5 * hour + 4000)
        let (id, envelope) = try block(at: noon + 5 * hour, in: store)
        try replace(id, with: Data(count: envelope.count), in: store)
        #expect(try emergency.lastPosition(grant, now: noon + 6 * hour)?.time == noon + 4000)
        #expect(unreadable(store) == ["positionBlock \(id)"])
        #expect(store.accounts.keys.unreadable.rows.allSatisfy { $0.kind.concernsAlarms })
    }
}

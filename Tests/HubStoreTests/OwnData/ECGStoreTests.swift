import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

struct ECGStoreTests {
    private static func strip(at time: Milliseconds = noon, seconds: Int = 30, leads: [String] = ["I"]) throws -> ECGStrip {
        let curve = MadeECG.curve(512 * seconds, hertz: 512).map { Int32?($0) }
        return try ECGStrip(
            time: time, millihertz: 512_000, leads: leads.map { .init(name: .init($0), values: [nil] + curve.dropFirst()) },
            source: "Made Watch", said: "Sinus Rhythm")
    }

    private static func add(_ store: StoreFixture, _ strip: ECGStrip, bytesMax: Int = 5_000_000) throws -> ECGStore.Outcome {
        try ECGStore(store.series).add(strip, of: store.person, by: AccountID(store.person), bytesMax: bytesMax, now: noon + 99)
    }

    private static func id(_ outcome: ECGStore.Outcome) throws -> ECGID {
        guard case .stored(let id) = outcome else { throw CocoaError(.fileWriteUnknown) }
        return id
    }

    @Test(
        "DATA-1, DATA-11: a strip is read as it was stored, after a restart too, and nothing of it stands on the disk in the clear",
        arguments: Engine.allCases)
    func stored(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), strip = try Self.strip(leads: ["I", "II", "MLII"])
        let id = try Self.id(Self.add(store, strip))
        let grant = Grant.maintenance(of: store.person)
        for fixture in [store, try store.reopened()] {
            let ecg = ECGStore(fixture.series), list = try #require(try ecg.strips(grant, now: 0))
            #expect(list.map(\.id) == [id] && list[0].head.leads == ["I", "II", "MLII"] && list[0].received == noon + 99)
            #expect(list[0].duration == 30_000 && list[0].head.uploader == store.person.description)
            #expect(try ecg.strip(id, grant, now: 0)?.strip == strip)
        }
        let rows = try store.series.series.read { try $0.fetchAll(sql: "SELECT head, envelope FROM ecg") }
        for row in rows {
            for column in 0..<2 {
                let bytes = row[column] as Data
                for word in ["Made Watch", "Sinus", "MLII"] { #expect(bytes.range(of: Data(word.utf8)) == nil) }
            }
        }
        // About a byte a value.
        #expect(try ECGStore(store.series).bytes(of: store.person) < 3 * 512 * 30 * 3 / 2)
    }

    @Test("DATA-11: a strip that was moved to another row does not open", arguments: Engine.allCases)
    func moved(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), first = try Self.id(Self.add(store, Self.strip()))
        let second = try Self.id(Self.add(store, Self.strip(at: noon + 60_000)))
        try store.series.series.write { db in
            let stolen = try db.fetchOne(Data.self, sql: "SELECT envelope FROM ecg WHERE strip = ?", arguments: [Data(first.bytes)])
            try db.execute(sql: "UPDATE ecg SET envelope = ? WHERE strip = ?", arguments: [stolen, Data(second.bytes)])
        }
        #expect(throws: HubStoreError.self) { try ECGStore(store.series).strip(second, .maintenance(of: store.person), now: 0) }
    }

    @Test("DATA-2: the same strip again is stored once; another one of the same time is not taken for it", arguments: Engine.allCases)
    func twice(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), id = try Self.id(Self.add(store, Self.strip()))
        #expect(try Self.add(store, Self.strip()) == .known(id))
        #expect(try Self.add(store, Self.strip(seconds: 20)) == .sameTime(id))
        #expect(try ECGStore(store.series).strips(.maintenance(of: store.person), now: 0)?.count == 1)
    }

    @Test(
        "DATA-8: strips have a space of their own beside that of the series, which keep theirs, and are not overwritten",
        arguments: Engine.allCases)
    func space(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), ecg = ECGStore(store.series)
        for part in 0..<12 {
            try store.append(
                SampleSet(heartRates: heartRates(from: noon + Milliseconds(part) * 600_000, count: 600)), sequence: UInt64(part))
        }
        try store.series.merger.merge(now: 1)
        let series = try store.series.space.bytes(of: store.person)
        func measured() throws -> Int { try store.count("SELECT coalesce(sum(length(head) + length(envelope)), 0) FROM ecg") }
        let id = try Self.id(Self.add(store, Self.strip()))
        _ = try Self.add(store, Self.strip(at: noon - 60_000))
        let strips = try ecg.bytes(of: store.person)
        #expect(try strips == measured() && store.series.space.bytes(of: store.person) == series)
        #expect(try Self.add(store, Self.strip(at: noon + 60_000), bytesMax: strips + 100) == .noSpace(used: strips, max: strips + 100))
        #expect(try store.series.space.keepWithin(series).isEmpty)
        #expect(try store.all().heartRates.count == 7200)
        #expect(try !store.series.space.keepWithin(series / 2).isEmpty)
        #expect(try store.all().heartRates.count < 7200 && store.series.space.bytes(of: store.person) <= series / 2)
        #expect(try ecg.strips(.maintenance(of: store.person), now: 0)?.count == 2)
        #expect(try ecg.remove(id, of: store.person) == noon && ecg.remove(id, of: store.person) == nil)
        #expect(try ecg.bytes(of: store.person) == measured())
    }

    @Test("DATA-10: a part that names ECG takes the strips that begin in its span, and no others", arguments: Engine.allCases)
    func part(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), ecg = ECGStore(store.series)
        for minute in 0..<3 { _ = try Self.add(store, Self.strip(at: noon + Milliseconds(minute) * 60_000)) }
        let hearts = try store.accounts.requestDeletion(of: [.heartRate], in: 0...(.max / 2), person: store.person, now: 5)
        #expect(try ecg.delete(hearts) == 0)
        let part = try store.accounts.requestDeletion(of: [.ecg], in: noon + 1...noon + 60_000, person: store.person, now: 6)
        #expect(try store.accounts.deletedParts().last?.kinds == [.ecg])
        #expect(try ecg.delete(part) == 1 && ecg.delete(part) == 0)
        #expect(try ecg.strips(.maintenance(of: store.person), now: 0)?.map(\.time) == [noon + 120_000, noon])
    }

    @Test("DATA-10: with the person's key strips are gone at once, in a backup too; then their rows", arguments: Engine.allCases)
    func person(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), ecg = ECGStore(store.series), id = try Self.id(Self.add(store, Self.strip()))
        let grant = Grant.maintenance(of: store.person)
        try store.accounts.deletePerson(store.person, now: 7)
        #expect(try ecg.strips(grant, now: 8) == nil && ecg.strip(id, grant, now: 8) == nil)
        #expect(throws: HubStoreError.self) { try Self.add(store, Self.strip(at: noon + 60_000)) }
        #expect(try store.count("SELECT count(*) FROM ecg") == 1 && ecg.deletedWithStrips() == [store.person])
        try store.series.erasure.erase(store.person)
        #expect(try store.count("SELECT count(*) FROM ecg") == 0 && ecg.deletedWithStrips().isEmpty)
    }

    @Test(
        "CONS-4: AutomatedSOS outside of an alarm reads no strip, and another person's grant reads none of this one's",
        arguments: Engine.allCases)
    func grants(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), ecg = ECGStore(store.series), id = try Self.id(Self.add(store, Self.strip()))
        let other = try store.accounts.addPerson(name: "Other", now: 0).id
        #expect(try ecg.strips(.sos(of: store.person, since: 0), now: 0) == nil)
        #expect(try ecg.strip(id, .maintenance(of: other), now: 0) == nil && ecg.strips(.maintenance(of: other), now: 0) == [])
        #expect(try ecg.remove(id, of: other) == nil && ecg.time(of: id, of: other) == nil)
        let grant = Grant.maintenance(of: store.person)
        #expect(try ecg.strips(grant, in: 0...noon - 1, now: 0) == [] && ecg.strip(id, grant, in: 0...noon - 1, now: 0) == nil)
    }

    @Test("DATA-1, DATA-11: a list is read in parts, each strip once; a part says how many of it do not open", arguments: Engine.allCases)
    func parts(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), ecg = ECGStore(store.series), grant = Grant.maintenance(of: store.person)
        let ids = try (0..<7).map { try Self.id(Self.add(store, Self.strip(at: noon + Milliseconds($0) * 60_000, seconds: 2))) }
        let first = try #require(try ecg.part(grant, count: 3, now: 0))
        #expect(first.strips.map(\.id) == [ids[6], ids[5], ids[4]] && first.next == noon + 240_000 && first.unreadable == 0)
        try store.series.series.write { db in
            try db.execute(sql: "UPDATE ecg SET head = x'00' WHERE strip = ?", arguments: [Data(ids[3].bytes)])
        }
        let second = try #require(try ecg.part(grant, before: first.next, count: 3, now: 0))
        #expect(second.strips.map(\.id) == [ids[2], ids[1]] && second.next == noon + 60_000 && second.unreadable == 1)
        let last = try #require(try ecg.part(grant, before: second.next, count: 3, now: 0))
        #expect(last.strips.map(\.id) == [ids[0]] && last.next == nil)
        #expect(try ecg.part(grant, before: .min, now: 0) == ECGPart(strips: [], next: nil, unreadable: 0))
        #expect(try ecg.part(grant, in: noon...noon + 60_000, now: 0)?.strips.map(\.id) == [ids[1], ids[0]])
        #expect(try ecg.part(.sos(of: store.person, since: 0), now: 0) == nil)
    }

    @Test("DATA-11: a strip that does not open hides no other one, and is told", arguments: Engine.allCases)
    func damaged(_ engine: Engine) throws {
        let store = try StoreFixture(databases: engine), ecg = ECGStore(store.series), id = try Self.id(Self.add(store, Self.strip()))
        let other = try Self.id(Self.add(store, Self.strip(at: noon + 60_000)))
        try store.series.series.write { db in
            try db.execute(sql: "UPDATE ecg SET head = x'00' WHERE strip = ?", arguments: [Data(id.bytes)])
        }
        #expect(try ecg.strips(.maintenance(of: store.person), now: 0)?.map(\.id) == [other])
        #expect(store.accounts.keys.unreadable.rows.map(\.description) == ["ecg \(id)"])
    }

    @Test("DATA-3: values survive encoding whatever they are, and damaged bytes are an error")
    func values() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<50 {
            let leads = (0..<Int.random(in: 1...3, using: &random)).map { index in
                ECGStrip.Lead(
                    name: .init("V\(index + 1)"),
                    values: (0..<60).map { place in
                        place > 0 && Bool.random(using: &random) ? nil : Int32.random(in: -100_000...100_000, using: &random)
                    })
            }
            let strip = try ECGStrip(time: noon, millihertz: 50_000, leads: leads), bytes = ECGValues.encode(strip)
            let stored = StoredECG(
                id: ECGID(high: 0, low: 0), time: noon, received: 0,
                head: .init(
                    millihertz: 50_000, count: 60, leads: leads.map(\.name.description), source: nil, said: nil, uploader: ""))
            #expect(try ECGValues.strip(bytes, stored) == strip)
            #expect(throws: HubStoreError.self) { try ECGValues.strip(bytes + [0], stored) }
            #expect(throws: HubStoreError.self) { try ECGValues.strip(bytes.dropLast(), stored) }
            for _ in 0..<50 {
                var damaged = bytes
                damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                _ = try? ECGValues.strip(damaged, stored)
            }
        }
    }
}

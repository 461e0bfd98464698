import Crypto
import Exchange
import Foundation
import HubStore
import Logging
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Imports of files, over the real pipeline and a real disk.
struct ImportFixture {
    let own: OwnDataFixture
    let imports: ImportService
    let folder: String

    init(_ own: OwnDataFixture? = nil, bytesMax: Int = 10_000_000) throws {
        self.own = try own ?? OwnDataFixture()
        let hub = self.own.hub, clock = hub.clock
        folder = hub.directory.url.appending(path: "imports").path
        let ecg = ECGUpload(store: ECGStore(hub.series), audit: self.own.audit, space: 10_000_000, now: { clock.now })
        imports = ImportService(
            store: ImportStore(hub.series), devices: hub.accounts.devices, ingest: hub.ingest, ecg: ecg, deletion: self.own.deletion,
            audit: self.own.audit, folder: folder, bytesMax: bytesMax, logger: self.own.logger, now: { clock.now })
    }

    var hub: ServicesFixture { own.hub }
    var person: PersonID { hub.person }
    var me: AccountID { AccountID(person) }

    func begin(_ files: [(name: String, bytes: [UInt8])]) async throws -> ImportID {
        var upload = try imports.open(person, by: me)
        for file in files {
            try await upload.begin(file.name)
            try await upload.add(file.bytes)
        }
        let zone = try #require(TimeZone(identifier: "Europe/Rome"))
        try await imports.start(upload, zone: zone)
        return upload.id
    }

    /// Waits for the end of an import.
    func end(_ id: ImportID) async throws -> ImportResult {
        while true {
            let shown = try #require(try imports.find(id, of: person))
            if shown.state == .ended, !imports.isBusy(person) { return try #require(shown.result) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func take(_ name: String, _ text: String) async throws -> ImportResult {
        try await end(begin([(name, Array(text.utf8))]))
    }

    /// What lies on the disk of uploads.
    var left: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    /// An hour before the fixture's clock, to the second.
    var start: Milliseconds { hub.clock.now / 1000 * 1000 - 3_600_000 }

    static func utc(_ time: Milliseconds) -> String {
        var text = UTCText(), buffer: [UInt8] = []
        text.append(time, to: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }

    /// A way of `count` points, one each second.
    func gpx(_ count: Int = 60) -> String {
        let points = (0..<count).map { index in
            let time = Self.utc(start + Milliseconds(index) * 1000)
            return "<trkpt lat=\"\(45 + Double(index) / 10_000)\" lon=\"9.1\"><time>\(time)</time></trkpt>"
        }
        return "<?xml version=\"1.0\"?><gpx version=\"1.1\" creator=\"made up\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><trkseg>"
            + points.joined() + "</trkseg></trk></gpx>"
    }

    /// Weights of Apple Health, one each minute.
    func apple(_ count: Int) -> String {
        let records = (0..<count).map { index in
            let time = "2024-05-01 \(10 + index / 60):\(index % 60 < 10 ? "0" : "")\(index % 60):00 +0200"
            return "<Record type=\"HKQuantityTypeIdentifierBodyMass\" sourceName=\"Scale\" unit=\"kg\" startDate=\"\(time)\" "
                + "endDate=\"\(time)\" value=\"\(70 + index % 10)\"/>"
        }
        return "<?xml version=\"1.0\"?><HealthData><ExportDate value=\"2024-06-01 10:00:00 +0200\"/>\(records.joined())</HealthData>"
    }
}

struct ImportServiceTests {
    @Test("DATA-2, DATA-14: a track is stored as imported, once: the same file again, merged or not, counts as duplicates")
    func once() async throws {
        let fixture = try ImportFixture(), before = Int(try fixture.own.audit.verify().rows)
        let first = try await fixture.take("way.gpx", fixture.gpx())
        #expect(first.end == .done && first.kinds["position"]?.taken == 60 && first.files.map(\.format) == ["gpx"])
        #expect(first.kinds["activity"]?.taken == 1 && first.files[0].problems.isEmpty)
        #expect(Int(try fixture.own.audit.verify().rows) == before + 1 && fixture.left.isEmpty)
        let reading = try fixture.hub.stored()
        #expect(reading.positions.count == 60 && reading.provenance == .import && reading.received == nil, "no box was heard")
        let pending = try await fixture.take("again.gpx", fixture.gpx())
        #expect(pending.taken == 0 && pending.kinds["position"]?.duplicates == 60)
        try fixture.hub.series.merger.merge(now: fixture.hub.clock.now)
        let merged = try await fixture.take("again.gpx", fixture.gpx(70))
        #expect(merged.kinds["position"] == .init(taken: 10, duplicates: 60))
        #expect(try fixture.hub.stored().positions.count == 70)
        #expect(try fixture.hub.accounts.devices.devices(of: fixture.person).isEmpty, "it is on no list of devices")
    }

    @Test("DATA-2: several files at once, each told of: what is known, what has no kind, what is damaged, what is of no kind at all")
    func several() async throws {
        let fixture = try ImportFixture()
        let apple = fixture.apple(100).replacing("</HealthData>", with: "<Record type=\"Made\" startDate=\"x\"/></HealthData>")
        let id = try await fixture.begin([
            ("export.xml", Array(apple.utf8)), ("cut.gpx", Array(fixture.gpx().prefix(3000).utf8)), ("notes.txt", Array("hello".utf8)),
        ])
        let result = try await fixture.end(id)
        #expect(result.end == .done && result.names == ["export.xml", "cut.gpx", "notes.txt"] && result.unread == [.unknown: 1])
        #expect(result.unreadNames == ["notes.txt"] && result.files.map(\.name) == ["export.xml", "cut.gpx"])
        #expect(result.files[0].kinds["weight"]?.taken == 100 && result.files[0].unknown == ["Made": 1])
        #expect(!result.files[1].problems.isEmpty && (result.files[1].kinds["position"]?.taken ?? 0) > 10)
        #expect(try fixture.imports.find(id, of: .random()) == nil, "another person's is not found")
    }

    @Test("DATA-2, DATA-10: an import that is taken back loses exactly what it added; when that is cleared it can be imported again")
    func undone() async throws {
        let fixture = try ImportFixture(), person = fixture.person, now = fixture.hub.clock.now
        _ = try await fixture.take("first.gpx", fixture.gpx(30))
        let id = try await fixture.begin([
            ("second.gpx", Array(fixture.gpx(60).utf8)), ("ecg.csv", Array(MadeECG.apple(date: "2020-03-02 09:12:18 +0100").utf8)),
        ])
        let result = try await fixture.end(id)
        #expect(result.kinds["position"] == .init(taken: 30, duplicates: 30) && result.kinds["ecg"]?.taken == 1)
        #expect(try fixture.imports.undo(id, of: person, by: fixture.me))
        #expect(throws: ImportService.Refusal.clearing) { try fixture.imports.open(person, by: fixture.me) }
        #expect(!fixture.imports.isBusy(person))
        try fixture.own.deletion.work(now: now)
        let left = try fixture.hub.stored().positions
        #expect(left.count == 30 && left.allSatisfy { $0.time < fixture.start + 30_000 })
        #expect(try ECGStore(fixture.hub.series).bytes(of: person) == 0)
        #expect(try fixture.imports.find(id, of: person)?.state == .undone)
        #expect(try fixture.imports.undo(id, of: person, by: fixture.me) == false)
        let again = try await fixture.take("second.gpx", fixture.gpx(60))
        #expect(again.kinds["position"] == .init(taken: 30, duplicates: 30))
    }

    @Test("DATA-2, DATA-3: what is denser than any sensor, outside of the limits or lost elsewhere is left out and counted")
    func leftOut() async throws {
        let fixture = try ImportFixture(), time = ImportFixture.utc(fixture.start)
        let header = "time_utc,kind,source,heart_rate_bpm,event,value"
        let dense = (0..<500).map { "\(ImportFixture.utc(fixture.start + Milliseconds($0))),heart_rate,live,\(60 + $0 % 100),," }
        let others = ["\(time),gap,live,,buffer_full,3", "2999-01-01T00:00:00Z,heart_rate,live,70,,", "\(time),heart_rate,drill,71,,"]
        let result = try await fixture.take("own.csv", ([header] + dense + others).joined(separator: "\n") + "\n")
        let file = try #require(result.files.first), counts = try #require(file.kinds["heart_rate"])
        #expect(counts.taken == SampleDensity.heartRatesMax && counts.tooDense == 500 - SampleDensity.heartRatesMax)
        #expect(file.leftOut["drills"] == 1 && file.problems.contains { $0.code == "time" })
        let reading = try fixture.hub.stored()
        #expect(reading.heartRates.count == SampleDensity.heartRatesMax && reading.gaps.isEmpty)
    }

    @Test("DATA-2: one import of a person goes on at a time; too much, nothing, and a person who is gone are refused, and nothing is left")
    func refusals() async throws {
        let fixture = try ImportFixture(bytesMax: 5000)
        var upload = try fixture.imports.open(fixture.person, by: fixture.me)
        #expect(throws: ImportService.Refusal.busy) { try fixture.imports.open(fixture.person, by: fixture.me) }
        try await upload.begin("large.gpx")
        try await upload.add([UInt8](repeating: 1, count: 4000))
        await #expect(throws: ImportService.Refusal.tooLarge) { try await upload.add([UInt8](repeating: 1, count: 1001)) }
        await fixture.imports.discard(upload)
        #expect(!fixture.imports.isBusy(fixture.person) && fixture.left.isEmpty)
        await #expect(throws: ImportService.Refusal.noFile) { try await fixture.begin([]) }
        await #expect(throws: ImportService.Refusal.noFile) { try await fixture.begin([("", [])]) }
        var filling = try fixture.imports.open(fixture.person, by: fixture.me)
        try fixture.own.deletion.deletePerson(fixture.person, by: nil, now: fixture.hub.clock.now)
        try await filling.begin("way.gpx")
        try await filling.add(Array("<gpx/>".utf8))
        let filled = filling
        await #expect(throws: ImportService.Refusal.gone) { try await fixture.imports.start(filled, zone: .gmt) }
        #expect(fixture.left.isEmpty && !fixture.imports.isBusy(fixture.person))
    }

    @Test("DATA-2: a cancelled import keeps what it added; after a restart one that was cut off is shown so, and can be taken back")
    func cutOff() async throws {
        let fixture = try ImportFixture(), person = fixture.person
        let id = try await fixture.begin([("export.xml", Array(fixture.apple(600).utf8))])
        fixture.imports.cancel(id, of: person)
        let result = try await fixture.end(id)
        #expect([.cancelled, .done].contains(result.end) && fixture.left.isEmpty)
        let store = ImportStore(fixture.hub.series), cut = ImportID(high: 1, low: 2)
        _ = try store.begin(cut, of: person, result: ImportResult(), now: fixture.hub.clock.now)
        try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: fixture.folder + "/left-0-0"))
        let restarted = try ImportFixture(fixture.own)
        #expect(restarted.left.isEmpty, "what is left of uploads is removed")
        #expect(try restarted.imports.find(cut, of: person)?.state == .interrupted)
        #expect(try restarted.imports.undo(cut, of: person, by: fixture.me))
        #expect(try restarted.imports.imports(of: person).map(\.state) == [.undone, .ended])
    }

    @Test("DATA-2, DATA-11: uploaded files lie sealed on the disk, and are read in any piece")
    func sealed() throws {
        let disk = MemoryFiles(), spool = UploadSpool(files: disk, folder: "/imports")
        try disk.makeFolder("/imports")
        var file = SpooledFile("secret.gpx", 0, of: "id", key: .init(size: .bits256), spool)
        let bytes = (0..<UploadSpool.pieceBytes * 2 + 1000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        for start in stride(from: 0, to: bytes.count, by: 100_000) {
            if file.add(bytes[start..<min(start + 100_000, bytes.count)]) { try file.flush() }
        }
        try file.flush(isEnd: true)
        #expect(try disk.names(in: "/imports").count == 3)
        let stored = try #require(try disk.read("/imports/id-0-0"))
        #expect(stored.count == UploadSpool.pieceBytes + 16 && Array(stored.prefix(1000)) != Array(bytes.prefix(1000)))
        var source = SpoolSource(file)
        #expect(try source.read(at: 0, count: bytes.count + 10) == bytes)
        let edge = UploadSpool.pieceBytes - 3
        #expect(try source.read(at: UInt64(edge), count: 10) == Array(bytes[edge..<edge + 10]))
        #expect(try source.read(at: UInt64(bytes.count), count: 10).isEmpty)
        try file.remove()
        #expect(try disk.names(in: "/imports").isEmpty)
    }

    @Test("DATA-2: a packed export of Apple Health is read; of a damaged one the page says so, and what came before the damage is there")
    func packed() async throws {
        let archive = Array(try #require(Data(base64Encoded: Self.archive))), fixture = try ImportFixture()
        var damaged = archive
        damaged[700] ^= 0x10
        let cut = try await fixture.end(fixture.begin([("damaged.zip", damaged)]))
        #expect(cut.end == .done && cut.files.flatMap(\.problems).contains { $0.family == .archive })
        let before = cut.kinds["weight"]?.taken ?? 0
        #expect(before < 120)
        let whole = try await fixture.end(fixture.begin([("export.zip", archive)]))
        #expect(whole.kinds["weight"] == .init(taken: 120 - before, duplicates: before))
        #expect(whole.files.allSatisfy { $0.problems.isEmpty } && fixture.left.isEmpty)
        #expect(Set(try fixture.hub.stored().scalars.map(\.value)).count == 10)
    }

    /// A zip (DEFLATE) with 120 made-up weights in `apple_health_export/export.xml`, written by another program.
    private static let archive = """
        UEsDBBQAAAAIAAAAoVi1C+BzhgMAADFNAAAeAAAAYXBwbGVfaGVhbHRoX2V4cG9ydC9leHBvcnQueG1sxdxBaxNRGIXhfX/FMFupnfe797apNC0U0YooqHUtQzLW\
        YJpIMin23zt1I8igZzUHskhyL5mzezcPubj6eb+uHrrdfrXdzGueN3XVbRbb5WpzN68/3746ntVXl0cXN1277r+9bPu2Wm8X7bqb193my+vrejj72C22u2XVP/4Y\
        vr15++HQbvpV/3g7fH6z7Ib3X1fd7nq7fHzX7vd1td8edovufXs/3P709FN1ddis+nn9/W447NtdPzxmOIsm8nFTjhsqmhfN06t61kTze+Hyv3ce2vVhuHHW1CeT\
        bUTYyMhGJtwYwsYY2RgTbkzCxjSyMU24MQsb88jGPOHGImwsIxvLhBtPhY2nIxtPJ9x4Jmw8G9l4NuHGmbBxNrJxNuHGc2Hj+cjG8+k2InQGc2cQOoO5MwidwdwZ\
        hM5g7gxCZzB3BqEzmDuD0BnMnUHoDObOIHQGc2cQOoO5MyF0JsydCaEzYe5MCJ0Jc2dC6EyYOxNCZ8LcmRA6E+bOhNCZMHcmhM6EuTMhdCbMnQmhM2HuTBI6k8yd\
        SUJnkrkzSehMMncmCZ1J5s4koTPJ3JkkdCaZO5OEziRzZ5LQmWTuTBI6k8ydSUJnkrkzWehMNncmC53J5s5koTPZ3JksdCabO5OFzmRzZ7LQmWzuTBY6k82dyUJn\
        srkzWehMNncmC53J5s4UoTPF3JkidKaYO1OEzhRzZ4rQmWLuTBE6U8ydKUJnirkzRehMMXemCJ0p5s4UoTPF3JkidKZYO4Pgzf66M3lnELwZZm+G4M0wezMEb4bZ\
        myF4M8zeDMGbYfZmCN4MszdD8GaYvRmCN8PszRC8GWZvhuDNMHszBG+G2ZsheDPM3gzBm2H2ZgjeDLM3Q/BmmL0ZgjfD7M0QvBlmb4bgzTB7MwRvhtmbIXgzzN4M\
        wZth9mYI3gyzN0PwZpi9GYI3w+zNELwZZm+G4M0wezMEb4bZmyF4M8zeDMGbYfZmCN4MszdD8GaYvRmCN8PszRC8GWZvhuDNMHszBG+G2ZsheDPM3gzBm2H2Zgje\
        DLM3Q/BmmL0ZgjfD7M0QvBlmb4bgzTB7MwRvhtmbIXgzzN4MwZth9mYI3gyzN0PwZpi9GYI3w+zNELwZZm+G4M0wezMEb4bZmyF4M8zeDMGbYfZmCN4MszdD8GaY\
        vRmCN8PszRC8GWZvhuDNMHszBG/Gv7zZyZ8/P7s8+gVQSwECFAMUAAAACAAAAKFYtQvgc4YDAAAxTQAAHgAAAAAAAAAAAAAAgAEAAAAAYXBwbGVfaGVhbHRoX2V4\
        cG9ydC9leHBvcnQueG1sUEsFBgAAAAABAAEATAAAAMIDAAAAAA==
        """
}

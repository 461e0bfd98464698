import Credentials
import Database
import Exchange
import Foundation
import HubStore
import Logging
import Privacy
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// A phone without our agent, over the real pipeline.
struct DeviceFixture {
    var hub: ServicesFixture
    var ingest: DeviceIngest
    let device: StoredDevice
    let secret: String

    init() throws {
        hub = try ServicesFixture()
        ingest = Self.ingest(hub)
        let (device, secret) = try Devices(devices: hub.accounts.devices).add("phone", .ownTracks, of: hub.person, now: hub.clock.now)
        (self.device, self.secret) = (device, secret.text)
    }

    static func ingest(_ hub: ServicesFixture) -> DeviceIngest {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let clock = hub.clock
        return DeviceIngest(
            store: hub.accounts.devices, series: hub.series.devices, ingest: hub.ingest, logger: logger, now: { clock.now })
    }

    mutating func restart() throws {
        hub = try ServicesFixture(hub.directory, person: hub.person, clock: hub.clock)
        ingest = Self.ingest(hub)
    }

    func message(seconds: Int64, latitude: Double = 45.4, battery: Int? = nil) -> String {
        let battery = battery.map { ",\"batt\":\($0)" } ?? ""
        return "{\"_type\":\"location\",\"tst\":\(hub.clock.now / 1000 + seconds),\"lat\":\(latitude),\"lon\":9.1\(battery)}"
    }

    func send(_ messages: String...) async throws {
        let sender = try #require(try ingest.device(secret: secret))
        let body = Array("[\(messages.joined(separator: ","))]".utf8)
        try await ingest.receive(OwnTracks.read(body, bytesMax: 1 << 20, now: hub.clock.now), from: sender)
    }
}

struct DeviceIngestTests {
    @Test("DATA-13: what a phone repeats is stored once: in a request, in the next, merged, and after a restart of the hub")
    func exactlyOnce() async throws {
        var phone = try DeviceFixture()
        let first = phone.message(seconds: -20, battery: 80), second = phone.message(seconds: -10, latitude: 45.5)
        try await phone.send(first, first)
        try await phone.send(first, second)
        #expect(try phone.hub.stored().positions.map(\.latitude) == [454_000_000, 455_000_000])
        try phone.restart()
        try await phone.send(second)
        try phone.hub.series.merger.merge(now: phone.hub.clock.now)
        try await phone.send(second, first)
        try phone.restart()
        try await phone.send(first, second, phone.message(seconds: -7200), phone.message(seconds: -20, latitude: 45.6))
        let stored = try phone.hub.stored()
        #expect(stored.positions.map(\.latitude) == [454_000_000, 454_000_000, 456_000_000, 455_000_000])
        #expect(stored.events.filter { $0.code == .boxBattery }.map(\.value) == [80])
    }

    @Test("DATA-13: the same request many times at once is stored once")
    func concurrent() async throws {
        let phone = try DeviceFixture()
        let messages = (0..<8).map { phone.message(seconds: -Int64($0)) }
        try await withThrowingTaskGroup { group in
            for index in 0..<40 { group.addTask { try await phone.send(messages[index % 8], messages[(index + 3) % 8]) } }
            try await group.waitForAll()
        }
        #expect(try phone.hub.stored().positions.count == 8)
    }

    @Test("DATA-3: a device's data are its person's alone, and live")
    func binding() async throws {
        let phone = try DeviceFixture()
        let other = try phone.hub.accounts.addPerson(name: "Other", now: 0).id
        let watch = phone.hub.bus.watch(phone.hub.person)
        try await phone.send(phone.message(seconds: 0))
        var signals = watch.signals.makeAsyncIterator()
        guard case .update(let update) = await signals.next() else {
            Issue.record("no update")
            return
        }
        #expect(update.provenance == .live && update.samples.positions.count == 1)
        #expect(try phone.hub.series.reader.read(.maintenance(of: other), from: .min / 2, to: .max / 2, now: 0)?.positions.isEmpty == true)
    }

    @Test("DATA-13: two devices of one person both count, and neither hides the other's positions in the store")
    func twoDevices() async throws {
        let phone = try DeviceFixture()
        let (second, _) = try Devices(devices: phone.hub.accounts.devices).add("watch", .osmAnd, of: phone.hub.person, now: 0)
        try await phone.send(phone.message(seconds: -5))
        let parameters = [("id", "x"), ("lat", "45.4"), ("lon", "9.1"), ("timestamp", "\(phone.hub.clock.now / 1000 - 5)")]
        try await phone.ingest.receive(OsmAnd.read(parameters: parameters, now: phone.hub.clock.now), from: second)
        for device in [phone.device, second] {
            let time = phone.hub.clock.now - 5000
            let content = try phone.hub.series.devices.content(of: device, kinds: [.position, .event], at: [time], now: 0)
            #expect(content.samples.positions.map(\.time) == [time])
        }
    }

    @Test("DATA-13: a secret is found as it is typed; a revoked device is refused at its next request; another person cannot revoke it")
    func revocation() async throws {
        let phone = try DeviceFixture()
        let devices = Devices(devices: phone.hub.accounts.devices)
        #expect(try phone.ingest.device(secret: " " + phone.secret.lowercased().prefix(4) + "-" + phone.secret.dropFirst(4)) != nil)
        #expect(try phone.ingest.device(secret: "AAAA-AAAA-AAAA-AAAA") == nil)
        #expect(try phone.ingest.device(secret: "") == nil)
        let other = try phone.hub.accounts.addPerson(name: "Other", now: 0).id
        #expect(try !devices.revoke(phone.device.row, of: other, now: 1))
        #expect(try devices.all(of: other).isEmpty)
        #expect(try devices.revoke(phone.device.row, of: phone.hub.person, now: 1))
        #expect(try phone.ingest.device(secret: phone.secret) == nil)
        #expect(try devices.all(of: phone.hub.person).map(\.revoked) == [1])
        #expect(throws: Devices.Problem.name) { try devices.add("", .osmAnd, of: other, now: 0) }
        for _ in 0..<DeviceStore.devicesMax { _ = try devices.add("x", .osmAnd, of: other, now: 0) }
        #expect(throws: Devices.Problem.tooMany) { try devices.add("x", .osmAnd, of: other, now: 0) }
    }

    @Test("DATA-13: a device that floods is slowed down, but its call for help is taken")
    func flood() async throws {
        let phone = try DeviceFixture()
        let sender = try #require(try phone.ingest.device(secret: phone.secret)), now = phone.hub.clock.now
        for _ in 0..<DeviceRate.burst { try await phone.ingest.receive(SenderReading(), from: sender) }
        await #expect(throws: DeviceIngest.Refusal.slowDown(seconds: 1)) { try await phone.send(phone.message(seconds: 0)) }
        let help = try OsmAnd.read(parameters: [("id", "x"), ("alarm", "sos")], now: now)
        try await phone.ingest.receive(help, from: sender)
        #expect(try phone.hub.stored().events.map(\.code) == [.help])
        phone.hub.clock.advance(1000)
        try await phone.send(phone.message(seconds: 0))
    }

    @Test("DATA-13: when it was heard and what could not be used is there for its owner")
    func notes() async throws {
        let phone = try DeviceFixture()
        try await phone.send(phone.message(seconds: 0), "{\"_type\":\"encrypted\",\"data\":\"x\"}")
        let listed = try #require(try phone.hub.accounts.devices.devices(of: phone.hub.person).first)
        #expect(listed.seen == phone.hub.clock.now && listed.problem == "encrypted")
        #expect(listed.name == "phone" && listed.kind == .ownTracks)
    }

    @Test("DATA-13: when nothing can be stored, the phone is told so, and its next try is stored")
    func storageFails() async throws {
        let phone = try DeviceFixture()
        try await phone.send(phone.message(seconds: -9))
        let journal = try DatabasePool(path: phone.hub.directory.url.appendingPathComponent("journal.sqlite").path)
        try journal.write { try $0.execute(sql: "ALTER TABLE journal RENAME TO away") }
        await #expect(throws: StorageFailure.self) { try await phone.send(phone.message(seconds: 0)) }
        try journal.write { try $0.execute(sql: "ALTER TABLE away RENAME TO journal") }
        try await phone.send(phone.message(seconds: 0))
        #expect(try phone.hub.stored().positions.count == 2)
    }
}

import AsyncHTTPClient
import Credentials
import Database
import Foundation
import HubServices
import HubStore
import Logging
import NIOCore
import NIOHTTP1
import Privacy
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubWeb

extension WebFixture {
    func device(_ kind: StoredDevice.Kind) throws -> (device: StoredDevice, secret: String) {
        let (device, secret) = try Devices(devices: hub.accounts.devices).add("phone", kind, of: person, now: 0)
        return (device, secret.grouped)
    }

    func positions() throws -> [PositionSample] {
        try #require(try hub.series.reader.read(.maintenance(of: person), from: .min / 2, to: .max / 2, now: 0)).positions
    }

    /// Without a length.
    func chunked(_ path: String, headers: [(String, String)], body: [UInt8]) async throws -> UInt {
        var request = HTTPClientRequest(url: url + path)
        request.method = .POST
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .stream(
            AsyncStream {
                $0.yield(ByteBuffer(bytes: body))
                $0.finish()
            }, length: .unknown)
        return try await client.execute(request, timeout: .seconds(20)).status.code
    }

    func basic(_ user: String, _ password: String) -> [(String, String)] {
        [("authorization", "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())]
    }
}

@Suite(.serialized)
struct SendersTests {
    private var now: Int64 { Int64(Date().timeIntervalSince1970) }

    @Test("DATA-13: OwnTracks posts with its device's number and secret, gets [], and what it repeats is stored once")
    func ownTracks() async throws {
        try await WebFixture.run { web in
            let (device, secret) = try web.device(.ownTracks)
            let body = Array("{\"_type\":\"location\",\"tst\":\(now),\"lat\":45.4,\"lon\":9.1,\"acc\":12}".utf8)
            let right = web.basic("\(device.row)", secret)
            for _ in 0..<3 {
                let answer = try await web.send(.POST, "/owntracks", headers: right, body: body)
                #expect(answer.status == 200 && answer.body == "[]")
            }
            #expect(try web.positions().map(\.horizontalError) == [120])
            #expect(try await web.send(.POST, "/owntracks", headers: right, body: Array("{\"_type\":\"lwt\"}".utf8)).status == 200)
            #expect(try await web.send(.POST, "/owntracks", headers: right, body: []).status == 200)
            for wrong in [web.basic("\(device.row + 1)", secret), web.basic("\(device.row)", "AAAA-BBBB-CCCC-DDDD"), []] {
                let answer = try await web.send(.POST, "/owntracks", headers: wrong, body: body)
                #expect(answer.status == 401 && answer.header("www-authenticate")?.hasPrefix("Basic ") == true)
            }
            let refused = try await web.send(.POST, "/owntracks", headers: right, body: Array("{\"_type\":\"encrypted\"}".utf8))
            #expect(refused.status == 400 && refused.body.contains("encryption key"))
            let large = [UInt8](repeating: 32, count: SendersController.bodyMax + 1)
            #expect(try await web.send(.POST, "/owntracks", headers: right, body: large).status == 413)
            #expect(try await web.chunked("/owntracks", headers: right, body: large) == 413)
            #expect(try web.hub.accounts.devices.devices(of: web.person).first?.problem == "encrypted")
            #expect(try web.hub.accounts.devices.revokeDevice(device.row, of: web.person, now: 1))
            #expect(try await web.send(.POST, "/owntracks", headers: right, body: body).status == 401)
            #expect(try web.positions().count == 1)
        }
    }

    @Test("DATA-13: OsmAnd's parameters in a GET, in a POST's address or body, and Traccar Client's JSON all arrive")
    func osmAnd() async throws {
        try await WebFixture.run { web in
            let (_, secret) = try web.device(.osmAnd), now = now
            func query(_ seconds: Int64) -> String { "id=\(secret)&timestamp=\(now - seconds)&lat=45.4&lon=9.1&speed=3" }
            #expect(try await web.send(.GET, "/osmand?" + query(40)).status == 200)
            #expect(try await web.send(.GET, "/osmand?" + query(40)).status == 200)
            #expect(try await web.send(.POST, "/osmand?" + query(30)).status == 200)
            #expect(try await web.send(.POST, "/osmand", body: Array(query(20).utf8)).status == 200)
            let json = """
                {"device_id":"\(secret)","location":{"timestamp":"\(Date(timeIntervalSince1970: Double(now - 10)).ISO8601Format())",
                "coords":{"latitude":45.4,"longitude":9.1,"speed":-1}}}
                """
            #expect(try await web.send(.POST, "/osmand", body: Array(json.utf8)).status == 200)
            #expect(try web.positions().count == 4)
            #expect(try await web.send(.GET, "/osmand?id=AAAA-BBBB-CCCC-DDDD&lat=45.4&lon=9.1").status == 401)
            #expect(try await web.send(.GET, "/osmand").status == 400)
            #expect(try await web.send(.GET, "/osmand?id=\(secret)&lat=95&lon=9.1").status == 400)
            #expect(try await web.send(.POST, "/osmand", body: Array("{\"device_id\":1}".utf8)).status == 400)
            let help = try await web.send(.GET, "/osmand?id=\(secret)&alarm=sos&lat=999&lon=0")
            #expect(help.status == 200, "a call for help counts whatever else is wrong")
            let events = try web.hub.series.reader.read(.maintenance(of: web.person), from: 0, to: .max / 2, now: 0)?.events
            #expect(events?.contains { $0.code == .help } == true)
        }
    }

    @Test("DATA-13: who guesses is slowed down; the phone with the right secret behind the same address is not")
    func guessing() async throws {
        try await WebFixture.run { web in
            let (_, secret) = try web.device(.osmAnd)
            var statuses: [UInt] = []
            for _ in 0..<25 { statuses.append(try await web.send(.GET, "/osmand?id=AAAA-BBBB-CCCC-DDDD&lat=1&lon=1").status) }
            #expect(statuses.first == 401 && statuses.last == 429)
            #expect(try await web.send(.GET, "/osmand?id=\(secret)&lat=45.4&lon=9.1").status == 200)
        }
    }

    @Test("DATA-13: a hub that cannot store answers 503, so that phones keep what they have")
    func storageFails() async throws {
        try await WebFixture.run { web in
            let (device, secret) = try web.device(.ownTracks)
            let body = Array("{\"_type\":\"location\",\"tst\":\(now),\"lat\":45.4,\"lon\":9.1}".utf8)
            let journal = try DatabasePool(path: web.directory.url.appendingPathComponent("journal.sqlite").path)
            try journal.write { try $0.execute(sql: "ALTER TABLE journal RENAME TO away") }
            let answer = try await web.send(.POST, "/owntracks", headers: web.basic("\(device.row)", secret), body: body)
            #expect(answer.status == 503 && answer.header("retry-after") != nil)
            try journal.write { try $0.execute(sql: "ALTER TABLE away RENAME TO journal") }
            #expect(try await web.send(.POST, "/owntracks", headers: web.basic("\(device.row)", secret), body: body).status == 200)
            #expect(try web.positions().count == 1)
        }
    }

    @Test("DATA-13: no log holds a device's secret, not even the most talkative, nor what it sent")
    func logs() async throws {
        let directory = try TemporaryDirectory(), lines = LogLines()
        var configuration = HubConfiguration(directory: directory.url)
        configuration.listen.port = 0
        configuration.tls.enabled = false
        var logger = Logger(label: "test", factory: { _ in lines })
        logger.logLevel = .trace
        let hub = try buildHub(configuration: configuration, logger: logger)
        let group = ServiceGroup(configuration: .init(services: hub.services.map { .init(service: $0) }, logger: logger))
        let running = Task { try await group.run() }
        let port = try #require(await hub.port.value())
        let person = try hub.accounts.addPerson(name: "Made up", now: 0).id
        let (device, code) = try Devices(devices: hub.accounts.devices).add("phone", .osmAnd, of: person, now: 0)
        let secret = code.grouped, time = now
        let journal = try DatabasePool(path: directory.url.appendingPathComponent("journal.sqlite").path)
        for isBroken in [false, true] {
            if isBroken { try journal.write { try $0.execute(sql: "ALTER TABLE journal RENAME TO away") } }
            for (seconds, end) in ["lat=45.4004&lon=9.1", "lat=95&lon=9", "lat=x", ""].enumerated() {
                let url = "http://127.0.0.1:\(port)/osmand?id=\(secret)&timestamp=\(time - Int64(seconds) - (isBroken ? 9 : 0))&\(end)"
                _ = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(20)).body.collect(upTo: 1 << 16)
            }
        }
        await group.triggerGracefulShutdown()
        try await running.value
        let text = lines.all
        #expect(text.contains("nothing could be stored"), "the log is listened to")
        #expect(device.name == "phone")
        for hidden in [secret, code.text, "45.4004", "454004"] { #expect(!text.contains(hidden)) }
    }
}

/// A log that a test reads.
final class LogLines: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])
    var all: String { lines.withLock { $0.joined(separator: "\n") } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set { if let newValue { lines.withLock { $0.append("\(key)=\(newValue)") } } }
    }
    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:]) \(String(describing: event.error))") }
    }
}

import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import Processes
import Seams
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// A whole hub that takes data in while it is backed up, and the hub that is restored.
@Suite(
    .serialized, .timeLimit(.minutes(3)),
    .enabled(
        if: access("/usr/bin/age", X_OK) == 0 && access("/usr/bin/age-keygen", X_OK) == 0, "there is no age here: packaging/setup backup"))
struct BackupAmidIngestTests {
    /// What a hub acknowledged, in its order.
    private final class Acknowledged: Sendable {
        private let times = Mutex<[Milliseconds]>([])
        private let stops = Mutex(false)
        var all: [Milliseconds] { times.withLock { $0 } }
        var isStopped: Bool { stops.withLock { $0 } }
        func add(_ time: Milliseconds) { times.withLock { $0.append(time) } }
        func stop() { stops.withLock { $0 = true } }
    }

    /// Positions of a phone one after the other, each acknowledged before the next, until it is to stop.
    private static func ingest(_ web: WebFixture, _ secret: String, from start: Milliseconds, _ acknowledged: Acknowledged) async throws {
        var time = start
        while !acknowledged.isStopped {
            let path = "/osmand?id=\(secret)&timestamp=\(time / 1000)&lat=45.61&lon=9.7&speed=3"
            guard try await web.send(.POST, path).status == 200 else { break }
            acknowledged.add(time)
            time += 1000
        }
    }

    @Test(
        "OPS-2: a backup amid ingest restores to a hub that has every sample acknowledged before its moment, none torn, and goes on",
        arguments: 1...3)
    func amid(_ round: Int) async throws {
        let folder = try TemporaryDirectory(), directory = try TemporaryDirectory()
        let key = folder.url.appendingPathComponent("key.txt").path, place = folder.url.appendingPathComponent("place").path
        #expect(try Programs.system.finish(["age-keygen", "-o", key], environment: Programs.environment).ending == .exited(0))
        let text = try String(contentsOfFile: key, encoding: .utf8)
        let recipient = String(try #require(text.firstMatch(of: /age1[a-z0-9]+/)).output)
        let acknowledged = Acknowledged(), start = (Cast.now - 72_000_000) / 1000 * 1000
        var before: [Milliseconds] = [], stamp = "", cookie = "", person: PersonID?
        try await WebFixture.run(in: directory) { web async throws in
            let ada = try web.member(.person, "ada@example.org")
            (cookie, person) = (ada.cookie, ada.account.id.person)
            let made = try await web.post("/boxes/devices", ["deviceName": "Phone", "deviceKind": "osmAnd"], cookie: cookie)
            let secret = String(try #require(made.body.firstMatch(of: /[A-Z0-9]{4}(-[A-Z0-9]{4}){3}/)).output.0)
            async let sending: Void = Self.ingest(web, secret, from: start, acknowledged)
            while acknowledged.all.count < 10 * round { try await Task.sleep(for: .milliseconds(5)) }
            var settings = Backup.Settings(place: .folder(place), recipients: [recipient])
            settings.keepDays = 0
            let hub = try HubDirectory(directory.url), backup = Backup(hub, settings, version: "test", environment: [:]) { _ in }
            before = acknowledged.all
            let report = try await Task.detached { try backup.run() }.value
            stamp = report.id.stamp
            let during = acknowledged.all.count
            while acknowledged.all.count < during + 5 { try await Task.sleep(for: .milliseconds(5)) }
            acknowledged.stop()
            try await sending
        }
        let target = folder.url.appendingPathComponent("hub", isDirectory: true)
        let reader = BackupReader(.folder(place), identity: key) { _ in }
        let check = try BackupCheck(reader, scratch: folder.url.path).run(
            masterKey: directory.url.appendingPathComponent("master.key").path)
        #expect(check.id.stamp == stamp && check.isTagChecked)
        let report = try Restore(reader, to: HubDirectory(target), environment: [:])
            .run(masterKey: directory.url.appendingPathComponent("master.key").path, now: Cast.now)
        let restored = try TemporaryDirectory(copyOf: target)
        try await WebFixture.run(in: restored) { web async throws in
            let id = try #require(person)
            let reading = try #require(try web.hub.series.reader.read(.maintenance(of: id), from: .min / 2, to: .max / 2, now: Cast.now))
            let times = reading.samples.positions.map(\.time).sorted()
            #expect(Set(before).isSubset(of: times), "\(before.count) were acknowledged before the moment, and \(times.count) are there")
            #expect(times == Array(acknowledged.all.prefix(times.count)), "what is there is what came first, without a hole")
            #expect(web.hub.series.problemsOfRecovery.isEmpty)
            #expect(report.people >= 1)
            // Whoever was logged in is, and what comes now is taken.
            #expect(try await web.send(.GET, "/data", cookie: cookie).status == 200)
        }
    }
}

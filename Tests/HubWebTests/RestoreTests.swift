import Accounts
import Foundation
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// A whole hub, stopped, put back to yesterday and started again.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RestoreTests {
    /// The databases whose backups may be of any day; that of the keys is the latest alone.
    private static let restored = ["accounts.sqlite", "journal.sqlite", "series.sqlite"]

    @Test("DATA-10: restore of yesterday's backup does not bring a deleted person back: no log-in, no data, no question reaches them")
    func restore() async throws {
        let directory = try TemporaryDirectory(), email = "ada@example.org"
        var cookie = "", person: PersonID?
        try await WebFixture.run(in: directory) { web async throws in
            let ada = try web.member(.person, email)
            (cookie, person) = (ada.cookie, ada.account.id.person)
            let made = try await web.post("/boxes/devices", ["deviceName": "Phone", "deviceKind": "osmAnd"], cookie: cookie)
            let secret = String(try #require(made.body.firstMatch(of: /[A-Z0-9]{4}(-[A-Z0-9]{4}){3}/)).output.0)
            let path = "/osmand?id=\(secret)&timestamp=\(Cast.now / 1000 - 60)&lat=45.61&lon=9.7&speed=3"
            #expect(try await web.send(.POST, path).status == 200)
            #expect(try await web.send(.GET, "/data/export?format=csv&days=7", cookie: cookie).body.contains("45.61"))
        }
        try await closed(directory)
        let yesterday = try TemporaryDirectory(copyOf: directory.url)
        try await WebFixture.run(in: directory) { web async throws in
            #expect(try await web.post("/data/account", ["confirmation": "DELETE"], cookie: cookie).body.contains("Farewell"))
        }
        try await closed(directory)
        for name in Self.restored {
            for file in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) where file.hasPrefix(name) {
                try FileManager.default.removeItem(at: directory.url.appendingPathComponent(file))
            }
            for file in try FileManager.default.contentsOfDirectory(atPath: yesterday.url.path) where file.hasPrefix(name) {
                try FileManager.default.copyItem(
                    at: yesterday.url.appendingPathComponent(file), to: directory.url.appendingPathComponent(file))
            }
        }
        try await WebFixture.run(in: directory) { web async throws in
            let id = try #require(person)
            for path in ["/home", "/data", "/data/export?format=csv&days=7"] {
                #expect(try await web.send(.GET, path, cookie: cookie).header("location") == "/log-in", "\(path)")
            }
            #expect(try web.hub.accounts.account(email: email) == nil)
            #expect(try web.hub.series.read(.maintenance(of: id), from: .min / 2, to: .max / 2, now: Cast.now) == nil)
            // Within seconds the rows go again; then the address is free, and another person's.
            while try !web.hub.accounts.deletedWithRows().isEmpty { try await Task.sleep(for: .milliseconds(50)) }
            let next = try web.member(.person, email)
            #expect(next.account.id.person != id)
            #expect(try await !web.send(.GET, "/data/export?format=csv&days=7", cookie: next.cookie).body.contains("45.61"))
        }
    }

    /// Waits for the databases of a hub that was stopped: what it holds in memory closes them a moment later.
    private func closed(_ directory: TemporaryDirectory) async throws {
        for _ in 0..<200 {
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
            if !files.contains(where: { $0.hasSuffix("-shm") }) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

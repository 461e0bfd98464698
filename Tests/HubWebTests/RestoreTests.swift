import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// A whole hub, stopped, put back to yesterday and started again.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RestoreTests {
    /// The databases whose backups may be of any day; that of the keys is the latest alone.
    private static let restored = ["accounts.sqlite", "journal.sqlite", "series.sqlite", "sos.sqlite", "runs.sqlite"]

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
            // A case is open as the backup is made.
            let contact = ["contactName": "Bruno", "contactEmail": "bruno@example.org"]
            #expect(try await web.post("/protection/contacts", contact, cookie: cookie).status == 303)
            #expect(
                try await web.post("/protection/on", ["consent": SOSService.consentDocument, "strict": "no"], cookie: cookie).status == 303)
            #expect(try await web.post("/protection/press/help", [:], cookie: cookie).status == 303)
            _ = try await MailCatcher(directory: directory.url).mail(to: "bruno@example.org", with: "/sos/")
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
            #expect(web.hub.sos.openCase(of: id) == nil, "nobody is called for them")
            #expect(try web.hub.sos.view(of: id) == nil)
            #expect(try web.hub.series.read(.maintenance(of: id), from: .min / 2, to: .max / 2, now: Cast.now) == nil)
            // Within seconds the rows go again; then the address is free, and another person's.
            while try !web.hub.accounts.deletedWithRows().isEmpty { try await Task.sleep(for: .milliseconds(50)) }
            let next = try web.member(.person, email)
            #expect(next.account.id.person != id)
            #expect(try await !web.send(.GET, "/data/export?format=csv&days=7", cookie: next.cookie).body.contains("45.61"))
        }
    }

    @Test("DATA-10, SOS-7: of a restored hub's open case of an hour ago nobody is called at once; the person sees it, and ends it")
    func openCase() async throws {
        let directory = try TemporaryDirectory()
        var cookie = "", person: PersonID?
        try await WebFixture.run(in: directory) { web async throws in
            let ada = try web.member(.person, "ada@example.org")
            (cookie, person) = (ada.cookie, ada.account.id.person)
            let contact = ["contactName": "Bruno", "contactEmail": "bruno@example.org"]
            #expect(try await web.post("/protection/contacts", contact, cookie: cookie).status == 303)
            #expect(
                try await web.post("/protection/on", ["consent": SOSService.consentDocument, "strict": "no"], cookie: cookie).status == 303)
            #expect(try await web.post("/protection/press/help", [:], cookie: cookie).status == 303)
            _ = try await MailCatcher(directory: directory.url).mail(to: "bruno@example.org", with: "/sos/")
        }
        try await closed(directory)
        let backup = try TemporaryDirectory(copyOf: directory.url), mails = MailCatcher(directory: backup.url)
        let before = try mails.mails().count { $0.contains("To: bruno@example.org") }
        let later: @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) + 3_600_000 }
        try await WebFixture.run(in: backup, now: later) { web async throws in
            let id = try #require(person)
            try await Task.sleep(for: .seconds(3))
            #expect(web.hub.sos.openCase(of: id)?.heldUntil != nil)
            #expect(try mails.mails().count { $0.contains("To: bruno@example.org") } == before)
            _ = try await web.hub.sos.press(.falseAlarm, for: id)
            #expect(web.hub.sos.openCase(of: id) == nil)
            _ = try await mails.mail(to: "bruno@example.org", with: "false alarm")
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

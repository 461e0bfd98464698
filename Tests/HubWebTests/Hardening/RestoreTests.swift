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
                try await web.post("/protection/on", ["consent": SOSChoices.consentDocument, "strict": "no"], cookie: cookie).status == 303)
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
            #expect(try web.hub.sos.views.view(of: id) == nil)
            #expect(try web.hub.series.reader.read(.maintenance(of: id), from: .min / 2, to: .max / 2, now: Cast.now) == nil)
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
                try await web.post("/protection/on", ["consent": SOSChoices.consentDocument, "strict": "no"], cookie: cookie).status == 303)
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
            _ = try await web.hub.sos.presses.press(.falseAlarm, for: id)
            #expect(web.hub.sos.openCase(of: id) == nil)
            _ = try await mails.mail(to: "bruno@example.org", with: "false alarm")
        }
    }

    @Test(
        "SOS-9, SOS-20: the pages of a restored hub show its settings beside the newer ones of a box, to the person and a relative; the person's choice ends it"
    )
    func newerSettings() async throws {
        let directory = try TemporaryDirectory()
        var cookie = "", helper = "", person: PersonID?, token = "", settings: SOSSettings.Person?
        func add(_ name: String, _ phone: String, _ web: WebFixture) async throws {
            let contact = ["contactName": name, "contactPhone": phone, "contactEmail": "\(name.lowercased())@example.org"]
            #expect(try await web.post("/protection/contacts", contact, cookie: cookie).status == 303)
        }
        func fetched(_ web: WebFixture) async throws -> SOSSettings.Person {
            let answer = try await web.send(.GET, SyncRoute.sosSettings, headers: [("authorization", "Bearer \(token)")])
            return try #require(try JSONDecoder().decode(SOSSettings.self, from: Data(answer.body.utf8)).people.first)
        }
        try await WebFixture.run(in: directory) { web async throws in
            let ada = try web.member(.person, "ada@example.org"), relative = try web.member(.caregiver, "dora@example.org")
            (cookie, helper, person) = (ada.cookie, relative.cookie, ada.account.id.person)
            let asked = try web.hub.consents.askAsCaregiver(
                ConsentAddress(ada.account.email), by: relative.account, kinds: [.heartRate], purpose: "Looks after me")
            try web.hub.accounts.consents.reachConsent(asked.id, now: Milliseconds(Date().timeIntervalSince1970 * 1000))
            try web.hub.consents.answer(asked.id, .accept, by: ada.account.id)
            token = try await Cast.agentToken(web, [ada.account.id.person])
            try await add("Bruno", "+390255500001", web)
            #expect(
                try await web.post("/protection/on", ["consent": SOSChoices.consentDocument, "strict": "no"], cookie: cookie).status == 303)
        }
        try await closed(directory)
        let yesterday = try TemporaryDirectory(copyOf: directory.url)
        try await WebFixture.run(in: directory) { web async throws in
            try await add("Carla", "+390255500002", web)
            settings = try await fetched(web)
        }
        try await closed(directory)
        try await WebFixture.run(in: yesterday) { web async throws in
            let id = try #require(person)
            #expect(try await !web.send(.GET, "/protection", cookie: cookie).body.contains("Carla"))
            func report(_ revision: UInt64) async throws -> SOSAnswer {
                var report = SOSReport(
                    person: id, boot: BootID(high: 1, low: 2), revision: revision, sentAt: 3000, provenance: .live)
                (report.holds, report.settings) = (settings?.origin, revision > 1 ? settings : nil)
                let answer = try await web.send(
                    .POST, SyncRoute.sos, headers: [("authorization", "Bearer \(token)")], body: Array(JSONEncoder().encode(report)))
                return try JSONDecoder().decode(SOSAnswer.self, from: Data(answer.body.utf8))
            }
            #expect(try await report(1).wantsSettings == true)
            #expect(try await report(2).wantsSettings == false)
            let both = try await fetched(web)
            #expect(both.contacts.map(\.name) == ["Bruno", "Carla"] && both.compared?.isKnown == false)
            // Both are shown in both languages, with who changed them; a relative reads and does not choose.
            for (language, words) in [
                ("en", ["Two different emergency settings", "On the box", "Here at TrackMe", "Use both lists", "AutomatedSOS: on"]),
                ("it", ["Due impostazioni diverse", "Sul dispositivo", "Qui in TrackMe", "Usa i due elenchi", "AutomatedSOS: attivo"]),
            ] {
                #expect(try await web.post("/language", ["language": language, "back": "/"], cookie: cookie).status == 303)
                let page = try await web.send(.GET, "/protection", cookie: cookie).body
                if let folder = ProcessInfo.processInfo.environment["TRACKME_PAGES"] {
                    try Data(page.utf8).write(to: URL(filePath: folder).appending(path: "dispute-\(language).html"))
                }
                #expect(page.components(separatedBy: "Ada Example</p>").count == 3, "who changed either")
                for word in words + ["Carla: +390255500002"] { #expect(page.contains(word), "\(word): \(page)") }
                #expect(page.components(separatedBy: "Bruno: +390255500001").count > 2, "on both lists")
            }
            #expect(try await web.post("/language", ["language": "en", "back": "/"], cookie: cookie).status == 303)
            let shown = try await web.send(.GET, "/care/person/\(id)/protection", cookie: helper).body
            #expect(shown.contains("Carla: +390255500002") && shown.contains("chooses.") && !shown.contains("Use both lists"), "\(shown)")
            let version = "\(try #require(try web.hub.sos.restoredSettings.dispute(of: id)).hub.version)",
                consent = SOSChoices.consentDocument
            let choice = ["keep": "0", "version": version, "consent": consent]
            #expect(try await web.post("/care/person/\(id)/protection/settings", choice, cookie: helper).status == 403)
            #expect(try await web.post("/protection/settings", choice.merging(["version": "1"]) { $1 }, cookie: cookie).status == 409)
            // Everybody hears of it by mail.
            let mails = MailCatcher(directory: yesterday.url)
            for reader in ["ada@example.org", "dora@example.org"] {
                _ = try await mails.mail(to: reader, with: "put back to an older state")
            }
            #expect(try await web.post("/protection/settings", choice, cookie: cookie).status == 303)
            let page = try await web.send(.GET, "/protection", cookie: cookie).body
            #expect(
                !page.contains("Two different") && page.contains("Carla: +390255500002") && page.contains("those of the box"), "\(page)")
            #expect(page.contains("bruno@example.org"), "a mail address that the box does not know stays")
            #expect(try await fetched(web).atHub == nil)
            _ = try await mails.mail(to: "dora@example.org", with: "has chosen which emergency settings")
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

import Accounts
import Crypto
import Foundation
import HubServices
import NIOHTTP1
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubStore
@testable import HubWeb

/// A person's own data and boxes, as pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct MyDataTests {
    /// Sends positions as a phone would: the way through a device's page and its secret.
    private func track(_ web: WebFixture, _ person: Member) async throws {
        let answer = try await web.post("/boxes/devices", ["deviceName": "My phone", "deviceKind": "osmAnd"], cookie: person.cookie)
        let secret = try #require(answer.body.firstMatch(of: /[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}/)).output
        #expect(try await !web.send(.GET, "/boxes", cookie: person.cookie).body.contains(secret), "shown once")
        let now = Int(Date().timeIntervalSince1970)
        for second in 0..<5 {
            let path = "/osmand?id=\(secret)&timestamp=\(now - 60 + second)&lat=45.6\(second)&lon=9.7&speed=3"
            #expect(try await web.send(.POST, path).status == 200)
        }
    }

    @Test("DATA-9, DATA-13: what a phone sent can be downloaded by its owner in four formats, and by nobody else")
    func export() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            try await track(web, person)
            for (format, mark) in [("csv", "45.64"), ("json", "45.64"), ("gpx", "lat=\"45.64"), ("fhir", "\"resourceType\":\"Bundle\"")] {
                let path = "/data/export?format=\(format)&days=7"
                let file = try await web.send(.GET, path, cookie: person.cookie)
                #expect(file.status == 200 && file.body.contains(mark), "\(format): \(file.body.prefix(300))")
                #expect(file.header("content-disposition")?.contains("attachment") == true)
                #expect(try await !web.send(.GET, path, cookie: other.cookie).body.contains("45.64"))
                #expect(try await web.send(.GET, path).header("location") == "/log-in")
            }
            #expect(try await web.send(.GET, "/data/export?format=exe&days=7", cookie: person.cookie).status == 400)
        }
    }

    @Test("DATA-10: a part is deleted, then the account; nothing works or can be read after that")
    func deletion() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try await track(web, person)
            #expect(try await web.post("/data/delete", [:], cookie: person.cookie).body.contains("at least one kind"))
            #expect(try await web.post("/data/delete", ["kind2": "1", "from": "2026-13-40"], cookie: person.cookie).status == 422)
            #expect(try await web.post("/data/delete", ["kind2": "1", "from": "2099-01-01"], cookie: person.cookie).status == 422)
            #expect(try await web.post("/data/delete", ["kind2": "1"], cookie: person.cookie).body.contains("Deleted."))
            // Cleared within seconds.
            var left = true
            while left {
                left = try await web.send(.GET, "/data/export?format=csv&days=7", cookie: person.cookie).body.contains("45.6")
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try await web.post("/data/account", ["confirmation": "no"], cookie: person.cookie).status == 422)
            #expect(try await web.post("/data/account", ["confirmation": "DELETE"], cookie: person.cookie).body.contains("Farewell"))
            #expect(try await web.send(.GET, "/data", cookie: person.cookie).header("location") == "/log-in")
            #expect(try web.hub.accounts.account(person.account.id) == nil)
        }
    }

    @Test("DATA-10, DATA-8: a part is of days of the reader's clock; where raw data was overwritten the page says first what goes whole")
    func deletionByDays() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            let cookie = "\(person.cookie); __Host-trackme-zone=Asia/Kolkata"
            var page = try await web.send(.GET, "/data", cookie: cookie).body
            #expect(page.contains("your time zone (Asia/Kolkata)") && !page.contains("there are no minutes any more"))
            _ = try web.hub.accounts.noteOverwritten(Overwritten(person: id, bytes: 1, until: 1_704_000_000_000), pause: 1, now: 1)
            page = try await web.send(.GET, "/data", cookie: cookie).body
            #expect(page.contains("where there are no minutes any more, the hour."))
            let fields = ["kind1": "1", "from": "2024-01-10", "to": "2024-01-11"]
            #expect(try await web.post("/data/delete", fields, cookie: cookie).body.contains("Deleted."))
            // 2024-01-09, 18:30 UTC, and two days on.
            let begin: Milliseconds = 1_704_825_000_000
            #expect(try web.hub.accounts.deletedParts(of: id).map(\.span) == [begin...begin + 2 * 86_400_000 - 1])
        }
    }

    @Test("DATA-10, ACC-12: the word that deletes an account is one of the reader's language")
    func deletionByWord() async throws {
        try await WebFixture.run { web in
            for (language, word) in [("en", " delete "), ("it", "Elimina")] {
                let person = try web.member(.person, "\(language)@example.org")
                try web.hub.accounts.notices.setLanguage(language, of: person.account, now: Cast.now)
                let refused = try await web.post("/data/account", ["confirmation": "x"], cookie: person.cookie)
                #expect(refused.status == 422 && refused.body.contains("confirmation-error"))
                #expect(refused.body.contains(language == "it" ? "scrivi ELIMINA" : "type DELETE"))
                #expect(try await web.post("/data/account", ["confirmation": word], cookie: person.cookie).status == 200)
                #expect(try web.hub.accounts.account(person.account.id) == nil)
            }
        }
    }

    @Test("EDGE-14: a person gets a code for a box of their own, is told of a copy of its card, and can disconnect it; nobody else can")
    func boxes() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            let page = try await web.post("/boxes/code", [:], cookie: person.cookie).body
            #expect(page.contains("trackme-agent enrol") && page.contains("https://127.0.0.1:") && page.contains("#"))
            let code = try #require(page.firstMatch(of: /([A-Z0-9]{8})<\/code>/)).output.1
            let request = EnrolmentRequest(
                code: String(code), publicKey: Hexadecimal.string(P256.Signing.PrivateKey().publicKey.x963Representation), name: "box <1>")
            let agent = try Enrolment(accounts: web.hub.accounts).enrol(request, now: Milliseconds(Date().timeIntervalSince1970 * 1000))
                .agent
            let shown = try await web.send(.GET, "/boxes", cookie: person.cookie).body
            #expect(shown.contains("box &lt;1&gt;") && !shown.contains("A copy of this box"))
            let row = try #require(try web.hub.accounts.agents.agent(agent)?.row)
            try web.hub.accounts.agents.changeTokens(of: row, expires: 0, now: 0) { _ in ((), copySeen: true) }
            #expect(try await web.send(.GET, "/boxes", cookie: person.cookie).body.contains("A copy of this box"), "a copied card is told")
            #expect(try await !web.send(.GET, "/boxes", cookie: other.cookie).body.contains("box &lt;"))
            let path = "/boxes/\(agent)/revoke"
            #expect(try await web.post(path, [:], cookie: other.cookie).status == 403)
            #expect(try await web.post(path, [:], cookie: person.cookie).status == 303)
            #expect(try web.hub.accounts.agents.agent(agent)?.revoked == true)
        }
    }

    @Test("EDGE-14: whoever leaves a box that serves others too takes their own data from it alone")
    func sharedBox() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            let people = [person.account.id.person, other.account.id.person], now = Milliseconds(Date().timeIntervalSince1970 * 1000)
            let enrolment = Enrolment(accounts: web.hub.accounts)
            let request = EnrolmentRequest(
                code: try enrolment.makeCode(for: people, now: now),
                publicKey: Hexadecimal.string(P256.Signing.PrivateKey().publicKey.x963Representation), name: "gateway")
            let agent = try enrolment.enrol(request, now: now).agent
            #expect(try await web.send(.GET, "/boxes", cookie: person.cookie).body.contains("Others use this box too."))
            #expect(try await web.post("/boxes/\(agent)/revoke", [:], cookie: person.cookie).status == 303)
            let left = try #require(try web.hub.accounts.agents.agent(agent))
            #expect(!left.revoked && Set(left.people.keys) == [people[1]])
            #expect(try await !web.send(.GET, "/boxes", cookie: person.cookie).body.contains("gateway"))
            let page = try await web.send(.GET, "/boxes", cookie: other.cookie).body
            #expect(page.contains("gateway") && !page.contains("Others use this box too."))
            #expect(try await web.post("/boxes/\(agent)/revoke", [:], cookie: person.cookie).status == 403, "it is theirs no more")
            #expect(try await web.post("/boxes/\(agent)/revoke", [:], cookie: other.cookie).status == 303)
            #expect(try web.hub.accounts.agents.agent(agent)?.revoked == true)
        }
    }

    @Test("PERF-6: what the hub left out of too many samples stands with the box and the phone that sent them, in the reader's language")
    func leftOut() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            try await track(web, person)
            let row = try #require(try web.hub.accounts.row(of: person.account.id.person))
            let device = try #require(try web.hub.accounts.devices.devices(of: person.account.id.person).first)
            #expect(try await !web.send(.GET, "/boxes", cookie: person.cookie).body.contains("were not kept"))
            try web.hub.accounts.thinned.noteThinned(1200, from: device.agent.row, of: row, now: 1_795_000_000_000)
            try web.hub.accounts.thinned.noteThinned(34, from: device.agent.row, of: row, now: 1_795_000_100_000)
            #expect(try await web.send(.GET, "/boxes", cookie: person.cookie).body.contains("1,234 were not kept"))
            _ = try await web.post("/language", ["language": "it", "back": "/boxes"], cookie: person.cookie)
            let shown = try await web.send(.GET, "/boxes", cookie: person.cookie).body
            #expect(shown.contains("1.234 non sono state conservate"))
            #expect(try await !web.send(.GET, "/boxes", cookie: other.cookie).body.contains("1,234"))
        }
    }
}

import Accounts
import AsyncHTTPClient
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Relatives and parents, as pages of a real hub. All people are made up.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct CareTests {
    static let password = "the cat sleeps on the warm oven"

    static func opening(_ other: [String: String] = [:]) -> [String: String] {
        [
            "firstName": "Rosa", "lastName": "Bianchi", "gender": "female", "dateOfBirth": "1941-05-02", "cityOfBirth": "Bergamo",
            "residence": "Via Roma 1, Bergamo", "phone": "+39 02 1234567", "taxCountry": "IT", "taxIdentifier": "BNCLRA80A41H501D",
        ].merging(other) { $1 }
    }

    private static let child = opening([
        "dateOfBirth": "\(CalendarDate(utc: Milliseconds(Date().timeIntervalSince1970 * 1000)).year - 9)-01-31", "email": "kid@example.org",
    ])
    private static let consented = child.merging(["guardian": "1", "terms": "2026-11", "privacy": "2026-11"]) { $1 }

    private func first(_ page: String, _ pattern: Regex<(Substring, Substring)>) throws -> String {
        String(try #require(page.firstMatch(of: pattern), "\(page)").output.1)
    }

    private func opened(_ web: WebFixture, _ carer: Member) async throws -> String {
        let page = try await web.post("/care/open", Self.opening(), cookie: carer.cookie)
        return try first(page.body, /href="[^"]*(\/hand-over\/[^"]+)"/)
    }

    /// Rosa's account, taken over; her cookie and identifier.
    private func takenOver(_ web: WebFixture, _ carer: Member, kinds: [String]) async throws -> (person: PersonID, cookie: String) {
        let link = try await opened(web, carer)
        var fields = ["password": Self.password, "terms": "2026-11", "privacy": "2026-11"]
        for kind in kinds { fields["see\(kind)"] = "1" }
        let page = try await web.post(link, fields).body
        let name = try first(page, /<code>([a-z0-9]{4}-[a-z0-9]{4})<\/code>/)
        let answer = try await web.post("/log-in", ["email": name, "password": Self.password])
        let cookie = String(try #require(answer.headers["set-cookie"].first { $0.contains("session") }).prefix { $0 != ";" })
        return (try #require(try web.hub.accounts.account(email: name)).id.person, cookie)
    }

    private func track(_ web: WebFixture, _ cookie: String, _ latitude: String) async throws {
        let answer = try await web.post("/boxes/devices", ["deviceName": "p", "deviceKind": "osmAnd"], cookie: cookie)
        let secret = try #require(answer.body.firstMatch(of: /[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}/)).output
        let path = "/osmand?id=\(secret)&timestamp=\(Int(Date().timeIntervalSince1970))&lat=\(latitude)&lon=9.7"
        #expect(try await web.send(.POST, path).status == 200)
    }

    @Test(
        "ACC-11: a relative opens an account for somebody without e-mail; it works, and shows the relative anything, by the person's hand alone"
    )
    func handOver() async throws {
        try await WebFixture.run { web in
            let carer = try web.member(.caregiver, "carer@example.org"), stranger = try web.member(.caregiver, "eve@example.org")
            let wrong = try await web.post("/care/open", Self.opening(["phone": "1", "email": "x"]), cookie: carer.cookie)
            #expect(wrong.status == 422 && wrong.body.contains("id=\"phone-error\"") && wrong.body.contains("id=\"email-error\""))
            let link = try await opened(web, carer)
            #expect(try await web.send(.GET, link).body.contains("Rosa Bianchi"))
            #expect(try await web.post(link, ["password": Self.password, "see1": "1"]).status == 422)
            #expect(try await web.send(.GET, "/care", cookie: carer.cookie).body.contains("You look after nobody yet"))

            let (rosa, cookie) = try await takenOver(web, carer, kinds: ["1", "3"])
            // Another paper makes the one before void; who has a mailbox gets none.
            let papers = [
                try await web.post("/care/paper", [:], cookie: cookie).body, try await web.post("/care/paper", [:], cookie: cookie).body,
            ]
            let resets = try papers.map { try first($0, /<code>https:[^<]*(\/reset\/[^<]+)<\/code>/) }
            #expect(try await web.send(.GET, resets[0]).status == 410)
            #expect(try await web.send(.GET, resets[1]).status == 200)
            #expect(try await web.post("/care/paper", [:], cookie: carer.cookie).status == 403)
            #expect(try await web.post(link, ["password": Self.password, "terms": "2026-11", "privacy": "2026-11"]).status == 410)
            try await track(web, cookie, "45.61")
            let list = try await web.send(.GET, "/care", cookie: carer.cookie).body
            #expect(list.contains("Rosa Bianchi") && list.contains("Not shared with you: position"))
            #expect(list.contains("No heart rate in the last hours") && !list.contains("Position known"))
            let recent = try await web.send(.GET, "/people/\(rosa)/recent", cookie: carer.cookie)
            #expect(recent.status == 200 && recent.body.contains("\"pos\":[]") && !recent.body.contains("45.61"))
            #expect(try await web.send(.GET, "/people/\(rosa)/recent", cookie: cookie).body.contains("45.61"))
            #expect(try await web.send(.GET, "/people/\(rosa)", cookie: carer.cookie).body.contains("Not shared with you: position"))
            #expect(try await web.send(.GET, "/ledger", cookie: cookie).body.contains("Ada Example read"))

            let code = try await web.post("/care/person/\(rosa)/box", [:], cookie: carer.cookie).body
            #expect(code.contains("trackme-agent enrol"))
            // Who has no mailbox finds it on the page.
            #expect(try await web.send(.GET, "/notices", cookie: cookie).body.contains("is connecting a box for you"))
            for path in ["/care/person/\(rosa)", "/people/\(rosa)", "/people/\(rosa)/recent", "/people/\(rosa)/live"] {
                #expect(try await web.send(.GET, path, cookie: stranger.cookie).status == 403)
                #expect(try await web.send(.GET, path, cookie: try web.session(of: carer.account, strength: .begun)).status != 200)
            }
            #expect(try await web.post("/care/person/\(rosa)/box", [:], cookie: stranger.cookie).status == 403)
            // A caregiver decides nothing.
            #expect(try await web.send(.GET, "/care/person/\(rosa)/ledger", cookie: carer.cookie).status == 403)

            let followers = try await web.send(.GET, "/followers", cookie: cookie).body
            let revoke = try first(followers, /action="(\/followers\/[^"]+\/revoke)"/)
            #expect(try await web.post(revoke, [:], cookie: cookie).status == 303)
            for path in ["/care/person/\(rosa)", "/people/\(rosa)/recent"] {
                #expect(try await web.send(.GET, path, cookie: carer.cookie).status == 403)
            }
            #expect(try await web.post("/care/person/\(rosa)/box", [:], cookie: carer.cookie).status == 403)
        }
    }

    @Test("ACC-11: a caregiver's live stream has the granted kinds alone, and ends with the revocation and with the log-out")
    func stream() async throws {
        try await WebFixture.run { web in
            let carer = try web.member(.caregiver, "carer@example.org")
            let (rosa, cookie) = try await takenOver(web, carer, kinds: ["1"])
            func watch(_ cookie: String) async throws -> HTTPClientResponse {
                var request = HTTPClientRequest(url: web.url + "/people/\(rosa)/live")
                request.headers.add(name: "cookie", value: cookie)
                return try await web.client.execute(request, timeout: .seconds(60))
            }
            let mine = try await watch(carer.cookie), own = try await watch(cookie)
            try await track(web, cookie, "45.62")
            let revoke = try first(
                try await web.send(.GET, "/followers", cookie: cookie).body, /action="(\/followers\/[^"]+\/revoke)"/)
            #expect(try await web.post(revoke, [:], cookie: cookie).status == 303)
            let text = String(buffer: try await mine.body.collect(upTo: 1 << 20))
            #expect(text.hasSuffix("event: end\ndata: {}\n\n") && !text.contains("45.62"), "\(text)")
            // What came before the log-out is read before it.
            var parts = own.body.makeAsyncIterator(), owns = ""
            while !owns.contains("45.62"), let part = try await parts.next() { owns += String(buffer: part) }
            #expect(try await web.post("/log-out", [:], cookie: cookie).status == 303)
            while let part = try await parts.next() { owns += String(buffer: part) }
            #expect(owns.contains("45.62") && owns.hasSuffix("event: end\ndata: {}\n\n"), "\(owns)")
        }
    }

    @Test("ACC-11: the person invites by mail, whoever has the address; the link works once and makes the caregiver's account")
    func invite() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), known = try web.member(.organiser, "son@example.org")
            let mails = MailCatcher(directory: web.directory.url)
            let fields = ["kind1": "1", "kind2": "1", "requestPurpose": "Looks after me"]
            #expect(try await web.post("/care/invite", fields.merging(["email": "x"]) { $1 }, cookie: ada.cookie).status == 422)
            let nothing = ["email": "a@example.org", "requestPurpose": "x"]
            #expect(try await web.post("/care/invite", nothing, cookie: ada.cookie).body.contains("at least one kind"))
            var links: [String: String] = [:], answers: Set<String> = []
            for address in ["son@example.org", "daughter@example.org"] {
                answers.insert(try await web.post("/care/invite", fields.merging(["email": address]) { $1 }, cookie: ada.cookie).body)
                let mail = try await mails.mail(to: address, with: "/care/invitation/")
                links[address] = try mails.link(in: mail, "/care/invitation/")
            }
            #expect(answers.count == 1)
            // One that is taken back works no more; one for the same address takes the place of that before.
            let niece = fields.merging(["email": "niece@example.org"]) { $1 }
            for _ in 1...2 { #expect(try await web.post("/care/invite", niece, cookie: ada.cookie).status == 200) }
            let waiting = try await web.send(.GET, "/care", cookie: ada.cookie).body
            #expect(waiting.matches(of: /<strong>niece@example.org/).count == 1 && waiting.contains("<strong>son@example.org"))
            let withdraw = try first(
                waiting, /niece@example.org<\/strong>[^\n]*\n<form method="post" action="(\/care\/invitations\/[^"]+\/withdraw)"/)
            let others = try web.member(.person, "eve@example.org")
            #expect(try await web.post(withdraw, [:], cookie: others.cookie).status == 403)
            #expect(try await web.post(withdraw, [:], cookie: ada.cookie).status == 303)
            #expect(try await web.post(withdraw, [:], cookie: ada.cookie).status == 403)
            let son = try #require(links["son@example.org"]), daughter = try #require(links["daughter@example.org"])
            #expect(try await web.send(.GET, son, cookie: known.cookie).body.contains("heart rate and position"))
            // The one who offers cannot take it, and the link is not used up by that.
            #expect(try await web.post(son, [:], cookie: ada.cookie).status == 409)
            #expect(try await web.post(son, [:], cookie: known.cookie).header("location") == "/care")
            #expect(try await web.post(son, [:], cookie: known.cookie).status == 410)
            #expect(try await web.send(.GET, "/people/\(ada.account.id)/recent", cookie: known.cookie).status == 200)
            #expect(try await web.send(.GET, "/notices", cookie: ada.cookie).body.contains("has accepted your invitation"))

            let signUp = [
                "firstName": "Lia", "lastName": "Made-Up", "phone": "+39 02 1234567", "password": Self.password, "terms": "2026-11",
            ]
            #expect(try await web.post(daughter + "/sign-up", [:]).status == 422)
            #expect(try await web.post(daughter + "/sign-up", signUp).status == 303)
            #expect(try await web.post(daughter + "/sign-up", signUp).status == 410)
            let logIn = try await web.post("/log-in", ["email": "daughter@example.org", "password": Self.password])
            let cookie = String(try #require(logIn.headers["set-cookie"].first { $0.contains("session") }).prefix { $0 != ";" })
            #expect(try await web.send(.GET, "/care", cookie: cookie).body.contains("Ada Example"))
            // The caregiver ends it.
            #expect(try await web.post("/care/person/\(ada.account.id)/end", [:], cookie: cookie).status == 303)
            #expect(try await !web.send(.GET, "/care", cookie: cookie).body.contains("Ada Example"))
            #expect(try await web.post("/care/person/\(ada.account.id)/end", [:], cookie: cookie).status == 403)
        }
    }

    @Test("ACC-11: a relative asks somebody with an account, and sees them after the yes; whether there is somebody is not told")
    func ask() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), carer = try web.member(.organiser, "carer@example.org")
            let fields = ["kind1": "1", "requestPurpose": "I look after my mother"]
            let known = try await web.post("/care/ask", fields.merging(["whom": "ada@example.org"]) { $1 }, cookie: carer.cookie)
            let unknown = try await web.post("/care/ask", fields.merging(["whom": "no@example.org"]) { $1 }, cookie: carer.cookie)
            #expect(known.status == 200 && known.body == unknown.body)
            #expect(try await web.post("/care/ask", ["whom": "x"], cookie: carer.cookie).status == 422)
            let page = try await web.until("/followers", cookie: ada.cookie) { $0.contains("/accept") }
            #expect(try await web.send(.GET, "/people/\(ada.account.id)/recent", cookie: carer.cookie).status == 403)
            #expect(try await web.post(first(page, /action="(\/followers\/[^"]+\/accept)"/), [:], cookie: ada.cookie).status == 303)
            #expect(try await web.send(.GET, "/care", cookie: carer.cookie).body.contains("Ada Example"))
            let mails = MailCatcher(directory: web.directory.url)
            #expect(try await mails.mail(to: "carer@example.org", with: "somebody has answered").contains("/care"))
        }
    }

    @Test("ACC-17: a minor cannot sign up alone; a parent opens the account, has a view, and answers in the minor's place")
    func minor() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), other = try web.member(.organiser, "aunt@example.org")
            let alone = Self.child.merging(["password": Self.password, "terms": "2026-11", "privacy": "2026-11"]) { $1 }
            let refused = try await web.post("/sign-up/person", alone)
            #expect(refused.status == 422 && refused.body.contains("younger than 14 cannot sign up alone. Ask a parent"))
            let missing = try await web.post("/care/open", Self.child, cookie: parent.cookie)
            #expect(missing.status == 422 && missing.body.contains("id=\"guardian-error\""))
            #expect(try await web.post("/care/open", Self.consented, cookie: parent.cookie).body.contains("The account is open"))
            // The address that was typed is nobody's proved one.
            #expect(try web.hub.accounts.account(email: "kid@example.org") == nil)
            let ward = try #require(
                try web.hub.accounts.care.wards(of: parent.account.id, now: Milliseconds(Date().timeIntervalSince1970 * 1000)).first)
            let kid = try #require(try web.hub.accounts.account(AccountID(ward)))
            #expect(kid.confirmed != nil && !kid.hasMail)
            let operatorCookie = try web.member(.operator, "op@example.org").cookie
            #expect(try await web.send(.GET, "/care/open", cookie: operatorCookie).status == 403)
            #expect(try await web.send(.GET, "/care", cookie: parent.cookie).body.contains("Rosa Bianchi"))
            #expect(try await web.send(.GET, "/people/\(kid.id)/recent", cookie: parent.cookie).status == 200)

            let asked = ["whom": "BNCLRA80A41H501D", "kind1": "1", "requestPurpose": "Holidays"]
            #expect(try await web.post("/care/ask", asked, cookie: other.cookie).status == 200)
            _ = try await web.until("/care", cookie: parent.cookie) { $0.contains("One question waits") }
            let mails = MailCatcher(directory: web.directory.url)
            _ = try await mails.mail(to: "parent@example.org", with: "whose account is in your hands")
            let path = "/care/person/\(kid.id)", page = try await web.send(.GET, path, cookie: parent.cookie).body
            let accept = try first(page, /action="(\/care\/person\/[^"]+\/accept)"/)
            #expect(try await web.post(accept, [:], cookie: other.cookie).status == 403)
            // The child may look and not decide.
            let childCookie = try web.session(of: kid, strength: .full)
            let own = try first(
                try await web.send(.GET, "/followers", cookie: childCookie).body, /action="(\/followers\/[^"]+\/accept)"/)
            #expect(try await web.post(own, [:], cookie: childCookie).status == 403)
            #expect(try await web.post(accept, [:], cookie: parent.cookie).status == 303)
            #expect(try await web.send(.GET, "/people/\(kid.id)/recent", cookie: other.cookie).status == 200)
            let revoke = try first(
                try await web.send(.GET, path, cookie: parent.cookie).body, /action="(\/care\/person\/[^"]+\/revoke)"/)
            #expect(try await web.post(revoke, [:], cookie: parent.cookie).status == 303)
            #expect(try await web.send(.GET, "/people/\(kid.id)/recent", cookie: other.cookie).status == 403)
            #expect(try await web.send(.GET, path + "/ledger", cookie: parent.cookie).body.contains("Holidays") == false)
            #expect(try await web.send(.GET, path + "/ledger", cookie: parent.cookie).status == 200)
        }
    }

    @Test("ACC-18: the site can be installed: manifest and icons are linked and there")
    func manifest() async throws {
        try await WebFixture.run { web in
            let page = try await web.send(.GET, "/").body
            let path = try first(page, /<link rel="manifest" href="([^"]+)">/)
            let answer = try await web.send(.GET, path)
            #expect(answer.header("content-type") == "application/manifest+json")
            let manifest = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
            #expect(manifest["display"] as? String == "standalone" && manifest["start_url"] as? String == "/home")
            let icons = try #require(manifest["icons"] as? [[String: String]])
            #expect(icons.contains { $0["sizes"] == "192x192" } && icons.contains { $0["sizes"] == "512x512" })
            for icon in icons { #expect(try await web.send(.GET, icon["src"] ?? "").header("content-type") == icon["type"]) }
            #expect(page.contains("only the cookies that it needs"))
        }
    }
}

import Accounts
import Foundation
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Services as organisations, operators and people meet them: pages and API of a real hub.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct ServicesTests {
    private let fields = [
        "serviceName": "Sleep <coach>", "aboutEnglish": "Tells how you rest.\nEach night.", "aboutItalian": "Dice come riposi.",
        "purposeEnglish": "To tell how you rest", "purposeItalian": "Dire come riposi", "kind2": "1", "actiononce": "1", "actiondaily": "1",
    ]

    private func json(_ answer: WebFixture.Answer) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any], "\(answer.body)")
    }

    private func action(_ page: String, _ ending: String) throws -> String {
        let parts = page.components(separatedBy: "action=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
        return try #require(parts.first { $0.hasSuffix(ending) }, "\(page)")
    }

    /// Looks at what waits, as an operator does.
    private func approve(_ web: WebFixture, _ chief: Member) async throws {
        let page = try await web.send(.GET, "/operator/services", cookie: chief.cookie).body
        let version = String(try #require(page.firstMatch(of: /name="version" value="([0-9]+)"/)).output.1)
        #expect(try await web.post(try action(page, "/approve"), ["version": version], cookie: chief.cookie).status == 303)
    }

    @Test("CONS-8: a service is described in a form, checked, found, added in the person's language, and removed")
    func pages() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), organisation = try web.member(.organisation, "lab@example.org")
            let chief = try web.member(.operator, "chief@example.org")
            let wrong = try await web.post("/publish/new", ["serviceName": "x", "kind1": "1"], cookie: organisation.cookie)
            #expect(wrong.status == 422 && wrong.body.contains("id=\"aboutItalian-error\"") && wrong.body.contains("once or each day"))
            #expect(try await web.post("/publish/new", fields, cookie: organisation.cookie).header("location") == "/publish")
            _ = try await MailCatcher(directory: web.directory.url).mail(to: "chief@example.org", with: "/operator/services")
            #expect(try await web.send(.GET, "/publish", cookie: organisation.cookie).body.contains("An operator looks at it"))
            #expect(try await !web.send(.GET, "/services", cookie: person.cookie).body.contains("Sleep"))
            try await approve(web, chief)

            let list = try await web.send(.GET, "/services", cookie: person.cookie).body
            for text in ["AutomatedSOS", "Track4Run", "Sleep &lt;coach&gt;", "To tell how you rest", "Lab of Bergamo"] {
                #expect(list.contains(text) && !list.contains("<coach>"), "\(text)")
            }
            let sos = try await web.send(.GET, "/services/\(BuiltInService.automatedSOS.id)", cookie: person.cookie).body
            #expect(sos.contains("does not do this yet") == false)
            let link = String(try #require(list.firstMatch(of: /href="(\/services\/[0-9a-f]{32})">Sleep/)).output.1)
            func speak(_ language: String) async throws {
                #expect(try await web.post("/language", ["language": language, "back": "/"], cookie: person.cookie).status == 303)
            }
            try await speak("it")
            let page = try await web.send(.GET, link, cookie: person.cookie).body
            #expect(page.contains("Dice come riposi.") && page.contains("posizione") && page.contains("Ogni giorno"))
            #expect(try await web.post(link + "/add", ["action": "weekly"], cookie: person.cookie).status == 404)
            let add = ["action": "daily"]
            #expect(try await web.post(link + "/add", add, cookie: person.cookie).header("location") == link)
            try await speak("en")
            #expect(try await web.post(link + "/add", add, cookie: person.cookie).status == 409)
            let added = try await web.send(.GET, link, cookie: person.cookie).body
            #expect(added.contains("You have added") && !added.contains(link + "/add") && added.contains("Nothing yet."))
            let followers = try await web.send(.GET, "/followers", cookie: person.cookie).body
            #expect(followers.contains("Sleep &lt;coach&gt; (Lab of Bergamo)") && followers.contains("To tell how you rest"))
            #expect(!followers.contains("Dire come riposi"), "it was added in Italian, and is read in English")
            #expect(
                try await web.send(.GET, "/requests", cookie: organisation.cookie).body.contains("Somebody who added Sleep &lt;coach&gt;"))

            #expect(
                try await web.post(
                    try action(try await web.send(.GET, "/publish", cookie: organisation.cookie).body, "/withdraw"), [:],
                    cookie: organisation.cookie
                ).status == 303)
            #expect(try await web.send(.GET, "/services", cookie: person.cookie).body.contains("Sleep"))
            #expect(try await web.post(link + "/remove", [:], cookie: person.cookie).status == 303)
            #expect(try await !web.send(.GET, "/services", cookie: person.cookie).body.contains("Sleep"))
            #expect(try await web.send(.GET, link, cookie: person.cookie).status == 200)
            let stranger = try web.member(.person, "eve@example.org")
            #expect(try await web.send(.GET, link, cookie: stranger.cookie).status == 404)
        }
    }

    @Test("CONS-8, CONS-12: a program publishes a service, reads for it alone, and sends results that the person sees drawn")
    func program() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let program = try Program(web), bearer = [("authorization", "Bearer \(try await program.token())")]
            func call(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> WebFixture.Answer {
                try await web.send(method, "/api/v1" + path, headers: bearer, body: body.map { Array($0.utf8) })
            }
            let body = """
                {"name":"Coach","english":{"about":"A","purpose":"P"},"italian":{"about":"B","purpose":"Q"},"kinds":["position"],"actions":["daily"]}
                """
            let made = try await call(.POST, "/services", body)
            #expect(try made.status == 201 && json(made)["state"] as? String == "checking", "\(made.body)")
            let service = try #require(try json(made)["id"] as? String)
            for (wrong, code) in [
                ("{}", "invalid_request"), (body.replacing("daily", with: "hourly"), "invalid_action"),
                (body.replacing("\"Coach\"", with: "\"\""), "incomplete"), (body.replacing("position", with: "blood"), "invalid_kind"),
            ] {
                let answer = try await call(.POST, "/services", wrong)
                #expect(try answer.status == 400 && json(answer)["code"] as? String == code, "\(answer.body)")
            }
            try await approve(web, chief)
            #expect(try await call(.PUT, "/services/\(service)", body.replacing("\"A\"", with: "\"C\"")).body.contains("changing"))
            #expect(try await call(.PUT, "/services/\(ServiceID.random())", body).status == 404)
            try await approve(web, chief)

            #expect(try await web.post("/services/\(service)/add", ["action": "daily"], cookie: person.cookie).status == 303)
            let listed = try await call(.GET, "/consents").body
            #expect(listed.contains("\"service\":\"\(service)\"") && !listed.contains("ada@"))
            let id = String(try #require(listed.firstMatch(of: /"id":"([0-9a-f]{32})"/)).output.1)
            for part in ["samples", "stream"] {
                #expect(try await call(.GET, "/consents/\(id)/\(part)").status == 404)
                #expect(try await call(.GET, "/consents/\(id)/\(part)?service=\(ServiceID.random())").status == 404)
            }
            #expect(try await call(.GET, "/consents/\(id)/samples?service=\(service)").status == 200)
            let result = """
                {"text":"You <rest> well","values":[{"name":"Sleep","value":7.5,"unit":"h"}],
                "series":{"name":"Depth","points":[{"time":"2026-11-20T22:00:00Z","value":1},{"time":"2026-11-20T23:00:00Z","value":3.25}]}}
                """
            let sent = try await call(.POST, "/consents/\(id)/results", result)
            #expect(sent.status == 201 && sent.body == "{\"number\":1}", "\(sent.body)")
            for (wrong, code) in [
                ("{}", "empty"), ("[]", "invalid_request"), (result.replacing("22:00:00Z", with: "23:30:00Z"), "invalid_time"),
                (result.replacing("2026-11-20T22:00:00Z", with: "yesterday"), "invalid_time"),
            ] {
                let answer = try await call(.POST, "/consents/\(id)/results", wrong)
                #expect(try answer.status == 400 && json(answer)["code"] as? String == code, "\(answer.body)")
            }
            let large = String(repeating: " ", count: APIController.resultBytesMax + 1)
            #expect(try await call(.POST, "/consents/\(id)/results", large).status == 413)
            let other = [("authorization", "Bearer \(try await Program(web, email: "rival@example.org").token())")]
            #expect(try await web.send(.POST, "/api/v1/consents/\(id)/results", headers: other, body: Array(result.utf8)).status == 404)
            let page = try await web.send(.GET, "/services/\(service)", cookie: person.cookie).body
            #expect(
                page.contains("You &lt;rest&gt; well") && page.contains("7.5")
                    && page.contains("<polyline points=\"6.0,174.0 594.0,6.0\"/>"))
            _ = try await web.post("/language", ["language": "it", "back": "/"], cookie: person.cookie)
            #expect(try await web.send(.GET, "/services/\(service)", cookie: person.cookie).body.contains("7,5"))
            #expect(try await web.post("/services/\(service)/remove", [:], cookie: person.cookie).status == 303)
            #expect(try await call(.POST, "/consents/\(id)/results", result).status == 409)
            #expect(try await call(.GET, "/consents/\(id)/samples?service=\(service)").status == 404)
            #expect(try await call(.DELETE, "/services/\(service)").status == 204)
            #expect(try await call(.GET, "/services").body.contains("withdrawn"))
        }
    }

    @Test("CONS-8, ACC-14: every page of services refuses who has another role or is somebody else, and has its help")
    func matrix() async throws {
        try await WebFixture.run { web async throws in
            let person = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let organisation = try web.member(.organisation, "lab@example.org"), rival = try web.member(.organisation, "rival@example.org")
            let pages: [(String, Set<Role>, String)] = [
                ("/services", [.person], "services"), ("/services/\(BuiltInService.automatedSOS.id)", [.person], "services"),
                ("/publish", [.organisation], "publish"), ("/publish/new", [.organisation], "publish"),
                ("/operator/services", [.operator], "publish"), ("/following", [.person, .organisation], "following"),
                ("/followers/grant", [.person], "followers"), ("/followers/policy", [.person], "followers"),
            ]
            for (number, (path, roles, help)) in pages.enumerated() {
                for (member, own) in [(person, Role.person), (organisation, .organisation), (chief, .operator)] {
                    let answer = try await web.send(.GET, path, cookie: member.cookie)
                    #expect(answer.status == (roles.contains(own) ? 200 : 403), "\(path) \(own): \(answer.status)")
                    if roles.contains(own) { #expect(answer.body.contains("href=\"/help/\(help)\"")) }
                }
                #expect(try await web.send(.GET, path).header("location") == "/log-in")
                let role = try #require(roles.min { $0.rawValue < $1.rawValue })
                let begun = try web.session(of: web.member(role, "begun\(number)@example.org").account, strength: .begun)
                #expect(try await web.send(.GET, path, cookie: begun).header("location") == "/log-in/second")
                #expect(try await web.send(.GET, "/help/\(help)").body.contains("<p>"))
            }
            _ = try await web.post("/publish/new", fields, cookie: organisation.cookie)
            let withdraw = try action(try await web.send(.GET, "/publish", cookie: organisation.cookie).body, "/withdraw")
            #expect(try await web.post(withdraw, [:], cookie: rival.cookie).status == 403)
            let change = withdraw.replacing("/withdraw", with: "")
            #expect(try await web.send(.GET, change, cookie: rival.cookie).status == 403)
            #expect(try await web.post(change, fields, cookie: rival.cookie).status == 403)
            let approve = try action(try await web.send(.GET, "/operator/services", cookie: chief.cookie).body, "/approve")
            for member in [person, organisation] {
                #expect(try await web.post(approve, ["version": "1"], cookie: member.cookie).status == 403)
            }
            #expect(try await web.post(approve, ["version": "2"], cookie: chief.cookie).status == 409)
            let id = try #require(withdraw.split(separator: "/").dropFirst().first)
            #expect(try await web.send(.GET, "/services/\(id)", cookie: person.cookie).status == 404)
            #expect(try await web.post("/services/\(id)/add", ["action": "daily"], cookie: person.cookie).status == 404)
        }
    }
}

import Accounts
import HubStore
import NIOHTTP1
import TestSupport
import Testing

@testable import HubWeb

/// Where somebody wanted to go who had to log in first.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ReturnPathTests {
    @Test("CONS-9, ACC-6: the link of a mail leads through the log-in to its page, once; no script's, and no other site's")
    func mailed() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            let refused = try await web.send(.GET, "/followers?before=7")
            #expect(refused.status == 303 && refused.header("location") == "/log-in")
            let kept = try #require(refused.header("set-cookie")?.split(separator: ";").first.map(String.init))
            #expect(kept.hasPrefix("__Host-trackme-back=") && refused.header("set-cookie")?.contains("HttpOnly") == true)
            // Without a log-in it opens nothing.
            #expect(try await web.send(.GET, "/home", cookie: kept).header("location") == "/log-in")
            let home = try await web.send(.GET, "/home", cookie: "\(person.cookie); \(kept)")
            #expect(home.status == 303 && home.header("location") == "/followers?before=7")
            #expect(home.header("set-cookie")?.hasPrefix("__Host-trackme-back=;") == true)
            #expect(try await web.send(.GET, "/home", cookie: person.cookie).status == 200)
            // Whoever owes the second factor goes on behind that.
            let begun = try web.session(of: web.member(.organisation, "lab@example.org").account, strength: .begun)
            let second = try await web.send(.GET, "/requests", cookie: begun)
            #expect(second.header("location") == "/log-in/second" && second.header("set-cookie")?.contains("requests") == true)
            let script = try await web.send(.GET, "/followers", headers: [("sec-fetch-mode", "cors")])
            #expect(script.status == 303 && script.header("set-cookie") == nil)
            for path in ["//evil.example/", "https:%2F%2Fevil.example", "%2F%5Cevil.example", "%2F%2Fevil.example"] {
                let answer = try await web.send(.GET, "/home", cookie: "\(person.cookie); __Host-trackme-back=\(path)")
                #expect(answer.status == 200, "\(path)")
            }
        }
    }
}

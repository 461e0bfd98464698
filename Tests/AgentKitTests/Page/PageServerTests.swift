import Foundation
import Languages
import NIOCore
import NIOPosix
import Testing

@testable import AgentKit

@Suite("The page of the box", .timeLimit(.minutes(1)))
struct PageServerTests {
    @Test(
        "ACC-12: the page comes in the reader's language",
        arguments: [
            ("/", "it-IT,it;q=0.9,en;q=0.8", "it"), ("/", "en-GB,en", "en"), ("/", "de-DE, en;q=0.3, it;q=0.5", "it"), ("/", "de", "en"),
            ("/", "it;q=0", "en"), ("/?lang=it", "en", "it"), ("/?x=1&lang=en", "it", "en"), ("/?lang=xx", "it", "it"),
        ])
    func languages(path: String, accepted: String, language: String) async throws {
        let page = try await ServedPage()
        let answer = try await page.get(path, "Accept-Language: \(accepted)\r\n")
        #expect(answer.status == 200 && answer.headers["content-type"] == "text/html; charset=utf-8")
        #expect(answer.body.contains("<html lang=\"\(language)\">"))
        #expect(answer.body.contains(language == "it" ? ">Chiedi aiuto<" : ">Get help<"))
        #expect(!answer.body.contains("{{") && !answer.body.contains("}}"))
        await page.stop()
    }

    @Test("ACC-12: without a wish, it is the box's language")
    func ownLanguage() async throws {
        let page = try await ServedPage(language: .italian)
        #expect(try await page.get("/").body.contains("<html lang=\"it\">"))
        await page.stop()
    }

    @Test(
        "EDGE-12: page, style, scripts and state come with headers that keep other pages out",
        arguments: ["/", "/style.css", "/page.js", "/person.js", "/words.js", "/icon.svg", "/status"])
    func files(path: String) async throws {
        let page = try await ServedPage()
        let answer = try await page.get(path)
        #expect(answer.status == 200 && !answer.body.isEmpty)
        #expect(answer.headers["cache-control"] == "no-store" && answer.headers["x-content-type-options"] == "nosniff")
        let policy = try #require(answer.headers["content-security-policy"])
        #expect(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'") && !policy.contains("unsafe"))
        #expect(answer.headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
        await page.stop()
    }

    @Test("EDGE-12: the state is there as JSON")
    func status() async throws {
        let page = try await ServedPage()
        let answer = try await page.get("/status")
        #expect(try JSONDecoder().decode(BoxStatus.self, from: Data(answer.body.utf8)) == .sample)
        await page.stop()
    }

    @Test(
        "EDGE-12, SOS-16: what is pressed reaches the box",
        arguments: [
            ControlRequest(.ok), ControlRequest(.help, person: "00"), ControlRequest(.falseAlarm), ControlRequest(.reactivate),
            ControlRequest(.pause, minutes: 15), ControlRequest(.resume), ControlRequest(.sync),
            ControlRequest(.kinds, kinds: KindsChoice(heartRate: true, position: false)),
        ])
    func acts(request: ControlRequest) async throws {
        let page = try await ServedPage()
        let answer = try await page.post(String(decoding: JSONEncoder().encode(request), as: UTF8.self))
        #expect(answer.status == 200)
        #expect(try JSONDecoder().decode(ControlReply.self, from: Data(answer.body.utf8)).isDone)
        #expect(page.box.requests == [request])
        await page.stop()
    }

    @Test("EDGE-12: when the box cannot send now, the page gets the reason")
    func refusedSync() async throws {
        let page = try await ServedPage()
        page.box.refuse(ControlReply(isDone: false, message: "The hub cannot be reached", advice: "Check the network"))
        let answer = try await page.post("{\"action\":\"sync\"}")
        let reply = try JSONDecoder().decode(ControlReply.self, from: Data(answer.body.utf8))
        #expect(!reply.isDone && reply.message == "The hub cannot be reached" && reply.advice == "Check the network")
        await page.stop()
    }

    @Test(
        "What the page does not offer is not done",
        arguments: [
            ("{\"action\":\"record\",\"path\":\"/etc/passwd\"}", 403), ("{\"action\":\"sensors-forget\"}", 403),
            ("{\"action\":\"watch\"}", 403),
            ("{\"action\":\"dance\"}", 400), ("ok", 400), ("", 400),
        ])
    func notOffered(body: String, status: Int) async throws {
        let page = try await ServedPage()
        let answer = try await page.post(body)
        #expect(answer.status == status)
        #expect(try !JSONDecoder().decode(ControlReply.self, from: Data(answer.body.utf8)).isDone)
        #expect(page.box.requests == [])
        await page.stop()
    }
}

@Suite("What keeps other web pages out of the box's page", .timeLimit(.minutes(1)))
struct PageServerGuardTests {
    @Test(
        "DNS rebinding: another name for this machine is refused",
        arguments: ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1", ""])
    func hosts(host: String) async throws {
        let page = try await ServedPage()
        let name = host.split(separator: "{port}", omittingEmptySubsequences: false).joined(separator: "\(page.port)")
        for path in ["/", "/status", "/events"] {
            let answer = try await page.raw("GET \(path) HTTP/1.1\r\nHost: \(name)\r\nConnection: close\r\n\r\n")
            #expect(answer.status == 421, "\(path)")
        }
        await page.stop()
    }

    @Test("localhost is this machine too")
    func localhost() async throws {
        let page = try await ServedPage()
        let answer = try await page.raw("GET / HTTP/1.1\r\nHost: localhost:\(page.port)\r\nConnection: close\r\n\r\n")
        #expect(answer.status == 200)
        await page.stop()
    }

    @Test(
        "Another page's request does nothing, and reads nothing",
        arguments: [
            "Origin: http://evil.example\r\n", "Origin: null\r\n", "Origin: http://127.0.0.1:1\r\n", "Sec-Fetch-Site: cross-site\r\n",
            "Sec-Fetch-Site: same-site\r\n", "Origin: https://{host}\r\n", "Origin: http://{host}\r\nSec-Fetch-Site: cross-site\r\n",
        ])
    func foreign(headers: String) async throws {
        let page = try await ServedPage()
        let headers = headers.split(separator: "{host}", omittingEmptySubsequences: false).joined(separator: page.host)
        let posted = try await page.post("{\"action\":\"ok\"}", headers)
        #expect(posted.status == 403 && page.box.requests == [])
        for path in ["/status", "/events", "/page.js"] { #expect(try await page.get(path, headers).status == 403, "\(path)") }
        #expect(try await page.get("/", headers).status == 200, "a link may lead here")
        await page.stop()
    }

    @Test("A request to act says where it comes from, and is JSON")
    func form() async throws {
        let page = try await ServedPage()
        let own = "Origin: http://\(page.host)\r\n"
        #expect(try await page.post("{\"action\":\"ok\"}", "").status == 403)
        for type in ["text/plain", "application/x-www-form-urlencoded", "application/json-but-not-quite"] {
            #expect(try await page.post("{\"action\":\"ok\"}", own, type: type).status == 415)
        }
        #expect(try await page.raw("GET /act HTTP/1.1\r\nHost: \(page.host)\r\nConnection: close\r\n\r\n").status == 405)
        #expect(try await page.raw("DELETE / HTTP/1.1\r\nHost: \(page.host)\r\n\(own)Connection: close\r\n\r\n").status == 405)
        #expect(try await page.get("/../etc/passwd").status == 404)
        #expect(page.box.requests == [])
        #expect(
            try await page.post("{\"action\":\"ok\"}", "Sec-Fetch-Site: same-origin\r\n", type: "application/json; charset=utf-8").status
                == 200)
        await page.stop()
    }
}

import Accounts
import Foundation
import HubServices
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Telephone numbers that are verified, and those that cannot be.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PhoneTests {
    private func change(_ web: WebFixture, _ member: Member, phone: String) async throws {
        let profile = ["firstName": "Ada", "lastName": "Example", "phone": phone]
        #expect(try await web.post("/profile", profile, cookie: member.cookie).status == 200)
    }

    @Test("ACC-3: a hub without a way to send text messages calls no number verified, and says so")
    func without() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.organiser, "ada@example.org")
            try await change(web, ada, phone: "+39 333 1234567")
            let page = try await web.send(.GET, "/phone", cookie: ada.cookie).body
            #expect(page.contains("+393331234567: not verified") && page.contains("cannot send text messages"))
            #expect(try await !web.send(.GET, "/home", cookie: ada.cookie).body.contains("href=\"/phone\""))
            #expect(try await web.send(.GET, "/profile", cookie: ada.cookie).body.contains("not verified"))
            #expect(try await web.post("/phone/code", [:], cookie: ada.cookie).status == 409)
            #expect(try await web.post("/phone", ["code": "000000"], cookie: ada.cookie).status == 422)
        }
    }

    /// A program that writes down what it is to send, or fails while there is a file `broken` beside it.
    private func program(in folder: TemporaryDirectory) throws -> (program: URL, said: URL) {
        let said = folder.url.appendingPathComponent("said"), program = folder.url.appendingPathComponent("sms")
        try Data("#!/bin/sh\n[ -e '\(folder.url.path)/broken' ] && exit 1\n(echo \"$1\"; cat; echo) >> '\(said.path)'\n".utf8).write(
            to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        return (program, said)
    }

    @Test("ACC-1: who signed up with a number is led from the first log-in to the proof of it, and can do it later")
    func signedUp() async throws {
        let folder = try TemporaryDirectory(), (program, said) = try program(in: folder)
        func send(_ configuration: inout HubConfiguration) { configuration.sms.command = program.path }
        try await WebFixture.run(change: send) { web in
            var form = AccountTests.person()
            form["phone"] = nil
            let without = try await web.post("/sign-up/person", form)
            #expect(without.status == 422 && without.body.contains("id=\"phone-error\""))
            form["phone"] = "+39 333 1234567"
            #expect(try await web.post("/sign-up/person", form).status == 200)
            let mails = MailCatcher(directory: web.directory.url)
            let link = try mails.link(in: try await mails.mail(to: "ada@example.org", with: "/confirm/"), "/confirm/")
            #expect(try await web.post(link, ["password": AccountTests.password]).status == 303)
            func logIn() async throws -> WebFixture.Answer {
                try await web.post("/log-in", ["email": "ada@example.org", "password": AccountTests.password])
            }
            let first = try await logIn()
            #expect(first.header("location") == "/phone")
            let cookie = String(try #require(first.headers["set-cookie"].first { $0.contains("session") }).prefix { $0 != ";" })
            let page = try await web.send(.GET, "/phone", cookie: cookie).body
            #expect(page.contains("+393331234567: not verified") && page.contains("href=\"/home\">Not now"))
            #expect(try await web.send(.GET, "/home", cookie: cookie).status == 200, "nobody is held up")
            #expect(try await web.post("/phone/code", [:], cookie: cookie).status == 200)
            let code = try #require(try String(contentsOf: said, encoding: .utf8).firstMatch(of: /code: ([0-9]{6})\./)).output.1
            #expect(try await web.post("/phone", ["code": String(code)], cookie: cookie).body.contains("Your number is verified"))
            #expect(try await logIn().header("location") == "/home")
        }
    }

    @Test("ACC-1, ACC-3: a number is verified by a code in a text message: once, for that number, with few tries and few messages")
    func verified() async throws {
        let folder = try TemporaryDirectory(), (program, said) = try program(in: folder)
        func send(_ configuration: inout HubConfiguration) { configuration.sms.command = program.path }
        try await WebFixture.run(change: send) { web in
            let ada = try web.member(.organiser, "ada@example.org"), eve = try web.member(.organiser, "eve@example.org")
            for member in [ada, eve] { try await change(web, member, phone: "+39 333 1234567") }
            // Whoever is new is led there.
            #expect(try await web.send(.GET, "/home", cookie: ada.cookie).body.contains("href=\"/phone\""))
            func code() throws -> String {
                let text = try String(contentsOf: said, encoding: .utf8)
                #expect(text.contains("+393331234567\n"))
                return String(try #require(text.matches(of: /code: ([0-9]{6})\./).last).output.1)
            }
            #expect(try await web.post("/phone/code", [:], cookie: ada.cookie).body.contains("on its way"))
            let first = try code(), wrong = first == "000000" ? "000001" : "000000"
            #expect(try await web.post("/phone", ["code": first], cookie: eve.cookie).status == 422)
            for _ in 0..<5 { #expect(try await web.post("/phone", ["code": wrong], cookie: ada.cookie).status == 422) }
            #expect(try await web.post("/phone", ["code": first], cookie: ada.cookie).body.contains("no code that works"))
            #expect(try await web.post("/phone/code", [:], cookie: ada.cookie).status == 200)
            #expect(try await web.post("/phone", ["code": try code()], cookie: ada.cookie).body.contains("Your number is verified"))
            #expect(try await web.send(.GET, "/profile", cookie: ada.cookie).body.contains("+393331234567: verified on"))
            #expect(try await !web.send(.GET, "/home", cookie: ada.cookie).body.contains("href=\"/phone\""))
            #expect(try await web.post("/phone", ["code": try code()], cookie: ada.cookie).status == 422)

            // Another number is not verified by that.
            try await change(web, ada, phone: "+39 333 7654321")
            #expect(try await web.send(.GET, "/phone", cookie: ada.cookie).body.contains("+393337654321: not verified"))
            try Data().write(to: folder.url.appendingPathComponent("broken"))
            #expect(try await web.post("/phone/code", [:], cookie: ada.cookie).status == 502)
            let last = try await web.post("/phone/code", [:], cookie: ada.cookie)
            #expect(last.status == 429 && Int(last.header("retry-after") ?? "") ?? 0 > 0)
        }
    }

    @Test("ACC-1, ACC-17: a program that is none, and an age that cannot be, are told at the start")
    func configuration() throws {
        var configuration = HubConfiguration(directory: try TemporaryDirectory().url)
        configuration.sms.command = "/nowhere/sms"
        #expect(throws: HubConfigurationError.self) { try configuration.check() }
        configuration.sms.command = nil
        configuration.ownAge = 12
        #expect(throws: HubConfigurationError.self) { try configuration.check() }
        configuration.ownAge = 18
        #expect(throws: Never.self) { try configuration.check() }
    }
}

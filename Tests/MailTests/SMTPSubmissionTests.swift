import Foundation
import TestSupport
import Testing

@testable import Mail

/// A real server each time: TLS, log-in, refusals, silence.
@Suite("Handing mail to a server", .timeLimit(.minutes(2)))
struct SMTPSubmissionTests {
    private static func server(_ mail: TestMailServer, isPlain: Bool = false, user: (String, String)? = nil) throws -> SMTPServer {
        var server = try #require(SMTPServer("smtp://127.0.0.1:\(mail.port)", isPlain: isPlain))
        (server.authority, server.user, server.password) = (isPlain ? nil : mail.authority, user?.0, user?.1)
        return server
    }

    private static func message(to: String = "anna@example.org", text: String = "Hello.\n") throws -> MailMessage {
        try MailMessage(
            from: MailAddress("hub@example.org"), to: MailAddress(to), subject: "Help", text: text, date: 1_750_000_000_123,
            id: "1234@hub.example")
    }

    private func problem(_ carrier: SMTPSubmission, _ message: MailMessage, as urgency: MailUrgency = .alarm) async -> MailProblem? {
        do { try await carrier.send(message, as: urgency) } catch { return error }
        return nil
    }

    /// With time limits that a test can wait for, in milliseconds.
    private func carrier(_ server: SMTPServer, handOver: Int64 = 20_000, limit: Int64 = 30_000, atOnce: Int = 64) -> SMTPSubmission {
        SMTPSubmission(
            server, alarmsAtOnce: atOnce, handOverLimits: [.alarm: handOver, .ordinary: handOver],
            limits: [.alarm: limit, .ordinary: limit])
    }

    @Test("SOS-5: STARTTLS, log-in and the message as it is: lines of the network, dots, umlauts; one connection carries many")
    func whole() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.login = ("hub", "secret, with = signs")
        let mail = try await TestMailServer(behaviour)
        let carrier = carrier(try Self.server(mail, user: ("hub", "secret, with = signs")))
        let message = try Self.message(
            text: "È vero.\n.\n..two\n" + String(repeating: "A long line of text that fills buffers.\n", count: 5000))
        for _ in 0..<3 { try await carrier.send(message, as: .alarm) }
        #expect(mail.connections == 1 && mail.got.count == 3)
        for got in mail.got {
            #expect(got.isSecure && got.user == "hub" && got.from == "hub@example.org" && got.to == "anna@example.org")
            #expect(got.text.replacingOccurrences(of: "\r\n", with: "\n") == String(decoding: message.encoded, as: UTF8.self))
        }
        #expect(mail.commands.prefix(5) == ["EHLO", "STARTTLS", "EHLO", "AUTH", "MAIL"])
        try await mail.close()
    }

    @Test("SOS-5: messages at once have connections of their own, so many at most, that are kept; ordinary ones have others")
    func kept() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.delay = 50
        let mail = try await TestMailServer(behaviour), carrier = carrier(try Self.server(mail, isPlain: true), atOnce: 8)
        for urgency in [MailUrgency.alarm, .ordinary, .alarm] {
            try await withThrowingTaskGroup { group in
                for _ in 0..<40 { group.addTask { try await carrier.send(Self.message(), as: urgency) } }
                try await group.waitForAll()
            }
        }
        #expect(mail.got.count == 120 && mail.openMost <= 12 && mail.connections <= 12, "\(mail.connections)")
    }

    @Test("SOS-20: ordinary mails that hang delay no alarm")
    func hangingOrdinary() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.fallsSilentAt = "RCPT"
        let mail = try await TestMailServer(behaviour), carrier = carrier(try Self.server(mail, isPlain: true))
        let hanging = (0..<20).map { _ in Task { await problem(carrier, try Self.message(), as: .ordinary) } }
        while mail.commands.count(where: { $0 == "RCPT" }) < SMTPSubmission.ordinaryAtOnce { try await Task.sleep(for: .milliseconds(5)) }
        mail.behaviour = .init()
        #expect(await problem(carrier, try Self.message()) == nil)
        #expect(mail.got.count == 1)
        for task in hanging { task.cancel() }
        for task in hanging { _ = try await task.value }
    }

    @Test("SOS-19: a recipient that is refused is told from one that has to wait, with what the server said and without an address")
    func refusals() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.answers = [
            "RCPT": [
                "gone@example.org": "550-5.1.1 no\r\n550 5.1.1 <gone@example.org> is unknown", "later@example.org": "450 4.2.0 greylisted",
            ],
            ".": ["spam@example.org": "554 5.7.1 content", "full@example.org": "452 4.3.1 disk full"],
        ]
        let mail = try await TestMailServer(behaviour), server = try Self.server(mail, isPlain: true), carrier = carrier(server)
        let expected: [(String, MailProblem, Bool)] = [
            ("gone@example.org", .rejected(server: server.name, code: 550, said: "5.1.1 (address) is unknown"), false),
            ("later@example.org", .deferred(server: server.name, code: 450, said: "4.2.0 greylisted"), true),
            ("spam@example.org", .rejected(server: server.name, code: 554, said: "5.7.1 content"), false),
            ("full@example.org", .deferred(server: server.name, code: 452, said: "4.3.1 disk full"), true),
        ]
        for (address, problem, retries) in expected {
            #expect(await self.problem(carrier, try Self.message(to: address)) == problem)
            #expect(problem.retries == retries && !problem.mayHaveLeft && !problem.description.contains("example.org"))
        }
        #expect(await problem(carrier, try Self.message()) == nil && mail.got.count == 1)
        // What it says of the sender concerns every message: the operator can mend it.
        mail.behaviour.answers = ["MAIL": ["": "550 5.7.1 sender not yours"]]
        let barred = await problem(carrier, try Self.message())
        #expect(barred == .barred(server: server.name, code: 550, said: "5.7.1 sender not yours") && barred?.retries == true)
    }

    @Test("SOS-5: nothing is sent in the open, to a stranger's certificate, or with a wrong password, and the log says what to do")
    func insecure() async throws {
        var behaviour = TestMailServer.Behaviour()
        (behaviour.offersTLS, behaviour.login) = (false, ("hub", "right"))
        let mail = try await TestMailServer(behaviour), user = ("hub", "wrong")
        let open = try #require(await problem(carrier(try Self.server(mail, user: user)), try Self.message()))
        guard case .insecure = open else {
            Issue.record("\(open)")
            return
        }
        #expect(open.description.contains("hub.mail.tls") && open.retries)
        mail.behaviour.offersTLS = true
        var stranger = try Self.server(mail, user: user)
        stranger.authority = nil
        let untrusted = try #require(await problem(carrier(stranger), try Self.message()))
        guard case .insecure = untrusted else {
            Issue.record("\(untrusted)")
            return
        }
        #expect(
            untrusted.description.contains("hub.mail.authority") && !mail.commands.contains("AUTH"), "no password before the certificate")
        let name = try Self.server(mail).name
        #expect(
            await problem(carrier(try Self.server(mail, user: user)), try Self.message())
                == .barred(server: name, code: 535, said: "5.7.8 wrong password"))
        #expect(mail.got.isEmpty)
    }

    @Test(
        "SOS-22: a server that hangs, or is not there, is given up after the limit; nothing can have left",
        arguments: ["greeting", "MAIL", "RCPT", "DATA"])
    func hanging(command: String) async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.fallsSilentAt = command
        let mail = try await TestMailServer(behaviour), server = try Self.server(mail, isPlain: true)
        let found = try #require(await problem(carrier(server, handOver: 1000), try Self.message()))
        guard case .unreachable = found else {
            Issue.record("\(found)")
            return
        }
        #expect(found.retries && !found.mayHaveLeft && mail.got.isEmpty)
        try await mail.close()
        guard case .unreachable = try #require(await problem(carrier(server), try Self.message())) else {
            Issue.record("no server")
            return
        }
    }

    @Test("SOS-7: a message that the server had and said nothing about is told from one that did not leave", arguments: [true, false])
    func unanswered(hangsUp: Bool) async throws {
        var behaviour = TestMailServer.Behaviour()
        if hangsUp { behaviour.hangsUpAt = "." } else { behaviour.fallsSilentAt = "." }
        let mail = try await TestMailServer(behaviour)
        let found = try #require(await problem(carrier(try Self.server(mail, isPlain: true), limit: 2000), try Self.message()))
        guard case .unanswered = found else {
            Issue.record("\(found)")
            return
        }
        #expect(found.mayHaveLeft && mail.got.count == 1, "once, also on a connection that was new")
    }

    @Test("SOS-7: a late answer behind the end of a message is waited for")
    func late() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.delay = 2500
        let mail = try await TestMailServer(behaviour)
        #expect(await problem(carrier(try Self.server(mail, isPlain: true), handOver: 1000), try Self.message()) == nil)
        #expect(mail.got.count == 1)
    }

    @Test("SOS-7: a kept connection that broke meanwhile costs no message its try, and none leaves twice", arguments: [true, false])
    func broken(says421: Bool) async throws {
        let mail = try await TestMailServer(), carrier = carrier(try Self.server(mail, isPlain: true))
        #expect(await problem(carrier, try Self.message()) == nil)
        if says421 { mail.behaviour.messagesPerConnection = 1 } else { mail.behaviour.hangsUpAt = "RCPT" }
        let found = await problem(carrier, try Self.message())
        if says421 {
            #expect(found == nil && mail.got.count == 2 && mail.connections == 2)
        } else {
            // The new connection broke too: that is the server's will.
            guard case .unreachable? = found else {
                Issue.record("\(String(describing: found))")
                return
            }
            #expect(mail.got.count == 1 && mail.connections == 2)
        }
    }

    @Test("SOS-7: a task that is cancelled before the server has the message sends nothing")
    func cancelled() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.fallsSilentAt = "RCPT"
        let mail = try await TestMailServer(behaviour), carrier = carrier(try Self.server(mail, isPlain: true))
        let task = Task { await problem(carrier, try Self.message()) }
        while !mail.commands.contains("RCPT") { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        #expect(try await task.value == .stopped)
    }

    @Test("SOS-5: addresses of servers: ports, brackets, and no plain line to another machine")
    func addresses() throws {
        func parts(_ text: String, isPlain: Bool = false) -> [String]? {
            SMTPServer(text, isPlain: isPlain).map { [$0.host, "\($0.port)", "\($0.security)", $0.url] }
        }
        #expect(parts("smtp://mail.example.org") == ["mail.example.org", "587", "startTLS", "smtp://mail.example.org:587"])
        #expect(parts("smtps://mail.example.org/") == ["mail.example.org", "465", "tls", "smtps://mail.example.org:465"])
        #expect(parts("smtp://[2001:db8::1]:2525") == ["[2001:db8::1]", "2525", "startTLS", "smtp://[2001:db8::1]:2525"])
        #expect(parts("smtp://localhost", isPlain: true) == ["localhost", "25", "none", "smtp://localhost:25"])
        for wrong in [
            "mail.example.org", "http://mail", "smtp://", "smtp://a b", "smtp://a:0", "smtp://a:x", "smtp://u@a", "smtp://a/x",
            "smtp://[::1]x",
        ] {
            #expect(parts(wrong) == nil, "\(wrong)")
        }
        #expect(parts("smtp://mail.example.org", isPlain: true) == nil && parts("smtps://localhost", isPlain: true) == nil)
    }
}

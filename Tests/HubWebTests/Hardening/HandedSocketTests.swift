import Foundation
import Logging
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import HubWeb

/// A socket that listens, and that somebody keeps while hubs come and go, as systemd does.
private final class KeptSocket: Sendable {
    let descriptor: Int32
    let port: Int

    /// - Parameter listens: false for one that is only bound.
    init(listens: Bool = true) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard descriptor >= 0, isBound, !listens || listen(descriptor, 128) == 0 else { throw CocoaError(.fileReadUnknown) }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    /// For a hub, which closes what it gets.
    func handed() throws -> HandedSockets { try HandedSockets([dup(descriptor)]) }
}

@Suite(.serialized, .timeLimit(.minutes(4)))
struct HandedSocketTests {
    private static let question = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test("OPS-4: a hub serves on the socket that it is handed, and answers who came before it")
    func served() async throws {
        let kept = try KeptSocket(), early = try await RawConnection(port: kept.port, authority: nil)
        await early.say(Self.question)
        let directory = try TemporaryDirectory()
        try await WebFixture.run(in: directory, sockets: kept.handed()) { web in
            #expect(web.url == "https://127.0.0.1:\(kept.port)")
            let answer = try await web.send(.GET, "/healthz").body
            #expect(answer == "ok")
            // It does not speak TLS, but it was taken.
            #expect(try await early.answer().isClosed)
        }
    }

    @Test("OPS-4: the hub's settings follow the socket; what is no listening TCP socket is refused, with what to look at")
    func address() throws {
        let kept = try KeptSocket(), sockets = try HandedSockets([dup(kept.descriptor)])
        var configuration = HubConfiguration(directory: URL(filePath: "/nowhere"))
        (configuration.listen.host, configuration.listen.port) = ("0.0.0.0", 9443)
        let applied = sockets.applied(to: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(applied.listen.host == "127.0.0.1" && applied.listen.port == kept.port)
        #expect(HandedSockets.none.applied(to: configuration, logger: Logger(label: "test")).listen.port == 9443)
        for descriptor in sockets.descriptors { close(descriptor) }
        let bound = try KeptSocket(listens: false)
        let problem = #expect(throws: HubConfigurationError.self) { try HandedSockets([bound.descriptor]) }
        #expect(problem?.description.contains("trackme-hub.socket") == true)
        #expect(throws: HubConfigurationError.self) { try HandedSockets([1_000_000]) }
    }

    /// What askers found, each with a connection for every question.
    private struct Answers: Sendable {
        var good = 0
        var bad: [String] = []
        var isOver = false
        var ended = 0
    }

    private static let askers = 8

    @Test("OPS-4, PERF-4: hubs that follow each other on one socket answer everybody, over TLS, also who comes while there is none")
    func restarts() async throws {
        let kept = try KeptSocket(), directory = try TemporaryDirectory(), answers = Locked(Answers())
        let authority = directory.url.appendingPathComponent("ca.pem")
        func more(_ count: Int) async throws {
            let goal = answers.current.good + count
            while answers.current.good < goal, answers.current.bad.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                try await WebFixture.run(in: directory, sockets: kept.handed()) { _ in
                    if number == 0 {
                        for _ in 0..<Self.askers { group.addTask { try await Self.ask(kept.port, authority, answers) } }
                    }
                    try await more(40)
                    guard number == 3 else { return }
                    answers.change { $0.isOver = true }
                    while answers.current.ended < Self.askers { try await Task.sleep(for: .milliseconds(5)) }
                }
            }
            try await group.waitForAll()
        }
        #expect(answers.current.bad.isEmpty, "\(answers.current.bad.prefix(3))")
        #expect(answers.current.good >= 160)
    }

    private static func ask(_ port: Int, _ authority: URL, _ answers: Locked<Answers>) async throws {
        defer { answers.change { $0.ended += 1 } }
        while !answers.current.isOver {
            let connection = try await RawConnection(port: port, authority: authority)
            await connection.say(question)
            let heard = try await connection.answer(within: 60) { $0.text.hasSuffix("\r\n\r\nok") || $0.isClosed }
            let text = heard.text
            answers.change { if text.hasPrefix("HTTP/1.1 200") { $0.good += 1 } else { $0.bad.append("closed after '\(text)'") } }
            await connection.close()
        }
    }

    @Test(
        "OPS-4: a hub that ends answers who came before and had not asked yet, and says that the connection ends; an idle one ends at once")
    func leaves() async throws {
        let found = Locked("")
        var asking: Task<Void, any Error>?
        try await WebFixture.run { web in
            let port = try #require(URL(string: web.url)?.port), authority = web.directory.url.appendingPathComponent("ca.pem")
            let new = try await RawConnection(port: port, authority: authority)
            let used = try await RawConnection(port: port, authority: authority)
            await used.say(Self.question)
            #expect(try await used.answer { $0.text.hasSuffix("ok") || $0.isClosed }.text.hasSuffix("ok"))
            asking = Task {
                // The hub ends.
                #expect(try await used.answer(within: 60).isClosed)
                await new.say(Self.question)
                let text = try await new.answer(within: 60).text
                found.change { $0 = text }
            }
        }
        try await asking?.value
        let text = found.current
        #expect(text.hasPrefix("HTTP/1.1 200") && text.hasSuffix("ok"), "\(text)")
        #expect(text.lowercased().contains("\r\nconnection: close\r\n"), "\(text)")
    }

    @Test("OPS-4: an answer that is under way when the hub ends is given whole")
    func answered() async throws {
        let found = Locked("")
        var asking: Task<Void, any Error>?
        try await WebFixture.run { web in
            let port = try #require(URL(string: web.url)?.port), authority = web.directory.url.appendingPathComponent("ca.pem")
            let slow = try await RawConnection(port: port, authority: authority)
            let idle = try await RawConnection(port: port, authority: authority)
            // The hub waits for the rest of the form.
            await slow.say(
                "POST /log-in HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 7\r\n\r\nemail"
            )
            await idle.say(Self.question)
            #expect(try await idle.answer { $0.text.hasSuffix("ok") || $0.isClosed }.text.hasSuffix("ok"))
            asking = Task {
                #expect(try await idle.answer(within: 60).isClosed)
                await slow.say("=x")
                let text = try await slow.answer(within: 60).text
                found.change { $0 = text }
            }
        }
        try await asking?.value
        let text = found.current
        #expect(text.hasPrefix("HTTP/1.1 422") && text.contains("</html>"), "\(text.prefix(200))")
        #expect(text.lowercased().contains("\r\nconnection: close\r\n"))
    }

    @Test("OPS-4: an open live page holds up no hub that ends: its stream is ended, as whole as it was")
    func streams() async throws {
        let opened = Locked<RawConnection?>(nil)
        try await WebFixture.run { web in
            let port = try #require(URL(string: web.url)?.port), authority = web.directory.url.appendingPathComponent("ca.pem")
            let cookie = try await web.cookie(), page = try await RawConnection(port: port, authority: authority)
            await page.say("GET /people/\(web.person)/live HTTP/1.1\r\nHost: localhost\r\nCookie: \(cookie)\r\n\r\n")
            let heard = try await page.answer { $0.text.contains("watching") || $0.isClosed }
            #expect(heard.text.contains("text/event-stream") && !heard.isClosed, "\(heard.text)")
            opened.change { $0 = page }
        }
        let heard = try await #require(opened.current).answer()
        #expect(heard.isClosed && heard.text.hasSuffix("0\r\n\r\n"), "\(heard.text)")
    }

    @Test(
        "OPS-4: the field Date is written as RFC 9110 wants it",
        arguments: [(784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT")])
    func date(second: Int64, text: String) {
        #expect(DateHeader.text(of: second) == text)
        #expect(DateHeader().text(at: second * 1000 + 999) == text)
    }
}

import Alerts
import AsyncHTTPClient
import Foundation
import HubStore
import Logging
import Telephony
import TestSupport
import Testing
import Vitals
import WebPush

@testable import HubServices
@testable import HubWeb

/// Ways out that a look finds whole and that a message shows to be broken, in each manner, and a telephone whose program is gone: told within 60 s
/// (``WayBreakTests``).
@Suite(.serialized, .timeLimit(.minutes(20)))
struct WayMessageTests {
    @Test("SOS-22, SOS-18: a control room by HTTPS that is there and does not take the alarm is told within 60 s of the attempt")
    func webRoomRefuses() async throws {
        let server = try await HookServer(), town = try await WayBreakTests.town(room: server)
        try await town.told("message to a control room by HTTPS, status 500", uses: .room("Milan")) {
            server.answer(.status(500))
        } repair: {
            server.answer(.status(204))
        }
        try await server.close()
    }

    enum SIPRefusal: String, CaseIterable, Sendable { case refused, noAnswer }

    @Test(
        "SOS-22, SOS-18: a control room by SIP that answers a look, and refuses the alarm or says nothing to it, is told within 60 s of the attempt",
        arguments: SIPRefusal.allCases)
    func roomRefuses(refusal: SIPRefusal) async throws {
        let server = try await LineServer(.says(WayBreakTests.sipOK), isDatagram: true)
        let town = try await WayBreakTests.town(room: server)
        // An answer is waited for a second here, and 32 s in a real hub.
        try await town.told(
            "message to a control room by SIP, \(refusal)", spent: refusal == .noAnswer ? 32 : 0, uses: .room("Milan")
        ) {
            switch refusal {
            case .refused: server.become(.says(WayBreakTests.sipOK.replacing("200 OK", with: "403 Forbidden")))
            case .noAnswer: server.become(.saysOnly(WayBreakTests.sipOK, to: "OPTIONS"))
            }
        } repair: {
            server.become(.says(WayBreakTests.sipOK))
        }
        try await server.close()
    }

    // MARK: Push

    enum PushRefusal: String, CaseIterable, Sendable {
        case refused, unavailable, noAnswer

        var answer: HookServer.Answer {
            switch self {
            case .refused: .status(403)
            case .unavailable: .status(503)
            case .noAnswer: .silence
            }
        }
    }

    @Test(
        "SOS-22, SOS-18: a push service that answers a look, and refuses messages or says nothing to them, is told within 60 s of the attempt",
        arguments: PushRefusal.allCases)
    func pushRefuses(refusal: PushRefusal) async throws {
        let server = try await HookServer(), path = "/send/made-up"
        let inside = EgressPolicy(allowed: ["127.0.0.1"].compactMap { IPNetwork($0) })
        let town = try await WayTown(contact: nil, outside: server.trust) { hub, parent in
            // The parent's telephone is the only way to anybody.
            var browser = TestBrowser()
            browser.endpoint = "https://127.0.0.1:\(server.port)\(path)"
            try PushDevices(store: hub.accounts.pushes, addresses: inside)
                .add(String(decoding: browser.json(), as: UTF8.self), name: "Phone", to: parent, now: 0)
            try hub.accounts.notices.setNoticeWays([.sosRaised: .push], of: parent)
        } change: { _, _ in
        }
        // As the hub's own, which does not run here, but for its patience: ten seconds.
        let sender = PushSender(
            store: town.hub.accounts.pushes,
            client: try EgressClient(
                addresses: inside, configuration: .init(tlsConfiguration: server.trust), limit: .milliseconds(250)),
            key: try ServerKey(of: town.hub.accounts), contact: "mailto:hub@example.org",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            now: { [clock = town.clock] in clock.now }, ways: town.ways,
            write: { _ in .init(title: "x", text: "y", url: "/notices", tag: "z", lang: "en") })
        func deliver() async throws { _ = try await sender.sendDue() }
        try await town.told(
            "message by a push service, \(refusal)", spent: refusal == .noAnswer ? 10 : 0, uses: .push("127.0.0.1:\(server.port)"),
            deliver: deliver
        ) {
            server.answer(refusal.answer, at: path)
        } repair: {
            server.answer(.status(201), at: path)
            // Those that were left without an answer end.
            server.answer(.status(204))
        }
        try await server.close()
    }

    // MARK: Telephone

    /// Takes commands at its port, and answers probes for the trunk.
    private static let line = #"""
        echo $$ >"$0.pid"
        exec python3 -c '
        import re, socket, sys
        port = re.search(r"ctrl_tcp_listen 127\.0\.0\.1:(\d+)", open(sys.argv[2] + "/config").read()).group(1)
        link, _ = socket.create_server(("127.0.0.1", int(port))).accept()
        while words := link.recv(4096):
            if b"options" in words: print("OPTIONS of the trunk: 200 OK", flush=True)
        ' "$@"
        """#

    private func until(_ what: String, _ isDone: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !isDone() {
            try #require(ContinuousClock.now < end, "\(what)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test(
        "SOS-22, SOS-18: telephone lines whose program ends and is not there any more are told within 60 s",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "/usr/bin/python3 plays a line's program"))
    func noLine() async throws {
        let contact = SOSContact(name: "Bruno", phone: "+39021", email: nil, language: "it", isTexted: false)
        var tries = WayTries("telephone line, its program is gone")
        defer { print(tries.line) }
        var random = SeededGenerator(seed: WayTries.seed(25))
        // Each time other lines: those that failed often are started again after a minute only.
        for number in 0..<WayTries.count() {
            let town = try await WayTown(contact: contact) { hub, _ in
                let voice = try #require(hub.sos.outlets.voice as? TrunkVoice)
                voice.lines.start()
                try await until("a line that is ready") { voice.problem == nil }
            } change: { configuration, folder in
                let path = folder.appendingPathComponent("baresip").path
                try WayTown.write(Self.line, to: path)
                configuration.voice.account = "sip:hub@127.0.0.1:9"
                (configuration.voice.registers, configuration.voice.lines) = (false, 1)
                (configuration.voice.program, configuration.voice.speaker) = (path, path)
            }
            let voice = try #require(town.hub.sos.outlets.voice as? TrunkVoice), path = town.program("baresip")
            let phase = Int.random(in: 0..<10, using: &random)
            try await town.pass(30 + Int.random(in: 0..<30, using: &random), phase: phase)
            let view = try town.hub.sos.views.view(of: town.person.id.person)
            #expect(view?.reasons.contains("waysFailed") == false, "whole before try \(number)")
            let process = try #require(Int32(String(contentsOfFile: "\(path).pid", encoding: .utf8).trimmingCharacters(in: .newlines)))
            let began = town.clock.now, start = ContinuousClock.now
            try FileManager.default.removeItem(atPath: path)
            kill(process, SIGKILL)
            try await until("a program that is missed") { voice.problem?.contains("not installed") == true }
            let spent = Int((ContinuousClock.now - start).components.seconds) + 1
            let seconds =
                try await town.pass(120, phase: phase) {
                    try town.isTold(since: began) && town.isOperatorTold(since: began)
                } + spent
            tries.add(seconds)
            #expect(seconds <= WayTries.limit, "try \(number), with the seed \(WayTries.seed(25))")
            await voice.lines.stop()
        }
    }
}

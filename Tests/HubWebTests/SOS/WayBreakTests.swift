import Alerts
import Foundation
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// Each way out is broken in turn, in each manner that a probe or an attempt can see, at a moment of its own: the person, who looks after them, and
/// the operator are told within 60 s (docs/alerts.md has the list). Programs and servers are real; the clock is the test's.
/// ``WayTries`` says how often. What only a message shows, but for programs, is in `WayMessageTests`.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct WayBreakTests {
    /// Seconds from a message that failed to the look at whom it was for, which is due each 10 s.
    private static let lookTime = 20
    private static let mailContact = SOSContact(name: "Bruno", phone: nil, email: "bruno@example.org", language: "en")
    private static let textContact = SOSContact(name: "Bruno", phone: "+393330000000", email: nil, language: "en")

    enum ProgramFault: String, CaseIterable, Sendable {
        case missing, notExecutable, folder, danglingLink

        func apply(to path: String) throws {
            let files = FileManager.default
            switch self {
            case .missing: try files.removeItem(atPath: path)
            case .notExecutable: try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            case .folder:
                try files.removeItem(atPath: path)
                try files.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .danglingLink:
                try files.removeItem(atPath: path)
                try files.createSymbolicLink(atPath: path, withDestinationPath: "\(path).gone")
            }
        }
    }

    @Test("SOS-22, SOS-18: a mail program that is gone is told within 60 s, by a look alone", arguments: ProgramFault.allCases)
    func mailProgram(fault: ProgramFault) async throws {
        let town = try await WayTown(contact: Self.mailContact) { _, _ in }, path = town.program("mail")
        try await town.told("mail program, \(fault)") {
            try fault.apply(to: path)
        } repair: {
            try WayTown.write("exit 0", to: path)
        }
    }

    @Test("SOS-22, SOS-18: a program for texts that is gone is told within 60 s, by a look alone", arguments: ProgramFault.allCases)
    func textProgram(fault: ProgramFault) async throws {
        let town = try await WayTown(contact: Self.textContact, change: Self.withTexts), path = town.program("text")
        try await town.told("program for texts, \(fault)") {
            try fault.apply(to: path)
        } repair: {
            try WayTown.write("exit 0", to: path)
        }
    }

    private static func withTexts(_ configuration: inout HubConfiguration, _ folder: URL) throws {
        let path = folder.appendingPathComponent("text").path
        try WayTown.write("exit 0", to: path)
        (configuration.sms.command, configuration.sms.limit) = (path, 300)
    }

    /// What only a message shows: the program is there, and sends nothing.
    enum Refusal: String, CaseIterable, Sendable {
        case refuses = "echo no credit >&2; exit 1"
        case later = "exit 75"
        case crashes = "kill -9 $$"
        case hangs = "exec sleep 100"
        case noInterpreter = "#"

        func apply(to path: String) throws {
            guard self == .noInterpreter else { return try WayTown.write(rawValue, to: path) }
            try Data("#!/nowhere/sh\n".utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    @Test("SOS-22, SOS-18: texts that do not leave are told within 60 s of the attempt", arguments: Refusal.allCases)
    func textRefused(refusal: Refusal) async throws {
        let town = try await WayTown(contact: Self.textContact, change: Self.withTexts), path = town.program("text")
        // One recipient alone may be a wrong number: the way has not failed, and the operator hears of the person without one.
        let spent = refusal == .hangs ? 20 : 0
        try await town.told(
            "message by the program for texts, \(refusal)", spent: spent, uses: .text, within: spent + Self.lookTime
        ) {
            try refusal.apply(to: path)
        } repair: {
            try WayTown.write("exit 0", to: path)
        }
    }

    @Test("SOS-22, SOS-18: mails that do not leave are told within 60 s of the attempt", arguments: Refusal.allCases)
    func mailRefused(refusal: Refusal) async throws {
        let town = try await WayTown(contact: Self.mailContact) { configuration, _ in configuration.mail.limit = 300 }
        let path = town.program("mail")
        let spent = refusal == .hangs ? 30 : 0
        try await town.told(
            "message by the mail program, \(refusal)", spent: spent, uses: .mail, within: spent + Self.lookTime
        ) {
            try refusal.apply(to: path)
        } repair: {
            try WayTown.write("exit 0", to: path)
        }
    }

    enum ServerFault: String, CaseIterable, Sendable {
        case closed, silent, hangsUp, takesNoMail, isNoMailServer

        func apply(to server: LineServer) async throws {
            switch self {
            case .closed: try await server.close()
            case .silent: server.become(.silent)
            case .hangsUp: server.become(.hangsUp)
            case .takesNoMail: server.become(.says("554 no mail today\r\n"))
            case .isNoMailServer: server.become(.says("SSH-2.0-OpenSSH_9.2\r\n"))
            }
        }
    }

    @Test("SOS-22, SOS-18: a mail server that does not greet is told within 60 s, by a look alone", arguments: ServerFault.allCases)
    func mailServer(fault: ServerFault) async throws {
        let server = try await LineServer(.says("220 made-up ready\r\n"))
        let town = try await WayTown(contact: Self.mailContact) { configuration, _ in
            configuration.mail.tls = false
            (configuration.mail.server, configuration.mail.greetingLimit) = ("smtp://127.0.0.1:\(server.port)", 100)
        }
        // Two looks, four seconds each.
        try await town.told("mail server, \(fault)", spent: fault == .silent ? 8 : 0) {
            try await fault.apply(to: server)
        } repair: {
            server.become(.says("220 made-up ready\r\n"))
            try await server.open()
        }
        try await server.close()
    }

    static let sipOK =
        "SIP/2.0 200 OK\r\n{Via}\r\n{From}\r\n{To};tag=1\r\n{Call-ID}\r\n{CSeq}\r\nContent-Length: 0\r\n\r\n"

    /// A town whose one control room is reached by SIP.
    static func town(room server: LineServer) async throws -> WayTown {
        try await WayTown(contact: nil) { configuration, _ in
            (configuration.sos.rooms, configuration.sos.checkLimit) = (["Milan=sip:127.0.0.1:\(server.port)"], 200)
        }
    }

    /// A town whose one control room is reached by HTTPS.
    static func town(room server: HookServer) async throws -> WayTown {
        try await WayTown(contact: nil) { configuration, _ in
            (configuration.sos.rooms, configuration.sos.secret) = (["Milan=https://127.0.0.1:\(server.port)/sos"], "made-up")
            (configuration.sos.authority, configuration.sos.checkLimit) = (server.authority, 250)
        }
    }

    enum RoomFault: String, CaseIterable, Sendable { case closed, silent, unavailable }

    @Test("SOS-22, SOS-18: a control room by SIP that answers no OPTIONS any more is told within 60 s", arguments: RoomFault.allCases)
    func room(fault: RoomFault) async throws {
        let server = try await LineServer(.says(Self.sipOK), isDatagram: true), town = try await Self.town(room: server)
        try await town.told("control room by SIP, \(fault)", spent: fault == .silent ? 10 : 0) {
            switch fault {
            case .closed: try await server.close()
            case .silent: server.become(.silent)
            case .unavailable: server.become(.says(Self.sipOK.replacing("200 OK", with: "503 Service Unavailable")))
            }
        } repair: {
            server.become(.says(Self.sipOK))
            try await server.open()
        }
        try await server.close()
    }

    enum WebRoomFault: String, CaseIterable, Sendable { case closed, silent, strangeCertificate }

    @Test(
        "SOS-22, SOS-18: a control room by HTTPS that is gone, answers no more, or shows a certificate that nobody trusts is told within 60 s",
        arguments: WebRoomFault.allCases)
    func webRoom(fault: WebRoomFault) async throws {
        let server = try await HookServer(), town = try await Self.town(room: server)
        try await town.told("control room by HTTPS, \(fault)", spent: fault == .silent ? 10 : 0) {
            switch fault {
            case .closed: try await server.close()
            case .silent: server.answer(.silence)
            case .strangeCertificate: try await server.becomeStranger(true)
            }
        } repair: {
            switch fault {
            case .closed: try await server.open()
            case .silent: server.answer(.status(204))
            case .strangeCertificate: try await server.becomeStranger(false)
            }
        }
        try await server.close()
    }

    enum PushFault: String, CaseIterable, Sendable { case silent, unavailable }

    @Test("SOS-22, SOS-18: a push service that answers no look any more is told within 60 s of that look", arguments: PushFault.allCases)
    func push(fault: PushFault) async throws {
        let server = try await HookServer()
        let town = try await WayTown(contact: nil, outside: server.trust) { hub, parent in
            // The parent's telephone is the only way to anybody.
            let address = PushAddress(
                endpoint: "https://127.0.0.1:\(server.port)/send/made-up", publicKey: [4], secret: [1], name: "Phone")
            try hub.accounts.pushes.addPushDevice(address, to: parent, now: 0)
            try hub.accounts.notices.setNoticeWays([.sosRaised: .push], of: parent)
        } change: { configuration, _ in
            configuration.webhooks.limit = .milliseconds(250)
        }
        let way = Way.push("127.0.0.1:\(server.port)"), spent = fault == .silent ? 10 : 0
        var random = SeededGenerator(seed: WayTries.seed(23)), tries = WayTries("push service, \(fault)")
        defer { print(tries.line) }
        for number in 0..<WayTries.count() {
            let phase = Int.random(in: 0..<10, using: &random)
            try await town.pass(200, phase: phase)
            #expect(!town.ways.isFailing(way), "whole before try \(number)")
            server.answer(fault == .silent ? .silence : .status(503))
            func failure() -> WaySign? { town.ways.all.first { $0.way == way }?.health.lastFailure }
            let before = failure()
            try await town.pass(620, phase: phase) { failure() != before }
            let began = town.clock.now
            let seconds =
                try await town.pass(120, phase: phase) {
                    try town.isTold(since: began) && town.isOperatorTold(since: began)
                } + spent
            tries.add(seconds)
            #expect(seconds <= WayTries.limit, "\(fault), try \(number)")
            server.answer(.status(204))
        }
        try await server.close()
    }
}

import Foundation
import Sensing
import SourceThread
import SystemBus
import TestSupport
import Testing

@testable import Peripherals

/// What happens on the desktop, in order, for one test to wait on.
private struct Desktop {
    enum Line: Equatable, Sendable {
        case event(DesktopEvent)
        case problem(SourceProblem)
    }

    let notifier: DesktopNotifier
    private var lines: AsyncStream<Line>.Iterator

    init(_ bus: BusAddress) throws {
        let (stream, feed) = AsyncStream.makeStream(of: Line.self, bufferingPolicy: .bufferingOldest(64))
        notifier = DesktopNotifier(bus: bus, report: { feed.yield(.problem($0)) }, sink: { feed.yield(.event($0)) })
        lines = stream.makeAsyncIterator()
        try notifier.start()
    }

    mutating func next() async -> Line? { await lines.next() }

    mutating func problem() async -> String? {
        guard case .problem(let problem)? = await lines.next() else { return nil }
        return problem.what
    }
}

/// A real server that draws on a screen, with a hand that chooses from its menu.
@Suite(.timeLimit(.minutes(2)), .enabled(if: DesktopSession.has("/usr/bin/dbus-daemon", "/usr/bin/Xvfb", "/usr/bin/dunst")))
struct DesktopServerTests {
    private static let question = DesktopNotice(
        key: "are-you-ok", title: "Is everything all right?", body: "Heart rate <30 & falling", urgency: .critical,
        actions: [.init(key: "ok", label: "I'm OK"), .init(key: "help", label: "Get help")])

    /// Starts dunst, whose menu chooses the line of the second action.
    private func dunst(_ session: DesktopSession, _ directory: TemporaryDirectory) throws -> Process {
        let file = directory.url.appendingPathComponent("dunstrc")
        let lines = [
            "[global]", "dmenu = /usr/bin/grep Get", "font = Sans 14", "width = 400", "origin = top-center", "show_indicators = yes",
            "markup = full", #"format = "<b>%s</b>\n%b""#,
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        return try session.start(["/usr/bin/dunst", "-conf", file.path])
    }

    @Test("EDGE-12: a real notification server shows a notice; its button comes back, a dismissal is no answer, a restart loses nothing")
    func real() async throws {
        let session = try DesktopSession(screen: true), directory = try TemporaryDirectory()
        var desktop = try Desktop(session.address)
        defer { desktop.notifier.stop() }
        #expect(await desktop.problem()?.contains("no notification server") == true)
        desktop.notifier.show(Self.question)
        let server = try dunst(session, directory)
        #expect(await desktop.next() == .event(.connected(server: "dunst", showsButtons: true)))
        try await pressed(session, &desktop)

        desktop.notifier.show(Self.question)
        try await shown(1, session)
        try screenshot(session)
        try session.run(["/usr/bin/dunstctl", "close"])
        #expect(await desktop.next() == .event(.dismissed(notice: "are-you-ok")))

        desktop.notifier.show(DesktopNotice(key: "battery", title: "Sensor battery 20 %", urgency: .critical))
        desktop.notifier.show(DesktopNotice(key: "battery", title: "Sensor battery 10 %", urgency: .critical))
        try await shown(1, session)
        session.end(server)
        var gone = await desktop.problem()
        // It may have been at the second notice.
        if gone?.contains("did not take") == true { gone = await desktop.problem() }
        #expect(gone?.contains("no notification server") == true)
        _ = try dunst(session, directory)
        #expect(await desktop.next() == .event(.connected(server: "dunst", showsButtons: true)))
        // What was put away stays away.
        try await shown(1, session)
        desktop.notifier.withdraw("battery")
        try await shown(0, session)
    }

    @Test("EDGE-12: a server that the bus starts on demand is started, and met once")
    func demanded() async throws {
        let session = try DesktopSession(screen: true)
        try session.offer("org.freedesktop.Notifications", "/usr/bin/dunst")
        var desktop = try Desktop(session.address)
        defer { desktop.notifier.stop() }
        #expect(await desktop.next() == .event(.connected(server: "dunst", showsButtons: true)))
        desktop.notifier.show(Self.question)
        try await shown(1, session)
        try session.run(["/usr/bin/dunstctl", "close"])
        #expect(await desktop.next() == .event(.dismissed(notice: "are-you-ok")))
    }

    /// The second button of the notice is pressed, and the notice is taken away, which is no dismissal.
    private func pressed(_ session: DesktopSession, _ desktop: inout Desktop) async throws {
        try await shown(1, session)
        try session.run(["/usr/bin/dunstctl", "context"])
        #expect(await desktop.next() == .event(.action(notice: "are-you-ok", action: "help")))
        // Whether the server takes it away then is the server's affair.
        desktop.notifier.withdraw("are-you-ok")
        try await shown(0, session)
    }

    /// Waits until dunst shows so many.
    private func shown(_ count: Int, _ session: DesktopSession) async throws {
        guard case .address = session.address else { return }
        let bus = try Bus(session.address)
        let ask = BusCall.get("org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.dunstproject.cmd0", "displayedLength")
        while try bus.call(ask, limit: 5000).first?.int != count { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// For who wants to see it: TRACKME_SCREENSHOT names the file.
    private func screenshot(_ session: DesktopSession) throws {
        guard let file = session.environment["TRACKME_SCREENSHOT"], DesktopSession.has("/usr/bin/import") else { return }
        usleep(500_000)
        try session.run(["/usr/bin/import", "-window", "root", file])
    }
}

@Suite(.timeLimit(.minutes(1)), .enabled(if: DesktopSession.has("/usr/bin/dbus-daemon")))
struct DesktopTests {
    @Test("EDGE-12: without a bus the notifier says so once, and finds it when it comes")
    func noBus() async throws {
        let directory = try TemporaryDirectory(), socket = directory.url.appendingPathComponent("bus").path
        var desktop = try Desktop(.address("unix:path=\(socket)"))
        #expect(await desktop.problem()?.contains("bus cannot be reached") == true)
        let session = try DesktopSession()
        try FileManager.default.createSymbolicLink(atPath: socket, withDestinationPath: session.socket)
        #expect(await desktop.problem()?.contains("no notification server") == true)
        desktop.notifier.stop()
    }

    @Test("EDGE-12: a server that is too slow at a login is met later, and shows what waits")
    func slow() async throws {
        let session = try DesktopSession(), thread = SourceThread(name: "server")
        let address = session.address
        let (shown, feed) = AsyncStream.makeStream(of: String.self)
        try thread.start { stop in
            guard let bus = try? Bus(address), (try? bus.requestName(DesktopServer.name)) != nil else { return }
            let server = try? bus.export(DesktopServer.path) { call in
                switch call.member {
                case "GetServerInformation": return [.string("slow"), .string(""), .string(""), .string("")]
                case "GetCapabilities": return [.strings([])]
                default:
                    feed.yield(call.arguments[3].string ?? "")
                    return [.uint32(7)]
                }
            }
            // Two tries of 5 s each are made at once.
            guard stop.wait(milliseconds: 11_000) == .timedOut else { return }
            while bus.wait(stop: stop, milliseconds: 1000) != .stopped { guard (try? bus.process()) != nil else { return } }
            withExtendedLifetime(server) {}
        }
        defer { thread.stop() }
        for _ in 0..<500 where (try? Bus(address).owner(of: DesktopServer.name)) == nil { try await Task.sleep(for: .milliseconds(10)) }
        var desktop = try Desktop(address)
        defer { desktop.notifier.stop() }
        desktop.notifier.show(DesktopNotice(key: "a", title: "Are you all right?"))
        #expect(await desktop.problem()?.contains("no notification server") == true)
        #expect(await desktop.next() == .event(.connected(server: "slow", showsButtons: false)))
        #expect(await shown.first { _ in true } == "Are you all right?")
    }

    @Test("EDGE-12: one notice for each key; what was replaced, closed or shown by another server is told apart")
    func board() {
        var board = NoticeBoard()
        func keys() -> [String] { board.toSend.map { "\($0.notice.title) for \($0.replaces)" } }
        board.show(DesktopNotice(key: "a", title: "A1"))
        board.show(DesktopNotice(key: "b", title: "B1"))
        #expect(keys() == ["A1 for 0", "B1 for 0"])
        board.sent("a", as: 7)
        board.sent("b", as: 8)
        board.show(DesktopNotice(key: "a", title: "A1"))
        #expect(keys() == [])
        board.show(DesktopNotice(key: "a", title: "A2"))
        #expect(keys() == ["A2 for 7"])
        board.sent("a", as: 7)
        #expect(board.closed(8) == "b" && board.closed(8) == nil && board.closed(0) == nil && board.key(of: 7) == "a")
        board.serverIsNew()
        #expect(keys() == ["A2 for 0"])
        board.sent("a", as: 1)
        board.withdraw("a")
        #expect(board.closing() == [1] && board.closing() == [] && keys() == [])
        for index in 0..<50 { board.show(DesktopNotice(key: "\(index)", title: "\(index)")) }
        #expect(board.toSend.count == NoticeBoard.noticesMax && board.toSend.last?.notice.key == "49")
    }
}

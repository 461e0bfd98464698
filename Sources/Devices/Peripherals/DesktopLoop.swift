import Sensing
import SourceThread
import SystemBus

/// The thread's part of ``DesktopNotifier``.
struct DesktopLoop {
    private let bus: BusAddress
    private let inbox: RequestInbox<DesktopNotifier.Request>
    private let report: @Sendable (SourceProblem) -> Void
    private let sink: @Sendable (DesktopEvent) -> Void
    private let stop: StopSignal
    private var board = NoticeBoard()
    private var told: SourceProblem?
    /// The server's connection that was met.
    private var owner: String?
    private static let retryDelay: Int64 = 2000
    /// A server that was too slow, as at a login, does not announce itself when it is ready.
    private static let meetInterval: Int64 = 10_000
    private var metTime: Int64?

    /// Events of the bus since the last look.
    private final class News {
        var signals: [BusMessage] = []
        var ownerHasChanged = false
        /// Of the server's name, when it has changed.
        var owner: String?
    }

    init(
        bus: BusAddress, inbox: RequestInbox<DesktopNotifier.Request>, report: @escaping @Sendable (SourceProblem) -> Void,
        sink: @escaping @Sendable (DesktopEvent) -> Void, stop: StopSignal
    ) {
        self.bus = bus
        self.inbox = inbox
        self.report = report
        self.sink = sink
        self.stop = stop
    }

    mutating func run() {
        repeat {
            do throws(BusError) {
                try serve(Bus(bus))
                return
            } catch {
                board.serverIsNew()
                tell(
                    SourceProblem(
                        what: "Notifications cannot be shown: the session's bus cannot be reached (\(error))",
                        advice: "Run this in the session of the person who is logged in", retries: true))
            }
        } while stop.wait(milliseconds: Self.retryDelay) == .timedOut
    }

    /// Returns when stopped, throws when the bus is gone.
    private mutating func serve(_ bus: Bus) throws(BusError) {
        let server = DesktopServer(bus: bus), news = News()
        let rule = "type='signal',sender='\(DesktopServer.name)',interface='\(DesktopServer.name)',path='\(DesktopServer.path)'"
        let signals = try bus.subscribe(rule) { news.signals.append($0) }
        let ownership = try bus.watchOwner(of: DesktopServer.name) { (news.ownerHasChanged, news.owner) = (true, $0) }
        defer { withExtendedLifetime((signals, ownership)) {} }
        var capabilities = try meet(server)
        while true {
            try bus.process()
            if news.ownerHasChanged {
                news.ownerHasChanged = false
                // One that was started for this program announces itself, too.
                if news.owner != owner || owner == nil {
                    news.signals = []
                    board.serverIsNew()
                    capabilities = news.owner == nil ? gone() : try meet(server)
                }
            }
            for signal in news.signals { handle(signal) }
            news.signals = []
            let (requests, wake) = inbox.take()
            guard stop.wait(milliseconds: 0) == .timedOut else { return }
            take(requests)
            let isLate = !board.toSend.isEmpty && metTime.map { Boottime.now() - $0 >= Self.meetInterval } ?? true
            if capabilities == nil, !requests.isEmpty || isLate { capabilities = try meet(server) }
            let isDone = capabilities.map { update(server, $0) } ?? board.toSend.isEmpty
            // A call can have received signals that nothing on the socket announces any more.
            guard bus.delay != 0 else { continue }
            _ = bus.wait(stop: wake ?? stop, milliseconds: isDone ? 60_000 : Self.retryDelay)
        }
    }

    private mutating func take(_ requests: [DesktopNotifier.Request]) {
        for request in requests {
            switch request {
            case .show(let notice): board.show(notice)
            case .withdraw(let key): board.withdraw(key)
            }
        }
    }

    /// The server's abilities; nil, and told, when there is none.
    private mutating func meet(_ server: DesktopServer) throws(BusError) -> Set<String>? {
        metTime = Boottime.now()
        do throws(BusError) {
            if try server.bus.owner(of: DesktopServer.name) == nil { try server.startOne() }
            let (name, capabilities) = try server.abilities()
            owner = try server.bus.owner(of: DesktopServer.name)
            told = nil
            sink(.connected(server: name, showsButtons: capabilities.contains("actions")))
            return capabilities
        } catch {
            guard server.bus.isOpen else { throw error }
            return gone()
        }
    }

    private mutating func gone() -> Set<String>? {
        owner = nil
        tell(
            SourceProblem(
                what: "Notifications cannot be shown: this session has no notification server that answers",
                advice: "Start the desktop's own, or install one: apt-get install dunst", retries: true))
        return nil
    }

    /// Shows what is not shown, closes what is over. False when some of it has to be tried again.
    private mutating func update(_ server: DesktopServer, _ capabilities: Set<String>) -> Bool {
        // One that is gone already cannot be closed, and need not.
        for id in board.closing() { try? server.close(id) }
        for (notice, replaces) in board.toSend {
            do throws(BusError) {
                board.sent(notice.key, as: try server.notify(notice, replacing: replaces, capabilities: capabilities))
            } catch {
                tell(
                    SourceProblem(
                        what: "The desktop did not take the notification \(notice.key) (\(error))",
                        advice: "Look whether its notification server hangs", retries: true))
                return false
            }
        }
        told = nil
        return true
    }

    private mutating func handle(_ signal: BusMessage) {
        guard let id = signal.arguments.first?.int.flatMap({ UInt32(exactly: $0) }), signal.arguments.count == 2 else { return }
        switch signal.member {
        case "ActionInvoked":
            guard let key = board.key(of: id), let action = signal.arguments[1].string else { return }
            sink(.action(notice: key, action: action))
        case "NotificationClosed":
            // 2: by the person. 1 is time, 3 this program's own call.
            if let key = board.closed(id), signal.arguments[1].int == 2 { sink(.dismissed(notice: key)) }
        default: break
        }
    }

    private mutating func tell(_ problem: SourceProblem) {
        if problem != told { report(problem) }
        told = problem
    }
}

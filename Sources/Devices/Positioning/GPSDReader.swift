import Sensing
import SourceThread
import Vitals

/// The thread's part of ``GPSDSource``: connects, reads, waits, and connects again.
struct GPSDReader: ~Copyable {
    private static let retryDelayMin: Milliseconds = 200
    /// Unreadable lines are told at the first and then at every doubling.
    private var unreadable = 0
    private let configuration: GPSDSource.Configuration
    private let now: @Sendable () -> Milliseconds
    private let report: @Sendable (SourceProblem) -> Void
    private let receiver: @Sendable (SourceProblem) -> Void
    private let sink: @Sendable (PositionEvent) -> Void
    private let stop: StopSignal
    private var tracker: PositionTracker
    private var decoder = GPSDDecoder()
    /// What was said since the last report: two problems that take turns are said once each.
    private var told: [SourceProblem] = []
    private static let toldMax = 16
    /// What a connection says that must first prove to be more than a greeting.
    private var held: [PositionTracker.Effect] = []
    private var delay = Self.retryDelayMin

    init(
        configuration: GPSDSource.Configuration, now: @escaping @Sendable () -> Milliseconds,
        report: @escaping @Sendable (SourceProblem) -> Void, receiver: @escaping @Sendable (SourceProblem) -> Void,
        sink: @escaping @Sendable (PositionEvent) -> Void, stop: StopSignal
    ) {
        self.configuration = configuration
        self.now = now
        self.report = report
        self.receiver = receiver
        self.sink = sink
        self.stop = stop
        tracker = PositionTracker(limits: .init(staleAfter: configuration.staleAfter, earliestUTC: configuration.earliestUTC()))
    }

    mutating func run() {
        while true {
            do throws(SourceProblem) {
                try readUntilStopped()
                return
            } catch {
                tracker.disconnected()
                if !told.contains(error) {
                    sink(.lost(error, time: now()))
                    if told.count < Self.toldMax { told.append(error) }
                }
            }
            guard stop.wait(milliseconds: delay) == .timedOut else { return }
            delay = min(delay * 2, configuration.retryDelayMax)
        }
    }

    /// Returns when stopped, throws when the connection is lost.
    private mutating func readUntilStopped() throws(SourceProblem) {
        let address = configuration.address
        guard var connection = try GPSDConnection(address, limit: configuration.connectLimit, stop: stop) else { return }
        guard try greet(&connection) else { return }
        // Behind a problem a greeting is no success: a gpsd that greets and hangs up would be told several times a second.
        let connectedAt = now()
        held = tracker.connected(at: connectedAt)
        if told.isEmpty { takeHeld() }
        var liveness = GPSDLiveness(patience: configuration.askAfter, connectedAt: connectedAt)
        while true {
            let wait = min(tracker.deadline ?? .max, liveness.deadline) - now()
            switch try connection.line(milliseconds: wait, stop: stop) {
            case .stopped: return
            case .timedOut: break
            case .line(let line):
                liveness.heard(at: now())
                // A gpsd without a receiver never reports: what it still says after that time, if only when asked, is success enough.
                if now() >= connectedAt + configuration.askAfter { succeed() }
                tracker.believeDates(from: configuration.earliestUTC())
                if let message = decoder.decode(line) {
                    if case .report = message { succeed() }
                    perform(tracker.handle(message, at: now()))
                } else {
                    countUnreadable()
                }
            }
            perform(tracker.tick(at: now()))
            switch liveness.tick(at: now()) {
            case .ask: try connection.send("?DEVICES;\n")
            case .giveUp: throw .hung(address, seconds: 2 * configuration.askAfter / 1000)
            case nil: break
            }
        }
    }

    /// Waits for gpsd's VERSION, which tells it from any other service, and asks for reports. False when stopped.
    private mutating func greet(_ connection: inout GPSDConnection) throws(SourceProblem) -> Bool {
        let address = configuration.address
        let deadline = now() + configuration.connectLimit
        while true {
            switch try connection.line(milliseconds: deadline - now(), stop: stop) {
            case .stopped: return false
            case .timedOut:
                guard now() < deadline else { throw .foreignProtocol(address, sent: connection.partialLine) }
            case .line(let line):
                guard case .version(let release, let major)? = decoder.decode(line) else {
                    throw .foreignProtocol(address, sent: line)
                }
                guard major == 3 else { throw .protocolVersion(address, release: release, major: major) }
                try connection.send("?WATCH={\"enable\":true,\"json\":true};\n")
                return true
            }
        }
    }

    private mutating func succeed() {
        takeHeld()
        told = []
        delay = Self.retryDelayMin
    }

    private mutating func takeHeld() {
        perform(held)
        held = []
    }

    private mutating func countUnreadable() {
        unreadable += 1
        if unreadable & (unreadable - 1) == 0 { report(.unreadable(lines: unreadable, configuration.address)) }
    }

    private func perform(_ effects: [PositionTracker.Effect]) {
        for effect in effects {
            switch effect {
            case .event(let event): sink(event)
            case .problem(let problem): report(problem)
            case .receiver(let problem):
                report(problem)
                receiver(problem)
            }
        }
    }
}

import Sensing
import SourceThread
import Vitals

/// The thread's part of ``ATTHeartRateSource``: connects, runs a ``GATTSession`` on the socket, waits, and connects again.
struct HeartRateLink {
    let configuration: ATTHeartRateSource.Configuration
    let now: @Sendable () -> Milliseconds
    let report: @Sendable (SourceProblem) -> Void
    let sink: @Sendable (HeartRateEvent) -> Void
    let stop: StopSignal
    private var delay = ReconnectDelay()
    private var telling: LinkEventDebouncer

    init(
        configuration: ATTHeartRateSource.Configuration, now: @escaping @Sendable () -> Milliseconds,
        report: @escaping @Sendable (SourceProblem) -> Void, sink: @escaping @Sendable (HeartRateEvent) -> Void, stop: StopSignal
    ) {
        self.configuration = configuration
        telling = LinkEventDebouncer(role: configuration.role)
        self.now = now
        self.report = report
        self.sink = sink
        self.stop = stop
    }

    mutating func run() {
        while true {
            do throws(LinkFailure) {
                try deliverUntilStopped()
                return
            } catch {
                let problem = error.problem(configuration.address)
                let time = now()
                if telling.isNews(problem, at: time) { sink(.lost(problem, time: time)) }
                let pause = delay.take(longest: error.retryDelayMax, jitter: .random(in: -1...1))
                guard stop.wait(milliseconds: pause) == .timedOut else { return }
            }
        }
    }

    /// Returns when stopped, throws when the link cannot be opened or is over.
    private mutating func deliverUntilStopped() throws(LinkFailure) {
        try BluetoothAdapter.requireRunning(configuration.adapter)
        guard
            let socket = try ATTSocket(
                configuration.address, adapter: configuration.adapter, limit: configuration.connectLimit, stop: stop)
        else { return }
        let limits = GATTSession.Limits(silence: configuration.silenceLimit, batteryInterval: configuration.batteryInterval)
        var session = GATTSession(address: configuration.address, role: configuration.role, limits: limits)
        try perform(session.start(at: now()), on: socket)
        while true {
            let wait = session.deadline.map { $0 - now() } ?? 60_000
            switch try socket.receive(milliseconds: wait, stop: stop) {
            case .stopped: return
            case .timedOut: break
            case .pdu(let bytes): try perform(session.receive(bytes, at: now()), on: socket)
            }
            try perform(session.tick(at: now()), on: socket)
            if session.hasDelivered { delay.reset() }
        }
    }

    private mutating func perform(_ effects: [GATTSession.Effect], on socket: borrowing ATTSocket) throws(LinkFailure) {
        for effect in effects {
            switch effect {
            case .send(let pdu): try socket.send(pdu)
            case .event(let event):
                for event in telling.take(event) { sink(event) }
            case .problem(let problem): report(problem)
            case .failed(let failure): throw failure
            }
        }
    }
}

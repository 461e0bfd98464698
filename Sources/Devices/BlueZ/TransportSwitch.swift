import Sensing
import SourceThread
import Synchronization
import SystemBus
import Vitals

/// The thread of a ``HeartRateSource``: bluetoothd where it is, the ATT socket where it is not, never both.
struct TransportSwitch {
    /// How often it is looked for a bus that is not there, or for bluetoothd while the socket delivers and the bus is gone.
    private static let lookInterval: Milliseconds = 2000

    let configuration: HeartRateSource.Configuration
    let now: @Sendable () -> Milliseconds
    let report: @Sendable (SourceProblem) -> Void
    let sink: @Sendable (HeartRateEvent) -> Void
    let stop: StopSignal

    func run() {
        if configuration.transport == .att { return useSocket(until: { stop.wait(milliseconds: StartTries.interval) == .stopped }) }
        var link = BlueZLink(configuration: configuration, now: now, report: report, sink: sink, stop: stop)
        while case .unavailable(let failure) = link.run() {
            if configuration.transport == .bluez {
                link.tell(failure)
                if stop.wait(milliseconds: Self.lookInterval) != .timedOut { return }
            } else {
                useSocket(until: hasBluetoothdOrStopped)
                if stop.wait(milliseconds: 0) == .stopped { return }
            }
        }
    }

    /// Delivers by the ATT socket while `isOver` waits, and is asked again when it is false.
    private func useSocket(until isOver: () -> Bool) {
        let gate = EventGate(report: report, sink: sink)
        var settings = ATTHeartRateSource.Configuration(address: configuration.address)
        settings.adapter = configuration.adapter
        settings.role = configuration.role
        settings.silenceLimit = configuration.silenceLimit
        settings.batteryInterval = configuration.batteryInterval
        let source = ATTHeartRateSource(configuration: settings, now: now, report: gate.report, sink: gate.take)
        var tries = StartTries()
        repeat {
            let time = now()
            if let problem = tries.problem(at: time, starting: source.start) { sink(.lost(problem, time: time)) }
        } while !isOver()
        source.stop()
        let problem = LinkFailure.changesOver.problem(configuration.address)
        gate.close(stop.wait(milliseconds: 0) == .stopped ? nil : .lost(problem, time: now()))
    }

    /// Waits a while for bluetoothd.
    private func hasBluetoothdOrStopped() -> Bool {
        let end = now() + Self.lookInterval
        if let bus = try? Bus(configuration.bus), let owner = try? bus.owner(of: BlueZName.service), owner != "" { return true }
        return stop.wait(milliseconds: max(0, end - now())) == .stopped
    }
}

/// Starts something until it has started, and tells once why it does not.
struct StartTries {
    /// Between two tries, in milliseconds.
    static let interval: Milliseconds = 5000
    private var isStarted = false
    private var lastTime: Milliseconds?
    private var told: SourceProblem?

    /// Tries where a try is due. Returns what there is to tell.
    mutating func problem(at time: Milliseconds, starting start: () throws(SourceProblem) -> Void) -> SourceProblem? {
        if isStarted { return nil }
        if let lastTime, time - lastTime < Self.interval { return nil }
        lastTime = time
        do throws(SourceProblem) {
            try start()
            isStarted = true
            return nil
        } catch {
            defer { told = error }
            return error == told ? nil : error
        }
    }
}

/// Lets the events of one source pass until it is closed; none follows after that, whatever its thread still does.
private final class EventGate: Sendable {
    private struct State {
        var isOpen = true
        /// A connection was told, and no loss since.
        var isConnected = false
    }

    private let state = Mutex(State())
    private let reportOn: @Sendable (SourceProblem) -> Void
    private let sink: @Sendable (HeartRateEvent) -> Void

    init(report: @escaping @Sendable (SourceProblem) -> Void, sink: @escaping @Sendable (HeartRateEvent) -> Void) {
        reportOn = report
        self.sink = sink
    }

    func report(_ problem: SourceProblem) {
        state.withLock { if $0.isOpen { reportOn(problem) } }
    }

    func take(_ event: HeartRateEvent) {
        state.withLock { state in
            guard state.isOpen else { return }
            switch event {
            case .connected: state.isConnected = true
            case .lost: state.isConnected = false
            default: break
            }
            sink(event)
        }
    }

    /// `last` is told when a connection was.
    func close(_ last: HeartRateEvent?) {
        state.withLock { state in
            state.isOpen = false
            if state.isConnected, let last { sink(last) }
        }
    }
}

import Glibc
import Sensing
import SourceThread
import SystemBus
import Vitals

/// Places from GeoClue, in a thread of its own, as long as they are wanted: its search costs power, and perhaps a query to a server.
final class GeoClueSource: Sendable {
    /// Times in milliseconds.
    struct Configuration: Sendable {
        var bus = BusAddress.system
        /// How often it is looked whether places are wanted.
        var interval: Milliseconds = 5000
        /// The pause after a failure, which doubles up to `retryDelayMax`.
        var retryDelay: Milliseconds = 10_000
        var retryDelayMax: Milliseconds = 600_000
        /// A search that finds nothing for so long is told.
        var placeless: Milliseconds = 120_000
    }

    private let configuration: Configuration
    private let now: @Sendable () -> Milliseconds
    private let isWanted: @Sendable () -> Bool
    private let report: @Sendable (SourceProblem) -> Void
    private let sink: @Sendable (PositionSample) -> Void
    private let thread = SourceThread(name: "geoclue")

    /// The closures are called on the source's thread. A problem is reported once, until it changes or a place has come.
    init(
        configuration: Configuration = Configuration(), now: @escaping @Sendable () -> Milliseconds,
        isWanted: @escaping @Sendable () -> Bool, report: @escaping @Sendable (SourceProblem) -> Void,
        sink: @escaping @Sendable (PositionSample) -> Void
    ) {
        self.configuration = configuration
        self.now = now
        self.isWanted = isWanted
        self.report = report
        self.sink = sink
    }

    func start() throws(SourceProblem) {
        try thread.start { [self] stop in run(stop) }
    }

    func stop() { thread.stop() }

    private func run(_ stop: StopSignal) {
        var told: SourceProblem?
        var delay = configuration.retryDelay
        var pause = Milliseconds(0)
        while stop.wait(milliseconds: pause) != .stopped {
            pause = configuration.interval
            guard isWanted() else { continue }
            do throws(BusError) {
                try search(stop) { isThere in
                    let problem = isThere ? nil : SourceProblem.geoclueFindsNothing
                    if let problem, problem != told { report(problem) }
                    told = problem
                    delay = configuration.retryDelay
                }
            } catch {
                let problem = SourceProblem.geoclue(error)
                if problem != told { report(problem) }
                told = problem
                pause = delay
                delay = min(delay * 2, configuration.retryDelayMax)
            }
        }
    }

    /// Returns when places are no longer wanted, or when stopped.
    private func search(_ stop: StopSignal, found: (Bool) -> Void) throws(BusError) {
        let session = try GeoClueSession(configuration.bus)
        let begin = now()
        var hasFound = false
        while isWanted() {
            if let sample = try session.location(milliseconds: configuration.interval, stop: stop, now: now, wall: WallClock.now) {
                hasFound = true
                found(true)
                sink(sample)
            } else if !hasFound, now() - begin >= configuration.placeless {
                found(false)
            }
            if stop.wait(milliseconds: 0) == .stopped { break }
        }
        session.end()
    }
}

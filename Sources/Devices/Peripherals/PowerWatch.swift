public import Sensing
import SourceThread
public import Vitals

/// Watches how the box is fed, by the kernel's own list of power supplies (/sys/class/power_supply).
///
/// The list is read again and again, as its files announce no change. UPower is not asked: what it says about a box's mains and battery it
/// reads from the same files, and it is missing on boxes without a desktop.
public final class PowerWatch: Sendable {
    private let path: String
    private let interval: Milliseconds
    private let report: @Sendable (SourceProblem) -> Void
    private let sink: @Sendable (PowerState) -> Void
    private let thread = SourceThread(name: "power")

    /// - Parameters:
    ///   - path: the list of power supplies.
    ///   - interval: milliseconds between two looks.
    ///   - report: takes what could not be read, once until it changes.
    ///   - sink: takes the state of each look, also where nothing has changed: who hears nothing knows that a gauge hangs. Both
    ///     closures are called on the watch's thread and must return soon.
    public init(
        path: String = "/sys/class/power_supply", interval: Milliseconds = 2000,
        report: @escaping @Sendable (SourceProblem) -> Void = { _ in }, sink: @escaping @Sendable (PowerState) -> Void
    ) {
        self.path = path
        self.interval = interval
        self.report = report
        self.sink = sink
    }

    /// Starts the thread. Does nothing while it runs. Throws when the process has no file descriptor left.
    public func start() throws(SourceProblem) {
        let (directory, interval, report, sink) = (PowerDirectory(path: path), interval, report, sink)
        try thread.start { stop in
            var told: SourceProblem?
            repeat {
                let (state, problem) = Self.look(at: directory)
                if let problem, problem != told { report(problem) }
                told = problem
                sink(state)
            } while stop.wait(milliseconds: interval) == .timedOut
        }
    }

    /// Ends the thread within milliseconds; it can be started again.
    public func stop() { thread.stop() }

    private static func look(at directory: PowerDirectory) -> (PowerState, SourceProblem?) {
        do throws(SourceProblem) {
            let (supplies, damaged) = try directory.read()
            guard !damaged.isEmpty else { return (PowerState(supplies), nil) }
            let list = damaged.prefix(5).joined(separator: ", ") + (damaged.count > 5 ? " and \(damaged.count - 5) more" : "")
            return (
                PowerState(supplies),
                SourceProblem(
                    what: "The kernel says of the box's power what makes no sense: \(list)",
                    advice: "That is left out. If the state of the battery is wrong, look at \(directory.path)", retries: true)
            )
        } catch {
            return (PowerState(), error)
        }
    }
}

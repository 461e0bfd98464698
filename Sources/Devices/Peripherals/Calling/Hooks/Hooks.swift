public import Processes
public import Sensing
import SourceThread
import Synchronization
public import Vitals

/// Runs the programs that the box's owner has put into a folder, all at once, with the alarm as JSON on their standard input.
///
/// None can hold up another, nor anything else: each has a time limit, its output is bounded, and it runs in a process group of its own that
/// ends with it. Needs no free disk, no name service, no clock and no shell. All calls return at once.
public final class Hooks: Sendable {
    public struct Configuration: Sendable {
        public var folder = "/etc/trackme/sos.d"
        /// A hook that takes longer is asked to end (SIGTERM), in milliseconds.
        public var limit: Milliseconds = 60_000
        /// And is ended (SIGKILL) so many milliseconds later.
        public var grace: Milliseconds = 5000
        /// The first bytes of what a hook says are kept.
        public var outputMax = 4096
        /// Those that start them.
        public var programs = Programs.system

        public init() {}
    }

    public enum Outcome: Sendable, Hashable {
        case succeeded
        case failed(code: Int32)
        case signalled(Int32)
        case timedOut
        case cancelled
        case notStarted(SourceProblem)
    }

    /// How one hook was.
    public struct Report: Sendable, Hashable {
        /// The name of its file.
        public var name: String
        public var outcome: Outcome
        /// Its standard output and errors.
        public var output: String
        /// From its start to its end.
        public var duration: Milliseconds
    }

    public enum Event: Sendable, Hashable {
        case ended(UInt64, Report)
        /// The last event of each run.
        case finished(UInt64, succeeded: Int, of: Int)
    }

    /// Runs that go on at the same time; more are refused. Each ends within its limit.
    static let runsMax = 4

    private struct State {
        var folder: HookFolder
        var runs: [UInt64: SourceThread] = [:]
    }

    private let configuration: Configuration
    private let sink: @Sendable (Event) -> Void
    private let state: Mutex<State>

    /// Looks at the folder.
    /// - Parameter sink: takes the events, in order for each run, on a thread of its own.
    public init(configuration: Configuration = Configuration(), sink: @escaping @Sendable (Event) -> Void) {
        self.configuration = configuration
        self.sink = sink
        state = Mutex(State(folder: HookFolder(configuration.folder)))
    }

    deinit { state.withLock { for run in $0.runs.values { run.stop() } } }

    /// Programs that would run, and those that would not, as of the last look.
    public var folder: HookFolder { state.withLock { $0.folder } }

    /// Looks again. To be called from time to time: in an emergency there is no looking.
    public func refresh() {
        let new = HookFolder(configuration.folder)
        state.withLock { $0.folder = new }
    }

    /// Starts all hooks. ``Event/finished(_:succeeded:of:)`` follows, whatever happens.
    ///
    /// - Parameters:
    ///   - input: what each reads from its standard input.
    ///   - variables: added to the hooks' environment, which has PATH and LANG alone.
    public func run(_ id: UInt64, input: [UInt8], variables: [String: String] = [:]) {
        let (programs, thread) = state.withLock { state -> ([String], SourceThread?) in
            guard state.runs.count < Self.runsMax, state.runs[id] == nil else { return (state.folder.programs, nil) }
            let thread = SourceThread(name: "hooks")
            state.runs[id] = thread
            return (state.folder.programs, thread)
        }
        guard let thread else {
            return refuse(
                id, programs,
                SourceProblem(what: "\(Self.runsMax) runs of the hooks go on already", advice: "Look which of them hangs", retries: true))
        }
        let run = HookRun(id, programs, input, variables, configuration, sink)
        do throws(SourceProblem) {
            try thread.start { [weak self] stop in
                run.run(stop)
                self?.forget(id)
            }
        } catch {
            forget(id)
            refuse(id, programs, error)
        }
    }

    /// Ends all hooks of a run at once.
    public func cancel(_ id: UInt64) { state.withLock { $0.runs[id] }?.stop() }

    private func forget(_ id: UInt64) { _ = state.withLock { $0.runs.removeValue(forKey: id) } }

    private func refuse(_ id: UInt64, _ programs: [String], _ problem: SourceProblem) {
        for program in programs {
            sink(.ended(id, Report(name: HookRun.name(program), outcome: .notStarted(problem), output: "", duration: 0)))
        }
        sink(.finished(id, succeeded: 0, of: programs.count))
    }
}

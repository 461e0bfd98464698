import Glibc
public import Processes
import Synchronization

/// Programs that a test makes up: each does what its script says, on a thread of its own, without a process and without a shell.
public final class MadeUpPrograms: Sendable {
    /// What a program does. What it is given it reads to the end before.
    public enum Script: Sendable {
        /// Says something on its output, and on its errors, and ends.
        case exits(Int32, says: String = "", complains: String = "")
        case dies(signal: Int32)
        /// Does nothing, until a signal ends it.
        case hangs
        /// Says something without end on its output and its errors, until a signal ends it.
        case floods
        /// There is no such program.
        case missing
    }

    /// What was started.
    public struct Start: Sendable, Hashable {
        public let command: [String]
        /// What it had read when it ended.
        public var input: String

        public init(command: [String], input: String = "") { (self.command, self.input) = (command, input) }
    }

    private let script: @Sendable (_ command: [String]) -> Script
    private let started = Mutex<[Start]>([])

    /// - Parameter script: what becomes of a command.
    public init(_ script: @escaping @Sendable (_ command: [String]) -> Script) { self.script = script }

    public var starts: [Start] { started.withLock { $0 } }

    /// What a hub or an agent is built on.
    public var programs: Programs {
        Programs { (command, _, streams) throws(Programs.Failure) in
            let script = self.script(command)
            if case .missing = script { throw Programs.Failure(code: ENOENT) }
            let number = self.started.withLock { starts in
                starts.append(Start(command: command))
                return starts.count - 1
            }
            let play = Play(script, streams) { input in self.started.withLock { $0[number].input = input } }
            play.begin()
            return RunningProgram(id: Int32.max - Int32(number), look: { play.look(waits: $0) }, signal: { play.take(signal: $0) })
        }
    }
}

/// One program while it plays.
private final class Play: Sendable {
    private struct State {
        var ending: RunningProgram.Ending?
        var signal: Int32?
    }

    private let script: MadeUpPrograms.Script
    /// Copies of its own, as a program has them; -1 for none.
    private let input: Int32, output: Int32, errors: Int32
    private let read: @Sendable (String) -> Void
    private let state = Mutex(State())

    init(_ script: MadeUpPrograms.Script, _ streams: Programs.Streams, read: @escaping @Sendable (String) -> Void) {
        func copy(_ descriptor: Int32?) -> Int32 {
            guard let descriptor else { return -1 }
            let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            _ = fcntl(own, F_SETFL, fcntl(own, F_GETFL) | O_NONBLOCK)
            return own
        }
        (self.script, self.read) = (script, read)
        (input, output, errors) = (copy(streams.input), copy(streams.output), copy(streams.errors))
    }

    func begin() {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { play in
                guard let play else { return nil }
                Unmanaged<Play>.fromOpaque(play).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        pthread_detach(thread)
    }

    /// How it ended; nil while it runs.
    func look(waits: Bool) -> RunningProgram.Ending? {
        while waits, state.withLock({ $0.ending }) == nil { usleep(500) }
        return state.withLock { $0.ending }
    }

    func take(signal: Int32) { state.withLock { $0.signal = $0.signal ?? signal } }

    private func run() {
        let ending = play()
        for descriptor in [input, output, errors] where descriptor >= 0 { close(descriptor) }
        state.withLock { $0.ending = ending }
    }

    private func play() -> RunningProgram.Ending {
        var given: [UInt8] = [], isRead = input < 0
        while true {
            if let signal = state.withLock({ $0.signal }) { return .killed(signal: signal) }
            if case .floods = script {
                for descriptor in [output, errors] where descriptor >= 0 { _ = say("and so on\n", to: descriptor) }
            } else if !isRead {
                isRead = hear(&given)
            } else {
                switch script {
                case .exits(let status, let says, let complains):
                    read(String(decoding: given, as: UTF8.self))
                    if say(says, to: output), say(complains, to: errors) { return .exited(status) }
                case .dies(let signal): return .killed(signal: signal)
                case .hangs, .floods, .missing: break
                }
            }
            usleep(500)
        }
    }

    /// Whether all was read.
    private func hear(_ given: inout [UInt8]) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(input, &bytes, bytes.count)
            if count == 0 { return true }
            guard count > 0 else { return errno != EAGAIN && errno != EINTR }
            given += bytes.prefix(count)
        }
    }

    /// Whether it was said: all of it, or nobody listens. What a script says fits into a pipe.
    private func say(_ text: String, to descriptor: Int32) -> Bool {
        guard descriptor >= 0, !text.isEmpty else { return true }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let bytes = Array(text.utf8)
        return write(descriptor, bytes, bytes.count) > 0 || errno != EAGAIN
    }
}

import CLinux
import Glibc

/// Starts other programs: each in a process group of its own, without a shell, without this process's descriptors and signals. `build…` hands it to
/// whoever starts any, so that a test brings programs of its own.
public struct Programs: Sendable {
    /// What is the program's standard input, output and errors: descriptors, which stay the caller's to close; nil for nothing.
    public struct Streams: Sendable {
        public var input: Int32?
        public var output: Int32?
        public var errors: Int32?

        public init(input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil) {
            (self.input, self.output, self.errors) = (input, output, errors)
        }
    }

    /// The number of the error (`errno`).
    public struct Failure: Error, Hashable {
        public var code: Int32
        public init(code: Int32) { self.code = code }
    }

    private let run: @Sendable (_ command: [String], _ environment: [String], Streams) throws(Failure) -> RunningProgram

    /// - Parameter run: starts a program, and returns at once.
    public init(_ run: @escaping @Sendable (_ command: [String], _ environment: [String], Streams) throws(Failure) -> RunningProgram) {
        self.run = run
    }

    /// Those of the machine.
    public static let system = Programs { (command, environment, streams) throws(Failure) in
        RunningProgram(process: try spawn(command, environment, streams))
    }

    /// The first of `command` is looked up in PATH unless it has a slash. The caller waits for the program.
    public func start(_ command: [String], environment: [String], _ streams: Streams) throws(Failure) -> RunningProgram {
        try run(command, environment, streams)
    }

    /// - Returns: the number of the process.
    private static func spawn(_ command: [String], _ environment: [String], _ streams: Streams) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (target, source) in [(Int32(0), streams.input), (1, streams.output), (2, streams.errors)] {
            if let source {
                posix_spawn_file_actions_adddup2(&actions, source, target)
            } else {
                posix_spawn_file_actions_addopen(&actions, target, "/dev/null", target == 0 ? O_RDONLY : O_WRONLY, 0)
            }
        }
        // Somebody may have opened one without close-on-exec.
        _ = trackme_close_from(&actions, 3)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var new: pid_t = 0
        let code = posix_spawnp(&new, command.first ?? "", &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw Failure(code: code) }
        return new
    }
}

extension Programs {
    /// Only for the service itself: its word to systemd, its secrets.
    private static let withheld = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "CREDENTIALS_DIRECTORY", "LISTEN_FDS", "LISTEN_PID"]

    /// This process's own environment, without what is for the service alone.
    package static var environment: [String] {
        var result: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if !withheld.contains(where: { text.hasPrefix($0 + "=") }) { result.append(text) }
            next += 1
        }
        return result
    }

    /// The number of bytes that are kept of a program's errors.
    private static let saidMax = 4096

    /// Runs a program to its end, however long that takes.
    /// - Returns: how it ended, and the beginning of what it said on its standard error.
    package func finish(
        _ command: [String], environment: [String]
    ) throws(Failure) -> (ending: RunningProgram.Ending, said: [UInt8]) {
        var said: [UInt8] = []
        let ending = try listen(to: command, environment: environment, hearsOutput: false) {
            said += $0.prefix(Self.saidMax - said.count)
        }
        return (ending, said)
    }

    /// Runs a program to its end, however long that takes.
    /// - Parameters:
    ///   - hearsOutput: whether ``heard`` gets its standard output as well, or its standard error alone.
    ///   - heard: gets what it says, as it comes, in pieces of 4 KiB at most.
    package func listen(
        to command: [String], environment: [String], hearsOutput: Bool = true, heard: (ArraySlice<UInt8>) -> Void
    ) throws(Failure) -> RunningProgram.Ending {
        guard let ends = Self.pipe() else { throw Failure(code: errno) }
        defer { close(ends.read) }
        let streams = Streams(output: hearsOutput ? ends.write : nil, errors: ends.write), program: RunningProgram
        do throws(Failure) { program = try start(command, environment: environment, streams) } catch {
            close(ends.write)
            throw error
        }
        close(ends.write)
        var bytes = [UInt8](repeating: 0, count: Self.saidMax)
        while true {
            var polled = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, -1)
            let count = read(ends.read, &bytes, bytes.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return program.wait() }
            heard(bytes[..<count])
        }
    }

    /// The end of a pipe that this process keeps.
    package enum PipeEnd: Int { case read, write }

    /// The two ends of a pipe; programs inherit neither of them. The end that this process keeps does not block.
    /// - Returns: nil where there is no pipe; `errno` tells why.
    package static func pipe(keeping kept: PipeEnd = .read) -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard trackme_pipe(&ends, O_CLOEXEC) == 0 else { return nil }
        _ = fcntl(ends[kept.rawValue], F_SETFL, O_NONBLOCK)
        return (ends[0], ends[1])
    }
}

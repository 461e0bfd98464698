import Glibc
import SourceThread

/// A program that runs beside the agent, in a process group of its own: without a shell, without the agent's descriptors, and without
/// what systemd gave to the agent alone. For one thread.
struct ChildProcess: ~Copyable {
    enum Outcome: Equatable {
        case succeeded
        /// How it ended, with the first line of what it said on standard error.
        case failed(String)
        case missing
        case cut
        case timedOut
    }

    private static let words = 4096
    /// What a program says in one glance beyond that waits: one that never ends saying something must not evade its limit.
    private static let readsPerGlance = 16
    /// How often it is looked whether the program has ended, in milliseconds.
    private static let glance: Int64 = 20
    /// Only for the service itself: its word to systemd, its secrets.
    private static let withheld = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "CREDENTIALS_DIRECTORY", "LISTEN_FDS", "LISTEN_PID"]

    private let id: pid_t
    private let errors: Int32
    private var said: [UInt8] = []

    /// Runs a program to its end, at most `limit` milliseconds, or until `cut`. The first of `command` is looked up in PATH.
    static func run(_ command: [String], limit: Int64, cut: StopSignal) -> Outcome {
        var code: Int32 = 0
        guard var child = ChildProcess(command, &code) else {
            return code == ENOENT ? .missing : .failed("it cannot be started: \(String(cString: strerror(code)))")
        }
        return child.finish(limit: limit, cut: cut)
    }

    private init?(_ command: [String], _ code: inout Int32) {
        var pipeEnds: [Int32] = [-1, -1]
        guard pipe(&pipeEnds) == 0 else {
            code = errno
            return nil
        }
        for end in pipeEnds { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(pipeEnds[0], F_SETFL, O_NONBLOCK)
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            close(pipeEnds[1])
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], 2)
        for descriptor in Self.openDescriptors where descriptor > 2 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var arguments = command.map { strdup($0) } + [nil]
        var environment = Self.environment.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var new: pid_t = 0
        code = posix_spawnp(&new, command.first ?? "", &actions, &attributes, &arguments, &environment)
        guard code == 0 else {
            close(pipeEnds[0])
            return nil
        }
        (id, errors) = (new, pipeEnds[0])
    }

    deinit { close(errors) }

    private mutating func finish(limit: Int64, cut: StopSignal) -> Outcome {
        let end = Boottime.now() + limit
        var status: Int32 = 0
        while true {
            listen()
            let ended = waitpid(id, &status, WNOHANG)
            if ended == id { break }
            if ended < 0, errno != EINTR { return .failed("it cannot be waited for: \(String(cString: strerror(errno)))") }
            if Boottime.now() >= end { return kill(because: .timedOut) }
            if cut.wait(milliseconds: Self.glance) == .stopped { return kill(because: .cut) }
        }
        listen()
        if status & 0x7f != 0 { return .failed("it was ended by signal \(status & 0x7f)") }
        let code = status >> 8 & 0xff
        return code == 0 ? .succeeded : .failed("it ended with \(code)" + firstWords)
    }

    private func kill(because outcome: Outcome) -> Outcome {
        Glibc.kill(-id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return outcome
    }

    /// Takes what the program said, so that it never waits for a reader.
    private mutating func listen() { Self.listen(to: errors, &said) }

    static func listen(to descriptor: Int32, _ said: inout [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: words)
        for _ in 0..<readsPerGlance {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return }
            said += bytes.prefix(min(count, words - said.count))
        }
    }

    private var firstWords: String {
        let line = said.drop { $0 <= 0x20 }.prefix { $0 != UInt8(ascii: "\n") }.prefix(200)
        return line.isEmpty ? "" : ": " + String(decoding: line, as: UTF8.self)
    }

    /// Somebody may have opened one without close-on-exec. Closing what is no longer open is no error in glibc.
    private static var openDescriptors: [Int32] {
        DirectoryNames.read("/proc/self/fd", max: 4096)?.compactMap { Int32($0) } ?? []
    }

    private static var environment: [String] {
        var result: [String] = []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if !withheld.contains(where: { text.hasPrefix($0 + "=") }) { result.append(text) }
            next += 1
        }
        return result
    }
}

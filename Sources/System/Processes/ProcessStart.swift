import CLinux
import Glibc

/// Starts a program in a process group of its own: without a shell, without this process's descriptors and signals.
package enum ProcessStart {
    /// Only for the service itself: its word to systemd, its secrets.
    private static let withheld = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "CREDENTIALS_DIRECTORY", "LISTEN_FDS", "LISTEN_PID"]

    /// What is the program's standard input, output and errors; nil for nothing.
    package struct Streams {
        var input: Int32?
        var output: Int32?
        var errors: Int32?

        package init(input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil) {
            (self.input, self.output, self.errors) = (input, output, errors)
        }
    }

    /// The number of the error (`errno`).
    package struct Failure: Error { package var code: Int32 }

    /// The first of `command` is looked up in PATH unless it has a slash. The caller waits for the process.
    /// - Returns: the number of the process (`pid_t`).
    package static func start(_ command: [String], environment: [String], _ streams: Streams) throws(Failure) -> Int32 {
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
}

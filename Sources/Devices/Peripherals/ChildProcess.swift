import Glibc
import Processes
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
        guard let ends = ProcessStart.pipe() else {
            code = errno
            return nil
        }
        defer { close(ends.write) }
        do throws(ProcessStart.Failure) {
            id = try ProcessStart.start(command, environment: ProcessStart.environment, .init(errors: ends.write))
            errors = ends.read
        } catch {
            close(ends.read)
            code = error.code
            return nil
        }
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
}

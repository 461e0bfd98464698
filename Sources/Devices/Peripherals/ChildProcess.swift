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
    private let program: RunningProgram
    private let errors: Int32
    private var said: [UInt8] = []

    /// Runs a program to its end, at most `limit` milliseconds, or until `cut`. The first of `command` is looked up in PATH.
    static func run(_ command: [String], by programs: Programs, limit: Int64, cut: StopSignal) -> Outcome {
        var code: Int32 = 0
        guard var child = ChildProcess(command, programs, &code) else {
            return code == ENOENT ? .missing : .failed("it cannot be started: \(String(cString: strerror(code)))")
        }
        return child.finish(limit: limit, cut: cut)
    }

    private init?(_ command: [String], _ programs: Programs, _ code: inout Int32) {
        guard let ends = Programs.pipe() else {
            code = errno
            return nil
        }
        defer { close(ends.write) }
        do throws(Programs.Failure) {
            program = try programs.start(command, environment: Programs.environment, .init(errors: ends.write))
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
        while true {
            listen()
            if let ending = program.ending {
                listen()
                return outcome(of: ending)
            }
            if Boottime.now() >= end { return kill(because: .timedOut) }
            if cut.wait(milliseconds: Self.glance) == .stopped { return kill(because: .cut) }
        }
    }

    private func outcome(of ending: RunningProgram.Ending) -> Outcome {
        switch ending {
        case .exited(0): .succeeded
        case .exited(let code): .failed("it ended with \(code)" + firstWords)
        case .killed(let signal): .failed("it was ended by signal \(signal)")
        case .lost(let code): .failed("it cannot be waited for: \(String(cString: strerror(code)))")
        }
    }

    private func kill(because outcome: Outcome) -> Outcome {
        program.send(SIGKILL)
        program.wait()
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

import CLinux
import Glibc
import Processes
import Sensing
import SourceThread

/// One run of all hooks, on a thread of its own.
struct HookRun: Sendable {
    private static let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    /// How often it is looked whether one has ended, in milliseconds.
    private static let glance: Int64 = 20

    private let id: UInt64
    private let programs: [String]
    private let input: [UInt8]
    private let environment: [String]
    private let configuration: Hooks.Configuration
    private let sink: @Sendable (Hooks.Event) -> Void

    init(
        _ id: UInt64, _ programs: [String], _ input: [UInt8], _ variables: [String: String], _ configuration: Hooks.Configuration,
        _ sink: @escaping @Sendable (Hooks.Event) -> Void
    ) {
        (self.id, self.programs, self.input, self.configuration, self.sink) = (id, programs, input, configuration, sink)
        environment = [Self.path, "LANG=C.UTF-8"] + variables.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
    }

    static func name(_ program: String) -> String { program.split(separator: "/").last.map(String.init) ?? program }

    private struct Child {
        let name: String
        let process: RunningProgram
        let output: Int32
        let start: Int64
        var said: [UInt8] = []
        /// Why it was asked to end, and when.
        var ending: (outcome: Hooks.Outcome, time: Int64)?
    }

    func run(_ stop: StopSignal) {
        var children: [Child] = [], succeeded = 0
        func report(_ name: String, _ outcome: Hooks.Outcome, _ output: [UInt8] = [], _ duration: Int64 = 0) {
            if outcome == .succeeded { succeeded += 1 }
            sink(.ended(id, .init(name: name, outcome: outcome, output: String(decoding: output, as: UTF8.self), duration: duration)))
        }
        for program in programs {
            do throws(SourceProblem) { children.append(try start(program)) } catch { report(Self.name(program), .notStarted(error)) }
        }
        while !children.isEmpty {
            let isStopped = stop.wait(milliseconds: Self.glance) == .stopped
            // From then on the signal ends every wait at once.
            if isStopped { usleep(UInt32(Self.glance) * 1000) }
            for index in children.indices.reversed() {
                listen(&children[index])
                if let outcome = ended(&children[index]) {
                    let child = children.remove(at: index)
                    report(child.name, outcome, child.said, Boottime.now() - child.start)
                } else {
                    press(&children[index], isStopped: isStopped)
                }
            }
        }
        sink(.finished(id, succeeded: succeeded, of: programs.count))
    }

    private func start(_ program: String) throws(SourceProblem) -> Child {
        func problem(_ code: Int32) -> SourceProblem {
            let advice =
                switch code {
                case EACCES:
                    "Check its rights and its first line; the service runs programs of /usr and of its hooks' folder alone (ExecPaths=)"
                case ENOENT: "Look whether it is there, and the interpreter that its first line names"
                case ENOEXEC: "Give it a first line such as #!/bin/sh"
                default: "Raise the service's limits (TasksMax=, LimitNOFILE=, MemoryMax=)"
                }
            return SourceProblem(
                what: "The hook \(program) cannot be started: \(String(cString: strerror(code)))", advice: advice, retries: true)
        }
        let file = trackme_memory_file("sos")
        guard file >= 0 else { throw problem(errno) }
        defer { close(file) }
        guard write(file, input, input.count) == input.count, lseek(file, 0, SEEK_SET) == 0, let ends = Programs.pipe() else {
            throw problem(errno)
        }
        defer { close(ends.write) }
        do throws(Programs.Failure) {
            let process = try configuration.programs.start(
                [program], environment: environment, .init(input: file, output: ends.write, errors: ends.write))
            return Child(name: Self.name(program), process: process, output: ends.read, start: Boottime.now())
        } catch {
            close(ends.read)
            throw problem(error.code)
        }
    }

    /// Takes what it said, so that it never waits for a reader; keeps the beginning.
    private func listen(_ child: inout Child) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<16 {
            let count = read(child.output, &bytes, bytes.count)
            guard count > 0 else { return }
            child.said += bytes.prefix(min(count, max(0, configuration.outputMax - child.said.count)))
        }
    }

    /// nil while it runs. What it has started ends with it.
    private func ended(_ child: inout Child) -> Hooks.Outcome? {
        guard let end = child.process.ending else { return nil }
        child.process.send(SIGKILL)
        listen(&child)
        close(child.output)
        if let ending = child.ending { return ending.outcome }
        return switch end {
        case .exited(0): .succeeded
        case .exited(let code): .failed(code: code)
        case .killed(let signal): .signalled(signal)
        case .lost: .failed(code: -1)
        }
    }

    private func press(_ child: inout Child, isStopped: Bool) {
        let now = Boottime.now()
        if let ending = child.ending {
            if now >= ending.time + configuration.grace { child.process.send(SIGKILL) }
        } else if isStopped || now >= child.start + configuration.limit {
            child.ending = (isStopped ? .cancelled : .timedOut, now)
            child.process.send(SIGTERM)
        }
    }
}

import Foundation
import Processes

/// The mail program while it takes one message: in a process group of its own, without a shell, without the hub's descriptors, and with no
/// more of its environment than a mail program reads. For one thread.
struct MailChild: ~Copyable {
    enum Outcome: Equatable {
        /// With the first bytes of what it said on standard error.
        case ended(Int, said: [UInt8])
        case killed(signal: Int)
        case timedOut
        /// With the error's number.
        case notStarted(Int32)
    }

    private static let saidMaximum = 4096
    /// How often it is looked whether the program has ended, in milliseconds: where the kernel does not tell, and in any case.
    private static let glance: Int32 = 20, glanceMaximum: Int64 = 1000
    private static let environment = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_CONFIG_HOME"]

    private let program: RunningProgram
    /// Where it reads from; -1 when it has got all.
    private var input: Int32
    private let errors: Int32
    /// Nobody can say anything on standard error any more.
    private var isSilent = false
    /// Tells when the program ends; -1 where the kernel has no such thing.
    private let ending: Int32
    private var said: [UInt8] = []

    /// Runs a program to its end, at most `limit` milliseconds, with `input` on its standard input.
    static func run(_ command: [String], by programs: Programs, input: [UInt8], limit: Int64) -> Outcome {
        var code: Int32 = 0
        guard var child = MailChild(command, programs, &code) else { return .notStarted(code) }
        return child.finish(input[...], limit: limit)
    }

    private init?(_ command: [String], _ programs: Programs, _ code: inout Int32) {
        guard let given = Programs.pipe(keeping: .write) else {
            code = errno
            return nil
        }
        defer { close(given.read) }
        guard let taken = Programs.pipe() else {
            code = errno
            close(given.write)
            return nil
        }
        defer { close(taken.write) }
        let environment = Self.environment.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
        do throws(Programs.Failure) {
            let new = try programs.start(command, environment: environment, .init(input: given.read, errors: taken.write))
            (program, input, errors, ending) = (new, given.write, taken.read, new.makeHandle())
        } catch {
            code = error.code
            close(given.write)
            close(taken.read)
            return nil
        }
    }

    deinit {
        for descriptor in [input, errors, ending] where descriptor >= 0 { close(descriptor) }
    }

    private mutating func finish(_ message: ArraySlice<UInt8>, limit: Int64) -> Outcome {
        var rest = message
        let clock = ContinuousClock(), end = clock.now + .milliseconds(limit)
        while true {
            feed(&rest)
            listen()
            if let ending = program.ending {
                listen()
                return outcome(of: ending)
            }
            if clock.now >= end {
                program.send(SIGKILL)
                program.wait()
                return .timedOut
            }
            wait(until: end)
        }
    }

    private func outcome(of ending: RunningProgram.Ending) -> Outcome {
        switch ending {
        case .exited(let status): .ended(Int(status), said: said)
        case .killed(let signal): .killed(signal: Int(signal))
        case .lost(let code): .notStarted(code)
        }
    }

    /// Until there is something to do.
    private func wait(until end: ContinuousClock.Instant) {
        // poll(2) passes over what is -1.
        var polled = [
            pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: isSilent ? -1 : errors, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ending, events: Int16(POLLIN), revents: 0),
        ]
        let rest = ContinuousClock().now.duration(to: end)
        let milliseconds = rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000 + 1
        poll(&polled, nfds_t(polled.count), ending < 0 ? Self.glance : Int32(max(1, min(milliseconds, Self.glanceMaximum))))
    }

    /// Gives as much of the message as the pipe takes, and ends it behind the last byte. A program that reads no further has its reasons,
    /// which its status tells.
    private mutating func feed(_ rest: inout ArraySlice<UInt8>) {
        guard input >= 0 else { return }
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.writeWithoutSignal(input, $0) }
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        close(input)
        input = -1
    }

    /// Writing to a pipe that nobody reads raises SIGPIPE, which ends a program that does not expect it.
    private static func writeWithoutSignal(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        var signal = sigset_t(), before = sigset_t()
        sigemptyset(&signal)
        sigaddset(&signal, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signal, &before)
        let count = write(descriptor, bytes.baseAddress, bytes.count)
        let code = errno
        if count < 0, code == EPIPE {
            var now = timespec()
            sigtimedwait(&signal, nil, &now)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = code
        return count
    }

    /// Takes what the program said, so that it never waits for a reader; only the beginning is kept.
    private mutating func listen() {
        var bytes = [UInt8](repeating: 0, count: Self.saidMaximum)
        // One that never ends saying something must not evade its limit.
        for _ in 0..<16 {
            let count = read(errors, &bytes, bytes.count)
            if count == 0 { isSilent = true }
            guard count > 0 else { return }
            said += bytes.prefix(min(count, Self.saidMaximum - said.count))
        }
    }
}

import Foundation
import Processes
import Seams

/// A program that makes bytes of bytes: without a shell, without the hub's descriptors and environment, with limits.
enum PictureProcess {
    enum Problem: Error, Equatable {
        /// With the error's number.
        case notStarted(Int32)
        case timedOut
        case failed(RunningProgram.Ending)
        case tooLong
    }

    /// - Parameters:
    ///   - input: no more than a pipe takes at once (64 KiB).
    ///   - processor: seconds.
    ///   - memory: bytes of address space.
    ///   - machine: whose clock counts `milliseconds`.
    static func run(
        _ program: String, _ arguments: [String], input: [UInt8], outputMax: Int, milliseconds: Int, processor: rlim_t, memory: rlim_t,
        on machine: Machine
    ) -> Result<[UInt8], Problem> {
        let running: (program: RunningProgram, output: Int32)
        do throws(Programs.Failure) {
            running = try start([program] + arguments, input, processor, memory, by: machine.programs)
        } catch { return .failure(.notStarted(error.code)) }
        defer { close(running.output) }
        let output = read(running.output, outputMax, until: machine.uptime + .milliseconds(milliseconds), on: machine)
        if case .failure = output { running.program.send(SIGKILL) }
        let ending = running.program.wait()
        return output.flatMap { ending == .exited(0) ? .success($0) : .failure(.failed(ending)) }
    }

    private static func start(
        _ command: [String], _ input: [UInt8], _ processor: rlim_t, _ memory: rlim_t, by programs: Programs
    ) throws(Programs.Failure) -> (program: RunningProgram, output: Int32) {
        guard let given = Programs.pipe(keeping: .write) else { throw Programs.Failure(code: errno) }
        defer { for end in [given.read, given.write] { close(end) } }
        // All of it, before anybody reads: it fits.
        guard input.withUnsafeBytes({ write(given.write, $0.baseAddress, $0.count) }) == input.count else {
            throw Programs.Failure(code: EFBIG)
        }
        guard let taken = Programs.pipe() else { throw Programs.Failure(code: errno) }
        defer { close(taken.write) }
        // prlimit (util-linux, which every Debian has) sets the limits and becomes the program. A write to a file fails and is no end:
        // fontconfig writes its cache where that is older than the fonts.
        let limits = [
            "/usr/bin/env", "--ignore-signal=XFSZ", "/usr/bin/prlimit", "--cpu=\(processor)", "--as=\(memory)", "--core=0", "--fsize=0",
            "--",
        ]
        let environment = ["PATH=/usr/bin:/bin", "HOME=/nonexistent", "LANG=C.UTF-8"]
        do throws(Programs.Failure) {
            let streams = Programs.Streams(input: given.read, output: taken.write)
            return (try programs.start(limits + command, environment: environment, streams), taken.read)
        } catch {
            close(taken.read)
            throw error
        }
    }

    private static func read(
        _ descriptor: Int32, _ most: Int, until end: Duration, on machine: Machine
    ) -> Result<[UInt8], Problem> {
        var output: [UInt8] = [], piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            guard machine.uptime < end else { return .failure(.timedOut) }
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 100) > 0 else { continue }
            let count = Foundation.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return .success(output) }
            output += piece.prefix(count)
            guard output.count <= most else { return .failure(.tooLong) }
        }
    }
}

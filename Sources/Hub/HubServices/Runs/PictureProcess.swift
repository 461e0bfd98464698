import Foundation
import Processes
import Seams

/// A program that makes bytes of bytes: without a shell, without the hub's descriptors and environment, with limits.
enum PictureProcess {
    enum Problem: Error, Equatable {
        /// With the error's number.
        case notStarted(Int32)
        case timedOut
        case failed(status: Int32)
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
        var id: pid_t = 0, reading: Int32 = -1
        let code = start(program, arguments, input, &id, &reading, processor, memory)
        guard code == 0 else { return .failure(.notStarted(code)) }
        defer { close(reading) }
        let output = read(reading, outputMax, until: machine.uptime + .milliseconds(milliseconds), on: machine)
        if case .failure = output { kill(-id, SIGKILL) }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return output.flatMap { status == 0 ? .success($0) : .failure(.failed(status: status)) }
    }

    private static func start(
        _ program: String, _ arguments: [String], _ input: [UInt8], _ id: inout pid_t, _ reading: inout Int32, _ processor: rlim_t,
        _ memory: rlim_t
    ) -> Int32 {
        guard let given = ProcessStart.pipe(keeping: .write) else { return errno }
        defer { for end in [given.read, given.write] { close(end) } }
        // All of it, before anybody reads: it fits.
        guard input.withUnsafeBytes({ write(given.write, $0.baseAddress, $0.count) }) == input.count else { return EFBIG }
        guard let taken = ProcessStart.pipe() else { return errno }
        defer { close(taken.write) }
        // prlimit (util-linux, which every Debian has) sets the limits and becomes the program. A write to a file fails and is no end:
        // fontconfig writes its cache where that is older than the fonts.
        let limits = [
            "/usr/bin/env", "--ignore-signal=XFSZ", "/usr/bin/prlimit", "--cpu=\(processor)", "--as=\(memory)", "--core=0", "--fsize=0",
            "--", program,
        ]
        let environment = ["PATH=/usr/bin:/bin", "HOME=/nonexistent", "LANG=C.UTF-8"]
        do throws(ProcessStart.Failure) {
            id = try ProcessStart.start(limits + arguments, environment: environment, .init(input: given.read, output: taken.write))
            reading = taken.read
            return 0
        } catch {
            close(taken.read)
            return error.code
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

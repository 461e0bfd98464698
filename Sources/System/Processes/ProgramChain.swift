import CLinux
import Glibc

/// Programs of which each reads what the one before it writes, as in a shell's pipe, without a shell.
package struct ProgramChain: Sendable {
    /// A program that could not be started, or failed.
    package struct Failed: Error, Sendable {
        package var program: String
        /// nil when it could not be started.
        package var ending: RunningProgram.Ending?
        /// The number of the error with which it could not be started.
        package var code: Int32 = 0
        /// The end of what it said on its standard error.
        package var said = ""
    }

    private let programs: Programs, commands: [[String]], environment: [String]

    /// - Parameter commands: the first of each is looked up in PATH unless it has a slash.
    package init(_ commands: [[String]], programs: Programs, environment: [String] = Programs.environment) {
        (self.programs, self.commands, self.environment) = (programs, commands, environment)
    }

    /// Gives the first program its input; comes back when all have ended well.
    /// - Parameters:
    ///   - output: of the last program, a descriptor that stays the caller's; nil for nothing.
    ///   - body: hands bytes to the first program by its argument. When it throws, all programs are killed.
    package func feed(output: Int32? = nil, _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        guard let ends = Self.pipe() else { throw Failed(program: commands.first?.first ?? "", code: errno) }
        let running: [Running]
        do {
            defer { close(ends.read) }
            running = try start(input: ends.read, output: output)
        } catch {
            close(ends.write)
            throw error
        }
        do {
            // One that reads no further says why with its ending.
            try body { bytes in if !Self.write(bytes, to: ends.write) { throw Closed() } }
        } catch is Closed {
        } catch {
            for one in running { one.program.send(SIGKILL) }
            close(ends.write)
            try? finish(running)
            throw error
        }
        close(ends.write)
        try finish(running)
    }

    /// Hears what the last program writes; comes back when all have ended well.
    /// - Parameters:
    ///   - input: of the first program, a descriptor that stays the caller's; nil for nothing.
    ///   - heard: gets it in pieces of 64 KiB at most. When it throws, all programs are killed.
    package func read(input: Int32? = nil, _ heard: (ArraySlice<UInt8>) throws -> Void) throws {
        guard let ends = Self.pipe() else { throw Failed(program: commands.first?.first ?? "", code: errno) }
        defer { close(ends.read) }
        let running: [Running]
        do {
            defer { close(ends.write) }
            running = try start(input: input, output: ends.write)
        }
        do {
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = Glibc.read(ends.read, &piece, piece.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                try heard(piece[..<count])
            }
        } catch {
            for one in running { one.program.send(SIGKILL) }
            try? finish(running)
            throw error
        }
        try finish(running)
    }

    private struct Closed: Error {}

    private struct Running {
        var name: String
        var program: RunningProgram
        /// A file without a name with what it says on its standard error: nobody has to read it meanwhile.
        var errors: Int32
    }

    private func start(input: Int32?, output: Int32?) throws -> [Running] {
        var running: [Running] = [], next = input, made: [Int32] = []
        defer { for descriptor in made { close(descriptor) } }
        do {
            for (index, command) in commands.enumerated() {
                let name = command.first ?? "", isLast = index == commands.count - 1
                let between = isLast ? nil : Self.pipe()
                guard isLast || between != nil else { throw Failed(program: name, code: errno) }
                if let between { made += [between.read, between.write] }
                let errors = trackme_memory_file("errors")
                do throws(Programs.Failure) {
                    let program = try programs.start(
                        command, environment: environment,
                        .init(input: next, output: between?.write ?? output, errors: errors < 0 ? nil : errors))
                    running.append(Running(name: name, program: program, errors: errors))
                } catch {
                    if errors >= 0 { close(errors) }
                    throw Failed(program: name, code: error.code)
                }
                next = between?.read
            }
        } catch {
            for one in running { one.program.send(SIGKILL) }
            try? finish(running)
            throw error
        }
        return running
    }

    /// Waits for all. Of several that failed the last one is told that was not ended by the others: it broke the pipe.
    private func finish(_ running: [Running]) throws {
        var failed: [Failed] = []
        for one in running {
            let ending = one.program.wait()
            if ending != .exited(0) { failed.append(Failed(program: one.name, ending: ending, said: Self.said(one.errors))) }
            if one.errors >= 0 { close(one.errors) }
        }
        if let failed = failed.last(where: { $0.ending != .killed(signal: SIGPIPE) }) ?? failed.last { throw failed }
    }

    private static let saidMax = 2048

    private static func said(_ file: Int32) -> String {
        guard file >= 0 else { return "" }
        let end = lseek(file, 0, SEEK_END), first = max(0, end - off_t(saidMax))
        var bytes = [UInt8](repeating: 0, count: saidMax)
        let count = pread(file, &bytes, bytes.count, first)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }

    /// Both ends block; programs inherit neither.
    private static func pipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        return trackme_pipe(&ends, O_CLOEXEC) == 0 ? (ends[0], ends[1]) : nil
    }

    /// Writes all; false when nobody reads any more. That raises SIGPIPE, which ends a program that does not expect it.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var signal = sigset_t(), before = sigset_t()
        sigemptyset(&signal)
        sigaddset(&signal, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signal, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                var now = timespec()
                if errno == EPIPE { sigtimedwait(&signal, nil, &now) }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

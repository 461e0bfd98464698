import Foundation

/// A program that makes bytes of bytes: without a shell, without the hub's descriptors and environment, with limits.
enum PictureProcess {
    enum Problem: Error, Equatable {
        /// With the error's number.
        case notStarted(Int32)
        case timedOut
        case failed(status: Int32)
        case tooLong
    }

    /// One at a time: a pipe that is not yet marked must not get into another program, which would keep it open.
    private static let starting = NSLock()

    /// - Parameters:
    ///   - input: no more than a pipe takes at once (64 KiB).
    ///   - processor: seconds.
    ///   - memory: bytes of address space.
    static func run(
        _ program: String, _ arguments: [String], input: [UInt8], outputMax: Int, milliseconds: Int, processor: rlim_t, memory: rlim_t
    ) -> Result<[UInt8], Problem> {
        var id: pid_t = 0, reading: Int32 = -1
        let code = start(program, arguments, input, &id, &reading, processor, memory)
        guard code == 0 else { return .failure(.notStarted(code)) }
        defer { close(reading) }
        let output = read(reading, outputMax, ContinuousClock.now + .milliseconds(milliseconds))
        if case .failure = output { kill(-id, SIGKILL) }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return output.flatMap { status == 0 ? .success($0) : .failure(.failed(status: status)) }
    }

    private static func start(
        _ program: String, _ arguments: [String], _ input: [UInt8], _ id: inout pid_t, _ reading: inout Int32, _ processor: rlim_t,
        _ memory: rlim_t
    ) -> Int32 {
        starting.lock()
        defer { starting.unlock() }
        var given: [Int32] = [-1, -1], taken: [Int32] = [-1, -1]
        guard pipe(&given) == 0 else { return errno }
        defer { for end in given { close(end) } }
        // All of it, before anybody reads: it fits.
        guard input.withUnsafeBytes({ write(given[1], $0.baseAddress, $0.count) }) == input.count else { return EFBIG }
        guard pipe(&taken) == 0 else { return errno }
        for end in given + taken { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, given[0], 0)
        posix_spawn_file_actions_adddup2(&actions, taken[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for descriptor in openDescriptors where descriptor > 2 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        // prlimit (util-linux, which every Debian has) sets the limits and becomes the program.
        let limits: [String] = ["/usr/bin/prlimit", "--cpu=\(processor)", "--as=\(memory)", "--core=0", "--fsize=0", "--", program]
        var words = (limits + arguments).map { strdup($0) } + [nil]
        let fixed: [String] = ["PATH=/usr/bin:/bin", "HOME=/nonexistent", "LANG=C.UTF-8"]
        var environment = fixed.map { strdup($0) } + [nil]
        defer { for text in words + environment { free(text) } }
        let code = posix_spawn(&id, limits[0], &actions, &attributes, &words, &environment)
        close(taken[1])
        if code == 0 { reading = taken[0] } else { close(taken[0]) }
        return code
    }

    private static func read(_ descriptor: Int32, _ most: Int, _ end: ContinuousClock.Instant) -> Result<[UInt8], Problem> {
        var output: [UInt8] = [], piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let left = end - ContinuousClock.now
            guard left > .zero else { return .failure(.timedOut) }
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 100) > 0 else { continue }
            let count = Foundation.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .success(output) }
            output += piece.prefix(count)
            guard output.count <= most else { return .failure(.tooLong) }
        }
    }

    /// Somebody may have opened one without close-on-exec. Closing what is no longer open is no error in glibc.
    private static var openDescriptors: [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).compactMap { Int32($0) }
    }
}

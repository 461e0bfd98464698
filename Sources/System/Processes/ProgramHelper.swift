import CLinux
import Glibc

/// Starts programs for a service whose sandbox is too narrow for them, in a service of its own, for ``Programs/helper(at:)``. Each connection
/// asks for one program. A program whose connection closes is killed: whoever asked for it is gone.
public struct ProgramHelper {
    /// Programs at once; who asks for more waits.
    public static let programsMax = 128

    private struct Job {
        /// -1 once it has closed.
        var socket: Int32
        /// nil until it was asked for.
        var program: RunningProgram?
        /// Can be read once the program has ended; -1 where the kernel has no such thing.
        var handle: Int32 = -1
        var hasEnded = false

        var isRunning: Bool { program != nil && !hasEnded }
        var isOver: Bool { socket < 0 && !isRunning }
    }

    private let listener: Int32, allowed: Set<String>, programs: Programs
    private let refused: (String) -> Void
    private var jobs: [Job] = []
    private var room = [UInt8](repeating: 0, count: HelperMessage.max)

    /// - Parameters:
    ///   - listener: a listening socket that keeps messages apart (SOCK_SEQPACKET), which stays the caller's.
    ///   - allowed: the paths of what may be started, exactly as they are asked for.
    ///   - programs: those that start it.
    ///   - refused: is told of a program that may not be started.
    public init(
        listener: Int32, allowed: Set<String>, programs: Programs = .system, refused: @escaping (String) -> Void = { _ in }
    ) {
        (self.listener, self.allowed, self.programs, self.refused) = (listener, allowed, programs, refused)
    }

    /// Serves until `stop` can be read, and kills what runs then.
    /// - Parameter stop: a descriptor; -1 for none.
    public mutating func run(until stop: Int32 = -1) {
        while true {
            var entries = [entry(jobs.count < Self.programsMax ? listener : -1), entry(stop)]
            for job in jobs { entries += [entry(job.socket), entry(job.handle)] }
            let isBlind = jobs.contains { $0.isRunning && $0.handle < 0 }
            let count = poll(&entries, nfds_t(entries.count), isBlind ? 50 : -1)
            guard count >= 0 || errno == EINTR else { return end() }
            guard count >= 0 else { continue }
            if entries[1].revents != 0 { return end() }
            for index in jobs.indices {
                if entries[2 + 2 * index].revents != 0 { hear(index) }
                if entries[3 + 2 * index].revents != 0 || jobs[index].handle < 0 { look(index) }
            }
            jobs.removeAll(where: \.isOver)
            if entries[0].revents != 0 { greet() }
        }
    }

    private func entry(_ descriptor: Int32) -> pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }

    private mutating func greet() {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { return }
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        jobs.append(Job(socket: socket))
    }

    private mutating func hear(_ index: Int) {
        let socket = jobs[index].socket
        switch HelperMessage.receive(from: socket, into: &room) {
        case .nothing: return
        case .end: hangUp(index)
        case .message(let bytes, let descriptors):
            defer { for descriptor in descriptors { close(descriptor) } }
            guard let program = jobs[index].program else { return begin(index, HelperMessage.Request(bytes), descriptors) }
            if case .signal(let signal)? = HelperMessage.Word(bytes) { program.send(signal) }
        }
    }

    private mutating func begin(_ index: Int, _ request: HelperMessage.Request?, _ descriptors: [Int32]) {
        let socket = jobs[index].socket
        guard let request, request.streams.nonzeroBitCount == descriptors.count else {
            HelperMessage.send(.failed(EINVAL), to: socket)
            return hangUp(index)
        }
        let name = request.command.first ?? ""
        guard allowed.contains(name) else {
            refused(name)
            HelperMessage.send(.failed(EPERM), to: socket)
            return hangUp(index)
        }
        var rest = descriptors[...]
        let given = (0..<3).map { request.streams & 1 << $0 == 0 ? nil : rest.popFirst() }
        do throws(Programs.Failure) {
            let program = try programs.start(
                request.command, environment: request.environment, .init(input: given[0], output: given[1], errors: given[2]))
            (jobs[index].program, jobs[index].handle) = (program, program.makeHandle())
            HelperMessage.send(.started(program.id), to: socket)
        } catch {
            HelperMessage.send(.failed(error.code), to: socket)
            hangUp(index)
        }
    }

    private mutating func look(_ index: Int) {
        guard jobs[index].isRunning, let ending = jobs[index].program?.ending else { return }
        jobs[index].hasEnded = true
        if jobs[index].handle >= 0 { close(jobs[index].handle) }
        jobs[index].handle = -1
        switch ending {
        case .exited(let status): HelperMessage.send(.exited(status), to: jobs[index].socket)
        case .killed(let signal): HelperMessage.send(.killed(signal), to: jobs[index].socket)
        // The other end takes a closed connection for that.
        case .lost: hangUp(index)
        }
    }

    /// The connection is over. What still runs is reaped when it has ended.
    private mutating func hangUp(_ index: Int) {
        if jobs[index].socket >= 0 { close(jobs[index].socket) }
        jobs[index].socket = -1
        if jobs[index].isRunning { jobs[index].program?.send(SIGKILL) }
    }

    private mutating func end() {
        for index in jobs.indices {
            hangUp(index)
            if jobs[index].isRunning { jobs[index].program?.wait() }
            if jobs[index].handle >= 0 { close(jobs[index].handle) }
        }
        jobs = []
    }
}

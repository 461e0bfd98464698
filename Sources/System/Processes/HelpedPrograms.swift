import Glibc
import Synchronization

extension Programs {
    /// A helper that does not answer within this has failed, milliseconds. Its first answer may have to wait until systemd has started it.
    private static let helperMax: Int32 = 5000

    /// Those that a ``ProgramHelper`` starts, outside of this process's sandbox. They end with this process, however it ends.
    /// - Parameter path: where the helper listens.
    public static func helper(at path: String) -> Programs {
        Programs { (command, environment, streams) throws(Failure) in
            let given = [streams.input, streams.output, streams.errors]
            let mask = given.enumerated().reduce(UInt8(0)) { $1.element == nil ? $0 : $0 | 1 << $1.offset }
            guard let request = HelperMessage.Request(command: command, environment: environment, streams: mask).bytes else {
                throw Failure(code: E2BIG)
            }
            let program = HelpedProgram(socket: try connect(to: path))
            guard HelperMessage.send(request, given.compactMap(\.self), to: program.socket) else { throw Failure(code: errno) }
            let id = try program.started(within: helperMax)
            return RunningProgram(
                id: id, look: { program.look(waits: $0) }, signal: { HelperMessage.send(.signal($0), to: program.socket) },
                handle: { fcntl(program.socket, F_DUPFD_CLOEXEC, 0) })
        }
    }

    private static func connect(to path: String) throws(Failure) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Failure(code: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        // For as long a connection waits for its place as well.
        var limit = timeval(tv_sec: Int(helperMax / 1000), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            // A socket that is missing must not read as a program that is.
            throw Failure(code: ECONNREFUSED)
        }
        return descriptor
    }
}

/// A program that a helper has started: its connection lives as long as somebody may wait for the program.
private final class HelpedProgram: Sendable {
    let socket: Int32
    private let known = Mutex<RunningProgram.Ending?>(nil)

    init(socket: Int32) { self.socket = socket }

    deinit { close(socket) }

    /// - Returns: the number of the process.
    func started(within milliseconds: Int32) throws(Programs.Failure) -> Int32 {
        guard awaitMessage(milliseconds) else { throw Programs.Failure(code: ETIMEDOUT) }
        switch word() {
        case .message(.started(let id)): return id
        case .message(.failed(let code)): throw Programs.Failure(code: code)
        case .message, .nothing, .end: throw Programs.Failure(code: ECONNRESET)
        }
    }

    func look(waits: Bool) -> RunningProgram.Ending? {
        while true {
            let ending = known.withLock { known in
                known = known ?? next()
                return known
            }
            guard ending == nil, waits else { return ending }
            _ = awaitMessage(-1)
        }
    }

    private func next() -> RunningProgram.Ending? {
        switch word() {
        case .message(.exited(let status)): .exited(status)
        case .message(.killed(let signal)): .killed(signal: signal)
        case .nothing: nil
        // The helper is gone, and the program with it.
        case .message, .end: .lost(ECONNRESET)
        }
    }

    private enum Heard {
        case message(HelperMessage.Word)
        case nothing
        case end
    }

    private func word() -> Heard {
        var room = [UInt8](repeating: 0, count: 8)
        switch HelperMessage.receive(from: socket, into: &room) {
        case .message(let bytes, let descriptors):
            for descriptor in descriptors { close(descriptor) }
            return HelperMessage.Word(bytes).map { .message($0) } ?? .end
        case .nothing: return .nothing
        case .end: return .end
        }
    }

    private func awaitMessage(_ milliseconds: Int32) -> Bool {
        while true {
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let count = poll(&entry, 1, milliseconds)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}

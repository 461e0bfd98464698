import CLinux
import Glibc

/// A program that was started. Whoever started it waits for its end, once.
public struct RunningProgram: Sendable {
    /// How a program ended.
    public enum Ending: Sendable, Hashable {
        /// With its status: 0 says that all went well.
        case exited(Int32)
        case killed(signal: Int32)
        /// Nobody can wait for it; with the error's number.
        case lost(Int32)
    }

    /// The number of its process, by which others on the machine know it.
    public let id: Int32
    private let look: @Sendable (_ waits: Bool) -> Ending?
    private let signal: @Sendable (Int32) -> Void
    private let handle: @Sendable () -> Int32

    /// - Parameters:
    ///   - look: how it ended; nil while it runs, unless it is to be waited for.
    ///   - signal: sends a signal to it and to all that it has started.
    ///   - handle: a descriptor that can be read once it has ended, and is the caller's to close; -1 for none.
    public init(
        id: Int32, look: @escaping @Sendable (_ waits: Bool) -> Ending?, signal: @escaping @Sendable (Int32) -> Void,
        handle: @escaping @Sendable () -> Int32 = { -1 }
    ) {
        (self.id, self.look, self.signal, self.handle) = (id, look, signal, handle)
    }

    /// How it ended; nil while it runs.
    public var ending: Ending? { look(false) }

    /// Waits until it has ended.
    @discardableResult
    public func wait() -> Ending { look(true) ?? .lost(ECHILD) }

    /// Sends a signal to the program and to all that it has started, also after its end.
    public func send(_ signal: Int32) { self.signal(signal) }

    /// A descriptor that can be read once the program has ended, for whoever waits for several things; the caller closes it. -1 where there is none.
    public func makeHandle() -> Int32 { handle() }

    init(process: pid_t) {
        self.init(
            id: process, look: { Self.ending(of: process, waits: $0) }, signal: { kill(-process, $0) },
            handle: { trackme_process_handle(process) })
    }

    private static func ending(of process: pid_t, waits: Bool) -> Ending? {
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, waits ? 0 : WNOHANG)
            if ended == process { return status & 0x7F != 0 ? .killed(signal: status & 0x7F) : .exited(status >> 8 & 0xFF) }
            if ended == 0 { return nil }
            if errno != EINTR { return .lost(errno) }
        }
    }
}

import Foundation
public import Sensing
import Synchronization

/// The thread of a live source, so that waiting for a device never blocks Swift's cooperative pool.
public final class SourceThread: Sendable {
    private let name: String
    private let signal = Mutex<StopSignal?>(nil)

    /// - Parameter name: what debuggers and `ps -T` show; at most 15 characters count.
    public init(name: String) { self.name = name }

    deinit { stop() }

    /// Runs `body` on the thread, which returns soon after its signal. Does nothing while one runs.
    /// - Throws: when the process has no file descriptor left.
    public func start(_ body: @escaping @Sendable (StopSignal) -> Void) throws(SourceProblem) {
        guard let new = StopSignal() else {
            throw SourceProblem(
                what: "This process has no file descriptor left", advice: "Raise its limit (LimitNOFILE=)", retries: false)
        }
        let started = signal.withLock { signal in
            guard signal == nil else { return false }
            signal = new
            return true
        }
        guard started else { return }
        let thread = Thread { body(new) }
        thread.name = name
        thread.start()
    }

    /// Tells the thread to end. It can be started again.
    public func stop() {
        signal.withLock { signal in
            signal?.stop()
            signal = nil
        }
    }
}

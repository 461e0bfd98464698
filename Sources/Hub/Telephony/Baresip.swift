import Foundation
import Processes
import Synchronization
import Vitals

/// One telephone line: a baresip of its own, on a thread of its own, that is started again whenever it ends.
final class Baresip: Sendable {
    /// The inputs of a call beside its address. All closures are called on the line's thread and return at once.
    struct Call: Sendable {
        let order: PhoneLine.Order
        /// The path of the sound that is heard first.
        let sound: String
        /// Asked each second until somebody answers.
        let isWanted: @Sendable () -> Bool
        /// Key 1: ``say(_:)`` follows.
        let keyPressed: @Sendable () -> Void
        let ended: @Sendable (CallOutcome) -> Void
        /// The line is free again, and its sounds are needed no more.
        let over: @Sendable () -> Void
    }

    struct Shared {
        var order: Call?
        var sound: String?
        var isStopping = false
        var stopped: [CheckedContinuation<Void, Never>] = []
        var hasEnded = false
        var problem: String? = PhoneLine.notStarted
        /// baresip's number; nil while none runs.
        var process: Int32?
    }

    let shared = Mutex(Shared())
    private let wakeRead: Int32, wakeWrite: Int32

    /// nil when the process has no file descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (wakeRead, wakeWrite) = (ends[0], ends[1])
    }

    deinit {
        close(wakeRead)
        close(wakeWrite)
    }

    /// - Parameters:
    ///   - program: baresip's path.
    ///   - changed: is told why no call can be made, or nil, when that changes.
    func start(_ trunk: Trunk, program: String, by programs: Programs, changed: @escaping @Sendable (String?) -> Void) {
        let thread = Thread { [self] in
            var runner = BaresipRunner(trunk, program: program, by: programs, line: self, wake: wakeRead, changed: changed)
            runner.run()
            let waiting = shared.withLock { shared in
                shared.hasEnded = true
                shared.problem = "the hub stops"
                return shared.stopped
            }
            for continuation in waiting { continuation.resume() }
        }
        thread.name = "voice"
        thread.start()
    }

    /// Why no call can be made now; nil when one can.
    var problem: String? { shared.withLock { $0.problem } }

    /// One call at a time: the caller waits for ``Call/over``.
    func call(_ call: Call) {
        let isEnded = shared.withLock { shared in
            if !shared.hasEnded { shared.order = call }
            return shared.hasEnded
        }
        guard !isEnded else {
            call.ended(.lineFailed("the hub stops"))
            return call.over()
        }
        wake()
    }

    /// Plays another sound in the call that runs.
    func say(_ sound: String) {
        shared.withLock { $0.sound = sound }
        wake()
    }

    /// Hangs up, leaves the trunk, and returns when baresip is gone.
    func stop() async {
        await withCheckedContinuation { continuation in
            let isOver = shared.withLock { shared in
                shared.isStopping = true
                if !shared.hasEnded { shared.stopped.append(continuation) }
                return shared.hasEnded
            }
            if isOver { continuation.resume() }
            wake()
        }
    }

    private func wake() {
        var byte: UInt8 = 0
        _ = write(wakeWrite, &byte, 1)
    }
}

import HubStore
public import Seams
import Synchronization

/// A ``ReadPool`` read nothing.
public enum ReadPoolBusy: Error, Sendable, Hashable {
    /// So many readings of this reader alone run or wait.
    case reader
    /// So many readings of all wait.
    case everybody
}

/// Threads for what programs read: requests are answered by as many threads as there are processors, and none of these shall wait for a disk
/// or fill a page of a thousand samples. So many readings run at once, so many more wait, and who comes then is told so at once.
public final class ReadPool<Reader: Hashable & Sendable>: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
        var readings: [Reader: Int] = [:]
    }

    private let state = Mutex(State())
    private let threads: WorkQueue
    private let width: Int
    private let waitingMax: Int
    private let readerMax: Int

    /// - Parameters:
    ///   - width: readings at once: half of the connections that read a database.
    ///   - waitingMax: that wait for their turn, at most.
    ///   - readerMax: of one reader, running and waiting, at most.
    public init(width: Int = 2, waitingMax: Int = 64, readerMax: Int = 16, machine: Machine = .system) {
        threads = BlockingQueue.read.made(on: machine, isConcurrent: true)
        (self.width, self.waitingMax, self.readerMax) = (width, waitingMax, readerMax)
    }

    /// Readings that run or wait.
    var load: Int { state.withLock { $0.running + $0.waiting.count } }

    /// Runs `work` on a thread of the pool, first come, first served. Rows that do not open count in the caller's `UnreadableTally`.
    /// - Throws: ``ReadPoolBusy``, or what `work` throws.
    public func run<Value: Sendable>(for reader: Reader, _ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        let tally = UnreadableTally.current
        return try await withCheckedThrowingContinuation { continuation in
            let refusal = add(reader) {
                let result = Result { try UnreadableTally.$current.withValue(tally) { try work() } }
                // Before the answer: who got one and asks again finds the place free.
                self.end(reader)
                continuation.resume(with: result)
            }
            if let refusal { continuation.resume(throwing: refusal) }
        }
    }

    private func add(_ reader: Reader, _ reading: @escaping @Sendable () -> Void) -> ReadPoolBusy? {
        let (refusal, isNow) = state.withLock { state -> (ReadPoolBusy?, Bool) in
            guard state.readings[reader, default: 0] < readerMax else { return (.reader, false) }
            let isNow = state.running < width
            guard isNow || state.waiting.count < waitingMax else { return (.everybody, false) }
            state.readings[reader, default: 0] += 1
            if isNow { state.running += 1 } else { state.waiting.append(reading) }
            return (nil, isNow)
        }
        if isNow { threads.async(reading) }
        return refusal
    }

    private func end(_ reader: Reader) {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            let left = state.readings[reader, default: 1] - 1
            state.readings[reader] = left > 0 ? left : nil
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        if let next { threads.async(next) }
    }
}

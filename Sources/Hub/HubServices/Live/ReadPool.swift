import HubStore
public import Seams
import Synchronization

/// A ``ReadPool`` read nothing.
public enum ReadPoolBusy: Error, Sendable, Hashable {
    /// The number of readings of this reader that run or wait.
    case reader
    /// The number of waiting readings of all.
    case everybody
}

/// Something that is read in parts waits for its turn before each of them.
public protocol ReadTurns: Sendable {
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
}

extension WorkQueue: ReadTurns {}

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
        let place = try place(for: reader)
        return try await turn(beyondMax: false) {
            // Before the answer: who got one and asks again finds the place free.
            defer { place.leave() }
            return try work()
        }
    }

    /// One of the readings of a reader, for an answer that is read part by part as it is taken. What was begun is not refused in its middle: a part
    /// waits for its turn, however many others do.
    public final class Place: ReadTurns {
        private let pool: ReadPool
        private let reader: Reader
        private let isLeft = Mutex(false)

        fileprivate init(_ pool: ReadPool, _ reader: Reader) { (self.pool, self.reader) = (pool, reader) }

        deinit { leave() }

        /// Reads one part on a thread of the pool. One after the other.
        public func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
            try await pool.turn(beyondMax: true, work)
        }

        fileprivate func leave() {
            let isFirst = isLeft.withLock { isLeft in
                defer { isLeft = true }
                return !isLeft
            }
            if isFirst { pool.leave(reader) }
        }
    }

    /// A place among the readings of a reader, until its last owner goes.
    /// - Throws: ``ReadPoolBusy/reader``.
    public func place(for reader: Reader) throws(ReadPoolBusy) -> Place {
        let isFree = state.withLock { state in
            guard state.readings[reader, default: 0] < readerMax else { return false }
            state.readings[reader, default: 0] += 1
            return true
        }
        guard isFree else { throw .reader }
        return Place(self, reader)
    }

    private func leave(_ reader: Reader) {
        state.withLock { state in
            let left = state.readings[reader, default: 1] - 1
            state.readings[reader] = left > 0 ? left : nil
        }
    }

    private func turn<Value: Sendable>(
        beyondMax: Bool, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let tally = UnreadableTally.current, user = ReadingUser.current
        return try await withCheckedThrowingContinuation { continuation in
            let isTaken = add(beyondMax: beyondMax) {
                let result = Result {
                    try UnreadableTally.$current.withValue(tally) { try ReadingUser.$current.withValue(user) { try work() } }
                }
                self.next()
                continuation.resume(with: result)
            }
            if !isTaken { continuation.resume(throwing: ReadPoolBusy.everybody) }
        }
    }

    private func add(beyondMax: Bool, _ reading: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, isNow) = state.withLock { state in
            let isNow = state.running < width
            guard isNow || beyondMax || state.waiting.count < waitingMax else { return (false, false) }
            if isNow { state.running += 1 } else { state.waiting.append(reading) }
            return (true, isNow)
        }
        if isNow { threads.async(reading) }
        return isTaken
    }

    private func next() {
        let next = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        if let next { threads.async(next) }
    }
}

internal import Dispatch
internal import Synchronization

/// Jobs for a few threads, bounded: who comes when it is full is told so at once.
final class HashingQueue: Sendable {
    /// What to do; it gives back what is to be said of it, when the thread is free again: who hears it may come at once with the next.
    typealias Job = @Sendable () -> Answer
    typealias Answer = @Sendable () -> Void

    private struct State {
        var waiting: [Job] = []
        var running = 0
        var isClosed = false
    }

    /// Jobs that may run or wait.
    private let capacity: Int
    private let state = Mutex(State())
    private let available = DispatchSemaphore(value: 0)

    init(capacity: Int) { self.capacity = capacity }

    /// Jobs that run or wait.
    var load: Int { state.withLock { $0.waiting.count + $0.running } }

    /// False, with nothing done, when it is full.
    func add(_ job: @escaping Job) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.waiting.count + state.running < capacity else { return false }
            state.waiting.append(job)
            return true
        }
        if isTaken { available.signal() }
        return isTaken
    }

    /// Lets that many threads return from ``work()``. What waits is done before: somebody awaits it.
    func close(threads: Int) {
        state.withLock { $0.isClosed = true }
        for _ in 0..<threads { available.signal() }
    }

    /// Does jobs until the queue is closed.
    func work() {
        while let job = next() {
            let answer = job()
            state.withLock { $0.running -= 1 }
            answer()
        }
    }

    private func next() -> Job? {
        available.wait()
        return state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            state.running += 1
            return state.waiting.removeFirst()
        }
    }
}

/// A new thread's word to who started it.
final class HashingThreadReport: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let code = Mutex<Int32>(0)

    func send(_ code: Int32) {
        self.code.withLock { $0 = code }
        semaphore.signal()
    }

    /// Waits for the word: an errno, 0 for none.
    func wait() -> Int32 {
        semaphore.wait()
        return code.withLock { $0 }
    }
}

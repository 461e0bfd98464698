import HubStore
import Logging
import Seams
import Synchronization
import Vitals

/// Samples that the hub left out because a sender was denser than ``SampleDensity``: counted for its person's page of boxes, and told in the log. Kept
/// apart from the commits, which wait for nothing here.
final class ThinnedSamples: Sendable {
    /// Samples of one person that one sender sent too many.
    struct Count: Sendable {
        let sender: Int64
        let person: Int64
        let samples: Int

        init(sender: Int64, of segment: PreparedSegment, count: Int) { (self.sender, person, samples) = (sender, segment.person, count) }

        init(sender: Int64, person: Int64, samples: Int) { (self.sender, self.person, self.samples) = (sender, person, samples) }
    }

    private struct Key: Hashable {
        let sender: Int64
        let person: Int64
    }

    private struct State {
        var counts: [Key: (samples: Int, last: Milliseconds)] = [:]
        /// Samples of senders beyond ``ThinnedSamples/waitingMax``.
        var beyond = 0
        /// A flush is to come.
        var flushes = false
    }

    private let state = Mutex(State())
    private let queue: WorkQueue
    private let store: ThinnedStore
    private let logger: Logger

    /// Between two writes. What was counted since the last one is lost with the process.
    static let flushEvery: Duration = .seconds(10)
    /// Senders that wait to be written, at most.
    static let waitingMax = 10_000

    init(store: ThinnedStore, logger: Logger) {
        (self.store, self.logger, queue) = (store, logger, BlockingQueue.thinned.made(on: store.machine))
    }

    func note(_ counts: [Count], now: Milliseconds) {
        guard !counts.isEmpty else { return }
        let flushes = state.withLock { state in
            for count in counts {
                let key = Key(sender: count.sender, person: count.person)
                guard state.counts[key] != nil || state.counts.count < Self.waitingMax else {
                    state.beyond += count.samples
                    continue
                }
                state.counts[key] = ((state.counts[key]?.samples ?? 0) + count.samples, now)
            }
            defer { state.flushes = true }
            return !state.flushes
        }
        if flushes { queue.async { self.flush() } }
    }

    /// Writes what was counted, and looks again after ``flushEvery``.
    private func flush() {
        write()
        store.machine.start { [weak self, machine = store.machine] in
            try? await machine.sleep(for: Self.flushEvery)
            self?.flushAgain()
        }
    }

    private func flushAgain() {
        let isDone = state.withLock { state in
            if state.counts.isEmpty { state.flushes = false }
            return state.counts.isEmpty
        }
        if !isDone { queue.async { self.flush() } }
    }

    /// Writes what was counted so far; comes back when it is written.
    func settle() async { await queue.run { self.write() } }

    private func write() {
        let (counts, beyond) = state.withLock { state in
            defer { (state.counts, state.beyond) = ([:], 0) }
            return (state.counts, state.beyond)
        }
        if beyond > 0 {
            logger.error(
                "more boxes and phones at once sent too many samples than are counted one by one: no page of boxes shows these",
                metadata: ["senders": "more than \(Self.waitingMax)", "samples": "\(beyond)"])
        }
        for (key, count) in counts {
            logger.warning(
                "a box or phone sent more samples than are kept: those beyond were left out",
                metadata: ["sender": "\(key.sender)", "samples": "\(count.samples)"])
            do {
                try store.noteThinned(count.samples, from: key.sender, of: key.person, now: count.last)
            } catch {
                logger.error("how many samples were left out could not be stored", metadata: ["error": "\(error)"])
            }
        }
    }
}

public import Seams
import Synchronization
public import Vitals

/// Wakes pages that show a case: a person's, a caregiver's, a crew's. A signal says only that there is something new, so that none is missed.
public final class SOSBus: Sendable {
    /// Whom a page is about: a person, or the account of a crew.
    public typealias Topic = PersonID

    fileprivate struct State {
        var watchers: [Topic: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var next: UInt64 = 0
        /// Pages that were woken in the second that began at `since`, and in the one before.
        var woken = 0, wokenBefore = 0
        var since: Duration
    }

    /// Pages a second that a small hub shows besides everything else, and the longest that a page waits for its turn, milliseconds.
    private static let pagesPerSecond = 200, spreadMax: Milliseconds = 5000

    private let state: Mutex<State>
    public let machine: Machine

    /// A bus without watchers, by the clock of a machine.
    public init(machine: Machine = .system) {
        self.machine = machine
        state = Mutex(State(since: machine.uptime))
    }

    /// A signal for each change of a topic, until the reader stops or the bus is closed. Signals that come before the reader is ready are one.
    public func watch(_ topic: Topic) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.next += 1
            state.watchers[topic, default: [:]][state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in
                state.watchers[topic]?[id] = nil
                if state.watchers[topic]?.isEmpty == true { state.watchers[topic] = nil }
            }
        }
        return stream
    }

    /// Whether a page of a topic is open.
    public func isWatched(_ topic: Topic) -> Bool { state.withLock { $0.watchers[topic] != nil } }

    /// So long a page waits at most before it asks for itself, milliseconds: for ``spread``, so that messages to people leave first, and for a
    /// random part of as much again.
    public var turnMax: Milliseconds { 2 * spread }

    /// Over how long pages are to spread what they ask, milliseconds: nothing, unless very many were woken just now.
    public var spread: Milliseconds {
        let woken = state.withLock { state in
            state.turn(machine.uptime)
            return state.woken + state.wokenBefore
        }
        return woken < Self.pagesPerSecond / 4 ? 0 : min(Self.spreadMax, Milliseconds(woken * 1000 / Self.pagesPerSecond))
    }

    func changed(_ topic: Topic) {
        let watchers = state.withLock { state in
            let watchers = Array((state.watchers[topic] ?? [:]).values)
            state.turn(machine.uptime)
            state.woken += watchers.count
            return watchers
        }
        for watcher in watchers { watcher.yield() }
    }

    /// Ends all signals.
    public func close() {
        let all = state.withLock { state in
            defer { state.watchers = [:] }
            return state.watchers.values.flatMap(\.values)
        }
        for watcher in all { watcher.finish() }
    }
}

extension SOSBus.State {
    fileprivate mutating func turn(_ now: Duration) {
        let age = now - since
        guard age >= .seconds(1) else { return }
        (wokenBefore, woken, since) = (age < .seconds(2) ? woken : 0, 0, now)
    }
}

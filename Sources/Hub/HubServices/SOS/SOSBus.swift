public import Seams
import Synchronization
public import Vitals

/// Wakes pages that show a case: a person's, a caregiver's, a crew's. A signal says only that there is something new, so that none is missed.
public final class SOSBus: Sendable {
    /// The subject of a page: a person, or the account of a crew.
    public typealias Topic = PersonID

    fileprivate struct State {
        var watchers: [Topic: [UInt64: PageWatch.Sender]] = [:]
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

    /// The topic of pages that show everybody's cases: it changes with each other one.
    public static let everybody = Topic(high: 0, low: 0)

    /// Signals of changes of a topic, until the reader stops or the bus is closed.
    public func watch(_ topic: Topic) -> PageWatch {
        let watch = PageWatch()
        let id = state.withLock { state in
            state.next += 1
            state.watchers[topic, default: [:]][state.next] = watch.sender
            return state.next
        }
        watch.sender.onTermination { [weak self] in
            self?.state.withLock { state in
                state.watchers[topic]?[id] = nil
                if state.watchers[topic]?.isEmpty == true { state.watchers[topic] = nil }
            }
        }
        return watch
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
            let watchers = Array((state.watchers[topic] ?? [:]).values) + Array((state.watchers[Self.everybody] ?? [:]).values)
            state.turn(machine.uptime)
            state.woken += watchers.count
            return watchers
        }
        for watcher in watchers { watcher.tell(.changed) }
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

/// The wake-up of one page. What comes before the page is ready is one of each kind: no sign of life takes the place of a change.
public struct PageWatch: Sendable {
    public struct Signals: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let changed = Signals(rawValue: 1)
        /// The page is to give a sign of life.
        public static let beat = Signals(rawValue: 2)
    }

    /// Its holder holds up no page that leaves.
    public struct Sender: Sendable {
        fileprivate final class Pending: Sendable {
            let signals = Mutex(Signals())
        }

        fileprivate let pending: Pending
        fileprivate let continuation: AsyncStream<Void>.Continuation

        public func tell(_ signal: Signals) {
            pending.signals.withLock { _ = $0.insert(signal) }
            continuation.yield()
        }

        fileprivate func finish() { continuation.finish() }
        fileprivate func onTermination(_ body: @escaping @Sendable () -> Void) { continuation.onTermination = { _ in body() } }
    }

    public let sender: Sender
    /// There is something to take.
    public let wakes: AsyncStream<Void>

    fileprivate init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (wakes, sender) = (stream, Sender(pending: .init(), continuation: continuation))
    }

    /// Wake-ups since this was asked last.
    public func take() -> Signals {
        sender.pending.signals.withLock { signals in
            defer { signals = [] }
            return signals
        }
    }
}

extension SOSBus.State {
    fileprivate mutating func turn(_ now: Duration) {
        let age = now - since
        guard age >= .seconds(1) else { return }
        (wokenBefore, woken, since) = (age < .seconds(2) ? woken : 0, 0, now)
    }
}

import Synchronization
public import Vitals

/// Samples just stored for a person, for those who watch. Times are UTC.
public struct LiveUpdate: Sendable, Hashable {
    public var received: Milliseconds
    public var provenance: Provenance
    public var samples: SampleSet
}

/// An update for a watcher.
public enum LiveSignal: Sendable, Hashable {
    case update(LiveUpdate)
    /// The watcher was too slow and something was left out: read everything again.
    case missed
    /// From ``LiveWatch/tick()``.
    case tick
}

/// One watcher's view of a person. It ends when it is dropped or the hub stops.
public struct LiveWatch: Sendable {
    public let signals: AsyncStream<LiveSignal>
    fileprivate let bus: LiveBus
    fileprivate let person: PersonID
    fileprivate let id: UInt64

    /// Puts a tick among the signals, unless there are more urgent ones waiting; what was missed is said first.
    public func tick() { bus.signal(.tick, to: id, of: person) }
}

/// Hands what was committed to those who watch. A watcher that cannot keep up loses updates, is told so, and reads again: it never holds
/// up anybody.
public final class LiveBus: Sendable {
    private struct Watcher {
        let continuation: AsyncStream<LiveSignal>.Continuation
        var missed = false
    }

    private struct State {
        var watchers: [PersonID: [UInt64: Watcher]] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())
    /// Everybody for whom something was stored, watched or not.
    let arrived = ArrivalQueue()
    /// Those of them whom the hub watches for AutomatedSOS, and who pressed a button.
    let arrivedForSOS = ArrivalQueue()
    private let watchedForSOS = Mutex<Set<PersonID>>([])
    /// Those who take part in a run.
    let runs = RunInbox()
    /// Those whose workout goes on, or ended lately.
    let workouts = RunInbox()

    /// Signals that wait for one watcher, at most.
    public static let waitingMax = 64

    public init() {}

    func watchForSOS(_ person: PersonID, _ isWatched: Bool) {
        watchedForSOS.withLock { if isWatched { $0.insert(person) } else { $0.remove(person) } }
    }

    /// Whether the hub has to look at what arrived, or may leave it to the person's box.
    func concernsSOS(_ person: PersonID, _ samples: SampleSet) -> Bool {
        samples.events.contains(where: \.code.isSOS) || watchedForSOS.withLock { $0.contains(person) }
    }

    /// Whether the hub looks for emergencies in what comes of any of an agent's persons.
    func watchesForSOS(anyOf people: [PersonID: Int64]) -> Bool {
        watchedForSOS.withLock { watched in people.keys.contains { watched.contains($0) } }
    }

    /// Whether anybody watches: the person's agents are then asked to send on arrival.
    func isWatched(_ person: PersonID) -> Bool {
        state.withLock { $0.watchers[person] != nil }
    }

    /// Whether what was stored for a person is to be handed to ``publish(_:of:)``.
    func concerns(_ person: PersonID) -> Bool { runs.holds(person) || workouts.holds(person) || isWatched(person) }

    /// Whether any of an agent's persons is watched.
    func isWatched(anyOf people: [PersonID: Int64]) -> Bool {
        let isOne = state.withLock { state in
            people.count < state.watchers.count
                ? people.keys.contains { state.watchers[$0] != nil } : state.watchers.keys.contains { people[$0] != nil }
        }
        return isOne || runs.isWatched(anyOf: people) || workouts.isWatched(anyOf: people)
    }

    /// Updates from now on, until the watch is dropped.
    public func watch(_ person: PersonID) -> LiveWatch {
        let (signals, continuation) = AsyncStream.makeStream(
            of: LiveSignal.self, bufferingPolicy: .bufferingOldest(Self.waitingMax))
        let id = state.withLock { state in
            state.next += 1
            state.watchers[person, default: [:]][state.next] = Watcher(continuation: continuation)
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id, of: person) }
        return LiveWatch(signals: signals, bus: self, person: person, id: id)
    }

    private func remove(_ id: UInt64, of person: PersonID) {
        state.withLock { state in
            state.watchers[person]?[id] = nil
            if state.watchers[person]?.isEmpty == true { state.watchers[person] = nil }
        }
    }

    func publish(_ update: LiveUpdate, of person: PersonID) {
        runs.note(update, of: person)
        workouts.note(update, of: person)
        for id in state.withLock({ Array(($0.watchers[person] ?? [:]).keys) }) { signal(.update(update), to: id, of: person) }
    }

    /// Has every watcher of a person look at its grant at once, and not with the next tick: one of them may have ended.
    func recheck(_ person: PersonID) {
        for id in state.withLock({ Array(($0.watchers[person] ?? [:]).keys) }) { signal(.tick, to: id, of: person) }
    }

    fileprivate func signal(_ signal: LiveSignal, to id: UInt64, of person: PersonID) {
        // A yield under the lock keeps the order; it only appends, and a watcher is never ended here.
        state.withLock { state in
            guard var watcher = state.watchers[person]?[id] else { return }
            if watcher.missed, case .enqueued = watcher.continuation.yield(.missed) { watcher.missed = false }
            if case .dropped = watcher.continuation.yield(signal), signal != .tick { watcher.missed = true }
            state.watchers[person]?[id] = watcher
        }
    }

    /// Ends every watcher's stream: the hub stops.
    public func close() {
        let all = state.withLock { state in
            defer { state.watchers = [:] }
            return state.watchers.values.flatMap(\.values)
        }
        for watcher in all { watcher.continuation.finish() }
    }
}

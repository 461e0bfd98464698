import Synchronization
import Vitals

/// People for whom something was stored since somebody looked: each once, however much it was. Whoever consumes reads what it was by a
/// cursor of its own.
final class ArrivalQueue: Sendable {
    private struct State {
        /// With repetitions, which the consumer takes out: it has more time than whoever commits.
        var people: [PersonID] = []
        /// From so many on repetitions go at once.
        var repeated = ArrivalQueue.repeatedMin
    }

    private let state = Mutex(State())
    private let continuation: AsyncStream<Void>.Continuation
    /// One for any number of people. To be iterated by one consumer.
    let signals: AsyncStream<Void>

    private static let repeatedMin = 4096

    init() { (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func note(_ arrived: some Sequence<PersonID>) {
        state.withLock { state in
            state.people.append(contentsOf: arrived)
            guard state.people.count > state.repeated else { return }
            state.people = Array(Set(state.people))
            state.repeated = max(Self.repeatedMin, 2 * state.people.count)
        }
        continuation.yield()
    }

    func take() -> Set<PersonID> {
        let people = state.withLock { state in
            defer { state = State() }
            return state.people
        }
        return Set(people)
    }
}

import Synchronization
import Vitals

/// People for whom something was stored since somebody looked: each once, however much it was. Whoever consumes reads what it was by a
/// cursor of its own.
final class ArrivalQueue: Sendable {
    private let people = Mutex<Set<PersonID>>([])
    private let continuation: AsyncStream<Void>.Continuation
    /// One for any number of people. To be iterated by one consumer.
    let signals: AsyncStream<Void>

    init() { (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func note(_ arrived: some Sequence<PersonID>) {
        people.withLock { $0.formUnion(arrived) }
        continuation.yield()
    }

    func take() -> Set<PersonID> {
        people.withLock { people in
            defer { people = [] }
            return people
        }
    }
}

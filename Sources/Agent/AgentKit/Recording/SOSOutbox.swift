internal import SampleBuffer
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// SOS records until the disk took them. Nobody who puts or sends one waits for the recorder, whose thread may hang in the disk.
final class SOSOutbox: Sendable {
    private let memory: Mutex<MemoryOutbox>

    init(stream: StreamID) { memory = Mutex(MemoryOutbox(stream: stream)) }

    var isEmpty: Bool { memory.withLock { $0.isEmpty } }
    var held: MemoryOutbox { memory.withLock { $0 } }

    /// - Returns: false when the oldest had to go for it.
    func hold(_ records: SampleSet, of person: PersonID, clock: ClockDomain) -> Bool {
        memory.withLock { $0.hold(records, of: person, clock: clock) }
    }

    func batch() -> OutgoingBatch? { memory.withLock { $0.batch() } }

    /// nil when nothing of the batch is here.
    func apply(_ answer: SyncAnswer, to batch: SentBatch) -> AnswerOutcome? { memory.withLock { $0.apply(answer, to: batch) } }

    /// The hub knows of these people.
    func bringBack(_ people: Set<PersonID>) { memory.withLock { $0.bringBack(people) } }

    /// Forgets what the disk took.
    func remove(_ stored: MemoryOutbox) { memory.withLock { $0.remove(stored) } }
}

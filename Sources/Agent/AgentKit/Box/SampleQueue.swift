internal import Logging
internal import Sensing
internal import Synchronization
internal import Vitals

/// Between the sources and the recorder: whoever watches the heart never waits for the disk.
final class SampleQueue: Sendable {
    enum Entry: Sendable {
        case heartRate(HeartRateEvent, PersonID)
        case position(PositionEvent, PersonID)
        case state(StateEvent, PersonID)
    }

    /// About half an hour at 1 Hz each, should the disk block for so long.
    private static let entriesMax = 4096

    private let recorder: Recorder
    private let clock: BoxClock
    private let logger: Logger
    private let entries: AsyncStream<Entry>
    private let continuation: AsyncStream<Entry>.Continuation
    private let shared = Mutex(Shared())

    private let implausible = LossCount()
    private let lost = LossCount()

    private struct Shared {
        var busySince: Milliseconds?
    }

    init(recorder: Recorder, clock: BoxClock, logger: Logger) {
        (entries, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.entriesMax))
        self.recorder = recorder
        self.clock = clock
        self.logger = logger
    }

    /// Since when the recorder has not come back from one entry, by the monotonic clock; nil when it waits for the next.
    var busySince: Milliseconds? { shared.withLock { $0.busySince } }

    /// Nothing more comes: ``run()`` ends when the rest is stored.
    func finish() { continuation.finish() }

    /// The oldest entries go when the disk blocks for too long: said, because nothing may vanish in silence.
    func put(_ entry: Entry) {
        if case .dropped(let oldest) = continuation.yield(entry) { lose(oldest) }
    }

    private func lose(_ entry: Entry) {
        switch entry {
        case .heartRate(_, let person), .position(_, let person), .state(_, let person): recorder.noteLost(of: person)
        }
        guard let count = lost.add() else { return }
        logger.error("readings were lost: the disk of this box has not taken any for too long", metadata: ["readings": "\(count)"])
    }

    /// Hands on what comes, one after the other, until the task is cancelled.
    func run() async {
        for await entry in entries {
            shared.withLock { $0.busySince = clock.boottime() }
            switch entry {
            case .heartRate(let event, let person):
                tell(event.implausible)
                await recorder.take(event, of: person)
            case .position(let event, let person):
                tell(event.implausible)
                await recorder.take(event, of: person)
            case .state(let event, let person): await recorder.take(event, of: person)
            }
            shared.withLock { $0.busySince = nil }
        }
    }

    /// Values that are left out are told at the first and then at every doubling.
    private func tell(_ count: Int) {
        guard let total = implausible.add(count) else { return }
        logger.warning("values that nothing alive and nobody on Earth has were left out", metadata: ["values": "\(total)"])
    }
}

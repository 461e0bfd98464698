internal import Logging
internal import Synchronization
internal import Vitals

/// Events of the sources that nobody took in time: the series of whom it was says that something is missing, and so does the box.
final class LostReadings: Sendable {
    private let recorder: Recorder
    /// The person of the box's positions.
    private let persons: [PersonID]
    private let clock: BoxClock
    private let logger: Logger
    private let count = LossCount()
    private let lastTime = Mutex<Milliseconds?>(nil)

    init(recorder: Recorder, persons: [PersonID], clock: BoxClock, logger: Logger) {
        self.recorder = recorder
        self.persons = persons
        self.clock = clock
        self.logger = logger
    }

    /// When the last was lost, by the boot clock; nil for none.
    var last: Milliseconds? { lastTime.withLock { $0 } }

    func note(_ event: SourceEvent) {
        switch event {
        case .heartRate(_, let person, _): recorder.noteLost(of: person)
        case .position: for person in persons { recorder.noteLost(of: person) }
        case .receiver, .power, .sleep, .problem: break
        }
        lastTime.withLock { $0 = clock.boottime() }
        guard let total = count.add() else { return }
        logger.error("readings were lost: this box is too busy to take them", metadata: ["readings": "\(total)"])
    }
}

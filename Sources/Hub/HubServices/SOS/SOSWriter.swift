import Distress
import HubStore
import Logging
import Seams
import Synchronization
import Vitals

/// Makes decisions durable, many with one commit. They have acted already (design rule 7): what cannot be stored is kept, told, and tried again.
final class SOSWriter: Sendable {
    private struct Queue {
        var states: [PersonID: SOSWatchState] = [:]
        var cases: [IncidentID: SOSCase] = [:]
        /// Tests and late words: they replace nothing.
        var records: [IncidentID: SOSCase] = [:]
        /// Data of cases that are over, which stand on the disk alone.
        var joins: [SOSStore.Change] = []
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var isRunning = false
        /// Something could not be stored last time.
        var isFailing = false
    }

    private static let joinsMax = 1000
    private let queue = Mutex(Queue())
    private let thread: WorkQueue
    private let save: @Sendable ([SOSStore.Change]) throws -> Void
    private let logger: Logger

    init(on machine: Machine, logger: Logger, save: @escaping @Sendable ([SOSStore.Change]) throws -> Void) {
        (thread, self.logger, self.save) = (BlockingQueue.sos.made(on: machine), logger, save)
    }

    /// Takes the newest of one person; called in the order of the decisions.
    func add(_ person: PersonID, state: SOSWatchState?, cases: [SOSCase]) {
        queue.withLock { queue in
            if let state { queue.states[person] = state }
            for item in cases { queue.cases[item.id] = item }
        }
    }

    /// Takes a record that is kept where there is none of its name.
    func record(_ item: SOSCase) { queue.withLock { $0.records[item.id] = item } }

    /// Takes what an alarm of a box was that came when its case was over.
    func join(_ joined: SOSCase.Joined, to id: IncidentID, of person: PersonID) {
        queue.withLock { $0.joins = ($0.joins + [SOSStore.Change(person: person, joined: (id, joined))]).suffix(Self.joinsMax) }
    }

    /// Whether the disk took everything when it was asked last.
    var isFailing: Bool { queue.withLock { $0.isFailing } }

    /// Whether everything that was added is on the disk.
    func flush() async -> Bool {
        await withCheckedContinuation { continuation in
            let starts = queue.withLock { queue in
                queue.waiting.append(continuation)
                defer { queue.isRunning = true }
                return !queue.isRunning
            }
            if starts { thread.async { self.drain() } }
        }
    }

    private func drain() {
        while true {
            let taken: Queue? = queue.withLock { queue -> Queue? in
                guard !queue.waiting.isEmpty else {
                    queue.isRunning = false
                    return nil
                }
                let taken = queue
                (queue.states, queue.cases, queue.records, queue.joins, queue.waiting) = ([:], [:], [:], [], [])
                return taken
            }
            guard let taken else { return }
            let isDone = store(taken)
            queue.withLock { $0.isFailing = !isDone }
            for waiting in taken.waiting { waiting.resume(returning: isDone) }
        }
    }

    private func store(_ taken: Queue) -> Bool {
        // What is over first: a person has one open case.
        let cases = taken.cases.values.sorted { ($0.isOpen ? 1 : 0, $0.opened) < ($1.isOpen ? 1 : 0, $1.opened) }
        let changes =
            taken.states.map { SOSStore.Change(person: $0.key, state: $0.value) }
            + cases.map { SOSStore.Change(person: $0.person, incident: $0) }
            + taken.records.values.map { SOSStore.Change(person: $0.person, incident: $0, isOnlyNew: true) }
            + taken.joins
        guard !changes.isEmpty else { return true }
        do {
            try save(changes)
            return true
        } catch {
            logger.critical("SOS records are not stored; they act and are tried again", metadata: ["error": "\(error)"])
        }
        // One that cannot be stored holds up no other.
        var isAll = true
        for change in changes {
            do { try save([change]) } catch {
                isAll = false
                queue.withLock { queue in
                    if let state = change.state, queue.states[change.person] == nil { queue.states[change.person] = state }
                    if change.joined != nil { queue.joins.append(change) }
                    guard let item = change.incident else { return }
                    if change.isOnlyNew {
                        queue.records[item.id] = item
                    } else if queue.cases[item.id] == nil {
                        queue.cases[item.id] = item
                    }
                }
            }
        }
        return isAll
    }
}

public import Logging
import Privacy
public import Seams
import Synchronization
public import Vitals

/// Looks for workouts in the background, some days of one person after the other (DATA-17): when somebody opens their list, when a part of
/// their data was deleted, and some hours after samples came. Whoever reads the list waits for none of it.
public final class WorkoutSearch: Sendable {
    private struct State {
        /// People whose samples are looked through next; the first of them now.
        var people: [PersonID] = []
        /// The number of days left of each, where it is known.
        var left: [PersonID: Int] = [:]
        /// People who were asked for once more while theirs were looked through.
        var again: Set<PersonID> = []
        /// When a look was asked for last, because samples came.
        var asked: [PersonID: Duration] = [:]
    }

    private let records: WorkoutRecords
    private let machine: Machine
    private let logger: Logger
    private let wearer: @Sendable (PersonID) throws -> WorkoutRecords.Wearer?
    private let queue: WorkQueue
    private let state = Mutex(State())

    /// People who wait, at most. Whoever comes then is looked for when their list is opened again.
    static let peopleMax = 10_000
    /// Samples that came are looked through so long after those before: a look reads up to two days.
    static let pause = Duration.seconds(6 * 3600)

    /// - Parameter wearer: what the figures of somebody depend on; nil for nobody.
    public init(
        records: WorkoutRecords, machine: Machine, logger: Logger, wearer: @escaping @Sendable (PersonID) throws -> WorkoutRecords.Wearer?
    ) {
        (self.records, self.machine, self.logger, self.wearer) = (records, machine, logger, wearer)
        queue = BlockingQueue.workouts.made(on: machine)
    }

    /// Has somebody's samples looked through; returns at once.
    public func look(_ person: PersonID) {
        let isFirst = state.withLock { state in
            guard !state.people.contains(person) else {
                if state.people.first == person { state.again.insert(person) }
                return false
            }
            guard state.people.count < Self.peopleMax else { return false }
            state.people.append(person)
            return state.people.count == 1
        }
        if isFirst { queue.async { [self] in step() } }
    }

    /// Has those looked through of whom samples came, each once in ``pause`` at most.
    public func samplesCame(of people: some Sequence<PersonID>) {
        let now = machine.uptime
        let due = state.withLock { state in
            state.asked = state.asked.filter { now - $0.value < Self.pause }
            return people.filter { person in
                guard state.asked[person] == nil else { return false }
                state.asked[person] = now
                return true
            }
        }
        for person in due { look(person) }
    }

    /// Days that are left to look through; 0 where that is not known yet, nil when nothing goes on.
    public func left(of person: PersonID) -> Int? {
        state.withLock { $0.people.contains(person) ? $0.left[person] ?? 0 : nil }
    }

    /// Comes back when nothing of somebody is left, or after a moment: most looks are over by then.
    public func settled(_ person: PersonID) async {
        for _ in 0..<20 where left(of: person) != nil { try? await machine.sleep(for: .milliseconds(20)) }
    }

    /// Looks through some days of the first; who has more of them waits behind the others.
    private func step() {
        guard let person = state.withLock({ $0.people.first }) else { return }
        var left: Int?
        do {
            if let wearer = try wearer(person) { left = try records.look(.maintenance(of: person), wearer) }
        } catch {
            logger.error("looking for workouts failed", metadata: ["person": "\(person)", "error": "\(error)"])
        }
        let isMore = state.withLock { state in
            state.people.removeFirst()
            let isAgain = state.again.remove(person) != nil, before = state.left[person] ?? .max
            // What does not get less is left for the next time.
            if let left, left > 0, left < before || isAgain {
                state.left[person] = left
                state.people.append(person)
            } else {
                state.left[person] = nil
                if isAgain { state.people.append(person) }
            }
            return !state.people.isEmpty
        }
        if isMore { queue.async { [self] in step() } }
    }
}

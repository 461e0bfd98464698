import Synchronization

/// People's devices that send at their moments, whether what they sent before is answered or not: who answers slowly is not sent less.
final class OpenLoop: Sendable {
    /// What became of what was due.
    struct Counts: Sendable {
        var due = 0
        /// Not sent, because too much was under way.
        var leftOut = 0
        /// Sent more than ``OpenLoop/lateAfter`` after its moment, because the sender itself got no turn.
        var late = 0
        var failed = 0
        /// From the moment at which it was due to its answer.
        var answers = Times()
        fileprivate(set) var underWay = 0

        var notInTime: Int { leftOut + late + failed }
    }

    static let lateAfter: Duration = .seconds(1)

    private let people: Int, period: Duration, most: Int
    private let state = Mutex(Counts())

    /// - Parameters:
    ///   - people: of whom each sends once in each `period`, one after the other.
    ///   - most: requests under way at once; what comes due beyond them is left out.
    init(people: Int, every period: Duration, most: Int) { (self.people, self.period, self.most) = (people, period, most) }

    /// Since the start, or ``restart()``.
    var counts: Counts { state.withLock { $0 } }

    /// Counts from here on.
    func restart() {
        state.withLock { counts in
            let underWay = counts.underWay
            counts = Counts()
            counts.underWay = underWay
        }
    }

    /// Sends until it is cancelled.
    /// - Parameter send: what a person sends in a round of all people, both from 0; returns with the answer.
    func run(_ send: @escaping @Sendable (_ person: Int, _ round: Int) async throws -> Void) async {
        let begun = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            var turn = 0
            while !Task.isCancelled {
                let due = begun + period * turn / people
                let pause = ContinuousClock.now.duration(to: due)
                if pause > .zero { try? await Task.sleep(for: pause) }
                guard !Task.isCancelled else { break }
                let (person, round) = (turn % people, turn / people)
                turn += 1
                guard begins() else { continue }
                group.addTask { [self] in await one(due) { try await send(person, round) } }
            }
        }
    }

    private func begins() -> Bool {
        state.withLock { counts in
            counts.due += 1
            guard counts.underWay < most else {
                counts.leftOut += 1
                return false
            }
            counts.underWay += 1
            return true
        }
    }

    private func one(_ due: ContinuousClock.Instant, _ send: () async throws -> Void) async {
        let isLate = due.duration(to: .now) > Self.lateAfter
        do {
            try await send()
            let took = due.duration(to: .now).milliseconds
            state.withLock { $0.answers.all.append(took) }
        } catch {
            // What the end of the bench cut off is no failure.
            if !Task.isCancelled { state.withLock { $0.failed += 1 } }
        }
        state.withLock { counts in
            counts.underWay -= 1
            if isLate { counts.late += 1 }
        }
    }
}

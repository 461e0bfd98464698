import Synchronization
import Vitals

/// Samples stored for people in runs, until they are taken: bounded. Whoever's does not fit is named, and is read from the store.
final class RunInbox: Sendable {
    struct Letter: Sendable {
        let person: PersonID
        let update: LiveUpdate
    }

    struct Content: Sendable {
        var letters: [Letter] = []
        /// Of these something was left out.
        var lost: Set<PersonID> = []
    }

    private struct State {
        /// Whether somebody watches their run.
        var people: [PersonID: Bool] = [:]
        var watched = 0
        var content = Content()
        var samples = 0
    }

    private let state = Mutex(State())
    /// Samples that wait, at most: ten seconds of 10,000 people's two kinds. A backlog of hours is read from the store anyway.
    static let samplesMax = 200_000
    /// More samples in one segment are history.
    static let segmentMax = 1000

    /// Everybody in a run that goes on, or whose late data is awaited; and whether their boxes shall send on arrival.
    func set(_ people: [PersonID: Bool]) {
        let watched = people.values.count { $0 }
        state.withLock { state in (state.people, state.watched) = (people, watched) }
    }

    func holds(_ person: PersonID) -> Bool { state.withLock { $0.people[person] != nil } }

    func isWatched(anyOf people: [PersonID: Int64]) -> Bool {
        state.withLock { state in state.watched > 0 && people.keys.contains { state.people[$0] == true } }
    }

    func note(_ update: LiveUpdate, of person: PersonID) {
        state.withLock { state in
            guard state.people[person] != nil else { return }
            let count = update.samples.positions.count + update.samples.heartRates.count + update.samples.events.count
            guard count > 0 else { return }
            guard count <= Self.segmentMax, state.samples + count <= Self.samplesMax else {
                state.content.lost.insert(person)
                return
            }
            state.samples += count
            state.content.letters.append(Letter(person: person, update: update))
        }
    }

    func take() -> Content {
        state.withLock { state in
            defer { (state.content, state.samples) = (Content(), 0) }
            return state.content
        }
    }
}

import Foundation
public import HubStore
public import Logging
import NIOCore
public import Privacy
import Runs
public import ServiceLifecycle
import Synchronization
public import Vitals

/// Lone workouts while they go on (RUN-19): once a second how far each is, for its owner and for friends; and what is kept of those that are over.
///
/// As with runs (``LiveRuns``): what is stored is handed on after its commit; what a restart, a full queue or a dead spot left out is read from the
/// store, and the summary comes from the store alone.
public final class LiveWorkouts: Sendable {
    let store: WorkoutStore
    let accounts: AccountStore
    let series: SeriesReader
    private let bus: LiveBus
    private let logger: Logger
    private let time: MonotonicUTC
    private let places: RunPlaces
    private let state = Mutex(State())
    private let audiences = Mutex<[Audience: RunAudience]>([:])
    private let loops: SecondTicker

    /// The audience of one workout.
    private enum Audience: Hashable, Sendable {
        case own(PersonID)
        case friend(PersonID, of: AccountID)
    }

    private struct State {
        var lives: [PersonID: LiveWorkout] = [:]
        var seen = WorkoutsSeen()
        /// Those that ended lately, and when their summaries are due again.
        var late: [PersonID: [Late]] = [:]
        var lateLook = Milliseconds.min
        /// A workout that ended before this hub started is worked out once more.
        var isStarted = false
    }

    private struct Late {
        let workout: WorkoutSpan
        var due = Milliseconds.min
    }

    /// Which workouts ended lately is looked up so often, milliseconds.
    private static let lateEvery: Milliseconds = 60_000

    public init(
        store: WorkoutStore, accounts: AccountStore, series: SeriesReader, bus: LiveBus, logger: Logger, time: MonotonicUTC,
        places: RunPlaces
    ) {
        (self.store, self.accounts, self.series, self.bus) = (store, accounts, series, bus)
        (self.logger, self.time, self.places) = (logger, time, places)
        loops = SecondTicker("workouts", on: accounts.machine)
    }

    public var now: Milliseconds { time.now }

    // MARK: Watching

    /// Somebody's own workout: the caller looks who asks. It ends with the workout.
    public func watch(_ workout: StoredWorkout, from address: String) throws(RunBusy) -> RunReader {
        try join(.own(workout.person), address)
    }

    /// A friend's, as long as the store says that they share it.
    public func watch(_ workout: StoredWorkout, as friend: AccountID, from address: String) throws(RunBusy) -> RunReader {
        try join(.friend(workout.person, of: friend), address)
    }

    private func join(_ whom: Audience, _ address: String) throws(RunBusy) -> RunReader {
        try audiences.withLock { all throws(RunBusy) in
            let audience = all[whom] ?? RunAudience()
            all[whom] = audience
            return try audience.join(places, address)
        }
    }

    /// How a workout stands now, for its owner: also before anything is known of it.
    public func shown(_ workout: StoredWorkout) -> WorkoutShown {
        let now = now
        let known = state.withLock { $0.lives[workout.person] }
        guard var known, known.workout.id == workout.id else {
            return WorkoutShown(at: now, began: workout.began, isShared: workout.isShared)
        }
        known.workout = workout
        return known.shown(at: now)
    }

    /// The same for a friend, by a grant that was just looked up, and that is written down before.
    public func shown(_ workout: StoredWorkout, by grant: Grant) throws -> WorkoutShown {
        let now = now
        try accounts.ledger.recordRead(grant, now: now)
        let known = state.withLock { $0.lives[workout.person] }
        guard let known, known.workout.id == workout.id else { return WorkoutShown(at: now, began: nil, isShared: true) }
        return known.shownToFriend(at: now)
    }

    /// Ends all streams: the hub stops.
    public func close() {
        for audience in audiences.withLock({ Array($0.values) }) { audience.end(nil) }
    }

    // MARK: Each second

    /// The work of a second.
    func tick() {
        let now = now, letters = bus.workouts.take()
        let watched = audiences.withLock { all in
            all = all.filter { !$0.value.isEmpty }
            return all
        }
        do {
            try state.withLock { state in
                try look(&state, now: now)
                for letter in letters.letters { try take(letter, &state, now: now) }
                for person in letters.lost {
                    state.lives[person]?.read(at: now)
                    try late(person, nil, &state, now: now)
                }
            }
        } catch {
            logger.error("the workouts that go on cannot be read; it is tried again in a second", metadata: ["error": "\(error)"])
            // Nobody is shown by what may be over, and what came is in the store.
            state.withLock { state in (state.lives, state.seen, state.lateLook, state.isStarted) = ([:], WorkoutsSeen(), .min, false) }
            return
        }
        for (whom, audience) in watched { tell(whom, audience, now: now) }
    }

    private func look(_ state: inout State, now: Milliseconds) throws {
        let open = try store.openWorkouts(&state.seen)
        var lives: [PersonID: LiveWorkout] = [:]
        for workout in open {
            if workout.began <= now - WorkoutStore.workoutMax { _ = try store.endWorkout(of: workout.person, now: now) }
            var live = state.lives[workout.person].flatMap { $0.workout.id == workout.id ? $0 : nil } ?? LiveWorkout(workout)
            live.workout = workout
            lives[workout.person] = live
        }
        // Samples that come from here on for one that just ended are late.
        let isOneOver = state.lives.values.contains { lives[$0.workout.person]?.workout.id != $0.workout.id }
        state.lives = lives
        if isOneOver || now >= state.lateLook {
            let since = now - WorkoutStore.workoutLate
            if !state.isStarted { try store.setWorkoutsDue(endedAfter: since, at: now) }
            let old = Dictionary(state.late.values.joined().map { ($0.workout.id, $0.due) }) { $1 }
            state.late = Dictionary(
                grouping: try store.lateWorkouts(endedAfter: since).map { Late(workout: $0, due: old[$0.id] ?? .min) }, by: \.workout.person
            )
            (state.lateLook, state.isStarted) = (now + Self.lateEvery, true)
        }
        // Boxes of those whose workout goes on send on arrival.
        bus.workouts.set(Dictionary(state.late.keys.map { ($0, false) } + state.lives.keys.map { ($0, true) }) { $1 })
    }

    private func take(_ letter: RunInbox.Letter, _ state: inout State, now: Milliseconds) throws {
        state.lives[letter.person]?.take(letter.update, now: now)
        try late(letter.person, letter.update.samples, &state, now: now)
    }

    /// What came of the time of a workout that is over: its summary is worked out again when nothing comes any more.
    private func late(_ person: PersonID, _ samples: SampleSet?, _ state: inout State, now: Milliseconds) throws {
        guard let late = state.late[person] else { return }
        for (index, one) in late.enumerated() {
            let span = one.workout.span
            if let samples {
                let isOf = samples.positions.contains { span.contains($0.time) } || samples.heartRates.contains { span.contains($0.time) }
                guard isOf else { continue }
            }
            // Not one commit for each of hundreds of segments.
            guard one.due < now + LiveWorkout.settles / 2 else { continue }
            try store.setWorkoutDue(one.workout.id, at: now + LiveWorkout.settles)
            state.late[person]?[index].due = now + LiveWorkout.settles
        }
    }

    private func tell(_ whom: Audience, _ audience: RunAudience, now: Milliseconds) {
        do {
            switch whom {
            case .own(let person):
                guard let live = state.withLock({ $0.lives[person] }) else { return end(whom, audience) }
                audience.send(try Self.event(live.shown(at: now)))
            case .friend(let person, let friend):
                // Looked up for each event: from the commit on that ends it nothing more is told.
                guard let (grant, workout) = try store.workoutGrant(of: person, to: friend) else { return end(whom, audience) }
                audience.send(try Self.event(try shown(workout, by: grant)))
            }
        } catch {
            logger.error("a workout cannot be told to who watches; it is tried again in a second", metadata: ["error": "\(error)"])
        }
    }

    /// Who comes later, for the next workout, joins another audience.
    private func end(_ whom: Audience, _ audience: RunAudience) {
        audiences.withLock { if $0[whom] === audience { $0[whom] = nil } }
        audience.end(LiveRuns.endEvent)
    }

    static func event(_ shown: WorkoutShown) throws -> ByteBuffer {
        let json = try JSONEncoder().encode(shown)
        var buffer = ByteBufferAllocator().buffer(capacity: json.count + 40)
        buffer.begin(event: "workout")
        buffer.writeBytes(json)
        buffer.endEvent()
        return buffer
    }

    // MARK: Reading the store

    /// Reads one workout that goes on, or works out one that is over. False when nothing is to be done.
    func readNext() -> Bool {
        let now = now
        let open = state.withLock { state -> StoredWorkout? in
            for (person, live) in state.lives {
                guard case .due(let due) = live.reading, due <= now else { continue }
                state.lives[person]?.beginReading()
                return live.workout
            }
            return nil
        }
        if let open {
            do {
                let read = try self.read(open, until: now + LiveWorkout.ahead, now: now)
                state.withLock { $0.lives[open.person]?.finish(read, now: now) }
            } catch {
                logger.error("a workout's data cannot be read; it is tried again", metadata: ["error": "\(error)"])
                state.withLock { $0.lives[open.person]?.retry(at: now + LiveWorkout.settles) }
            }
            return true
        }
        return summarise(now: now)
    }

    private func summarise(now: Milliseconds) -> Bool {
        do {
            guard let workout = try store.dueWorkout(now: now), let end = workout.ended else { return false }
            do {
                let summary = try read(workout, until: end, now: now)?.summary(of: workout, until: end)
                try store.keep(summary ?? workout.content.summary, of: workout, readAt: now)
            } catch {
                logger.error("what is kept of a workout cannot be worked out; it is tried again", metadata: ["error": "\(error)"])
                try store.setWorkoutDue(workout.id, at: now + 3 * LiveWorkout.settles)
            }
            return true
        } catch {
            logger.error("which workouts are over cannot be read; it is tried again", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// The stored samples, by the right of the starter; nil when they may not read it any more.
    private func read(_ workout: StoredWorkout, until: Milliseconds, now: Milliseconds) throws -> WorkoutReading? {
        guard let grant = try accounts.consents.authority(over: workout.person).grant(to: workout.content.starter, at: now) else {
            return nil
        }
        func stored(_ provenances: Set<Provenance>) throws -> Reading? {
            try series.read(grant, from: workout.began, to: until, of: provenances, now: now)
        }
        guard let found = try stored(RunLive.counting) else { return nil }
        if !found.positions.isEmpty || !found.heartRates.isEmpty { return WorkoutReading(reading: found, isTest: false) }
        guard let played = try stored(Set(Provenance.allCases).subtracting(RunLive.counting)) else { return nil }
        return WorkoutReading(reading: played, isTest: !played.positions.isEmpty || !played.heartRates.isEmpty)
    }
}

extension LiveWorkouts: Service {
    public func run() async throws {
        await loops.run(tick: { self.tick() }, readNext: { self.readNext() })
        close()
    }
}

import HubStore
import Runs
import Vitals

/// A workout that goes on: what its owner's box sent since its beginning. A value: time and what the store has are handed in.
struct LiveWorkout: Sendable {
    var workout: StoredWorkout
    private(set) var track: WorkoutTrack
    private(set) var view: WorkoutView
    private(set) var heart = HeartSigns()
    /// Of the newest sample, UTC milliseconds.
    private(set) var heard: Milliseconds?
    /// Nothing is known but what a replay or a drill sent.
    private(set) var isTest = false
    private(set) var reading = LiveRunner.Reading.due(.min)
    /// Samples that came while the store was read.
    private var meanwhile: [LiveUpdate] = []

    private static let meanwhileMax = 500
    /// Data that came late is worked in so long after, milliseconds.
    static let settles: Milliseconds = 10_000
    /// A box's clock may be ahead by so much, milliseconds.
    static let ahead: Milliseconds = 60_000

    init(_ workout: StoredWorkout) {
        self.workout = workout
        (track, view) = (WorkoutTrack(began: workout.began), WorkoutView(zone: workout.content.home))
    }

    mutating func read(at time: Milliseconds) {
        switch reading {
        case .done: reading = .due(time)
        case .due(let old): reading = .due(min(old, time))
        case .running: reading = .running(again: true)
        }
    }

    mutating func beginReading() { reading = .running(again: false) }

    /// Takes what just came.
    mutating func take(_ update: LiveUpdate, now: Milliseconds) {
        guard case .done = reading else {
            // Before the first reading there is nothing that this would be added to: that reading finds it.
            if case .running = reading {
                if meanwhile.count < Self.meanwhileMax { meanwhile.append(update) } else { reading = .running(again: true) }
            }
            return
        }
        if RunLive.counting.contains(update.provenance) {
            // Replayed samples do not count beside it.
            if isTest { return read(at: now) }
        } else {
            guard isTest || heard == nil else { return }
            isTest = true
        }
        add(update.samples, now: now)
    }

    private mutating func add(_ samples: SampleSet, now: Milliseconds) {
        let span = workout.began...max(workout.began, now + Self.ahead)
        let taken = follow(samples.positions.filter { span.contains($0.time) })
        if taken.late > 0 { read(at: now + Self.settles) }
        let rates = samples.heartRates.filter { span.contains($0.time) }
        heart.take(rates, samples.events.filter { $0.time <= span.upperBound })
        for time in [track.lastSeen, rates.map(\.time).max()].compactMap(\.self) { heard = max(heard ?? time, time) }
    }

    /// Fix after fix, so that friends see none that lies in the zone between two others.
    private mutating func follow(_ positions: [PositionSample]) -> WorkoutTrack.Taken {
        var taken = WorkoutTrack.Taken()
        for position in positions.sorted(by: { $0.time < $1.time }) {
            taken.late += track.take(CollectionOfOne(position)).late
            view.look(at: track)
        }
        return taken
    }

    /// As the store has it; nil when nothing may be read.
    mutating func finish(_ read: WorkoutReading?, now: Milliseconds) {
        guard case .running(let again) = reading else { return }
        reading = again ? .due(now + Self.settles) : .done
        let waiting = meanwhile
        meanwhile = []
        (track, view) = (WorkoutTrack(began: workout.began), WorkoutView(zone: workout.content.home))
        (heart, heard, isTest) = (HeartSigns(), nil, read?.isTest ?? false)
        guard let read else { return }
        add(SampleSet(heartRates: read.reading.heartRates, positions: read.reading.positions, events: read.reading.events), now: now)
        // Worked out of everything: nothing of it is late.
        reading = again ? .due(now + Self.settles) : .done
        for update in waiting { take(update, now: now) }
    }

    /// The reading failed.
    mutating func retry(at time: Milliseconds) { reading = .due(time) }
}

/// The stored samples of a workout.
struct WorkoutReading: Sendable {
    var reading: Reading
    var isTest: Bool

    /// The summary that is stored.
    func summary(of workout: StoredWorkout, until end: Milliseconds) -> WorkoutSummary {
        var track = WorkoutTrack(began: workout.began), heart = HeartSigns(), valid: [HeartRateSample] = []
        track.take(reading.positions)
        heart.take(reading.heartRates, reading.events) { valid.append($0) }
        return WorkoutSummary(track, valid, in: workout.began...max(workout.began, end), isTest: isTest)
    }
}

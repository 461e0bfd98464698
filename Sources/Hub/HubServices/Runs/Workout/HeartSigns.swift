import Distress
import HubStore
import Vitals

/// The heart rate that may be shown as current.
enum HeartState: String, Sendable, Codable {
    /// Nothing came yet.
    case none
    case valid
    /// The last one is of some time ago.
    case old
    case noSignal, notWorn, frozen, paused
}

/// The newest heart rate of somebody, and what their box said about the strap since. Given in the order of time.
struct HeartSigns: Sendable {
    private(set) var last: HeartRateSample?
    /// Since when the same value comes again and again, without RR intervals.
    private var sameSince: Milliseconds?
    /// The states that hold, by the code of their event.
    private var isLost = false, isOff = false, isFrozen = false, isAway = false, isCharging = false, isPaused = false

    /// A heart rate is one of now for so long, milliseconds.
    static let age = LiveRunner.beatAge

    mutating func take(_ event: StateEvent) {
        switch event.code {
        case .sensorLost: isLost = true
        case .sensorConnected: isLost = false
        case .sensorContact: isOff = event.value == 0
        case .sensorFrozen: isFrozen = event.value == 1
        case .sensorAway: isAway = event.value == 1
        case .sensorCharging: isCharging = event.value == 1
        case .paused: isPaused = true
        case .resumed: isPaused = false
        default: break
        }
    }

    /// Late ones change nothing.
    mutating func take(_ sample: HeartRateSample) {
        guard sample.time > last?.time ?? .min else { return }
        let isSame = sample.beatsPerMinute == last?.beatsPerMinute && sample.rrIntervals.isEmpty
        // A hole between two equal values is none of "again and again".
        sameSince = isSame && sample.time - (last?.time ?? sample.time) <= Self.age ? sameSince ?? last?.time : nil
        last = sample
    }

    /// Takes the contents of one update, in the order of time; of equal times the event goes first.
    mutating func take(_ rates: [HeartRateSample], _ events: [StateEvent], each: (HeartRateSample) -> Void = { _ in }) {
        var events = events.sorted { $0.time < $1.time }[...]
        for sample in rates.sorted(by: { $0.time < $1.time }) {
            while let event = events.first, event.time <= sample.time {
                take(event)
                events.removeFirst()
            }
            take(sample)
            if last == sample, state(at: sample.time) == .valid { each(sample) }
        }
        for event in events { take(event) }
    }

    func state(at now: Milliseconds) -> HeartState {
        if isPaused { return .paused }
        guard let last else { return isLost ? .noSignal : isOff || isAway || isCharging ? .notWorn : .none }
        if isLost { return .noSignal }
        if isOff || isAway || isCharging { return .notWorn }
        if now - last.time > Self.age { return .old }
        if last.contact == .notDetected || last.beatsPerMinute == 0 { return .notWorn }
        if last.beatsPerMinute > SampleLimits.beatsPerMinuteMax { return .noSignal }
        if isFrozen || sameSince.map({ last.time - $0 >= DistressConstants.frozenAfter }) == true { return .frozen }
        return .valid
    }

    /// Beats per minute, of now alone.
    func rate(at now: Milliseconds) -> Int? { state(at: now) == .valid ? last.map { Int($0.beatsPerMinute) } : nil }
}

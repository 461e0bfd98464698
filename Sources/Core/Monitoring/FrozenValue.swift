import Vitals

/// Notices a sensor that repeats itself: the same value for ``MonitorConfiguration/frozenAfter`` without any RR interval.
struct FrozenValue: Hashable, Sendable {
    private var value: UInt16?
    private var last: Milliseconds = 0
    /// How long readings have repeated it; a pause between two readings counts for no more than a gap that the trigger would allow.
    private var repeated: Milliseconds = 0

    var isFrozen: Bool { repeated >= MonitorConfiguration.frozenAfter }

    mutating func take(_ sample: HeartRateSample, at time: Milliseconds) {
        if sample.beatsPerMinute == value, sample.rrIntervals.isEmpty {
            // It stops at the limit: a sensor may be frozen for months.
            let passed = min(max(0, time - last), MonitorConfiguration.silence)
            repeated = min(repeated + passed, MonitorConfiguration.frozenAfter)
        } else {
            repeated = 0
        }
        value = sample.beatsPerMinute
        last = max(last, time)
    }
}

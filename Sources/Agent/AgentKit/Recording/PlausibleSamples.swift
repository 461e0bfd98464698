internal import Sensing
internal import Vitals

/// A sample within ``SampleLimits``. One value outside them would cost the whole segment at the hub.
extension HeartRateEvent {
    /// The number of values that cannot be a measurement's: 1 or 0.
    var implausible: Int {
        switch self {
        case .measurement(let sample): sample.beatsPerMinute > SampleLimits.beatsPerMinuteMax ? 1 : 0
        case .reading(let reading): reading.problem == nil ? 0 : 1
        case .connected, .battery, .bodyLocation, .lost, .charging: 0
        }
    }
}

extension HeartRateEvent {
    /// It goes into the series as it is: of charging the monitor records what follows.
    var isRecordedAsItIs: Bool {
        switch self {
        case .connected, .measurement, .battery, .bodyLocation, .lost, .reading: true
        case .charging: false
        }
    }
}

extension PositionEvent {
    /// The number of values that cannot be a measurement's.
    var implausible: Int {
        guard case .fix(var sample, _) = self else { return 0 }
        return sample.clearImplausible()
    }
}

extension PositionSample {
    /// Takes away what cannot have been measured, and says how many values that were. The place itself stays.
    mutating func clearImplausible() -> Int {
        var count = 0
        if let altitude, !SampleLimits.altitude.contains(altitude) { (self.altitude, count) = (nil, count + 1) }
        if let speed, !SampleLimits.speed.contains(speed) { (self.speed, count) = (nil, count + 1) }
        if let course, !SampleLimits.course.contains(course) { (self.course, count) = (nil, count + 1) }
        return count
    }
}

extension RecordedEvent {
    /// The number of values that cannot be a measurement's.
    var implausible: Int {
        switch kind {
        case .heartRate(let event): event.implausible
        case .position(let event): event.implausible
        }
    }
}

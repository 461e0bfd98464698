internal import SampleBuffer
internal import Sensing
internal import Vitals

/// The events of an NMEA log and a Bluetooth capture in the order of their times. The same files give the same order every time.
struct MergedRecording {
    /// As live sources have it.
    private static let staleAfter: Milliseconds = 3000
    /// 2000-01-01 to 2100-01-01.
    private static let credible: Range<Milliseconds> = 946_684_800_000..<4_102_444_800_000

    private(set) var nmea: RecordingReader?
    private(set) var bluetooth: RecordingReader?
    /// Added to the times of the Bluetooth capture.
    private let offset: Milliseconds
    /// Added to all times.
    private let shift: Milliseconds
    private var nextPosition: RecordedEvent?
    private var nextHeartRate: RecordedEvent?
    /// The last fix, for noticing that there was none for a while.
    private var lastFix: Milliseconds?
    /// A fix whose absence has to be told before it.
    private var fixAfterHole: RecordedEvent?
    /// Events without a usable time.
    private(set) var undated: Int64 = 0
    /// Up to and including the event that was taken last.
    private(set) var progress = ReplayProgress()

    init(
        nmea: RecordingReader?, bluetooth: RecordingReader?, offset: Milliseconds, shift: Milliseconds = 0
    ) throws(AgentProblem) {
        self.nmea = nmea
        self.bluetooth = bluetooth
        (self.offset, self.shift) = (offset, shift)
        try advancePosition()
        try advanceHeartRate()
    }

    /// How far apart the two begin; nil when one is missing or empty.
    var distance: Milliseconds? {
        guard let position = nextPosition, let heartRate = nextHeartRate else { return nil }
        return heartRate.time - position.time
    }

    mutating func next() throws(AgentProblem) -> RecordedEvent? {
        let takesPosition: Bool
        switch (nextPosition, nextHeartRate) {
        case (nil, nil): return nil
        case (_, nil): takesPosition = true
        case (nil, _): takesPosition = false
        case (let position?, let heartRate?): takesPosition = position.time <= heartRate.time
        }
        guard let event = (takesPosition ? nextPosition : nextHeartRate)?.shifted(by: shift) else { return nil }
        if takesPosition {
            progress.nmeaEvents += 1
            progress.nmeaOffset = event.endOffset
            try advancePosition()
        } else {
            progress.bleEvents += 1
            progress.bleOffset = event.endOffset
            try advanceHeartRate()
        }
        progress.position = event.time
        return event
    }

    private mutating func advancePosition() throws(AgentProblem) {
        if let fix = fixAfterHole {
            (nextPosition, fixAfterHole) = (fix, nil)
            return
        }
        repeat {
            nextPosition = try nmea?.next()
        } while isUndated(nextPosition)
        guard let fix = nextPosition else { return }
        // A live receiver's source would have told that the position got old; a log says nothing while there is no fix.
        if let last = lastFix, fix.time - last > Self.staleAfter {
            fixAfterHole = fix
            let stale = PositionEvent.stale(age: Self.staleAfter, time: last + Self.staleAfter)
            nextPosition = RecordedEvent(kind: .position(stale), endOffset: fix.endOffset)
        }
        lastFix = fix.time
    }

    private mutating func advanceHeartRate() throws(AgentProblem) {
        repeat {
            nextHeartRate = try bluetooth?.next()
            if case .heartRate(let event) = nextHeartRate?.kind { nextHeartRate?.kind = .heartRate(event.shifted(by: offset)) }
        } while isUndated(nextHeartRate)
    }

    /// Whether an event cannot be put anywhere in time, which is counted.
    private mutating func isUndated(_ event: RecordedEvent?) -> Bool {
        guard let event, event.date == .missing || !Self.credible.contains(event.time) else { return false }
        undated += 1
        return true
    }

    /// Input that could not be used.
    var skipped: Int64 { (nmea?.skipped ?? 0) + (bluetooth?.skipped ?? 0) + undated }

    var report: String {
        var parts = [nmea, bluetooth].compactMap { reader in reader.map { "\($0.path)\n\($0.report)" } }
        if undated > 0 {
            parts.append("skipped: \(undated) x event without a time between 2000 and 2100 (--offset can correct a Bluetooth capture)")
        }
        return parts.joined(separator: "\n")
    }
}

extension RecordedEvent {
    fileprivate func shifted(by offset: Milliseconds) -> RecordedEvent {
        var event = self
        switch kind {
        case .heartRate(let heartRate): event.kind = .heartRate(heartRate.shifted(by: offset))
        case .position(let position): event.kind = .position(position.shifted(by: offset))
        }
        return event
    }
}

extension PositionEvent {
    fileprivate func shifted(by offset: Milliseconds) -> PositionEvent {
        switch self {
        case .connected(let time): return .connected(time: time + offset)
        case .fix(var sample, let utc):
            sample.time += offset
            return .fix(sample, utc: utc.map { $0 + offset })
        case .noFix(let time): return .noFix(time: time + offset)
        case .stale(let age, let time): return .stale(age: age, time: time + offset)
        case .lost(let problem, let time): return .lost(problem, time: time + offset)
        }
    }
}

extension HeartRateEvent {
    func shifted(by offset: Milliseconds) -> HeartRateEvent {
        switch self {
        case .connected(let time): return .connected(time: time + offset)
        case .measurement(var sample):
            sample.time += offset
            return .measurement(sample)
        case .battery(let percent, let time): return .battery(percent: percent, time: time + offset)
        case .bodyLocation(let location, let time): return .bodyLocation(location, time: time + offset)
        case .charging(let isCharging, let time): return .charging(isCharging, time: time + offset)
        case .reading(var reading):
            reading.move(to: reading.time + offset)
            return .reading(reading)
        case .lost(let problem, let time): return .lost(problem, time: time + offset)
        }
    }
}

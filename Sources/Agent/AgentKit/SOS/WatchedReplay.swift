internal import Distress
internal import Sensing
internal import Vitals

/// A recording, watched as the box watches live sensors: the same machine, told that the stream is no live one, so that whatever it finds
/// ends as a test. There is no channel here that anybody could be called by (design rule 11).
struct WatchedReplay {
    private var watch: DistressWatch?
    private let settings: DistressSettings
    private let stream: StreamID
    private var index: UInt32 = 0
    private var isCharging = false

    /// - Parameter stream: the name of the recording, from which its incidents have theirs.
    init(stream: StreamID, settings: DistressSettings) { (self.stream, self.settings) = (stream, settings) }

    /// - Returns: what was found up to this event, in the order of time; with its time, by itself.
    mutating func take(_ event: RecordedEvent) -> [ReplayFinding] {
        var found = tick(until: event.time)
        switch event.kind {
        case .position(.fix(let sample, _)): found += take(.position(sample), at: event.time)
        case .position: break
        case .heartRate(.measurement(let sample)):
            guard event.implausible == 0 else { break }
            found += take(.heartRate(sample, key(.heartRate)), at: event.time)
        case .heartRate(.connected): found += take(.sensorConnected, at: event.time)
        case .heartRate(.lost): found += take(.sensorLost, at: event.time)
        case .heartRate(.charging(let isCharging?, _)): found += takeCharging(isCharging, at: event.time)
        case .heartRate(.reading(let reading)):
            if let told = DistressEvent(reading, key: key(.event)) { found += take(told, at: event.time) }
        case .heartRate: break
        }
        return found
    }

    /// The end of the recording: what is open then, the clock decides.
    mutating func finish() -> [ReplayFinding] {
        guard let due = watch?.nextDeadline else { return [] }
        return tick(until: due + DistressConstants.answerTimeGradual)
    }

    private mutating func key(_ kind: DataKind) -> SampleKey {
        defer { index &+= 1 }
        return SampleKey(stream: stream, sequence: 0, kind: kind, index: index)
    }

    /// Told when it changes, as the box's monitor does.
    private mutating func takeCharging(_ isCharging: Bool, at time: Milliseconds) -> [ReplayFinding] {
        guard isCharging != self.isCharging else { return [] }
        self.isCharging = isCharging
        return take(.state(StateEvent(time: time, code: .sensorCharging, value: isCharging ? 1 : 0), key(.event)), at: time)
    }

    private mutating func take(_ code: StateEvent.Code, at time: Milliseconds) -> [ReplayFinding] {
        take(.state(StateEvent(time: time, code: code), key(.event)), at: time)
    }

    private mutating func tick(until time: Milliseconds) -> [ReplayFinding] {
        var found: [ReplayFinding] = []
        for _ in 0..<16 {
            guard let due = watch?.nextDeadline, due < time else { break }
            found += take(.tick, at: due)
        }
        return found
    }

    private mutating func take(_ event: DistressEvent, at time: Milliseconds) -> [ReplayFinding] {
        // Nobody's: the same recording gives the same incidents for everybody.
        let person = PersonID(high: stream.high, low: stream.low)
        var watch = watch ?? DistressWatch(person: person, provenance: .replay, side: .box, settings: settings, at: time)
        let effects = watch.handle(event, at: time)
        self.watch = watch
        return effects.compactMap { ReplayFinding($0, at: time) }
    }
}

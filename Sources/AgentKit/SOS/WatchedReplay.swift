internal import Distress
internal import Sensing
internal import Vitals

/// A recording, watched as the box watches live sensors: the same machine, told that the stream is no live one, so that whatever it finds
/// ends as a test. There is no channel here that anybody could be called by (design rule 11).
struct WatchedReplay {
    private(set) var alarms = 0
    private var watch: DistressWatch?
    private let person: PersonID
    private let settings: DistressSettings
    private let stream = StreamID.random()
    private var index: UInt32 = 0

    init(person: PersonID, settings: DistressSettings) { (self.person, self.settings) = (person, settings) }

    /// - Returns: what is to be said about it.
    mutating func take(_ event: RecordedEvent) -> [String] {
        var lines = tick(until: event.time)
        switch event.kind {
        case .position(.fix(let sample, _)): lines += take(.position(sample), at: event.time)
        case .position: break
        case .heartRate(.measurement(let sample)):
            guard event.implausible == 0 else { break }
            lines += take(.heartRate(sample, key(.heartRate)), at: event.time)
        case .heartRate(.connected): lines += take(.sensorConnected, at: event.time)
        case .heartRate(.lost): lines += take(.sensorLost, at: event.time)
        case .heartRate: break
        }
        return lines
    }

    /// The end of the recording: what is open then, the clock decides.
    mutating func finish() -> [String] {
        guard let due = watch?.nextDeadline else { return [] }
        return tick(until: due + DistressConstants.answerTimeGradual)
    }

    private mutating func key(_ kind: DataKind) -> SampleKey {
        defer { index &+= 1 }
        return SampleKey(stream: stream, sequence: 0, kind: kind, index: index)
    }

    private mutating func take(_ code: StateEvent.Code, at time: Milliseconds) -> [String] {
        take(.state(StateEvent(time: time, code: code), key(.event)), at: time)
    }

    private mutating func tick(until time: Milliseconds) -> [String] {
        var lines: [String] = []
        for _ in 0..<16 {
            guard let due = watch?.nextDeadline, due < time else { break }
            lines += take(.tick, at: due)
        }
        return lines
    }

    private mutating func take(_ event: DistressEvent, at time: Milliseconds) -> [String] {
        var watch = watch ?? DistressWatch(person: person, provenance: .replay, side: .box, settings: settings, at: time)
        let effects = watch.handle(event, at: time)
        self.watch = watch
        return effects.compactMap { effect in
            guard case .test(let alarm) = effect, let found = alarm.abnormalities.first else { return nil }
            alarms += 1
            return "AutomatedSOS: TEST, nobody is called. Live, an alarm would have been raised at \(ISO8601.string(alarm.raisedAt)): "
                + "\(found.trigger.text), \(found.latest.value)."
        }
    }
}

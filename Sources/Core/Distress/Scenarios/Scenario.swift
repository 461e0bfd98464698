public import Vitals

/// A recorded or made-up series with what is known of the person: what ``Replay`` plays.
public struct Scenario: Hashable, Sendable {
    public struct Timed: Hashable, Sendable {
        public var time: Milliseconds
        public var event: DistressEvent

        public init(time: Milliseconds, event: DistressEvent) {
            self.time = time
            self.event = event
        }
    }

    public var person: PersonID
    public var provenance: Provenance
    public var side: Side
    public var settings: DistressSettings
    /// By time; at the same time in the order of ``sort()``.
    public var events: [Timed]
    /// Until when the clock goes on after the last event.
    public var end: Milliseconds
    public var expectations: [Expectation]

    public init(
        person: PersonID = PersonID(high: 0, low: 1), provenance: Provenance = .replay, side: Side = .box,
        settings: DistressSettings = DistressSettings(), events: [Timed] = [], end: Milliseconds = 0, expectations: [Expectation] = []
    ) {
        self.person = person
        self.provenance = provenance
        self.side = side
        self.settings = settings
        self.events = events
        self.end = end
        self.expectations = expectations
        sort()
    }

    /// Stored samples of one stream. A recording never calls anybody: its provenance is `Provenance.replay`, whatever the stream's was.
    /// - Parameters:
    ///   - person: whose samples they are.
    ///   - stream: the stream of all segments.
    ///   - segments: each with its sequence; times on one axis.
    ///   - settings: what the person chose.
    public init(person: PersonID, stream: StreamID, segments: [(sequence: UInt64, samples: SampleSet)], settings: DistressSettings) {
        var events: [Timed] = []
        for (sequence, samples) in segments {
            for (index, sample) in samples.heartRates.enumerated() {
                let key = SampleKey(stream: stream, sequence: sequence, kind: .heartRate, index: UInt32(index))
                events.append(Timed(time: sample.time, event: .heartRate(sample, key)))
            }
            for sample in samples.positions { events.append(Timed(time: sample.time, event: .position(sample))) }
            if let box = DistressEvent.box(of: stream, samples.positions) { events.append(Timed(time: box.time, event: box.event)) }
            for (index, event) in samples.events.enumerated() {
                let key = SampleKey(stream: stream, sequence: sequence, kind: .event, index: UInt32(index))
                events.append(Timed(time: event.time, event: .state(event, key)))
            }
        }
        let last = events.map(\.time).max() ?? 0
        self.init(person: person, settings: settings, events: events, end: last + DistressConstants.answerTimeGradual)
    }

    /// By time; at the same time first what says whether readings count, then movement, then readings, then what a person does.
    public mutating func sort() {
        let ranked = events.enumerated().sorted {
            ($0.element.time, $0.element.event.rank, $0.offset) < ($1.element.time, $1.element.event.rank, $1.offset)
        }
        events = ranked.map(\.element)
    }
}

extension DistressEvent {
    fileprivate var rank: Int {
        switch self {
        case .settings, .box, .awoke: 0
        case .otherSide, .reported: 1
        case .state(let event, _): event.code.isSOS ? 5 : 2
        case .position, .place, .cadence: 3
        case .heartRate, .temperature, .flagged, .inactive, .active: 4
        case .taken, .released, .finished: 6
        case .tick: 7
        }
    }
}

/// A decision that a scenario file expects.
public struct Expectation: Hashable, Sendable {
    public enum Claim: Hashable, Sendable {
        /// A decision at that time, whose text holds these words.
        case decision(Milliseconds, Decision.Kind, words: String)
        /// How the incident stands at the end.
        case final(String)
        /// Whether somebody is protected at the end: nil when so, or the first reason.
        case protection(Absence?)
    }
    /// Of the file, from 1.
    public var line: Int
    public var claim: Claim
}

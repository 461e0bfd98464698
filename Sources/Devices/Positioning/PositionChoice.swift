public import Sensing
public import Vitals

/// Which position counts: a value, without clock and I/O.
///
/// A satellite fix wins while it is fresh. When it is lost, the last one stays available with its age; after a while a lesser source is
/// recorded instead, at a low rate, marked by its ``PositionSource``, with its error, and never as a satellite fix. ``deadline`` must be
/// watched and ``tick(at:)`` called.
public struct PositionChoice: Sendable {
    /// Times in milliseconds.
    public struct Limits: Sendable, Hashable {
        /// Age after which a satellite fix is not current any more.
        public var freshFor: Milliseconds = 3000
        /// How long no satellite fix must have come before a lesser source is recorded: with the time that one takes, before the position is
        /// told as missing (45 s).
        public var lesserAfter: Milliseconds = 20_000
        /// How often a lesser source is recorded while nothing changes.
        public var lesserInterval: Milliseconds = 60_000
        /// The same when something changed: another source, or a move of more than its error.
        public var lesserChangeInterval: Milliseconds = 10_000
        /// How often the fixed place is recorded.
        public var fixedInterval: Milliseconds = 3_600_000
        /// Age after which what a lesser source said is no longer used; the fixed place always is.
        public var lesserFor: Milliseconds = 600_000
        /// By how many metres a second an old satellite fix gets worse: a lesser source takes its place when it is better than that.
        public var drift = 3.0

        public init() {}
    }

    /// The best answer to "where is the box?".
    public struct Current: Sendable, Hashable {
        /// Its `source` says what found it; its `time` is when it was valid.
        public var sample: PositionSample
        /// Milliseconds since then, never negative.
        public var age: Milliseconds
        /// Whether it is where the box is now: a fresh fix, or what a lesser source says at present.
        public var isCurrent: Bool
    }

    private let limits: Limits
    private let start: Milliseconds
    private var lastFix: PositionSample?
    private var hasFix = false
    /// One place for each source, so bounded.
    private var places: [FallbackPositionSource: PositionSample] = [:]
    private var lastLesser: (source: FallbackPositionSource, sample: PositionSample, recordedAt: Milliseconds)?
    private var nextLook: Milliseconds

    /// - Parameter time: since when a satellite fix could have come.
    public init(limits: Limits = Limits(), at time: Milliseconds) {
        self.limits = limits
        start = time
        nextLook = time
    }

    /// Takes the satellite receiver's report. The events to record, in order.
    public mutating func gnss(_ event: PositionEvent) -> [PositionEvent] {
        switch event {
        case .fix(let sample, _):
            lastFix = sample
            hasFix = true
            lastLesser = nil
            return [event]
        case .noFix(let time), .stale(_, let time), .lost(_, let time):
            hasFix = false
            return [event] + tick(at: time)
        case .connected: return [event]
        }
    }

    /// What a lesser source says at `time`, the sample's own time being when it was valid; nil when it does not know any more.
    public mutating func place(_ sample: PositionSample?, from source: FallbackPositionSource, at time: Milliseconds) -> [PositionEvent] {
        places[source] = sample
        return tick(at: time)
    }

    /// When ``tick(at:)`` may have something to say unless an event comes first; nil when only an event can change anything.
    public var deadline: Milliseconds? { places.keys.map(due).min().map { max($0, nextLook) } }

    /// A position of a lesser source, if one is to be recorded.
    public mutating func tick(at time: Milliseconds) -> [PositionEvent] {
        // What is not better than the last fix yet becomes so while that one grows old.
        nextLook = time + limits.lesserChangeInterval
        guard let (source, place) = lesser(at: time), isNews(place, from: source, at: time) else { return [] }
        lastLesser = (source, place, time)
        return [.fix(place, utc: nil)]
    }

    /// The best position at `time`; nil before there was any.
    public func current(at time: Milliseconds) -> Current? {
        if let lastFix, isFresh(at: time) { return Current(sample: lastFix, age: age(of: lastFix, at: time), isCurrent: true) }
        if let (_, place) = lesser(at: time) {
            let age = age(of: place, at: time)
            return Current(sample: place, age: age, isCurrent: age <= 2 * limits.lesserInterval)
        }
        return lastFix.map { Current(sample: $0, age: age(of: $0, at: time), isCurrent: false) }
    }

    /// Whether lesser sources are worth asking: there has been no satellite fix for a while.
    public func wantsLesser(at time: Milliseconds) -> Bool { time >= due(.geoclue) }

    private func isFresh(at time: Milliseconds) -> Bool { hasFix && lastFix.map { time - $0.time <= limits.freshFor } == true }

    private func age(of sample: PositionSample, at time: Milliseconds) -> Milliseconds { max(0, time - sample.time) }

    /// From when on the source may stand in for the satellites. A box that stays where it is need not wait for its first fix.
    private func due(_ source: FallbackPositionSource) -> Milliseconds {
        if let lastFix { return lastFix.time + limits.lesserAfter }
        return source == .fixed ? start : start + limits.lesserAfter
    }

    /// The best place that is due, and better than what the last fix has become.
    private func lesser(at time: Milliseconds) -> (FallbackPositionSource, PositionSample)? {
        var best: (source: FallbackPositionSource, sample: PositionSample, doubt: Double)?
        for source in FallbackPositionSource.allCases where time >= due(source) {
            guard var sample = places[source] else { continue }
            if source == .fixed { sample.time = time }
            guard age(of: sample, at: time) <= limits.lesserFor else { continue }
            let doubt = doubt(about: sample, at: time)
            if best.map({ doubt < $0.doubt }) ?? true { best = (source, sample, doubt) }
        }
        guard let best, lastFix.map({ best.doubt < doubt(about: $0, at: time) && $0.time < best.sample.time }) ?? true else { return nil }
        return (best.source, best.sample)
    }

    /// How far away, in metres, the box may be by now.
    private func doubt(about sample: PositionSample, at time: Milliseconds) -> Double {
        Double(sample.horizontalError ?? Self.unknownError) / 10 + Double(age(of: sample, at: time)) / 1000 * limits.drift
    }

    /// The assumed error of a source that does not say its own: 1 km, in 0.1 m.
    private static let unknownError: Int32 = 10_000

    private func isNews(_ place: PositionSample, from source: FallbackPositionSource, at time: Milliseconds) -> Bool {
        guard let last = lastLesser else { return true }
        let hasMoved = place.distance(to: last.sample) > Double(last.sample.horizontalError ?? Self.unknownError) / 10
        let interval = source == .fixed ? limits.fixedInterval : limits.lesserInterval
        let pause = source != last.source || hasMoved ? limits.lesserChangeInterval : interval
        // Said again, an old place would look like a new one.
        return time - last.recordedAt >= pause && place.time > last.sample.time
    }
}

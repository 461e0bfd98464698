public import Vitals

/// An irregular rhythm over ten minutes at rest (SOS-24): for a notice to the person, never for an alarm.
public struct IrregularRhythm: Hashable, Sendable, Codable {
    /// The ten minutes, on the axis of the samples.
    public var from: Milliseconds, to: Milliseconds
    /// The mean rate of the judged beats, per minute.
    public var rate: Int

    public init(from: Milliseconds, to: Milliseconds, rate: Int) { (self.from, self.to, self.rate) = (from, to, rate) }
}

/// Whether the heartbeat is irregular over ten minutes at rest, from the RR intervals of one sensor.
///
/// A value beside the ``Detector``, without a clock: it takes the same samples in the order of their times, and nothing that it finds goes into an
/// alarm. Each interval is looked at once; 128 of them make a segment, which is judged when it is full (``RhythmLimits``).
public struct HeartRhythm: Hashable, Sendable {
    private typealias Limit = RhythmLimits

    /// State that outlives a restart.
    public struct Standing: Hashable, Sendable, Codable {
        /// Irregular for ten minutes, and not regular for ten minutes since.
        public var isIrregular = false
        /// The last one of which the person was told.
        public var told: IrregularRhythm?
        /// Time at rest that was judged, and that had too few clean intervals, milliseconds.
        public var judged: Milliseconds = 0, unclear: Milliseconds = 0
        public init() {}
    }

    private struct Segment: Hashable, Sendable {
        var from: Milliseconds, to: Milliseconds
        var rate: Int, isIrregular: Bool
        /// Fixes show that the person stands.
        var isKnownRest: Bool
        var length: Milliseconds { to - from }
    }

    public private(set) var standing: Standing
    private var gate = QualityGate()
    private var tracker = ContextTracker()
    private var source: StreamID?
    private var heardAt: Milliseconds?
    private var concludedAt: Milliseconds = .min / 2
    /// Clean intervals of the segment that is being filled, in milliseconds; how many were left out; since when; whether all of it is known rest.
    private var intervals: [Int] = []
    private var leftOut = 0
    private var begun: Milliseconds?
    private var isKnownRest = true
    /// Running mean of the clean ones.
    private var usual: Int?
    /// As many judged segments as fill ten minutes, oldest first.
    private var segments: [Segment] = []

    public init(_ standing: Standing = Standing()) { self.standing = standing }

    // MARK: - Taking

    public mutating func take(_ sample: PositionSample) { tracker.take(sample, at: Detector.plausible(sample.time)) }

    /// - Returns: what the person is to be told; nil mostly, and where they were told within a day.
    public mutating func take(_ sample: HeartRateSample, of stream: StreamID) -> IrregularRhythm? {
        let time = Detector.plausible(sample.time)
        if let heardAt {
            // One sensor is listened to as long as it is heard. What comes late is left out.
            let isHole = time - heardAt > DistressConstants.gapMax
            if source != stream, !isHole || time < heardAt { return nil }
            if time < heardAt { return nil }
            if isHole { restart(at: heardAt) }
        }
        if source != stream { (gate, source) = (QualityGate(), stream) }
        heardAt = time
        let rejection = gate.judge(sample, at: time)
        if sample.contact == .notDetected || sample.beatsPerMinute == 0 {
            restart(at: time)
            return nil
        }
        if rejection == nil { tracker.take(heartRate: Int(sample.beatsPerMinute), at: time) }
        guard isAtRest(at: time) else {
            forget()
            return nil
        }
        return take(sample.rrIntervals, isNoise: rejection?.isNoise ?? false, at: time)
    }

    /// Movement ends it at once. Where nothing tells of movement, the rates of the ten minutes decide (``isCalm``).
    private mutating func isAtRest(at time: Milliseconds) -> Bool {
        if time - concludedAt >= Limit.contextEvery {
            tracker.conclude(at: time, restCeiling: DistressConstants.restUnknown)
            concludedAt = time
        }
        return tracker.context == .rest || tracker.context == .unknown
    }

    private mutating func take(_ fresh: [UInt16], isNoise: Bool, at time: Milliseconds) -> IrregularRhythm? {
        guard !fresh.isEmpty else { return nil }
        if begun == nil { (begun, isKnownRest) = (time, true) }
        isKnownRest = isKnownRest && tracker.context == .rest
        for raw in fresh {
            let interval = Int(raw) * 1000 / 1024
            let isMissed = usual.map { HeartPauses.isMissedBeat(interval, after: $0) } ?? false
            guard !isNoise, !isMissed, DistressConstants.rrRange.contains(interval) else {
                leftOut += 1
                continue
            }
            intervals.append(interval)
            usual = usual.map { $0 + (interval - $0) / Limit.usualBeats } ?? interval
        }
        guard intervals.count + leftOut >= Limit.segmentBeats, let from = begun else { return nil }
        guard intervals.count >= Limit.cleanBeatsMin else {
            restart(at: time)
            return nil
        }
        let mean = intervals.reduce(0, +) / intervals.count
        let segment = Segment(
            from: from, to: time, rate: 60_000 / mean, isIrregular: Self.isIrregular(intervals), isKnownRest: isKnownRest)
        standing.judged += segment.length
        forget()
        return take(segment)
    }

    /// The segment that was begun is not judged, and counted.
    private mutating func restart(at time: Milliseconds) {
        if let begun { standing.unclear += max(0, time - begun) }
        forget()
    }

    private mutating func forget() {
        intervals.removeAll(keepingCapacity: true)
        (leftOut, begun) = (0, nil)
    }

    // MARK: - Ten minutes

    private mutating func take(_ segment: Segment) -> IrregularRhythm? {
        if let last = segments.last, segment.from - last.to > Limit.holeMax { segments = [] }
        segments.append(segment)
        var lasting = segments.reduce(0) { $0 + $1.length }
        while let first = segments.first, lasting - first.length >= Limit.lasting {
            lasting -= first.length
            segments.removeFirst()
        }
        guard lasting >= Limit.lasting, let first = segments.first, isCalm else { return nil }
        if segments.allSatisfy({ !$0.isIrregular }) { standing.isIrregular = false }
        guard !standing.isIrregular, segments.allSatisfy(\.isIrregular) else { return nil }
        standing.isIrregular = true
        if let told = standing.told, segment.to - told.to < Limit.noticeEvery { return nil }
        let found = IrregularRhythm(
            from: first.from, to: segment.to, rate: segments.reduce(0) { $0 + $1.rate } / segments.count)
        standing.told = found
        return found
    }

    /// True rest, as ``Baseline`` has it: fixes say that the person stands, or the rates are those of rest and hardly differ.
    private var isCalm: Bool {
        if segments.allSatisfy(\.isKnownRest) { return true }
        let rates = segments.map(\.rate)
        guard let lowest = rates.min(), let highest = rates.max() else { return false }
        return highest - lowest < Baseline.calmSpread && highest < DistressConstants.restUnknown
    }

    // MARK: - One segment

    /// As Dash et al. 2009 have it: all three measures of a segment's intervals (milliseconds) say so.
    static func isIrregular(_ intervals: [Int]) -> Bool {
        let beats = withoutEctopic(intervals, mean: intervals.reduce(0, +) / max(1, intervals.count))
        guard beats.count >= Limit.segmentBeats / 2 else { return false }
        let mean = Double(beats.reduce(0, +)) / Double(beats.count)
        let squares = zip(beats, beats.dropFirst()).reduce(0) { $0 + ($1.1 - $1.0) * ($1.1 - $1.0) }
        let share = Limit.differenceMin * mean
        guard Double(squares) / Double(beats.count - 1) > share * share else { return false }
        return entropy(beats) > Limit.entropyMin && Limit.turningPoints.contains(turningPoints(beats))
    }

    private static func turningPoints(_ beats: [Int]) -> Double {
        var turns = 0
        for (earlier, (beat, later)) in zip(beats, zip(beats.dropFirst(), beats.dropFirst(2))) {
            if beat > earlier && beat > later || beat < earlier && beat < later { turns += 1 }
        }
        return Double(turns) / Double(beats.count - 2)
    }

    /// 0 where all intervals lie in one bin, 1 where each bin has as many.
    private static func entropy(_ beats: [Int]) -> Double {
        let sorted = beats.sorted().dropFirst(Limit.outliers).dropLast(Limit.outliers)
        guard let shortest = sorted.first, let longest = sorted.last, longest > shortest else { return 0 }
        var bins = [Int](repeating: 0, count: Limit.bins)
        for beat in sorted { bins[min(Limit.bins - 1, (beat - shortest) * Limit.bins / (longest - shortest))] += 1 }
        let all = Double(sorted.count)
        return bins.filter { $0 > 0 }.reduce(0) { $0 - Double($1) / all * logarithm(Double($1) / all) } / logarithm(Double(Limit.bins))
    }

    /// Natural, of a positive number, by the series of its significand: this target has no mathematical library.
    static func logarithm(_ value: Double) -> Double {
        let part = (value.significand - 1) / (value.significand + 1), square = part * part
        let series = stride(from: 17, through: 1, by: -2).reduce(0) { $0 * square + 1 / Double($1) }
        return Double(value.exponent) * 0.693_147_180_559_945_3 + 2 * part * series
    }

    /// A beat that comes early, and the pause that makes up for it, say nothing of the rhythm.
    private static func withoutEctopic(_ beats: [Int], mean: Int) -> [Int] {
        var kept: [Int] = [], index = 0
        while index < beats.count {
            let pair = index + 1 < beats.count ? beats[index] + beats[index + 1] : 0
            let isMadeUpFor = abs(pair - 2 * mean) * 100 <= 2 * mean * Limit.ectopicPairPercent
            if isMadeUpFor, beats[index] * 100 < mean * Limit.ectopicPercent {
                index += 2
            } else {
                kept.append(beats[index])
                index += 1
            }
        }
        return kept
    }
}

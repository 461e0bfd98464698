public import Vitals

/// The way of somebody who runs for themselves, without a course (RUN-19): metres from place to place, which do not grow while they stand. Fixes
/// come in the order of time; what comes late and would tell something new asks for a new track (``Taken/late``).
///
/// A place counts when it is four times a fix's error (20 m at least) from the last one that counted: errors of satellites drift by less. Who stands
/// (``StopWatch``) leaves only when three fixes are away from where they stood, or say a speed.
public struct WorkoutTrack: Sendable {
    /// The outcome of the fixes of one call. Nothing is dropped in silence.
    public struct Taken: Hashable, Sendable {
        public var used = 0
        /// Older than the newest one, of a second that is covered already.
        public var known = 0
        /// Older than the newest one, of a time without fixes: a new track is needed, from everything that is stored.
        public var late = 0
        /// Worse than ``MatchRules/errorMax``: a sign of life only.
        public var vague = 0
        /// Further away than anybody can be by then.
        public var leaps = 0
        /// Impossible coordinates, before the beginning, or more than 20 days after it.
        public var impossible = 0

        public init() {}
    }

    /// UTC milliseconds.
    public let began: Milliseconds
    public let rules: MatchRules
    /// UTC milliseconds of the newest possible fix, the vague ones included; nil before any.
    public private(set) var lastSeen: Milliseconds?
    /// Metres so far; never less than before.
    public private(set) var metres = 0.0
    /// Where the newest fix is that was used.
    public private(set) var position: CoursePoint?
    public private(set) var isStanding = true

    private(set) var trail = Trail()
    /// Times without fixes, in seconds since the beginning.
    private(set) var holes: [ClosedRange<Double>] = []
    private var moreHoles = false
    private var first: Double?
    private var last: (place: Vector, seconds: Double)?
    /// The last place that counts, and the metres up to it.
    private var knot: (place: Vector, metres: Double)?
    private var stop = StopWatch()
    /// Where somebody stands: the mean of the fixes since then.
    private var centre = Vector(x: 0, y: 0, z: 0), averaged = 0.0
    /// Fixes in a row that are not where somebody stands.
    private var outside = 0

    private static let timeMax: Milliseconds = 20 * 86_400_000
    private static let holesMax = 256
    /// A place that counts is at least so far from the one before, in metres, depending on its error.
    private static let bands = 20.0...40.0
    /// Who stands is further off than this many bands when they go.
    private static let leaving = 1.25
    private static let leavingFixes = 3
    /// Fixes over which the place of somebody who stands is averaged.
    private static let averagedMax = 60.0

    public init(began: Milliseconds, rules: MatchRules = MatchRules()) { (self.began, self.rules) = (began, rules) }

    /// UTC milliseconds of the newest fix that was used.
    public var time: Milliseconds? { last.map { began + Milliseconds(($0.seconds * 1000).rounded()) } }

    @discardableResult
    public mutating func take(_ samples: some Sequence<PositionSample>) -> Taken {
        var taken = Taken(), new: [RunFix] = []
        for sample in samples {
            let (time, overflow) = sample.time.subtractingReportingOverflow(began)
            guard !overflow, (0...Self.timeMax).contains(time), let fix = RunFix(sample, time: Int32(time)) else {
                taken.impossible += 1
                continue
            }
            lastSeen = max(lastSeen ?? sample.time, sample.time)
            if let error = sample.horizontalError, error > rules.errorMax { taken.vague += 1 } else { new.append(fix) }
        }
        for fix in new.sorted(by: { $1.outranks($0) }) { take(fix, &taken) }
        return taken
    }

    private mutating func take(_ fix: RunFix, _ taken: inout Taken) {
        let place = fix.point.vector, seconds = fix.seconds, band = Self.band(fix)
        guard let last else {
            if seconds > MatchCosts.seenCrossing { hole(0...seconds) }
            (first, self.last, knot, position) = (seconds, (place, seconds), (place, 0), fix.point)
            (centre, averaged) = (place, 1)
            trail.append(Trail.Point(seconds: seconds, metres: 0))
            stop.take(fix)
            taken.used += 1
            return
        }
        guard seconds > last.seconds else {
            if isMissing(seconds) { taken.late += 1 } else { taken.known += 1 }
            return
        }
        // The last fix of a second stands for it, as everywhere; of a receiver with ten a second the others tell nothing new.
        guard seconds - last.seconds >= Double(rules.spacing) / 1000 * 0.9 else {
            taken.known += 1
            return
        }
        guard place.distance(to: last.place) <= rules.reach(seconds - last.seconds) + band else {
            taken.leaps += 1
            return
        }
        if seconds - last.seconds > MatchCosts.seenCrossing { hole(last.seconds...seconds) }
        stop.take(fix)
        if isStanding { stand(fix, place, band) }
        if !isStanding { move(fix, place, band) }
        (self.last, position) = ((place, seconds), fix.point)
        taken.used += 1
    }

    private static func band(_ fix: RunFix) -> Double {
        min(max(MatchCosts.distanceMax * fix.errorMetres, bands.lowerBound), bands.upperBound)
    }

    private mutating func stand(_ fix: RunFix, _ place: Vector, _ band: Double) {
        let isMoving = fix.speed != RunFix.unknown && fix.speed >= StopWatch.moving
        guard isMoving || place.distance(to: centre) > Self.leaving * band else {
            outside = 0
            averaged = min(averaged + 1, Self.averagedMax)
            centre = centre + (place - centre) * (1 / averaged)
            return
        }
        outside += 1
        guard outside >= Self.leavingFixes, let last else { return }
        // Until now they stood: no part of that time is taken for running.
        trail.append(Trail.Point(seconds: last.seconds, metres: metres))
        (isStanding, outside) = (false, 0)
    }

    private mutating func move(_ fix: RunFix, _ place: Vector, _ band: Double) {
        guard let knot else { return }
        let away = place.distance(to: knot.place)
        metres = max(metres, knot.metres + away)
        if away >= band {
            self.knot = (place, knot.metres + away)
            metres = knot.metres + away
            trail.append(Trail.Point(seconds: fix.seconds, metres: metres))
        }
        guard let since = stop.since else { return }
        if let end = trail.last, since > end.seconds { trail.append(Trail.Point(seconds: since, metres: metres)) }
        (isStanding, outside, centre, averaged) = (true, 0, place, 1)
    }

    // MARK: Times without fixes

    private mutating func hole(_ span: ClosedRange<Double>) {
        if holes.count < Self.holesMax { holes.append(span) } else { moreHoles = true }
    }

    private func isMissing(_ seconds: Double) -> Bool {
        moreHoles || holes.contains { seconds > $0.lowerBound && seconds < $0.upperBound }
    }

    // MARK: What it says

    /// Metres by a time (UTC milliseconds); 0 before the first fix. Behind the newest one it stays.
    public func metres(at time: Milliseconds) -> Double {
        let seconds = Double(time - began) / 1000
        guard let end = trail.last, let last else { return 0 }
        if seconds <= end.seconds || last.seconds <= end.seconds { return trail.metres(at: seconds) ?? 0 }
        return end.metres + (metres - end.metres) * min((seconds - end.seconds) / (last.seconds - end.seconds), 1)
    }

    /// Whole seconds a kilometre over the last minute until the newest fix; nil for who stands, and in the first ten seconds.
    public var pace: Int? {
        guard !isStanding, let time, let first else { return nil }
        let from = max(time - 60_000, began + Milliseconds((first * 1000).rounded()))
        guard time - from >= 10_000 else { return nil }
        let speed = (metres(at: time) - metres(at: from)) * 1000 / Double(time - from)
        return speed >= 0.3 ? Int((1000 / speed).rounded()) : nil
    }

    /// Whole seconds a kilometre from the beginning to the newest fix, pauses included; nil before 100 m, where it says nothing.
    public var averagePace: Int? {
        guard let last, metres >= 100, last.seconds > 0 else { return nil }
        return Int((last.seconds * 1000 / metres).rounded())
    }

    /// The time at each full kilometre, since the beginning.
    public var splits: [SplitTime] {
        var splits: [SplitTime] = [], before = 0.0
        for kilometre in stride(from: 1000.0, through: max(metres, 0), by: 1000) {
            guard let seconds = seconds(at: kilometre) else { break }
            let since = Milliseconds((seconds * 1000).rounded())
            let isHidden = holes.contains { $0.upperBound - $0.lowerBound > MatchCosts.unseen && $0.overlaps(before...seconds) }
            splits.append(
                SplitTime(
                    name: nil, metres: kilometre, time: began + since, gun: since, net: since,
                    leg: since - Milliseconds((before * 1000).rounded()), isSeen: !isHidden && !moreHoles))
            before = seconds
        }
        return splits
    }

    /// Seconds since the beginning at which `metres` were reached.
    private func seconds(at metres: Double) -> Double? {
        if let seconds = trail.seconds(at: metres) { return seconds }
        guard let last, let end = trail.last, self.metres > end.metres, metres > end.metres else { return nil }
        return end.seconds + (last.seconds - end.seconds) * (metres - end.metres) / (self.metres - end.metres)
    }
}

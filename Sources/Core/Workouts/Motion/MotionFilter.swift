internal import Runs
internal import Vitals

/// The way between two fixes that follow each other.
struct MotionLeg: Hashable, Sendable {
    var start: PositionSample, end: PositionSample
    /// Metres; 0 over a gap that is too long for any.
    var metres: Double
    /// Metres a second over the window around it, which noise hardly changes.
    var speed: Double
    var isMoving: Bool

    var span: Milliseconds { end.time - start.time }
    var seconds: Double { Double(span) / 1000 }
    /// Whether nothing is known of what was between the fixes.
    var isGap: Bool { span > MotionLimits.gap }
}

/// The outcome of fixes. Nothing is dropped in silence.
public struct FixCounts: Hashable, Sendable {
    public var used = 0
    /// Impossible coordinates or times.
    public var impossible = 0
    /// Of a network or a set place: they tell no way.
    public var otherSource = 0
    /// Worse than ``MotionRules/errorMax``.
    public var vague = 0
    /// Further away than anybody or any car can be by then.
    public var leaps = 0
    /// Of the same second as one that was used.
    public var repeated = 0
    /// Older than the horizon: what was worked out needs all samples again.
    public var late = 0

    public init() {}
}

/// Turns fixes in the order of time into legs, with a delay of ``MotionLimits/window``. It keeps what lies in the window, and no more.
struct MotionFilter: Sendable {
    let rules: MotionRules
    private(set) var counts = FixCounts()
    /// The accepted fixes, as far back as the window of the first one that is not finished.
    private var ring: [PositionSample] = []
    /// The place in `ring` of the first fix whose window is not complete.
    private var next = 0
    private var before: Judged?
    private var speedOfLast = 0.0
    private var plane = TrackPlane()

    /// A fix with what its window says.
    private struct Judged {
        var fix: PositionSample, isMoving: Bool, speed: Double
        /// Metres a second by the slope through its neighbours; nil where the recording is smooth, or there are none.
        var slope: Double?
    }

    init(_ rules: MotionRules) { self.rules = rules }

    private func error(of fix: PositionSample) -> Double { fix.horizontalError.map { Double(max($0, 0)) / 10 } ?? rules.errorUnknown }

    /// Takes a fix that is not older than those before.
    mutating func take(_ fix: PositionSample, _ legs: (MotionLeg) -> Void) {
        guard accepts(fix) else { return }
        counts.used += 1
        if let last = ring.last {
            let seconds = Double(fix.time - last.time) / 1000
            speedOfLast = plane.distance(last, fix) / max(seconds, 0.1)
        }
        ring.append(fix)
        while next < ring.count, fix.time - ring[next].time >= MotionLimits.window { judge(legs) }
        // Fixes that no window needs any more. In pieces, so that it costs nothing on average.
        guard next > 64, let first = ring.firstIndex(where: { $0.time >= ring[next].time - MotionLimits.window }), first > 32 else {
            return
        }
        let rest = max(min(first, next) - 1, 0)
        ring.removeFirst(rest)
        next -= rest
    }

    /// There is nothing more to come.
    mutating func finish(_ legs: (MotionLeg) -> Void) {
        while next < ring.count { judge(legs) }
    }

    private mutating func accepts(_ fix: PositionSample) -> Bool {
        guard fix.source == .gnss else {
            counts.otherSource += 1
            return false
        }
        guard CoursePoint(fix).isValid, MotionLimits.times.contains(fix.time) else {
            counts.impossible += 1
            return false
        }
        guard error(of: fix) <= rules.errorMax else {
            counts.vague += 1
            return false
        }
        guard let last = ring.last else { return true }
        let span = fix.time - last.time
        guard span >= MotionLimits.spacing else {
            counts.repeated += 1
            return false
        }
        guard span <= MotionLimits.forgotten else { return true }
        let seconds = Double(span) / 1000
        let speed = min(speedOfLast, 60) + MotionLimits.acceleration * seconds
        guard plane.distance(last, fix) <= speed * seconds + MotionLimits.leapSlack else {
            counts.leaps += 1
            return false
        }
        return true
    }

    private mutating func judge(_ legs: (MotionLeg) -> Void) {
        let judged = judged(next)
        if let before { legs(leg(before, judged)) }
        before = judged
        next += 1
    }

    /// The first and the last place of `ring` in the window around another; its neighbours where the window holds nothing else.
    private func window(_ at: Int) -> (from: Int, to: Int) {
        let time = ring[at].time
        var from = at, to = at
        while from > 0, time - ring[from - 1].time <= MotionLimits.window { from -= 1 }
        while to + 1 < ring.count, ring[to + 1].time - time <= MotionLimits.window { to += 1 }
        if from == at, at > 0, time - ring[at - 1].time <= MotionLimits.gapMax { from = at - 1 }
        if to == at, at + 1 < ring.count, ring[at + 1].time - time <= MotionLimits.gapMax { to = at + 1 }
        return (from, to)
    }

    private mutating func judged(_ at: Int) -> Judged {
        let (from, to) = window(at), fix = ring[at]
        let back = plane.distance(ring[from], fix), ahead = plane.distance(fix, ring[to]), through = plane.distance(ring[from], ring[to])
        let error = min(max(error(of: fix), MotionLimits.errors.lowerBound), MotionLimits.errors.upperBound)
        let away = max(MotionLimits.awayErrors * error, MotionLimits.awayMin), seconds = Double(ring[to].time - ring[from].time) / 1000
        let speed = seconds > 0 ? (back + ahead) / seconds : 0
        return Judged(fix: fix, isMoving: max(back, ahead, through) >= away, speed: speed, slope: slope(at, speed))
    }

    /// The speed of the straight line that fits the neighbours best: noise of single fixes hardly shows in it. Who is slow is looked at for
    /// longer: the same noise is more of their way.
    private mutating func slope(_ at: Int, _ speed: Double) -> Double? {
        let slowness = min(max(MotionLimits.running / max(speed, 0.1), 1), MotionLimits.slownessMax), centre = ring[at]
        let half = min(error(of: centre) * slowness, MotionLimits.slopeMax)
        guard half > 0 else { return nil }
        var count = 0.0, times = 0.0, squares = 0.0, east = 0.0, north = 0.0, eastTimes = 0.0, northTimes = 0.0
        func add(_ fix: PositionSample) {
            let seconds = Double(fix.time - centre.time) / 1000, (x, y) = plane.offset(centre, fix)
            (count, times, squares) = (count + 1, times + seconds, squares + seconds * seconds)
            (east, north) = (east + x, north + y)
            (eastTimes, northTimes) = (eastTimes + x * seconds, northTimes + y * seconds)
        }
        var place = at
        while place >= 0, Double(centre.time - ring[place].time) / 1000 <= half {
            add(ring[place])
            place -= 1
        }
        place = at + 1
        while place < ring.count, Double(ring[place].time - centre.time) / 1000 <= half {
            add(ring[place])
            place += 1
        }
        let spread = squares - times * times / max(count, 1)
        guard count >= 3, spread > 1 else { return nil }
        let x = (eastTimes - east * times / count) / spread, y = (northTimes - north * times / count) / spread
        return (x * x + y * y).squareRoot()
    }

    private mutating func leg(_ one: Judged, _ other: Judged) -> MotionLeg {
        let span = other.fix.time - one.fix.time, seconds = Double(span) / 1000
        let isTold = span <= MotionLimits.gapMax
        var metres = isTold ? plane.distance(one.fix, other.fix) : 0
        if let first = one.slope, let second = other.slope, seconds <= MotionLimits.slopeMax { metres = (first + second) / 2 * seconds }
        // A window sees that somebody will go; the piece itself says whether they went.
        let isMoving = isTold && one.isMoving && other.isMoving && metres >= MotionLimits.slowest * seconds
        return MotionLeg(
            start: one.fix, end: other.fix, metres: metres, speed: isTold ? (one.speed + other.speed) / 2 : 0, isMoving: isMoving)
    }
}

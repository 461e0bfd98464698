public import Vitals

/// Follows one runner along a course. It depends on the set of fixes only, not on when and how often they come: late ones are put in their
/// place, and what follows is worked out again.
///
/// Bounded: at most twice ``MatchRules/fixesKept`` fixes of 16 bytes with a checkpoint for each 256 of them, and a trail of a point for each 25 m
/// or 30 s (docs/runs.md says what that is). Fixes from before what is kept are not taken: ``Insertion/tooOld`` tells, and the caller, who has
/// all fixes in the store, makes a new matcher and inserts them all. The result is then the same as if they had come in time.
public struct Matcher: Sendable {
    /// The outcome of the fixes of one call. Nothing is dropped in silence.
    public struct Insertion: Hashable, Sendable {
        /// New moments, and moments that a later or better fix now stands for.
        public var used = 0
        /// Known before, or of a second that a later fix stands for.
        public var known = 0
        /// Worse than ``MatchRules/errorMax``: a sign of life only (``Matcher/lastSeen``).
        public var vague = 0
        /// Older than what is kept: a new matcher is needed.
        public var tooOld = 0
        /// Impossible coordinates, or more than 20 days from the gun.
        public var impossible = 0
    }

    public let course: Course
    /// UTC milliseconds at which the runner's wave starts.
    public let gun: Milliseconds
    public let rules: MatchRules
    /// UTC milliseconds of the newest possible fix, the vague ones included; nil before any.
    public private(set) var lastSeen: Milliseconds?

    private static let checkpointEvery = 256
    /// 20 days in milliseconds: what 32 bits hold, and longer than any run.
    private static let timeMax: Milliseconds = 20 * 86_400_000

    private var fixes: [RunFix] = []
    /// The state before each 256th of `fixes`.
    private var checkpoints: [Tracker] = []
    /// The state before the last of `fixes`, so that a receiver with ten fixes a second costs no more.
    private var before = Tracker()
    private var state = Tracker()
    /// The newest moment that is not kept any more.
    private var sealed: Int32?

    public init(course: Course, gun: Milliseconds, rules: MatchRules = MatchRules()) {
        self.course = course
        self.gun = gun
        self.rules = rules
    }

    /// Takes fixes in any order, once or more often.
    @discardableResult
    public mutating func insert(_ samples: some Sequence<PositionSample>) -> Insertion {
        var insertion = Insertion()
        var new: [RunFix] = []
        for sample in samples {
            let (time, overflow) = sample.time.subtractingReportingOverflow(gun)
            guard !overflow, time.magnitude <= Self.timeMax, let fix = RunFix(sample, time: Int32(time)) else {
                insertion.impossible += 1
                continue
            }
            lastSeen = max(lastSeen ?? sample.time, sample.time)
            if let error = sample.horizontalError, error > rules.errorMax {
                insertion.vague += 1
            } else if let sealed, moment(fix) <= sealed {
                insertion.tooOld += 1
            } else {
                new.append(fix)
            }
        }
        let count = new.count
        let (first, used) = merge(onePerMoment(new))
        insertion.used = used
        insertion.known = count - used
        if let first { work(from: first) }
        trim()
        return insertion
    }

    private func moment(_ fix: RunFix) -> Int32 {
        let spacing = Int32(clamping: max(rules.spacing, 1))
        return fix.time >= 0 ? fix.time / spacing : (fix.time + 1) / spacing - 1
    }

    private func onePerMoment(_ new: [RunFix]) -> [RunFix] {
        guard new.count > 1 else { return new }
        // Stable against any order of arrival: what stands for a moment comes last within it.
        return new.sorted { $1.outranks($0) }.reduce(into: []) { kept, fix in
            if let last = kept.last, moment(last) == moment(fix) { kept[kept.count - 1] = fix } else { kept.append(fix) }
        }
    }

    /// Puts fixes (ascending, one for each moment) among the known ones.
    /// - Returns: the index of the first that changed, and how many did.
    private mutating func merge(_ new: [RunFix]) -> (first: Int?, used: Int) {
        guard let oldest = new.first else { return (nil, 0) }
        let from = index(of: moment(oldest))
        guard from < fixes.count else {
            fixes += new
            return (from, new.count)
        }
        // Their own array: with a view of `fixes` all of them would be copied when they change.
        var tail = Array(fixes[from...]).makeIterator()
        var merged: [RunFix] = []
        var first: Int?, used = 0
        var known = tail.next()
        for fix in new {
            while let other = known, moment(other) < moment(fix) {
                merged.append(other)
                known = tail.next()
            }
            if let other = known, moment(other) == moment(fix) {
                guard fix.outranks(other) else { continue }
                known = tail.next()
            }
            first = first ?? from + merged.count
            used += 1
            merged.append(fix)
        }
        while let other = known {
            merged.append(other)
            known = tail.next()
        }
        if first != nil { fixes.replaceSubrange(from..., with: merged) }
        return (first, used)
    }

    /// The index of the first fix of `moment` or later.
    private func index(of moment: Int32) -> Int {
        if let last = fixes.last, self.moment(last) < moment { return fixes.count }
        var low = 0, high = fixes.count
        while low < high {
            let middle = (low + high) / 2
            if self.moment(fixes[middle]) < moment { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func work(from first: Int) {
        var index = first
        if first == fixes.count - 1, worked > first {
            state = before
        } else if first < worked {
            let checkpoint = first / Self.checkpointEvery
            checkpoints.removeLast(checkpoints.count - checkpoint - 1)
            state = checkpoints[checkpoint]
            index = checkpoint * Self.checkpointEvery
        }
        while index < fixes.count {
            if index.isMultiple(of: Self.checkpointEvery), checkpoints.count == index / Self.checkpointEvery { checkpoints.append(state) }
            before = state
            state.take(fixes[index], course: course, rules: rules, gun: gun)
            index += 1
        }
        worked = fixes.count
    }

    /// The number of `fixes` in `state`.
    private var worked = 0

    private mutating func trim() {
        let kept = max(rules.fixesKept / Self.checkpointEvery, 1) * Self.checkpointEvery
        guard fixes.count >= 2 * kept else { return }
        let dropped = (fixes.count - kept) / Self.checkpointEvery * Self.checkpointEvery
        sealed = moment(fixes[dropped - 1])
        fixes = Array(fixes[dropped...])
        checkpoints.removeFirst(dropped / Self.checkpointEvery)
        worked = fixes.count
    }

    /// How far the runner is; nil before the first fix that can be used.
    public var progress: Progress? {
        guard let last = state.last else { return nil }
        let best = state.beam.best
        func utc(_ seconds: Double) -> Milliseconds { gun + Milliseconds((seconds * 1000).rounded()) }
        let away = best.away.flatMap { last.seconds - $0.since >= MatchCosts.offCourse ? $0 : nil }
        let doing: RunnerState =
            if best.finished != nil { .finished } else if best.started == nil { .notStarted } else if away != nil {
                .offCourse
            } else if state.stop.since != nil { .stopped } else { .onCourse }
        return Progress(
            gun: gun, time: gun + Milliseconds(last.time), position: last.point,
            metres: best.finished == nil ? min(max(best.along, 0), course.length) : course.length,
            crossTrack: best.crossTrack, state: doing, confidence: state.beam.confidence,
            offCourseSince: away.map { utc($0.since) }, offCourseDistance: away?.distance, stoppedSince: state.stop.since.map(utc),
            start: best.started.map { Crossing(time: utc($0.seconds), isSeen: $0.isSeen) },
            finish: best.finished.map { Crossing(time: utc($0.seconds), isSeen: $0.isSeen) },
            stretches: best.stretches, moreStretches: best.moreStretches, missedMetres: best.missedMetres, trail: best.trail,
            length: course.length)
    }
}

/// All that is known after the fixes so far, in the order of their times. A copy of it is a checkpoint.
struct Tracker: Sendable {
    /// Before the gun nobody makes progress; where somebody waited then is worth this many seconds.
    private static let waitingWorth = 60.0

    private(set) var beam = Beam(Hypothesis(along: 0, seconds: 0))
    private(set) var stop = StopWatch()
    private(set) var last: RunFix?
    private var hasBegun = false
    private var waiting: (along: Double, seconds: Double)?

    mutating func take(_ fix: RunFix, course: Course, rules: MatchRules, gun: Int64) {
        stop.take(fix)
        let step = Step(course: course, rules: rules, gun: gun, fix: fix, since: last?.seconds)
        last = fix
        guard fix.time >= 0 else {
            let near = step.candidates.filter { abs($0.along) <= Course.beyond }
            waiting = near.min { $0.distance < $1.distance }.map { ($0.along, fix.seconds) }
            return
        }
        if !hasBegun {
            hasBegun = true
            if let waiting, fix.seconds - waiting.seconds <= Self.waitingWorth {
                var first = Hypothesis(along: waiting.along, seconds: waiting.seconds)
                first.wasSeen = true
                beam = Beam(first)
            }
        }
        beam.take(step)
    }
}

/// One fix, and what it may mean for a hypothesis.
struct Step {
    let course: Course
    let rules: MatchRules
    /// UTC milliseconds of the gun.
    let gun: Int64
    /// Seconds since the gun.
    let seconds: Double
    let place: Vector
    /// Metres of the receiver's error.
    let error: Double
    /// Metres from the course that are usual for this fix.
    let width: Double
    /// Seconds since the fix before this one; 0 for the first.
    let silence: Double
    /// Weight of the fix, 0 to 1: less where the one before is only just past.
    let weight: Double
    let candidates: [Polyline.Candidate]
    /// Metres to the nearest part of the course.
    let distance: Double

    init(course: Course, rules: MatchRules, gun: Int64, fix: RunFix, since last: Double?) {
        self.course = course
        self.rules = rules
        self.gun = gun
        seconds = fix.seconds
        place = fix.point.vector
        error = fix.errorMetres
        width = (error * error + MatchCosts.courseWidth * MatchCosts.courseWidth).squareRoot()
        silence = last.map { max(fix.seconds - $0, 0) } ?? 0
        weight = last == nil ? 1 : min(silence / MatchCosts.independent, 1)
        let limit = MatchCosts.distanceMax * width
        candidates = course.line.candidates(near: place, within: limit)
        distance = candidates.map(\.distance).min() ?? course.line.nearest(to: place)?.distance ?? .infinity
    }

    /// The reading that the runner is beside the course now.
    func away(_ hypothesis: Hypothesis) -> Hypothesis {
        var next = hypothesis
        next.cost += (candidates.isEmpty ? MatchCosts.away : MatchCosts.awayOnCourse) * weight
        next.wasSeen = true
        let before = hypothesis.away ?? Hypothesis.Away(since: seconds, distance: distance, furthest: distance)
        next.away = Hypothesis.Away(since: before.since, distance: distance, furthest: max(before.furthest, distance))
        return next
    }

    /// The reading that the runner is at `candidate` now; nil where that cannot be.
    func on(_ hypothesis: Hypothesis, at candidate: Polyline.Candidate) -> Hypothesis? {
        if hypothesis.started == nil, hypothesis.away != nil, candidate.along > MatchCosts.lateStart { return nil }
        let time = seconds - hypothesis.seconds, way = candidate.along - hypothesis.along
        let tolerance = 3 * 1.5 * error
        let isLeap = way > rules.reach(time) + tolerance
        let isLeftOut = way >= MatchCosts.stretchMin && (hypothesis.away?.furthest ?? 0) > MatchCosts.elsewhere
        var next = hypothesis
        let ratio = candidate.distance / width
        next.cost += ratio * ratio / 4 * weight
        if way < 0 { next.cost -= way * MatchCosts.backward }
        if isLeap || isLeftOut {
            guard mayLeaveOut(hypothesis, way: way, to: candidate.along) else { return nil }
            next.cost += (isLeap ? MatchCosts.leap : MatchCosts.leftOut) + way / MatchCosts.leapLength
        } else {
            next.cost += paceCost(hypothesis, way: way, time: time)
            next.pace += (min(max(way / max(time, 0.1), 0), rules.sprint) - next.pace) * time / (MatchCosts.paceMemory + time)
        }
        guard next.cost <= MatchCosts.costMax else { return nil }
        note(&next, from: hypothesis, to: candidate.along, missed: isLeap || isLeftOut)
        next.start(from: hypothesis, to: candidate.along, at: seconds)
        next.along = candidate.along
        next.seconds = seconds
        next.crossTrack = course.line.side(of: place, from: candidate)
        next.away = nil
        next.wasSeen = true
        next.finish(from: hypothesis, at: seconds, length: course.length)
        next.frontier = max(next.frontier, candidate.along)
        if next.started != nil { next.trail.follow(Trail.Point(seconds: seconds, metres: min(candidate.along, course.length))) }
        return next
    }

    /// Nobody begins in the middle, and nobody appears at the finish who was not on the way to it.
    private func mayLeaveOut(_ hypothesis: Hypothesis, way: Double, to along: Double) -> Bool {
        if hypothesis.started == nil { return along <= MatchCosts.lateStart }
        let final = max(MatchCosts.finalShare * course.length, MatchCosts.finalLength)
        return along < course.length - MatchCosts.finalStretch || way <= final
    }

    private func paceCost(_ hypothesis: Hypothesis, way: Double, time: Double) -> Double {
        let off = way - hypothesis.pace * time, change = MatchCosts.paceChange * time
        let cost = min(off * off / (2 * (2 * error * error + change * change)), MatchCosts.paceMax)
        return cost * min(time / MatchCosts.independent, 1)
    }

    private func note(_ next: inout Hypothesis, from hypothesis: Hypothesis, to along: Double, missed: Bool) {
        let from = max(hypothesis.along, 0), to = min(along, course.length)
        let isUnseen = silence >= MatchCosts.unseen || (hypothesis.away == nil && seconds - hypothesis.seconds >= MatchCosts.unseen)
        guard to - from >= MatchCosts.stretchMin, missed || isUnseen else { return }
        if missed { next.missedMetres += to - from }
        guard next.stretches.count < MatchCosts.stretchesMax else {
            next.moreStretches += 1
            return
        }
        next.stretches.append(
            Stretch(
                kind: missed ? .missed : .unseen, from: from, to: to, left: gun + Int64((hypothesis.seconds * 1000).rounded()),
                back: gun + Int64((seconds * 1000).rounded())))
    }
}

extension Hypothesis {
    /// Notes the crossing of the start line on the way to `along`.
    fileprivate mutating func start(from before: Hypothesis, to along: Double, at now: Double) {
        guard along > 0, before.started == nil || before.frontier < MatchCosts.startArea else { return }
        let here = along / max(pace, 1)
        if before.away != nil || (!before.wasSeen && along <= MatchCosts.startArea) {
            // Came from the side, or is first seen at the line: it was crossed a moment ago.
            started = Line(seconds: max(now - here, 0), isSeen: along <= MatchCosts.startArea)
        } else if before.along <= 0, before.wasSeen {
            let share = -before.along / (along - before.along), isSeen = now - before.seconds <= MatchCosts.seenCrossing
            let crossed = isSeen ? before.seconds + (now - before.seconds) * share : max(now - here, before.seconds)
            started = Line(seconds: max(crossed, 0), isSeen: isSeen)
        } else if before.started == nil {
            // In front of the line at the gun, or first seen far behind it: nobody knows better than the gun.
            started = Line(seconds: 0, isSeen: before.wasSeen)
        } else {
            return
        }
        trail = Trail()
        trail.append(Trail.Point(seconds: started?.seconds ?? 0, metres: 0))
    }

    /// Notes the crossing of the finish line on the way to `along`, or that it is reached as far as a receiver can tell.
    fileprivate mutating func finish(from before: Hypothesis, at now: Double, length: Double) {
        guard started != nil, along >= length - MatchCosts.finish else { return }
        if let settled = before.finished, settled.isSeen { return }
        if along >= length, before.along < length {
            let share = (length - before.along) / (along - before.along), isSeen = now - before.seconds <= MatchCosts.seenCrossing
            let reached = before.seconds + (length - before.along) / max(before.pace, 1)
            finished = Line(seconds: isSeen ? before.seconds + (now - before.seconds) * share : min(reached, now), isSeen: isSeen)
        } else if before.finished == nil {
            finished = Line(seconds: now + (length - along) / max(pace, 1), isSeen: false)
        }
    }
}

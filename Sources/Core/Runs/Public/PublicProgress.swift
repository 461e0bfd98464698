public import Vitals

extension PublicView {
    /// A runner's progress as the public knows it at `now`: cut off at the last place outside of every zone, no newer than the delay lets. What
    /// somebody ranks by who is seen so gives nothing else away. nil where the public knows of no progress yet.
    ///
    /// The finish is told, wherever it is, and with the delay (docs/runs.md); where somebody is beside the course is not told with a delay.
    public func shown(_ progress: Progress, on course: Course, at now: Milliseconds) -> Progress? {
        if zones.isEmpty, delay == 0 { return progress }
        let until = now - delay
        if let finish = progress.finish, finish.time <= until { return progress.seen(at: course.point(at: course.length)) }
        guard let start = progress.start, start.time <= until else {
            // A runner who waits for the gun stands at the start.
            return progress.start == nil && progress.time <= until ? progress.seen(at: course.point(at: 0)) : nil
        }
        guard let (metres, time) = self.progress(of: progress, on: course, at: now) else { return nil }
        if progress.finish == nil, time == progress.time, metres == progress.metres, shows(progress.position) { return progress }
        return progress.cut(at: time, metres: metres, position: course.point(at: metres))
    }
}

extension Progress {
    /// Nothing of where somebody really is.
    fileprivate func seen(at point: CoursePoint) -> Progress {
        Progress(
            gun: gun, time: time, position: point, metres: metres, crossTrack: 0, state: state == .offCourse ? .onCourse : state,
            confidence: confidence, offCourseSince: nil, offCourseDistance: nil, stoppedSince: nil, start: start, finish: finish,
            stretches: stretches, moreStretches: moreStretches, missedMetres: missedMetres, trail: trail, length: length)
    }

    /// The progress as known at an earlier time, before the finish.
    fileprivate func cut(at time: Milliseconds, metres: Double, position: CoursePoint) -> Progress {
        let here = Trail.Point(seconds: Double(time - gun) / 1000, metres: metres)
        var known = Trail()
        for point in trail.points where point.seconds <= here.seconds && point.metres <= metres { known.append(point) }
        if known.last.map({ $0.metres < metres && $0.seconds < here.seconds }) ?? true { known.append(here) }
        let past = stretches.filter { $0.to <= metres }
        return Progress(
            gun: gun, time: time, position: position, metres: metres, crossTrack: 0, state: .onCourse, confidence: confidence,
            offCourseSince: nil, offCourseDistance: nil, stoppedSince: nil, start: start, finish: nil, stretches: past,
            moreStretches: moreStretches, missedMetres: past.lazy.filter { $0.kind == .missed }.reduce(0) { $0 + $1.length }, trail: known,
            length: length)
    }
}

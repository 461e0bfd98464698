public import Vitals

/// A runner's activity, as far as the fixes tell.
public enum RunnerState: String, Sendable, Codable, CaseIterable {
    /// Not across the start line yet.
    case notStarted = "not-started"
    case onCourse = "on-course"
    /// Beside the course for 20 s or more.
    case offCourse = "off-course"
    /// Within 20 m for 60 s or more.
    case stopped
    case finished
}

/// How far a runner is, at the time of the last fix that says so.
public struct Progress: Sendable, Equatable {
    /// UTC milliseconds of the gun that this runner's wave started at.
    public let gun: Milliseconds
    /// UTC milliseconds of the last fix that was used.
    public let time: Milliseconds
    /// Where that fix was.
    public let position: CoursePoint
    /// Metres from the start, 0 to the course's length.
    public let metres: Double
    /// Metres from the course, positive to the right of its direction; of the last fix on it while off course.
    public let crossTrack: Double
    public let state: RunnerState
    /// How sure `metres` are, 0 to 1: below 0.5 another part of the course is as likely.
    public let confidence: Double
    /// UTC milliseconds; nil on the course. Also set where ``state`` says something graver.
    public let offCourseSince: Milliseconds?
    /// Metres from the course now; nil on it.
    public let offCourseDistance: Double?
    /// UTC milliseconds; nil while moving. Also set off the course.
    public let stoppedSince: Milliseconds?
    /// The start line; nil before it.
    public let start: Crossing?
    /// The finish line; nil before it. It may be improved for 5 s.
    public let finish: Crossing?
    /// Stretches that were not seen, or left out, ascending; 64 at most, and how many more there are.
    public let stretches: [Stretch]
    public let moreStretches: Int
    /// Metres that were left out, all together.
    public let missedMetres: Double
    let trail: Trail
    let length: Double

    /// UTC milliseconds at which `metres` from the start were reached first; nil where that is still to come.
    public func time(at metres: Double) -> Milliseconds? {
        guard let start else { return nil }
        if metres <= 0 { return start.time }
        if let finish, metres >= length { return finish.time }
        return seconds(at: metres).map { gun + Milliseconds(($0 * 1000).rounded()) }
    }

    /// Seconds since the gun, as ``time(at:)``.
    func seconds(at metres: Double) -> Double? {
        if let seconds = trail.seconds(at: metres) { return seconds }
        guard let last = trail.last, metres > last.metres, end.metres > last.metres, metres <= end.metres else { return nil }
        return last.seconds + (end.seconds - last.seconds) * (metres - last.metres) / (end.metres - last.metres)
    }

    /// Metres from the start that were reached by a time; nil before the start. Behind the last fix it stays.
    public func metres(at time: Milliseconds) -> Double? {
        let seconds = Double(time - gun) / 1000
        guard let last = trail.last, let start, time >= start.time else { return nil }
        // Before the trail's first point by a rounded millisecond.
        if seconds <= last.seconds || end.seconds <= last.seconds { return trail.metres(at: seconds) ?? 0 }
        let share = min((seconds - last.seconds) / (end.seconds - last.seconds), 1)
        return last.metres + max(end.metres - last.metres, 0) * share
    }

    /// Where the trail ends: the finish, or now.
    private var end: Trail.Point {
        if let finish { return Trail.Point(seconds: Double(finish.time - gun) / 1000, metres: length) }
        return Trail.Point(seconds: Double(time - gun) / 1000, metres: metres)
    }
}

extension Trail: Equatable {
    static func == (left: Trail, right: Trail) -> Bool { left.points == right.points }
}

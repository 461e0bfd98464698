public import Vitals

/// The public's view of a runner. The organiser and an alarm see everything: they do not ask here.
public struct PublicView: Hashable, Sendable, Codable {
    public var zones: [HomeZone]
    /// Milliseconds by which the public is behind, never negative.
    public var delay: Milliseconds

    /// Everything, at once.
    public static let open = PublicView(zones: [], delay: 0)

    public init(zones: [HomeZone], delay: Milliseconds) {
        self.zones = zones
        self.delay = max(delay, 0)
    }

    /// Whether a place may be shown at all.
    public func shows(_ point: CoursePoint) -> Bool { !zones.contains { $0.holds(point) } }

    /// A track as it may be shown at `now` (UTC milliseconds): in parts, so that nobody draws a line through a zone. Also where two fixes
    /// are outside and the straight line between them is not.
    public func parts(of track: [PositionSample], at now: Milliseconds) -> [[PositionSample]] {
        var parts: [[PositionSample]] = [], part: [PositionSample] = []
        for sample in track.filter({ $0.time <= now - delay }).sorted(by: { $0.time < $1.time }) {
            let point = CoursePoint(sample)
            guard point.isValid, shows(point) else {
                if !part.isEmpty { parts.append(part) }
                part = []
                continue
            }
            if let last = part.last, crosses(CoursePoint(last), point) {
                parts.append(part)
                part = []
            }
            part.append(sample)
        }
        return part.isEmpty ? parts : parts + [part]
    }

    private func crosses(_ start: CoursePoint, _ end: CoursePoint) -> Bool {
        let line = Polyline([start.vector, end.vector])
        return zones.contains { zone in (line.nearest(to: zone.centre.vector)?.distance ?? .infinity) <= zone.radius }
    }

    /// How far the public knows a runner to be at `now`, and since when: the last place outside of every zone, no newer than the delay lets.
    /// nil where there is none yet. Where a course passes a zone, progress on the course would tell as much as the position.
    public func progress(of progress: Progress, on course: Course, at now: Milliseconds) -> (metres: Double, time: Milliseconds)? {
        let until = min(now - delay, progress.time)
        guard let metres = progress.metres(at: until) else { return nil }
        if shows(course.point(at: metres)) { return (metres, until) }
        let trail = progress.wholeTrail
        guard let index = trail.lastIndex(where: { $0.metres <= metres && shows(course.point(at: $0.metres)) }) else { return nil }
        // The zone begins between this point of the trail and the next one, or where the runner is.
        var low = trail[index].metres, high = index + 1 < trail.count ? min(trail[index + 1].metres, metres) : metres
        for _ in 0..<20 {
            let middle = (low + high) / 2
            if shows(course.point(at: middle)) { low = middle } else { high = middle }
        }
        return (low, progress.time(at: low) ?? progress.gun)
    }
}

/// A course that can be run: every question about "where along it" is answered in metres from the start, laps counted through.
public struct Course: Sendable {
    /// A distance at which a runner's time is taken.
    public struct Split: Hashable, Sendable, Codable {
        /// The timing place's name; nil for a full kilometre (or what the plan has instead) and for the finish.
        public let name: String?
        /// Metres from the start.
        public let metres: Double
    }

    /// Metres from start to finish, all laps.
    public let length: Double
    /// Every point from start to finish, all laps.
    public let points: [CoursePoint]
    /// Ascending, each distance once; the last is the finish.
    public let splits: [Split]
    /// Each pass of each place, ascending by its `metres`, which is set.
    public let places: [CoursePlace]
    /// `points`, with a straight piece before the start and one behind the finish: on them somebody stands before the gun, or walks off.
    let line: Polyline

    /// Of the piece before the start and the one behind the finish: as long as the corrals of a large run.
    static let beyond = 200.0
    /// The direction at both ends is taken over this way, because the last metres of a recorded line point anywhere.
    private static let directionLength = 20.0
    /// A place is passed where the course comes this near: both sides of a wide road and what maps are off.
    public static let passingDistance = 50.0

    /// - Throws: ``CourseRefusal`` with everything that is wrong with the plan (see ``CoursePlan/problems(with:)``).
    public init(_ plan: CoursePlan, obstacles: [Obstacle] = []) throws(CourseRefusal) {
        let problems = plan.problems(with: obstacles)
        guard problems.isEmpty else { throw CourseRefusal(problems: problems) }
        self.init(unchecked: plan)
    }

    /// Of a plan without problems.
    init(unchecked plan: CoursePlan) {
        let points = plan.line
        let inner = Polyline(points.map(\.vector))
        let length = inner.along.last ?? 0
        self.points = points
        self.length = length
        line = Polyline(Self.withEnds(inner, length: length), origin: -Self.beyond)
        places = Self.passes(of: plan.places, line: line, length: length)
        splits = Self.splits(every: plan.splitEvery, places: places, length: length)
    }

    private static func withEnds(_ line: Polyline, length: Double) -> [Vector] {
        func place(_ metres: Double) -> Vector {
            let (segment, fraction) = line.locate(metres)
            return line.vectors[segment] + (line.vectors[segment + 1] - line.vectors[segment]) * fraction
        }
        func beyond(_ end: Vector, from inside: Vector) -> Vector {
            let way = end - inside
            return way.length > 0 ? end + way * (Self.beyond / way.length) : end
        }
        guard let first = line.vectors.first, let last = line.vectors.last else { return [] }
        let short = min(directionLength, length / 2)
        return [beyond(first, from: place(short))] + line.vectors + [beyond(last, from: place(length - short))]
    }

    private static func passes(of places: [CoursePlace], line: Polyline, length: Double) -> [CoursePlace] {
        places.flatMap { place -> [CoursePlace] in
            if place.metres != nil { return [place] }
            return line.candidates(near: place.point.vector, within: passingDistance).compactMap {
                guard $0.along >= 0, $0.along <= length else { return nil }
                var pass = place
                pass.metres = $0.along
                return pass
            }
        }.sorted { ($0.metres ?? 0, $0.name) < ($1.metres ?? 0, $1.name) }
    }

    private static func splits(every: Double, places: [CoursePlace], length: Double) -> [Split] {
        var splits = places.filter { $0.kind == .timing }.map { Split(name: $0.name, metres: $0.metres ?? 0) }
        if every > 0 { splits += stride(from: every, to: length, by: every).map { Split(name: nil, metres: $0) } }
        splits.append(Split(name: nil, metres: length))
        splits.sort { ($0.metres, $0.name == nil ? 1 : 0) < ($1.metres, $1.name == nil ? 1 : 0) }
        // A timing place on a full kilometre is one split, with its name.
        return splits.reduce(into: []) { kept, split in
            if let last = kept.last, split.metres - last.metres < 1 {
                if split.metres == length { kept[kept.count - 1] = Split(name: last.name, metres: length) }
            } else {
                kept.append(split)
            }
        }
    }

    /// The place at a distance from the start; the ends answer for what lies beyond them.
    public func point(at metres: Double) -> CoursePoint {
        let (segment, fraction) = line.locate(min(max(metres, 0), length))
        // The line has one more place than `points` in front.
        let index = min(max(segment - 1, 0), points.count - 2)
        return points[index].between(points[index + 1], segment < 1 ? 0 : segment > points.count - 1 ? 1 : fraction)
    }

    /// The direction of running in degrees clockwise from true north, 0 to 360 (excluded).
    public func bearing(at metres: Double) -> Double {
        let (segment, _) = line.locate(min(max(metres, 0), length))
        let index = min(max(segment, 1), points.count - 1)
        let way = line.vectors[index + 1] - line.vectors[index]
        let (east, north) = Vector.axes(at: points[index - 1])
        return Trigonometry.bearing(east: way.dot(east), north: way.dot(north))
    }

    /// Where the course passes a place, in metres from the start, ascending: once for each lap and each direction.
    public func passes(of point: CoursePoint, within metres: Double = Course.passingDistance) -> [Double] {
        line.candidates(near: point.vector, within: metres).map(\.along).filter { $0 >= 0 && $0 <= length }
    }
}

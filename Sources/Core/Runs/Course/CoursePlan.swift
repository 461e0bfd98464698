/// A place beside the course that people want to find, or one at which times are taken.
public struct CoursePlace: Hashable, Sendable, Codable {
    /// The kind of place.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        case water, food, aid, toilet, view, other
        /// A place whose passing times stand among the splits.
        case timing
    }

    /// The organiser's name for it.
    public var name: String
    public var kind: Kind
    public var point: CoursePoint
    /// Metres from the start. nil: wherever the course passes `point`, each time that it does.
    public var metres: Double?

    public init(name: String, kind: Kind, point: CoursePoint, metres: Double? = nil) {
        self.name = name
        self.kind = kind
        self.point = point
        self.metres = metres
    }
}

/// A course as an organiser draws or imports it: the course before anybody looked whether it can be run.
public struct CoursePlan: Hashable, Sendable, Codable {
    /// The line in the direction of running. It may cross itself, and go the same way twice or back.
    public var points: [CoursePoint]
    /// How often the line is run, 1 or more. More than once needs an end beside the beginning.
    public var laps: Int
    /// Where on the drawn line the start is, in metres from its first point.
    public var start: Double
    /// Where on the drawn line the finish is, in metres from its first point; nil: its last point.
    public var finish: Double?
    public var places: [CoursePlace]
    /// Metres between splits; 0 for none but the timing places and the finish.
    public var splitEvery: Double

    public init(
        points: [CoursePoint], laps: Int = 1, start: Double = 0, finish: Double? = nil, places: [CoursePlace] = [],
        splitEvery: Double = 1000
    ) {
        self.points = points
        self.laps = laps
        self.start = start
        self.finish = finish
        self.places = places
        self.splitEvery = splitEvery
    }
}

/// A group that starts together.
public struct Wave: Hashable, Sendable, Codable {
    /// The organiser's name for it.
    public var name: String
    /// UTC milliseconds of its start.
    public var gun: Int64

    public init(name: String, gun: Int64) {
        self.name = name
        self.gun = gun
    }
}

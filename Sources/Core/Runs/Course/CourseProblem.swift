/// Something that makes a course one that cannot be run.
public struct CourseProblem: Hashable, Sendable, Codable {
    /// Stable names: they stand in the API and pages translate them.
    public enum Code: String, Sendable, Codable, CaseIterable {
        /// Fewer than two points.
        case tooFewPoints = "too-few-points"
        /// More than ``CourseLimits/pointsMax`` points, laps counted through.
        case tooManyPoints = "too-many-points"
        /// All points are the same place.
        case onePlace = "one-place"
        /// Latitude or longitude outside of its range.
        case invalidCoordinate = "invalid-coordinate"
        /// Shorter than ``CourseLimits/lengthMin``.
        case tooShort = "too-short"
        /// Longer than ``CourseLimits/lengthMax``, all laps or the line as it is drawn.
        case tooLong = "too-long"
        /// No point for so long that something is missing.
        case gap
        /// Far away and straight back: a wrong point.
        case spike
        /// Start or finish lie outside of the drawn line.
        case outsideLine = "outside-line"
        /// The finish comes before the start, or at it.
        case finishBeforeStart = "finish-before-start"
        /// Less than one lap, or more than ``CourseLimits/lapsMax``.
        case laps
        /// Several laps of a line whose end is not beside its beginning.
        case openLoop = "open-loop"
        /// A place that the course does not pass.
        case placeOffCourse = "place-off-course"
        /// The distance between splits is below ``CourseLimits/splitMin`` or no number.
        case splits
        /// Across or along a motorway.
        case motorway
        /// Through water.
        case water
        /// Across, along or through anything else that the map forbids.
        case forbidden
    }

    public var code: Code
    /// Metres from the drawn line's first point (of one lap) where it begins; nil where there is no such place.
    public var metres: Double?
    /// Where it ends; nil for a point, and for the whole.
    public var metresEnd: Double?
    /// The index among the plan's points (or among its places, for ``Code/placeOffCourse``); nil where there is no such one.
    public var index: Int?
    /// The value that is compared with the limit, in the limit's unit: a length, a count, a distance. nil where nothing is compared.
    public var value: Double?

    init(_ code: Code, metres: Double? = nil, metresEnd: Double? = nil, index: Int? = nil, value: Double? = nil) {
        self.code = code
        self.metres = metres
        self.metresEnd = metresEnd
        self.index = index
        self.value = value
    }
}

/// Why there is no course: all that is wrong with the plan, never empty.
public struct CourseRefusal: Error, Hashable, Sendable {
    public let problems: [CourseProblem]
}

/// Limits of a course. docs/runs.md gives the reason of each.
public enum CourseLimits {
    /// Metres (RUN-2).
    public static let lengthMin = 100.0
    /// Metres: 24 and 48 hours' runs are under 500 km.
    public static let lengthMax = 500_000.0
    /// Points of all laps: one every 5 m for ``lengthMax``.
    public static let pointsMax = 100_000
    /// Laps: 24 hours on a track of 400 m are some 700.
    public static let lapsMax = 1000
    /// Metres between two points that are always a gap: nothing that one runs is straight for so long.
    public static let gapAlways = 2000.0
    /// Metres between two points that are a gap where it is also ``gapRatio`` times the usual distance of the line.
    public static let gapUnusual = 500.0
    public static let gapRatio = 30.0
    /// Metres out that are a spike where the line is back within a fifth, and the way is ``spikeRatio`` times the usual one.
    public static let spikeMin = 100.0
    public static let spikeRatio = 8.0
    /// Metres from the end of a lap to its beginning.
    public static let openLoopMax = 100.0
    /// Metres between splits.
    public static let splitMin = 50.0
    /// Problems of one kind that are listed; the rest would say the same.
    public static let listedMax = 20
}

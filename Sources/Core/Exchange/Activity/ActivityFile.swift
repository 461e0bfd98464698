public import Vitals

/// The contents of a file of a recorded activity (DATA-2): GPX, TCX or FIT. A damaged file is read as far as it goes, and ``problems`` lists
/// what is missing.
public struct ActivityFile: Sendable, Hashable {
    /// The format of the file. The names stand in texts.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case gpx, tcx, fit
    }

    /// Contents of the file that are not kept.
    public enum LeftOut: String, Sendable, Hashable, CaseIterable {
        /// Values of FIT that only their maker can explain.
        case developerFields
        /// Messages of FIT that say nothing of the activity.
        case messages
        /// Points of routes, and marked places, of GPX.
        case routePoints, waypoints
        /// Activities that a TCX file plans, and does not record.
        case plans
    }

    /// RR intervals between two records, oldest first.
    public struct Intervals: Sendable, Hashable {
        /// UTC, of the record before them.
        public var time: Milliseconds
        /// 1/1024 s.
        public var values: [UInt16]

        public init(time: Milliseconds, values: [UInt16]) { (self.time, self.values) = (time, values) }
    }

    /// Bounds of what is taken.
    public enum Limits {
        /// 100 MiB.
        public static let bytesMax = 104_857_600
        /// Points of a file: more than five days at one a second.
        public static let pointsMax = 500_000
        /// Heart rates between the points, and RR intervals, each.
        public static let beatsMax = 1_000_000
        /// Sessions, laps, segments and pauses, each.
        public static let sectionsMax = 10_000
        /// Characters of a device's name.
        public static let nameMax = 80
    }

    public let format: Format
    /// The device that recorded it.
    public internal(set) var device: String?
    /// When it began, UTC: as the file says, or the first point's time, whichever is earlier.
    public internal(set) var start: Milliseconds?
    /// Minutes east of UTC where it was recorded, if the file says so.
    public internal(set) var utcOffset: Int?
    /// Activities of TCX, tracks of GPX, sessions of FIT.
    public internal(set) var sessions: [ActivitySection] = []
    /// In the file's order.
    public internal(set) var laps: [ActivitySection] = []
    /// In the file's order.
    public internal(set) var points: [ActivityPoint] = []
    /// Index of the first point of each stretch that was recorded without a break: of a `trkseg` or a `Track`. FIT has one.
    public internal(set) var segments: [Int] = []
    /// UTC; when the device's timer stood still, as FIT says.
    public internal(set) var pauses: [ClosedRange<Milliseconds>] = []
    /// Heart rates that a sensor kept for itself and delivered later, many a second, in the order of time. Points have theirs apart.
    public internal(set) var heartRates: [HeartRateSample] = []
    /// In the order of time; FIT alone holds them.
    public internal(set) var intervals: [Intervals] = []
    /// Problems: missing parts and oddities.
    public internal(set) var problems: [ActivityProblem] = []
    /// Counts, without those that are 0.
    public internal(set) var leftOut: [LeftOut: Int] = [:]

    init(_ format: Format) { self.format = format }

    mutating func leaveOut(_ what: LeftOut, _ count: Int = 1) {
        if count > 0 { leftOut[what, default: 0] += count }
    }

    /// The one of the sessions, or the first that is known.
    public var sport: ActivitySport? { sessions.lazy.compactMap(\.sport).first }

    /// The file's own summary: sessions together or, where they say nothing, laps.
    public var totals: ActivitySection {
        guard sessions.allSatisfy({ $0.distance == nil && $0.timer == nil && $0.elapsed == nil }) else {
            return ActivitySection(sum: sessions)
        }
        var sum = ActivitySection(sum: laps)
        sum.sport = sport
        return sum
    }

    /// Reads a file, whatever its name. Any bytes are safe to give.
    /// - Parameter utc: makes UTC of the time of a clock on the wall, which is given as if it were UTC; nil where that clock never showed
    ///   it. It is asked only for FIT files of devices that know no other time.
    /// - Throws: ``ActivityProblem`` where no point can be taken.
    public static func read(
        _ bytes: [UInt8], utc: (Milliseconds) -> Milliseconds? = { $0 }
    ) throws(ActivityProblem) -> ActivityFile {
        guard bytes.count <= Limits.bytesMax else { throw ActivityProblem(.tooLarge, "\(Limits.bytesMax)") }
        guard !bytes.isEmpty else { throw ActivityProblem(.empty) }
        if bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0x50, 0x4B, 3, 4]) { throw ActivityProblem(.compressed) }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) { throw ActivityProblem(.notUTF8) }
        let file: ActivityFile
        if FITReader.isFIT(bytes) {
            var reader = FITReader(bytes)
            file = try reader.read(utc)
        } else {
            switch XMLScanner.root(of: bytes) {
            case "gpx": file = GPXActivityReader.read(bytes)
            // Some programs lose the outermost element.
            case "TrainingCenterDatabase", "Activities": file = TCXReader.read(bytes)
            case nil where bytes.allSatisfy(XMLScanner.isBlank): throw ActivityProblem(.empty)
            default: throw ActivityProblem(.unknownFormat)
            }
        }
        guard !file.points.isEmpty || !file.heartRates.isEmpty else { throw file.problems.first ?? ActivityProblem(.noPoints) }
        return file
    }
}

import Vitals

/// The race that is played.
public struct RaceOptions: Sendable {
    /// A GPX file; nil: the course of the run that the state file names.
    public var course: String?
    /// How often it is run; of a file alone.
    public var laps = 1
    /// nil: everybody that the state file names.
    public var runners: Int?
    public var settings = RaceSettings()
    /// Ends after so many seconds of the race, counted from the gun; nil: when everybody is through.
    public var seconds: Int?
    /// People who watch. They come after the gun; with any, what they see is measured.
    public var spectators = 0
    /// Of so many spectators events are decoded.
    public var looking = 8

    public init() {}
}

/// The result of a race. Printed as JSON with these names.
public struct RaceResult: Codable, Sendable {
    public var runners: Int
    public var finished: Int
    public var seconds: Double
    public var requests: Int
    public var samples: Int
    public var repeats: Int
    public var refused: Int
    public var answerP99Milliseconds: Double?
    public var clientProcessorSeconds: Double
    public var spectators: Spectators?

    /// The updates of the people who watched, while all of them were there.
    public struct Spectators: Codable, Sendable {
        public var spectators: Int
        public var seconds: Double
        public var events: Int
        public var expectedEvents: Int
        public var lost: Int
        public var twice: Int
        public var toSnapshot: Int
        public var ended: Int
        public var unreadable: Int
        /// From a fix's time to its arrival.
        public var delays: Int
        public var p50Seconds: Double?
        public var p99Seconds: Double?
        public var maxSeconds: Double?
        /// Of fixes that left their box late, from then on.
        public var lateP99Seconds: Double?
        public var errorP50Metres: Double?
        public var errorP99Metres: Double?
        public var bytesPerSecond: Double
        /// If each second were a whole snapshot.
        public var snapshotBytes: Int

        enum CodingKeys: String, CodingKey {
            case spectators, seconds, events, lost, twice, ended, unreadable, delays
            case expectedEvents = "expected_events"
            case toSnapshot = "to_snapshot"
            case p50Seconds = "delay_p50_s"
            case p99Seconds = "delay_p99_s"
            case maxSeconds = "delay_max_s"
            case lateP99Seconds = "late_delay_p99_s"
            case errorP50Metres = "error_p50_m"
            case errorP99Metres = "error_p99_m"
            case bytesPerSecond = "bytes_per_spectator_s"
            case snapshotBytes = "snapshot_bytes"
        }
    }

    enum CodingKeys: String, CodingKey {
        case runners, finished, seconds, requests, samples, repeats, refused, spectators
        case answerP99Milliseconds = "answer_p99_ms"
        case clientProcessorSeconds = "client_cpu_s"
    }
}

public import Runs
public import Vitals
public import Workouts

/// A workout of one's own in the list (DATA-17).
public struct WorkoutRecordID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// The sealed part of a workout in the list.
public struct WorkoutRecordContent: Sendable, Hashable, Codable {
    /// Where it comes from.
    public enum Origin: Sendable, Hashable, Codable {
        /// In the samples, by ``Workouts/WorkoutFinder``.
        case found
        /// Somebody began and ended it.
        case begun(WorkoutID)
    }

    /// The owner's words about it. Texts are as they were typed, without spaces around them.
    public struct Edit: Sendable, Hashable, Codable {
        public var title: String
        /// The raw value of a ``Workouts/WorkoutKind``; nil for what was found.
        public var kind: Int64?
        public var note: String

        public init(title: String = "", kind: WorkoutKind? = nil, note: String = "") {
            (self.title, self.kind, self.note) = (title, kind?.rawValue, note)
        }

        public var isEmpty: Bool { title.isEmpty && kind == nil && note.isEmpty }
    }

    public var origin: Origin
    /// The raw value of a ``Workouts/WorkoutKind``, as it was found.
    public var found: Int64
    public var statistics: WorkoutStatistics
    /// The way in few points, each stretch without a gap by itself.
    public var sketch: [[CoursePoint]]
    public var edit: Edit?
    /// Data behind it was deleted: its figures are none until its samples were looked through again.
    public internal(set) var isCleared: Bool?

    /// Points of a sketch at most, about.
    public static let sketchMax = 120
    /// Characters of a title and of a note, at most.
    public static let titleMax = 100, noteMax = 2000

    public init(origin: Origin, kind: WorkoutKind, statistics: WorkoutStatistics, sketch: [[CoursePoint]], edit: Edit? = nil) {
        (self.origin, found, self.statistics) = (origin, kind.rawValue, statistics)
        (self.sketch, self.edit) = (sketch, edit)
    }

    /// Forgets what was made from samples.
    mutating func clear(_ span: ClosedRange<Milliseconds>) {
        (statistics, sketch, isCleared) = (WorkoutStatistics(WorkoutLine([], [], in: span)), [], true)
    }

    /// Which of those begun by hand it is; nil for one that was found.
    var begun: WorkoutID? {
        if case .begun(let id) = origin { id } else { nil }
    }

    /// Its kind: as its owner says, else as it was found.
    public var kind: WorkoutKind { WorkoutKind(rawValue: edit?.kind ?? found) ?? .other }
}

public struct StoredWorkoutRecord: Sendable, Hashable {
    public let id: WorkoutRecordID
    public let person: PersonID
    /// UTC milliseconds.
    public let span: ClosedRange<Milliseconds>
    /// nil for one that its owner deleted: its time alone stays, so that it is not found again.
    public let content: WorkoutRecordContent?
}

/// Up to where somebody's samples were looked through.
public struct WorkoutScan: Sendable, Hashable, Codable {
    /// Counts up with each change; 0 for nothing yet.
    public internal(set) var revision: Int64 = 0
    /// The number of samples of each day when it was looked through, by the days since 1970 (UTC): what comes late changes it.
    public var days: [Int64: Int64] = [:]

    /// What days were worked out by: nil before days were kept, 1 without a body, 2 with energy.
    public private(set) var derivation: Int?

    /// Has all days looked through again where more can be worked out of them now.
    /// - Returns: whether that is so.
    public mutating func derive(by derivation: Int) -> Bool {
        guard (self.derivation ?? 0) < derivation else { return false }
        self.derivation = derivation
        days = days.mapValues { _ in Self.unknown }
        return true
    }

    /// The count of a day that is to be looked through again, whatever there is.
    static let unknown: Int64 = -1

    public init() {}
}

/// The result of a look through some days.
public struct WorkoutRecordChange: Sendable, Hashable {
    public struct Item: Sendable, Hashable {
        /// nil for a new one.
        public var id: WorkoutRecordID?
        /// UTC milliseconds.
        public var span: ClosedRange<Milliseconds>
        public var content: WorkoutRecordContent

        public init(id: WorkoutRecordID? = nil, span: ClosedRange<Milliseconds>, content: WorkoutRecordContent) {
            (self.id, self.span, self.content) = (id, span, content)
        }
    }

    /// New ones, and those that are another now. What its owner said of one stays.
    public var kept: [Item] = []
    /// Of which nothing is left.
    public var gone: [WorkoutRecordID] = []
    /// That stay away, as their owner deleted them elsewhere.
    public var deleted: [WorkoutRecordID] = []
    /// What days came to, by the days since 1970 (UTC).
    public var days: [Int64: DayRecordContent] = [:]

    public init() {}
}

public import Runs
public import Vitals

/// A run, for the hub. People hand out its code.
public struct RunID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Under which the key store keeps the key of what describes the run.
    var sealed: PersonID { PersonID(high: high, low: low) }
}

/// Where a run is in its life (RUN-6).
///
///     draft -> scheduled -> live -> finished
///
/// and from each but the last to `cancelled`.
public enum RunState: Int64, Sendable, Hashable, Codable, CaseIterable {
    /// Its organiser alone sees it.
    case draft = 0
    case scheduled = 1
    case live = 2
    case finished = 3
    case cancelled = 4

    public var isOver: Bool { self == .finished || self == .cancelled }
}

/// An organiser's description of a run. Times are UTC milliseconds.
public struct RunPlan: Sendable, Hashable, Codable {
    public var name: String
    public var purpose: String
    /// Where it is, in words.
    public var place: String
    /// IANA name, of the times that people read.
    public var timeZone: String
    public var starts: Milliseconds
    public var ends: Milliseconds
    /// From then on nobody enrols.
    public var closes: Milliseconds
    public var most: Int
    /// Anybody may enrol; otherwise who is invited.
    public var isPublic: Bool
    /// Years of age on the day of the start.
    public var youngest: Int?
    /// The starts by group; none: everybody at ``starts``.
    public var waves: [Wave]
    /// nil for a run. For a rehearsal, whose runners may be played: how many times as fast as people they run.
    public var rehearsal: Double?

    public init(
        name: String, purpose: String, place: String, timeZone: String, starts: Milliseconds, ends: Milliseconds, closes: Milliseconds,
        most: Int, isPublic: Bool, youngest: Int? = nil, waves: [Wave] = [], rehearsal: Double? = nil
    ) {
        (self.name, self.purpose, self.place, self.timeZone) = (name, purpose, place, timeZone)
        (self.starts, self.ends, self.closes, self.most) = (starts, ends, closes, most)
        (self.isPublic, self.youngest, self.waves, self.rehearsal) = (isPublic, youngest, waves, rehearsal)
    }

    /// The class of who starts with a wave, in start lists and results: its name where there are several. nil where all start together.
    public func category(wave: Int) -> String? { waves.count > 1 && waves.indices.contains(wave) ? waves[wave].name : nil }
}

/// A run as the store keeps it, without its course.
public struct StoredRun: Sendable, Hashable {
    let row: Int64
    public let id: RunID
    /// To hand out: short, in letters and digits that nobody mixes up.
    public let code: String
    /// nil when the organiser's account was deleted.
    public let organiser: AccountID?
    public let plan: RunPlan
    /// As it was written down; see ``state(at:)``.
    public let state: RunState
    /// When it was started and finished by its organiser or by time, UTC milliseconds.
    public let began: Milliseconds?
    public let ended: Milliseconds?
    public let enrolled: Int
    /// Counts up with each change.
    public let revision: Int
    /// Counts up with each change of its times: check-ins of another one are void.
    public let schedule: Int
    public let area: RunArea
    public let created: Milliseconds

    /// The state at `now`, however late the timer comes that writes it down.
    public func state(at now: Milliseconds) -> RunState {
        switch state {
        case .draft, .finished, .cancelled: state
        case .scheduled: now < plan.starts ? .scheduled : now < plan.ends ? .live : .finished
        case .live: now < plan.ends ? .live : .finished
        }
    }

    public var isFull: Bool { enrolled >= plan.most }

    /// When check-in begins.
    public var checkInOpens: Milliseconds { plan.starts - Self.checkInLead }

    /// People are asked to check in so long before the start, milliseconds: 3 hours.
    public static let checkInLead: Milliseconds = 3 * 3_600_000
}

/// How somebody stands with a run.
public enum EnrolmentState: Int64, Sendable, Hashable, Codable {
    case enrolled = 0
    /// On the list when it started: agreed to be seen, and was.
    case checkedIn = 1
    case withdrawn = 2
    /// Taken off the list at the start: no check-in.
    case notCheckedIn = 3
    /// Taken off the list at the start: checked in, and no position came. Positions that come bring it back.
    case noPosition = 4

    public var isOnList: Bool { self == .enrolled || self == .checkedIn }
}

/// A runner's choices for one run.
public struct EnrolmentChoices: Sendable, Hashable, Codable {
    /// The kinds that spectators read; empty for the bib number alone.
    public var publicName: String
    /// Index among the run's waves.
    public var wave: Int
    /// Where nobody but the organiser and SOS sees them (RUN-15), see ``Runs/HomeZone/around(_:radius:using:)``.
    public var home: HomeZone?
    /// Spectators see them so much later, milliseconds.
    public var delay: Milliseconds
    /// The public part of the results.
    public var published: Set<PublishedResult>

    public init(
        publicName: String = "", wave: Int = 0, home: HomeZone? = nil, delay: Milliseconds = 0,
        published: Set<PublishedResult> = [.time, .splits, .track]
    ) {
        (self.publicName, self.wave, self.home, self.delay, self.published) = (publicName, wave, home, delay, published)
    }

    public static let nameMax = 40
    /// Of the home zone, metres.
    public static let homeRadii = 50.0...2000.0
    /// Milliseconds: 30 minutes.
    public static let delayMax: Milliseconds = 30 * 60_000
}

/// A part of a result that a runner lets everybody see (RUN-10).
public enum PublishedResult: String, Sendable, Hashable, Codable, CaseIterable {
    case time, splits, track, heartRate, energy
}

/// One enrolment as the store keeps it.
public struct StoredEnrolment: Sendable, Hashable {
    /// Names it in this database, also in results.
    public let row: Int64
    public let run: RunID
    public let person: PersonID
    public let bib: Int
    public let state: EnrolmentState
    /// The organiser's word about its end.
    public let entry: EntryStatus
    public let choices: EnrolmentChoices
    /// The consents that were asked for at check-in: position and health to the organiser, and a public heart rate.
    public let checkIn: ConsentID?
    public let publicHeartRate: ConsentID?
    public let created: Milliseconds
    /// ``StoredRun/schedule`` as it was when they were asked; -1 when that ended with the run.
    let asked: Int

    /// Whether the consents are for the run's times as they are.
    public func isAsked(for run: StoredRun) -> Bool { asked == run.schedule }
}

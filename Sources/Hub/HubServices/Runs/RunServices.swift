public import Accounts
public import HubStore
public import Logging
import Runs

/// Track4Run without its live part: a service for each subject. Behaviour without HTTP; time is handed in.
public struct RunServices: Sendable {
    public let organising: OrganiserService
    public let invitations: RunInvitationService
    public let finder: RunFinder
    public let enrolments: EnrolmentService
    public let checkIns: CheckInService
    public let results: RunResultService
    public let workouts: WorkoutService
    public let timers: RunTimerService
    public let track4Run: Track4Run

    /// Texts that the services cannot make by themselves.
    public struct Words: Sendable {
        /// The address of the site, without a slash at its end.
        public var site: @Sendable () -> String
        /// The purpose of a check-in, in a language: `checkIn` or `publicHeartRate` of a run by name and code.
        public var purpose: @Sendable (_ of: CheckInPart, _ name: String, _ code: String, _ language: String) -> String
        /// The link to no more letters for an address.
        public var stop: @Sendable (EmailAddress) -> String

        public init(
            site: @escaping @Sendable () -> String,
            purpose: @escaping @Sendable (CheckInPart, String, String, String) -> String = Words.english,
            stop: @escaping @Sendable (EmailAddress) -> String
        ) { (self.site, self.purpose, self.stop) = (site, purpose, stop) }

        /// The purposes, in English.
        public static let english: @Sendable (CheckInPart, String, String, String) -> String = { part, name, code, _ in
            switch part {
            case .organiser: "Run \(name) (\(code)): the organiser sees where you are and your heart rate until it ends"
            case .publicHeartRate: "Run \(name) (\(code)): everybody who watches sees your heart rate until it ends"
            }
        }
    }

    public init(
        store: RunsStore, accounts: AccountStore, series: SeriesReader, consents: ConsentService, audit: AuditLog, words: Words,
        obstacles: CourseMap = .empty, organisers: RunOrganisers = .all,
        check: RunCheckRule = .none, logger: Logger, time: MonotonicUTC
    ) {
        checkIns = CheckInService(
            runsStore: store, store: store.enrolments, timers: store.timers, accounts: accounts, series: series, consents: consents,
            audit: audit, purpose: words.purpose, logger: logger, time: time)
        organising = OrganiserService(
            store: store, notices: store.notices, accounts: accounts, audit: audit, checkIns: checkIns, obstacles: obstacles,
            organisers: organisers,
            operators: RunChecks(store: store, accounts: accounts, audit: audit, rule: check, now: { time.now }), time: time)
        invitations = RunInvitationService(
            runsStore: store, store: store.invitations, accounts: accounts, site: words.site, stop: words.stop, time: time)
        finder = RunFinder(store: store, wishes: store.nearby, accounts: accounts, time: time)
        enrolments = EnrolmentService(store, accounts: accounts, consents: consents, site: words.site, time: time)
        track4Run = Track4Run(enrolments: enrolments, nearby: store.nearby)
        results = RunResultService(store, accounts: accounts, time: time)
        workouts = WorkoutService(
            store: store.workouts, friendships: store.friends, accounts: accounts, site: words.site, time: time)
        timers = RunTimerService(
            runsStore: store, store: store.timers, notices: store.notices, consents: accounts.runConsents, checkIns: checkIns,
            finder: finder,
            logger: logger, time: time)
        store.tellDamaged { row in
            logger.error("\(row.text); restore it from the backup", metadata: row.metadata)
        }
    }
}

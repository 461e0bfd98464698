import Database

/// A store of one subject about runs. All of them share one database, so that what belongs together is one transaction; none keeps anything of its
/// own.
protocol RunSubjectStore: SealingStore, Sendable {
    /// The runs, which hold the database.
    var runs: RunsStore { get }
}

extension RunSubjectStore {
    var pool: DatabasePool { runs.pool }
    var keys: KeyStore { runs.keys }
}

// MARK: Each subject from the runs

extension RunsStore {
    public var enrolments: EnrolmentStore { EnrolmentStore(runs: self) }
    public var invitations: RunInvitationStore { RunInvitationStore(runs: self) }
    public var timers: RunTimerStore { RunTimerStore(runs: self) }
    public var notices: RunNoticeStore { RunNoticeStore(runs: self) }
    public var nearby: NearbyStore { NearbyStore(runs: self) }
    public var results: RunResultStore { RunResultStore(runs: self) }
    public var workouts: WorkoutStore { WorkoutStore(runs: self) }
    public var friends: FriendStore { FriendStore(runs: self) }
    public var checks: RunCheckStore { RunCheckStore(runs: self) }
    public var feeds: CalendarFeedStore { CalendarFeedStore(runs: self) }
}

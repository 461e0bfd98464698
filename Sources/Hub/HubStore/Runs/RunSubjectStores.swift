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

/// Who takes part in runs: the list, the choices of each, the check-in.
public struct EnrolmentStore: RunSubjectStore {
    let runs: RunsStore
}

/// Invitations to runs, and who was let in by one.
public struct RunInvitationStore: RunSubjectStore {
    let runs: RunsStore
}

/// What is due about runs at a time, and survives a restart.
public struct RunTimerStore: RunSubjectStore {
    let runs: RunsStore
}

/// What people are to be told about runs, and the messages of organisers.
public struct RunNoticeStore: RunSubjectStore {
    let runs: RunsStore
}

/// Wishes to be told of public runs near a place, and the runs of which those people are to be told.
public struct NearbyStore: RunSubjectStore {
    let runs: RunsStore
}

/// Results of runs.
public struct RunResultStore: RunSubjectStore {
    let runs: RunsStore
}

/// Lone workouts, and what friends see of them.
public struct WorkoutStore: RunSubjectStore {
    let runs: RunsStore
}

/// Friends, and the links by which people become friends.
public struct FriendStore: RunSubjectStore {
    let runs: RunsStore
}

/// Secrets of the calendar feeds in which people subscribe to their runs.
public struct CalendarFeedStore: RunSubjectStore {
    let runs: RunsStore
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
    public var feeds: CalendarFeedStore { CalendarFeedStore(runs: self) }
}

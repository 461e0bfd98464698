public import HubStore
import Privacy
public import Runs
public import Vitals

/// Lone workouts (RUN-19): begun, shared with friends, stopped and deleted by whoever decides for the person.
public struct WorkoutService: Sendable {
    let store: WorkoutStore
    let friendships: FriendStore
    let accounts: AccountStore
    let site: @Sendable () -> String
    let time: MonotonicUTC

    var now: Milliseconds { time.now }

    public enum Refusal: Error, Sendable, Hashable {
        case notYours
        /// There are ``HubStore/WorkoutStore/workoutsMax``.
        case tooMany
        /// None goes on, or there is none of this number.
        case unknown
        case homeRadius
    }

    /// Begins one; the one that goes on already is given back.
    /// - Parameters:
    ///   - isShared: friends see it while it goes on.
    ///   - home: of this they see nothing, see ``EnrolmentService/homeZone(around:radius:of:)``.
    /// - Throws: ``Refusal``.
    public func beginWorkout(of person: PersonID, isShared: Bool = false, home: HomeZone? = nil, by account: StoredAccount) throws
        -> StoredWorkout
    {
        try checkWorkout(account, person)
        if let home, !EnrolmentChoices.homeRadii.contains(home.radius) || !home.centre.isValid { throw Refusal.homeRadius }
        let content = WorkoutContent(starter: account.id, home: home)
        switch try store.beginWorkout(content, of: person, isShared: isShared, now: now) {
        case .begun(let workout), .goesOn(let workout): return workout
        case .tooMany: throw Refusal.tooMany
        }
    }

    /// Stops it. What is kept of it is worked out within a second, and again when data comes late.
    /// - Throws: ``Refusal``.
    public func endWorkout(of person: PersonID, by account: StoredAccount) throws -> StoredWorkout {
        try checkWorkout(account, person)
        guard let ended = try store.endWorkout(of: person, now: now) else { throw Refusal.unknown }
        return ended
    }

    /// Ends a lap of the one that goes on, and begins the next.
    /// - Throws: ``Refusal``.
    public func addLap(of person: PersonID, by account: StoredAccount) throws {
        try checkWorkout(account, person)
        guard try store.addLap(of: person, now: now) else { throw Refusal.unknown }
    }

    /// Lets friends see the one that goes on, or nobody from this commit on.
    /// - Throws: ``Refusal``.
    public func shareWorkout(of person: PersonID, _ isShared: Bool, by account: StoredAccount) throws {
        try checkWorkout(account, person)
        guard try store.shareWorkout(of: person, isShared) else { throw Refusal.unknown }
    }

    /// - Throws: ``Refusal``.
    public func deleteWorkout(_ id: WorkoutID, of person: PersonID, by account: StoredAccount) throws {
        try checkWorkout(account, person)
        guard try store.deleteWorkout(id, of: person) else { throw Refusal.unknown }
    }

    public func openWorkout(of person: PersonID, for account: StoredAccount) throws -> StoredWorkout? {
        try checkWorkout(account, person)
        return try store.openWorkout(of: person)
    }

    public func workout(_ id: WorkoutID, of person: PersonID, for account: StoredAccount) throws -> StoredWorkout? {
        try checkWorkout(account, person)
        return try store.workout(id, of: person)
    }

    /// Those that are over, the newest first.
    public func workouts(of person: PersonID, before: Milliseconds = .max, for account: StoredAccount) throws -> [StoredWorkout] {
        try checkWorkout(account, person)
        return try store.workouts(of: person, before: before)
    }

    /// A friend's workout that goes on and is shared, for an account's own person.
    public func friendsWorkouts(for account: StoredAccount) throws -> [(friend: Friend, workout: StoredWorkout)] {
        try store.sharingFriends(of: account.id.person).compactMap { workout in
            try accounts.person(workout.person).map { (Friend(person: workout.person, name: $0.name), workout) }
        }
    }

    private func checkWorkout(_ account: StoredAccount, _ person: PersonID) throws {
        guard try accounts.consents.authority(over: person).mayAnswer(account.id, at: now) else { throw Refusal.notYours }
    }
}

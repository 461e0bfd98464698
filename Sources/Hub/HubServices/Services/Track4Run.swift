import HubStore
import Privacy
import Runs
public import Vitals

/// Track4Run as a service that a person adds and removes (CONS-8): what it does for somebody now, and the end of all of it.
///
/// It is added on the page of services, or by enrolling in a run. Removed, it does nothing more; friendships, results and workouts stay.
public struct Track4Run: Sendable {
    let enrolments: EnrolmentService
    let nearby: NearbyStore

    private var accounts: AccountStore { enrolments.accounts }
    private var consents: ConsentService { enrolments.consents }
    private var workouts: WorkoutStore { enrolments.workouts }

    /// Its present use to somebody.
    public struct Standing: Sendable, Hashable {
        /// Runs that are not over, on whose list the person is.
        public let runs: Int
        /// Friends see a workout that goes on.
        public let isShared: Bool
        /// The person is told of runs near a place.
        public let isNearby: Bool
        /// A calendar reads the person's runs.
        public let hasFeed: Bool

        public var isNothing: Bool { self == Standing(runs: 0, isShared: false, isNearby: false, hasFeed: false) }
    }

    public func standing(of person: PersonID) throws -> Standing {
        Standing(
            runs: try open(person).count, isShared: try workouts.openWorkout(of: person)?.isShared == true,
            isNearby: try nearby.nearby(of: person) != nil, hasFeed: try enrolments.feeds.hasFeed(person))
    }

    /// What a person who enrols agreed to with that: Track4Run is added where it was not.
    /// - Parameter purpose: what it is for, as the page of enrolment said.
    public func addBeside(_ person: PersonID, purpose: String, by account: AccountID) throws {
        guard try accounts.consents.running(BuiltInService.track4Run.id, of: person, now: consents.now) == nil else { return }
        do { try consents.add(.track4Run, purpose: purpose, of: person, by: account) } catch ConsentProblem.alreadyRuns { return }
    }

    /// Takes the person off all lists, lets nobody see a workout, tells them of no run and ends their calendar.
    /// - Parameter account: who decides for the person.
    public func end(_ person: PersonID, by account: AccountID) throws {
        guard let decider = try accounts.account(account) else { return }
        for id in try open(person) {
            do { try enrolments.withdraw(person, from: id, by: decider) } catch EnrolmentRefusal.finished, EnrolmentRefusal.cancelled,
                EnrolmentRefusal.notEnrolled, EnrolmentRefusal.unknown
            { continue }
        }
        _ = try workouts.shareWorkout(of: person, false)
        try nearby.endNearby(of: person)
        try enrolments.feeds.setFeed(nil, of: person, now: consents.now)
    }

    private func open(_ person: PersonID) throws -> [RunID] {
        try enrolments.store.enrolments(of: person).filter { enrolment, run in
            enrolment.state.isOnList && !run.state(at: consents.now).isOver
        }.map(\.run.id)
    }
}

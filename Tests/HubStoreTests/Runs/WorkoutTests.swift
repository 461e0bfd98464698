import Database
import Foundation
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct WorkoutTests {
    private func begin(_ runs: RunFixture, _ person: PersonID, isShared: Bool = true, now: Milliseconds = 0) throws -> StoredWorkout {
        let starter = AccountID(high: person.high, low: person.low)
        guard
            case .begun(let workout) = try runs.store.workouts.beginWorkout(
                .init(starter: starter), of: person, isShared: isShared, now: now)
        else {
            throw HubFixture.Taken()
        }
        return workout
    }

    private func befriend(_ runs: RunFixture, _ one: PersonID, _ two: PersonID) throws {
        try runs.store.friends.addFriendLink([7], of: one, expires: 100, now: 0)
        _ = try runs.store.friends.befriend([7], two, now: 1)
    }

    @Test("RUN-19: one workout of a person goes on; it ends by its person, and never later than a day", arguments: Engine.allCases)
    func lifecycle(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), workout = try begin(runs, ada, now: 10)
        #expect(try store.workouts.openWorkout(of: ada) == workout && workout.isOpen && store.workouts.workouts(of: ada).isEmpty)
        let again = try store.workouts.beginWorkout(workout.content, of: ada, isShared: false, now: 20)
        #expect(try again == .goesOn(workout) && !store.workouts.deleteWorkout(workout.id, of: ada))
        #expect(try store.workouts.shareWorkout(of: ada, false) && store.workouts.openWorkout(of: ada)?.isShared == false)
        #expect(
            try store.workouts.endWorkout(of: ada, now: 50)?.ended == 50 && store.workouts.endWorkout(of: ada, now: 60) == nil
                && !store.workouts.shareWorkout(of: ada, true))
        #expect(try store.workouts.workout(workout.id, of: ada)?.ended == 50 && store.workouts.workout(workout.id, of: .random()) == nil)
        _ = try begin(runs, ada, now: 100)
        #expect(try store.workouts.endWorkout(of: ada, now: 5 * day)?.ended == 100 + WorkoutStore.workoutMax)
        #expect(
            try store.workouts.workouts(of: ada).map(\.began) == [100, 10]
                && store.workouts.workouts(of: ada, before: 100, count: 1).map(\.began) == [10])
        #expect(
            try !store.workouts.deleteWorkout(workout.id, of: .random()) && store.workouts.deleteWorkout(workout.id, of: ada)
                && store.workouts.workouts(of: ada).count == 1)
    }

    @Test("RUN-19: a friend reads while a workout goes on that is shared, and not a moment longer", arguments: Engine.allCases)
    func friends(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random(),
            friend = AccountID(high: bob.high, low: bob.low)
        try befriend(runs, ada, bob)
        #expect(try store.workouts.workoutGrant(of: ada, to: friend) == nil)
        let workout = try begin(runs, ada)
        let found = try #require(try store.workouts.workoutGrant(of: ada, to: friend))
        #expect(
            found.workout == workout && found.grant.person == ada && found.grant.kinds.contains(.position)
                && found.grant.ground == .friend(friend))
        #expect(
            try store.workouts.workoutGrant(of: ada, to: .random()) == nil && store.workouts.sharingFriends(of: bob) == [workout]
                && store.workouts.sharingFriends(of: ada).isEmpty)
        _ = try store.workouts.shareWorkout(of: ada, false)
        #expect(try store.workouts.workoutGrant(of: ada, to: friend) == nil && store.workouts.sharingFriends(of: bob).isEmpty)
        _ = try store.workouts.shareWorkout(of: ada, true)
        try store.friends.endFriendship(bob, ada)
        #expect(try store.workouts.workoutGrant(of: ada, to: friend) == nil && store.friends.friends(of: ada).isEmpty)
        try befriend(runs, ada, bob)
        _ = try store.workouts.endWorkout(of: ada, now: 5)
        #expect(try store.workouts.workoutGrant(of: ada, to: friend) == nil)
    }

    @Test("RUN-19: a summary is worked out when it is due; what became due meanwhile stays so", arguments: Engine.allCases)
    func summaries(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random()
        let workout = try begin(runs, ada)
        _ = try begin(runs, bob)
        #expect(try store.workouts.dueWorkout(now: 100) == nil)
        _ = try (store.workouts.endWorkout(of: ada, now: 50), store.workouts.endWorkout(of: bob, now: 40))
        let due = try #require(try store.workouts.dueWorkout(now: 50))
        #expect(due.person == bob)
        try store.workouts.keep(nil, of: due, readAt: 60)
        #expect(try store.workouts.dueWorkout(now: 70)?.id == workout.id)
        try store.workouts.setWorkoutDue(workout.id, at: 90)
        try store.workouts.keep(nil, of: try #require(try store.workouts.workout(workout.id, of: ada)), readAt: 80)
        #expect(try store.workouts.dueWorkout(now: 89) == nil && store.workouts.dueWorkout(now: 90)?.id == workout.id)
        try store.workouts.setWorkoutsDue(endedAfter: 45, at: 200)
        #expect(try store.workouts.dueWorkout(now: 199) == nil && store.workouts.dueWorkout(now: 200)?.id == workout.id)
        #expect(
            try store.workouts.lateWorkouts(endedAfter: 45).map(\.span) == [0...50]
                && store.workouts.lateWorkouts(endedAfter: 39).count == 2)
        _ = try runs.keys.destroy(ada, now: 300)
        try store.workouts.keep(nil, of: workout, readAt: 400)
        #expect(try store.workouts.dueWorkout(now: 500) == nil, "of somebody who was deleted nothing is")
    }

    @Test("RUN-19: of those that go on only changes are opened", arguments: Engine.allCases)
    func open(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random()
        _ = try (begin(runs, ada), begin(runs, bob))
        var seen = WorkoutsSeen()
        #expect(try store.workouts.openWorkouts(&seen).map(\.person) == [ada, bob])
        _ = try (store.workouts.shareWorkout(of: ada, false), store.workouts.endWorkout(of: bob, now: 5))
        #expect(try store.workouts.openWorkouts(&seen).map(\.isShared) == [false])
        _ = try runs.keys.destroy(ada, now: 6)
        #expect(try store.workouts.openWorkouts(&seen).isEmpty)
    }

    @Test("RUN-19: a damaged workout is told and counted, and hides no other on any list", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random(), eve = PersonID.random()
        for time in [10, 20, 30] as [Milliseconds] {
            _ = try (begin(runs, ada, now: time), store.workouts.endWorkout(of: ada, now: time + 5))
        }
        try befriend(runs, bob, ada)
        try befriend(runs, eve, ada)
        _ = try (begin(runs, bob, now: 40), begin(runs, eve, now: 41))
        try runs.damage("workout", where: "began IN (20, 40)")
        #expect(
            try store.workouts.workouts(of: ada).map(\.began) == [30, 10] && store.workouts.sharingFriends(of: ada).map(\.person) == [eve])
        var seen = WorkoutsSeen()
        #expect(try store.workouts.openWorkouts(&seen).map(\.person) == [eve] && runs.fixture.unreadable == [.workout, .workout])
        #expect(throws: HubStoreError.self) { try store.workouts.workoutGrant(of: bob, to: AccountID(high: ada.high, low: ada.low)) }
    }

    @Test(
        "RUN-19: damaged workouts that are due, however many, keep no summary of another from being worked out", arguments: Engine.allCases)
    func damagedDue(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store
        for number in 0..<25 as Range<Milliseconds> {
            let person = PersonID.random()
            _ = try (begin(runs, person, now: number), store.workouts.endWorkout(of: person, now: 100 + number))
        }
        try runs.damage("workout", where: "began < 24")
        #expect(try store.workouts.dueWorkout(now: 500)?.began == 24 && runs.fixture.keys.unreadable.count == 24)
    }

    @Test("RUN-19: whose open workout is damaged ends it, or begins another; friends see nothing of it", arguments: Engine.allCases)
    func damagedOpen(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random()
        _ = try (begin(runs, ada, now: 10), begin(runs, bob, now: 10))
        try runs.damage("workout")
        #expect(try begin(runs, ada, now: 20).began == 20)
        #expect(try store.workouts.endWorkout(of: bob, now: 30) == nil && begin(runs, bob, now: 40).began == 40)
        #expect(try runs.fixture.count("workout", where: "ended IN (20, 30) AND is_shared = 0", in: store.pool) == 2, "kept for the backup")
        #expect(runs.fixture.unreadable == [.workout, .workout])
    }
}

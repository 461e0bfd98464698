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
        guard case .begun(let workout) = try runs.store.beginWorkout(.init(starter: starter), of: person, isShared: isShared, now: now)
        else {
            throw HubFixture.Taken()
        }
        return workout
    }

    private func befriend(_ runs: RunFixture, _ one: PersonID, _ two: PersonID) throws {
        try runs.store.addFriendLink([7], of: one, expires: 100, now: 0)
        _ = try runs.store.befriend([7], two, now: 1)
    }

    @Test("RUN-19: one workout of a person goes on; it ends by its person, and never later than a day", arguments: Engine.allCases)
    func lifecycle(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), workout = try begin(runs, ada, now: 10)
        #expect(try store.openWorkout(of: ada) == workout && workout.isOpen && store.workouts(of: ada).isEmpty)
        let again = try store.beginWorkout(workout.content, of: ada, isShared: false, now: 20)
        #expect(try again == .goesOn(workout) && !store.deleteWorkout(workout.id, of: ada))
        #expect(try store.shareWorkout(of: ada, false) && store.openWorkout(of: ada)?.isShared == false)
        #expect(
            try store.endWorkout(of: ada, now: 50)?.ended == 50 && store.endWorkout(of: ada, now: 60) == nil
                && !store.shareWorkout(of: ada, true))
        #expect(try store.workout(workout.id, of: ada)?.ended == 50 && store.workout(workout.id, of: .random()) == nil)
        _ = try begin(runs, ada, now: 100)
        #expect(try store.endWorkout(of: ada, now: 5 * day)?.ended == 100 + RunsStore.workoutMax)
        #expect(
            try store.workouts(of: ada).map(\.began) == [100, 10] && store.workouts(of: ada, before: 100, count: 1).map(\.began) == [10])
        #expect(
            try !store.deleteWorkout(workout.id, of: .random()) && store.deleteWorkout(workout.id, of: ada)
                && store.workouts(of: ada).count == 1)
    }

    @Test("RUN-19: a friend reads while a workout goes on that is shared, and not a moment longer", arguments: Engine.allCases)
    func friends(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random(),
            friend = AccountID(high: bob.high, low: bob.low)
        try befriend(runs, ada, bob)
        #expect(try store.workoutGrant(of: ada, to: friend) == nil)
        let workout = try begin(runs, ada)
        let found = try #require(try store.workoutGrant(of: ada, to: friend))
        #expect(
            found.workout == workout && found.grant.person == ada && found.grant.kinds.contains(.position)
                && found.grant.ground == .friend(friend))
        #expect(
            try store.workoutGrant(of: ada, to: .random()) == nil && store.sharingFriends(of: bob) == [workout]
                && store.sharingFriends(of: ada).isEmpty)
        _ = try store.shareWorkout(of: ada, false)
        #expect(try store.workoutGrant(of: ada, to: friend) == nil && store.sharingFriends(of: bob).isEmpty)
        _ = try store.shareWorkout(of: ada, true)
        try store.endFriendship(bob, ada)
        #expect(try store.workoutGrant(of: ada, to: friend) == nil && store.friends(of: ada).isEmpty)
        try befriend(runs, ada, bob)
        _ = try store.endWorkout(of: ada, now: 5)
        #expect(try store.workoutGrant(of: ada, to: friend) == nil)
    }

    @Test("RUN-19: a link makes two people friends, once and in its time; either ends it", arguments: Engine.allCases)
    func links(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random(), eve = PersonID.random()
        try store.addFriendLink([1], of: ada, expires: 100, now: 0)
        #expect(try store.person(ofFriendLink: [1], now: 99) == ada && store.person(ofFriendLink: [1], now: 100) == nil)
        #expect(
            try store.befriend([1], ada, now: 1) == nil && store.befriend([1], bob, now: 100) == nil
                && store.befriend([2], bob, now: 1) == nil)
        #expect(try store.befriend([1], bob, now: 1) == ada && store.befriend([1], eve, now: 1) == nil)
        #expect(try store.friends(of: ada) == [bob] && store.friends(of: bob) == [ada])
        for number in 0..<UInt8(RunsStore.friendLinksMax + 1) {
            try store.addFriendLink([100 + number], of: ada, expires: 1000 + Milliseconds(number), now: 2)
        }
        #expect(try store.person(ofFriendLink: [100], now: 3) == nil && store.person(ofFriendLink: [101], now: 3) == ada)
        _ = try runs.keys.destroy(ada, now: 4)
        #expect(try store.friends(of: bob).isEmpty && store.befriend([101], eve, now: 5) == nil && store.deletedWithRows() == [ada])
        try store.erase(ada, now: 5)
        #expect(try store.deletedWithRows().isEmpty && runs.fixture.count("friend", in: store.pool) == 0)
    }

    @Test("RUN-19: a summary is worked out when it is due; what became due meanwhile stays so", arguments: Engine.allCases)
    func summaries(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random()
        let workout = try begin(runs, ada)
        _ = try begin(runs, bob)
        #expect(try store.dueWorkout(now: 100) == nil)
        _ = try (store.endWorkout(of: ada, now: 50), store.endWorkout(of: bob, now: 40))
        let due = try #require(try store.dueWorkout(now: 50))
        #expect(due.person == bob)
        try store.keep(nil, of: due, readAt: 60)
        #expect(try store.dueWorkout(now: 70)?.id == workout.id)
        try store.setWorkoutDue(workout.id, at: 90)
        try store.keep(nil, of: try #require(try store.workout(workout.id, of: ada)), readAt: 80)
        #expect(try store.dueWorkout(now: 89) == nil && store.dueWorkout(now: 90)?.id == workout.id)
        try store.setWorkoutsDue(endedAfter: 45, at: 200)
        #expect(try store.dueWorkout(now: 199) == nil && store.dueWorkout(now: 200)?.id == workout.id)
        #expect(try store.lateWorkouts(endedAfter: 45).map(\.span) == [0...50] && store.lateWorkouts(endedAfter: 39).count == 2)
        _ = try runs.keys.destroy(ada, now: 300)
        try store.keep(nil, of: workout, readAt: 400)
        #expect(try store.dueWorkout(now: 500) == nil, "of somebody who was deleted nothing is")
    }

    @Test("RUN-19: of those that go on only changes are opened", arguments: Engine.allCases)
    func open(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random()
        _ = try (begin(runs, ada), begin(runs, bob))
        var seen = WorkoutsSeen()
        #expect(try store.openWorkouts(&seen).map(\.person) == [ada, bob])
        _ = try (store.shareWorkout(of: ada, false), store.endWorkout(of: bob, now: 5))
        #expect(try store.openWorkouts(&seen).map(\.isShared) == [false])
        _ = try runs.keys.destroy(ada, now: 6)
        #expect(try store.openWorkouts(&seen).isEmpty)
    }

    @Test("RUN-19: a damaged workout is told and counted, and hides no other on any list", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random(), eve = PersonID.random()
        for time in [10, 20, 30] as [Milliseconds] {
            _ = try (begin(runs, ada, now: time), store.endWorkout(of: ada, now: time + 5))
        }
        try befriend(runs, bob, ada)
        try befriend(runs, eve, ada)
        _ = try (begin(runs, bob, now: 40), begin(runs, eve, now: 41))
        try runs.damage("workout", where: "began IN (20, 40)")
        #expect(try store.workouts(of: ada).map(\.began) == [30, 10] && store.sharingFriends(of: ada).map(\.person) == [eve])
        var seen = WorkoutsSeen()
        #expect(try store.openWorkouts(&seen).map(\.person) == [eve] && runs.fixture.unreadable == [.workout, .workout])
        #expect(throws: HubStoreError.self) { try store.workoutGrant(of: bob, to: AccountID(high: ada.high, low: ada.low)) }
    }

    @Test(
        "RUN-19: damaged workouts that are due, however many, keep no summary of another from being worked out", arguments: Engine.allCases)
    func damagedDue(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store
        for number in 0..<25 as Range<Milliseconds> {
            let person = PersonID.random()
            _ = try (begin(runs, person, now: number), store.endWorkout(of: person, now: 100 + number))
        }
        try runs.damage("workout", where: "began < 24")
        #expect(try store.dueWorkout(now: 500)?.began == 24 && runs.fixture.keys.unreadable.count == 24)
    }

    @Test("RUN-19: whose open workout is damaged ends it, or begins another; friends see nothing of it", arguments: Engine.allCases)
    func damagedOpen(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random()
        _ = try (begin(runs, ada, now: 10), begin(runs, bob, now: 10))
        try runs.damage("workout")
        #expect(try begin(runs, ada, now: 20).began == 20)
        #expect(try store.endWorkout(of: bob, now: 30) == nil && begin(runs, bob, now: 40).began == 40)
        #expect(try runs.fixture.count("workout", where: "ended IN (20, 30) AND is_shared = 0", in: store.pool) == 2, "kept for the backup")
        #expect(runs.fixture.unreadable == [.workout, .workout])
    }
}

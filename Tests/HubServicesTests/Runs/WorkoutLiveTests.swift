import Accounts
import Foundation
import NIOCore
import Privacy
import Runs
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// Ada runs to the north at 3 m/s from second 0 of her workout, with her friend Bob, and Eve, who is none. Seconds are played by the test.
struct WorkoutScene {
    let town: RunTown
    let live: LiveWorkouts
    let bob: StoredAccount
    let eve: StoredAccount
    let box: RunLiveRace.Box
    let began: Milliseconds

    var ada: StoredAccount { town.ada }
    var person: PersonID { ada.id.person }

    init(isShared: Bool = false, home: HomeZone? = nil) async throws {
        let town = try RunTown()
        self.town = town
        (bob, eve) = (try town.runner("Bob"), try town.runner("Eve"))
        let link = try town.workouts.friendLink(of: town.ada.id.person, by: town.ada)
        let token = try #require(link.split(separator: "/").last.map(String.init))
        #expect(try town.workouts.befriend(token, bob.id.person, by: bob) != nil)
        box = RunLiveRace.Box(try await town.hub.enrol([town.ada.id.person]), now: town.now)
        live = town.liveWorkouts()
        began = try town.workouts.beginWorkout(of: town.ada.id.person, isShared: isShared, home: home, by: town.ada).began
        work()
    }

    private init(_ old: WorkoutScene, _ town: RunTown) {
        (self.town, bob, eve, box, began) = (town, old.bob, old.eve, old.box, old.began)
        live = town.liveWorkouts()
    }

    /// The same hub after a stop and a start.
    func restarted() throws -> WorkoutScene { WorkoutScene(self, try town.restarted()) }

    func work() {
        live.tick()
        while live.readNext() {}
    }

    static let start = CoursePoint(latitude: 454_000_000, longitude: 90_000_000)

    /// 3 m/s to the north: 270 of 1e-7 degrees a second.
    func samples(from first: Int, to last: Int, rate: UInt16? = 140, isThere: Bool = true) -> SampleSet {
        let seconds = Array(first...last)
        return SampleSet(
            heartRates: rate.map { rate in
                seconds.map { HeartRateSample(time: began + Milliseconds($0) * 1000, beatsPerMinute: rate + UInt16($0 % 2)) }
            } ?? [],
            positions: isThere
                ? seconds.map {
                    PositionSample(
                        time: began + Milliseconds($0) * 1000, latitude: Self.start.latitude + Int32($0) * 270, longitude: 90_000_000,
                        horizontalError: 30)
                } : [])
    }

    func send(_ samples: SampleSet, provenance: Provenance = .live, sequence: Int? = nil) async throws {
        let first = samples.timeRange?.lowerBound ?? began
        let segment = Segment(
            stream: StreamID(high: person.high, low: UInt64(provenance.rawValue)),
            sequence: UInt64(sequence ?? Int(first - began) / 1000 + 1),
            person: person, provenance: provenance, clock: .wall, samples: samples)
        try await box.send([segment.encoded()], to: town.hub)
    }

    /// Time goes to a second of the workout, and what was run until then is sent.
    func go(from first: Int, to last: Int, rate: UInt16? = 140, isThere: Bool = true, provenance: Provenance = .live) async throws {
        set(last)
        try await send(samples(from: first, to: last, rate: rate, isThere: isThere), provenance: provenance)
        work()
    }

    func set(_ second: Int) {
        let time = began + Milliseconds(second) * 1000
        if time > town.now { town.clock.advance(time - town.now) }
        work()
    }

    func shown() throws -> WorkoutShown { live.shown(try #require(try town.store.workouts.openWorkout(of: person))) }

    /// What a friend reads; nil for nothing.
    func shown(to friend: StoredAccount) throws -> WorkoutShown? {
        guard let (grant, workout) = try town.store.workouts.workoutGrant(of: person, to: friend.id) else { return nil }
        return try live.shown(workout, by: grant)
    }
}

@Suite struct WorkoutLiveTests {
    @Test(
        "RUN-19: own distance, pace, heart rate and time while it goes on; stopped, its summary is kept, listed, in the download, and deletable"
    )
    func whole() async throws {
        let scene = try await WorkoutScene(), town = scene.town
        #expect(try scene.shown().heard == nil && scene.shown().isSilent && scene.shown().heart == "none")
        // Boxes are asked to send on arrival while one goes on.
        #expect(town.hub.bus.isWatched(anyOf: [scene.person: 1]))
        for first in stride(from: 0, to: 800, by: 10) { try await scene.go(from: first, to: first + 9) }
        let shown = try scene.shown()
        #expect((2370...2400).contains(shown.metres) && shown.place == .now && !shown.isStanding && !shown.isSilent, "\(shown)")
        #expect(shown.pace.map { (325...342).contains($0) } == true && shown.average.map { (330...340).contains($0) } == true)
        #expect(shown.hr == 141 && shown.heart == "valid" && shown.legs.count == 2 && shown.lat == 45.42157, "\(shown)")
        let ended = try town.workouts.endWorkout(of: scene.person, by: scene.ada)
        scene.work()
        let kept = try #require(try town.workouts.workout(ended.id, of: scene.person, for: scene.ada)),
            summary = try #require(kept.content.summary)
        #expect((2370...2400).contains(summary.metres) && summary.splits.map(\.metres) == [1000, 2000] && !summary.isTest)
        #expect(summary.heart?.max == 141 && summary.heart.map { (140...141).contains($0.average) } == true)
        #expect(kept.ended == scene.began + 799_000)
        #expect(try town.workouts.workouts(of: scene.person, for: scene.ada) == [kept])
        #expect(try RunsExport(scene.ada.id, town.store).workouts.first?.summary == summary)
        // Nobody else's, and not to be deleted by anybody else.
        for stranger in [scene.bob, scene.eve] {
            #expect(throws: WorkoutService.Refusal.notYours) { try town.workouts.workouts(of: scene.person, for: stranger) }
            #expect(throws: WorkoutService.Refusal.notYours) { try town.workouts.deleteWorkout(kept.id, of: scene.person, by: stranger) }
            #expect(throws: WorkoutService.Refusal.unknown) {
                try town.workouts.deleteWorkout(kept.id, of: stranger.id.person, by: stranger)
            }
        }
        try town.workouts.deleteWorkout(kept.id, of: scene.person, by: scene.ada)
        #expect(try town.workouts.workouts(of: scene.person, for: scene.ada).isEmpty)
    }

    @Test("RUN-19: what is old, lost, not worn or frozen is never shown as of now; a silent box says since when")
    func old() async throws {
        let scene = try await WorkoutScene()
        try await scene.go(from: 0, to: 60)
        #expect(try scene.shown().hr == 140 && scene.shown().pace != nil)
        // The strap goes on, the receiver does not.
        try await scene.go(from: 61, to: 75, isThere: false)
        var shown = try scene.shown()
        #expect(shown.hr == 141 && shown.place == .old && shown.pace == nil && !shown.isSilent, "\(shown)")
        // Then neither.
        scene.set(91)
        shown = try scene.shown()
        #expect(shown.hr == nil && shown.heart == "old" && shown.beat == scene.began + 75_000 && !shown.isSilent, "\(shown)")
        scene.set(100)
        shown = try scene.shown()
        #expect(shown.isSilent && shown.heard == scene.began + 75_000)
        func expect(_ state: String, _ line: Int = #line) throws {
            let shown = try scene.shown()
            #expect(shown.hr == nil && shown.heart == state, "line \(line): \(shown)")
        }
        // The strap says that it is off the skin, and the box that its link is gone.
        var off = scene.samples(from: 101, to: 110)
        for index in off.heartRates.indices { off.heartRates[index].contact = .notDetected }
        scene.set(110)
        try await scene.send(off)
        scene.work()
        try expect("notWorn")
        try await scene.go(from: 111, to: 120)
        #expect(try scene.shown().hr == 140)
        try await scene.send(
            SampleSet(events: [StateEvent(time: scene.began + 120_500, code: .sensorLost)]), sequence: 5000)
        scene.work()
        try expect("noSignal")
        try await scene.send(
            SampleSet(events: [StateEvent(time: scene.began + 120_600, code: .sensorConnected)]), sequence: 5001)
        // The same value for a minute without intervals is a frozen one.
        for first in stride(from: 121, to: 190, by: 10) {
            var same = scene.samples(from: first, to: first + 9)
            for index in same.heartRates.indices { same.heartRates[index].beatsPerMinute = 77 }
            scene.set(first + 9)
            try await scene.send(same)
            scene.work()
        }
        try expect("frozen")
        try await scene.send(SampleSet(events: [StateEvent(time: scene.began + 190_500, code: .paused)]), sequence: 5002)
        scene.work()
        try expect("paused")
    }

    @Test("RUN-14, RUN-19: after a restart, and with data that comes late, out of order and twice, distance and summary are the same")
    func late() async throws {
        let scene = try await WorkoutScene()
        try await scene.go(from: 0, to: 99)
        try await scene.go(from: 200, to: 299)
        let holed = try scene.shown().metres
        // The tunnel's fixes come.
        try await scene.send(scene.samples(from: 100, to: 199))
        scene.work()
        scene.set(311)
        let whole = try scene.shown().metres
        #expect(abs(holed - whole) <= 2 && (880...900).contains(whole))
        var again = try scene.restarted()
        again.work()
        #expect(try again.shown().metres == whole && again.shown().beat == again.began + 299_000)
        let ended = try again.town.workouts.endWorkout(of: again.person, by: again.ada)
        again.work()
        let first = try #require(try again.town.store.workouts.workout(ended.id, of: again.person)?.content.summary)
        #expect(Int(first.metres.rounded()) == whole)
        // Seconds 300 to 311 were in a dead spot; the hub is stopped before it worked them in.
        try await again.send(again.samples(from: 300, to: 311))
        again.live.tick()
        again = try again.restarted()
        again.work()
        let better = try #require(try again.town.store.workouts.workout(ended.id, of: again.person)?.content.summary)
        #expect(better.metres > first.metres + 20 && better.metres < 940)
        // And once more while it runs, sent twice.
        #expect(try again.town.store.workouts.dueWorkout(now: again.town.now + day) == nil)
        try await again.send(again.samples(from: 20, to: 30), sequence: 9000)
        again.work()
        #expect(try again.town.store.workouts.dueWorkout(now: again.town.now + day)?.id == ended.id)
        again.town.clock.advance(LiveWorkout.settles)
        again.work()
        #expect(try again.town.store.workouts.workout(ended.id, of: again.person)?.content.summary == better)
    }

    @Test("RUN-14, RUN-19: of a box whose clock is ahead a restart loses nothing")
    func ahead() async throws {
        let scene = try await WorkoutScene()
        scene.set(10)
        try await scene.send(scene.samples(from: 0, to: 50))
        scene.work()
        let metres = try scene.shown().metres
        #expect((140...150).contains(metres))
        let again = try scene.restarted()
        again.work()
        #expect(try again.shown().metres == metres)
    }

    @Test("RUN-19: friends see it live only while it is shared and they are friends; nobody else does, and it is written down")
    func friends() async throws {
        let scene = try await WorkoutScene(), town = scene.town
        try await scene.go(from: 0, to: 60)
        for friend in [scene.bob, scene.eve, scene.ada] { #expect(try scene.shown(to: friend) == nil, "off until it is turned on") }
        try town.workouts.shareWorkout(of: scene.person, true, by: scene.ada)
        #expect(throws: WorkoutService.Refusal.notYours) { try town.workouts.shareWorkout(of: scene.person, false, by: scene.bob) }
        let shown = try #require(try scene.shown(to: scene.bob))
        #expect(shown.hr == 140 && (175...182).contains(shown.metres) && shown.legs.isEmpty, "\(shown)")
        #expect(try town.workouts.friendsWorkouts(for: scene.bob).map(\.friend.name) == [scene.ada.name])
        #expect(
            try scene.shown(to: scene.eve) == nil && scene.shown(to: scene.ada) == nil
                && town.workouts.friendsWorkouts(for: scene.eve).isEmpty)
        let entry = try #require(try town.hub.accounts.ledger.ledger(of: scene.person).entries.first)
        #expect(
            entry.what == .readByFriend(scene.bob.id) && entry.name == scene.bob.name
                && entry.kinds == [.heartRate, .rrIntervals, .energyExpended, .position])
        // No series is read by it.
        let grant = try #require(try town.store.workouts.workoutGrant(of: scene.person, to: scene.bob.id)?.grant)
        #expect(try town.hub.series.reader.read(grant, from: 0, to: town.now, now: town.now) == nil)

        // Switched off: what watches ends, and nothing is read from that commit on.
        let workout = try #require(try town.store.workouts.openWorkout(of: scene.person))
        let reader = try scene.live.watch(workout, as: scene.bob.id, from: "198.51.100.7")
        async let first = reader.next()
        while !reader.isAsking { await Task.yield() }
        scene.live.tick()
        #expect(await first.map { String(buffer: $0) }?.hasPrefix("event: workout\ndata: {") == true)
        try town.workouts.shareWorkout(of: scene.person, false, by: scene.ada)
        #expect(try scene.shown(to: scene.bob) == nil)
        try await scene.go(from: 61, to: 65)
        #expect(await reader.next() == LiveRuns.endEvent)
        // No friends any more.
        try town.workouts.shareWorkout(of: scene.person, true, by: scene.ada)
        let second = try scene.live.watch(workout, as: scene.bob.id, from: "198.51.100.7")
        try town.workouts.endFriendship(of: scene.bob.id.person, with: scene.person, by: scene.bob)
        #expect(try scene.shown(to: scene.bob) == nil)
        scene.live.tick()
        #expect(await second.next() == LiveRuns.endEvent)
        #expect(await second.next() == nil)
    }

    @Test("RUN-15, RUN-19: the home zone hides the start from friends, and a stop hides all; what was only played is nobody's to see")
    func home() async throws {
        let zone = HomeZone(centre: WorkoutScene.start, radius: 300)
        let scene = try await WorkoutScene(isShared: true, home: zone)
        try await scene.go(from: 0, to: 60)
        var shown = try #require(try scene.shown(to: scene.bob))
        #expect(
            shown.began == nil && shown.metres == 0 && shown.seen == nil && shown.lat == nil && shown.pace == nil && shown.average == nil)
        #expect(shown.hr == 140)
        try await scene.go(from: 61, to: 160)
        shown = try #require(try scene.shown(to: scene.bob))
        #expect((170...190).contains(shown.metres) && shown.began.map { $0 > scene.began + 95_000 } == true && shown.lat != nil, "\(shown)")
        #expect(try scene.shown().metres > 470)
        // The same after a restart, from the store.
        let again = try scene.restarted()
        again.work()
        #expect(try #require(try again.shown(to: again.bob)).began == shown.began)
        _ = try again.town.workouts.endWorkout(of: again.person, by: again.ada)
        #expect(try again.shown(to: again.bob) == nil)

        let played = try await WorkoutScene(isShared: true)
        try await played.go(from: 0, to: 60, provenance: .replay)
        #expect(try played.shown().isTest && played.shown().metres > 100)
        #expect(try #require(try played.shown(to: played.bob)).heard == nil && played.shown(to: played.bob)?.hr == nil)
        // Something real comes: what was played is nothing any more.
        try await played.go(from: 61, to: 90)
        played.work()
        #expect(try !played.shown().isTest && played.shown().metres < 100)
    }

    @Test("RUN-19: one at a time; one that nobody stopped ends after a day; all go with the account")
    func ends() async throws {
        let scene = try await WorkoutScene(isShared: true), town = scene.town
        let open = try #require(try town.store.workouts.openWorkout(of: scene.person))
        #expect(try town.workouts.beginWorkout(of: scene.person, by: scene.ada).id == open.id)
        try await scene.go(from: 0, to: 60)
        town.clock.advance(WorkoutStore.workoutMax)
        scene.work()
        scene.work()
        #expect(try town.store.workouts.openWorkout(of: scene.person) == nil && scene.shown(to: scene.bob) == nil)
        let ended = try #require(try town.store.workouts.workouts(of: scene.person).first)
        #expect(ended.ended == scene.began + WorkoutStore.workoutMax && ended.content.summary.map { $0.metres > 100 } == true)
        #expect(throws: WorkoutService.Refusal.unknown) { try town.workouts.endWorkout(of: scene.person, by: scene.ada) }
        #expect(try town.workouts.beginWorkout(of: scene.person, by: scene.ada).isOpen)
        try town.deletion.deletePerson(scene.person, by: scene.ada.id, now: town.now)
        scene.work()
        #expect(try town.store.workouts.workouts(of: scene.person).isEmpty && town.store.workouts.openWorkout(of: scene.person) == nil)
        #expect(try town.store.deletedWithRows().contains(scene.person))
        try town.deletion.work(now: town.now)
        #expect(try !town.store.deletedWithRows().contains(scene.person))
    }
}

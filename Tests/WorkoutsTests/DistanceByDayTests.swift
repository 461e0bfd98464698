import TestSupport
import Testing
import Vitals
import Workouts

@Suite struct DistanceByDayTests {
    private static let seeds = 1...6 as ClosedRange<UInt64>

    private static func day(_ fixes: some Sequence<PositionSample>) -> DistanceByDay.Day {
        var distance = DistanceByDay { $0 / 86_400_000 }
        distance.take(fixes)
        return distance.days.values.reduce(into: DistanceByDay.Day()) {
            $0.walked += $1.walked
            $0.run += $1.run
            $0.wheels += $1.wheels
            $0.leftOut += $1.leftOut
        }
    }

    @Test("DATA-1: two hours of sitting under 5 m of drifting noise are less than 30 m", arguments: seeds)
    func sitting(seed: UInt64) {
        var track = MadeUpTrack(seed: seed)
        track.go(2 * 3600, 0)
        let day = Self.day(track.fixes)
        #expect(day.walked + day.run + day.wheels < 30, "seed \(seed): \(day)")
    }

    @Test("DATA-1: half an hour of walking is right by 5 %, and is walked", arguments: seeds)
    func walking(seed: UInt64) {
        var track = MadeUpTrack(seed: seed)
        track.go(600, 0)
        for _ in 0..<18 { track.go(100, 1.4, turn: 0.3) }
        track.go(600, 0)
        let day = Self.day(track.fixes)
        #expect(
            abs(day.walked / track.gone - 1) < 0.05 && day.run < 0.02 * track.gone && day.wheels == 0, "seed \(seed): \(day), \(track.gone)"
        )
    }

    @Test("DATA-1: an hour of running on a track of 400 m is right by 3 %, and is run", arguments: seeds)
    func running(seed: UInt64) {
        var track = MadeUpTrack(seed: seed)
        for _ in 0..<27 {
            for _ in 0..<2 {
                track.go(28, 3)
                track.go(38, 3, turn: 180.0 / 38)
            }
        }
        let day = Self.day(track.fixes)
        #expect(
            abs((day.walked + day.run) / track.gone - 1) < 0.03 && day.walked < 0.03 * track.gone, "seed \(seed): \(day), \(track.gone)")
    }

    @Test("DATA-1: a drive through town with its lights counts as wheels, the walks to and from the car as walked", arguments: seeds)
    func driving(seed: UInt64) {
        var track = MadeUpTrack(seed: seed)
        track.go(600, 1.4)
        let walk = track.gone
        track.go(60, 0)
        for _ in 0..<10 {
            track.go(60, 13, turn: 0.5)
            track.go(20, 3)
            track.go(40, 0)
        }
        track.go(60, 11)
        track.go(120, 0)
        track.go(600, 1.4)
        let day = Self.day(track.fixes)
        #expect(abs((day.walked + day.run) / (2 * walk) - 1) < 0.1, "seed \(seed): \(day), \(walk)")
        #expect(day.wheels > 8000)
    }

    @Test("DATA-1: leaps of the receiver, near ones for a while and far ones, add less than 150 m")
    func leaps() {
        var track = MadeUpTrack(seed: 3)
        track.go(1200, 1.4)
        var fixes = track.fixes
        for (at, count, north) in [(200, 1, 3000.0), (400, 5, 900), (600, 12, 90)] {
            for index in at..<at + count { fixes[index].latitude += Int32(north / 111_000 * 1e7) }
        }
        let day = Self.day(fixes)
        #expect(abs(day.walked + day.run - track.gone) < 150, "\(day), \(track.gone)")
    }

    @Test("DATA-1: what tells no way is counted by its reason")
    func counts() {
        var track = MadeUpTrack(seed: 4)
        track.go(300, 1.4)
        var vague = track.fixes[100], network = track.fixes[101], impossible = track.fixes[102], never = track.fixes[103]
        vague.horizontalError = 2000
        network.source = .network
        impossible.latitude = 1_000_000_000
        never.time = .max
        var far = track.fixes[104]
        far.longitude += 1_000_000
        let first = track.fixes[0..<99] + [vague, network, impossible, never, far] + track.fixes[106...]
        var distance = DistanceByDay { _ in 0 }
        distance.take(first)
        distance.take(first)
        let counts = distance.counts
        #expect(counts.vague == 1 && counts.otherSource == 1 && counts.impossible == 3 && counts.leaps == 1)
        #expect(counts.repeated == first.count - 1 && counts.used == first.count - 5 && counts.late == 0)
    }

    @Test("DATA-14: in whatever order positions come within the horizon, the days are the same; what is older is counted", arguments: seeds)
    func late(seed: UInt64) throws {
        var track = MadeUpTrack(seed: seed, from: MadeUpTrack.start + 11 * 3_600_000)
        track.go(900, 1.4)
        track.go(300, 0)
        track.go(400, 12)
        track.go(3600, 2.8)
        var whole = DistanceByDay(horizon: 600_000) { $0 / 86_400_000 }
        whole.take(track.fixes)
        var generator = SeededGenerator(seed: seed), mixed = DistanceByDay(horizon: 600_000) { $0 / 86_400_000 }
        // Each fix comes up to nine minutes late, alone or with others, and some come twice.
        let arrivals = track.fixes.map { ($0, $0.time + Milliseconds(generator.next() % 540_000)) }.sorted { $0.1 < $1.1 }.map(\.0)
        var at = 0
        while at < arrivals.count {
            let end = min(arrivals.count, at + 1 + Int(generator.next() % 50))
            mixed.take(arrivals[max(0, at - 3)..<end])
            at = end
        }
        #expect(mixed.days == whole.days && whole.days.count == 2 && mixed.counts.late == 0)
        mixed.take(track.fixes[..<10])
        #expect(mixed.counts.late == 10 && mixed.days == whole.days)
    }

    @Test("DATA-1: excluded spans are no way on foot, and a day is a sample of distance")
    func excluded() throws {
        var track = MadeUpTrack(seed: 6, noise: 0)
        track.go(1200, 5)
        let span = MadeUpTrack.start...MadeUpTrack.start + 600_000
        var distance = DistanceByDay(rules: .recorded, excluding: [span]) { _ in 7 }
        distance.take(track.fixes)
        let day = try #require(distance.days[7])
        #expect(abs(day.run - 3000) < 15 && abs(day.leftOut - 3000) < 15, "\(day)")
        let sample = try #require(day.sample(in: 0..<86_400_000))
        #expect(sample.problem == nil && sample.value == Int64((day.run * 10).rounded()))
        #expect(DistanceByDay.Day().sample(in: 0..<1) == nil)
    }

    @Test("DATA-1: across 180 degrees of longitude a way is as long as elsewhere")
    func antimeridian() throws {
        let fixes = (0..<600).map { second -> PositionSample in
            let east = Int64(1_799_990_000) + Int64(second) * 250
            return PositionSample(
                time: MadeUpTrack.start + Milliseconds(second) * 1000, latitude: 0,
                longitude: Int32(east > 1_800_000_000 ? east - 3_600_000_000 : east))
        }
        var distance = DistanceByDay(rules: .recorded) { _ in 0 }
        distance.take(fixes)
        #expect(abs((try #require(distance.days[0])).run - 599 * 2.783) < 3)
    }
}

import TestSupport
import Testing
import Vitals
import Workouts

@Suite struct WorkoutFinderTests {
    private static let seeds = 1...5 as ClosedRange<UInt64>
    private static let rules = FinderRules(maximum: 190)

    private static func find(
        _ fixes: [PositionSample], _ rates: [HeartRateSample] = [], _ scalars: [ScalarSample] = [], _ rules: FinderRules = rules
    ) -> [FoundWorkout] {
        var finder = WorkoutFinder(rules)
        finder.take(fixes, rates, scalars)
        return finder.workouts
    }

    private static func cadence(_ perMinute: Int64, _ seconds: Range<Int>) throws -> [ScalarSample] {
        try seconds.map { try #require(ScalarSample(.cadence, time: MadeUpTrack.start + Milliseconds($0) * 1000, value: perMinute * 10)) }
    }

    private static func seconds(_ time: Milliseconds) -> Int { Int((time - MadeUpTrack.start) / 1000) }

    @Test("DATA-17: a run between two rests is found by itself, from its first step to its last within 40 s", arguments: seeds)
    func run(seed: UInt64) throws {
        var track = MadeUpTrack(seed: seed)
        track.go(1200, 0)
        track.go(1800, 3, turn: 0.2)
        track.go(1200, 0)
        let found = Self.find(track.fixes, track.heartRates(150, from: 1200, to: 3000))
        let workout = try #require(found.first)
        #expect(found.count == 1 && workout.kind == .running && workout.heartRate == 150)
        #expect(
            abs(Self.seconds(workout.span.lowerBound) - 1200) < 40 && abs(Self.seconds(workout.span.upperBound) - 3000) < 40, "\(workout)")
        #expect(abs(workout.metres / 5400 - 1) < 0.04)
        #expect(workout.sample?.problem == nil)
    }

    @Test("DATA-17: a rest of four minutes is a pause of one walk, one of seven parts two", arguments: seeds)
    func pauses(seed: UInt64) {
        for (rest, count) in [(240, 1), (420, 2)] {
            var track = MadeUpTrack(seed: seed)
            track.go(900, 1.4)
            track.go(rest, 0)
            track.go(900, 1.4)
            track.go(900, 0)
            #expect(Self.find(track.fixes).map(\.kind) == Array(repeating: .walking, count: count), "seed \(seed), \(rest) s")
        }
    }

    @Test("DATA-17: short ways, sitting and a minute's dash are no workouts", arguments: seeds)
    func none(seed: UInt64) {
        var track = MadeUpTrack(seed: seed)
        track.go(3600, 0)
        track.go(300, 1.4)
        track.go(900, 0)
        track.go(60, 4)
        track.go(900, 0)
        #expect(Self.find(track.fixes).isEmpty)
    }

    @Test("DATA-17: a ride is cycling where the heart or the crank says so, else a vehicle and no workout", arguments: seeds)
    func rides(seed: UInt64) throws {
        var track = MadeUpTrack(seed: seed)
        for _ in 0..<15 {
            track.go(100, 8, turn: 0.1)
            track.go(20, 0)
            // Up a hill.
            track.go(60, 3)
        }
        #expect(Self.find(track.fixes, track.heartRates(130)).map(\.kind) == [.cycling])
        let cadences = try Self.cadence(85, 0..<2700)
        #expect(Self.find(track.fixes, [], cadences).map(\.kind) == [.cycling])
        var finder = WorkoutFinder(Self.rules)
        finder.take(track.fixes, track.heartRates(70))
        #expect(finder.workouts.isEmpty && finder.rides >= 1)
    }

    @Test("DATA-17: a run that ends at a car ends there", arguments: seeds)
    func runThenDrive(seed: UInt64) throws {
        var track = MadeUpTrack(seed: seed)
        track.go(1500, 3)
        track.go(60, 0)
        track.go(1200, 15)
        let found = Self.find(track.fixes, track.heartRates(150, to: 1500) + track.heartRates(80, from: 1500))
        #expect(found.map(\.kind) == [.running])
        #expect(abs(Self.seconds(try #require(found.first).span.upperBound) - 1500) < 75, "\(found)")
    }

    @Test("DATA-17: a ride and the walk behind it are two workouts; a run behind it needs the steps to be told from a hill")
    func brick() throws {
        for (speed, kinds) in [(1.4, [WorkoutKind.cycling, .walking]), (3, [.cycling, .running])] {
            var track = MadeUpTrack(seed: 2)
            track.go(1800, 8.5)
            track.go(90, 0)
            track.go(1500, speed, turn: 0.1)
            let steps = speed > 2 ? try Self.cadence(172, 1890..<3390) : []
            #expect(Self.find(track.fixes, track.heartRates(145), steps).map(\.kind) == kinds, "\(speed)")
        }
    }

    @Test("DATA-17: without positions an effort of the heart or a cadence is a workout of another kind; a raised heart of minutes is none")
    func indoors() throws {
        let track = MadeUpTrack(seed: 1)
        let rates = track.heartRates(75, to: 600) + track.heartRates(130, from: 600, to: 2400) + track.heartRates(75, from: 2400, to: 4000)
        #expect(Self.find([], rates).map(\.kind) == [.other])
        let cadences = try Self.cadence(80, 0..<1200)
        #expect(Self.find([], [], cadences).map(\.kind) == [.other])
        #expect(Self.find([], track.heartRates(130, to: 500)).isEmpty)
        #expect(Self.find([], track.heartRates(130, to: 3600), [], FinderRules()).isEmpty, "without a maximum nobody knows what is raised")
    }

    @Test("DATA-17: runners who walk between are runners, hikers who jog for a minute are not", arguments: seeds)
    func mixed(seed: UInt64) {
        for (run, walk, kind) in [(120, 120, WorkoutKind.running), (60, 600, .walking)] {
            var track = MadeUpTrack(seed: seed)
            for _ in 0..<(2400 / (run + walk)) {
                track.go(run, 2.8)
                track.go(walk, 1.4)
            }
            #expect(Self.find(track.fixes).map(\.kind) == [kind], "seed \(seed)")
        }
    }

    @Test("DATA-14: whatever the order of arrival within the horizon, the same workouts are found, settled or not", arguments: seeds)
    func late(seed: UInt64) throws {
        var track = MadeUpTrack(seed: seed)
        track.go(600, 0)
        track.go(1200, 2.9)
        track.go(900, 0)
        track.go(1000, 9)
        track.go(700, 0)
        track.go(900, 1.3)
        let rates = track.heartRates(110), cadences = try Self.cadence(90, 2700..<3600)
        var whole = WorkoutFinder(Self.rules, horizon: 900_000)
        whole.take(track.fixes, rates, cadences)
        #expect(whole.workouts.map(\.kind) == [.running, .cycling, .walking] && whole.settled.count == 2, "\(whole.workouts)")
        enum Sample {
            case fix(PositionSample)
            case rate(HeartRateSample)
            case scalar(ScalarSample)
        }
        var generator = SeededGenerator(seed: seed), arrivals: [(sample: Sample, time: Milliseconds)] = []
        func arrive(_ sample: Sample, _ time: Milliseconds) { arrivals.append((sample, time + Milliseconds(generator.next() % 880_000))) }
        for fix in track.fixes { arrive(.fix(fix), fix.time) }
        for rate in rates { arrive(.rate(rate), rate.time) }
        for scalar in cadences { arrive(.scalar(scalar), scalar.time) }
        arrivals.sort { $0.time < $1.time }
        var mixed = WorkoutFinder(Self.rules, horizon: 900_000), at = 0
        while at < arrivals.count {
            let end = min(arrivals.count, at + 1 + Int(generator.next() % 200))
            var fixes: [PositionSample] = [], rates: [HeartRateSample] = [], scalars: [ScalarSample] = []
            for arrival in arrivals[max(0, at - 5)..<end] {
                switch arrival.sample {
                case .fix(let fix): fixes.append(fix)
                case .rate(let rate): rates.append(rate)
                case .scalar(let scalar): scalars.append(scalar)
                }
            }
            mixed.take(fixes, rates, scalars)
            at = end
        }
        #expect(mixed.workouts == whole.workouts && mixed.settled == whole.settled && mixed.rides == whole.rides)
        #expect(mixed.counts.late == 0)
        mixed.take(track.fixes[..<3])
        #expect(mixed.counts.late == 3 && mixed.workouts == whole.workouts)
    }

    @Test("DATA-17: samples of impossible times, places and values never crash, and find nothing")
    func hostile() throws {
        var generator = SeededGenerator(seed: 9), fixes: [PositionSample] = [], rates: [HeartRateSample] = []
        for time in [Milliseconds.min, -1, 0, 1, 1 << 52, (1 << 52) + 1, .max] {
            for _ in 0..<20 {
                fixes.append(
                    PositionSample(
                        time: time, latitude: Int32(truncatingIfNeeded: generator.next()),
                        longitude: Int32(truncatingIfNeeded: generator.next()),
                        altitude: .max, speed: .min, horizontalError: [Int32.min, -1, 0, 50, .max].randomElement(using: &generator)))
                rates.append(HeartRateSample(time: time, beatsPerMinute: UInt16(truncatingIfNeeded: generator.next())))
            }
        }
        #expect(Self.find(fixes, rates).isEmpty)
        var distance = DistanceByDay { $0 / 86_400_000 }
        distance.take(fixes)
        #expect(distance.counts.impossible > 0)
        let line = WorkoutLine(fixes, rates, in: .min ... .max)
        #expect(line.metres == 0)
    }
}

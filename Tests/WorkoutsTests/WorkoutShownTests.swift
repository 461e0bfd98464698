import History
import Runs
import TestSupport
import Testing
import Vitals
import Workouts

@Suite struct WorkoutShownTests {
    private static func line() -> WorkoutLine {
        var track = MadeUpTrack(seed: 1, noise: 0)
        track.go(600, 3, climb: 0.1)
        track.go(240, 3, isHeard: false)
        track.go(600, 2, climb: -0.1)
        track.go(120, 0)
        track.go(300, 4)
        let rates = track.heartRates(120, to: 600) + track.heartRates(150, from: 840, to: 1860)
        return WorkoutLine(track.fixes, rates, in: MadeUpTrack.start...track.time, rules: .recorded, altitude: .barometer)
    }

    @Test("DATA-17: three curves on one axis; a gap is empty, standing has no pace, and each step knows time, metres and place")
    func curves() throws {
        let line = Self.line(), curves = WorkoutCurves(line, by: .time, count: 186)
        #expect(curves.steps.count == 186)
        func step(_ second: Int) throws -> WorkoutCurves.Step {
            try #require(curves.steps.last { $0.time <= MadeUpTrack.start + Milliseconds(second) * 1000 })
        }
        let running = try step(300), gap = try step(720), walking = try step(1140), standing = try step(1505), fast = try step(1740)
        let pace = try #require(running.pace), elevation = try #require(running.elevation)
        #expect(abs(pace - 333) < 5 && running.heartRate == 120 && abs(elevation - 130) < 1)
        #expect(gap.pace == nil && gap.heartRate == nil && gap.elevation == nil && gap.place == nil)
        let slow = try #require(walking.pace)
        #expect(abs(slow - 500) < 5 && walking.heartRate == 150)
        #expect(standing.pace == nil && standing.heartRate == 150 && standing.place != nil && standing.elevation != nil)
        #expect(abs((try #require(fast.pace)) - 250) < 5)
        #expect(zip(curves.steps, curves.steps.dropFirst()).allSatisfy { $0.time < $1.time && $0.metres <= $1.metres })
    }

    @Test("DATA-17: by distance, steps are as long as each other and standing takes none")
    func byDistance() throws {
        let line = Self.line(), curves = WorkoutCurves(line, by: .distance, count: 100)
        #expect((97...100).contains(curves.steps.count))
        let paces = curves.steps.compactMap(\.pace)
        #expect(paces.count > 70 && paces.allSatisfy { (240...800).contains($0) }, "\(paces)")
        #expect(WorkoutCurves(line, by: .distance, count: .max).steps.count <= WorkoutCurves.countMax)
    }

    @Test("DATA-17: finer steps than fixes have the height between two of them, and no pace of 0")
    func fine() {
        var track = MadeUpTrack(seed: 1, noise: 0)
        track.go(100, 3, climb: 0.1)
        let line = WorkoutLine(
            track.fixes, [HeartRateSample](), in: MadeUpTrack.start...track.time - 1000, rules: .recorded, altitude: .barometer)
        let steps = WorkoutCurves(line, by: .time, count: 400).steps
        #expect(steps.count == 400 && steps.allSatisfy { $0.elevation != nil && $0.pace.map { abs($0 - 333) < 10 } ?? false })
    }

    @Test("DATA-17: nothing gives no curves and no pieces")
    func nothing() {
        let line = WorkoutLine([PositionSample](), [HeartRateSample](), in: 0...0)
        #expect(WorkoutCurves(line, by: .time).steps.isEmpty && WorkoutCurves(line, by: .distance).steps.isEmpty)
        for measure in TrackColours.Measure.allCases { #expect(TrackColours(line, by: measure).pieces.isEmpty) }
    }

    @Test("DATA-17: the track is coloured by zone, pace or height; a gap parts it, and within it pieces hang together")
    func colours() throws {
        let line = Self.line(), zones = try #require(HeartRateZones(maximum: 190))
        let heart = TrackColours(line, by: .heartRate, zones: zones)
        #expect(heart.edges == [95, 114, 133, 152, 171])
        #expect(Set(heart.pieces.map(\.bin)) == [2, 3])
        let gap = try #require(heart.pieces.firstIndex { $0.bin == 3 })
        #expect(heart.pieces[gap - 1].points.last != heart.pieces[gap].points.first, "the gap is no line")
        let pace = TrackColours(line, by: .pace)
        for (one, next) in zip(pace.pieces, pace.pieces.dropFirst()) {
            let isJoined = one.points.last == next.points.first
            #expect(isJoined || one.points.last?.distance(to: next.points[0]) ?? 0 > 600)
        }
        #expect(pace.pieces.contains { $0.bin == nil } || pace.pieces.allSatisfy { $0.points.count > 1 })
        let height = TrackColours(line, by: .height)
        #expect(height.edges.count == 4 && height.pieces.compactMap(\.bin).max() == 4 && height.pieces.compactMap(\.bin).min() == 0)
    }

    @Test("DATA-17: a small map has few points, the same ends, and the way of the whole one")
    func small() throws {
        let line = Self.line(), whole = TrackColours(line, by: .height), small = TrackColours(line, by: .height, count: 40)
        let points = small.pieces.reduce(0) { $0 + $1.points.count }
        #expect(points < 80 && points < whole.pieces.reduce(0) { $0 + $1.points.count } / 5, "\(points)")
        #expect(small.pieces.first?.points.first == whole.pieces.first?.points.first)
        #expect(small.pieces.last?.points.last == whole.pieces.last?.points.last)
    }

    @Test("DATA-17, RUN-15: of a home zone no map and no cursor tells a place")
    func hidden() throws {
        let line = Self.line(), zone = HomeZone(centre: try #require(line.points.first).place, radius: 400)
        for measure in TrackColours.Measure.allCases {
            let pieces = TrackColours(line, by: measure, hiding: zone).pieces
            #expect(!pieces.isEmpty && pieces.allSatisfy { $0.points.allSatisfy { !zone.holds($0) } })
        }
        let steps = WorkoutCurves(line, by: .time, hiding: zone).steps
        #expect(steps.contains { $0.place != nil } && steps.allSatisfy { $0.place.map { !zone.holds($0) } ?? true })
    }
}

import Foundation
import History
import Runs
import TestSupport
import Testing
import Vitals
import Workouts

@Suite struct WorkoutStatisticsTests {
    private static func line(
        _ track: MadeUpTrack, _ rates: [HeartRateSample] = [], rules: MotionRules = .recorded, altitude: AltitudeSource = .barometer
    ) -> WorkoutLine {
        WorkoutLine(track.fixes, rates, in: MadeUpTrack.start...track.time, rules: rules, altitude: altitude)
    }

    @Test("DATA-17: distance, moving time and pace of a run with a pause; the pause is no motion")
    func pause() throws {
        var track = MadeUpTrack(seed: 1, noise: 0)
        track.go(1000, 3)
        track.go(300, 0)
        track.go(1000, 3)
        let figures = WorkoutStatistics(Self.line(track))
        #expect(abs(figures.metres - 6000) < 10 && figures.duration == 2_300_000)
        #expect(abs(Double(figures.moving) / 1000 - 2000) < 20, "\(figures.moving)")
        let paces = try (#require(figures.pace), #require(figures.elapsedPace))
        #expect(abs(paces.0 - 333.3) < 4 && abs(paces.1 - 383.3) < 2, "\(paces)")
        #expect(figures.heart == nil && figures.zones == nil && figures.laps.isEmpty)
    }

    @Test("DATA-17: splits by kilometre and mile begin where the last one ended, and together are the whole")
    func splits() throws {
        var track = MadeUpTrack(seed: 1, noise: 0)
        track.go(500, 4)
        track.go(1000, 2.5)
        let figures = WorkoutStatistics(Self.line(track, track.heartRates(140, to: 500) + track.heartRates(120, from: 500, to: 1500)))
        #expect(figures.kilometres.map { $0.metres.rounded() } == [1000, 1000, 1000, 1000, 498] || figures.kilometres.count == 5)
        #expect(figures.kilometres.prefix(4).allSatisfy { abs($0.metres - 1000) < 1 && $0.isWhole && $0.isSeen })
        #expect(figures.kilometres.last?.isWhole == false)
        for (split, seconds) in zip(figures.kilometres, [250.0, 250, 400, 400]) {
            #expect(abs(Double(split.duration) / 1000 - seconds) < 3, "\(split)")
        }
        #expect(zip(figures.kilometres, figures.kilometres.dropFirst()).allSatisfy { $0.ended == $1.began })
        #expect(abs(figures.kilometres.reduce(0) { $0 + $1.metres } - figures.metres) < 0.001)
        #expect(abs(figures.miles.reduce(0) { $0 + $1.metres } - figures.metres) < 0.001 && figures.miles.count == 3)
        let rates = figures.kilometres.compactMap(\.heartRate)
        #expect(abs(rates[0] - 140) < 0.5 && abs(rates[3] - 120) < 0.5)
        #expect(abs((try #require(figures.kilometres[0].pace)) - 250) < 3)
    }

    @Test("DATA-17: laps are where the button was pressed, in any order; what lies outside is none")
    func laps() {
        var track = MadeUpTrack(seed: 1, noise: 0)
        track.go(900, 3)
        let marks = [600, 300, 300, 0, 5000].map { MadeUpTrack.start + Milliseconds($0) * 1000 }
        let laps = WorkoutStatistics(Self.line(track), laps: marks).laps
        #expect(laps.map(\.duration) == [300_000, 300_000, 300_000])
        #expect(laps.allSatisfy { abs($0.metres - 900) < 6 })
    }

    @Test("DATA-17: the fastest 400 m lie where somebody sprinted, pauses count, and a gap is nobody's record")
    func efforts() throws {
        var track = MadeUpTrack(seed: 1, noise: 0)
        track.go(600, 2.5)
        track.go(100, 5)
        track.go(600, 2.5)
        let efforts = WorkoutStatistics(Self.line(track)).efforts, first = try #require(efforts.first)
        #expect(efforts.map(\.distance) == [400, 1000, 1609.344])
        #expect(abs(first.duration - 80_000) < 500, "\(first)")
        #expect((600...621).contains((first.began - MadeUpTrack.start) / 1000))
        #expect(abs(efforts[1].duration - 300_000) < 1500, "500 m of sprint and 500 m of 2.5 m/s: \(efforts[1])")
        var broken = MadeUpTrack(seed: 1, noise: 0)
        broken.go(120, 2.5)
        broken.go(60, 9, isHeard: false)
        broken.go(120, 2.5)
        let figures = WorkoutStatistics(Self.line(broken))
        #expect(figures.efforts.isEmpty && figures.kilometres.first?.isSeen == false)
    }

    @Test("DATA-17: the sliding window finds what looking at each pair of points finds", arguments: 1...4 as ClosedRange<UInt64>)
    func effortsLikeAll(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed), track = MadeUpTrack(seed: seed, noise: 0)
        for _ in 0..<12 { track.go(20 + Int(generator.next() % 40), 1.5 + Double(generator.next() % 40) / 10) }
        let line = Self.line(track), points = line.points
        func time(_ metres: Double) -> Double {
            let at = points.firstIndex { $0.metres >= metres } ?? points.count - 1, end = points[at]
            guard at > 0, end.metres > metres else { return Double(end.time) }
            return Double(points[at - 1].time) + Double(end.time - points[at - 1].time) * (metres - points[at - 1].metres)
                / (end.metres - points[at - 1].metres)
        }
        let starts = points.map(\.metres).filter { $0 + 400 <= line.metres } + points.map { $0.metres - 400 }.filter { $0 >= 0 }
        let best = starts.map { time($0 + 400) - time($0) }.min() ?? 0
        let found = try #require(line.bestEfforts([400]).first)
        #expect(abs(Double(found.duration) - best) <= 1, "\(found) for \(best)")
    }

    // MARK: - Height

    @Test("DATA-17: hills count whole, in any steps; waves below the threshold do not")
    func hills() throws {
        var gain = ElevationGain(threshold: 10)
        for height in [100.0, 105, 112, 150, 147, 144, 141, 160, 120, 125, 121, 129.9, 122, 180] { gain.take(height) }
        #expect(gain.up == 60 + 60 && gain.down == 40 && gain.least == 100 && gain.greatest == 180)
        var flat = ElevationGain(threshold: 10)
        for step in 0..<1000 { flat.take(100 + 4.9 * (step % 2 == 0 ? 1 : -1)) }
        #expect(flat.up == 0 && flat.down == 0)
        var nothing = ElevationGain(threshold: 2)
        nothing.take(.nan)
        #expect(nothing.least == nil && nothing.up == 0)
    }

    @Test(
        "DATA-17: up less down is the difference of the ends, whatever the way, by the threshold", arguments: 1...20 as ClosedRange<UInt64>)
    func balance(seed: UInt64) {
        var generator = SeededGenerator(seed: seed), gain = ElevationGain(threshold: 5), height = 500.0
        let start = height
        for _ in 0..<2000 {
            height += Double(generator.next() % 2001) / 1000 - 1
            gain.take(height)
        }
        #expect(abs(gain.up - gain.down - (height - start)) <= 10, "\(gain)")
        #expect(gain.up >= 0 && gain.down >= 0)
    }

    @Test("DATA-17: a climb of 300 m is found by a barometer within 5 m, and by satellites that drift by 4 m within a tenth")
    func climbs() throws {
        for (source, noise, tolerance) in [(AltitudeSource.barometer, 0.3, 5.0), (.satellites, 4, 30)] {
            var track = MadeUpTrack(seed: 4, noise: 0)
            track.go(600, 2.5)
            track.go(1500, 2.5, climb: 0.2)
            track.go(600, 2.5)
            var fixes = track.fixes, drift = 0.0
            for index in fixes.indices {
                drift = drift * 0.97 + track.normal() * noise * 0.24
                fixes[index].altitude = fixes[index].altitude.map { $0 + Int32((drift * 10).rounded()) }
            }
            let line = WorkoutLine(fixes, [HeartRateSample](), in: MadeUpTrack.start...track.time, rules: .recorded, altitude: source)
            let figures = WorkoutStatistics(line, altitude: source), up = try #require(figures.up), down = try #require(figures.down)
            #expect(abs(up - 300) < tolerance && down < 30, "\(source): \(up), \(down)")
        }
    }

    // MARK: - Heart

    @Test("DATA-17: time in zones adds up to the time for which the heart is known; a hole of the strap is none of it")
    func zones() throws {
        var track = MadeUpTrack(seed: 1, noise: 0)
        track.go(1200, 3)
        let rates = track.heartRates(100, to: 300) + track.heartRates(160, from: 600, to: 1200)
        let zones = try #require(HeartRateZones(maximum: 190)),
            figures = WorkoutStatistics(Self.line(track, rates.shuffled()), zones: zones)
        let times = try #require(figures.zones)
        #expect(times == [0, 309_000, 0, 0, 600_000, 0], "\(times)")
        let heart = try #require(figures.heart)
        #expect(heart.max == 160 && abs(heart.average - (309.0 * 100 + 600 * 160) / 909) < 0.1)
    }

    @Test("RUN-10, DATA-17: the energy of a workout and that of the day come from one formula")
    func energy() throws {
        let rates = (0...600).map { HeartRateSample(time: Milliseconds($0) * 1000, beatsPerMinute: 150) }
        for isFemale in [true, false] {
            let summary = try #require(HeartSummary(rates, in: 0...600_000, body: Body(weight: 70, age: 30, isFemale: isFemale)))
            let body = try #require(EnergyBody(weight: 70, height: 175, age: 30, isFemale: isFemale)), energy = EnergyFromHeartRate(body)
            let day = (energy.activePerMinute(heartRate: 150) + energy.restingPerMinute) * 10 * 4.184
            #expect(abs((try #require(summary.energy)) - day) < 0.01)
        }
    }

    @Test(
        "DATA-17: samples in any order give the same figures, and they are read as they were written",
        arguments: 1...3 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        var track = MadeUpTrack(seed: seed), generator = SeededGenerator(seed: seed)
        track.go(900, 3, turn: 0.3, climb: 0.05)
        let span = MadeUpTrack.start...track.time, rates = track.heartRates(140)
        let straight = WorkoutStatistics(WorkoutLine(track.fixes, rates, in: span))
        let mixed = WorkoutStatistics(
            WorkoutLine((track.fixes + track.fixes).shuffled(using: &generator), (rates + rates).shuffled(using: &generator), in: span))
        #expect(mixed == straight)
        #expect(try JSONDecoder().decode(WorkoutStatistics.self, from: JSONEncoder().encode(straight)) == straight)
    }

    @Test("DATA-17: a workout without positions has its heart, and no way")
    func without() throws {
        let track = MadeUpTrack(seed: 1), rates = track.heartRates(130, to: 600)
        let line = WorkoutLine([PositionSample](), rates, in: MadeUpTrack.start...MadeUpTrack.start + 600_000)
        let figures = WorkoutStatistics(line, laps: [MadeUpTrack.start + 60_000])
        #expect(figures.metres == 0 && figures.moving == 0 && figures.up == nil && figures.kilometres.isEmpty && figures.efforts.isEmpty)
        #expect(figures.heart?.average.rounded() == 130 && figures.laps.count == 2 && figures.pace == nil)
    }
}

import Foundation
import TestSupport
import Testing
import Vitals

@testable import FleetKit
@testable import Runs

/// A receiver with 5 m of noise in each direction, nine tenths of its variance drifting over half a minute, as satellite errors do.
struct NoisyReceiver {
    private var random: SeededGenerator
    private var drift = (east: 0.0, north: 0.0)
    static let noise = 5.0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        drift = (normal() * Self.noise * 0.95, normal() * Self.noise * 0.95)
    }

    private mutating func normal() -> Double {
        let u = Double.random(in: 1e-12..<1, using: &random), v = Double.random(in: 0..<1, using: &random)
        return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
    }

    mutating func fix(east: Double, north: Double, second: Int) -> PositionSample {
        let kept = exp(-1.0 / 30), fresh = (1 - kept * kept).squareRoot() * Self.noise * 0.9.squareRoot(),
            white = Self.noise * 0.1.squareRoot()
        drift = (drift.east * kept + normal() * fresh, drift.north * kept + normal() * fresh)
        return Walk.fix(
            RaceSimulator.moved(Courses.home, east: east + drift.east + normal() * white, north: north + drift.north + normal() * white),
            second: second)
    }
}

@Suite struct WorkoutTests {
    /// Who stands for so long, runs to the east at 3 m/s, and so on by turns: fixes and true metres at each second.
    private func walk(_ parts: [(seconds: Int, speed: Double)], seed: UInt64) -> (fixes: [PositionSample], truth: [Double]) {
        var receiver = NoisyReceiver(seed: seed), fixes: [PositionSample] = [], truth: [Double] = [], metres = 0.0
        for part in parts {
            for _ in 0..<part.seconds {
                truth.append(metres)
                fixes.append(receiver.fix(east: metres, north: 0, second: fixes.count))
                metres += part.speed
            }
        }
        return (fixes, truth)
    }

    private func metres(_ fixes: [PositionSample]) -> [Double] {
        var track = WorkoutTrack(began: Walk.gun)
        return fixes.map {
            track.take([$0])
            return track.metres
        }
    }

    @Test(
        "RUN-19: the distance does not grow while somebody stands for an hour under 5 m of noise", arguments: 1...12 as ClosedRange<UInt64>)
    func standing(seed: UInt64) {
        let (fixes, _) = walk([(3600, 0)], seed: seed)
        var track = WorkoutTrack(began: Walk.gun)
        track.take(fixes)
        #expect(track.metres == 0 && track.isStanding && track.pace == nil && track.averagePace == nil, "seed \(seed)")
    }

    @Test(
        "RUN-19: running, standing for ten minutes, running: right by 4 %, and hardly anything is added while standing",
        arguments: 1...12 as ClosedRange<UInt64>)
    func pause(seed: UInt64) {
        let (fixes, truth) = walk([(60, 0), (600, 3), (600, 0), (600, 3), (300, 0)], seed: seed)
        let seen = metres(fixes)
        #expect(abs(seen[1259] - truth[1259]) < truth[1259] * 0.04 + 20, "seed \(seed): \(seen[1259]) for \(truth[1259])")
        #expect(abs((seen.last ?? 0) - (truth.last ?? 0)) < (truth.last ?? 0) * 0.04 + 20, "seed \(seed): \(seen.last ?? 0)")
        // Until it is clear that they stand the drift of the satellites counts; from then on a step of it now and then.
        #expect(seen[1255] - seen[780] <= 10 && seen[780] - seen[662] <= 50, "seed \(seed): \(seen[662]), \(seen[780]), \(seen[1255])")
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 <= $1 }, "metres never go back")
    }

    @Test("RUN-19: pace of the last minute and of all, and the time of each kilometre, with standing in it")
    func pace() throws {
        let (fixes, _) = walk([(400, 3), (200, 0), (400, 4)], seed: 3)
        var track = WorkoutTrack(began: Walk.gun)
        track.take(fixes[..<390])
        let first = try #require(track.pace)
        #expect((300...365).contains(first), "\(first) for 333 s/km")
        track.take(fixes[390..<590])
        #expect(track.isStanding && track.pace == nil)
        track.take(fixes[590...])
        let second = try #require(track.pace), average = try #require(track.averagePace)
        #expect((225...275).contains(second), "\(second) for 250 s/km")
        #expect((335...370).contains(average), "\(average) for 357 s/km")
        let splits = track.splits
        #expect(splits.map(\.metres) == [1000, 2000])
        #expect(splits.count { $0.isSeen } == 2)
        #expect(abs(splits[0].net - 333_000) < 15_000 && abs(splits[1].net - 800_000) < 20_000, "\(splits)")
        #expect(splits[1].leg == splits[1].net - splits[0].net)
    }

    @Test("RUN-19: a leap of the receiver is no distance; a tunnel is, and the kilometre in it is marked")
    func leaps() {
        let course = Courses.straight, fixes = Walk.steady(course, to: 1500)
        var leaping = fixes
        for index in 200..<205 {
            leaping[index] = Walk.fix(RaceSimulator.moved(Courses.home, east: 600, north: 900), second: index)
        }
        var track = WorkoutTrack(began: Walk.gun)
        let taken = track.take(leaping)
        #expect(taken.leaps == 5 && abs(track.metres - 1500) < 10, "\(track.metres)")
        var tunnel = WorkoutTrack(began: Walk.gun)
        tunnel.take(fixes[..<250] + fixes[350...])
        #expect(abs(tunnel.metres - 1500) < 10 && tunnel.splits.first?.isSeen == false, "\(tunnel.metres)")
    }

    @Test("RUN-14, RUN-19: what comes late into a hole asks for a new track; what was covered, vague or impossible is counted as such")
    func late() {
        let fixes = Walk.steady(Courses.straight, to: 900)
        var track = WorkoutTrack(began: Walk.gun)
        track.take(fixes[..<100] + fixes[200...])
        #expect(track.take(fixes[120..<130]).late == 10)
        #expect(track.take(fixes[20..<30]).known == 10)
        var vague = fixes[299], impossible = fixes[299], early = fixes[299]
        vague.horizontalError = 400
        vague.time += 5000
        impossible.latitude = 1_000_000_000
        early.time = Walk.gun - 1
        let taken = track.take([vague, impossible, early])
        #expect(taken.vague == 1 && taken.impossible == 2 && taken.used == 0)
        #expect(track.lastSeen == vague.time && track.time == fixes.last?.time)
    }

    @Test("RUN-15, RUN-19: friends see nothing in the home zone, and count from its border")
    func zone() throws {
        let zone = HomeZone(centre: Courses.points([(0, 0)])[0], radius: 200)
        var track = WorkoutTrack(began: Walk.gun), view = WorkoutView(zone: zone), open = WorkoutView(zone: nil)
        let out = Walk.steady(Courses.plain([(0, 0), (600, 0), (0, 0)]), to: 1200)
        for (index, fix) in out.enumerated() {
            track.take([fix])
            view.look(at: track)
            open.look(at: track)
            if index == 60 { #expect(view.newest == nil && open.metres > 100) }
            if let place = view.newest?.position { #expect(!zone.holds(place)) }
        }
        let first = try #require(view.first), newest = try #require(view.newest)
        #expect(abs(first.metres - 200) < 25 && abs(newest.metres - 1000) < 25, "\(first), \(newest)")
        #expect(abs(view.metres - 800) < 40 && view.duration == newest.time - first.time && abs(open.metres - 1200) < 25)
    }

    @Test("RUN-19: a summary leaves out readings without skin contact, and says what was only played")
    func summary() throws {
        var track = WorkoutTrack(began: Walk.gun)
        track.take(Walk.steady(Courses.straight, to: 1500))
        let rates = (0..<100).map { HeartRateSample(time: Walk.gun + Milliseconds($0) * 1000, beatsPerMinute: $0 < 50 ? 120 : 140) }
        var off = HeartRateSample(time: Walk.gun + 50_500, beatsPerMinute: 210)
        off.contact = .notDetected
        let summary = WorkoutSummary(track, rates + [off], in: Walk.gun...Walk.gun + 500_000, isTest: true)
        let heart = try #require(summary.heart)
        #expect(heart.max == 140 && (125...135).contains(heart.average) && summary.isTest && summary.hasPositions)
        #expect(summary.splits.count == 1 && summary.secondsPerKilometre.map { (325...340).contains($0) } == true)
        #expect(try JSONDecoder().decode(WorkoutSummary.self, from: JSONEncoder().encode(summary)) == summary)
    }
}

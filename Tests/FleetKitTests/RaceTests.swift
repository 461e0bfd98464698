import Foundation
import Runs
import Testing
import Vitals

@testable import FleetKit

/// A square of 800 m.
enum RaceGround {
    static let home = CoursePoint(latitude: 454_642_000, longitude: 91_900_000)

    static func course() throws -> Course {
        let corners = [(0.0, 0.0), (200, 0), (200, 200), (0, 200), (0, 0)]
        return try Course(CoursePlan(points: corners.map { RaceSimulator.moved(home, east: $0.0, north: $0.1) }))
    }

    static func settings(seed: UInt64 = 1, runners: Int = 6) -> RaceSettings {
        var settings = RaceSettings()
        (settings.seed, settings.runners) = (seed, runners)
        // Often, so that a short race has some of each.
        (settings.dropOutEvery, settings.dropOut) = (60, 5...40)
        return settings
    }
}

@Suite("A race that is played")
struct RaceTests {
    private func race(seed: UInt64) throws -> [SimulatedRunner] {
        var simulator = RaceSimulator(course: try RaceGround.course(), settings: RaceGround.settings(seed: seed))
        return simulator.race()
    }

    private func stage(seed: UInt64 = 1, lead: Milliseconds = 20_000) throws -> RaceStage {
        let settings = RaceGround.settings(seed: seed), people = (1...6).map { PersonID(high: 0, low: $0) }
        return RaceStage(
            course: try RaceGround.course(), settings: settings, people: people, bibs: [7, 3, 10, 20, 1, 2], now: settings.gun - lead)
    }

    @Test("RUN-16: a seed gives one race, with its losses and its hearts; another seed another one")
    func deterministic() throws {
        let (one, same, other) = (try race(seed: 4), try race(seed: 4), try race(seed: 5))
        #expect(one.map(\.truth) == same.map(\.truth) && one.map(\.leaving) == same.map(\.leaving))
        #expect(one.map { $0.deliveries.map(\.fix) } == same.map { $0.deliveries.map(\.fix) })
        #expect(one.map(\.truth) != other.map(\.truth))
        #expect(try stage(seed: 4).plays.map(\.seconds) == stage(seed: 4).plays.map(\.seconds))
    }

    @Test("RUN-14: what a box hands out is what the race says: each second once, each fix where it was, in the order of time")
    func whatIsSent() throws {
        let stage = try stage(), runners = try race(seed: 1)
        var lost = 0
        #expect(stage.plays.map(\.bib) == [7, 3, 10, 20, 1, 2])
        for (play, runner) in zip(stage.plays, runners) {
            var play = play, rates: [HeartRateSample] = [], fixes: [PositionSample] = []
            let phase = play.origin - runner.gun
            #expect((0..<1000).contains(phase))
            // Looked at irregularly, as a busy machine does.
            for now in stride(from: runner.gun - 30_000, through: runner.gun + Milliseconds(runner.truth.count + 60) * 1000, by: 1700) {
                let samples = play.take(until: now)
                #expect(samples.heartRates.allSatisfy { $0.time <= now })
                rates += samples.heartRates
                fixes += samples.positions
            }
            #expect(play.isOver && play.take(until: .max / 2).isEmpty)
            #expect(rates.map(\.time) == (-20..<runner.truth.count).map { runner.gun + phase + Milliseconds($0) * 1000 })
            #expect(rates.allSatisfy { RaceHeart.range.contains(Double($0.beatsPerMinute)) })
            let raced = fixes.filter { $0.time >= play.origin }
            #expect(raced.map { $0.time - phase } == runner.fixes.map(\.time))
            #expect(raced.map { CoursePoint($0) } == runner.fixes.map { CoursePoint($0) })
            #expect(fixes.count == raced.count + 20)
            lost += runner.truth.count - raced.count
        }
        #expect(lost > 0, "satellites are lost now and then")
        #expect(Set(stage.plays.map(\.origin)).count == 6, "not all at once")
    }

    @Test("RUN-14: what the network holds back leaves late, all at once, and nothing of it before")
    func late() throws {
        let stage = try stage()
        var held = 0, batches = 0
        for play in stage.plays {
            var play = play
            for second in 0..<play.seconds.count - play.lead {
                let now = play.origin + Milliseconds(second) * 1000, before = play.next
                let samples = play.take(until: now)
                #expect(play.next == play.seconds.count { $0.leaves <= Int32(second) })
                #expect(samples.heartRates.count == play.next - before)
                let isHeld = play.next <= second + play.lead
                #expect(play.isSilent(at: now) == isHeld)
                if isHeld { held += 1 } else if play.next - before > 5 { batches += 1 }
            }
        }
        #expect(held > 10 && batches > 6, "the seed has losses of the network, beside the seconds before the gun")
    }

    @Test("who runs and who is through is told by the truth, and by what is behind the finish")
    func through() throws {
        let stage = try stage(), gun = stage.settings.gun
        for (play, runner) in zip(stage.plays, try race(seed: 1)) {
            let finish = try #require(runner.time(at: stage.course.length))
            #expect(!play.isThrough(at: gun - 25_000) && !play.isThrough(at: finish - 2000))
            #expect(play.isThrough(at: finish + 3000) && play.isThrough(at: finish + 3_600_000))
        }
        // Some have their truth kept, for whoever measures.
        #expect(Set(stage.kept.keys) == [10, 20])
    }

    @Test("a clock that goes faster begins where the others are")
    func clock() throws {
        let clock = RaceClock(origin: 1000, speed: 10)
        #expect(clock.time(at: 1000) == 1000 && clock.time(at: 1500) == 6000)
        #expect(RaceClock().time(at: 77) == 77)
        let stored = try JSONDecoder().decode(RaceClock.self, from: Data(#"{"origin":1000,"speed":10}"#.utf8))
        #expect(stored == clock)
    }
}

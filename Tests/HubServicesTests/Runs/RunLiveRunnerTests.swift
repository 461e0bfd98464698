import Foundation
import HubStore
import Privacy
import Runs
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// One runner as others see them: a heart rate of now, reasons to look, a course that changed.
@Suite(.timeLimit(.minutes(2))) struct RunLiveRunnerTests {
    private let field: [(name: String, speed: Double, choices: EnrolmentChoices)] = [
        ("Ada", 3.0, EnrolmentChoices(publicName: "Ada")), ("Bob", 3.0, EnrolmentChoices(publicName: "Bob")),
    ]

    /// Seconds of somebody's box with another heart rate, and where they are.
    private func send(
        _ race: RunLiveRace, _ index: Int, _ seconds: ClosedRange<Int>, rate: UInt16, contact: SensorContact = .detected,
        metres: Double? = nil
    ) async throws {
        let time = race.gun + Milliseconds(seconds.upperBound) * 1000, person = race.racers[index].person
        if time > race.town.now { race.town.clock.advance(time - race.town.now) }
        let positions = seconds.map { second -> PositionSample in
            guard let metres else { return race.position(index, at: second) }
            let point = race.course.point(at: metres)
            return PositionSample(
                time: race.gun + Milliseconds(second) * 1000, latitude: point.latitude, longitude: point.longitude, horizontalError: 30)
        }
        let samples = SampleSet(
            heartRates: seconds.map { HeartRateSample(time: race.gun + Milliseconds($0) * 1000, beatsPerMinute: rate, contact: contact) },
            positions: positions)
        let segment = Segment(
            stream: StreamID(high: person.high, low: 77), sequence: UInt64(seconds.lowerBound), person: person, provenance: .live,
            clock: .wall, samples: samples)
        try await race.upload(segment.encoded(), of: index)
        race.work()
    }

    private func alarm(_ race: RunLiveRace, _ index: Int) throws -> String? {
        try #require(race.live.live(race.run.id)?.runner(race.enrolment(index).row)).alarm(now: race.town.now)
    }

    @Test("RUN-7: a heart rate that is 15 s old is none, and one of a strap that nobody wears never was")
    func heartRate() async throws {
        let race = try await RunLiveRace.start(field, publicHeartRates: ["Ada"])
        try await send(race, 0, 1...10, rate: 151)
        #expect(try race.row(0).heartRate == 151)
        race.town.clock.advance(15_000)
        #expect(try race.row(0).heartRate == 151)
        race.town.clock.advance(1)
        #expect(try race.row(0).heartRate == 0)
        try await send(race, 0, 30...40, rate: 152, contact: .notDetected)
        #expect(try race.row(0).heartRate == 0)
        try await send(race, 0, 41...41, rate: 0)
        #expect(try race.row(0).heartRate == 0)
        try await send(race, 0, 42...42, rate: 153)
        #expect(try race.row(0).heartRate == 153)
    }

    @Test("RUN-9, RUN-16: the organiser is told to look: a heart rate that no runner has, five minutes of standing, ten of silence")
    func alarms() async throws {
        let race = try await RunLiveRace.start(field)
        try await send(race, 0, 1...30, rate: 150)
        #expect(try alarm(race, 0) == nil)
        try await send(race, 0, 31...32, rate: 211)
        #expect(try alarm(race, 0) == "heartRate")
        try await send(race, 0, 33...34, rate: 44)
        #expect(try alarm(race, 0) == "heartRate")
        // Standing is told by where the runner is.
        for start in stride(from: 35, through: 215, by: 60) { try await send(race, 0, start...start + 59, rate: 120, metres: 100) }
        #expect(try alarm(race, 0) == nil)
        for start in stride(from: 275, through: 335, by: 60) { try await send(race, 0, start...start + 59, rate: 120, metres: 100) }
        #expect(try alarm(race, 0) == "stopped")
        // Bob was seen at the line, and never again.
        try await send(race, 1, 1...10, rate: 120)
        let seen = race.gun + 10_000
        race.town.clock.advance(seen + 599_999 - race.town.now)
        #expect(try alarm(race, 1) == nil)
        race.town.clock.advance(1)
        #expect(try alarm(race, 1) == "silent")
    }

    @Test("RUN-3: when a run is made one by invitation, streams of who was not asked who they are end")
    func closed() async throws {
        let town = try RunTown(), live = town.liveRuns(), run = try town.published()
        let anybody = try live.watch(run, from: "192.0.2.1")
        live.tick()
        var plan = run.plan
        plan.isPublic = false
        let changed = try town.organising.edit(run.id, revision: run.revision, plan, by: town.organiser)
        let invited = try live.watch(changed, from: "192.0.2.2")
        live.tick()
        #expect(await anybody.next() == nil)
        let waiting = Task { await invited.next() }
        while !invited.isAsking { await Task.yield() }
        live.tick()
        let event = try RunLiveEvent(#require(await waiting.value))
        #expect(event.name == "snapshot")
    }

    @Test("RUN-17: spectators who wait for the start follow a course that is changed until then")
    func changedCourse() async throws {
        let town = try RunTown(), live = town.liveRuns(), run = try town.published()
        let reader = try live.watch(run, from: "192.0.2.1")
        live.tick()
        let before = try #require(live.live(run.id)).course.length
        var points = RunTown.course().points
        points.removeLast(10)
        let changed = try town.organising.edit(
            run.id, revision: run.revision, run.plan, course: CoursePlan(points: points), by: town.organiser)
        live.tick()
        let after = try #require(live.live(run.id))
        #expect(after.run.revision == changed.revision && after.course.length < before - 500)
        withExtendedLifetime(reader) {}
    }
}

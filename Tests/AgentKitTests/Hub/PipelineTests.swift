import Sensing
import Testing
import Vitals

@testable import AgentKit

struct PipelineTests {
    private let problem = SourceProblem(what: "gone", advice: "wait", retries: true)

    @Test("EDGE-2: what the sensor tells becomes samples and state events; a lost link is no reading")
    func heartRates() {
        var collector = SampleCollector()
        let reading = HeartRateSample(time: 2, beatsPerMinute: 61, contact: .detected)
        collector.take(HeartRateEvent.connected(time: 1))
        collector.take(.measurement(reading))
        collector.take(.battery(percent: 80, time: 3))
        collector.take(.bodyLocation(1, time: 4))
        collector.take(HeartRateEvent.lost(problem, time: 5))
        let samples = collector.takeSamples()
        #expect(samples.heartRates == [reading])
        #expect(
            samples.events == [
                StateEvent(time: 1, code: .sensorConnected), StateEvent(time: 3, code: .sensorBattery, value: 80),
                StateEvent(time: 4, code: .bodyLocation, value: 1), StateEvent(time: 5, code: .sensorLost),
            ])
        #expect(collector.takeSamples().isEmpty)
    }

    @Test("DATA-3: values outside the limits are left out one by one, counted, and cost nothing else")
    func implausible() {
        var collector = SampleCollector()
        let good = PositionSample(time: 2, latitude: 1, longitude: 2, altitude: 90_000, speed: 15_000, course: 35_999)
        var bad = good
        (bad.altitude, bad.speed, bad.course) = (90_001, 15_001, 36_000)
        collector.take(.measurement(HeartRateSample(time: 1, beatsPerMinute: 300)))
        collector.take(.fix(good, utc: nil))
        collector.take(.fix(bad, utc: nil))
        collector.take(.measurement(HeartRateSample(time: 3, beatsPerMinute: 301)))
        let samples = collector.takeSamples()
        #expect(samples.heartRates.map(\.beatsPerMinute) == [300])
        #expect(samples.positions == [good, PositionSample(time: 2, latitude: 1, longitude: 2)])
        #expect(samples.events.filter { $0.code == .inputSkipped } == [StateEvent(time: 2, code: .inputSkipped, value: 4)])
        #expect(PositionEvent.fix(bad, utc: nil).implausible == 3 && PositionEvent.fix(good, utc: nil).implausible == 0)
    }

    @Test("EDGE-3: a fix that is lost is told once, with the age of the last position")
    func fixes() {
        var collector = SampleCollector()
        let position = PositionSample(time: 1000, latitude: 1, longitude: 2)
        collector.take(.noFix(time: 0))
        collector.take(.fix(position, utc: nil))
        collector.take(.fix(position, utc: nil))
        collector.take(.stale(age: 3000, time: 4000))
        collector.take(.noFix(time: 5000))
        collector.take(.fix(position, utc: nil))
        let samples = collector.takeSamples()
        #expect(samples.positions.count == 3)
        #expect(
            samples.events == [
                StateEvent(time: 1000, code: .fixAcquired), StateEvent(time: 4000, code: .fixLost, value: 3000),
                StateEvent(time: 1000, code: .fixAcquired),
            ])
    }

    @Test("EDGE-8: clocks are compared with the first samples, every ten minutes, and when a clearly better one comes")
    func clocks() {
        var comparisons = ClockComparisons()
        #expect(comparisons.take(now: 5, utc: 1000, isSynchronized: false, every: 600_000).map(\.source) == [.wall])
        #expect(comparisons.take(now: 100_000, utc: 100_995, isSynchronized: false, every: 600_000).isEmpty)
        comparisons.note(utc: 100_050, at: 100_000, uncertainty: 400, source: .hub, every: 600_000)
        comparisons.note(utc: 200_050, at: 200_000, uncertainty: 300, source: .hub, every: 600_000)
        comparisons.note(utc: 300_050, at: 300_000, uncertainty: 100, source: .hub, every: 600_000)
        #expect(comparisons.take(now: 300_000, utc: 300_995, isSynchronized: false, every: 600_000).map(\.uncertainty) == [400, 100])
        #expect(comparisons.take(now: 600_005, utc: 601_000, isSynchronized: false, every: 600_000).map(\.source) == [.wall])
        // A clock that is set is told at once.
        #expect(comparisons.take(now: 601_005, utc: 602_900, isSynchronized: false, every: 600_000).isEmpty)
        #expect(comparisons.take(now: 602_005, utc: 604_001, isSynchronized: false, every: 600_000).map(\.offset) == [1996])
        // NTP says so from here on: a record of its own, far better than the clock alone.
        #expect(comparisons.take(now: 603_005, utc: 605_001, isSynchronized: true, every: 600_000).map(\.source) == [.ntp])
    }

    @Test("EDGE-10: a recording is played at its pace; holes are shortened and clocks that go back not waited for")
    func pace() throws {
        var pace = ReplayPace(try ReplaySpeed("10"))
        #expect(pace.wait(for: 1_000_000, at: 0) == (0, 0))
        #expect(pace.wait(for: 1_010_000, at: 300) == (700, 0))
        #expect(pace.wait(for: 1_020_000, at: 2500) == (0, 0))
        #expect(pace.wait(for: 500_000, at: 2500) == (0, 0))
        #expect(pace.wait(for: 501_000, at: 2500) == (100, 0))
        #expect(pace.wait(for: 500_000 + 10_000_000, at: 2500) == (60_000, 9_400_000))
        #expect(pace.wait(for: 500_000 + 10_001_000, at: 62_500) == (100, 0))
        var slow = ReplayPace(try ReplaySpeed("0.01"))
        #expect(slow.wait(for: 0, at: 0) == (0, 0))
        #expect(slow.wait(for: 1000, at: 0) == (100_000, 0))
        #expect(slow.wait(for: 2000, at: 100_000) == (100_000, 0))
        #expect(slow.wait(for: 122_000, at: 200_000) == (6_000_000, 60_000))
        var unpaced = ReplayPace(.max)
        _ = unpaced.wait(for: 0, at: 0)
        #expect(unpaced.wait(for: 1_000_000_000, at: 0) == (0, 0))
        for text in ["0", "-1", "nan", "inf", "fast", "1e9"] { #expect(throws: AgentProblem.self) { try ReplaySpeed(text) } }
    }

    @Test func timesAreWrittenAsISO8601() {
        #expect(ISO8601.string(0) == "1970-01-01T00:00:00.000Z")
        #expect(ISO8601.string(951_782_400_001) == "2000-02-29T00:00:00.001Z")
        #expect(ISO8601.string(1_795_231_445_678) == "2026-11-21T03:24:05.678Z")
        #expect(ISO8601.string(-1) == "1969-12-31T23:59:59.999Z")
    }

    @Test func stateDirectoryFollowsTheEnvironment() {
        func directory(_ environment: [String: String], system: Bool) -> String {
            AgentConfiguration.defaultStateDirectory(environment: environment) { _ in system }
        }
        #expect(directory(["STATE_DIRECTORY": "/a:/b", "HOME": "/home/x"], system: true) == "/a")
        #expect(directory(["HOME": "/home/x"], system: true) == "/var/lib/trackme-agent")
        #expect(directory(["HOME": "/home/x"], system: false) == "/home/x/.local/state/trackme-agent")
    }
}

import Distress
import Foundation
import Sensing
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// Captures with temperatures, cadences and a battery's state go the way of live sensors (EDGE-10).
struct SensorReplayTests {
    private static let start: Milliseconds = 1_767_225_600_000
    private static let strap: UInt64 = 0x1_C401_0203_0405, other: UInt64 = 0x1_C401_0203_0406
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Writes a capture; each event is given with the second of its time.
    /// - Returns: its path.
    private func capture(_ events: [(second: Int, sensor: UInt64, event: HeartRateEvent)]) throws -> String {
        var writer = BtsnoopWriter(), file = BtsnoopWriter.header
        for (second, sensor, event) in events {
            let records = writer.records(for: event, of: sensor, utc: Self.start + Milliseconds(second) * 1000)
            file += try #require(records)
        }
        let url = directory.url.appendingPathComponent("sensors.btsnoop")
        try Data(file).write(to: url)
        return url.path
    }

    private func beat(_ rate: UInt16) -> HeartRateEvent {
        .measurement(HeartRateSample(time: 0, beatsPerMinute: rate, contact: .detected, rrIntervals: [UInt16(61_440 / Int(rate))]))
    }

    @Test("EDGE-10: a shift moves heart rates and what other sensors measured alike")
    func shifted() throws {
        let path = try capture([(0, Self.strap, beat(70)), (1, Self.other, .reading(.bodyTemperature, 3662)), (2, Self.strap, beat(71))])
        func times(shift: Milliseconds) throws -> [Milliseconds] {
            let reader = try RecordingReader(bluetooth: path, options: .init())
            var recording = try MergedRecording(nmea: nil, bluetooth: reader, offset: 500, shift: shift), times: [Milliseconds] = []
            while let event = try recording.next() { times.append(event.time) }
            return times
        }
        let recorded = try times(shift: 0)
        #expect(try recorded.count >= 3 && times(shift: -7000) == recorded.map { $0 - 7000 })
    }

    private func findings(_ path: String) throws -> [String] {
        var watched = WatchedReplay(stream: StreamID(high: 1, low: 2), settings: DistressSettings(age: 40))
        var recording = try MergedRecording(nmea: nil, bluetooth: RecordingReader(bluetooth: path, options: .init()), offset: 0)
        var found: [ReplayFinding] = []
        while let event = try recording.next() { found += watched.take(event) }
        return (found + watched.finish()).map { finding in
            switch finding.what {
            case .question(_, let trigger, _): "question \(trigger)"
            case .alarm(let trigger, let value): "alarm \(trigger) \(value)"
            case .ending(let why): "ending \(why)"
            }
        }
    }

    @Test("EDGE-10: decode shows temperature, cadence and charging")
    func decoded() throws {
        let path = try capture([
            (0, Self.strap, beat(70)), (1, Self.other, .reading(.bodyTemperature, 3662)), (2, Self.other, .reading(.cadence, 1680)),
            (3, Self.strap, .charging(true, time: 0)), (4, Self.strap, .charging(nil, time: 0)),
        ])
        var lines = ""
        let report = try decode(.bluetooth(path, handle: nil)) { lines += $0 }
        #expect(lines.contains("{\"time\":\"2026-01-01T00:00:01.000Z\",\"temperature\":36.62}"), "\(lines)")
        #expect(lines.contains(",\"cadence\":168}") && lines.contains(",\"charging\":true}") && lines.contains(",\"charging\":null}"))
        #expect(report.contains("1 temperatures, 1 cadences, 2 battery states"))
    }

    @Test("EDGE-10: a recorded fever asks and would raise, as a live one does")
    func fever() throws {
        var events: [(Int, UInt64, HeartRateEvent)] = (0..<60).map { ($0, Self.strap, beat(90)) }
        for (second, value) in [(10, 3900), (20, 4030), (30, 4040), (40, 4050)] as [(Int, Int64)] {
            events.append((second, Self.other, .reading(.bodyTemperature, value)))
        }
        events.sort { $0.0 < $1.0 }
        let path = try capture(events)
        #expect(try findings(path) == ["question temperatureHigh", "alarm temperatureHigh 4050"])
    }

    @Test("EDGE-10: recorded cadence explains a high rate, and a strap that charged raises nothing")
    func explained() throws {
        func run(_ more: [(Int, UInt64, HeartRateEvent)]) throws -> [String] {
            var events: [(Int, UInt64, HeartRateEvent)] = (0..<60).map { ($0, Self.strap, beat(UInt16(min(70 + $0 * 3, 160)))) }
            events += more
            events.sort { $0.0 < $1.0 }
            return try findings(capture(events))
        }
        #expect(try run([]).first == "question heartRateHigh")
        #expect(try run((0..<60).map { ($0, Self.other, .reading(.cadence, 1680)) }) == [])
        #expect(try run([(5, Self.strap, .charging(true, time: 0))]) == [])
    }

    @Test("EDGE-10: charging of a recording stands in its series, once a change")
    func collected() {
        var collector = SampleCollector()
        for (index, isCharging) in [false, true, true, nil, false].enumerated() {
            collector.take(HeartRateEvent.charging(isCharging, time: Milliseconds(index)))
        }
        let events = collector.takeSamples().events
        #expect(events.map(\.code) == [.sensorCharging, .sensorCharging] && events.map(\.value) == [1, 0])
    }

    @Test(
        "DATA-1, EDGE-15: temperatures and cadences go into the series; what no body has is left out and counted, and no more than the density allows"
    )
    func readings() throws {
        var collector = SampleCollector()
        func take(_ kind: DataKind, _ value: Int64, _ time: Milliseconds) { collector.take(HeartRateEvent.reading(kind, value, at: time)) }
        for (time, value) in [(1000, 3662), (2000, 9000), (3000, 3670)] as [(Milliseconds, Int64)] { take(.bodyTemperature, value, time) }
        take(.cadence, 1680, 3500)
        let samples = collector.takeSamples()
        #expect(
            try samples.scalars == [
                #require(ScalarSample(.bodyTemperature, time: 1000, value: 3662)),
                #require(ScalarSample(.bodyTemperature, time: 3000, value: 3670)),
                #require(ScalarSample(.cadence, time: 3500, value: 1680)),
            ])
        #expect(samples.events.map(\.code) == [.inputSkipped] && samples.events.first?.value == 1)
        for time in 0..<400 as Range<Milliseconds> { take(.cadence, 900, 20_000 + time) }
        #expect(collector.samples.scalars.count == DataKind.cadence.densityMax && collector.thinned == 240)
    }
}

import Sensing
import Testing
import Vitals

@Suite struct BtsnoopWriterTests {
    private let utc: Milliseconds = 1_795_244_645_678
    private let problem = SourceProblem(what: "gone", advice: "", retries: true)

    private func reading(_ rate: UInt16, at time: Milliseconds, intervals: [UInt16] = [820]) -> HeartRateEvent {
        .measurement(HeartRateSample(time: time, beatsPerMinute: rate, contact: .detected, rrIntervals: intervals))
    }

    /// A file that grows.
    private struct Tape {
        var writer = BtsnoopWriter(), file = BtsnoopWriter.header

        mutating func write(_ event: HeartRateEvent, _ address: UInt64, _ time: Milliseconds) throws {
            let records = writer.records(for: event, of: address, utc: time)
            file += try #require(records)
        }

        mutating func refuses(_ address: UInt64, _ time: Milliseconds) -> Bool {
            writer.records(for: .connected(time: 0), of: address, utc: time) == nil
        }
    }

    @Test("EDGE-10: readings, battery and body location come back as they were, without a guess, and fed byte by byte")
    func roundTrip() throws {
        var tape = Tape()
        let events: [HeartRateEvent] = [
            .connected(time: utc), .battery(percent: 88, time: utc + 1), .bodyLocation(1, time: utc + 2), reading(70, at: utc + 3),
            reading(300, at: utc + 4, intervals: [UInt16](repeating: 1, count: 253)), .battery(percent: 0, time: utc + 5),
            .measurement(HeartRateSample(time: utc + 1003, beatsPerMinute: 0, energyKilojoules: 65_535)),
        ]
        for (event, time) in zip(events, [0, 1, 2, 3, 4, 5, 1003] as [Milliseconds]) { try tape.write(event, 0xC4, utc + time) }
        let (read, reader) = try read(tape.file, chunk: 1)
        var expected = Array(events.dropFirst())
        // A reader knows of the link by its first reading.
        expected.insert(.connected(time: utc + 3), at: 2)
        #expect(read.map(\.event) == expected)
        #expect(reader.report.damaged == 0 && reader.report.connections == 1)
        #expect(reader.guess == nil)
        #expect(reader.report.format == "btsnoop, datalink 1002")
    }

    @Test("EDGE-10: two sensors stay two connections, and each end is one")
    func severalSensors() throws {
        var tape = Tape()
        try tape.write(.lost(problem, time: utc), 1, utc)
        #expect(tape.file == BtsnoopWriter.header)
        try tape.write(reading(60, at: utc), 1, utc)
        try tape.write(reading(90, at: utc), 1 << 48 | 2, utc)
        try tape.write(.lost(problem, time: utc + 1000), 1, utc + 1000)
        try tape.write(reading(91, at: utc), 1 << 48 | 2, utc + 1000)
        try tape.write(reading(61, at: utc), 1, utc + 2000)
        let (events, reader) = try read(tape.file)
        #expect(rates(events) == [60, 90, 91, 61])
        #expect(reader.report.connections == 3)
        let links = events.compactMap { event -> Bool? in
            switch event.event {
            case .connected: true
            case .lost: false
            default: nil
            }
        }
        #expect(links == [true, true, false, true])
    }

    @Test("EDGE-10: a sensor too many and a time before 1970 are not written; more intervals than a value holds are cut")
    func bounds() throws {
        var tape = Tape()
        for address in 0..<UInt64(BtsnoopWriter.sensorsMax) { try tape.write(.connected(time: 0), address, utc) }
        let isRefused = [tape.refuses(99, utc), tape.refuses(1, -1), tape.refuses(1, .max)]
        #expect(isRefused == [true, true, true])
        let before = tape.file.count
        try tape.write(reading(70, at: utc, intervals: [UInt16](repeating: 800, count: 40_000)), 1, utc)
        #expect(tape.file.count - before < 600)
    }
}

import Foundation
import Segments
import TestSupport
import Testing
import Vitals

@Suite struct ScalarColumnTests {
    private static let start: Milliseconds = 1_700_000_000_000

    @Test("DATA-1: a sample of each scalar kind survives, with its end and its second value", arguments: DataKind.scalars)
    func eachKind(kind: DataKind) throws {
        let samples = try (0..<300 as Range<Int64>).map { index in
            try #require(
                ScalarSample(
                    kind, time: Self.start + 60_000 * index, value: kind.entry.range.lowerBound + index % 3,
                    end: index.isMultiple(of: 2) ? Self.start + 60_000 * index + 45_000 : nil,
                    second: index.isMultiple(of: 5) ? 70 + index % 7 : nil))
        }
        let bytes = SampleColumns.encoded(SampleSet(scalars: samples))
        #expect(bytes.first == kind.rawValue)
        #expect(try SampleColumns.decoded(bytes).scalars == samples)
    }

    @Test("DATA-1: kinds that come by turns are put into a column each, in the order of their numbers, and nothing is lost")
    func byTurns() throws {
        let kinds: [DataKind] = [.weight, .bodyTemperature, .steps, .weight, .steps, .bodyTemperature]
        let samples = try kinds.enumerated().map { try #require(ScalarSample($1, time: Milliseconds($0), value: 3000 + Int64($0))) }
        let decoded = try SampleColumns.decoded(SampleColumns.encoded(SampleSet(scalars: samples)))
        #expect(decoded.scalars == [samples[1], samples[5], samples[2], samples[4], samples[0], samples[3]])
        #expect(decoded.count == samples.count)
    }

    @Test("DATA-1: a day of temperatures once a minute takes less than a byte each, a night of sleep 5 bytes a stage")
    func compact() throws {
        var random = SeededGenerator(seed: 5)
        var value: Int64 = 3650
        let temperatures = try (0..<1440 as Range<Int64>).map { minute in
            value += .random(in: -2...2, using: &random)
            return try #require(ScalarSample(.bodyTemperature, time: Self.start + 60_000 * minute, value: value))
        }
        let day = SampleColumns.encoded(SampleSet(scalars: temperatures)).count
        #expect(day < 1440, "\(day) bytes")
        var time = Self.start
        let stages = try (0..<40).map { _ in
            let length = 30_000 * Int64.random(in: 4...80, using: &random)
            defer { time += length }
            return try #require(
                ScalarSample(.sleep, time: time, value: .random(in: 2...5, using: &random), end: time + length))
        }
        let night = SampleColumns.encoded(SampleSet(scalars: stages)).count
        #expect(night < 200, "\(night) bytes")
    }

    @Test("EDGE-6: a column of scalars cut anywhere is refused, and so is one whose presence is not known")
    func damaged() throws {
        let samples = try (0..<100 as Range<Int64>).map {
            try #require(ScalarSample(.bloodPressure, time: $0 * 977, value: 110 + $0 % 13, second: $0 % 2 == 0 ? 70 + $0 % 11 : nil))
        }
        let bytes = SampleColumns.encoded(SampleSet(scalars: samples))
        let payload = Array(bytes.dropFirst(4))
        for length in payload.indices {
            let cut = [29, 100, UInt8(length & 127 | 128), UInt8(length >> 7)] + payload[..<length]
            #expect(throws: SegmentError.self, "\(length) bytes") { try SampleColumns.decoded(cut) }
        }
        #expect(throws: SegmentError.malformed(what: "end of a scalar")) {
            try SampleColumns.decoded([29, 100] + [UInt8(payload.count & 127 | 128), UInt8(payload.count >> 7), 3] + payload.dropFirst())
        }
    }

    @Test("EDGE-6: kinds without a column of their own, and those of a later version, stay what nobody can read")
    func withoutColumn() throws {
        for kind in [DataKind.rrIntervals.rawValue, DataKind.flaggedEvent.rawValue, 62, 200] {
            let column = UnknownColumn(kind: kind, count: 3, bytes: [1, 2, 3])
            #expect(try SampleColumns.decoded(SampleColumns.encoded(SampleSet(unknown: [column]))).unknown == [column])
        }
    }

    @Test("DATA-1: the page's example of a column of scalars is what is written and read")
    func page() throws {
        let page = try String(contentsOf: Repository.url("docs/segment-format.md").resolvingSymlinksInPath(), encoding: .utf8)
        let example = try #require(page.components(separatedBy: "```hex\n").dropFirst(2).first?.components(separatedBy: "```").first)
        let digits = example.split(separator: "\n").compactMap { $0.split(separator: "|").first }.joined().filter(\.isHexDigit)
        let samples = try [
            #require(ScalarSample(.bloodPressure, time: Self.start, value: 128, second: 84)),
            #require(ScalarSample(.bloodPressure, time: Self.start + 60_000, value: 125, second: 82)),
        ]
        #expect(digits == Hexadecimal.string(SampleColumns.encoded(SampleSet(scalars: samples))))
        #expect(try SampleColumns.decoded(try #require(Hexadecimal.bytes(digits))).scalars == samples)
    }
}

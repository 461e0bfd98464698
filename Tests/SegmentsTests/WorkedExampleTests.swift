import Foundation
import Segments
import TestSupport
import Testing
import Vitals

/// The worked example of docs/segment-format.md.
@Suite struct WorkedExampleTests {
    static let segment = Segment(
        stream: StreamID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF), sequence: 300,
        person: PersonID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10), provenance: .live, clock: .wall,
        samples: SampleSet(
            heartRates: zip(0..<4 as Range<Int64>, [60, 61, 63, 62]).map {
                HeartRateSample(time: 1_700_000_000_000 + 1000 * $0, beatsPerMinute: $1, contact: .detected)
            },
            events: [StateEvent(time: 1_700_000_000_500, code: .sensorBattery, value: 90)]))

    @Test func thePageShowsWhatIsWritten() throws {
        let page = Repository.url("docs/segment-format.md")
        let text = try String(contentsOf: page.resolvingSymlinksInPath(), encoding: .utf8)
        let example = try #require(text.components(separatedBy: "```hex\n").dropFirst().first?.components(separatedBy: "```").first)
        // Bytes stand before the explanation of each line.
        let digits = example.split(separator: "\n").compactMap { $0.split(separator: "|").first }.joined().filter(\.isHexDigit)
        #expect(digits == Hexadecimal.string(Self.segment.encoded()))
        let bytes = try #require(Hexadecimal.bytes(digits))
        #expect(try Segment(decoding: bytes) == Self.segment)
    }
}

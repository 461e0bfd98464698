import Segments
import Testing
import Vitals

@Suite struct SegmentTests {
    @Test("EDGE-5: every segment survives encoding", arguments: 0..<400 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = RandomSamples(seed: seed)
        let segment = random.segment(upTo: seed.isMultiple(of: 10) ? 600 : 40)
        let bytes = segment.encoded()
        #expect(try Segment(decoding: bytes) == segment, "seed \(seed)")
        #expect(try bytes.withUnsafeBytes { try Segment.header(of: $0) } == segment.header)
    }

    @Test func anEmptySegmentHasNoTimes() throws {
        let segment = Self.segment(SampleSet())
        #expect(try Segment(decoding: segment.encoded()) == segment)
        #expect((segment.header.firstTime, segment.header.lastTime, segment.header.count) == (0, 0, 0))
    }

    @Test func headerSaysWhatTheSamplesAre() {
        let times: [Milliseconds] = [5000, 3000, 4000]
        let segment = Self.segment(
            SampleSet(
                heartRates: times.map { HeartRateSample(time: $0, beatsPerMinute: 70) },
                events: [StateEvent(time: 9000, code: .paused)]))
        #expect((segment.header.firstTime, segment.header.lastTime, segment.header.count) == (3000, 9000, 4))
    }

    @Test("EDGE-6: a segment cut at any length is refused")
    func truncation() {
        var random = RandomSamples(seed: 7)
        let bytes = random.segment(upTo: 60).encoded()
        for length in bytes.indices {
            #expect(throws: SegmentError.self) { try Segment(decoding: Array(bytes[..<length])) }
        }
    }

    @Test("EDGE-6: a segment with any bit turned over is refused")
    func bitFlips() {
        var random = RandomSamples(seed: 8)
        var bytes = random.segment(upTo: 30).encoded()
        for bit in 0..<bytes.count * 8 {
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SegmentError.badChecksum) { try Segment(decoding: bytes) }
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        }
        #expect(throws: Never.self) { try Segment(decoding: bytes) }
    }

    @Test func aByteBehindIsRefused() {
        let bytes = Self.segment(SampleSet(heartRates: [HeartRateSample(time: 1, beatsPerMinute: 60)])).encoded()
        #expect(throws: SegmentError.badChecksum) { try Segment(decoding: bytes + [0]) }
        #expect(throws: SegmentError.self) { try Segment(decoding: Self.sealed(bytes.dropLast(4) + [0])) }
    }

    @Test func anotherVersionIsNamed() {
        var bytes = Array(Self.segment(SampleSet()).encoded().dropLast(4))
        bytes[0] = 2
        #expect(throws: SegmentError.unsupportedVersion(2)) { try Segment(decoding: Self.sealed(bytes)) }
    }

    @Test func aHeaderThatLiesIsRefused() {
        let samples = SampleSet(heartRates: [HeartRateSample(time: 5000, beatsPerMinute: 60)])
        var segment = Self.segment(samples)
        segment.header.count = 2
        #expect(throws: SegmentError.malformed(what: "count of the header")) { try Segment(decoding: segment.encoded()) }
        segment = Self.segment(samples)
        segment.header.firstTime = 4000
        #expect(throws: SegmentError.malformed(what: "times of the header")) { try Segment(decoding: segment.encoded()) }
    }

    @Test func tooManyBytesAreRefusedUnread() {
        let bytes = [UInt8](repeating: 1, count: Segment.encodedBytesMax + 1)
        #expect(throws: SegmentError.tooLarge(what: "bytes of a segment")) { try Segment(decoding: bytes) }
    }

    @Test func tooManySamplesAreRefused() {
        let sample = HeartRateSample(time: 5000, beatsPerMinute: 60)
        let most = Self.segment(SampleSet(heartRates: Array(repeating: sample, count: Segment.samplesMax)))
        #expect(throws: Never.self) { try Segment(decoding: most.encoded()) }
        let more = Self.segment(SampleSet(heartRates: Array(repeating: sample, count: Segment.samplesMax + 1)))
        #expect(throws: SegmentError.tooLarge(what: "samples")) { try Segment(decoding: more.encoded()) }
    }

    static func segment(_ samples: SampleSet) -> Segment {
        Segment(
            stream: StreamID(high: 1, low: 2), sequence: 3, person: PersonID(high: 4, low: 5), provenance: .live,
            clock: .wall, samples: samples)
    }

    /// `body` with the right checksum behind it.
    static func sealed(_ body: some Collection<UInt8>) -> [UInt8] {
        let body = Array(body)
        let checksum = body.withUnsafeBytes(CRC32C.checksum)
        return body + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt32($0))) }
    }
}

import Segments
import TestSupport
import Testing
import Vitals

@Suite struct SampleColumnsTests {
    @Test func unknownKindsAreKept() throws {
        let later = UnknownColumn(kind: 62, count: 3, bytes: [1, 2, 3])
        let samples = SampleSet(heartRates: [HeartRateSample(time: 1, beatsPerMinute: 60)], unknown: [later, later])
        #expect(try SampleColumns.decoded(SampleColumns.encoded(samples)) == samples)
    }

    @Test func columnsBehindColumnsAreOneSet() throws {
        let one = SampleSet(heartRates: [HeartRateSample(time: 1, beatsPerMinute: 60)])
        let other = SampleSet(
            heartRates: [HeartRateSample(time: 2, beatsPerMinute: 61)], events: [StateEvent(time: 2, code: .resumed)])
        var both = one
        both.append(other)
        #expect(try SampleColumns.decoded(SampleColumns.encoded(one) + SampleColumns.encoded(other)) == both)
    }

    @Test func aRegularCadenceCostsNothingPerSample() {
        func bytes(_ count: Int64) -> Int {
            let samples = (0..<count).map { HeartRateSample(time: 1_700_000_000_000 + 1000 * $0, beatsPerMinute: 60, contact: .detected) }
            return SampleColumns.encoded(SampleSet(heartRates: samples)).count
        }
        #expect(bytes(128) <= 24)
        // 21 bits for each further block of 128.
        #expect(bytes(128 * 101) - bytes(128) <= 265)
    }

    @Test func nmeaStepsAreNumbered() throws {
        var random = SeededGenerator(seed: 3)
        func positions(_ step: (Int64) -> Double) -> [PositionSample] {
            var latitude: Int64 = -2_700_000, longitude: Int64 = 500_000
            return (0..<1000 as Range<Int64>).map { index in
                latitude += Int64.random(in: -20...20, using: &random)
                longitude += Int64.random(in: -20...20, using: &random)
                return PositionSample(
                    time: index * 1000, latitude: Int32(step(latitude).rounded()), longitude: Int32(step(longitude).rounded()))
            }
        }
        for (name, width) in [("1e-4 minutes", 50.0 / 3), ("1e-5 minutes", 5.0 / 3), ("1e-6 degrees", 10.0)] {
            let samples = SampleSet(positions: positions { Double($0) * width })
            let bytes = SampleColumns.encoded(samples)
            #expect(try SampleColumns.decoded(bytes) == samples, "\(name)")
            // Two coordinates in 41 equally likely steps are 10.7 bits; as they come it would be 12.2 to 17.5.
            #expect(bytes.count < 1580, "\(name): \(bytes.count) bytes")
        }
    }

    @Test func aShortColumnCannotClaimManySamples() {
        // Kind 1, count 65,536, one byte.
        #expect(throws: SegmentError.malformed(what: "count of a column")) {
            try SampleColumns.decoded([1, 0x80, 0x80, 0x04, 1, 0])
        }
        #expect(throws: SegmentError.tooLarge(what: "samples")) { try SampleColumns.decoded([1, 0x81, 0x80, 0x04, 1, 0]) }
    }

    @Test func everyKindCountsTowardsTheBound() {
        let samples = SampleSet(
            heartRates: [HeartRateSample(time: 1, beatsPerMinute: 60)], events: [StateEvent(time: 1, code: .paused)])
        let bytes = SampleColumns.encoded(samples)
        #expect(throws: Never.self) { try SampleColumns.decoded(bytes, samplesMax: 2) }
        #expect(throws: SegmentError.tooLarge(what: "samples")) { try SampleColumns.decoded(bytes, samplesMax: 1) }
    }

    @Test func manyShortColumnsAreOneSeries() throws {
        let one = SampleColumns.encoded(SampleSet(heartRates: [HeartRateSample(time: 1, beatsPerMinute: 60)]))
        let bytes = [UInt8](Array(repeating: one, count: 60_000).joined())
        #expect(try SampleColumns.decoded(bytes).heartRates.count == 60_000)
    }

    @Test func aColumnCutAnywhereIsRefused() {
        var random = SeededGenerator(seed: 14)
        let samples = (0..<100 as Range<Int64>).map {
            HeartRateSample(
                time: $0 * 1000, beatsPerMinute: 60 + .random(in: 0...9, using: &random),
                rrIntervals: [.random(in: 900...999, using: &random)])
        }
        let bytes = SampleColumns.encoded(SampleSet(heartRates: samples))
        // Kind, count, two bytes of length.
        let payload = Array(bytes.dropFirst(4))
        for length in payload.indices {
            let cut = [1, 100, UInt8(length & 127 | 128), UInt8(length >> 7)] + payload[..<length]
            #expect(throws: SegmentError.self, "\(length) bytes") { try SampleColumns.decoded(cut) }
        }
    }

    @Test("EDGE-6: damaged columns, 200,000 of them in test-long, are decoded or refused, and never more")
    func mutations() {
        var random = RandomSamples(seed: 11)
        var generator = SeededGenerator(seed: 12)
        let originals = (0..<200).map { SampleColumns.encoded(random.set(upTo: $0 % 10 == 0 ? 300 : 20)) }
            .filter { !$0.isEmpty }
        let rounds = Seeds.rounds(50_000, of: 200_000)
        var refused = 0, decoded = 0
        for round in 0..<rounds {
            var bytes = originals[round % originals.count]
            for _ in 0..<Int.random(in: 1...4, using: &generator) { Self.damage(&bytes, using: &generator) }
            do {
                var samples = try SampleColumns.decoded(bytes, samplesMax: 4096)
                decoded += 1
                // Damage can put the columns of scalar kinds in another order; writing puts them right.
                samples.scalars = samples.scalars.byKind.flatMap(\.samples)
                // What was read is a sample set like any other.
                if round % 50 == 0 { #expect(try SampleColumns.decoded(SampleColumns.encoded(samples)) == samples) }
            } catch { refused += 1 }
        }
        #expect(refused > rounds / 20 && decoded > rounds / 20, "\(refused) refused, \(decoded) decoded")
    }

    @Test func arbitraryBytesAreRefused() {
        var generator = SeededGenerator(seed: 13)
        for round in 0..<20_000 {
            let length = round % 200
            var bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if length > 4 {
                // A plausible start, so that the payload is looked at.
                (bytes[0], bytes[1], bytes[2]) = ([1, 2, 3, 4, 5, 16, 29][round % 7], UInt8(round % 90), UInt8(min(127, length - 3)))
            }
            _ = try? SampleColumns.decoded(Array(bytes.prefix(130)))
            _ = try? Segment(decoding: SegmentTests.sealed([1, 0x10] + bytes))
        }
    }

    private static func damage(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0...4, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes[place] = [0, 1, 127, 128, 255][place % 5]
        case 3: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        }
    }
}

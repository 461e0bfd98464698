import Segments
import Testing

@Suite struct SegmentBatchTests {
    @Test func segmentsComeBackInOrder() throws {
        let segments: [[UInt8]] = [[1], [2, 3], [UInt8](repeating: 4, count: 300)]
        let bytes = try SegmentBatch.encode(segments)
        #expect(try Self.ranges(bytes).map { Array(bytes[$0]) } == segments)
        #expect(try Self.ranges([]).isEmpty)
    }

    @Test func boundsHold() throws {
        var batch = SegmentBatch()
        for _ in 0..<SegmentBatch.segmentsMax {
            let fits = batch.append([1])
            #expect(fits)
        }
        let full = batch
        let passesCount = batch.append([1])
        #expect(!passesCount && batch == full && batch.count == SegmentBatch.segmentsMax)
        #expect(throws: SegmentError.tooLarge(what: "segments of a batch")) { try Self.ranges(full.bytes + [1, 0, 0, 0, 1]) }

        let large = [UInt8](repeating: 0, count: Segment.encodedBytesMax)
        #expect(throws: SegmentError.tooLarge(what: "batch")) { try SegmentBatch.encode([large, large, large, large]) }
        #expect(throws: SegmentError.tooLarge(what: "batch")) { try SegmentBatch.encode([large + [0]]) }
        #expect(throws: SegmentError.tooLarge(what: "bytes of a batch")) {
            try Self.ranges([UInt8](repeating: 0, count: SegmentBatch.bytesMax + 1))
        }
    }

    @Test func brokenFramingIsRefused() {
        #expect(throws: SegmentError.truncated(at: 0)) { try Self.ranges([1, 0, 0]) }
        #expect(throws: SegmentError.truncated(at: 4)) { try Self.ranges([2, 0, 0, 0, 9]) }
        #expect(throws: SegmentError.truncated(at: 5)) { try Self.ranges([1, 0, 0, 0, 9, 7]) }
        #expect(throws: SegmentError.malformed(what: "length of a segment")) { try Self.ranges([0, 0, 0, 0]) }
        #expect(throws: SegmentError.tooLarge(what: "bytes of a segment")) { try Self.ranges([255, 255, 255, 255]) }
    }

    private static func ranges(_ bytes: [UInt8]) throws -> [Range<Int>] {
        try bytes.withUnsafeBytes { try SegmentBatch.ranges(in: $0) }
    }
}

/// Several encoded segments in one request body: each with its length before it, four bytes, little-endian.
public struct SegmentBatch: Hashable, Sendable {
    /// The most segments of a batch.
    public static let segmentsMax = 4096
    /// The longest batch in bytes, lengths included.
    public static let bytesMax = 4 << 20

    private static let lengthBytes = 4

    /// The batch as it is sent.
    public private(set) var bytes: [UInt8] = []
    /// The number of segments in it.
    public private(set) var count = 0

    /// An empty batch.
    public init() {}

    /// Puts one encoded segment behind the others; false, and nothing done, when the batch would pass its bounds or the segment passes its own.
    public mutating func append(_ segment: [UInt8]) -> Bool {
        guard !segment.isEmpty, segment.count <= Segment.encodedBytesMax, count < Self.segmentsMax,
            bytes.count + Self.lengthBytes + segment.count <= Self.bytesMax
        else { return false }
        withUnsafeBytes(of: UInt32(segment.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes += segment
        count += 1
        return true
    }

    /// The batch of all `segments`; throws ``SegmentError/tooLarge(what:)`` when they do not fit.
    public static func encode(_ segments: some Sequence<[UInt8]>) throws(SegmentError) -> [UInt8] {
        var batch = SegmentBatch()
        for segment in segments {
            guard batch.append(segment) else { throw .tooLarge(what: "batch") }
        }
        return batch.bytes
    }

    /// Where the segments of a received batch lie in it. The whole framing is checked first; the segments themselves are not looked at.
    public static func ranges(in bytes: UnsafeRawBufferPointer) throws(SegmentError) -> [Range<Int>] {
        guard bytes.count <= bytesMax else { throw .tooLarge(what: "bytes of a batch") }
        var ranges: [Range<Int>] = []
        var offset = 0
        while offset < bytes.count {
            guard ranges.count < segmentsMax else { throw .tooLarge(what: "segments of a batch") }
            guard bytes.count - offset >= lengthBytes else { throw .truncated(at: offset) }
            let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            offset += lengthBytes
            guard length > 0 else { throw .malformed(what: "length of a segment") }
            guard length <= Segment.encodedBytesMax else { throw .tooLarge(what: "bytes of a segment") }
            guard length <= bytes.count - offset else { throw .truncated(at: offset) }
            ranges.append(offset..<offset + length)
            offset += length
        }
        return ranges
    }
}

public import Vitals

/// A run of samples of one person from one stream: what an agent stores and sends, and what the hub stores until it merges.
///
/// The format is described byte by byte in docs/segment-format.md.
public struct Segment: Hashable, Sendable {
    /// The version that this code writes, and the only one that it reads.
    public static let version: UInt8 = 1
    /// The longest encoded segment that is decoded, in bytes.
    public static let encodedBytesMax = 1 << 20
    /// The most samples of known kinds that are decoded.
    public static let samplesMax = 65_536

    private static let checksumBytes = 4

    public var header: SegmentHeader
    public var samples: SampleSet

    /// A segment whose header has the times and the count of `samples`.
    ///
    /// Keep to ``samplesMax`` samples and ``encodedBytesMax`` bytes: what is more can be encoded but is refused by whoever decodes it.
    public init(
        stream: StreamID, sequence: UInt64, person: PersonID, provenance: Provenance, clock: ClockDomain,
        samples: SampleSet
    ) {
        let times = samples.timeRange
        header = SegmentHeader(
            stream: stream, sequence: sequence, person: person, provenance: provenance, clock: clock,
            firstTime: times?.lowerBound ?? 0, lastTime: times?.upperBound ?? 0, count: samples.count)
        self.samples = samples
    }

    /// The bytes of the segment. The CRC-32C of all others is the last four, little-endian.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 + 8 * (samples.heartRates.count + samples.positions.count))
        header.encode(into: &bytes)
        SampleColumns.encode(samples, into: &bytes)
        let checksum = bytes.withUnsafeBytes(CRC32C.checksum)
        withUnsafeBytes(of: checksum.littleEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Reads exactly one segment that fills `bytes`, and checks its checksum, and its header against its samples.
    ///
    /// Any bytes are safe to give. Throws ``SegmentError`` when they are not such a segment.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(SegmentError) {
        let body = try Self.body(of: bytes)
        let stored = bytes.loadUnaligned(fromByteOffset: body.count, as: UInt32.self)
        guard UInt32(littleEndian: stored) == CRC32C.checksum(body) else { throw .badChecksum }
        var reader = ByteReader(body)
        header = try SegmentHeader(from: &reader)
        let columns = try reader.slice(UInt64(reader.remaining))
        samples = try SampleColumns.decode(columns, samplesMax: Self.samplesMax)
        try checkHeader()
    }

    /// Reads exactly one segment; see ``init(decoding:)-(UnsafeRawBufferPointer)``.
    public init(decoding bytes: [UInt8]) throws(SegmentError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SegmentError) in try Segment(decoding: buffer) }
        }
        self = try result.get()
    }

    /// Only the header of an encoded segment. Cheap: neither the checksum nor the samples are looked at, so that times and count are
    /// claims until the segment is decoded.
    public static func header(of bytes: UnsafeRawBufferPointer) throws(SegmentError) -> SegmentHeader {
        var reader = ByteReader(try body(of: bytes))
        return try SegmentHeader(from: &reader)
    }

    /// All but the checksum.
    private static func body(of bytes: UnsafeRawBufferPointer) throws(SegmentError) -> UnsafeRawBufferPointer {
        guard bytes.count <= encodedBytesMax else { throw .tooLarge(what: "bytes of a segment") }
        guard bytes.count > checksumBytes else { throw .truncated(at: bytes.count) }
        return UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - checksumBytes)])
    }

    /// A header that lies about its samples would be filed under the wrong hour.
    private func checkHeader() throws(SegmentError) {
        guard header.count == samples.count else { throw .malformed(what: "count of the header") }
        guard let times = samples.timeRange else { return }
        let isRight =
            samples.unknown.isEmpty
            ? header.firstTime == times.lowerBound && header.lastTime == times.upperBound
            : header.firstTime <= times.lowerBound && header.lastTime >= times.upperBound
        guard isRight else { throw .malformed(what: "times of the header") }
    }
}

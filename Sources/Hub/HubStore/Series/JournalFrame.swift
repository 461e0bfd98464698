import Database
import Foundation
public import Vitals

/// One received segment as the journal keeps it: what the store must know without a key, and the sealed segment.
public struct JournalFrame: Sendable, Hashable {
    /// Rows of person, stream and clock.
    public var person: Int64
    public var stream: Int64
    public var clock: Int64
    public var sequence: UInt64
    /// The first 40 bits of the keyed hash of the encoded segment.
    public var fingerprint: UInt64
    /// First and last time in the clock's domain.
    public var first: Milliseconds
    public var last: Milliseconds
    /// The segment carries clock records, which are needed before it is merged.
    public var hasClocks: Bool
    /// The losses that the agent declared in this segment.
    public var gaps: [ClosedRange<UInt64>]
    public var envelope: [UInt8]
    /// Samples in it, where they are known: the journal does not keep them.
    public var samples: Int?

    public init(
        person: Int64, stream: Int64, clock: Int64, sequence: UInt64, fingerprint: UInt64, first: Milliseconds, last: Milliseconds,
        hasClocks: Bool, gaps: [ClosedRange<UInt64>], envelope: [UInt8], samples: Int? = nil
    ) {
        self.person = person
        self.stream = stream
        self.clock = clock
        self.sequence = sequence
        self.fingerprint = fingerprint
        self.first = first
        self.last = last
        self.hasClocks = hasClocks
        self.gaps = gaps
        self.envelope = envelope
        self.samples = samples
    }

    /// Appends the frame; all integers little-endian.
    func write(into bytes: inout [UInt8]) -> (offset: Int, count: Int) {
        for value in [person, stream, clock] { bytes.appendLittleEndian(UInt32(truncatingIfNeeded: value)) }
        bytes.appendLittleEndian(sequence)
        bytes.appendLittleEndian(fingerprint)
        bytes.appendLittleEndian(first)
        bytes.appendLittleEndian(last)
        bytes.append(hasClocks ? 1 : 0)
        bytes.appendLittleEndian(UInt16(gaps.count))
        for gap in gaps {
            bytes.appendLittleEndian(gap.lowerBound)
            bytes.appendLittleEndian(gap.upperBound)
        }
        bytes.appendLittleEndian(UInt32(envelope.count))
        let offset = bytes.count
        bytes.append(contentsOf: envelope)
        return (offset, envelope.count)
    }

    /// Reads the frames of a journal row; `offset` is where each envelope starts. Of a damaged row, which ends within a frame, those before the
    /// damage are read, and `isWhole` is false: a committed row is whole.
    static func read(_ bytes: UnsafeRawBufferPointer) -> (frames: [(frame: JournalFrame, offset: Int)], isWhole: Bool) {
        var frames: [(frame: JournalFrame, offset: Int)] = []
        var at = 0
        while at < bytes.count {
            guard let next = readOne(bytes, at: &at) else { return (frames, false) }
            frames.append(next)
        }
        return (frames, true)
    }

    private static func readOne(_ bytes: UnsafeRawBufferPointer, at: inout Int) -> (frame: JournalFrame, offset: Int)? {
        guard let person: UInt32 = bytes.readLittleEndian(at: &at), let stream: UInt32 = bytes.readLittleEndian(at: &at),
            let clock: UInt32 = bytes.readLittleEndian(at: &at), let sequence: UInt64 = bytes.readLittleEndian(at: &at),
            let fingerprint: UInt64 = bytes.readLittleEndian(at: &at), let first: Int64 = bytes.readLittleEndian(at: &at),
            let last: Int64 = bytes.readLittleEndian(at: &at), let clocks: UInt8 = bytes.readLittleEndian(at: &at),
            let gapCount: UInt16 = bytes.readLittleEndian(at: &at)
        else { return nil }
        var gaps: [ClosedRange<UInt64>] = []
        for _ in 0..<gapCount {
            guard let lower: UInt64 = bytes.readLittleEndian(at: &at), let upper: UInt64 = bytes.readLittleEndian(at: &at),
                lower <= upper
            else { return nil }
            gaps.append(lower...upper)
        }
        guard let count: UInt32 = bytes.readLittleEndian(at: &at), at + Int(count) <= bytes.count else { return nil }
        let frame = JournalFrame(
            person: Int64(person), stream: Int64(stream), clock: Int64(clock), sequence: sequence, fingerprint: fingerprint,
            first: first, last: last, hasClocks: clocks != 0, gaps: gaps,
            envelope: Array(bytes[at..<at + Int(count)]))
        defer { at += Int(count) }
        return (frame, at)
    }

    /// Keeps a damaged row of the journal as it is, beside the segments that could not be merged: by the number of the row, as nobody's.
    static func setAside(_ row: Int64, _ bytes: Data, received: Milliseconds, _ db: Connection) throws {
        try db.execute(
            sql: """
                INSERT INTO quarantine(person, stream, sequence, clock, noticed, reason, envelope)
                VALUES(0, 0, ?, 0, ?, 'the row of the journal is damaged', ?) ON CONFLICT DO NOTHING
                """,
            arguments: [row, received, bytes])
    }

    /// Keeps the damaged sequences of a stream beside those rows, by the negative number of its row.
    static func setAside(stream: Int64, _ text: String, now: Milliseconds, _ db: Connection) throws {
        try db.execute(
            sql: """
                INSERT INTO quarantine(person, stream, sequence, clock, noticed, reason, envelope)
                VALUES(0, 0, ?, 0, ?, 'the sequences of a stream were damaged', ?) ON CONFLICT DO NOTHING
                """,
            arguments: [-stream, now, Data(text.utf8)])
    }
}

/// Where a received segment stands in the journal until it is merged.
struct PendingSegment: Sendable, Hashable, CustomStringConvertible {
    var journal: Int64
    var offset: Int32
    var count: Int32
    var stream: Int32
    var clock: Int32
    var sequence: UInt64
    var fingerprint: UInt64
    var first: Milliseconds
    var last: Milliseconds
    /// Below zero where it is not known, as after a start.
    var samples: Int32

    /// Stream and number: neither tells of anybody.
    var description: String { "\(stream) \(sequence)" }

    init(_ frame: JournalFrame, journal: Int64, offset: Int) {
        self.journal = journal
        self.offset = Int32(truncatingIfNeeded: offset)
        count = Int32(truncatingIfNeeded: frame.envelope.count)
        stream = Int32(truncatingIfNeeded: frame.stream)
        clock = Int32(truncatingIfNeeded: frame.clock)
        sequence = frame.sequence
        fingerprint = frame.fingerprint
        first = frame.first
        last = frame.last
        samples = frame.samples.map { Int32(clamping: $0) } ?? -1
    }
}

extension Collection<PendingSegment> {
    /// The number of these, from the first on, that hold so many samples together; one at least.
    /// - Parameter unknown: samples of a segment of which it is not known.
    func count(within samplesMax: Int, unknown: Int) -> Int {
        var samples = 0, count = 0
        for segment in self {
            samples += segment.samples < 0 ? unknown : Int(segment.samples)
            guard samples <= samplesMax || count == 0 else { break }
            count += 1
        }
        return count
    }

    /// Samples in all of them; nil where it is not known.
    var samples: Int? { contains { $0.samples < 0 } ? nil : reduce(0) { $0 + Int($1.samples) } }
}

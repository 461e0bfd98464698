public import Vitals

/// The header of a segment, before its samples.
public struct SegmentHeader: Hashable, Sendable {
    /// The sequence of segments to which it belongs.
    public var stream: StreamID
    /// Its place in the stream, without holes from 0.
    public var sequence: UInt64
    public var person: PersonID
    public var provenance: Provenance
    /// The axis on which all times of the segment lie.
    public var clock: ClockDomain
    /// The earliest time of its samples; 0 when it has none of a known kind.
    public var firstTime: Milliseconds
    /// The latest time of its samples; 0 when it has none of a known kind.
    public var lastTime: Milliseconds
    /// The number of samples of all kinds.
    public var count: Int

    public init(
        stream: StreamID, sequence: UInt64, person: PersonID, provenance: Provenance, clock: ClockDomain,
        firstTime: Milliseconds, lastTime: Milliseconds, count: Int
    ) {
        self.stream = stream
        self.sequence = sequence
        self.person = person
        self.provenance = provenance
        self.clock = clock
        self.firstTime = firstTime
        self.lastTime = lastTime
        self.count = count
    }

    /// Writes version, identifiers, clock, times and count.
    func encode(into bytes: inout [UInt8]) {
        bytes.append(Segment.version)
        bytes.append(provenance.rawValue | clock.code << 4)
        for word in [stream.high, stream.low, person.high, person.low] { bytes.append(word: word) }
        if case .boottime(let boot, let counter) = clock {
            bytes.append(word: boot.high)
            bytes.append(word: boot.low)
            bytes.append(number: UInt64(counter))
        }
        bytes.append(number: sequence)
        bytes.append(number: UInt64(zigzag: firstTime))
        bytes.append(number: UInt64(bitPattern: lastTime &- firstTime))
        bytes.append(number: UInt64(max(0, count)))
    }

    init(from reader: inout ByteReader) throws(SegmentError) {
        let version = try reader.byte()
        guard version == Segment.version else { throw .unsupportedVersion(version) }
        let codes = try reader.byte()
        guard let provenance = Provenance(rawValue: codes & 15) else { throw .malformed(what: "provenance") }
        self.provenance = provenance
        stream = StreamID(high: try reader.word(), low: try reader.word())
        person = PersonID(high: try reader.word(), low: try reader.word())
        switch codes >> 4 {
        case 0:
            let boot = BootID(high: try reader.word(), low: try reader.word())
            guard let counter = UInt32(exactly: try reader.number()) else { throw .malformed(what: "boot counter") }
            clock = .boottime(boot: boot, counter: counter)
        case 1: clock = .wall
        case 2: clock = .recorded
        default: throw .malformed(what: "clock domain")
        }
        sequence = try reader.number()
        firstTime = Int64(zigzag: try reader.number())
        lastTime = firstTime &+ Int64(bitPattern: try reader.number())
        guard firstTime <= lastTime else { throw .malformed(what: "times of the header") }
        guard let count = Int(exactly: try reader.number()) else { throw .malformed(what: "count of the header") }
        self.count = count
    }
}

extension ClockDomain {
    fileprivate var code: UInt8 {
        switch self {
        case .boottime: 0
        case .wall: 1
        case .recorded: 2
        }
    }
}

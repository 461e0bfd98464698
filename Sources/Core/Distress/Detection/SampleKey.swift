public import Vitals

/// Which sample of which stream (design rule 2): its identity on the box and in the hub alike, whatever the clocks say.
public struct SampleKey: Hashable, Sendable, Codable, Comparable {
    public var stream: StreamID
    /// The segment's sequence within the stream.
    public var sequence: UInt64
    /// The column of the segment in which it stands: heart rates and state events are counted apart.
    public var kind: DataKind
    /// Its place in that column, from 0.
    public var index: UInt32

    public init(stream: StreamID, sequence: UInt64, kind: DataKind, index: UInt32) {
        self.stream = stream
        self.sequence = sequence
        self.kind = kind
        self.index = index
    }

    private enum CodingKeys: String, CodingKey { case stream, sequence, kind, index }

    /// A column that this version does not know is taken for that of events: the key names a sample, and only its incident's id is looked up.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        stream = try container.decode(StreamID.self, forKey: .stream)
        sequence = try container.decode(UInt64.self, forKey: .sequence)
        kind = try container.decode(Column.self, forKey: .kind).kind
        index = try container.decode(UInt32.self, forKey: .index)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stream, forKey: .stream)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(Column(kind), forKey: .kind)
        try container.encode(index, forKey: .index)
    }

    public static func < (left: SampleKey, right: SampleKey) -> Bool {
        if left.stream != right.stream { return left.stream < right.stream }
        if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
        return (left.sequence, left.index) < (right.sequence, right.index)
    }
}

extension SampleKey {
    /// ``kind`` as a word of the wire.
    struct Column: WireWord {
        let kind: DataKind
        init(_ kind: DataKind) { self.kind = kind }
        init?(rawValue: UInt8) {
            guard let kind = DataKind(rawValue: rawValue) else { return nil }
            self.kind = kind
        }
        var rawValue: UInt8 { kind.rawValue }

        static let allCases = DataKind.allCases.map(Column.init)
        static let unknown = Column(.event)
        var nearestIn030: Column {
            switch kind {
            case .heartRate, .position, .event, .gap, .clock: self
            default: .unknown  // Every later kind: 0.3.0 looks only the incident up by its key.
            }
        }
    }
}

/// The last samples of each stream, so that a sample that comes again counts once. Bounded: the stream heard least recently is forgotten.
struct SeenSamples: Hashable, Sendable, Codable {
    static let streamsMax = 8
    static let urgentMax = 256
    private var last: [SampleKey] = []
    private var urgent: [SampleKey] = []

    /// False when it was seen before, or stands before one that was seen: what comes late is history, and raises nothing.
    mutating func insert(_ key: SampleKey) -> Bool {
        if let place = last.firstIndex(where: { $0.stream == key.stream && $0.kind == key.kind }) {
            guard last[place] < key else { return false }
            last.remove(at: place)
        } else if last.count == Self.streamsMax {
            last.removeFirst()
        }
        last.append(key)
        return true
    }

    /// For what travels before everything else, and so may stand before what was seen: false only for the same one again.
    mutating func insertUrgent(_ key: SampleKey) -> Bool {
        guard !urgent.contains(key) else { return false }
        urgent = (urgent + [key]).suffix(Self.urgentMax)
        return true
    }
}

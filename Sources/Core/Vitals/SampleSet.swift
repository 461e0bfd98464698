/// Samples of one person, by kind. Within a kind they stand in the order in which they were collected, which is almost always by time.
public struct SampleSet: Hashable, Sendable {
    public var heartRates: [HeartRateSample]
    public var positions: [PositionSample]
    public var events: [StateEvent]
    public var gaps: [GapRecord]
    public var clocks: [ClockRecord]
    /// Samples of all scalar kinds. Their order counts within a kind; segments and readers put the kinds one after the other.
    public var scalars: [ScalarSample]
    /// Columns of kinds that this version does not know: kept as they came, so that an older hub loses nothing.
    public var unknown: [UnknownColumn]

    public init(
        heartRates: [HeartRateSample] = [], positions: [PositionSample] = [], events: [StateEvent] = [],
        gaps: [GapRecord] = [], clocks: [ClockRecord] = [], scalars: [ScalarSample] = [], unknown: [UnknownColumn] = []
    ) {
        self.heartRates = heartRates
        self.positions = positions
        self.events = events
        self.gaps = gaps
        self.clocks = clocks
        self.scalars = scalars
        self.unknown = unknown
    }

    /// The number of samples of known kinds plus what the unknown columns say that they hold.
    public var count: Int {
        heartRates.count + positions.count + events.count + gaps.count + clocks.count
            + scalars.count + unknown.reduce(0) { $0 + Int($1.count) }
    }

    public var isEmpty: Bool { count == 0 }

    /// The earliest and the latest time of the known kinds; nil when there is none.
    public var timeRange: ClosedRange<Milliseconds>? {
        var first = Milliseconds.max, last = Milliseconds.min
        func take(_ time: Milliseconds) { (first, last) = (min(first, time), max(last, time)) }
        // Without a copy of each: these have intervals, and are the most.
        for index in heartRates.indices { take(heartRates[index].time) }
        for sample in positions { take(sample.time) }
        for sample in events { take(sample.time) }
        for sample in gaps { take(sample.time) }
        for sample in clocks { take(sample.time) }
        for sample in scalars { take(sample.time) }
        return first <= last ? first...last : nil
    }

    /// Puts the samples of `other` behind those of this set.
    public mutating func append(_ other: SampleSet) {
        // The first of several is taken as it is.
        if heartRates.isEmpty { heartRates = other.heartRates } else { heartRates += other.heartRates }
        if positions.isEmpty { positions = other.positions } else { positions += other.positions }
        events += other.events
        gaps += other.gaps
        clocks += other.clocks
        scalars += other.scalars
        unknown += other.unknown
    }
}

/// A column that this version cannot read.
public struct UnknownColumn: Hashable, Sendable {
    public var kind: UInt8
    public var count: UInt32
    public var bytes: [UInt8]

    public init(kind: UInt8, count: UInt32, bytes: [UInt8]) {
        self.kind = kind
        self.count = count
        self.bytes = bytes
    }
}

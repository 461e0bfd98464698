public import Vitals

/// A reader's view of one person's series: times are UTC, each kind in the order of time.
public struct Reading: Sendable, Hashable {
    public var heartRates: [HeartRateSample] = []
    public var positions: [PositionSample] = []
    public var events: [StateEvent] = []
    public var gaps: [GapRecord] = []
    /// Kind after kind in the order of their numbers.
    public var scalars: [ScalarSample] = []
    /// Where the newest sample comes from; nil without any. A value that was typed counts only where there is nothing else: what a sensor
    /// sends stays live beside it.
    public var provenance: Provenance?
    /// When the hub last received something for this person, UTC; nil when nothing came since it started.
    public var received: Milliseconds?

    public init() {}

    /// All samples of it.
    public var samples: SampleSet {
        SampleSet(heartRates: heartRates, positions: positions, events: events, gaps: gaps, scalars: scalars)
    }
}

/// The samples of one source within what is read, under the number of its first stream.
struct StreamReading {
    var stream: Int64
    var provenance: Provenance
    var samples = SampleSet()
}

/// Which sources count, per kind and minute (design rule 13): live before typed before import before replay before drill; then the one with more
/// samples in that minute; then the one with the older stream. Others count beside it only where their part of the minute lies wholly before or after
/// what counts already: a box that was started anew, or one that took over from another. Events and gaps of all are kept: they
/// say what happened to each box.
enum PrimarySource {
    static func select(_ streams: [StreamReading]) -> Reading {
        var reading = Reading()
        reading.heartRates = select(streams, \.samples.heartRates, \.time)
        reading.positions = select(streams, \.samples.positions, \.time)
        for part in scalars(streams) { reading.scalars += select(part, \.samples.scalars, \.time) }
        for stream in streams {
            reading.events += stream.samples.events
            reading.gaps += stream.samples.gaps
        }
        reading.events.sortIfNeeded(by: \.time)
        reading.gaps.sortIfNeeded(by: \.time)
        let newest = streams.compactMap { stream in stream.samples.timeRange.map { ($0.upperBound, stream.provenance) } }
        let sent = newest.filter { $0.1 != .manual }
        reading.provenance = (sent.isEmpty ? newest : sent).max { $0.0 < $1.0 }?.1
        return reading
    }

    /// The streams with the scalars of one kind each time: which source counts is decided for each kind by itself.
    static func scalars(_ streams: [StreamReading]) -> [[StreamReading]] {
        var kinds: [UInt8: [StreamReading]] = [:]
        for stream in streams {
            for (kind, samples) in stream.samples.scalars.byKind {
                kinds[kind.rawValue, default: []].append(
                    StreamReading(stream: stream.stream, provenance: stream.provenance, samples: SampleSet(scalars: samples)))
            }
        }
        return kinds.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func select<Sample>(
        _ streams: [StreamReading], _ samples: (StreamReading) -> [Sample], _ time: (Sample) -> Milliseconds
    ) -> [Sample] {
        let filled = streams.filter { !samples($0).isEmpty }
        var selected = filled.count > 1 ? chosen(filled, samples, time).flatMap { $0 } : filled.first.map(samples) ?? []
        selected.sortIfNeeded(by: time)
        return selected
    }

    /// What counts of each stream.
    static func chosen<Sample>(
        _ filled: [StreamReading], _ samples: (StreamReading) -> [Sample], _ time: (Sample) -> Milliseconds
    ) -> [[Sample]] {
        func minute(_ sample: Sample) -> Int64 { Int64((Double(time(sample)) / 60_000).rounded(.down)) }
        var parts: [Int64: [Int: Part]] = [:]
        for (index, stream) in filled.enumerated() {
            for sample in samples(stream) { parts[minute(sample), default: [:]][index, default: Part()].take(time(sample)) }
        }
        let taken = parts.mapValues { parts in
            let ranked = parts.sorted { left, right in
                let (a, b) = (filled[left.key], filled[right.key])
                return (a.provenance.precedence, -left.value.count, a.stream) < (b.provenance.precedence, -right.value.count, b.stream)
            }
            return ranked.reduce(into: [(index: Int, part: Part)]()) { taken, next in
                guard !taken.contains(where: { $0.part.overlaps(next.value) }) else { return }
                taken.append((next.key, next.value))
            }.map(\.index)
        }
        return filled.enumerated().map { index, stream in
            samples(stream).filter { taken[minute($0)]?.contains(index) == true }
        }
    }
}

/// The samples of one stream in one minute.
private struct Part {
    var count = 0
    var first = Milliseconds.max
    var last = Milliseconds.min

    mutating func take(_ time: Milliseconds) {
        count += 1
        (first, last) = (min(first, time), max(last, time))
    }

    func overlaps(_ other: Part) -> Bool { first <= other.last && other.first <= last }
}

extension Provenance {
    /// Smaller goes first.
    fileprivate var precedence: Int {
        switch self {
        case .live: 0
        case .manual: 1
        case .import: 2
        case .replay: 3
        case .drill: 4
        }
    }
}

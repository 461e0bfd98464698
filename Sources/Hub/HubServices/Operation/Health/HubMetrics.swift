public import Logging
import Synchronization

/// Counts what happened. Cheap enough for every request: one relaxed addition.
public final class MetricCounter: Sendable {
    private let count = Atomic<UInt64>(0)

    public init() {}

    /// - Parameter number: 0 or more.
    public func add(_ number: Int = 1) { count.wrappingAdd(UInt64(clamping: number), ordering: .relaxed) }

    /// Since this hub started.
    public var value: UInt64 { count.load(ordering: .relaxed) }
}

/// How many there are now.
public final class MetricLevel: Sendable {
    private let level = Atomic<Int>(0)

    public init() {}

    public func add(_ number: Int) { level.wrappingAdd(number, ordering: .relaxed) }

    public var value: Int { level.load(ordering: .relaxed) }
}

/// How long something took, in ranges of seconds.
public final class MetricHistogram: Sendable {
    /// Upper ends, in seconds: from what a page takes to what nobody waits for.
    static let limits = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// One for each limit, and one for what takes longer.
    private let counts = (0...limits.count).map { _ in MetricCounter() }
    private let microseconds = MetricCounter()

    public init() {}

    /// Counts one that took so long.
    public func note(_ span: Duration) {
        let seconds = span / .seconds(1)
        counts[Self.limits.firstIndex { seconds <= $0 } ?? Self.limits.count].add()
        microseconds.add(Int(span / .microseconds(1)))
    }

    /// Its lines: each range with all below it, the sum in seconds, and how many there were.
    public func samples(of metric: HubMetric, _ labels: String...) -> [MetricSample] {
        var sum = 0.0, samples: [MetricSample] = []
        for (index, count) in counts.enumerated() {
            sum += Double(count.value)
            let limit = index < Self.limits.count ? Self.limits[index] : nil
            samples.append(MetricSample(metric, sum, labels: labels, part: .bucket(limit)))
        }
        samples.append(MetricSample(metric, Double(microseconds.value) / 1_000_000, labels: labels, part: .sum))
        return samples + [MetricSample(metric, sum, labels: labels, part: .count)]
    }
}

/// What a hub counts while it works, and where its figures come from.
public final class HubMetrics: Sendable {
    /// Lines of the log, by their level.
    public let lines = LogLines()
    /// What boxes and phones send.
    public let ingest = IngestMetrics()
    /// Open connections.
    public let connections = MetricLevel()
    private let sources = Mutex<[@Sendable () -> [MetricSample]]>([])

    public init() {
        add { [lines] in lines.samples }
        add { [ingest] in ingest.samples }
        add { [connections] in [MetricSample(.connections, connections.value)] }
    }

    /// Further figures. A source is asked with each reading: it waits for nothing.
    public func add(_ source: @escaping @Sendable () -> [MetricSample]) { sources.withLock { $0.append(source) } }

    /// All figures as they are now.
    public var samples: [MetricSample] { sources.withLock { $0 }.flatMap { $0() } }
}

/// Counts lines of the log.
public final class LogLines: Sendable {
    private let counts = Logger.Level.allCases.map { _ in MetricCounter() }

    public init() {}

    public func add(_ level: Logger.Level) {
        if let index = Logger.Level.allCases.firstIndex(of: level) { counts[index].add() }
    }

    var samples: [MetricSample] {
        zip(Logger.Level.allCases, counts).map { MetricSample(.logLines, $1.value, $0.rawValue) }
    }
}

/// Counts what boxes and phones send. It is told once for each commit, which holds what many of them sent.
public final class IngestMetrics: Sendable {
    private let stored = MetricCounter(), failed = MetricCounter(), samplesStored = MetricCounter()
    private let segments = MetricCounter(), refused = MetricCounter(), forked = MetricCounter()
    private let commits = MetricHistogram()

    public init() {}

    func committed(batches: Int, segments: Int, samples: Int, refused: Int, forked: Int, in span: Duration) {
        stored.add(batches)
        self.segments.add(segments)
        samplesStored.add(samples)
        self.refused.add(refused)
        self.forked.add(forked)
        commits.note(span)
    }

    func failed(batches: Int) { failed.add(batches) }

    var samples: [MetricSample] {
        [
            MetricSample(.ingestBatches, stored.value, "stored"), MetricSample(.ingestBatches, failed.value, "failed"),
            MetricSample(.ingestSegments, segments.value, "stored"), MetricSample(.ingestSegments, refused.value, "refused"),
            MetricSample(.ingestSegments, forked.value, "forked"), MetricSample(.ingestSamples, samplesStored.value),
        ] + commits.samples(of: .ingestCommit)
    }
}

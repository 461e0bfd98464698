import HubStore
import Logging
import Seams
import Segments
import SyncProtocol
import Synchronization
import Vitals

/// One thread that makes everybody's segments durable: what waits when it comes round goes into one commit.
final class Committer: Sendable {
    /// An object, because lists of them are cut and copied.
    private final class Waiting: Sendable {
        let batch: PreparedBatch
        let done: CheckedContinuation<[SyncAnswer.StreamState], any Error>

        init(batch: PreparedBatch, done: CheckedContinuation<[SyncAnswer.StreamState], any Error>) {
            (self.batch, self.done) = (batch, done)
        }
    }

    private struct Queue {
        var waiting: [Waiting] = []
        var bytes = 0
        var running = false
    }

    private let queue = Mutex(Queue())
    private let thread: WorkQueue
    private let series: SeriesStore
    private let bus: LiveBus
    private let metrics: IngestMetrics
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    /// Only touched on ``thread``, or before it runs.
    private let receivers = Mutex<[StreamID: Stream]>([:])

    /// What was stored of each person's part of a stream, by clock. Only touched where ``receivers`` are.
    private let densities = Mutex(DensityMemory(max: Committer.streamsMax))
    private let thinned: ThinnedSamples

    private struct Stream {
        var stored: SeriesStore.StoredStream
        var receiver: StreamReceiver
    }

    /// Batches and bytes in one commit, at most (one batch may be longer).
    static let groupMax = 512
    static let groupBytesMax = 8 << 20
    /// Samples in one commit, at most (one batch may have more): compressed, many times as many would fit into its bytes.
    static let groupSamplesMax = 1_000_000
    /// Bytes that wait, at most: agents keep theirs and come again.
    static let waitingBytesMax = 64 << 20
    /// Ranges of sequences in one stream, at most: each stays with it.
    static let rangesMax = 4096
    /// Streams held in memory, at most.
    static let streamsMax = 100_000

    init(
        series: SeriesStore, bus: LiveBus, thinned: ThinnedSamples, metrics: IngestMetrics, logger: Logger,
        now: @escaping @Sendable () -> Milliseconds
    ) {
        self.metrics = metrics
        (self.series, thread) = (series, BlockingQueue.commit.made(on: series.machine))
        self.thinned = thinned
        self.bus = bus
        self.logger = logger
        self.now = now
    }

    func commit(_ batch: PreparedBatch) async throws -> [SyncAnswer.StreamState] {
        try await withCheckedThrowingContinuation { continuation in
            let start: Bool? = queue.withLock { state in
                guard state.bytes <= Self.waitingBytesMax else { return nil }
                state.bytes += batch.bytes
                state.waiting.append(Waiting(batch: batch, done: continuation))
                defer { state.running = true }
                return !state.running
            }
            guard let start else {
                continuation.resume(throwing: StorageFailure(description: "more waits for the disk than the hub holds"))
                return
            }
            if start { thread.async { self.drain() } }
        }
    }

    private func drain() {
        while true {
            let group: [Waiting] = queue.withLock { state in
                var bytes = 0, samples = 0
                let count = state.waiting.prefix(Self.groupMax).prefix { waiting in
                    bytes += waiting.batch.bytes
                    samples += waiting.batch.samples
                    return bytes == waiting.batch.bytes || bytes <= Self.groupBytesMax && samples <= Self.groupSamplesMax
                }.count
                let group = Array(state.waiting.prefix(count))
                state.waiting.removeFirst(count)
                state.bytes -= group.reduce(0) { $0 + $1.batch.bytes }
                if group.isEmpty { state.running = false }
                return group
            }
            if group.isEmpty { return }
            let sealable = group.filter(isSealable)
            do {
                let answers = try store(sealable)
                for (waiting, answer) in zip(sealable, answers) { waiting.done.resume(returning: answer) }
            } catch {
                logger.error("nothing could be stored; agents keep their data and try again", metadata: ["error": "\(error)"])
                metrics.failed(batches: sealable.count)
                for waiting in sealable { waiting.done.resume(throwing: StorageFailure(description: "\(error)")) }
            }
        }
    }

    /// A person whose key cannot be read fails that person's batches and nobody else's.
    private func isSealable(_ waiting: Waiting) -> Bool {
        do {
            var last: PersonID?
            for prepared in waiting.batch.segments where prepared.segment.header.person != last {
                last = prepared.segment.header.person
                _ = try series.canSeal(prepared.segment.header.person)
            }
            return true
        } catch {
            logger.error("a batch could not be sealed; its agent keeps it", metadata: ["error": "\(error)"])
            waiting.done.resume(throwing: StorageFailure(description: "\(error)"))
            return false
        }
    }

    private struct Outcome {
        var refused: [SyncAnswer.Refusal] = []
        var forked: [UInt64] = []
    }

    private func store(_ group: [Waiting]) throws -> [[SyncAnswer.StreamState]] {
        try receivers.withLock { streams in
            if streams.count > Self.streamsMax { streams.removeAll() }
            // What a failed commit had counted as received must not stay: the streams are read again then.
            var touched: Set<StreamID> = []
            do {
                return try store(group, &streams, &touched)
            } catch {
                for stream in touched { streams[stream] = nil }
                densities.withLock { $0.forgetAll() }
                throw error
            }
        }
    }

    private func store(
        _ group: [Waiting], _ streams: inout [StreamID: Stream], _ touched: inout Set<StreamID>
    ) throws -> [[SyncAnswer.StreamState]] {
        let now = now(), start = series.machine.uptime
        let clockRows = try find(group, &streams, &touched, now: now)
        var taken = Taken()
        var outcomes: [Outcomes] = []
        for batch in group.lazy.map(\.batch) {
            var results = Outcomes()
            for (stream, refusal) in batch.refused { results.note(stream) { $0.refused.append(refusal) } }
            for prepared in batch.segments { try take(prepared, of: batch.agent.row, &streams, clockRows, &taken, &results) }
            outcomes.append(results)
        }
        try series.append(taken.frames, clocks: taken.clocks, now: now)
        note(taken, outcomes, in: series.machine.uptime - start)
        thinned.note(taken.leftOut, now: now)
        publish(taken.accepted, now: now)
        return outcomes.map { results in
            results.ofStreams.map { stream, outcome in
                SyncAnswer.StreamState(
                    stream: stream, received: streams[stream]?.receiver.received ?? SequenceSet(), refused: outcome.refused,
                    forked: outcome.forked)
            }
        }
    }

    /// Counts one commit.
    private func note(_ taken: Taken, _ outcomes: [Outcomes], in span: Duration) {
        var refused = 0, forked = 0
        for stream in outcomes.lazy.flatMap(\.ofStreams) {
            refused += stream.outcome.refused.count
            forked += stream.outcome.forked.count
        }
        metrics.committed(
            batches: outcomes.count, segments: taken.frames.count, samples: taken.frames.reduce(0) { $0 + ($1.samples ?? 0) },
            refused: refused, forked: forked, in: span)
    }

    /// The data that a group of batches writes.
    private struct Taken {
        var frames: [JournalFrame] = []
        var clocks: [(clock: Int64, records: [ClockRecord])] = []
        var accepted: [(segment: PreparedSegment, clock: Int64)] = []
        var leftOut: [ThinnedSamples.Count] = []
        /// Fingerprints that no store has yet.
        var fresh: [StreamID: [UInt64: UInt64]] = [:]
    }

    /// Of one batch.
    private struct Outcomes {
        private(set) var ofStreams: [(stream: StreamID, outcome: Outcome)] = []

        mutating func note(_ stream: StreamID, _ change: (inout Outcome) -> Void) {
            let index = ofStreams.firstIndex { $0.stream == stream } ?? ofStreams.endIndex
            if index == ofStreams.endIndex { ofStreams.append((stream, Outcome())) }
            change(&ofStreams[index].outcome)
        }
    }

    private func take(
        _ prepared: PreparedSegment, of agent: Int64, _ streams: inout [StreamID: Stream], _ clockRows: [SeriesStore.ClockKey: Int64],
        _ taken: inout Taken, _ results: inout Outcomes
    ) throws {
        let header = prepared.segment.header
        guard let stream = streams[header.stream]?.stored else { return }
        // Another agent's stream, or another provenance under the same name, is another writer.
        guard stream.agent == agent, stream.provenance == header.provenance else {
            return results.note(header.stream) { $0.forked.append(header.sequence) }
        }
        let known = streams[header.stream]?.receiver.received ?? SequenceSet()
        guard known.takes(header.sequence, within: Self.rangesMax),
            known.ranges.count + prepared.segment.samples.gaps.count <= 2 * Self.rangesMax
        else {
            return results.note(header.stream) {
                $0.refused.append(
                    .init(
                        sequence: header.sequence, reason: .range,
                        detail: "the stream has \(Self.rangesMax) holes: send what lies in one of them, or declare it lost"))
            }
        }
        let decision = try streams[header.stream]?.receiver.decide(
            sequence: header.sequence, fingerprint: prepared.fingerprint,
            stored: { try taken.fresh[header.stream]?[$0] ?? series.fingerprint(stream: stream.row, sequence: $0) })
        results.note(header.stream) { if decision == .fork { $0.forked.append(header.sequence) } }
        guard decision == .accept else { return }
        guard let clock = clockRows[.init(stream: stream.row, domain: header.clock)] else {
            throw StorageFailure(description: "a clock of stream \(stream.row) has no row")
        }
        var prepared = prepared
        if let count = thin(&prepared, clock: clock) { taken.leftOut.append(.init(sender: agent, of: prepared, count: count)) }
        let sealed = try prepared.encoded.withUnsafeBytes {
            try series.seal($0, person: header.person, stream: stream.row, sequence: header.sequence)
        }
        guard let sealed else {
            return results.note(header.stream) {
                $0.refused.append(.init(sequence: header.sequence, reason: .deleted, detail: "this person's data was deleted"))
            }
        }
        taken.fresh[header.stream, default: [:]][header.sequence] = prepared.fingerprint
        let samples = prepared.segment.samples
        for gap in samples.gaps { streams[header.stream]?.receiver.forget(gap.sequences) }
        if !samples.clocks.isEmpty { taken.clocks.append((clock, samples.clocks)) }
        taken.frames.append(
            JournalFrame(
                person: prepared.person, stream: stream.row, clock: clock, sequence: header.sequence, fingerprint: prepared.fingerprint,
                first: prepared.segment.header.firstTime, last: prepared.segment.header.lastTime, hasClocks: !samples.clocks.isEmpty,
                gaps: samples.gaps.map(\.sequences), envelope: sealed, samples: samples.count))
        taken.accepted.append((prepared, clock))
    }

    /// Leaves out what is beyond ``SampleDensity``. The fingerprint stays that of what was sent, which counts as received.
    /// - Returns: how many samples were left out; nil for none.
    private func thin(_ prepared: inout PreparedSegment, clock: Int64) -> Int? {
        var samples = prepared.segment.samples
        let count = densities.withLock { $0.thin(&samples, of: .init(clock: clock, person: prepared.person)) }
        guard count > 0 else { return nil }
        prepared.thin(to: samples)
        return count
    }

    /// Sees to it that all streams and clocks of these batches are known; returns the rows of the clocks.
    private func find(
        _ group: [Waiting], _ streams: inout [StreamID: Stream], _ touched: inout Set<StreamID>, now: Milliseconds
    ) throws -> [SeriesStore.ClockKey: Int64] {
        var claims: Set<SeriesStore.StreamClaim> = []
        for batch in group.lazy.map(\.batch) {
            for header in batch.segments.lazy.map(\.segment.header) {
                touched.insert(header.stream)
                guard streams[header.stream] == nil else { continue }
                claims.insert(.init(stream: header.stream, agent: batch.agent.row, provenance: header.provenance))
            }
        }
        if !claims.isEmpty {
            for (id, stored) in try series.streams(claims, now: now) {
                streams[id] = Stream(stored: stored, receiver: StreamReceiver(received: stored.received))
            }
        }
        var clocks: Set<SeriesStore.ClockKey> = []
        for header in group.lazy.flatMap(\.batch.segments).map(\.segment.header) {
            if let row = streams[header.stream]?.stored.row { clocks.insert(.init(stream: row, domain: header.clock)) }
        }
        return try series.clocks(clocks)
    }

    private func publish(_ accepted: [(segment: PreparedSegment, clock: Int64)], now: Milliseconds) {
        if !accepted.isEmpty { bus.arrived.note(accepted.lazy.map(\.segment.segment.header.person)) }
        for (prepared, _) in accepted where bus.concernsSOS(prepared.segment.header.person, prepared.segment.samples) {
            bus.arrivedForSOS.note(CollectionOfOne(prepared.segment.header.person))
        }
        for (prepared, clock) in accepted {
            let header = prepared.segment.header
            do {
                if case .boottime = header.clock, header.provenance == .live {
                    // A box that knows no time: its newest sample is about now.
                    try series.assume(time: header.lastTime, now: now, clock: clock)
                }
                guard bus.concerns(header.person) else { continue }
                let samples = try series.inUTC(prepared.segment.samples, clock: clock)
                bus.publish(
                    LiveUpdate(received: now, provenance: header.provenance, samples: samples), of: header.person)
            } catch {
                logger.error("a stored segment could not be shown live", metadata: ["error": "\(error)"])
            }
        }
    }
}

extension SequenceSet {
    /// Whether a sequence makes no more than so many ranges.
    fileprivate func takes(_ sequence: UInt64, within rangesMax: Int) -> Bool {
        ranges.count < rangesMax || contains(sequence) || (sequence > 0 && contains(sequence - 1))
            || (sequence < .max && contains(sequence + 1))
    }
}

internal import GRDB
internal import Segments
public import SyncProtocol
public import Vitals

/// SOS records that the disk has not taken yet: they go out from memory, under a stream of their own, whose sequences nobody has to
/// remember (design rule 7). When the disk takes them they keep their names, so that the hub has none of them twice.
public struct MemoryOutbox: Sendable {
    /// More than any hand presses; beyond it the oldest go.
    public static let segmentsMax = 4096

    private let stream: StreamID
    private var next: UInt64 = 0
    private(set) var segments: [Segment] = []
    /// Of whom the hub does not know that this box sends for them: theirs stay, and do not go out.
    private var unbound: Set<PersonID> = []

    public init(stream: StreamID) { self.stream = stream }

    public var isEmpty: Bool { segments.isEmpty }

    /// - Returns: false when the oldest had to go for it.
    public mutating func hold(_ records: SampleSet, of person: PersonID, clock: ClockDomain) -> Bool {
        segments.append(Segment(stream: stream, sequence: next, person: person, provenance: .live, clock: clock, samples: records))
        next += 1
        guard segments.count > Self.segmentsMax else { return true }
        segments.removeFirst()
        return false
    }

    /// Forgets what the disk took.
    public mutating func remove(_ stored: MemoryOutbox) {
        let sequences = Set(stored.segments.map(\.header.sequence))
        segments.removeAll { sequences.contains($0.header.sequence) }
    }

    /// All that waits, as far as one request takes it; nil when nothing does.
    public func batch() -> OutgoingBatch? {
        var batch = SegmentBatch(), sent = SentBatch()
        for segment in segments where !unbound.contains(segment.header.person) {
            guard batch.append(segment.encoded()) else { break }
            sent.sequences[segment.header.stream, default: []].append(segment.header.sequence)
            sent.segmentCount += 1
        }
        return sent.segmentCount == 0 ? nil : OutgoingBatch(body: batch.bytes, sent: sent)
    }

    /// The hub knows of these people: what was kept of them goes out.
    public mutating func bringBack(_ people: Set<PersonID>) { unbound.subtract(people) }

    /// Takes a hub's answer to a batch of this outbox; nil when nothing of the batch is here (any more). What the hub refuses goes too: it would refuse
    /// it again. Of people whom it does not know as this box's it stays until it does (``bringBack(_:)``).
    public mutating func apply(_ answer: SyncAnswer, to batch: SentBatch) -> AnswerOutcome? {
        guard let sent = batch.sequences[stream].map({ Set($0) }), segments.contains(where: { sent.contains($0.header.sequence) })
        else { return nil }
        var outcome = AnswerOutcome()
        // What waits on the disk was not looked at.
        outcome.more = true
        guard let state = answer.streams.first(where: { $0.stream == stream }), let received = state.receivedSet else { return outcome }
        let refusals = Dictionary((state.refused ?? []).map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
        segments.removeAll { segment in
            let sequence = segment.header.sequence
            guard sent.contains(sequence) else { return false }
            if let refusal = refusals[sequence] {
                outcome.refused += 1
                outcome.note(refusal.reason, of: segment.header.person)
                outcome.refusals.append("\(refusal.reason.rawValue): \(refusal.detail.prefix(200))")
                return refusal.reason != .notBound
            }
            guard received.contains(sequence) else { return false }
            outcome.acknowledged += 1
            return true
        }
        unbound.formUnion(outcome.unbound)
        return outcome
    }
}

extension SampleBuffer {
    /// Stores what was numbered in memory while the disk took nothing, under the names under which the hub may have it. On a full disk the
    /// oldest samples make place for it.
    public func adopt(_ outbox: MemoryOutbox, at time: BufferTime) throws(BufferError) {
        try add(at: time, givesUpOldest: true) { database in
            for segment in outbox.segments {
                let header = segment.header
                let stream = try database.stream(id: header.stream)?.key ?? database.makeStream(header.provenance, id: header.stream)
                // A write that failed at its very end may have been done.
                guard try !database.holds(header.sequence, of: stream) else { continue }
                try database.insert(
                    stream: stream, sequence: header.sequence, person: header.person, kind: SegmentKind.samples, hour: time.hour,
                    sealed: time.milliseconds, count: header.count, isSOS: segment.samples.holdsSOS, bytes: segment.encoded())
                try database.leaveToMemory(stream)
            }
        }
    }
}

extension Database {
    /// The sequences of a stream that memory numbers: what the disk adds, a gap record, is numbered far behind them.
    func leaveToMemory(_ stream: Int64) throws {
        try execute(sql: "UPDATE stream SET next = max(next, ?) WHERE key = ?", arguments: [Int64(1) << 40, stream])
    }

    func holds(_ sequence: UInt64, of stream: Int64) throws -> Bool {
        try Bool.fetchOne(
            self, sql: "SELECT EXISTS (SELECT 1 FROM segment WHERE stream = ? AND sequence = ?)", arguments: [stream, Int64(sequence)])
            ?? false
    }
}

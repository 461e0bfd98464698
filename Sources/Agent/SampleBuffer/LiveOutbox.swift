internal import Foundation
internal import GRDB
internal import Segments
public import SyncProtocol
internal import Synchronization
public import Vitals

/// Live samples on their way to the hub before they are on the disk, under a stream of their own for each start of the program, so that no
/// sequence is ever used twice. What the hub acknowledged stays here until many segments fill one write: each write wears the memory card out
/// by some hundred times what it holds. What the hub does not acknowledge in time goes to the disk (EDGE-5); whoever holds this decides when.
public struct LiveOutbox: Sendable {
    /// The disk is due for what the hub has when there is so much of it.
    public static let segmentsMax = 1024

    struct Held: Sendable {
        var sequence: UInt64
        var person: PersonID
        var count: Int
        var bytes: [UInt8]
        /// When the oldest of its samples came, by any monotonic clock.
        var since: Milliseconds
        /// The hub's UTC when it acknowledged; nil before.
        var acknowledged: Milliseconds?
    }

    private(set) var stream: StreamID
    private var next: UInt64 = 0
    private(set) var segments: [Held] = []
    /// The disk knows ``stream``.
    private var isStored = false

    public init(stream: StreamID) { self.stream = stream }

    public var count: Int { segments.count }
    /// When the oldest samples came that the hub does not have, and of all.
    public var oldestWaiting: Milliseconds? { segments.lazy.filter { $0.acknowledged == nil }.map(\.since).min() }
    public var oldest: Milliseconds? { segments.lazy.map(\.since).min() }

    /// Segments that the hub does not have yet.
    public var waiting: (segments: Int, samples: Int) { sum { $0.acknowledged == nil } }
    /// Segments that the hub has, and the disk has not.
    public var arrived: (segments: Int, samples: Int) { sum { $0.acknowledged != nil } }

    private func sum(_ counts: (Held) -> Bool) -> (segments: Int, samples: Int) {
        segments.reduce((0, 0)) { sum, held in counts(held) ? (sum.0 + 1, sum.1 + held.count) : sum }
    }

    /// - Parameters:
    ///   - since: when the oldest of the samples came.
    ///   - lost: samples before these were lost; a gap record says so, under a sequence of its own.
    public mutating func hold(
        _ samples: SampleSet, of person: PersonID, clock: ClockDomain, since: Milliseconds, lost: GapRecord.Reason? = nil
    ) {
        var samples = samples
        if let lost {
            samples.gaps.append(GapRecord(time: samples.timeRange?.lowerBound ?? 0, sequences: next...next, reason: lost))
            next += 1
        }
        let segment = Segment(stream: stream, sequence: next, person: person, provenance: .live, clock: clock, samples: samples)
        segments.append(Held(sequence: next, person: person, count: segment.header.count, bytes: segment.encoded(), since: since))
        next += 1
    }

    /// Forgets the copies of what the hub has, where the disk takes nothing; answers how many.
    public mutating func dropAcknowledged() -> Int {
        let before = segments.count
        segments.removeAll { $0.acknowledged != nil }
        return before - segments.count
    }

    /// What the hub does not have, as far as one request takes it, for when the disk cannot be read; nil when there is nothing.
    public func batch(bytesMax: Int) -> OutgoingBatch? {
        var gathered = Gathered()
        _ = gathered.append(self, bytesMax: bytesMax)
        return gathered.outgoing
    }

    mutating func emptied() {
        segments = []
        isStored = true
    }

    /// Notes what a hub has that lost nothing and refused nothing of what is here, and returns what is left for the disk to look at: the
    /// answer and the batch without it. nil, and nothing noted, when the answer says anything else about what is here.
    mutating func take(_ answer: SyncAnswer, to batch: SentBatch) -> (acknowledged: Int, answer: SyncAnswer, batch: SentBatch)? {
        let here = Set(segments.lazy.map(\.sequence))
        guard let all = batch.sequences[stream], all.contains(where: here.contains) else { return (0, answer, batch) }
        let sent = Set(all).intersection(here)
        guard let state = answer.streams.first(where: { $0.stream == stream }), let received = state.receivedSet,
            sent.allSatisfy(received.contains), state.refused == nil, state.forked == nil,
            segments.allSatisfy({ $0.acknowledged == nil || received.contains($0.sequence) })
        else { return nil }
        for index in segments.indices where sent.contains(segments[index].sequence) {
            if segments[index].acknowledged == nil { segments[index].acknowledged = answer.utc }
        }
        var answer = answer, batch = batch
        batch.sequences[stream] = isStored ? all.filter { !sent.contains($0) } : nil
        batch.segmentCount -= sent.count
        if !isStored { answer.streams.removeAll { $0.stream == stream } }
        return (sent.count, answer, batch)
    }
}

extension SampleBuffer {
    /// Stores all that `outbox` holds, what the hub has as acknowledged, under the names under which it was sent, and empties it.
    /// - Parameter givesUpOldest: as for ``seal(_:to:at:progress:givesUpOldest:)``.
    public func adopt(_ outbox: inout LiveOutbox, at time: BufferTime, givesUpOldest: Bool = false) throws(BufferError) {
        guard outbox.count > 0 else { return }
        let (id, segments, deferred) = (outbox.stream, outbox.segments, deferred.withLock { $0 })
        try add(at: time, givesUpOldest: givesUpOldest) { database in
            let stream = try database.stream(id: id)?.key ?? database.makeStream(.live, id: id)
            for held in segments {
                // A write that failed at its very end may have been done.
                guard try !database.holds(held.sequence, of: stream) else { continue }
                try database.insert(
                    stream: stream, sequence: held.sequence, person: held.person, kind: SegmentKind.samples, hour: time.hour,
                    sealed: time.milliseconds, count: held.count, isSOS: false, bytes: held.bytes, acknowledged: held.acknowledged)
            }
            try database.leaveToMemory(stream)
            try database.makeRoom(bytesMax: limits.bytesMax, at: time, had: deferred)
        }
        outbox.emptied()
    }

    /// Whether samples were lost with a damaged file, which the next seal has to tell.
    public func owesGap() throws(BufferError) -> Bool { try read { try $0.setting(.pendingGap) != nil } }

    /// Takes a hub's answer to a batch that holds segments of `outbox` too. What the hub says about those that goes beyond having them is
    /// left to the disk: they are stored first.
    public func apply(_ answer: SyncAnswer, to batch: SentBatch, _ outbox: inout LiveOutbox, at time: BufferTime) throws(BufferError)
        -> AnswerOutcome
    {
        guard let left = outbox.take(answer, to: batch) else {
            try adopt(&outbox, at: time)
            return try apply(answer, to: batch)
        }
        var outcome: AnswerOutcome
        do {
            outcome = try apply(left.answer, to: left.batch)
        } catch {
            // What was sent from memory arrived, whatever the disk says.
            guard left.batch.segmentCount == 0 else { throw error }
            outcome = AnswerOutcome()
            outcome.more = true
        }
        outcome.acknowledged += left.acknowledged
        return outcome
    }
}

internal import Foundation
internal import GRDB
internal import Segments
public import SyncProtocol
internal import Synchronization
public import Vitals

/// The changes by an answer.
public struct AnswerOutcome: Sendable, Hashable {
    public var acknowledged = 0
    public var refused = 0
    /// Moved to another stream, because the hub has other content under their sequences.
    public var moved = 0
    /// Acknowledged before and missing now: the hub was restored; they are sent again.
    public var lostByHub = 0
    /// The reasons of refusals, for people, as far as ten.
    public var refusals: [String] = []
    /// There are unsent segments.
    public var more = false
    /// Of whom the hub will take nothing again: they were deleted, or left this box.
    public var gone: Set<PersonID> = []
    /// Of whom it does not know that this box sends for them: what it refused of theirs is kept (``WithheldSegments``).
    public var unbound: Set<PersonID> = []
    /// Of ``refused``: theirs.
    public var withheld = 0

    /// - Parameter person: whose segment was refused.
    mutating func note(_ reason: SyncAnswer.Refusal.Reason, of person: PersonID) {
        if reason.endsPerson { gone.insert(person) }
        guard reason == .notBound else { return }
        unbound.insert(person)
        withheld += 1
    }

    public var isProgress: Bool { settled > 0 }

    var settled: Int { acknowledged + refused + moved }
}

extension SampleBuffer {
    /// Takes a hub's answer to `batch` (design rules 1 to 4). Whatever the answer says about sequences that were not in the batch cannot
    /// acknowledge them. An answer that says no more than that the hub has them may wait ten minutes in memory.
    public func apply(_ answer: SyncAnswer, to batch: SentBatch) throws(BufferError) -> AnswerOutcome {
        if let outcome = try postpone(answer, to: batch) { return outcome }
        let waiting = deferred.withLock { $0 }, cleansUp = deferred.withLock { $0.isTimeToCleanUp(at: answer.utc) }
        let outcome = try write { database in
            try database.settle(waiting, utc: answer.utc)
            var outcome = AnswerOutcome()
            let isOtherHub = try database.setting(.hub).map { $0 != answer.hub.description } ?? false
            for state in answer.streams {
                guard let sent = batch.sequences[state.stream], let received = state.receivedSet,
                    let stream = try database.stream(id: state.stream)
                else { continue }
                try database.apply(state, received: received, sent: sent, to: stream, utc: answer.utc, &outcome)
            }
            if isOtherHub {
                outcome.lostByHub += try database.probeStreams(besides: answer.streams.map(\.stream))
            }
            try database.set(.hub, answer.hub.description)
            try database.set(.lastAnswer, String(answer.utc))
            if cleansUp { try database.deleteSettled(before: answer.utc - limits.retention) }
            outcome.more = try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM segment WHERE state = 0)") ?? false
            return outcome
        }
        deferred.withLock { $0.clear() }
        return outcome
    }

    /// nil when the answer has to be written now.
    private func postpone(_ answer: SyncAnswer, to batch: SentBatch) throws(BufferError) -> AnswerOutcome? {
        var waiting = deferred.withLock { $0 }
        guard waiting.cleanedUp != nil, waiting.hasRoom(for: batch.segmentCount, at: answer.utc) else { return nil }
        waiting.add(batch, at: answer.utc)
        let outcome: AnswerOutcome? = try read { [waiting] database in
            guard try database.isPlain(answer, to: batch, after: waiting) else { return nil }
            var outcome = AnswerOutcome()
            outcome.acknowledged = batch.segmentCount
            outcome.more = try database.hasUnsent(besides: waiting)
            return outcome
        }
        if outcome != nil { deferred.withLock { $0 = waiting } }
        return outcome
    }
}

extension Database {
    fileprivate func apply(
        _ state: SyncAnswer.StreamState, received: SequenceSet, sent: [UInt64], to stream: StreamRow, utc: Milliseconds,
        _ outcome: inout AnswerOutcome
    ) throws {
        let inBatch = Set(sent), forked = Set(state.forked ?? []).intersection(inBatch)
        var refusals: [UInt64: SyncAnswer.Refusal] = [:]
        for refusal in state.refused ?? [] where inBatch.contains(refusal.sequence) { refusals[refusal.sequence] = refusal }
        var unchanged: UInt64?
        for sequence in sent {
            let before = outcome.settled
            if forked.contains(sequence) {
                outcome.moved += try move(sequence, of: stream) ? 1 : 0
            } else if let refusal = refusals[sequence] {
                let reason = "\(refusal.reason.rawValue): \(refusal.detail.prefix(200))"
                if let person = try person(of: sequence, stream) { outcome.note(refusal.reason, of: person) }
                let settled = refusal.reason == .notBound ? WithheldSegments.settled : utc
                outcome.refused += try settle(sequence, of: stream, SegmentState.refused, settled, reason)
                if outcome.refusals.count < 10 { outcome.refusals.append(reason) }
            } else if received.contains(sequence) {
                outcome.acknowledged += try settle(sequence, of: stream, SegmentState.acknowledged, utc)
            } else {
                continue
            }
            if outcome.settled == before { unchanged = sequence }
        }
        if let unchanged { try checkSettled(unchanged, of: stream) }
        outcome.lostByHub += try sendAgain(missingFrom: received, complete: state.complete, of: stream)
    }

    private func person(of sequence: UInt64, _ stream: StreamRow) throws -> PersonID? {
        try Data.fetchOne(
            self, sql: "SELECT person FROM segment WHERE stream = ? AND sequence = ?",
            arguments: [stream.key, Int64(bitPattern: sequence)]
        ).flatMap { PersonID(bytes: $0) }
    }

    /// Throws when a segment that could not be settled is found by the index of the unsent ones: they contradict each other, and it would
    /// be sent for ever. One that was dropped to make room while it was on its way is in neither.
    func checkSettled(_ sequence: UInt64, of stream: StreamRow) throws {
        let isUnsent = try Bool.fetchOne(
            self,
            sql: """
                SELECT EXISTS (
                    SELECT 1 FROM segment INDEXED BY segment_unsent WHERE state = 0 AND stream = ? AND sequence = ?)
                """,
            arguments: [stream.key, Int64(bitPattern: sequence)])
        if isUnsent == true { throw DatabaseError.damage("a segment is unsent and is not") }
    }

    func settle(
        _ sequence: UInt64, of stream: StreamRow, _ state: Int, _ utc: Milliseconds, _ reason: String? = nil
    ) throws -> Int {
        try cachedStatement(
            sql: "UPDATE segment SET state = ?, settled = ?, reason = ? WHERE stream = ? AND sequence = ? AND state = 0"
        ).execute(arguments: [state, utc, reason, stream.key, Int64(bitPattern: sequence)])
        return changesCount
    }

    /// Makes acknowledged segments unsent again that `received` shows to be missing.
    private func sendAgain(missingFrom received: SequenceSet, complete: Bool, of stream: StreamRow) throws -> Int {
        var count = 0
        for missing in received.gaps(complete: complete) {
            try cachedStatement(
                sql: """
                    UPDATE segment SET state = 0, settled = NULL
                    WHERE stream = ? AND sequence BETWEEN ? AND ? AND state = \(SegmentState.acknowledged)
                    """
            ).execute(arguments: [stream.key, missing.lowerBound, missing.upperBound])
            count += changesCount
        }
        return count
    }

    /// Another hub database answers: one segment of each stream that the answer did not name is sent again, so that the next answers show
    /// what is missing there.
    func probeStreams(besides named: [StreamID]) throws -> Int {
        let placeholders = named.map { _ in "?" }.joined(separator: ", ")
        try execute(
            sql: """
                UPDATE segment SET state = 0, settled = NULL WHERE key IN (
                    SELECT max(segment.key) FROM segment JOIN stream ON stream.key = segment.stream
                    WHERE state = \(SegmentState.acknowledged) AND stream.id NOT IN (\(placeholders)) GROUP BY segment.stream)
                """,
            arguments: StatementArguments(named.map(\.blob)))
        return changesCount
    }

    /// Gives a segment a sequence of the stream that succeeds its own.
    private func move(_ sequence: UInt64, of stream: StreamRow) throws -> Bool {
        let row = try Row.fetchOne(
            self, sql: "SELECT key, bytes FROM segment WHERE stream = ? AND sequence = ? AND state = 0",
            arguments: [stream.key, Int64(bitPattern: sequence)])
        guard let row, var segment = try? Segment(decoding: try row.bytes("bytes")) else { return false }
        let successor = try self.stream(key: try self.successor(of: stream))
        // A gap record names sequences of its own stream: in the new one it stands for one that is never used otherwise.
        for index in segment.samples.gaps.indices {
            let burnt = try takeSequences(of: successor.key)
            segment.samples.gaps[index].sequences = burnt...burnt
        }
        let moved = try takeSequences(of: successor.key)
        (segment.header.stream, segment.header.sequence) = (successor.id, moved)
        try execute(
            sql: "UPDATE segment SET stream = ?, sequence = ?, bytes = ? WHERE key = ?",
            arguments: [successor.key, Int64(moved), Data(segment.encoded()), try row.decode(Int64.self, forColumn: "key")])
        return true
    }
}

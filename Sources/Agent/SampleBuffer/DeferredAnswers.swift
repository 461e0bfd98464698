internal import GRDB
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// Acknowledgements that are not on the disk yet. Each write wears the memory card out, and nothing is lost with them: a box that loses its
/// power sends these few segments again, and the hub knows them.
struct DeferredAnswers: Sendable {
    /// They wait so long at most, by the hub's clock.
    static let timeMax: Milliseconds = 600_000
    /// More than this are a backlog, for which one write is nothing.
    static let segmentsMax = 64
    /// What is older than the retention is removed so often.
    static let cleanUpInterval: Milliseconds = 600_000

    private(set) var sequences: [StreamID: Set<UInt64>] = [:]
    private(set) var count = 0
    /// The hub's UTC of the first.
    private var since: Milliseconds?
    var cleanedUp: Milliseconds?

    func contains(_ sequence: UInt64, of stream: StreamID) -> Bool { sequences[stream]?.contains(sequence) ?? false }

    /// Whether an answer at `utc` to so many more segments can wait too.
    func hasRoom(for more: Int, at utc: Milliseconds) -> Bool {
        guard let since else { return more <= Self.segmentsMax }
        return count + more <= Self.segmentsMax && (0..<Self.timeMax).contains(utc - since)
    }

    mutating func add(_ batch: SentBatch, at utc: Milliseconds) {
        for (stream, sent) in batch.sequences {
            for sequence in sent where sequences[stream, default: []].insert(sequence).inserted { count += 1 }
        }
        since = since ?? utc
    }

    mutating func clear() { (sequences, count, since) = ([:], 0, nil) }

    mutating func isTimeToCleanUp(at utc: Milliseconds) -> Bool {
        if let cleanedUp, (0..<Self.cleanUpInterval).contains(utc - cleanedUp) { return false }
        cleanedUp = utc
        return true
    }
}

extension SampleBuffer {
    /// Brings acknowledgements that wait in memory to the disk.
    public func settle() throws(BufferError) {
        let waiting = deferred.withLock { $0 }
        guard waiting.count > 0 else { return }
        try write { database in
            let utc = try database.setting(.lastAnswer).flatMap { Int64($0) } ?? 0
            try database.settle(waiting, utc: utc)
        }
        deferred.withLock { $0.clear() }
    }
}

extension Database {
    func settle(_ deferred: DeferredAnswers, utc: Milliseconds) throws {
        for (id, sequences) in deferred.sequences {
            guard let stream = try stream(id: id) else { continue }
            var unchanged: UInt64?
            for sequence in sequences where try settle(sequence, of: stream, SegmentState.acknowledged, utc) == 0 { unchanged = sequence }
            if let unchanged { try checkSettled(unchanged, of: stream) }
        }
    }

    /// Unsent segments that the hub has already.
    func deferredCounts(_ deferred: DeferredAnswers) throws -> (segments: Int, samples: Int) {
        var segments = 0, samples = 0
        for (id, sequences) in deferred.sequences {
            guard let stream = try stream(id: id) else { continue }
            for sequence in sequences {
                let count = try Int.fetchOne(
                    self, sql: "SELECT count FROM segment WHERE stream = ? AND sequence = ? AND state = 0",
                    arguments: [stream.key, Int64(bitPattern: sequence)])
                guard let count else { continue }
                (segments, samples) = (segments + 1, samples + count)
            }
        }
        return (segments, samples)
    }

    /// Whether an answer says nothing but that the hub has what was in the batch, and has lost nothing, `deferred` included.
    func isPlain(_ answer: SyncAnswer, to batch: SentBatch, after deferred: DeferredAnswers) throws -> Bool {
        guard try setting(.hub) == answer.hub.description else { return false }
        for (id, sent) in batch.sequences {
            guard let state = answer.streams.first(where: { $0.stream == id }), state.refused == nil, state.forked == nil,
                let received = state.receivedSet, sent.allSatisfy(received.contains),
                deferred.sequences[id]?.allSatisfy(received.contains) ?? true, let stream = try stream(id: id)
            else { return false }
            for missing in received.gaps(complete: state.complete) where try hasAcknowledged(missing, of: stream) { return false }
        }
        return answer.streams.allSatisfy { batch.sequences[$0.stream] != nil }
    }

    private func hasAcknowledged(_ sequences: ClosedRange<Int64>, of stream: StreamRow) throws -> Bool {
        try Bool.fetchOne(
            self,
            sql: """
                SELECT EXISTS (
                    SELECT 1 FROM segment WHERE stream = ? AND sequence BETWEEN ? AND ? AND state = \(SegmentState.acknowledged))
                """,
            arguments: [stream.key, sequences.lowerBound, sequences.upperBound]) ?? false
    }

    /// Whether there is an unsent segment besides those that the hub has already.
    func hasUnsent(besides deferred: DeferredAnswers) throws -> Bool {
        let found = try Int.fetchOne(
            self, sql: "SELECT count(*) FROM (SELECT 1 FROM segment WHERE state = 0 LIMIT ?)", arguments: [deferred.count + 1])
        return found ?? 0 > deferred.count
    }
}

extension SequenceSet {
    /// What the set says to be missing: between its ranges, and with `complete` above them.
    func gaps(complete: Bool) -> [ClosedRange<Int64>] {
        let last = UInt64(Int64.max)
        var gaps: [ClosedRange<Int64>] = [], next: UInt64? = 0
        for range in ranges {
            if let next, range.lowerBound > next, next <= last { gaps.append(Int64(next)...Int64(min(range.lowerBound - 1, last))) }
            next = range.upperBound == .max ? nil : range.upperBound + 1
        }
        if complete, let next, next <= last { gaps.append(Int64(next)...Int64(last)) }
        return gaps
    }
}

internal import Foundation
internal import GRDB
internal import Segments
internal import Synchronization
public import Vitals

/// The contents of one request: only this can be acknowledged by its answer.
public struct SentBatch: Sendable, Hashable {
    public internal(set) var sequences: [StreamID: [UInt64]] = [:]
    public internal(set) var segmentCount = 0

    public init() {}
}

/// A request body with what it holds.
public struct OutgoingBatch: Sendable {
    /// An encoded `SegmentBatch`.
    public var body: [UInt8]
    public var sent: SentBatch
}

extension SampleBuffer {
    /// Damaged segments that one call sets aside at most, so that it does not take long; the next call goes on.
    private static let damagedMax = 256

    /// Unsent segments for one request: SOS records first, then those of `live`, then the newest hour, within an hour as they were sealed. At
    /// least one however long it is, at most `bytesMax` beyond that; nil when everything was sent. An SOS record does not
    /// wait for history to be on its way with it.
    ///
    /// A stored segment that cannot be read any more, or is filed under another name than its own, is never sent: the hub would refuse the
    /// request, again and again. It is set aside as refused, and a gap record goes to the hub in its place.
    public func nextBatch(bytesMax: Int, at time: BufferTime, live: LiveOutbox? = nil) throws(BufferError) -> OutgoingBatch? {
        while true {
            let waiting = deferred.withLock { $0 }
            let gathered = try read {
                try $0.gather(bytesMax: bytesMax, damagedMax: Self.damagedMax, live: live, besides: waiting)
            }
            let batch = gathered.outgoing
            if gathered.damaged.isEmpty { return batch }
            do {
                try write { database in
                    for segment in gathered.damaged { try database.setAside(segment, at: time) }
                }
                notify(
                    "\(gathered.damaged.count) stored segments of the buffer \(path) were damaged and cannot be sent; gap records "
                        + "say so to readers. If this happens again, replace the memory card or disk")
            } catch {
                // A disk that takes nothing must not keep back what is whole.
                if batch == nil { throw error }
            }
            if let batch { return batch }
        }
    }
}

extension SampleBuffer {
    /// Whether SOS records wait to be sent.
    public func holdsUnsentSOS() throws(BufferError) -> Bool {
        try read { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM segment WHERE state = 0 AND sos = 1)") ?? false }
    }
}

/// Unsent segments as far as they go into one request, and the damaged ones that were met on the way.
struct Gathered {
    var batch = SegmentBatch()
    var sent = SentBatch()
    var damaged: [DamagedSegment] = []

    var outgoing: OutgoingBatch? { sent.segmentCount == 0 ? nil : OutgoingBatch(body: batch.bytes, sent: sent) }

    /// false when there is no more room.
    mutating func append(_ bytes: [UInt8], _ sequence: UInt64, of stream: StreamID, bytesMax: Int) -> Bool {
        guard batch.count == 0 || batch.bytes.count + 4 + bytes.count <= bytesMax, batch.append(bytes) else { return false }
        sent.sequences[stream, default: []].append(sequence)
        sent.segmentCount += 1
        return true
    }

    mutating func append(_ live: LiveOutbox?, bytesMax: Int) -> Bool {
        guard let live else { return true }
        return live.segments.allSatisfy { held in
            held.acknowledged != nil || append(held.bytes, held.sequence, of: live.stream, bytesMax: bytesMax)
        }
    }
}

/// A row of `segment` that cannot be sent. `stream` and `sequence` are those that the hub will miss, as far as that is known.
struct DamagedSegment {
    var key: Int64
    var stream: StreamID?
    var sequence: UInt64?
    var person: PersonID?
}

extension Database {
    fileprivate func gather(
        bytesMax: Int, damagedMax: Int, live: LiveOutbox?, besides deferred: DeferredAnswers
    ) throws -> Gathered {
        var gathered = Gathered()
        for isSOS in [true, false] {
            if !isSOS {
                let holdsSOS = gathered.batch.count > 0
                guard gathered.append(live, bytesMax: bytesMax), !holdsSOS else { return gathered }
            }
            let rows = try Row.fetchCursor(
                self,
                sql: """
                    SELECT segment.key, stream.id, sequence, person, bytes
                    FROM segment LEFT JOIN stream ON stream.key = segment.stream
                    WHERE state = 0 AND sos = \(isSOS ? 1 : 0) ORDER BY \(isSOS ? "" : "hour DESC, ")segment.key
                    """)
            while let row = try rows.next() {
                let bytes = try row.bytes("bytes"), stream = StreamID(bytes: try row.bytes("id"))
                let sequence = UInt64(exactly: try row.decode(Int64.self, forColumn: "sequence"))
                let header = try? Segment(decoding: bytes).header
                guard let header, let stream, header.stream == stream, header.sequence == sequence else {
                    let person = PersonID(bytes: try row.bytes("person"))
                    gathered.damaged.append(
                        DamagedSegment(
                            key: try row.decode(forColumn: "key"), stream: header?.stream ?? stream,
                            sequence: header?.sequence ?? sequence, person: header?.person ?? person))
                    if gathered.damaged.count == damagedMax { return gathered }
                    continue
                }
                if deferred.contains(header.sequence, of: stream) { continue }
                guard gathered.append(bytes, header.sequence, of: stream, bytesMax: bytesMax) else { return gathered }
            }
        }
        return gathered
    }

    /// Refuses a damaged segment in the hub's place, and declares the gap that it leaves.
    fileprivate func setAside(_ segment: DamagedSegment, at time: BufferTime) throws {
        try execute(
            sql: "UPDATE segment SET state = ?, settled = ?, reason = 'damaged in the buffer' WHERE key = ? AND state = 0",
            arguments: [SegmentState.refused, try setting(.lastAnswer).flatMap { Int64($0) }, segment.key])
        guard changesCount > 0 else { return }
        guard let id = segment.stream, let stream = try stream(id: id), let sequence = segment.sequence, let person = segment.person else {
            // Nobody knows what is missing: the next seal tells that something is.
            return try set(.pendingGap, String(GapRecord.Reason.corruption.rawValue))
        }
        // On the axis of what was lost, where readers will look for it.
        let neighbour = try readableNeighbour(of: segment.key, stream: stream, person: person)
        let gap = GapRecord(time: neighbour?.lastTime ?? 0, sequences: sequence...sequence, reason: .corruption)
        try insert(
            SampleSet(gaps: [gap]), person: person, clock: neighbour?.clock ?? .wall, kind: SegmentKind.gap, into: stream, at: time)
    }

    /// The header of a segment of the same stream and person that was sealed shortly before, or else after, and can be read.
    private func readableNeighbour(of key: Int64, stream: StreamRow, person: PersonID) throws -> SegmentHeader? {
        for (comparison, order) in [("<", "DESC"), (">", "ASC")] {
            let rows = try Row.fetchCursor(
                self,
                sql: """
                    SELECT bytes FROM segment WHERE key \(comparison) ? AND stream = ? AND person = ? AND kind = \(SegmentKind.samples)
                    ORDER BY key \(order) LIMIT 8
                    """,
                arguments: [key, stream.key, person.blob])
            while let row = try rows.next() {
                if let segment = try? Segment(decoding: try row.bytes("bytes")), segment.header.stream == stream.id {
                    return segment.header
                }
            }
        }
        return nil
    }
}

internal import Foundation
internal import GRDB
internal import Segments
internal import Synchronization
public import Vitals

/// Samples of one person that become one segment.
public struct SealPart: Sendable {
    public var person: PersonID
    public var clock: ClockDomain
    public var samples: SampleSet
    /// Samples before these were lost; a gap record says so.
    public var lost: GapRecord.Reason?

    public init(person: PersonID, clock: ClockDomain, samples: SampleSet, lost: GapRecord.Reason? = nil) {
        self.person = person
        self.clock = clock
        self.samples = samples
        self.lost = lost
    }
}

/// To which stream a seal goes.
public enum SealTarget: Sendable, Hashable {
    case live
    /// Of what people enter by hand.
    case manual
    case replay(ReplayID)
}

extension SampleBuffer {
    /// Gives each part the next sequence of its stream and stores it, together with how far the replay is, in one transaction.
    ///
    /// Parts without samples make no segment, but the progress is stored. When the file grows over its limit, or the disk is nearly full, the
    /// oldest acknowledged segments go; at the limit, when there are none, the oldest unsent ones, for which gap records are sent.
    /// - Parameter givesUpOldest: on a full disk, too, the oldest unsent ones go when there is nothing else.
    public func seal(
        _ parts: [SealPart], to target: SealTarget, at time: BufferTime, progress: ReplayProgress? = nil, givesUpOldest: Bool = false
    ) throws(BufferError) {
        let waiting = deferred.withLock { $0 }
        try add(at: time, givesUpOldest: givesUpOldest) { database in
            let stream = try database.stream(key: try database.stream(of: target))
            try unconfirmed.begin(stream, target, in: database)
            // What was lost is told in the stream that lost it.
            let pending = target == .manual ? nil : try database.setting(.pendingGap).flatMap { UInt8($0) }.flatMap(GapRecord.Reason.init)
            var isDeclared = false
            for part in parts where !part.samples.isEmpty {
                var samples = part.samples
                if let reason = part.lost ?? pending {
                    // What was lost had no sequence: it gets one, so that the hub can tell readers of the hole.
                    let sequence = try database.takeSequences(of: stream.key)
                    let noticed = samples.timeRange?.lowerBound ?? 0
                    samples.gaps.append(GapRecord(time: noticed, sequences: sequence...sequence, reason: reason))
                    isDeclared = true
                }
                try database.insert(
                    samples, person: part.person, clock: part.clock, kind: SegmentKind.samples, into: stream, at: time)
            }
            if isDeclared, pending != nil { try database.set(.pendingGap, nil) }
            if let progress, case .replay(let replay) = target { try database.store(progress, of: replay) }
            try database.makeRoom(bytesMax: limits.bytesMax, at: time, had: waiting)
        }
        unconfirmed.end()
    }
}

extension Database {
    fileprivate func stream(of target: SealTarget) throws -> Int64 {
        switch target {
        case .live: return try stream(.liveStream, .live)
        case .manual: return try stream(.manualStream, .manual)
        case .replay(let replay):
            let key = try Int64.fetchOne(self, sql: "SELECT stream FROM replay WHERE key = ?", arguments: [replay.key])
            guard let key else { throw BufferError.missing(what: "replay") }
            return key
        }
    }

    func insert(
        _ samples: SampleSet, person: PersonID, clock: ClockDomain, kind: Int, into stream: StreamRow, at time: BufferTime
    ) throws {
        let sequence = try takeSequences(of: stream.key)
        let segment = Segment(
            stream: stream.id, sequence: sequence, person: person, provenance: stream.provenance, clock: clock,
            samples: samples)
        try insert(
            stream: stream.key, sequence: sequence, person: person, kind: kind, hour: time.hour, sealed: time.milliseconds,
            count: segment.header.count, isSOS: samples.holdsSOS, bytes: segment.encoded())
    }

    func insert(
        stream: Int64, sequence: UInt64, person: PersonID, kind: Int, hour: Int64, sealed: Milliseconds, count: Int, isSOS: Bool,
        bytes: [UInt8], acknowledged: Milliseconds? = nil
    ) throws {
        let state = acknowledged == nil ? SegmentState.unsent : SegmentState.acknowledged
        try cachedStatement(
            sql: """
                INSERT INTO segment (stream, sequence, person, kind, hour, sealed, count, state, settled, sos, bytes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [stream, Int64(sequence), person.blob, kind, hour, sealed, count, state, acknowledged, isSOS, Data(bytes)])
    }
}

extension SampleSet {
    /// Whether something in it is sent before everything else, and never dropped.
    public var holdsSOS: Bool { events.contains { $0.code.isSOS } }
}

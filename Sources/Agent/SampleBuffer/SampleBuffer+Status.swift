internal import Foundation
internal import GRDB
public import Seams
internal import Synchronization
public import Vitals

/// The buffer's status, for people and programs.
public struct BufferStatus: Sendable, Hashable, Codable {
    public var unsentSegments = 0
    public var unsentSamples = 0
    public var acknowledgedSegments = 0
    public var acknowledgedSamples = 0
    public var refusedSegments = 0
    /// The reasons of refusals with how often each came, the most frequent first, as far as ten.
    public var refusals: [String: Int] = [:]
    /// Of used pages.
    public var bytes = 0
    /// The hub's UTC of the last answer, milliseconds.
    public var lastAnswer: Milliseconds?
    /// The identifier of the hub's database.
    public var hub: String?
}

extension SampleBuffer {
    public func status() throws(BufferError) -> BufferStatus {
        let waiting = deferred.withLock { $0 }
        return try read { database in
            var status = try database.bufferStatus()
            let had = try database.deferredCounts(waiting)
            (status.unsentSegments, status.unsentSamples) = (status.unsentSegments - had.segments, status.unsentSamples - had.samples)
            status.acknowledgedSegments += had.segments
            status.acknowledgedSamples += had.samples
            return status
        }
    }

    /// Only what waits: cheap enough to ask every second.
    public func waiting() throws(BufferError) -> (segments: Int, samples: Int) {
        let deferred = deferred.withLock { $0 }
        return try read { database in
            let row = try Row.fetchOne(
                database, sql: "SELECT count(*) AS segments, coalesce(sum(count), 0) AS samples FROM segment WHERE state = 0")
            guard let row else { return (0, 0) }
            let segments = try row.decode(Int.self, forColumn: "segments"), samples = try row.decode(Int.self, forColumn: "samples")
            let had = try database.deferredCounts(deferred)
            return (segments - had.segments, samples - had.samples)
        }
    }
}

extension BufferStatus {
    /// The status of a buffer that no other process is using; nothing is changed or made.
    /// - Throws: ``BufferError/inUse(path:)`` when one is.
    public init(ofBufferIn directory: String, machine: Machine = .system) throws(BufferError) {
        let path = directory + "/buffer.sqlite"
        self.init()
        guard machine.files.exists(path) else { return }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            self = try DatabaseQueue(path: path, configuration: configuration).read { try $0.bufferStatus() }
        } catch {
            throw BufferError(error, path: path)
        }
    }
}

extension Database {
    fileprivate func bufferStatus() throws -> BufferStatus {
        var status = BufferStatus()
        // Not grouped: SQLite would sort all of it, 50 bytes of memory a segment.
        let (unsent, acknowledged) = (SegmentState.unsent, SegmentState.acknowledged)
        let row = try Row.fetchOne(
            self,
            sql: """
                SELECT total(state = \(unsent)) AS unsent, total(count * (state = \(unsent))) AS unsentSamples,
                    total(state = \(acknowledged)) AS acknowledged, total(count * (state = \(acknowledged))) AS acknowledgedSamples,
                    total(state = \(SegmentState.refused)) AS refused
                FROM segment
                """)
        func number(_ column: String) throws -> Int { try row?.decode(Double.self, forColumn: column).whole ?? 0 }
        (status.unsentSegments, status.unsentSamples) = (try number("unsent"), try number("unsentSamples"))
        (status.acknowledgedSegments, status.acknowledgedSamples) = (try number("acknowledged"), try number("acknowledgedSamples"))
        status.refusedSegments = try number("refused")
        let refusals = try Row.fetchAll(
            self,
            sql: """
                SELECT reason, count(*) AS segments FROM segment WHERE state = \(SegmentState.refused)
                GROUP BY reason ORDER BY 2 DESC LIMIT 10
                """)
        for row in refusals {
            let reason = try row.decode(String?.self, forColumn: "reason") ?? ""
            status.refusals[reason, default: 0] += try row.decode(Int.self, forColumn: "segments")
        }
        status.bytes = try usedBytes()
        status.lastAnswer = try setting(.lastAnswer).flatMap { Int64($0) }
        status.hub = try setting(.hub)
        return status
    }
}

extension Double {
    /// nil when it is none, which a damaged file can make it.
    fileprivate var whole: Int? { Int(exactly: rounded()) }
}

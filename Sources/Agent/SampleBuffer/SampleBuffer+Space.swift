internal import Foundation
internal import GRDB
internal import Glibc
internal import Seams
internal import Segments
internal import Synchronization
internal import Vitals

/// The free space where a file lies.
enum DiskSpace {
    /// Bytes that a program without privileges may still write.
    static func free(at path: String) -> Int? {
        var room = statvfs()
        guard statvfs(path, &room) == 0 else { return nil }
        return Int(clamping: UInt64(room.f_bavail) * UInt64(room.f_frsize))
    }

    static func length(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

extension SampleBuffer {
    /// So much stays free, on the disk or within the file, as long as there is anything that the hub has.
    static let reserve = 16 << 20
    /// Of the disk for each segment that is deleted at once: what that adds to the log, and more.
    private static let logBytes = 4096
    /// How many twentieths of the unsent samples go, tried in turn until a write succeeds; 0 is one segment, for a log that takes no more.
    private static let givenUp = [1, 4, 10, 20, 0]

    /// Whether less than ``reserve`` is free on the disk.
    public var isDiskNearlyFull: Bool { freeBytes(path).map { $0 < Self.reserve } ?? false }

    /// A write that adds segments. On a disk that is nearly full, by whomever, it deletes first, ahead of need: once neither file nor log can
    /// grow, nothing can be deleted either. Copies of damaged files go first, then the oldest of what the hub has, some at each write. Where
    /// the log cannot take that, it begins anew and the write is tried once more.
    /// - Parameter givesUpOldest: where that is not enough the oldest unsent samples go, in the same transaction, and are declared; SOS
    ///   records never.
    func add(at time: BufferTime, givesUpOldest: Bool, _ body: (Database) throws -> Void) throws(BufferError) {
        let had = deferred.withLock { $0 }
        var makesRoom = false, problem: BufferError
        func attempt(givingUp twentieths: Int? = nil) throws(BufferError) {
            try write { database in
                try makeRoomOnDisk(in: database, had: had, &makesRoom)
                if let twentieths { try database.giveUp(twentieths, at: time, had: had) }
                try body(database)
            }
        }
        do throws(BufferError) { return try attempt() } catch { problem = error }
        if makesRoom, restartLog() {
            do throws(BufferError) { return try attempt() } catch { problem = error }
        }
        guard givesUpOldest, (try? read { try isDiskTight(for: $0) }) == true else { throw problem }
        _ = restartLog()
        for twentieths in Self.givenUp {
            do throws(BufferError) { return try attempt(givingUp: twentieths) } catch { problem = error }
        }
        throw problem
    }

    /// Whether what is free on the disk and within the file is less than ``reserve``. What stands in the log alone still needs its place.
    private func isDiskTight(for database: Database) throws -> Bool {
        guard let free = freeBytes(path), free < 2 * Self.reserve else { return false }
        return try free + DiskSpace.length(of: path) - database.usedBytes() < Self.reserve
    }

    /// - Parameter makesRoom: set when there was anything to remove.
    private func makeRoomOnDisk(in database: Database, had: DeferredAnswers, _ makesRoom: inout Bool) throws {
        guard try isDiskTight(for: database) else { return }
        if Self.removeAside(path, machine.files) {
            notify("The disk is nearly full: the copies of damaged files beside \(path) were removed")
            makesRoom = true
        }
        var left = max(8, min(1024, (freeBytes(path) ?? 0) / Self.logBytes)), mayMark = had.count > 0
        while left > 0, try isDiskTight(for: database) {
            let deleted = try database.deleteSettled(where: "sos = 0", atMost: left)
            if deleted > 0 {
                left -= deleted
                makesRoom = true
            } else if mayMark {
                // What the hub has by answers that wait in memory.
                try database.settle(had, utc: try database.lastAnswer())
                mayMark = false
            } else {
                return
            }
        }
    }
}

extension Database {
    private static let slice = 64

    /// Bytes of pages that hold something.
    func usedBytes() throws -> Int {
        let pages = try Int.fetchOne(self, sql: "SELECT page_count FROM pragma_page_count()") ?? 0
        let free = try Int.fetchOne(self, sql: "SELECT freelist_count FROM pragma_freelist_count()") ?? 0
        let size = try Int.fetchOne(self, sql: "SELECT page_size FROM pragma_page_size()") ?? 4096
        return (pages - free) * size
    }

    /// Frees what the limit demands: first what the hub has, oldest first, then what is withheld (``WithheldSegments``), then the oldest unsent samples;
    /// SOS records never.
    func makeRoom(bytesMax: Int, at time: BufferTime, had: DeferredAnswers) throws {
        guard try usedBytes() > bytesMax else { return }
        try settle(had, utc: try lastAnswer())
        while try usedBytes() > bytesMax {
            if try deleteSettled(where: "sos = 0") > 0 { continue }
            // A twentieth at once, so that not every seal makes a gap record.
            let withheld = try count(.withheld)
            if withheld > 0 {
                try dropOldest(.withheld, max(1, withheld / 20), at: time)
                continue
            }
            let unsent = try count(.unsent)
            guard unsent > 1 else { return }
            try dropOldest(.unsent, max(1, unsent / 20), at: time)
        }
    }

    /// Frees room in a file that cannot grow: of what the hub has, and then of the oldest unsent samples; SOS records never.
    fileprivate func giveUp(_ twentieths: Int, at time: BufferTime, had: DeferredAnswers) throws {
        try settle(had, utc: try lastAnswer())
        var left = max(1, min(1024 * twentieths, try count(.unsent) * twentieths / 20))
        while left > 0 {
            let deleted = try deleteSettled(where: "sos = 0", atMost: left)
            if deleted == 0 { break }
            left -= deleted
        }
        let withheld = min(left, try count(.withheld))
        if withheld > 0 { try dropOldest(.withheld, withheld, at: time) }
        if left > withheld { try dropOldest(.unsent, left - withheld, at: time) }
    }

    /// The hub's UTC of its last answer; 0 before the first.
    fileprivate func lastAnswer() throws -> Milliseconds { try setting(.lastAnswer).flatMap { Int64($0) } ?? 0 }

    /// Deletes up to a slice of acknowledged or refused segments, the oldest first; answers how many.
    @discardableResult
    func deleteSettled(where condition: String, atMost count: Int? = nil, arguments: StatementArguments = []) throws -> Int {
        try execute(
            sql: """
                DELETE FROM segment WHERE key IN (
                    SELECT key FROM segment WHERE state <> 0 AND settled IS NOT ? AND \(condition)
                    ORDER BY settled, key LIMIT \(min(count ?? Self.slice, Self.slice)))
                """,
            arguments: [WithheldSegments.settled] + arguments)
        return changesCount
    }

    /// Deletes what was settled before `utc`, bounded so that it does not take long; the next time goes on.
    func deleteSettled(before utc: Milliseconds) throws {
        var slices = 0
        while slices < 16, try deleteSettled(where: "settled < ?", arguments: [utc]) == Self.slice { slices += 1 }
    }

    private struct Run {
        var stream: Int64
        var person: PersonID
        var sequences: ClosedRange<UInt64>
        var lastBytes: [UInt8]
    }

    /// Samples that the hub does not have.
    private enum Missing: String {
        case unsent = "state = 0 AND kind = 0 AND sos = 0"
        /// The time is the one of ``WithheldSegments/settled``.
        case withheld = "state = 2 AND settled = 9223372036854775807 AND kind = 0 AND sos = 0"
    }

    private func count(_ missing: Missing) throws -> Int {
        try Int.fetchOne(self, sql: "SELECT count(*) FROM segment WHERE \(missing.rawValue)") ?? 0
    }

    /// Drops the oldest samples that the hub does not have, and seals a gap record for each run of sequences.
    private func dropOldest(_ missing: Missing, _ count: Int, at time: BufferTime) throws {
        var runs: [Run] = []
        let rows = try Row.fetchAll(
            self,
            sql: "SELECT key, stream, sequence, person, bytes FROM segment WHERE \(missing.rawValue) ORDER BY hour, key LIMIT ?",
            arguments: [count])
        for row in rows {
            let person = PersonID(bytes: try row.bytes("person")),
                sequence = UInt64(exactly: try row.decode(Int64.self, forColumn: "sequence"))
            guard let person, let sequence else { throw DatabaseError.damage("a segment without person or sequence") }
            let stream = try row.decode(Int64.self, forColumn: "stream")
            if let last = runs.last, last.stream == stream, last.person == person, last.sequences.upperBound + 1 == sequence {
                runs[runs.count - 1].sequences = last.sequences.lowerBound...sequence
                runs[runs.count - 1].lastBytes = try row.bytes("bytes")
            } else {
                runs.append(
                    Run(stream: stream, person: person, sequences: sequence...sequence, lastBytes: try row.bytes("bytes")))
            }
            try execute(sql: "DELETE FROM segment WHERE key = ?", arguments: [try row.decode(Int64.self, forColumn: "key")])
        }
        for run in runs {
            // On the axis of what was dropped, where readers will look for it.
            let header = try? run.lastBytes.withUnsafeBytes { try Segment.header(of: $0) }
            let gap = GapRecord(time: header?.lastTime ?? 0, sequences: run.sequences, reason: .bufferFull)
            try insert(
                SampleSet(gaps: [gap]), person: run.person, clock: header?.clock ?? .wall, kind: SegmentKind.gap,
                into: try stream(key: run.stream), at: time)
        }
    }
}

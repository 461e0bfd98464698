internal import Foundation
internal import GRDB
internal import Seams
internal import Segments
internal import Vitals

/// Data read from a damaged file. Nothing in there is believed without a look at its type.
struct Salvaged {
    struct UnsentSegment {
        var header: SegmentHeader
        var kind: Int
        var hour: Int64
        var sealed: Milliseconds
        var isSOS: Bool
        var bytes: [UInt8]
    }
    struct Replay {
        static let blobs = ["person", "nmeaDigest", "bleDigest"], texts = ["nmeaName", "bleName"]
        static let integers = ["key", "shift", "nmeaEvents", "nmeaOffset", "bleEvents", "bleOffset", "state", "begun"]
        static let optionalIntegers = ["handle", "position", "finished"]
        static let columns = blobs + texts + integers + optionalIntegers

        /// In the order of `columns`.
        var values: [DatabaseValue]

        init(_ row: Row) throws {
            guard PersonID(bytes: try row.bytes("person")) != nil else { throw DatabaseError.damage("a replay of nobody") }
            values = try Self.blobs.map { try row.decode(Data?.self, forColumn: $0)?.databaseValue ?? .null }
            values += try Self.texts.map { try row.decode(String?.self, forColumn: $0)?.databaseValue ?? .null }
            values += try Self.integers.map { try row.decode(Int64.self, forColumn: $0).databaseValue }
            values += try Self.optionalIntegers.map { try row.decode(Int64?.self, forColumn: $0)?.databaseValue ?? .null }
        }
    }

    /// A start takes no longer than two seconds, whatever the damaged file looks like (design rule 6): it is read for so long, and so many
    /// segments are taken, because storing them takes time, too. The rest comes in turns (``SampleBuffer/carryOn(for:at:)``).
    static let timeMax = Duration.milliseconds(1000)
    static let rowsMax = 4096
    private static let columns = "SELECT key, state, settled, kind, hour, sealed, bytes FROM segment"

    var settings: [String: String] = [:]
    var replays: [Replay] = []
    /// By their key in the old file.
    var segments: [Int64: UnsentSegment] = [:]
    /// How far the segments were read.
    private(set) var progress: SalvageProgress
    /// Why nothing could be read this time, which says nothing about the file.
    private(set) var passing: (any Error)?

    /// Reads what a new file needs, and then segments as far as time allows; one at least.
    init(reading path: String, for time: Duration, on machine: Machine) {
        progress = .start
        let deadline = Deadline(after: time, on: machine)
        guard let damaged = connection(to: path) else { return }
        defer { try? damaged.close() }
        try? Self.each("SELECT name, value FROM setting", in: damaged) { row in
            settings[try row.decode(forColumn: "name")] = try row.decode(String.self, forColumn: "value")
        }
        // A running replay is the one that somebody asks for next.
        try? Self.each("SELECT * FROM replay ORDER BY key DESC", in: damaged) { replays.append(try Replay($0)) }
        // SOS records as far as their index leads to them, because time may be short for the rest.
        let records = "\(Self.columns) INDEXED BY segment_sos WHERE state = 0 AND sos = 1"
        try? Self.each(records, in: damaged, until: deadline) { try take($0) }
        readSegments(of: damaged, until: deadline, atMost: Self.rowsMax)
    }

    /// Reads segments on from where an earlier reading ended; one at least.
    init(reading path: String, from earlier: SalvageProgress, for time: Duration, on machine: Machine, atMost count: Int) {
        progress = earlier
        let deadline = Deadline(after: time, on: machine)
        guard let damaged = connection(to: path) else { return }
        defer { try? damaged.close() }
        readSegments(of: damaged, until: deadline, atMost: count)
        // A damaged tree can lead to the same place again and again.
        if progress == earlier, passing == nil { progress.metDamage() }
    }

    /// When a reading ends, by the machine's clock.
    private struct Deadline {
        let machine: Machine, end: Duration

        init(after time: Duration, on machine: Machine) { (self.machine, end) = (machine, machine.uptime + time) }

        var isOver: Bool { machine.uptime >= end }
    }

    private mutating func connection(to path: String) -> DatabaseQueue? {
        var configuration = Configuration()
        configuration.readonly = true
        do { return try DatabaseQueue(path: path, configuration: configuration) } catch {
            if error.isPassing { passing = error } else { progress = .done }
            return nil
        }
    }

    private static func each(
        _ sql: String, in damaged: DatabaseQueue, until deadline: Deadline? = nil, _ body: (Row) throws -> Void
    ) throws {
        try damaged.read { database in
            let rows = try Row.fetchCursor(database, sql: sql)
            var count = 0
            while count < rowsMax, let row = try rows.next() {
                count += 1
                try? body(row)
                if let deadline, deadline.isOver { return }
            }
        }
    }

    private mutating func take(_ row: Row) throws {
        let bytes = try row.bytes("bytes"), segment = try Segment(decoding: bytes)
        segments[try row.decode(forColumn: "key")] = UnsentSegment(
            header: segment.header, kind: (try? row.decode(Int.self, forColumn: "kind")) ?? SegmentKind.samples,
            hour: (try? row.decode(Int64.self, forColumn: "hour")) ?? 0, sealed: (try? row.decode(Int64.self, forColumn: "sealed")) ?? 0,
            isSOS: segment.samples.holdsSOS, bytes: bytes)
    }

    private mutating func readSegments(of damaged: DatabaseQueue, until deadline: Deadline, atMost count: Int) {
        let countMax = segments.count + count
        while progress != .done {
            let before = progress
            do {
                guard try readRows(of: damaged, until: deadline, countMax) else { return }
                progress.reachedEnd()
            } catch {
                if error.isPassing {
                    passing = error
                    return
                }
                // A place that the disk does not read may be read at the next try: it is there when nothing comes before it any more.
                guard error.isReadFailure else {
                    progress.metDamage()
                    continue
                }
                if progress == before { progress.metDamage() }
                return
            }
        }
    }

    /// What is withheld goes into the new file as unsent: the hub refuses it once more, or takes it.
    private static func isKept(_ row: Row) -> Bool {
        let state = try? row.decode(Int.self, forColumn: "state")
        if state == SegmentState.unsent { return true }
        return state == SegmentState.refused && (try? row.decode(Int64.self, forColumn: "settled")) == WithheldSegments.settled
    }

    /// Answers false when time is up or enough were read. A row that the hub has is passed over here and not by SQL, which would not look at
    /// the time.
    private mutating func readRows(of damaged: DatabaseQueue, until deadline: Deadline, _ countMax: Int) throws -> Bool {
        let (range, bound) = progress.range
        return try damaged.read { database in
            let rows = try Row.fetchCursor(database, sql: "\(Self.columns) NOT INDEXED WHERE \(range)", arguments: [bound])
            while let row = try rows.next() {
                if Self.isKept(row) { try? take(row) }
                if let key = try? row.decode(Int64.self, forColumn: "key") { progress.passed(key) }
                if segments.count >= countMax || deadline.isOver { return false }
            }
            return true
        }
    }
}

/// How far the segments of a damaged file were read: from the newest backwards, and where damage ends that, from the oldest forwards up to
/// the damage.
enum SalvageProgress: Sendable, Hashable {
    /// `isDoubtful`: a part of the tree may have been missed, because keys came out of their order, or because a turn began at a key: where
    /// keys are out of order it leads past some. The way forwards finds those.
    case backwards(before: Int64, isDoubtful: Bool)
    case forwards(after: Int64)
    case done

    static let start = SalvageProgress.backwards(before: .max, isDoubtful: false)

    /// The condition in SQL, and its argument.
    var range: (sql: String, bound: Int64) {
        switch self {
        case .backwards(let key, _): ("key < ? ORDER BY key DESC", key)
        case .forwards(let key): ("key > ? ORDER BY key", key)
        case .done: ("key > ? AND 0", 0)
        }
    }

    mutating func passed(_ key: Int64) {
        switch self {
        case .backwards(let before, let isDoubtful):
            self = .backwards(before: min(before, key), isDoubtful: isDoubtful || key >= before)
        case .forwards(let after): self = .forwards(after: max(after, key))
        case .done: break
        }
    }

    mutating func reachedEnd() {
        if case .backwards(_, isDoubtful: true) = self { self = .forwards(after: .min) } else { self = .done }
    }

    mutating func metDamage() {
        if case .backwards = self { self = .forwards(after: .min) } else { self = .done }
    }
}

/// As it is stored, for the next turn: "backwards 17", "forwards 17"; nil for ``done``, of which nothing is stored.
extension SalvageProgress {
    var text: String? {
        switch self {
        case .backwards(let key, _): "backwards \(key)"
        case .forwards(let key): "forwards \(key)"
        case .done: nil
        }
    }

    init?(text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, let key = Int64(words[1]) else { return nil }
        switch words[0] {
        case "backwards": self = .backwards(before: key, isDoubtful: key != .max)
        case "forwards": self = .forwards(after: key)
        default: return nil
        }
    }
}

extension Error {
    /// It says nothing about the file: a lack of memory, of descriptors, of room, of patience.
    var isPassing: Bool {
        let passing: [ResultCode] = [
            .SQLITE_CANTOPEN, .SQLITE_NOMEM, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL, .SQLITE_INTERRUPT, .SQLITE_FULL, .SQLITE_IOERR,
        ]
        return (self as? DatabaseError).map { passing.contains($0.resultCode) && !isReadFailure } ?? false
    }

    /// The disk does not give what the file holds. Also a file that is only read wants a file beside it, which a full disk does not take:
    /// that is none.
    fileprivate var isReadFailure: Bool {
        let failures: [ResultCode] = [.SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_DATA, .SQLITE_IOERR_CORRUPTFS]
        return (self as? DatabaseError).map { failures.contains($0.extendedResultCode) } ?? false
    }
}

extension Database {
    /// - Returns: how many segments were stored.
    func restore(_ saved: Salvaged) throws -> Int {
        for (name, value) in saved.settings where ![Setting.liveStream, .manualStream].map(\.rawValue).contains(name) {
            try execute(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [name, value])
        }
        try set(.pendingGap, String(GapRecord.Reason.corruption.rawValue))
        let count = try restoreSegments(of: saved)
        // With their old keys: a replay that is running knows its own.
        for replay in saved.replays {
            try execute(
                sql: """
                    INSERT OR IGNORE INTO replay (stream, \(Salvaged.Replay.columns.joined(separator: ", ")))
                    VALUES (?\(String(repeating: ", ?", count: Salvaged.Replay.columns.count)))
                    """,
                arguments: StatementArguments([try makeStream(.replay).databaseValue] + replay.values))
        }
        return count
    }

    /// Stores what is not there yet, under its old names: what was read before a power cut is read again, and a damaged tree can show one
    /// row twice.
    /// - Returns: how many segments were stored.
    func restoreSegments(of saved: Salvaged) throws -> Int {
        var keys: [StreamID: Int64] = [:], count = 0
        for (_, segment) in saved.segments.sorted(by: { $0.key < $1.key }) {
            let header = segment.header
            guard header.sequence < Int64.max else { continue }
            let key = try keys[header.stream] ?? stream(id: header.stream)?.key ?? makeStream(header.provenance, id: header.stream)
            keys[header.stream] = key
            guard try !holds(header.sequence, of: key) else { continue }
            try insert(
                stream: key, sequence: header.sequence, person: header.person, kind: segment.kind, hour: segment.hour,
                sealed: segment.sealed, count: header.count, isSOS: segment.isSOS, bytes: segment.bytes)
            try execute(sql: "UPDATE stream SET next = max(next, ?) WHERE key = ?", arguments: [Int64(header.sequence) + 1, key])
            count += 1
        }
        // A gap record that is added to such a stream meanwhile must not take the name of what is still to come.
        if saved.progress != .done { try keys.values.forEach(leaveToMemory) }
        return count
    }
}

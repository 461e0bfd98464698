internal import Foundation
internal import GRDB
internal import Segments
internal import Vitals

/// What was read of a damaged file. Nothing in there is believed without a look at its type.
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

    /// A start takes no longer than two seconds, whatever the damaged file looks like (design rule 6).
    private static let timeMax = Duration.milliseconds(1500)
    private static let rowsMax = 4096

    var settings: [String: String] = [:]
    var replays: [Replay] = []
    /// By their key in the old file.
    var segments: [Int64: UnsentSegment] = [:]

    init(reading path: String) {
        let deadline = ContinuousClock.now + Self.timeMax
        var configuration = Configuration()
        configuration.readonly = true
        guard let damaged = try? DatabaseQueue(path: path, configuration: configuration) else { return }
        defer { try? damaged.close() }
        func each(_ sql: String, rowsMax: Int = .max, _ body: (Row) throws -> Void) throws {
            try damaged.read { database in
                let rows = try Row.fetchCursor(database, sql: sql)
                var count = 0
                while count < rowsMax, ContinuousClock.now < deadline, let row = try rows.next() {
                    count += 1
                    try? body(row)
                }
            }
        }
        try? each("SELECT name, value FROM setting", rowsMax: Self.rowsMax) { row in
            settings[try row.decode(forColumn: "name")] = try row.decode(String.self, forColumn: "value")
        }
        // A running replay is the one that somebody asks for next.
        try? each("SELECT * FROM replay ORDER BY key DESC", rowsMax: Self.rowsMax) { replays.append(try Replay($0)) }
        let columns = "SELECT key, kind, hour, sealed, bytes FROM segment"
        func take(_ row: Row) throws {
            let bytes = try row.bytes("bytes"), segment = try Segment(decoding: bytes)
            segments[try row.decode(forColumn: "key")] = UnsentSegment(
                header: segment.header, kind: (try? row.decode(Int.self, forColumn: "kind")) ?? SegmentKind.samples,
                hour: (try? row.decode(Int64.self, forColumn: "hour")) ?? 0,
                sealed: (try? row.decode(Int64.self, forColumn: "sealed")) ?? 0, isSOS: segment.samples.holdsSOS, bytes: bytes)
        }
        // SOS records as far as their index leads to them, because time may be short for the rest.
        try? each("\(columns) INDEXED BY segment_sos WHERE state = 0 AND sos = 1", take)
        // From the newest backwards, then from the oldest forwards up to the damage.
        for order in ["DESC", "ASC"] {
            let isWhole: Void? = try? each("\(columns) NOT INDEXED WHERE state = 0 ORDER BY key \(order)", take)
            if isWhole != nil { break }
        }
    }
}

extension Database {
    private struct Name: Hashable {
        var stream: StreamID
        var sequence: UInt64
    }

    /// - Returns: how many segments were stored.
    func restore(_ saved: Salvaged) throws -> Int {
        for (name, value) in saved.settings where name != Setting.liveStream.rawValue {
            try execute(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [name, value])
        }
        try set(.pendingGap, String(GapRecord.Reason.corruption.rawValue))
        var keys: [StreamID: Int64] = [:], stored: Set<Name> = []
        for (_, segment) in saved.segments.sorted(by: { $0.key < $1.key }) {
            let header = segment.header
            // A damaged tree can show one row twice.
            guard header.sequence < Int64.max, stored.insert(Name(stream: header.stream, sequence: header.sequence)).inserted else {
                continue
            }
            let stream = try keys[header.stream] ?? makeStream(header.provenance, id: header.stream)
            keys[header.stream] = stream
            try insert(
                stream: stream, sequence: header.sequence, person: header.person, kind: segment.kind, hour: segment.hour,
                sealed: segment.sealed, count: header.count, isSOS: segment.isSOS, bytes: segment.bytes)
            try execute(
                sql: "UPDATE stream SET next = max(next, ?) WHERE key = ?", arguments: [Int64(header.sequence) + 1, stream])
        }
        // With their old keys: a replay that is running knows its own.
        for replay in saved.replays {
            try execute(
                sql: """
                    INSERT OR IGNORE INTO replay (stream, \(Salvaged.Replay.columns.joined(separator: ", ")))
                    VALUES (?\(String(repeating: ", ?", count: Salvaged.Replay.columns.count)))
                    """,
                arguments: StatementArguments([try makeStream(.replay).databaseValue] + replay.values))
        }
        return stored.count
    }
}

internal import Foundation
internal import GRDB
internal import Vitals

/// A row of `stream`.
struct StreamRow {
    var key: Int64
    var id: StreamID
    var provenance: Provenance

    init(_ row: Row) throws {
        key = try row.decode(forColumn: "key")
        guard let id = StreamID(bytes: try row.bytes("id")),
            let provenance = Provenance(rawValue: try row.decode(forColumn: "provenance"))
        else { throw DatabaseError.damage("a stream without identifier") }
        (self.id, self.provenance) = (id, provenance)
    }
}

extension Row {
    /// A blob as bytes; empty for NULL. Throws, as `decode` does and subscripts do not, when the column holds something else.
    func bytes(_ column: String) throws -> [UInt8] {
        try decode(Data?.self, forColumn: column).map { Array($0) } ?? []
    }
}

extension Identifier128 {
    var blob: Data { Data(bytes) }
}

extension Database {
    func stream(key: Int64) throws -> StreamRow {
        guard let row = try Row.fetchOne(self, sql: "SELECT * FROM stream WHERE key = ?", arguments: [key]) else {
            // Streams are never removed.
            throw DatabaseError.damage("a stream is missing")
        }
        return try StreamRow(row)
    }

    func stream(id: StreamID) throws -> StreamRow? {
        let stream = try Row.fetchOne(self, sql: "SELECT * FROM stream WHERE id = ?", arguments: [id.blob]).map(StreamRow.init)
        // Found by the index, which SQLite reads the identifier from too. Where the row has another its segments could never be acknowledged.
        if let stream, try self.stream(key: stream.key).id != id { throw DatabaseError.damage("a stream has two identifiers") }
        return stream
    }

    /// - Parameter id: nil for a new one, which the connection draws (``SampleBuffer/openQueue(_:on:)``).
    func makeStream(_ provenance: Provenance, id: StreamID? = nil) throws -> Int64 {
        try execute(
            sql: "INSERT INTO stream (id, provenance) VALUES (coalesce(?, new_id()), ?)", arguments: [id?.blob, provenance.rawValue])
        return lastInsertedRowID
    }

    /// The stream that a setting names; made when it is needed.
    func stream(_ setting: Setting, _ provenance: Provenance) throws -> Int64 {
        if let key = try self.setting(setting).flatMap({ Int64($0) }) { return key }
        let key = try makeStream(provenance)
        try set(setting, String(key))
        return key
    }

    /// Takes the next `count` sequences of a stream and answers with the first.
    func takeSequences(_ count: Int64 = 1, of stream: Int64) throws -> UInt64 {
        let next = try Int64.fetchOne(
            self, sql: "UPDATE stream SET next = next + ? WHERE key = ? RETURNING next", arguments: [count, stream])
        guard let next, next >= count else { throw DatabaseError.damage("a stream without next sequence") }
        return UInt64(next - count)
    }

    /// New samples go to new streams from here on; what is sealed stays where it is.
    func beginNewStreams() throws {
        for setting in [Setting.liveStream, .manualStream] { try set(setting, nil) }
        let running = try Int64.fetchAll(self, sql: "SELECT key FROM replay WHERE state = ?", arguments: [ReplayState.running])
        for replay in running {
            try execute(
                sql: "UPDATE replay SET stream = ? WHERE key = ?", arguments: [try makeStream(.replay), replay])
        }
    }

    /// Where the segments of a forked stream go: one stream for all of them, which also takes new samples in its place.
    func successor(of stream: StreamRow) throws -> Int64 {
        let known = try Int64.fetchOne(self, sql: "SELECT successor FROM stream WHERE key = ?", arguments: [stream.key])
        if let known { return known }
        let key = try makeStream(stream.provenance)
        try execute(sql: "UPDATE stream SET successor = ? WHERE key = ?", arguments: [key, stream.key])
        for setting in [Setting.liveStream, .manualStream] where try self.setting(setting) == String(stream.key) {
            try set(setting, String(key))
        }
        try execute(sql: "UPDATE replay SET stream = ? WHERE stream = ?", arguments: [key, stream.key])
        return key
    }
}

import Database
import Foundation
import Privacy
public import Seams
public import Vitals

extension Migration {
    /// Imports of files that a person brought: which stream holds what each added, so that it can be taken back. What was found stands in
    /// `envelope`, sealed. `finished` is null while the hub reads, and for ever where it was stopped meanwhile.
    static let imports = Migration(
        name: "7 imports",
        sql: """
            CREATE TABLE file_import(id INTEGER PRIMARY KEY, import BLOB NOT NULL UNIQUE, person INTEGER NOT NULL, stream BLOB NOT NULL,
                started INTEGER NOT NULL, finished INTEGER, undone INTEGER, envelope BLOB NOT NULL);
            CREATE INDEX file_import_person ON file_import(person, id);
            """)

    /// A deletion may be of what one stream added, which an import that was undone is.
    static let deletedStreams = Migration(
        name: "4 deleted streams", sql: "ALTER TABLE deleted_part ADD COLUMN stream BLOB;")
}

/// Names an import. It is random, and says nothing of it.
public struct ImportID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// An import of files, without what was found in them.
public struct StoredImport: Sendable, Hashable {
    public let id: ImportID
    /// The stream that holds what it added, and nothing else.
    public let stream: StreamID
    /// UTC.
    public let started: Milliseconds
    /// UTC; nil while it runs, and where the hub was stopped meanwhile.
    public let finished: Milliseconds?
    /// When the person took it back, UTC.
    public let undone: Milliseconds?
}

/// The imports of people's own files (DATA-2), and what of their content is stored already.
public struct ImportStore: SeriesSubjectStore {
    let store: SeriesStore
    /// The machine that the hub was built on.
    public var machine: Machine { store.machine }

    /// - Parameter store: in whose database the imports are.
    public init(_ store: SeriesStore) { self.store = store }

    /// Imports of a person that are listed. Older ones are forgotten, and with them the way to undo them.
    public static let countMax = 200

    /// Notes that an import begins.
    /// - Parameter result: what is known of it, sealed with the person's key.
    /// - Throws: ``HubStoreError/unknownPerson(_:)`` for somebody unknown or deleted.
    public func begin(_ id: ImportID, of person: PersonID, result: some Encodable, now: Milliseconds) throws -> StoredImport {
        guard let row = try accounts.row(of: person) else { throw HubStoreError.unknownPerson(person.description) }
        let stream = keys.machine.randomness.id(StreamID.self), envelope = try seal(result, of: person, .fileImport, (id.high, id.low))
        try series.write { db in
            try db.execute(
                sql: "INSERT INTO file_import(import, person, stream, started, envelope) VALUES(?, ?, ?, ?, ?)",
                arguments: [Data(id.bytes), row, Data(stream.bytes), now, envelope])
            try db.execute(
                sql: """
                    DELETE FROM file_import WHERE person = ?1 AND id NOT IN
                        (SELECT id FROM file_import WHERE person = ?1 ORDER BY id DESC LIMIT ?2)
                    """,
                arguments: [row, Self.countMax])
        }
        return StoredImport(id: id, stream: stream, started: now, finished: nil, undone: nil)
    }

    /// Replaces what is known of an import.
    /// - Parameter finished: UTC; nil while it goes on.
    public func note(_ id: ImportID, of person: PersonID, result: some Encodable, finished: Milliseconds?) throws {
        let envelope = try seal(result, of: person, .fileImport, (id.high, id.low))
        try series.write { db in
            try db.execute(
                sql: "UPDATE file_import SET envelope = ?, finished = ? WHERE import = ?",
                arguments: [envelope, finished, Data(id.bytes)])
        }
    }

    /// Notes that an import was taken back.
    public func note(_ id: ImportID, undone: Milliseconds) throws {
        try series.write {
            try $0.execute(sql: "UPDATE file_import SET undone = ? WHERE import = ?", arguments: [undone, Data(id.bytes)])
        }
    }

    /// A person's imports, the newest first.
    public func imports(of person: PersonID) throws -> [StoredImport] {
        guard let row = try accounts.row(of: person) else { return [] }
        return try series.read { db in
            try db.fetchAll(sql: "SELECT \(Self.listed) WHERE person = ? ORDER BY id DESC", arguments: [row]).compactMap(Self.stored)
        }
    }

    /// One of a person's imports with what was found; nil for another's. What was found is nil where it does not open.
    public func find<Result: Decodable>(
        _ id: ImportID, of person: PersonID, as type: Result.Type
    ) throws -> (stored: StoredImport, result: Result?)? {
        guard let row = try accounts.row(of: person) else { return nil }
        let found = try series.read { db in
            try db.fetchOne(sql: "SELECT \(Self.listed) WHERE import = ? AND person = ?", arguments: [Data(id.bytes), row])
        }
        guard let found, let stored = Self.stored(found) else { return nil }
        let result: Result?? = try unlessDamaged(.fileImport, id.description) {
            try open(type, found[5] as Data, of: person, .fileImport, (id.high, id.low))
        }
        return (stored, result ?? nil)
    }

    private static let listed = "import, stream, started, finished, undone, envelope FROM file_import"

    private static func stored(_ row: Row) -> StoredImport? {
        guard let id = ImportID(bytes: row[0] as Data), let stream = StreamID(bytes: row[1] as Data) else { return nil }
        return StoredImport(id: id, stream: stream, started: row[2], finished: row[3], undone: row[4])
    }

    /// Whether something that the person took back is not cleared yet: what comes meanwhile would be taken for a duplicate of it.
    public func isClearing(_ person: PersonID) throws -> Bool {
        let erasure = store.erasure
        return try accounts.deletedParts(of: person).contains { part in
            try part.stream != nil && erasure.progress(of: part)?.finished == nil
        }
    }
}

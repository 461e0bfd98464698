internal import GRDB

/// All migrations of the buffer's file, oldest first. One that was released is never changed.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 streams, segments, replays") { database in
            try database.execute(sql: version1)
        }
        migrator.registerMigration("2 SOS records") { database in
            try database.execute(sql: version2)
        }
        return migrator
    }

    /// The schema that the migrations make; nil only when there is no memory for it.
    private static let made: [[DatabaseValue]]? = try? {
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        return try queue.read(objects)
    }()

    private static func objects(_ database: Database) throws -> [[DatabaseValue]] {
        try Row.fetchAll(database, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name, type")
            .map { Array($0.databaseValues) }
    }

    /// Throws when the schema in the file is not the one that the migrations make: SQLite reads a damaged one without complaint.
    static func check(_ database: Database) throws {
        // The file of a newer version has more.
        guard let made, try !migrator.hasBeenSuperseded(database) else { return }
        let shared = try Int.fetchOne(
            database, sql: "SELECT count(*) - count(DISTINCT rootpage) FROM sqlite_master WHERE rootpage > 0")
        guard try objects(database) == made, shared == 0 else { throw DatabaseError.damage("its schema is another") }
    }

    /// `setting`: what must survive a restart and is no sample.
    /// `stream`: `next` is the sequence of the next segment; `successor` takes over after a fork.
    /// `segment`: `kind` 0 samples, 1 a gap record; `hour` puts the seals of all boots in order (see `BufferTime.hour`), `sealed` is the
    /// time within the boot; `settled` is the hub's UTC when it acknowledged or refused.
    /// `replay`: progress counts events of each file; the byte offsets beside it prove on resumption that the same events were skipped.
    private static let version1 = """
        CREATE TABLE setting (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

        CREATE TABLE stream (
            key INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            provenance INTEGER NOT NULL,
            next INTEGER NOT NULL DEFAULT 0,
            successor INTEGER REFERENCES stream);

        CREATE TABLE segment (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            stream INTEGER NOT NULL REFERENCES stream,
            sequence INTEGER NOT NULL,
            person BLOB NOT NULL,
            kind INTEGER NOT NULL,
            hour INTEGER NOT NULL,
            sealed INTEGER NOT NULL,
            count INTEGER NOT NULL,
            state INTEGER NOT NULL DEFAULT 0,
            settled INTEGER,
            reason TEXT,
            bytes BLOB NOT NULL,
            UNIQUE (stream, sequence));
        CREATE INDEX segment_unsent ON segment (hour DESC, key, sealed, count) WHERE state = 0;
        CREATE INDEX segment_settled ON segment (settled, key) WHERE state <> 0;
        CREATE INDEX segment_refused ON segment (key) WHERE state = 2;

        CREATE TABLE replay (
            key INTEGER PRIMARY KEY,
            person BLOB NOT NULL,
            stream INTEGER NOT NULL REFERENCES stream,
            nmeaDigest BLOB, nmeaName TEXT,
            bleDigest BLOB, bleName TEXT,
            shift INTEGER NOT NULL,
            handle INTEGER,
            nmeaEvents INTEGER NOT NULL DEFAULT 0, nmeaOffset INTEGER NOT NULL DEFAULT 0,
            bleEvents INTEGER NOT NULL DEFAULT 0, bleOffset INTEGER NOT NULL DEFAULT 0,
            position INTEGER,
            state INTEGER NOT NULL DEFAULT 0,
            begun INTEGER NOT NULL,
            finished INTEGER);
        """

    /// `sos`: 1 when the segment holds an SOS record. Version 1 knew none.
    private static let version2 = """
        ALTER TABLE segment ADD COLUMN sos INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX segment_sos ON segment (key) WHERE state = 0 AND sos = 1;
        """
}

/// `segment.state`.
enum SegmentState {
    static let unsent = 0
    static let acknowledged = 1
    static let refused = 2
}

/// `segment.kind`.
enum SegmentKind {
    static let samples = 0
    static let gap = 1
}

/// `replay.state`.
enum ReplayState {
    static let running = 0
    static let finished = 1
    /// Begun anew by `--again`.
    static let abandoned = 2
}

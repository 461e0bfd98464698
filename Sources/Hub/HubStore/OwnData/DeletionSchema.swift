import Database

extension Migration {
    /// Which parts were deleted stands with the keys, whose backup is its latest state only: a restored series deletes them again.
    static let deletedParts = Migration(
        name: "2 deleted parts",
        sql: """
            CREATE TABLE deleted_part(part BLOB PRIMARY KEY, person BLOB NOT NULL, kinds INTEGER NOT NULL, first INTEGER NOT NULL,
                last INTEGER NOT NULL, requested INTEGER NOT NULL) WITHOUT ROWID;
            """)

    /// A merge asks for the parts of each person whose data came.
    static let deletedPartsByPerson = Migration(
        name: "5 deleted parts by person", sql: "CREATE INDEX deleted_part_person ON deleted_part(person, requested, part);")

    /// What each person's blocks take, kept by triggers so that no writer can forget it; how far the deletion of parts has come; and an index
    /// in which a reader finds the blocks of a span without touching the others.
    static let spaceAndDeletions = Migration(
        name: "3 space, deletions",
        sql: """
            CREATE TABLE space(person INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);
            INSERT INTO space SELECT person, sum(length(envelope)) FROM block GROUP BY person;
            CREATE TRIGGER block_added AFTER INSERT ON block BEGIN
                INSERT INTO space(person, bytes) VALUES(NEW.person, length(NEW.envelope))
                    ON CONFLICT(person) DO UPDATE SET bytes = bytes + excluded.bytes;
            END;
            CREATE TRIGGER block_removed AFTER DELETE ON block BEGIN
                UPDATE space SET bytes = bytes - length(OLD.envelope) WHERE person = OLD.person;
            END;
            CREATE INDEX block_time ON block(person, utc_last, utc_first, kind);
            CREATE TABLE deletion(part BLOB PRIMARY KEY, block INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0,
                finished INTEGER) WITHOUT ROWID;
            """)

    /// The audit log, and what people were told about their space.
    static let ownData = Migration(
        name: "4 audit, quota notices",
        sql: """
            CREATE TABLE audit(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, actor BLOB, action TEXT NOT NULL, subject BLOB,
                previous BLOB NOT NULL, hash BLOB NOT NULL);
            CREATE TABLE quota_notice(person INTEGER PRIMARY KEY, overwritten INTEGER NOT NULL, told INTEGER);
            """)
}

import Database

extension Migration {
    /// Rollups of people's samples. `level` 0 holds the minutes of an hour, 1 the hours of a day, 2 the means of minutes by the hours of
    /// a day; `start` counts hours or days since 1970, UTC. What changed in blocks is `rollup_due`, kept by triggers so that no writer can
    /// forget it: hours `first` to `last`, with a count of changes. Before `whole` (an hour) raw data is not complete any more, before
    /// `minutes` the minutes are gone as well.
    static let rollups = Migration(
        name: "6 rollups",
        sql: """
            CREATE TABLE rollup(person INTEGER NOT NULL, kind INTEGER NOT NULL, level INTEGER NOT NULL, start INTEGER NOT NULL,
                envelope BLOB NOT NULL, PRIMARY KEY(person, kind, level, start)) WITHOUT ROWID;
            CREATE TABLE rollup_due(person INTEGER NOT NULL, kind INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
                changes INTEGER NOT NULL DEFAULT 1, PRIMARY KEY(person, kind, first, last)) WITHOUT ROWID;
            CREATE INDEX rollup_due_last ON rollup_due(last);
            CREATE TABLE rollup_kept(person INTEGER NOT NULL, kind INTEGER NOT NULL, whole INTEGER NOT NULL, minutes INTEGER NOT NULL,
                PRIMARY KEY(person, kind)) WITHOUT ROWID;
            CREATE TRIGGER rollup_block_added AFTER INSERT ON block \(makesDue("NEW"));
            CREATE TRIGGER rollup_block_removed AFTER DELETE ON block \(makesDue("OLD"));
            CREATE TRIGGER rollup_block_left AFTER UPDATE OF utc_first, utc_last ON block \(makesDue("OLD"));
            CREATE TRIGGER rollup_block_moved AFTER UPDATE OF utc_first, utc_last ON block \(makesDue("NEW"));
            ALTER TABLE space ADD COLUMN rolled INTEGER NOT NULL DEFAULT 0;
            CREATE TRIGGER rollup_added AFTER INSERT ON rollup WHEN NEW.level = 0 BEGIN
                INSERT INTO space(person, bytes, rolled) VALUES(NEW.person, 0, length(NEW.envelope))
                    ON CONFLICT(person) DO UPDATE SET rolled = rolled + excluded.rolled;
            END;
            CREATE TRIGGER rollup_removed AFTER DELETE ON rollup WHEN OLD.level = 0 BEGIN
                UPDATE space SET rolled = rolled - length(OLD.envelope) WHERE person = OLD.person;
            END;
            CREATE TRIGGER rollup_changed AFTER UPDATE OF envelope ON rollup WHEN NEW.level = 0 BEGIN
                UPDATE space SET rolled = rolled + length(NEW.envelope) - length(OLD.envelope) WHERE person = NEW.person;
            END;
            INSERT INTO rollup_due(person, kind, first, last)
                SELECT DISTINCT person, kind, \(hour("utc_first")), \(hour("utc_last")) FROM block;
            """)

    /// Heart rates are rolled up anew, with the means of their minutes, which were not kept before.
    static let rollupMeans = Migration(
        name: "8 means of minutes",
        sql: """
            INSERT INTO rollup_due(person, kind, first, last)
                SELECT DISTINCT person, kind, \(hour("utc_first")), \(hour("utc_last")) FROM block WHERE kind = 1
                ON CONFLICT(person, kind, first, last) DO UPDATE SET changes = rollup_due.changes + 1;
            """)

    /// The body of a trigger: the hours of a block are due.
    private static func makesDue(_ block: String) -> String {
        """
        BEGIN
            INSERT INTO rollup_due(person, kind, first, last)
                VALUES(\(block).person, \(block).kind, \(hour("\(block).utc_first")), \(hour("\(block).utc_last")))
                ON CONFLICT(person, kind, first, last) DO UPDATE SET changes = changes + 1;
        END
        """
    }

    /// The hour of a time, also of one before 1970.
    private static func hour(_ time: String) -> String { "((\(time) - ((\(time) % 3600000) + 3600000) % 3600000) / 3600000)" }
}

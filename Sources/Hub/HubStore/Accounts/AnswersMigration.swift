import Database

extension Migration {
    /// What still follows an answer; browsers with notices go with their session, whose hash stays in `last_session` when it is forgotten as too
    /// old; accounts that one opens for others; addresses that want no letters, as keyed hashes. `answer` is sealed with a key of the hub.
    static let answers = Migration(
        name: "10 answers, sessions of browsers, openings, unwanted letters",
        sql: """
            CREATE TABLE answer(id INTEGER PRIMARY KEY AUTOINCREMENT, envelope BLOB NOT NULL);
            ALTER TABLE push_device ADD COLUMN session BLOB REFERENCES session(hash) ON DELETE CASCADE ON UPDATE CASCADE;
            ALTER TABLE push_device ADD COLUMN last_session BLOB;
            CREATE INDEX push_device_session ON push_device(session) WHERE session IS NOT NULL;
            CREATE INDEX push_device_last_session ON push_device(last_session) WHERE last_session IS NOT NULL;
            CREATE TABLE opening(id INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, time INTEGER NOT NULL);
            CREATE INDEX opening_account ON opening(account, time);
            CREATE TABLE unwanted(whom BLOB PRIMARY KEY) WITHOUT ROWID;
            """)
}

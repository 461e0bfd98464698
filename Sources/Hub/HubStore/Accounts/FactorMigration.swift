import Database

extension Migration {
    // A one-time secret is sealed, and counts from its first right code on; until then it belongs to the session that it was shown to. Of recovery and claim codes there are hashes alone.
    static let factors = Migration(
        name: "6 factors",
        sql: """
            CREATE TABLE one_time(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE, secret BLOB NOT NULL,
                session BLOB NOT NULL, created INTEGER NOT NULL, confirmed INTEGER, step INTEGER);
            CREATE TABLE recovery(account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, hash BLOB NOT NULL,
                PRIMARY KEY(account, hash)) WITHOUT ROWID;
            CREATE TABLE passkey(id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
                credential BLOB NOT NULL UNIQUE, public_key BLOB NOT NULL, aaguid BLOB NOT NULL, transports TEXT NOT NULL,
                backup_eligible INTEGER NOT NULL, backed_up INTEGER NOT NULL, counter INTEGER NOT NULL, name BLOB NOT NULL,
                created INTEGER NOT NULL, used INTEGER);
            CREATE INDEX passkey_account ON passkey(account);
            CREATE TABLE claim(id INTEGER PRIMARY KEY CHECK(id = 1), hash BLOB NOT NULL, expires INTEGER NOT NULL);
            """)
}

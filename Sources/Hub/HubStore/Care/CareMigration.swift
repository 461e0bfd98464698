import Database

extension Migration {
    /// What names somebody stands in the envelopes. An account that a relative opened waits for its hand-over in `opened`; `invitation` is what a
    /// person offers a caregiver by mail. A crew is an account with an ambulance; `tracker` is the hash of its phone's secret, and `place` is the
    /// last known one alone, gone with the end of the duty. `phone` holds hashes and no number.
    static let care = Migration(
        name: "8 care, hospitals, telephones",
        sql: """
            CREATE TABLE opened(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE, caregiver BLOB NOT NULL);
            CREATE TABLE invitation(hash BLOB PRIMARY KEY, person BLOB NOT NULL, expires INTEGER NOT NULL, envelope BLOB NOT NULL)
                WITHOUT ROWID;
            CREATE INDEX invitation_person ON invitation(person);
            CREATE INDEX guardian_account ON guardian(account);

            CREATE TABLE hospital(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE, admitted INTEGER NOT NULL,
                withdrawn INTEGER);
            CREATE TABLE ambulance(id INTEGER PRIMARY KEY AUTOINCREMENT, hospital INTEGER NOT NULL REFERENCES hospital ON DELETE CASCADE,
                label BLOB NOT NULL, created INTEGER NOT NULL, removed INTEGER);
            CREATE INDEX ambulance_hospital ON ambulance(hospital);
            CREATE TABLE crew_code(hash BLOB PRIMARY KEY, ambulance INTEGER NOT NULL REFERENCES ambulance ON DELETE CASCADE,
                expires INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE crew(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE,
                ambulance INTEGER NOT NULL REFERENCES ambulance ON DELETE CASCADE, tracker BLOB UNIQUE);
            CREATE INDEX crew_ambulance ON crew(ambulance);
            CREATE TABLE duty(ambulance INTEGER PRIMARY KEY REFERENCES ambulance ON DELETE CASCADE,
                account INTEGER NOT NULL UNIQUE REFERENCES account ON DELETE CASCADE, since INTEGER NOT NULL, place BLOB);

            CREATE TABLE phone(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE, verified BLOB, verified_at INTEGER,
                number BLOB, code BLOB, expires INTEGER, tries INTEGER NOT NULL DEFAULT 0, sent INTEGER NOT NULL DEFAULT 0,
                since INTEGER NOT NULL DEFAULT 0);
            """)
}

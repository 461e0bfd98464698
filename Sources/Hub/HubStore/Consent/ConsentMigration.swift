import Database

extension Migration {
    /// Identifiers are random; what describes a person, an asker or a purpose stands in the envelopes. `asker` and `ground` are
    /// ``Privacy/Reader/key`` and ``Privacy/Grant/Ground/key``; `whom` is a keyed hash.
    static let consents = Migration(
        name: "3 consents, services, ledger",
        sql: """
            CREATE TABLE consent(id INTEGER PRIMARY KEY, consent BLOB NOT NULL UNIQUE, asker BLOB NOT NULL, whom BLOB NOT NULL,
                person BLOB, state INTEGER NOT NULL, created INTEGER NOT NULL, unreached INTEGER NOT NULL, version INTEGER NOT NULL,
                envelope BLOB NOT NULL);
            CREATE INDEX consent_asker ON consent(asker, id);
            CREATE INDEX consent_open ON consent(asker, whom) WHERE state < 3;
            CREATE INDEX consent_person ON consent(person, id) WHERE person IS NOT NULL;
            CREATE INDEX consent_waiting ON consent(id) WHERE state = 0;
            CREATE TABLE standing(asker BLOB NOT NULL, person BLOB NOT NULL, envelope BLOB NOT NULL, PRIMARY KEY(person, asker))
                WITHOUT ROWID;
            CREATE TABLE policy(person BLOB PRIMARY KEY, envelope BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE approval(id INTEGER PRIMARY KEY, asker BLOB NOT NULL, consent BLOB NOT NULL, envelope BLOB NOT NULL);
            CREATE INDEX approval_asker ON approval(asker);
            CREATE TABLE minor(person BLOB PRIMARY KEY, adult_from INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE guardian(person BLOB NOT NULL REFERENCES minor ON DELETE CASCADE, account BLOB NOT NULL,
                PRIMARY KEY(person, account)) WITHOUT ROWID;
            CREATE TABLE service(id INTEGER PRIMARY KEY, service BLOB NOT NULL UNIQUE, organisation BLOB NOT NULL,
                published INTEGER NOT NULL, withdrawn INTEGER, envelope BLOB NOT NULL);
            CREATE INDEX service_organisation ON service(organisation);
            CREATE TABLE ledger(id INTEGER PRIMARY KEY AUTOINCREMENT, person BLOB NOT NULL, consent BLOB, time INTEGER NOT NULL,
                ground BLOB, hour INTEGER, envelope BLOB NOT NULL);
            CREATE INDEX ledger_person ON ledger(person, id);
            CREATE INDEX ledger_consent ON ledger(consent, id) WHERE consent IS NOT NULL;
            CREATE UNIQUE INDEX ledger_read ON ledger(person, ground, hour) WHERE hour IS NOT NULL;
            CREATE TABLE timer(kind INTEGER NOT NULL, subject BLOB NOT NULL, due INTEGER NOT NULL, lease INTEGER NOT NULL DEFAULT 0,
                PRIMARY KEY(kind, subject)) WITHOUT ROWID;
            CREATE INDEX timer_due ON timer(due);
            CREATE TABLE subscription(consent BLOB PRIMARY KEY, cursor TEXT NOT NULL, updated INTEGER NOT NULL) WITHOUT ROWID;
            """)

    /// In the series: what left the journal, as one row for each person and merging. It tells who reads by arrival what was missed.
    static let arrivals = Migration(
        name: "2 arrivals",
        sql: """
            CREATE TABLE arrival(person INTEGER NOT NULL, journal INTEGER NOT NULL, received INTEGER NOT NULL, first INTEGER NOT NULL,
                PRIMARY KEY(person, journal)) WITHOUT ROWID;
            """)
}

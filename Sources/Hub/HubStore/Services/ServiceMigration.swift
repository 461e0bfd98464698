import Database

extension Migration {
    /// Services as operators check them, what they send back, offers to named readers, and invitations. Texts and addresses stand in the
    /// envelopes; `whom` is a keyed hash. No page ever wrote the first table of services.
    static let services = Migration(
        name: "7 services, results, offers, invitations",
        sql: """
            DROP TABLE service;
            CREATE TABLE service(id INTEGER PRIMARY KEY, service BLOB NOT NULL UNIQUE, organisation BLOB NOT NULL,
                published INTEGER NOT NULL, withdrawn INTEGER, refused INTEGER, version INTEGER NOT NULL, shown BLOB, waiting BLOB);
            CREATE INDEX service_organisation ON service(organisation);
            CREATE TABLE service_result(id INTEGER PRIMARY KEY AUTOINCREMENT, person BLOB NOT NULL, service BLOB NOT NULL,
                consent BLOB NOT NULL, number INTEGER NOT NULL, received INTEGER NOT NULL, envelope BLOB NOT NULL,
                UNIQUE(consent, number));
            CREATE INDEX service_result_person ON service_result(person, service, id);
            CREATE TABLE offer(id INTEGER PRIMARY KEY AUTOINCREMENT, offer BLOB NOT NULL UNIQUE, person BLOB NOT NULL,
                whom BLOB NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL, state INTEGER NOT NULL, envelope BLOB NOT NULL);
            CREATE INDEX offer_person ON offer(person, id);
            CREATE INDEX offer_whom ON offer(whom, expires);
            CREATE TABLE invited(whom BLOB PRIMARY KEY, sender BLOB NOT NULL, time INTEGER NOT NULL) WITHOUT ROWID;
            CREATE INDEX invited_sender ON invited(sender, time);
            CREATE TABLE letter(id INTEGER PRIMARY KEY AUTOINCREMENT, letter BLOB NOT NULL, sender BLOB NOT NULL, kind TEXT NOT NULL,
                language TEXT NOT NULL, created INTEGER NOT NULL, due INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
                envelope BLOB NOT NULL);
            CREATE INDEX letter_due ON letter(due);
            CREATE INDEX consent_unreached ON consent(whom) WHERE state = 1 AND person IS NULL;
            """)
}

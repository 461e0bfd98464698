import Database

extension Migration {
    /// A database of its own: an alarm waits behind no sign-up, notice or mail (design rules 7 and 9), and what fails there does not stop it.
    ///
    /// `choice` is what a person chose, `change` who changed it, `consent` the record that the emergency chain may be told. `incident` holds each
    /// case sealed; the partial index sees to it that a person has one that is open, whoever tries. `due` is the row's timer. `alias` are the
    /// names under which others know a case. `life` are the processes that changed choices, each with the highest version that it gave; the first row
    /// is for all choices from before. `watch` is the state of detection, with its cursor in the journal.
    static let sos = [
        Migration(
            name: "1 choices, consents, incidents",
            sql: """
                CREATE TABLE choice(person BLOB PRIMARY KEY, version INTEGER NOT NULL, is_on INTEGER NOT NULL, envelope BLOB NOT NULL)
                    WITHOUT ROWID;
                CREATE TABLE change(id INTEGER PRIMARY KEY AUTOINCREMENT, person BLOB NOT NULL, time INTEGER NOT NULL, envelope BLOB NOT NULL);
                CREATE INDEX change_person ON change(person);
                CREATE TABLE consent(id INTEGER PRIMARY KEY AUTOINCREMENT, person BLOB NOT NULL, giver BLOB NOT NULL, document TEXT NOT NULL,
                    given INTEGER NOT NULL, ended INTEGER);
                CREATE UNIQUE INDEX consent_running ON consent(person) WHERE ended IS NULL;
                CREATE TABLE incident(id INTEGER PRIMARY KEY AUTOINCREMENT, incident BLOB NOT NULL UNIQUE, person BLOB NOT NULL,
                    opened INTEGER NOT NULL, is_open INTEGER NOT NULL, due INTEGER, envelope BLOB NOT NULL);
                CREATE UNIQUE INDEX incident_open ON incident(person) WHERE is_open = 1;
                CREATE INDEX incident_person ON incident(person, id);
                CREATE TABLE alias(alias BLOB PRIMARY KEY, incident BLOB NOT NULL, person BLOB NOT NULL) WITHOUT ROWID;
                CREATE TABLE watch(person BLOB PRIMARY KEY, journal INTEGER NOT NULL, envelope BLOB NOT NULL) WITHOUT ROWID;
                """),
        Migration(
            name: "2 planned drills",
            sql: """
                CREATE TABLE drill(person BLOB PRIMARY KEY, due INTEGER NOT NULL, envelope BLOB NOT NULL) WITHOUT ROWID;
                CREATE INDEX drill_due ON drill(due);
                """),
        Migration(
            name: "3 lives of the hub",
            sql: """
                CREATE TABLE life(id INTEGER PRIMARY KEY AUTOINCREMENT, incarnation BLOB NOT NULL UNIQUE, version INTEGER NOT NULL);
                INSERT INTO life(incarnation, version) SELECT randomblob(16), coalesce(max(version), 0) FROM choice;
                """),
        Migration(name: "4 names of a case by person", sql: "CREATE INDEX alias_person ON alias(person);"),
    ]
}

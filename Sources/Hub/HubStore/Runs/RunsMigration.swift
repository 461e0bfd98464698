import Database

extension Migration {
    /// A database of its own: 5,000 who enrol at once, or are told something, hold up no sign-up, and no alarm.
    ///
    /// What describes a run is sealed with a key of the run's own, so that it outlives its organiser's account; what tells of a person is sealed
    /// with theirs. In the clear stand times and counts, and `search` (the folded name and place) of what is public anyway. `timer` and `telling`
    /// are what is to be done, with due time and lease (design rule 9).
    static let runs = [
        Migration(
            name: "1 runs, enrolments, results",
            sql: """
                CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, run BLOB NOT NULL UNIQUE, code TEXT NOT NULL UNIQUE, organiser BLOB,
                    state INTEGER NOT NULL, is_public INTEGER NOT NULL, starts INTEGER NOT NULL, ends INTEGER NOT NULL,
                    closes INTEGER NOT NULL, began INTEGER, ended INTEGER, most INTEGER NOT NULL, enrolled INTEGER NOT NULL DEFAULT 0,
                    last_bib INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL, schedule INTEGER NOT NULL, south INTEGER NOT NULL,
                    west INTEGER NOT NULL, north INTEGER NOT NULL, east INTEGER NOT NULL, created INTEGER NOT NULL, search TEXT NOT NULL,
                    envelope BLOB NOT NULL);
                CREATE INDEX run_organiser ON run(organiser, starts);
                CREATE INDEX run_starts ON run(starts);
                CREATE TABLE course(run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE, envelope BLOB NOT NULL);
                CREATE TABLE document(run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE, type TEXT NOT NULL, envelope BLOB NOT NULL);
                CREATE TABLE enrolment(id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
                    person BLOB NOT NULL, bib INTEGER NOT NULL, state INTEGER NOT NULL, entry TEXT NOT NULL DEFAULT 'entered', asked INTEGER NOT NULL DEFAULT 0,
                    check_in BLOB, public_heart_rate BLOB, created INTEGER NOT NULL, envelope BLOB NOT NULL, UNIQUE(run, person),
                    UNIQUE(run, bib));
                CREATE INDEX enrolment_person ON enrolment(person);
                CREATE TABLE invitation(hash BLOB PRIMARY KEY, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
                    number INTEGER NOT NULL, left INTEGER NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL,
                    envelope BLOB NOT NULL) WITHOUT ROWID;
                CREATE UNIQUE INDEX invitation_run ON invitation(run, number);
                CREATE TABLE invited(run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, person BLOB NOT NULL, time INTEGER NOT NULL,
                    PRIMARY KEY(run, person)) WITHOUT ROWID;
                CREATE INDEX invited_person ON invited(person);
                CREATE TABLE message(id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
                    time INTEGER NOT NULL, envelope BLOB NOT NULL);
                CREATE INDEX message_run ON message(run);
                CREATE TABLE timer(run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, kind INTEGER NOT NULL, due INTEGER NOT NULL,
                    lease INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(run, kind)) WITHOUT ROWID;
                CREATE INDEX timer_due ON timer(due);
                CREATE TABLE telling(id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
                    kind TEXT NOT NULL, audience INTEGER NOT NULL, person BLOB, after INTEGER NOT NULL DEFAULT 0, upto INTEGER NOT NULL,
                    due INTEGER NOT NULL, envelope BLOB NOT NULL);
                CREATE INDEX telling_due ON telling(due);
                CREATE TABLE result(id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
                    enrolment INTEGER NOT NULL, person BLOB, standing TEXT NOT NULL, place INTEGER, time INTEGER, envelope BLOB,
                    UNIQUE(run, enrolment));
                CREATE INDEX result_person ON result(person);
                CREATE TABLE friend(person BLOB NOT NULL, other BLOB NOT NULL, since INTEGER NOT NULL, PRIMARY KEY(person, other))
                    WITHOUT ROWID;
                CREATE INDEX friend_other ON friend(other);
                CREATE TABLE friend_link(hash BLOB PRIMARY KEY, person BLOB NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE feed(hash BLOB PRIMARY KEY, person BLOB NOT NULL UNIQUE, created INTEGER NOT NULL) WITHOUT ROWID;
                """),
        Migration(
            name: "2 runs near a place, lone workouts",
            // A place, and of which runs there somebody was told, is sealed: it says where they live. `announcing` is a run that people near it are
            // still to be told of; `due` of a workout says when its summary is to be worked out (again).
            sql: """
                CREATE TABLE nearby(id INTEGER PRIMARY KEY AUTOINCREMENT, person BLOB NOT NULL UNIQUE, created INTEGER NOT NULL,
                    envelope BLOB NOT NULL, told BLOB);
                CREATE TABLE announcing(run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE, after INTEGER NOT NULL DEFAULT 0,
                    upto INTEGER NOT NULL, due INTEGER NOT NULL);
                CREATE INDEX announcing_due ON announcing(due);
                CREATE TABLE workout(id INTEGER PRIMARY KEY AUTOINCREMENT, workout BLOB NOT NULL UNIQUE, person BLOB NOT NULL,
                    began INTEGER NOT NULL, ended INTEGER, is_shared INTEGER NOT NULL, due INTEGER, envelope BLOB NOT NULL);
                CREATE INDEX workout_person ON workout(person, began);
                CREATE UNIQUE INDEX workout_open ON workout(person) WHERE ended IS NULL;
                CREATE INDEX workout_ended ON workout(ended) WHERE ended IS NOT NULL;
                CREATE INDEX workout_due ON workout(due) WHERE due IS NOT NULL;
                """),
        // `left` is a word of PostgreSQL's language.
        Migration(name: "3 uses of an invitation", sql: "ALTER TABLE invitation RENAME COLUMN left TO uses;"),
        Migration(
            name: "4 workouts that were found",
            // One that its owner deleted keeps its time alone. `workout_scan` says up to where somebody's samples were looked through.
            sql: """
                CREATE TABLE workout_record(id INTEGER PRIMARY KEY AUTOINCREMENT, record BLOB NOT NULL UNIQUE, person BLOB NOT NULL,
                    began INTEGER NOT NULL, ended INTEGER NOT NULL, is_deleted INTEGER NOT NULL, envelope BLOB);
                CREATE INDEX workout_record_person ON workout_record(person, began);
                CREATE TABLE workout_scan(person BLOB PRIMARY KEY, revision INTEGER NOT NULL, envelope BLOB NOT NULL) WITHOUT ROWID;
                """),
        // Which of `workout` it is, so that nobody has to open all of them. Null for one that was found.
        Migration(name: "5 workouts begun by hand", sql: "ALTER TABLE workout_record ADD COLUMN begun BLOB;"),
        DayRecordSchema.migration,
        RunTimerStore.traces,
        RunCheckStore.migration,
    ]
}

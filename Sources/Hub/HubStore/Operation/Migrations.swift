import Database

/// The databases' schemas.
extension Migration {
    static let accounts = [
        Migration(
            name: "1 people, agents, links",
            sql: """
                CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
                CREATE TABLE person(id INTEGER PRIMARY KEY, person BLOB NOT NULL UNIQUE, name BLOB NOT NULL, created INTEGER NOT NULL);
                CREATE TABLE agent(id INTEGER PRIMARY KEY, agent BLOB NOT NULL UNIQUE, name TEXT NOT NULL, public_key BLOB NOT NULL,
                    created INTEGER NOT NULL, revoked INTEGER, copies_seen INTEGER NOT NULL DEFAULT 0, copy_seen INTEGER);
                CREATE TABLE agent_person(agent INTEGER NOT NULL REFERENCES agent, person INTEGER NOT NULL REFERENCES person,
                    PRIMARY KEY(agent, person)) WITHOUT ROWID;
                CREATE TABLE token_chain(agent INTEGER NOT NULL REFERENCES agent, position INTEGER NOT NULL, current BLOB,
                    PRIMARY KEY(agent, position)) WITHOUT ROWID;
                CREATE TABLE token(hash BLOB PRIMARY KEY, agent INTEGER NOT NULL REFERENCES agent, position INTEGER NOT NULL,
                    expires INTEGER NOT NULL) WITHOUT ROWID;
                CREATE INDEX token_agent ON token(agent);
                CREATE TABLE assertion(agent INTEGER NOT NULL, jti TEXT NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY(agent, jti))
                    WITHOUT ROWID;
                CREATE TABLE enrolment_code(hash BLOB PRIMARY KEY, expires INTEGER NOT NULL, used INTEGER) WITHOUT ROWID;
                CREATE TABLE enrolment_code_person(hash BLOB NOT NULL, person INTEGER NOT NULL REFERENCES person,
                    PRIMARY KEY(hash, person)) WITHOUT ROWID;
                CREATE TABLE link(hash BLOB PRIMARY KEY, person INTEGER NOT NULL REFERENCES person, expires INTEGER NOT NULL,
                    redeemed INTEGER) WITHOUT ROWID;
                CREATE TABLE link_session(hash BLOB PRIMARY KEY, person INTEGER NOT NULL REFERENCES person, expires INTEGER NOT NULL,
                    revoked INTEGER) WITHOUT ROWID;
                """),
        // What could name somebody stands in `details`, sealed; the indexes are keyed hashes. `roles` is a bit set (StoredAccount).
        Migration(
            name: "2 accounts, sessions, mail",
            sql: """
                CREATE TABLE account(id INTEGER PRIMARY KEY, account BLOB NOT NULL UNIQUE, roles INTEGER NOT NULL,
                    email_index BLOB NOT NULL UNIQUE, identifier_index BLOB UNIQUE, details BLOB NOT NULL, password TEXT NOT NULL,
                    language TEXT NOT NULL, created INTEGER NOT NULL, confirmed INTEGER);
                CREATE TABLE acceptance(account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, document TEXT NOT NULL,
                    version TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY(account, document, version)) WITHOUT ROWID;
                CREATE TABLE mail_link(hash BLOB PRIMARY KEY, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
                    purpose INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
                CREATE INDEX mail_link_account ON mail_link(account);
                CREATE TABLE session(hash BLOB PRIMARY KEY, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
                    created INTEGER NOT NULL, seen INTEGER NOT NULL, expires INTEGER NOT NULL, strength INTEGER NOT NULL,
                    proved INTEGER NOT NULL, device TEXT NOT NULL) WITHOUT ROWID;
                CREATE INDEX session_account ON session(account);
                CREATE TABLE mail(id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
                    kind TEXT NOT NULL, arguments BLOB NOT NULL, created INTEGER NOT NULL, due INTEGER NOT NULL,
                    tries INTEGER NOT NULL DEFAULT 0);
                CREATE INDEX mail_due ON mail(due);
                """),
        consents,
        ownData,
        senders,
        .factors,
        services,
        .care,
        .notices,
        .answers,
        .deliveryLanes,
        .maintenance,
        .urgentMessages,
        .thinned,
        .renamedColumns,
        .sweptRows,
        .hiddenSteps,
        .accountZones,
        .boxSettings,
        .groupChoices,
        .groupWindows,
        .groupReleases,
        .groupRequests,
        .agentHosts,
        .askedLinks,
        .suspensions,
        LeftBoxes.migration,
        GroupRequestStore.approvalAge,
        AddressChangeStore.migration,
        OrganisationUserStore.migration,
        ConfirmedDeletionStore.migration,
        TimerStore.traces,
        LogInHelpStore.migration,
        AvailabilityStore.migration,
        SupportStore.migration,
        PaymentStore.migration,
    ]

    static let keys = [
        Migration(
            name: "1 person keys",
            sql: """
                CREATE TABLE person_key(person BLOB NOT NULL, key INTEGER NOT NULL, wrapped BLOB NOT NULL, PRIMARY KEY(person, key))
                    WITHOUT ROWID;
                CREATE TABLE deleted(person BLOB PRIMARY KEY, deleted INTEGER NOT NULL) WITHOUT ROWID;
                """),
        deletedParts,
        .rootKey,
        .deletedStreams,
        .deletedPartsByPerson,
    ]

    static let journal = [
        // AUTOINCREMENT: an id is never used twice, so "merged up to" stays true after rows were deleted.
        Migration(
            name: "1 journal",
            sql: "CREATE TABLE journal(id INTEGER PRIMARY KEY AUTOINCREMENT, received INTEGER NOT NULL, frames BLOB NOT NULL);")
    ]

    static let series = [
        Migration(
            name: "1 blocks, streams, clocks",
            sql: """
                CREATE TABLE stream(id INTEGER PRIMARY KEY, stream BLOB NOT NULL UNIQUE, agent INTEGER NOT NULL,
                    provenance INTEGER NOT NULL, created INTEGER NOT NULL, received TEXT NOT NULL DEFAULT '[]');
                CREATE TABLE clock(id INTEGER PRIMARY KEY, stream INTEGER NOT NULL REFERENCES stream, domain INTEGER NOT NULL, boot BLOB,
                    counter INTEGER NOT NULL DEFAULT 0, UNIQUE(stream, domain, boot));
                CREATE TABLE clock_record(clock INTEGER NOT NULL REFERENCES clock, time INTEGER NOT NULL, utc INTEGER NOT NULL,
                    uncertainty INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY(clock, time)) WITHOUT ROWID;
                CREATE TABLE block(id INTEGER PRIMARY KEY, person INTEGER NOT NULL, kind INTEGER NOT NULL, clock INTEGER NOT NULL,
                    hour INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, utc_first INTEGER NOT NULL,
                    utc_last INTEGER NOT NULL, count INTEGER NOT NULL, envelope BLOB NOT NULL);
                CREATE UNIQUE INDEX block_place ON block(person, kind, clock, hour);
                CREATE TABLE merged(person INTEGER PRIMARY KEY, journal INTEGER NOT NULL);
                CREATE TABLE fingerprint(stream INTEGER NOT NULL, first INTEGER NOT NULL, created INTEGER NOT NULL, hashes BLOB NOT NULL,
                    PRIMARY KEY(stream, first)) WITHOUT ROWID;
                CREATE INDEX block_clock ON block(clock);
                CREATE TABLE quarantine(person INTEGER NOT NULL, stream INTEGER NOT NULL, sequence INTEGER NOT NULL,
                    clock INTEGER NOT NULL, noticed INTEGER NOT NULL, reason TEXT NOT NULL, envelope BLOB NOT NULL,
                    PRIMARY KEY(stream, sequence)) WITHOUT ROWID;
                """),
        arrivals,
        spaceAndDeletions,
        Migration(name: "4 fingerprints by age", sql: "CREATE INDEX fingerprint_created ON fingerprint(created);"),
        ecg,
        rollups,
        imports,
        rollupMeans,
        rollupSources,
        .rollupChanges,
        ArrivalReader.migration,
    ]
}

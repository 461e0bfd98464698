import Database

extension Migration {
    /// Lets a claim find the first deliveries of each consent without reading what waits behind them.
    static let deliveryLanes = Migration(
        name: "11 deliveries by consent",
        sql: "CREATE INDEX delivery_lane ON delivery(webhook, consent, number) WHERE dead IS NULL;")

    /// `details` hold addresses and secrets, sealed. A webhook's `due` is when its first waiting delivery may be tried, or comes back when a
    /// try never ended; null while nothing waits. `dead` deliveries were given up.
    static let senders = Migration(
        name: "5 devices, webhooks, organisation keys",
        sql: """
            CREATE TABLE device(id INTEGER PRIMARY KEY AUTOINCREMENT, person INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
                kind INTEGER NOT NULL, hash BLOB NOT NULL UNIQUE, stream BLOB NOT NULL UNIQUE, name BLOB NOT NULL,
                created INTEGER NOT NULL, seen INTEGER, revoked INTEGER, problem TEXT, problem_time INTEGER);
            CREATE INDEX device_person ON device(person);

            CREATE TABLE organisation_key(id INTEGER PRIMARY KEY AUTOINCREMENT,
                account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, thumbprint TEXT NOT NULL, public_key BLOB NOT NULL,
                name TEXT NOT NULL, created INTEGER NOT NULL, used INTEGER, revoked INTEGER, UNIQUE(account, thumbprint));
            CREATE TABLE organisation_token(hash BLOB PRIMARY KEY, key INTEGER NOT NULL REFERENCES organisation_key ON DELETE CASCADE,
                expires INTEGER NOT NULL) WITHOUT ROWID;
            CREATE INDEX organisation_token_key ON organisation_token(key, expires);
            CREATE TABLE organisation_assertion(account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, jti TEXT NOT NULL,
                expires INTEGER NOT NULL, PRIMARY KEY(account, jti)) WITHOUT ROWID;

            CREATE TABLE webhook(id INTEGER PRIMARY KEY AUTOINCREMENT, webhook BLOB NOT NULL UNIQUE,
                account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, details BLOB NOT NULL, created INTEGER NOT NULL,
                last INTEGER NOT NULL DEFAULT 0, due INTEGER, leased INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
                missed INTEGER NOT NULL DEFAULT 0, delivered INTEGER, error TEXT);
            CREATE INDEX webhook_account ON webhook(account);
            CREATE INDEX webhook_due ON webhook(due);
            CREATE TABLE delivery(webhook INTEGER NOT NULL REFERENCES webhook ON DELETE CASCADE, number INTEGER NOT NULL,
                person BLOB NOT NULL, consent BLOB, payload BLOB NOT NULL, created INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
                error TEXT, dead INTEGER, PRIMARY KEY(webhook, number));
            CREATE INDEX delivery_waiting ON delivery(webhook, number) WHERE dead IS NULL;
            CREATE INDEX delivery_dead ON delivery(webhook, dead) WHERE dead IS NOT NULL;
            CREATE INDEX delivery_consent ON delivery(consent) WHERE consent IS NOT NULL;
            """)
}

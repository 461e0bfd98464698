import Database

extension Migration {
    /// What is about somebody in distress leaves first (design rule 9).
    static let urgentMessages = Migration(
        name: "13 urgent messages first",
        sql: """
            ALTER TABLE mail ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE push_message ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;
            DROP INDEX mail_due;
            DROP INDEX push_message_due;
            CREATE INDEX mail_due ON mail(urgent, due, id);
            CREATE INDEX push_message_due ON push_message(urgent, due, id);
            """)

    /// A webhook's place in each consent's data: `cursor` up to what it was read, `told` that of the last delivery. Notices and browsers are
    /// sealed; `hash` is a keyed hash of a browser's address.
    static let notices = Migration(
        name: "9 webhook feeds, notices, push",
        sql: """
            DROP TABLE subscription;
            CREATE TABLE webhook_feed(webhook INTEGER NOT NULL REFERENCES webhook ON DELETE CASCADE, consent BLOB NOT NULL,
                cursor TEXT NOT NULL, told TEXT, PRIMARY KEY(webhook, consent)) WITHOUT ROWID;
            CREATE INDEX webhook_feed_consent ON webhook_feed(consent);

            CREATE TABLE notice(id INTEGER PRIMARY KEY AUTOINCREMENT, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
                kind TEXT NOT NULL, arguments BLOB NOT NULL, created INTEGER NOT NULL, seen INTEGER);
            CREATE INDEX notice_account ON notice(account, id);
            CREATE INDEX notice_new ON notice(account) WHERE seen IS NULL;
            CREATE TABLE notice_choice(account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, kind TEXT NOT NULL,
                ways INTEGER NOT NULL, PRIMARY KEY(account, kind)) WITHOUT ROWID;
            CREATE TABLE push_device(id INTEGER PRIMARY KEY AUTOINCREMENT,
                account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, hash BLOB NOT NULL UNIQUE, details BLOB NOT NULL,
                created INTEGER NOT NULL, used INTEGER, problem TEXT);
            CREATE INDEX push_device_account ON push_device(account);
            CREATE TABLE push_message(id INTEGER PRIMARY KEY AUTOINCREMENT,
                device INTEGER NOT NULL REFERENCES push_device ON DELETE CASCADE, notice INTEGER NOT NULL REFERENCES notice ON DELETE CASCADE,
                created INTEGER NOT NULL, due INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0);
            CREATE INDEX push_message_due ON push_message(due);
            CREATE INDEX push_message_device ON push_message(device);
            CREATE INDEX push_message_notice ON push_message(notice);
            """)
}

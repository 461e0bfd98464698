import Database
public import Vitals

extension Migration {
    static let hiddenSteps = Migration(
        name: "17 hidden first steps",
        sql: """
            CREATE TABLE hidden_steps(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE, time INTEGER NOT NULL);
            """)
}

/// The list of first steps, which its reader can hide on all devices (ACC-10, ACC-14).
public struct FirstStepsStore: SubjectStore {
    let accounts: AccountStore

    public func isHidden(for account: StoredAccount) throws -> Bool {
        try pool.read { db in
            try db.fetchOne(Int.self, sql: "SELECT 1 FROM hidden_steps WHERE account = ?", arguments: [account.row]) != nil
        }
    }

    public func show(to account: StoredAccount) throws {
        try pool.write { try $0.execute(sql: "DELETE FROM hidden_steps WHERE account = ?", arguments: [account.row]) }
    }

    /// - Parameter now: UTC milliseconds.
    public func hide(from account: StoredAccount, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "INSERT INTO hidden_steps(account, time) VALUES(?, ?) ON CONFLICT(account) DO NOTHING", arguments: [account.row, now])
        }
    }
}

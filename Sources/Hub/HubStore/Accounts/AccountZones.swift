import Database
import Foundation

extension Migration {
    /// The time zone of each account's browser, for its mails. As its language it stands in the open.
    static let accountZones = Migration(
        name: "18 time zones of accounts",
        sql: "CREATE TABLE account_zone(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE, zone TEXT NOT NULL)")
}

extension NoticeStore {
    /// The time zone in which an account reads its mails, as its browser last said; nil where none did.
    public func zone(of account: StoredAccount) throws -> String? { try pool.read { try zone(of: account.row, $0) } }

    func zone(of account: Int64, _ db: Connection) throws -> String? {
        try db.fetchOne(String.self, sql: "SELECT zone FROM account_zone WHERE account = ?", arguments: [account])
    }

    /// - Parameter zone: an identifier that the caller has checked, such as `Europe/Rome`.
    public func setZone(_ zone: String, of account: StoredAccount) throws {
        try pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO account_zone(account, zone) VALUES(?, ?) ON CONFLICT(account) DO UPDATE SET zone = excluded.zone
                    """,
                arguments: [account.row, zone])
        }
    }
}

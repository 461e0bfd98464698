import Database
public import Vitals

/// Which documents accounts accepted, in which version.
public struct AcceptanceStore: SubjectStore {
    let accounts: AccountStore

    /// Writes down that an account accepted a document, the first time it accepts this version.
    public func accept(_ document: String, version: String, by account: StoredAccount, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "INSERT INTO acceptance(account, document, version, time) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [account.row, document, version, now])
        }
    }

    /// The documents that an account accepted, in which version, and when.
    public func accepted(by account: Int64) throws -> [(document: String, version: String, time: Milliseconds)] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT document, version, time FROM acceptance WHERE account = ? ORDER BY time, document", arguments: [account]
            ).map { ($0[0], $0[1], $0[2]) }
        }
    }
}

import GRDB
public import Vitals

extension AccountStore {
    /// The documents that an account accepted, in which version, and when.
    public func accepted(by account: Int64) throws -> [(document: String, version: String, time: Milliseconds)] {
        try pool.read { db in
            try Row.fetchAll(
                db, sql: "SELECT document, version, time FROM acceptance WHERE account = ? ORDER BY time, document", arguments: [account]
            ).map { ($0[0], $0[1], $0[2]) }
        }
    }
}

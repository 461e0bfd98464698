import Database
import Foundation
public import Privacy
public import Vitals

/// The receivers' word that they deleted what a person took back.
public struct ConfirmedDeletionStore: SubjectStore {
    let accounts: AccountStore

    /// When a receiver said that it deleted what it had by a consent that the person took back.
    static let migration = Migration(
        name: "32 receivers that confirmed a deletion",
        sql: """
            CREATE TABLE confirmed_deletion(consent BLOB PRIMARY KEY REFERENCES consent(consent) ON DELETE CASCADE, time INTEGER NOT NULL);
            """)

    /// A receiver says that it deleted what it had by a consent that the person took back; once.
    /// - Returns: false for another's, and for what was not taken back.
    public func confirm(_ id: ConsentID, by reader: Reader, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            guard let consent = try accounts.consents.unlessDamaged(id, db), consent.request.scope.asker == reader, consent.isTakenBack
            else { return false }
            try db.execute(
                sql: "INSERT INTO confirmed_deletion(consent, time) VALUES(?, ?) ON CONFLICT(consent) DO NOTHING",
                arguments: [Data(id.bytes), now])
            return true
        }
    }

    /// When the receiver said so, UTC milliseconds; nil where it did not.
    func confirmed(_ consent: Consent, _ db: Connection) throws -> Milliseconds? {
        guard consent.isTakenBack else { return nil }
        let statement = try db.cachedStatement(sql: "SELECT time FROM confirmed_deletion WHERE consent = ?")
        return try statement.fetchOne(Milliseconds.self, arguments: [Data(consent.id.bytes)])
    }
}

extension ConsentStore {
    public var deletions: ConfirmedDeletionStore { ConfirmedDeletionStore(accounts: accounts) }
}

extension Consent {
    fileprivate var isTakenBack: Bool {
        guard case .over(let end) = state else { return false }
        return end.ending == .revoked
    }
}

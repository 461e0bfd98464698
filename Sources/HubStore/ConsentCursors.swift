import Foundation
import GRDB
public import Vitals

extension AccountStore {
    /// Where a subscriber stands whose place the hub keeps, as one that is delivered to by webhook; nil before the first delivery.
    public func subscriptionCursor(of consent: ConsentID) throws -> String? {
        try pool.read {
            try String.fetchOne($0, sql: "SELECT cursor FROM subscription WHERE consent = ?", arguments: [Data(consent.bytes)])
        }
    }

    /// Keeps the place; nil forgets it.
    public func setSubscriptionCursor(_ cursor: String?, of consent: ConsentID, now: Milliseconds) throws {
        try pool.write { db in
            guard let cursor else {
                return try db.execute(sql: "DELETE FROM subscription WHERE consent = ?", arguments: [Data(consent.bytes)])
            }
            try db.execute(
                sql: """
                    INSERT INTO subscription(consent, cursor, updated) VALUES(?, ?, ?)
                    ON CONFLICT(consent) DO UPDATE SET cursor = excluded.cursor, updated = excluded.updated
                    """,
                arguments: [Data(consent.bytes), cursor, now])
        }
    }
}

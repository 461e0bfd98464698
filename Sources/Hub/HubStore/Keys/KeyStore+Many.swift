import Database
import Foundation
import Vitals

extension KeyStore {
    /// The newest keys of people within a span of identifiers, for who goes through everybody once: none of them stays in memory. Who was deleted, or has
    /// none yet, is left out, and so is one that does not open.
    func keys(from first: PersonID, through last: PersonID) throws -> [PersonID: PersonKey] {
        try pool.read { db in
            let rows = try db.cachedStatement(
                sql: "SELECT person, key, wrapped FROM person_key WHERE person BETWEEN ? AND ? ORDER BY person, key"
            ).fetchAll(arguments: [Data(first.bytes), Data(last.bytes)])
            var keys: [PersonID: PersonKey] = [:]
            keys.reserveCapacity(rows.count)
            for row in rows {
                guard let person = PersonID(bytes: row[0] as Data) else { continue }
                keys[person] = try? unwrap(row[2] as Data, number: UInt32(truncatingIfNeeded: row[1] as Int64), of: person)
            }
            return keys
        }
    }
}

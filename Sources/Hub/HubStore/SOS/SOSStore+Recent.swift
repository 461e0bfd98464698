import Database
import Foundation
public import Vitals

extension SOSStore {
    /// Cases begin at most so long before they end, as far as anybody asks: a day.
    private static let lengthMax: Milliseconds = 86_400_000

    /// Real cases that ended since an instant, the newest first.
    public func casesEnded(since: Milliseconds) throws -> [SOSCase] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT person, incident, envelope FROM incident WHERE is_open = 0 AND opened >= ? ORDER BY id DESC LIMIT 2000",
                arguments: [since - Self.lengthMax]
            ).compactMap(listed).filter { !$0.isTest && ($0.ended ?? 0) >= since }
        }
    }

    /// Tests that began since an instant, the newest first.
    public func tests(since: Milliseconds) throws -> [SOSCase] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT person, incident, envelope FROM incident WHERE is_open = 0 AND opened >= ? ORDER BY id DESC LIMIT 20000",
                arguments: [since]
            ).compactMap(listed).filter(\.isTest)
        }
    }
}

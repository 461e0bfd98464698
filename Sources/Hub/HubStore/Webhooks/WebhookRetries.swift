import Database
import Foundation
public import Vitals

extension WebhookStore {
    /// Given up deliveries older than this many numbers stay given up: they would hold up what comes after them.
    private static let retriedNumbers: Int64 = deliveriesMax / 2

    /// Tries at once what waits for a webhook, and puts what was given up back into its queue for another day. Each keeps its number, so
    /// that a receiver knows what it has already.
    /// - Returns: how many wait now; nil when the organisation has no such webhook.
    public func retryDeliveries(_ webhook: WebhookID, of organisation: OrganisationID, now: Milliseconds) throws -> Int? {
        try pool.write { db in
            let found = try db.fetchOne(
                sql: """
                    SELECT webhook.id, last, leased FROM webhook JOIN account ON account.id = webhook.account
                    WHERE webhook.webhook = ? AND account.account = ?
                    """,
                arguments: [Data(webhook.bytes), Data(organisation.account.bytes)])
            guard let found else { return nil }
            let row: Int64 = found[0], last: Int64 = found[1], isLeased: Bool = found[2]
            try db.execute(
                sql: "UPDATE delivery SET dead = NULL, error = NULL, created = ? WHERE webhook = ? AND dead IS NOT NULL AND number > ?",
                arguments: [now, row, last - Self.retriedNumbers])
            let waiting = try db.fetchOne(
                Int.self, sql: "SELECT count(*) FROM delivery WHERE webhook = ? AND dead IS NULL", arguments: [row])
            // A try that runs takes the next one itself, when it ends.
            if !isLeased, waiting ?? 0 > 0 { try db.execute(sql: "UPDATE webhook SET due = ? WHERE id = ?", arguments: [now, row]) }
            return waiting ?? 0
        }
    }
}

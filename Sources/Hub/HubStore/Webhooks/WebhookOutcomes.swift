import Database
public import Vitals

/// The outcome of a delivery.
public enum DeliveryOutcome: Sendable, Hashable {
    case delivered
    /// It must not leave (any more).
    case withdrawn
    /// It was not tried, or nobody knows whether it was taken: it goes again, under its number.
    case open
    case failed(String)
}

/// The outcomes of what was claimed of a webhook.
public struct DeliveryOutcomes: Sendable {
    public let webhook: DueWebhook
    public let outcomes: [(number: Int64, outcome: DeliveryOutcome)]
    /// When the webhook has its next turn, if anything waits.
    public let due: Milliseconds

    public init(_ webhook: DueWebhook, outcomes: [(number: Int64, outcome: DeliveryOutcome)], due: Milliseconds) {
        (self.webhook, self.outcomes, self.due) = (webhook, outcomes, due)
    }
}

extension WebhookStore {
    /// Deliveries that are given up at once, at most; the next outcome takes the rest.
    private static let givenUpMax = 500

    /// Tells what became of deliveries, of many webhooks in one transaction.
    /// - Parameter oldest: of a webhook of which one failed, what was queued at this time or before is given up.
    /// - Returns: how many of each were given up.
    @discardableResult
    public func settle(_ settled: [DeliveryOutcomes], oldest: Milliseconds, now: Milliseconds) throws -> [Int] {
        try pool.write { db in try settled.map { try Self.settle($0, oldest: oldest, now: now, db) } }
    }

    static func settle(_ settled: DeliveryOutcomes, oldest: Milliseconds, now: Milliseconds, _ db: Connection) throws -> Int {
        let row = settled.webhook.row
        var failure: String?, isTaken = false
        let over = try db.cachedStatement(sql: "DELETE FROM delivery WHERE webhook = ? AND number = ?")
        for (number, outcome) in settled.outcomes {
            switch outcome {
            case .open: continue
            case .delivered, .withdrawn:
                isTaken = isTaken || outcome == .delivered
                try over.execute(arguments: [row, number])
            case .failed(let error):
                failure = error
                try db.execute(
                    sql: "UPDATE delivery SET error = ?, tries = tries + 1 WHERE webhook = ? AND number = ?",
                    arguments: [error, row, number])
            }
        }
        if isTaken {
            try db.execute(sql: "UPDATE webhook SET failures = 0, error = NULL, delivered = ? WHERE id = ?", arguments: [now, row])
        }
        var givenUp = 0
        if let failure {
            try db.execute(sql: "UPDATE webhook SET failures = failures + 1, error = ? WHERE id = ?", arguments: [failure, row])
            givenUp = try giveUp(row, failure, oldest: oldest, now: now, db)
        }
        try db.execute(
            sql: """
                UPDATE webhook SET leased = 0,
                    due = CASE WHEN EXISTS(SELECT 1 FROM delivery WHERE webhook = ?1 AND dead IS NULL) THEN CAST(?2 AS BIGINT) END
                WHERE id = ?1
                """,
            arguments: [row, settled.due])
        return givenUp
    }

    private static func giveUp(_ row: Int64, _ error: String, oldest: Milliseconds, now: Milliseconds, _ db: Connection) throws -> Int {
        try db.execute(
            sql: """
                UPDATE delivery SET dead = ?1, error = coalesce(error, ?2) WHERE webhook = ?3 AND number IN (
                    SELECT number FROM delivery WHERE webhook = ?3 AND dead IS NULL AND created <= ?4 ORDER BY number LIMIT ?5)
                """,
            arguments: [now, "never tried: " + error, row, oldest, givenUpMax])
        let givenUp = db.changesCount
        if givenUp > 0 { try forgetDead(row, db) }
        return givenUp
    }

    /// Keeps the newest of what was given up.
    static func forgetDead(_ row: Int64, _ db: Connection) throws {
        try db.execute(
            sql: """
                DELETE FROM delivery WHERE webhook = ?1 AND number IN (SELECT number FROM delivery
                    WHERE webhook = ?1 AND dead IS NOT NULL ORDER BY number DESC LIMIT 9223372036854775807 OFFSET ?2)
                """,
            arguments: [row, deadDeliveriesMax])
    }
}

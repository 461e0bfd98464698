import Database
import Foundation
public import Vitals

/// A webhook that has something to deliver now.
public struct DueWebhook: Sendable, Hashable {
    public let id: WebhookID
    public let organisation: OrganisationID
    public let url: String
    public let secret: String
    /// Tries that failed one after the other, up to now.
    public let failures: Int
    let row: Int64
}

/// The deliveries of a webhook that are made at once.
public struct ClaimedDeliveries: Sendable {
    public let webhook: DueWebhook
    /// In the order of their numbers.
    public let deliveries: [WebhookDelivery]
}

/// What of the webhooks' rows does not open with its key. It is kept and put aside; the others go on.
public enum DamagedWebhookData: Sendable, Hashable, CustomStringConvertible {
    /// Address and secret of a webhook: it is looked at again in an hour.
    case details(row: Int64, error: String)
    /// A delivery: it is given up, and shown so to the organisation.
    case delivery(WebhookID, number: Int64, error: String)

    public var description: String {
        switch self {
        case .details(let row, let error):
            "Address and secret of webhook row \(row) cannot be read, so it gets nothing: \(error) It is tried again in an hour."
        case .delivery(let webhook, let number, let error):
            "Delivery \(number) to webhook \(webhook) cannot be read and is given up: \(error)"
        }
    }
}

extension WebhookStore {
    /// Bytes of sealed payloads that one claim takes of a webhook, about, for each delivery that may be on its way at once.
    static let claimedBytesEach = 32_768
    /// Deliveries that one claim takes of one consent, at most: a turn ends soon, and what was queued meanwhile for others has the next one.
    static let claimedOfConsentMax = 8
    /// A webhook whose details are damaged is looked at again after this.
    private static let damagedPause: Milliseconds = 3_600_000

    /// Webhooks for which something is due, the longest waiting first.
    /// - Parameter tell: is told what cannot be read.
    public func dueWebhooks(
        _ count: Int, now: Milliseconds, tell: (DamagedWebhookData) -> Void = { _ in }
    ) throws -> [DueWebhook] {
        var gone: [Int64] = [], damaged: [Int64] = []
        let rows = try pool.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT webhook.*, account.account AS owner FROM webhook JOIN account ON account.id = webhook.account
                    WHERE due <= ? ORDER BY due LIMIT ?
                    """)
            return try statement.fetchAll(arguments: [now, count])
        }
        let due = try rows.compactMap { row -> DueWebhook? in
            do {
                if let webhook = try dueWebhook(row) { return webhook }
                gone.append(row["id"])
            } catch  where HubStoreError.isDamage(error) {
                tell(.details(row: row["id"], error: "\(error)"))
                damaged.append(row["id"])
            }
            return nil
        }
        if !gone.isEmpty { try endWebhooks(gone) }
        if !damaged.isEmpty {
            try pool.write { db in
                for row in damaged {
                    try db.execute(
                        sql: "UPDATE webhook SET due = ?, leased = 0 WHERE id = ?", arguments: [now + Self.damagedPause, row])
                }
            }
        }
        return due
    }

    private func dueWebhook(_ row: Row) throws -> DueWebhook? {
        guard let details = try webhookDetails(row), let id = WebhookID(bytes: row["webhook"] as Data) else { return nil }
        return DueWebhook(
            id: id, organisation: details.organisation, url: details.url, secret: details.secret, failures: row["failures"],
            row: row["id"])
    }

    /// The organisation's key was destroyed: nobody can read any more where its deliveries should go.
    private func endWebhooks(_ rows: [Int64]) throws {
        try pool.write { db in
            for row in rows {
                try db.execute(sql: "DELETE FROM delivery WHERE webhook = ?", arguments: [row])
                try db.execute(sql: "UPDATE webhook SET due = NULL, leased = 0 WHERE id = ?", arguments: [row])
            }
        }
    }

    /// The first waiting deliveries of webhooks that are due, of each consent some. Nobody else gets one of these webhooks until the outcomes
    /// are told (``settle(_:oldest:now:)``) or `lease` milliseconds are over.
    /// - Parameters:
    ///   - wanted: from each webhook so many, at most; fewer when they are large.
    ///   - tell: is told what cannot be read.
    /// - Returns: nothing for a webhook that has nothing left or is not due any more.
    public func claimDeliveries(
        _ wanted: [(webhook: DueWebhook, count: Int)], lease: Milliseconds, now: Milliseconds,
        tell: (DamagedWebhookData) -> Void = { _ in }
    ) throws -> [ClaimedDeliveries] {
        // Not in the transaction, which holds up everybody who writes: long queues take some milliseconds each.
        let first = try pool.read { db in try wanted.map { ($0, try Self.first($0.count, of: $0.webhook.row, db)) } }
        let claimed = try pool.write { db in
            try first.map { wanted, numbers in
                (wanted.webhook, try Self.claim(wanted.webhook.row, numbers, wanted.count, lease: lease, now: now, db))
            }
        }
        var unreadable: [Unreadable] = []
        let all = try claimed.compactMap { webhook, rows -> ClaimedDeliveries? in
            var deliveries: [WebhookDelivery] = [], lost = Unreadable(webhook: webhook)
            for row in rows {
                do {
                    if let delivery = try opened(row, of: webhook) { deliveries.append(delivery) } else { lost.gone.append(row["number"]) }
                } catch  where HubStoreError.isDamage(error) {
                    tell(.delivery(webhook.id, number: row["number"], error: "\(error)"))
                    lost.damaged.append(row["number"])
                }
            }
            lost.isAll = deliveries.isEmpty
            if !lost.gone.isEmpty || !lost.damaged.isEmpty { unreadable.append(lost) }
            return deliveries.isEmpty ? nil : ClaimedDeliveries(webhook: webhook, deliveries: deliveries.sorted { $0.number < $1.number })
        }
        if !unreadable.isEmpty { try pool.write { db in for lost in unreadable { try Self.putAside(lost, now: now, db) } } }
        return all
    }

    /// The numbers of what comes first: of each consent the first, then of each the second, and so on. So much about one holds up no other.
    private static func first(_ count: Int, of row: Int64, _ db: Connection) throws -> [Int64] {
        // Of one that failed a single delivery is tried, again and again: this asks less.
        guard count > 1 else {
            let statement = try db.cachedStatement(
                sql: "SELECT number FROM delivery WHERE webhook = ? AND dead IS NULL ORDER BY number LIMIT ?")
            return try statement.fetchAll(Int64.self, arguments: [row, count])
        }
        let statement = try db.cachedStatement(
            sql: """
                SELECT number FROM (
                    SELECT number, row_number() OVER (PARTITION BY consent ORDER BY number) AS place
                    FROM delivery WHERE webhook = ? AND dead IS NULL) AS lane
                WHERE place <= ? ORDER BY place, number LIMIT ?
                """)
        return try statement.fetchAll(Int64.self, arguments: [row, claimedOfConsentMax, count])
    }

    private static func claim(
        _ row: Int64, _ numbers: [Int64], _ count: Int, lease: Milliseconds, now: Milliseconds, _ db: Connection
    ) throws -> [Row] {
        let statement = try db.cachedStatement(sql: "SELECT * FROM delivery WHERE webhook = ? AND number = ? AND dead IS NULL")
        var found: [Row] = [], bytes = 0
        for number in numbers where bytes <= count * claimedBytesEach {
            // It may have been withdrawn a moment ago.
            guard let next = try statement.fetchOne(arguments: [row, number]) else { continue }
            bytes += (next["payload"] as Data).count
            found.append(next)
        }
        guard !found.isEmpty else {
            // Something may have been queued a moment ago.
            try db.execute(
                sql: """
                    UPDATE webhook SET due = CASE WHEN EXISTS(SELECT 1 FROM delivery WHERE webhook = ?1 AND dead IS NULL) THEN due END,
                        leased = 0
                    WHERE id = ?1 AND due <= ?2
                    """,
                arguments: [row, now])
            return []
        }
        try db.execute(
            sql: "UPDATE webhook SET due = ?, leased = 1 WHERE id = ? AND due <= ?", arguments: [now + lease, row, now])
        return db.changesCount == 1 ? found : []
    }

    /// Of what was claimed of a webhook.
    private struct Unreadable {
        let webhook: DueWebhook
        /// A key was destroyed: nobody can read these any more.
        var gone: [Int64] = []
        var damaged: [Int64] = []
        /// Nothing else was claimed.
        var isAll = false
    }

    private static func putAside(_ lost: Unreadable, now: Milliseconds, _ db: Connection) throws {
        let row = lost.webhook.row
        for number in lost.gone {
            try db.execute(sql: "DELETE FROM delivery WHERE webhook = ? AND number = ?", arguments: [row, number])
        }
        for number in lost.damaged {
            try db.execute(
                sql: "UPDATE delivery SET dead = ?, error = ? WHERE webhook = ? AND number = ?",
                arguments: [now, "the hub cannot read it any more", row, number])
        }
        if !lost.damaged.isEmpty { try forgetDead(row, db) }
        // Otherwise the rest is on its way, and its end gives the webhook back.
        guard lost.isAll else { return }
        _ = try settle(DeliveryOutcomes(lost.webhook, outcomes: [], due: now), oldest: .min, now: now, db)
    }

    private func opened(_ delivery: Row, of webhook: DueWebhook) throws -> WebhookDelivery? {
        let number: Int64 = delivery["number"]
        guard let person = PersonID(bytes: delivery["person"] as Data), let key = try keys.key(of: person) else { return nil }
        return WebhookDelivery(
            number: number, consent: (delivery["consent"] as Data?).flatMap { ConsentID(bytes: $0) },
            payload: try Envelope.open(delivery["payload"] as Data, with: key, at: Self.place(person, webhook.row, number)),
            created: delivery["created"], tries: (delivery["tries"] as Int) + 1)
    }

    /// Makes due again what was claimed by a hub that was killed: for the start, before anything is claimed.
    public func releaseDeliveries(now: Milliseconds) throws {
        try pool.write { try $0.execute(sql: "UPDATE webhook SET due = ?, leased = 0 WHERE leased = 1", arguments: [now]) }
    }
}

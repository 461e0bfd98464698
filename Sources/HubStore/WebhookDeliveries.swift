import Foundation
import GRDB
public import Vitals

/// Something that is to be posted to a webhook.
public struct WebhookDelivery: Sendable, Hashable {
    public let webhook: WebhookID
    public let organisation: OrganisationID
    public let url: String
    public let secret: String
    /// Counts the deliveries of one webhook from 1, without holes: the same number is the same delivery.
    public let number: Int64
    /// The consent on which it rests; nil for what names nobody.
    public let consent: ConsentID?
    public let payload: [UInt8]
    public let created: Milliseconds
    /// This try, from 1.
    public let tries: Int
    /// Tries of this webhook that failed just before this one.
    public let failures: Int
    let row: Int64
}

/// A delivery that was given up, without what it said.
public struct DeadDelivery: Sendable, Hashable {
    public let number: Int64
    public let created: Milliseconds
    public let givenUp: Milliseconds
    public let tries: Int
    public let error: String
}

extension AccountStore {
    /// Deliveries that wait for one webhook, at most.
    public static let deliveriesMax: Int64 = 10_000
    /// Bytes of one payload, at most.
    public static let deliveryBytesMax = 262_144
    /// Given up ones that are kept for each webhook, at most; the oldest go.
    public static let deadDeliveriesMax = 1000

    public enum Enqueued: Sendable, Hashable {
        case queued(Int64)
        /// Too many wait, or it is too large: counted in ``StoredWebhook/missed``; the organisation catches up by cursor.
        case missed
        /// There is no such webhook (any more), or the person was deleted.
        case gone
    }

    /// Puts a payload into the queue of a webhook.
    /// - Parameters:
    ///   - person: whom it is about: sealed with that person's key, and gone with it. Nil when it is about nobody.
    ///   - consent: on which it rests: ``endDeliveries(of:_:)`` takes it out again.
    public func enqueue(
        _ payload: [UInt8], to webhook: WebhookID, about person: PersonID?, consent: ConsentID?, now: Milliseconds
    ) throws -> Enqueued {
        try pool.write { try enqueue(payload, to: webhook, about: person, consent: consent, now: now, $0) }
    }

    /// Within a transaction of another part of the store.
    func enqueue(
        _ payload: [UInt8], to webhook: WebhookID, about person: PersonID?, consent: ConsentID?, now: Milliseconds, _ db: Database
    ) throws -> Enqueued {
        let found = try Row.fetchOne(
            db,
            sql: """
                SELECT webhook.id, last, account.account,
                    (SELECT number FROM delivery WHERE webhook = webhook.id AND dead IS NULL ORDER BY number LIMIT 1)
                FROM webhook JOIN account ON account.id = webhook.account WHERE webhook.webhook = ?
                """,
            arguments: [Data(webhook.bytes)])
        guard let found, let account = AccountID(bytes: found[2] as Data), let key = try keys.key(of: person ?? account.person) else {
            return .gone
        }
        let row: Int64 = found[0], number = (found[1] as Int64) + 1, first: Int64 = found[3] ?? number
        guard number - first < Self.deliveriesMax, payload.count <= Self.deliveryBytesMax else {
            try db.execute(sql: "UPDATE webhook SET missed = missed + 1 WHERE id = ?", arguments: [row])
            return .missed
        }
        let owner = person ?? account.person
        let sealed = try Envelope.seal(payload, with: key, at: Self.place(owner, row, number))
        try db.execute(
            sql: "INSERT INTO delivery(webhook, number, person, consent, payload, created) VALUES(?, ?, ?, ?, ?, ?)",
            arguments: [row, number, Data(owner.bytes), consent.map { Data($0.bytes) }, Data(sealed), now])
        try db.execute(sql: "UPDATE webhook SET last = ?, due = coalesce(due, ?) WHERE id = ?", arguments: [number, now, row])
        return .queued(number)
    }

    /// Takes out what waits, and what was given up, on a consent that ended: for the transaction that ends it.
    func endDeliveries(of consent: ConsentID, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM delivery WHERE consent = ?", arguments: [Data(consent.bytes)])
    }

    /// Whether anything is due.
    public func isDeliveryDue(now: Milliseconds) throws -> Bool {
        try pool.read { try Bool.fetchOne($0, sql: "SELECT EXISTS(SELECT 1 FROM webhook WHERE due <= ?)", arguments: [now]) ?? false }
    }

    /// The first waiting delivery of each webhook that is due. Nobody else gets one of these webhooks until its outcome is told or `lease`
    /// milliseconds are over.
    public func claimDeliveries(_ count: Int, lease: Milliseconds, now: Milliseconds) throws -> [WebhookDelivery] {
        let claimed = try pool.write { db -> [(webhook: Row, delivery: Row)] in
            let webhooks = try Row.fetchAll(
                db,
                sql: """
                    SELECT webhook.*, account.account AS owner FROM webhook JOIN account ON account.id = webhook.account
                    WHERE due <= ? ORDER BY due LIMIT ?
                    """,
                arguments: [now, count])
            return try webhooks.compactMap { webhook in
                let row: Int64 = webhook["id"]
                let first = try Row.fetchOne(
                    db, sql: "SELECT * FROM delivery WHERE webhook = ? AND dead IS NULL ORDER BY number LIMIT 1", arguments: [row])
                try db.execute(
                    sql: "UPDATE webhook SET due = ?, leased = ? WHERE id = ?",
                    arguments: [first.map { _ in now + lease }, first != nil, row])
                guard let first else { return nil }
                try db.execute(
                    sql: "UPDATE delivery SET tries = tries + 1 WHERE webhook = ? AND number = ?",
                    arguments: [row, first["number"] as Int64])
                return (webhook, first)
            }
        }
        return try claimed.compactMap { webhook, delivery in
            if let opened = try opened(webhook, delivery) { return opened }
            // A key was destroyed: nobody can read this any more.
            try endDelivery(webhook["id"], delivery["number"], now: now)
            return nil
        }
    }

    /// Makes due again what was claimed by a hub that was killed: for the start, before anything is claimed.
    public func releaseDeliveries(now: Milliseconds) throws {
        try pool.write { try $0.execute(sql: "UPDATE webhook SET due = ?, leased = 0 WHERE leased = 1", arguments: [now]) }
    }

    private func opened(_ webhook: Row, _ delivery: Row) throws -> WebhookDelivery? {
        let row: Int64 = webhook["id"], number: Int64 = delivery["number"]
        guard let details = try webhookDetails(webhook), let id = WebhookID(bytes: webhook["webhook"] as Data),
            let person = PersonID(bytes: delivery["person"] as Data), let key = try keys.key(of: person)
        else { return nil }
        let payload = try Envelope.open(delivery["payload"] as Data, with: key, at: Self.place(person, row, number))
        return WebhookDelivery(
            webhook: id, organisation: details.organisation, url: details.url, secret: details.secret, number: number,
            consent: (delivery["consent"] as Data?).flatMap { ConsentID(bytes: $0) }, payload: payload, created: delivery["created"],
            tries: (delivery["tries"] as Int) + 1, failures: webhook["failures"], row: row)
    }

    // MARK: Outcomes

    /// It was taken: the next one is due at once.
    public func delivered(_ delivery: WebhookDelivery, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE webhook SET failures = 0, error = NULL, delivered = ? WHERE id = ?", arguments: [now, delivery.row])
            try Self.endDelivery(delivery.row, delivery.number, now: now, db)
        }
    }

    /// Nobody knows whether it was taken: it is due again at once.
    public func returned(_ delivery: WebhookDelivery, now: Milliseconds) throws {
        try pool.write { try Self.setDue(now, of: delivery.row, $0) }
    }

    /// It must not leave (any more): the next one is due at once.
    public func withdrawn(_ delivery: WebhookDelivery, now: Milliseconds) throws {
        try endDelivery(delivery.row, delivery.number, now: now)
    }

    private func endDelivery(_ webhook: Int64, _ number: Int64, now: Milliseconds) throws {
        try pool.write { try Self.endDelivery(webhook, number, now: now, $0) }
    }

    private static func endDelivery(_ webhook: Int64, _ number: Int64, now: Milliseconds, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM delivery WHERE webhook = ? AND number = ?", arguments: [webhook, number])
        try setDue(now, of: webhook, db)
    }

    private static func setDue(_ due: Milliseconds, of webhook: Int64, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE webhook SET due = CASE WHEN EXISTS(SELECT 1 FROM delivery WHERE webhook = ?1 AND dead IS NULL) THEN ?2 END,
                    leased = 0
                WHERE id = ?1
                """,
            arguments: [webhook, due])
    }

    /// Deliveries that are given up with one outcome, at most; the next outcome takes the rest.
    private static let givenUpMax = 500

    /// It was not taken.
    /// - Parameters:
    ///   - due: when the webhook is tried again.
    ///   - oldest: what was queued at this time or before is given up.
    /// - Returns: how many were given up.
    @discardableResult
    public func failed(
        _ delivery: WebhookDelivery, _ error: String, due: Milliseconds, oldest: Milliseconds, now: Milliseconds
    ) throws -> Int {
        try pool.write { db in
            let row = delivery.row
            try db.execute(
                sql: "UPDATE webhook SET failures = failures + 1, error = ? WHERE id = ?", arguments: [error, row])
            try db.execute(
                sql: "UPDATE delivery SET error = ? WHERE webhook = ? AND number = ?", arguments: [error, row, delivery.number])
            try db.execute(
                sql: """
                    UPDATE delivery SET dead = ?1, error = coalesce(error, ?2) WHERE webhook = ?3 AND number IN (
                        SELECT number FROM delivery WHERE webhook = ?3 AND dead IS NULL AND created <= ?4 ORDER BY number LIMIT ?5)
                    """,
                arguments: [now, "never tried: " + error, row, oldest, Self.givenUpMax])
            let givenUp = db.changesCount
            if givenUp > 0 {
                try db.execute(
                    sql: """
                        DELETE FROM delivery WHERE webhook = ?1 AND number IN (SELECT number FROM delivery
                            WHERE webhook = ?1 AND dead IS NOT NULL ORDER BY number DESC LIMIT -1 OFFSET ?2)
                        """,
                    arguments: [row, Self.deadDeliveriesMax])
            }
            try Self.setDue(due, of: row, db)
            return givenUp
        }
    }

    /// What was given up, the newest first.
    public func deadDeliveries(_ webhook: WebhookID, of organisation: OrganisationID, count: Int = 100) throws -> [DeadDelivery] {
        try pool.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT delivery.* FROM delivery JOIN webhook ON webhook.id = delivery.webhook
                    JOIN account ON account.id = webhook.account
                    WHERE webhook.webhook = ? AND account.account = ? AND dead IS NOT NULL ORDER BY number DESC LIMIT ?
                    """,
                arguments: [Data(webhook.bytes), Data(organisation.account.bytes), count]
            ).map {
                DeadDelivery(
                    number: $0["number"], created: $0["created"], givenUp: $0["dead"], tries: $0["tries"], error: $0["error"] ?? "")
            }
        }
    }

    private static func place(_ person: PersonID, _ webhook: Int64, _ number: Int64) -> Envelope.Place {
        .init(person: person, table: .delivery, row: (UInt64(bitPattern: webhook), UInt64(bitPattern: number)))
    }
}

import Database
import Foundation
public import Vitals

/// Something that is to be posted to a webhook.
public struct WebhookDelivery: Sendable, Hashable {
    /// Counts the deliveries of one webhook from 1, without holes: the same number is the same delivery.
    public let number: Int64
    /// The consent on which it rests; nil for what names nobody.
    public let consent: ConsentID?
    public let payload: [UInt8]
    public let created: Milliseconds
    /// This try, from 1.
    public let tries: Int
}

/// A delivery that was given up, without what it said.
public struct AbandonedDelivery: Sendable, Hashable {
    public let number: Int64
    public let created: Milliseconds
    public let givenUp: Milliseconds
    public let tries: Int
    public let error: String
}

extension WebhookStore {
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
        _ payload: [UInt8], to webhook: WebhookID, about person: PersonID?, consent: ConsentID?, now: Milliseconds, _ db: Connection
    ) throws -> Enqueued {
        let found = try db.fetchOne(
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
    func endDeliveries(of consent: ConsentID, _ db: Connection) throws {
        try db.execute(sql: "DELETE FROM delivery WHERE consent = ?", arguments: [Data(consent.bytes)])
    }

    /// Deliveries that were given up, the newest first.
    public func deadDeliveries(_ webhook: WebhookID, of organisation: OrganisationID, count: Int = 100) throws -> [AbandonedDelivery] {
        try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT delivery.* FROM delivery JOIN webhook ON webhook.id = delivery.webhook
                    JOIN account ON account.id = webhook.account
                    WHERE webhook.webhook = ? AND account.account = ? AND dead IS NOT NULL ORDER BY number DESC LIMIT ?
                    """,
                arguments: [Data(webhook.bytes), Data(organisation.account.bytes), count]
            ).map {
                AbandonedDelivery(
                    number: $0["number"], created: $0["created"], givenUp: $0["dead"], tries: $0["tries"], error: $0["error"] ?? "")
            }
        }
    }

    static func place(_ person: PersonID, _ webhook: Int64, _ number: Int64) -> Envelope.Place {
        .init(person: person, table: .delivery, row: (UInt64(bitPattern: webhook), UInt64(bitPattern: number)))
    }
}

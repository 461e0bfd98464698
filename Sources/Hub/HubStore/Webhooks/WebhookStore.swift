import Database
import Foundation
import Seams
public import Vitals

/// An address of an organisation to which the hub posts what is new (CONS-5).
public struct WebhookID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// A webhook as the store keeps it.
public struct StoredWebhook: Sendable, Hashable {
    public let row: Int64
    public let id: WebhookID
    public let organisation: OrganisationID
    public let url: String
    /// With which each delivery is signed.
    public let secret: String
    public let created: Milliseconds
    /// Tries that failed one after the other.
    public let failures: Int
    /// When a delivery was last taken.
    public let delivered: Milliseconds?
    /// Why the last one was not.
    public let error: String?
    /// What was not even queued, because too many wait.
    public let missed: Int
    /// Deliveries that wait, and that were given up.
    public let waiting: Int
    public let dead: Int
}

extension WebhookStore {
    /// Webhooks of one organisation, at most.
    public static let webhooksMax = 8

    private struct WebhookDetails: Codable {
        var url: String
        var secret: String
    }

    /// Makes a webhook of a confirmed organisation; nil when it has ``webhooksMax``, or is none.
    /// - Parameter url: has been checked.
    public func addWebhook(_ url: String, secret: String, to organisation: OrganisationID, now: Milliseconds) throws -> StoredWebhook? {
        let id = randomness.id(WebhookID.self)
        guard let key = try keys.key(of: organisation.account.person) else { return nil }
        let plain = Array(try JSONEncoder().encode(WebhookDetails(url: url, secret: secret)))
        let details = try Envelope.seal(plain, with: key, at: Self.place(organisation, id))
        return try pool.write { db in
            guard let account = try OrganisationStore.organisation(organisation.account, db) else { return nil }
            let count = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM webhook WHERE account = ?", arguments: [account]) ?? 0
            guard count < Self.webhooksMax else { return nil }
            try db.execute(
                sql: "INSERT INTO webhook(webhook, account, details, created) VALUES(?, ?, ?, ?)",
                arguments: [Data(id.bytes), account, Data(details), now])
            return try webhooks("webhook.webhook = ?", [Data(id.bytes)], db).first
        }
    }

    /// An organisation's webhooks, the oldest first.
    public func webhooks(of organisation: OrganisationID) throws -> [StoredWebhook] {
        try pool.read { try webhooks("account.account = ?", [Data(organisation.account.bytes)], $0) }
    }

    /// One webhook of an organisation; nil when it has none of this name.
    public func webhook(_ id: WebhookID, of organisation: OrganisationID) throws -> StoredWebhook? {
        try pool.read {
            try webhooks("webhook.webhook = ? AND account.account = ?", [Data(id.bytes), Data(organisation.account.bytes)], $0).first
        }
    }

    /// Removes a webhook with all that waits for it; what is on its way is not called back. False when there is none.
    public func removeWebhook(_ id: WebhookID, of organisation: OrganisationID) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM webhook WHERE webhook = ? AND account = (SELECT id FROM account WHERE account = ?)",
                arguments: [Data(id.bytes), Data(organisation.account.bytes)])
            return db.changesCount == 1
        }
    }

    private func webhooks(_ condition: String, _ arguments: Arguments, _ db: Connection) throws -> [StoredWebhook] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT webhook.*, account.account AS owner,
                    (SELECT count(*) FROM delivery WHERE webhook = webhook.id AND dead IS NULL) AS waiting,
                    (SELECT count(*) FROM delivery WHERE webhook = webhook.id AND dead IS NOT NULL) AS dead
                FROM webhook JOIN account ON account.id = webhook.account WHERE \(condition) ORDER BY webhook.id
                """)
        return try statement.fetchAll(arguments: arguments).compactMap { row in
            guard let details = try unlessDamaged(.webhook, row["id"] as Int64, { try webhookDetails(row) }),
                let id = WebhookID(bytes: row["webhook"] as Data)
            else { return nil }
            return StoredWebhook(
                row: row["id"], id: id, organisation: details.organisation, url: details.url, secret: details.secret,
                created: row["created"], failures: row["failures"], delivered: row["delivered"], error: row["error"],
                missed: row["missed"], waiting: row["waiting"], dead: row["dead"])
        }
    }

    /// What is sealed in a row with `webhook`, `owner` and `details`; nil when the organisation's key was destroyed.
    func webhookDetails(_ row: Row) throws -> (organisation: OrganisationID, url: String, secret: String)? {
        guard let id = WebhookID(bytes: row["webhook"] as Data), let account = AccountID(bytes: row["owner"] as Data),
            let key = try keys.key(of: account.person)
        else { return nil }
        let organisation = OrganisationID(account)
        let plain = try Envelope.open(row["details"] as Data, with: key, at: Self.place(organisation, id))
        let details = try JSONDecoder().decode(WebhookDetails.self, from: Data(plain))
        return (organisation, details.url, details.secret)
    }

    private static func place(_ organisation: OrganisationID, _ webhook: WebhookID) -> Envelope.Place {
        .init(person: organisation.account.person, table: .webhook, row: (webhook.high, webhook.low))
    }
}

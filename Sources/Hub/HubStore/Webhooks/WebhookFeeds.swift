import Database
import Foundation
public import Privacy
public import Vitals

/// A consent whose new data goes to a webhook, and where that stands (CONS-5, CONS-14).
public struct WebhookFeed: Sendable, Hashable {
    public let webhook: WebhookID
    public let consent: ConsentID
    /// Up to where the person's data was read for this webhook; nil before the first look.
    public let cursor: String?
    /// The place that the last delivery named; nil before the first.
    public let told: String?
    /// The webhook's server does not take what it gets, or not as fast as it comes.
    public let isBehind: Bool
    /// No more may wait for the webhook.
    public let isFull: Bool
    let row: Int64
}

/// The result of one look for a feed.
public struct WebhookBatch: Sendable {
    public let feed: WebhookFeed
    public let person: PersonID
    /// In order; may be empty.
    public var payloads: [[UInt8]]
    /// The new place.
    public var cursor: String
    /// The place that the last payload names; as before where there is none.
    public var told: String?

    public init(_ feed: WebhookFeed, person: PersonID, payloads: [[UInt8]] = [], cursor: String, told: String?) {
        (self.feed, self.person, self.payloads, self.cursor, self.told) = (feed, person, payloads, cursor, told)
    }
}

extension WebhookStore {
    /// From so many waiting deliveries on a webhook is behind: what a fast server takes in a second. With fewer, an organisation with a
    /// thousand subscriptions would be behind with each burst, and wait for a sweep.
    static let behindFrom: Int64 = 2048

    /// The first byte of the key of an asker that is an organisation; its account follows.
    private static let organisationAsker = Data([1])

    /// The feeds of people's data: every webhook of an organisation gets every consent of a person to it that runs, each from its own place.
    public func webhookFeeds(of people: some Sequence<PersonID>) throws -> [WebhookFeed] {
        try pool.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT webhook.id, webhook.webhook, consent.consent, webhook_feed.cursor, webhook_feed.told, webhook.failures,
                        webhook.last - (SELECT number FROM delivery WHERE webhook = webhook.id AND dead IS NULL ORDER BY number LIMIT 1)
                    FROM consent JOIN account ON account.account = substr(consent.asker, 2)
                    JOIN webhook ON webhook.account = account.id
                    LEFT JOIN webhook_feed ON webhook_feed.webhook = webhook.id AND webhook_feed.consent = consent.consent
                    WHERE consent.person = ? AND consent.state = 2 AND substr(consent.asker, 1, 1) = ? ORDER BY consent.id, webhook.id
                    """)
            return try people.flatMap { try statement.fetchAll(arguments: [Data($0.bytes), Self.organisationAsker]).compactMap(Self.feed) }
        }
    }

    private static func feed(_ row: Row) -> WebhookFeed? {
        guard let webhook = WebhookID(bytes: row[1] as Data), let consent = ConsentID(bytes: row[2] as Data) else { return nil }
        let waiting: Int64 = (row[6] as Int64?).map { $0 + 1 } ?? 0
        return WebhookFeed(
            webhook: webhook, consent: consent, cursor: row[3], told: row[4], isBehind: row[5] as Int > 0 || waiting >= behindFrom,
            isFull: waiting >= deliveriesMax, row: row[0])
    }

    /// Those of these people whose data goes to a webhook: nearly always none, and asked for all who send, so one transaction finds it out.
    public func fedToWebhooks(_ people: some Collection<PersonID>) throws -> [PersonID] {
        if people.isEmpty { return [] }
        return try pool.read { db in
            let anyWebhook = try db.cachedStatement(sql: "SELECT EXISTS(SELECT 1 FROM webhook)")
            guard try anyWebhook.fetchOne(Bool.self) == true else { return [] }
            let statement = try db.cachedStatement(
                sql: """
                    SELECT EXISTS(SELECT 1 FROM consent JOIN account ON account.account = substr(consent.asker, 2)
                    JOIN webhook ON webhook.account = account.id
                    WHERE consent.person = ? AND consent.state = 2 AND substr(consent.asker, 1, 1) = ?)
                    """)
            return try people.filter { try statement.fetchOne(Bool.self, arguments: [Data($0.bytes), Self.organisationAsker]) == true }
        }
    }

    /// Everybody whose data goes to a webhook.
    public func peopleFedToWebhooks() throws -> [PersonID] {
        try pool.read { db in
            let fed = try db.cachedStatement(sql: "SELECT person FROM consent WHERE asker = ? AND state = 2 AND person IS NOT NULL")
            let people = try db.fetchAll(
                Data.self, sql: "SELECT account FROM account WHERE id IN (SELECT account FROM webhook)"
            ).flatMap { try fed.fetchAll(Data.self, arguments: [Self.organisationAsker + $0]) }
            return Set(people).compactMap { PersonID(bytes: $0) }
        }
    }

    /// Queues what was found and moves the places, in one transaction: nothing twice, nothing left out, whenever the hub is killed. A feed
    /// whose consent has ended, whose webhook is gone, whose place moved meanwhile or whose queue is full stays as it is.
    /// - Returns: how many feeds moved.
    @discardableResult
    public func feedWebhooks(_ fed: [WebhookBatch], now: Milliseconds) throws -> Int {
        try pool.write { db in
            var moved = 0
            for fed in fed {
                try db.inSavepoint {
                    guard try feed(fed, now: now, db) else { return .rollback }
                    moved += 1
                    return .commit
                }
            }
            return moved
        }
    }

    private func feed(_ fed: WebhookBatch, now: Milliseconds, _ db: Connection) throws -> Bool {
        let feed = fed.feed, consent = Data(feed.consent.bytes)
        guard try consents.unlessDamaged(feed.consent, db)?.access(at: now) != nil,
            try db.fetchOne(Bool.self, sql: "SELECT EXISTS(SELECT 1 FROM webhook WHERE id = ?)", arguments: [feed.row]) == true
        else { return false }
        let place = try db.fetchOne(
            String.self, sql: "SELECT cursor FROM webhook_feed WHERE webhook = ? AND consent = ?", arguments: [feed.row, consent])
        guard place == feed.cursor else { return false }
        for payload in fed.payloads {
            guard case .queued = try enqueue(payload, to: feed.webhook, about: fed.person, consent: feed.consent, now: now, db) else {
                return false
            }
        }
        try db.execute(
            sql: """
                INSERT INTO webhook_feed(webhook, consent, cursor, told) VALUES(?, ?, ?, ?)
                ON CONFLICT(webhook, consent) DO UPDATE SET cursor = excluded.cursor, told = excluded.told
                """,
            arguments: [feed.row, consent, fed.cursor, fed.told])
        return true
    }

    /// For the transaction that ends a consent: nothing more of it leaves, and the organisation's programs learn that it is over.
    func endWebhookFeeds(of consent: ConsentID, to asker: Reader, now: Milliseconds, _ db: Connection) throws {
        try endDeliveries(of: consent, db)
        try db.execute(sql: "DELETE FROM webhook_feed WHERE consent = ?", arguments: [Data(consent.bytes)])
        try tell("ended", of: consent, to: asker, now: now, db)
    }

    /// Tells an organisation's programs what became of a consent: `answered` with its state, `no-data` where none of what was granted exists,
    /// `ended`. Any other asker has none.
    func tell(_ type: String, of consent: ConsentID, state: String? = nil, to asker: Reader, now: Milliseconds, _ db: Connection) throws {
        guard case .organisation(let organisation) = asker else { return }
        let webhooks = try db.fetchAll(
            Data.self,
            sql: "SELECT webhook FROM webhook WHERE account = (SELECT id FROM account WHERE account.account = ?) ORDER BY id",
            arguments: [Data(organisation.account.bytes)])
        let state = state.map { ",\"state\":\"\($0)\"" } ?? "", text = "{\"type\":\"\(type)\",\"consent\":\"\(consent)\"\(state)}"
        for webhook in webhooks.compactMap({ WebhookID(bytes: $0) }) {
            // It names nobody, so it rests on no consent.
            _ = try enqueue(Array(text.utf8), to: webhook, about: nil, consent: nil, now: now, db)
        }
    }

    /// Tells an organisation's programs that nothing exists of what a person granted.
    public func tellNoData(_ consent: Consent, now: Milliseconds) throws {
        try pool.write { try tell("no-data", of: consent.id, to: consent.request.scope.asker, now: now, $0) }
    }
}

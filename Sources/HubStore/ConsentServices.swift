import Foundation
import GRDB
import Privacy
public import Vitals

/// A service that an organisation publishes (CONS-8). A person adds it by giving a consent that counts for it alone.
public struct PublishedService: Sendable, Hashable {
    public enum Action: String, Sendable, Hashable, Codable, CaseIterable {
        case once, daily
    }

    /// What its organisation says of it.
    public struct Description: Sendable, Hashable, Codable {
        public var name: String
        /// One or two sentences for the list.
        public var summary: String
        /// The text of its page, plain.
        public var page: String
        /// What it does with the data: the purpose that the person consents to.
        public var purpose: String
        public var kinds: Set<DataKind>
        public var actions: Set<Action>

        /// Characters, at most.
        public static let nameMax = 100, summaryMax = 300, pageMax = 10_000

        public init(
            name: String, summary: String, page: String, purpose: String, kinds: Set<DataKind>, actions: Set<Action>
        ) {
            (self.name, self.summary, self.page, self.purpose) = (name, summary, page, purpose)
            (self.kinds, self.actions) = (kinds, actions)
        }

        /// Whether all is there and nothing too long.
        public var isComplete: Bool {
            func fits(_ text: String, _ maximum: Int) -> Bool { !text.allSatisfy(\.isWhitespace) && text.count <= maximum }
            return fits(name, Self.nameMax) && fits(summary, Self.summaryMax) && page.count <= Self.pageMax
                && fits(purpose, ConsentScope.purposeCharactersMax) && !kinds.isEmpty
        }
    }

    public let id: ServiceID
    public let organisation: OrganisationID
    /// The organisation's name.
    public let publisher: String
    public let description: Description
    /// UTC milliseconds.
    public let published: Milliseconds
    /// Nobody can add it any more; consents that run, run on.
    public let isWithdrawn: Bool
}

extension AccountStore {
    /// Services that one organisation can have.
    public static let servicesMax = 100

    /// Publishes a service; nil when the organisation has ``servicesMax`` already, or the description is not complete.
    public func publishService(
        _ description: PublishedService.Description, by organisation: OrganisationID, now: Milliseconds
    ) throws -> ServiceID? {
        guard description.isComplete else { return nil }
        let id = ServiceID.random()
        let envelope = try seal(description, of: organisation.account.person, .service, (id.high, id.low))
        return try pool.write { db in
            let count = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM service WHERE organisation = ?", arguments: [Data(organisation.bytes)])
            guard count ?? 0 < Self.servicesMax else { return nil }
            try db.execute(
                sql: "INSERT INTO service(service, organisation, published, envelope) VALUES(?, ?, ?, ?)",
                arguments: [Data(id.bytes), Data(organisation.bytes), now, envelope])
            return id
        }
    }

    /// Changes the texts and actions of a service. Its kinds and purpose are what people consented to, and stay.
    /// - Returns: false when the organisation has no such service, or the description is not complete.
    public func changeService(
        _ id: ServiceID, _ description: PublishedService.Description, by organisation: OrganisationID
    ) throws -> Bool {
        try pool.write { db in
            guard let service = try service(id, db), service.organisation == organisation else { return false }
            var changed = description
            (changed.kinds, changed.purpose) = (service.description.kinds, service.description.purpose)
            guard changed.isComplete else { return false }
            let envelope = try seal(changed, of: organisation.account.person, .service, (id.high, id.low))
            try db.execute(sql: "UPDATE service SET envelope = ? WHERE service = ?", arguments: [envelope, Data(id.bytes)])
            return true
        }
    }

    /// Takes a service off the list; false when the organisation has no such service.
    public func withdrawService(_ id: ServiceID, by organisation: OrganisationID, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE service SET withdrawn = coalesce(withdrawn, ?) WHERE service = ? AND organisation = ?",
                arguments: [now, Data(id.bytes), Data(organisation.bytes)])
            return db.changesCount > 0
        }
    }

    public func service(_ id: ServiceID) throws -> PublishedService? { try pool.read { try service(id, $0) } }

    func service(_ id: ServiceID, _ db: Database) throws -> PublishedService? {
        try Row.fetchOne(db, sql: "SELECT * FROM service WHERE service = ?", arguments: [Data(id.bytes)]).flatMap { try service($0, db) }
    }

    /// What a person can add, by name; with `organisation` all of one's own.
    public func services(of organisation: OrganisationID? = nil) throws -> [PublishedService] {
        try pool.read { db in
            let rows =
                if let organisation {
                    try Row.fetchAll(db, sql: "SELECT * FROM service WHERE organisation = ?", arguments: [Data(organisation.bytes)])
                } else {
                    try Row.fetchAll(db, sql: "SELECT * FROM service WHERE withdrawn IS NULL")
                }
            return try rows.compactMap { try service($0, db) }.sorted { $0.description.name < $1.description.name }
        }
    }

    /// nil when the organisation's account or key is gone.
    private func service(_ row: Row, _ db: Database) throws -> PublishedService? {
        guard let id = ServiceID(bytes: row["service"] as Data), let organisation = OrganisationID(bytes: row["organisation"] as Data),
            let publisher = try account(organisation.account, db),
            let description = try open(
                PublishedService.Description.self, row["envelope"] as Data, of: organisation.account.person, .service, (id.high, id.low))
        else { return nil }
        return PublishedService(
            id: id, organisation: organisation, publisher: publisher.name, description: description, published: row["published"],
            isWithdrawn: (row["withdrawn"] as Milliseconds?) != nil)
    }
}

import Accounts
import Database
import Foundation
import Privacy
import Seams
public import Vitals

extension ServiceStore {
    /// Services that one organisation can have.
    public static let servicesMax = 100

    /// Publishes a service: it waits for an operator, who is told. nil when the organisation has ``servicesMax`` already, or the
    /// description lacks something.
    public func publishService(
        _ description: PublishedService.Description, by organisation: OrganisationID, now: Milliseconds
    ) throws -> ServiceID? {
        guard description.lacks.isEmpty else { return nil }
        let id = randomness.id(ServiceID.self)
        let envelope = try seal(description, of: organisation.account.person, .serviceWaiting, (id.high, id.low))
        return try pool.write { db in
            let count = try db.fetchOne(
                Int.self, sql: "SELECT count(*) FROM service WHERE organisation = ?", arguments: [Data(organisation.bytes)])
            guard count ?? 0 < Self.servicesMax else { return nil }
            try db.execute(
                sql: "INSERT INTO service(service, organisation, published, version, waiting) VALUES(?, ?, ?, 1, ?)",
                arguments: [Data(id.bytes), Data(organisation.bytes), now, envelope])
            try tellOperators(about: id, by: organisation, now: now, db)
            return id
        }
    }

    /// Changes a service; an operator looks at the change before it is shown. The kinds and purposes of one that was shown are what
    /// people consented to, and stay.
    /// - Returns: false when the organisation has no such service, or the description lacks something.
    public func changeService(
        _ id: ServiceID, _ description: PublishedService.Description, by organisation: OrganisationID, now: Milliseconds
    ) throws -> Bool {
        try pool.write { db in
            guard let service = try service(id, db), service.organisation == organisation, !service.isWithdrawn else { return false }
            var changed = description
            if let shown = service.shown {
                (changed.kinds, changed.english.purpose) = (shown.kinds, shown.english.purpose)
                changed.italian.purpose = shown.italian.purpose
            }
            guard changed.lacks.isEmpty else { return false }
            // What was refused stays so until it says something else.
            guard changed != service.waiting else { return true }
            let envelope = try seal(changed, of: organisation.account.person, .serviceWaiting, (id.high, id.low))
            try db.execute(
                sql: "UPDATE service SET waiting = ?, refused = NULL, version = version + 1 WHERE service = ?",
                arguments: [changed == service.shown ? nil : envelope, Data(id.bytes)])
            // While something waits, they are told already.
            if changed != service.shown, service.waiting == nil || service.isRefused {
                try tellOperators(about: id, by: organisation, now: now, db)
            }
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

    // MARK: The operator

    /// Lets through or refuses what waits; the organisation is told. The caller has checked that it is an operator.
    /// - Parameter version: of what the operator saw.
    /// - Returns: false when there is nothing to decide, or something else by now.
    public func checkService(_ id: ServiceID, version: Int64, isApproved: Bool, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            guard let service = try service(id, db), let waiting = service.waiting, !service.isRefused, !service.isWithdrawn,
                service.version == version
            else { return false }
            if isApproved {
                let shown = try seal(waiting, of: service.organisation.account.person, .service, (id.high, id.low))
                try db.execute(sql: "UPDATE service SET shown = ?, waiting = NULL WHERE service = ?", arguments: [shown, Data(id.bytes)])
            } else {
                try db.execute(sql: "UPDATE service SET refused = ? WHERE service = ?", arguments: [now, Data(id.bytes)])
            }
            if let account = try accounts.account(service.organisation.account, db) {
                try notices.addMail(
                    isApproved ? "service.approved" : "service.refused", ["service": waiting.name], to: account, now: now, db)
            }
            return true
        }
    }

    /// Whoever has not looked yet since the last time is not told again: a service that is changed back and forth is one notice.
    private func tellOperators(about id: ServiceID, by organisation: OrganisationID, now: Milliseconds, _ db: Connection) throws {
        let asker = try accounts.account(organisation.account, db)?.name ?? ""
        for account in try accounts.operators(db)
        where try !notices.isToldUnseen(.serviceCheck, "service", id.description, to: account, db) {
            try notices.addNotice(.serviceCheck, ["asker": asker, "service": id.description], to: account, now: now, db)
        }
    }

    // MARK: Lists

    public func service(_ id: ServiceID) throws -> PublishedService? { try pool.read { try service(id, $0) } }

    func service(_ id: ServiceID, _ db: Connection) throws -> PublishedService? {
        try db.fetchOne(sql: "SELECT * FROM service WHERE service = ?", arguments: [Data(id.bytes)]).flatMap { try service($0, db) }
    }

    /// Services that a person can add, by name.
    public func services() throws -> [PublishedService] {
        try services("shown IS NOT NULL AND withdrawn IS NULL ORDER BY id", []).sorted { $0.shown?.name ?? "" < $1.shown?.name ?? "" }
    }

    /// All of an organisation's own, the newest first.
    public func services(of organisation: OrganisationID) throws -> [PublishedService] {
        try services("organisation = ? ORDER BY id DESC", [Data(organisation.bytes)])
    }

    /// Entries that wait for an operator, the oldest first.
    public func servicesAwaitingOperator() throws -> [PublishedService] {
        try services("waiting IS NOT NULL AND refused IS NULL AND withdrawn IS NULL ORDER BY id LIMIT 200", [])
    }

    private func services(_ condition: String, _ arguments: [Data]) throws -> [PublishedService] {
        try pool.read { db in
            try db.fetchAll(sql: "SELECT * FROM service WHERE \(condition)", arguments: Arguments(arguments)).compactMap {
                let row = $0
                return try unlessDamaged(.service, row["id"] as Int64) { try service(row, db) }
            }
        }
    }

    /// nil when the organisation's account or key is gone.
    private func service(_ row: Row, _ db: Connection) throws -> PublishedService? {
        guard let id = ServiceID(bytes: row["service"] as Data), let organisation = OrganisationID(bytes: row["organisation"] as Data),
            let publisher = try accounts.account(organisation.account, db)
        else { return nil }
        func text(_ column: String, _ table: Envelope.Place.Table) throws -> PublishedService.Description? {
            try (row[column] as Data?).flatMap {
                try open(PublishedService.Description.self, $0, of: organisation.account.person, table, (id.high, id.low))
            }
        }
        return PublishedService(
            id: id, organisation: organisation, publisher: publisher.name, shown: try text("shown", .service),
            waiting: try text("waiting", .serviceWaiting), isRefused: (row["refused"] as Milliseconds?) != nil, version: row["version"],
            published: row["published"], isWithdrawn: (row["withdrawn"] as Milliseconds?) != nil)
    }
}

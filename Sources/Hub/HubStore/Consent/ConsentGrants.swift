import Accounts
import Database
import Foundation
public import Privacy
import Synchronization
public import Vitals

extension ConsentStore {
    /// The accounts that decide about a person's data, as the database has it.
    public func authority(over person: PersonID) throws -> Authority { try pool.read { try authority(over: person, $0) } }

    func authority(over person: PersonID, _ db: Connection) throws -> Authority {
        let own = try db.cachedStatement(
            sql: "SELECT 1 FROM account WHERE account = ? AND confirmed IS NOT NULL AND roles & \(Set([.person]).bits) <> 0")
        let id = Data(person.bytes)
        let account = try own.fetchOne(Bool.self, arguments: [id]) == nil ? nil : AccountID(high: person.high, low: person.low)
        let minor = try db.cachedStatement(sql: "SELECT adult_from FROM minor WHERE person = ?")
        guard let adultFrom = try minor.fetchOne(Milliseconds.self, arguments: [id]) else {
            return Authority(person: person, account: account)
        }
        let parents = try db.cachedStatement(sql: "SELECT account FROM guardian WHERE person = ?")
        let guardians = try parents.fetchAll(Data.self, arguments: [id]).compactMap { AccountID(bytes: $0) }
        return Authority(person: person, account: account, guardians: Set(guardians), adultFrom: adultFrom)
    }

    /// Puts a minor's decisions into the hands of the parents who opened the account (ACC-17).
    /// - Parameter adultFrom: the 18th birthday, UTC milliseconds.
    public func setGuardians(_ guardians: Set<AccountID>, of person: PersonID, adultFrom: Milliseconds) throws {
        try pool.write { db in
            let id = Data(person.bytes)
            try db.execute(
                sql:
                    "INSERT INTO minor(person, adult_from) VALUES(?, ?) ON CONFLICT(person) DO UPDATE SET adult_from = excluded.adult_from",
                arguments: [id, adultFrom])
            try db.execute(sql: "DELETE FROM guardian WHERE person = ?", arguments: [id])
            for guardian in guardians {
                try db.execute(sql: "INSERT INTO guardian(person, account) VALUES(?, ?)", arguments: [id, Data(guardian.bytes)])
            }
        }
    }

    /// Whether a grant on one of the grounds that the database knows holds: asked for each event of each reader.
    func upholds(_ grant: Grant, now: Milliseconds, _ db: Connection) throws -> Bool {
        switch grant.ground {
        case .own, .guardian: try authority(over: grant.person, db).upholds(grant, at: now)
        case .caregiver(let id), .consent(let id), .named(let id), .delivered(let id), .run(let id), .runPublic(let id):
            try cachedConsent(id, db)?.upholds(grant, at: now) ?? false
        case .friend, .link, .system, .sos, .sosLastPosition: false
        }
    }

    /// The grant of a consent to its reader at `now`; nil for nothing, for another reader, and for an unknown consent.
    public func grant(by id: ConsentID, to reader: Reader, for service: ServiceID? = nil, now: Milliseconds) throws -> Grant? {
        try pool.read { try cachedConsent(id, $0)?.grant(to: reader, for: service, at: now) }
    }

    /// The grant of a finished "once" for another download, up to an instant (UTC milliseconds, included); nil where nothing was read by
    /// it while it ran, and see ``Privacy/Consent/repeated(at:)``.
    public func repeated(by id: ConsentID, to reader: Reader, now: Milliseconds) throws -> (grant: Grant, upTo: Milliseconds)? {
        try pool.read { db in
            guard let consent = try cachedConsent(id, db), let grant = consent.repeatedGrant(to: reader, at: now),
                let access = consent.repeated(at: now), try isRead(id, db)
            else { return nil }
            return (grant, access.since)
        }
    }

    /// Whether somebody read by a consent.
    func isRead(_ id: ConsentID, _ db: Connection) throws -> Bool {
        try db.fetchOne(
            Bool.self, sql: "SELECT EXISTS(SELECT 1 FROM ledger WHERE consent = ? AND hour IS NOT NULL)", arguments: [Data(id.bytes)])
            ?? false
    }

    /// Since when a consent that runs gives access, UTC milliseconds.
    public func access(by id: ConsentID, now: Milliseconds) throws -> Consent.Access? {
        try pool.read { try cachedConsent(id, $0)?.access(at: now) }
    }

    /// The grant of a subscription to its asker, for the service for which it counts, and since when (UTC milliseconds); nil for what was asked
    /// for once, and for what does not run.
    public func subscription(by id: ConsentID, now: Milliseconds) throws -> (grant: Grant, since: Milliseconds)? {
        try pool.read { db in
            guard let consent = try cachedConsent(id, db), consent.request.scope.term != .once, let access = consent.access(at: now),
                let grant = consent.grant(to: consent.request.scope.asker, for: consent.request.scope.service, at: now)
            else { return nil }
            return (grant, access.since)
        }
    }

    /// Opened and decoded once for each version: the version is read in the transaction that reads. Only for reading transactions, since
    /// a version that is not committed must not stay.
    func cachedConsent(_ id: ConsentID, _ db: Connection) throws -> Consent? {
        let statement = try db.cachedStatement(sql: "SELECT version FROM consent WHERE consent = ?")
        guard let version = try statement.fetchOne(Int64.self, arguments: [Data(id.bytes)]) else { return nil }
        if let known = accounts.consentCache.consent(id, version: version) {
            // An asker who was deleted, or is suspended, reads nothing more.
            let asker = known.request.scope.asker
            return try keys.key(of: asker.account.person) == nil || accounts.organisations.isSuspended(asker, db) ? nil : known
        }
        guard let stored = try consent(id, db) else { return nil }
        accounts.consentCache.keep(stored)
        return try accounts.organisations.isSuspended(stored.consent.request.scope.asker, db) ? nil : stored.consent
    }
}

/// Consents that somebody reads by.
final class ConsentCache: Sendable {
    private let known = Mutex<[ConsentID: (version: Int64, consent: Consent)]>([:])
    /// A kilobyte each, about.
    private static let countMax = 20_000

    func consent(_ id: ConsentID, version: Int64) -> Consent? {
        known.withLock { known in known[id].flatMap { $0.version == version ? $0.consent : nil } }
    }

    func keep(_ stored: StoredConsent) {
        known.withLock { known in
            if known.count >= Self.countMax { known.removeAll() }
            known[stored.consent.id] = (stored.version, stored.consent)
        }
    }
}

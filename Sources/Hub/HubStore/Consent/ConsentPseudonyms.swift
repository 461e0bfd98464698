import Database
import Foundation
public import Privacy
import Synchronization
public import Vitals

/// A consent of an asker's own, and by which name it knows the person.
public struct PseudonymousConsent: Sendable, Hashable {
    public let asked: AskedConsent
    /// ``PseudonymStore/pseudonym(of:for:service:)``; nil for whoever never agreed.
    public let pseudonym: String?
}

extension PseudonymStore {
    /// The name by which one reader knows a person: 32 hexadecimal digits, others for each reader, so that two of them cannot put together what each has. It
    /// comes of the hub's key, so nothing is kept of it.
    /// - Parameter service: for which the consent counts: whoever adds one stays unnamed, also to an organisation that knows them otherwise.
    public func pseudonym(of person: PersonID, for reader: Reader, service: ServiceID?) -> String {
        let account = reader.account, scope = service.map { " \($0.high) \($0.low)" } ?? ""
        return accounts.index("pseudonym", "\(account.high) \(account.low) \(person.high) \(person.low)\(scope)").prefix(16)
            .map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    }

    /// The person whom a reader with a running consent means, and the service; nil for a name that it did not get.
    public func person(_ pseudonym: String, for reader: Reader) throws -> (person: PersonID, service: ServiceID?)? {
        if let known = accounts.pseudonymCache.person(pseudonym, reader) { return (known.person, known.service) }
        let asked = try pool.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT \(ConsentStore.consentColumns) FROM consent WHERE asker = ? AND state = 2 AND person IS NOT NULL")
            return try statement.fetchAll(arguments: [reader.key]).compactMap { try consents.listedConsent($0)?.consent }
        }
        for consent in asked {
            let service = consent.request.scope.service
            guard let person = consent.person, self.pseudonym(of: person, for: reader, service: service) == pseudonym else { continue }
            accounts.pseudonymCache.keep(pseudonym, reader, .init(person: person, service: service))
            return (person, service)
        }
        return nil
    }

    /// The grant of a reader of one person at `now`, for one service, or for none: what counts for a service is good for nothing else.
    public func grants(
        to reader: Reader, on person: PersonID, service: ServiceID?, now: Milliseconds
    ) throws -> [(consent: AskedConsent, grant: Grant)] {
        try pool.read { db in
            guard try !accounts.organisations.isSuspended(reader, db) else { return [] }
            let statement = try db.cachedStatement(
                sql: "SELECT \(ConsentStore.consentColumns) FROM consent WHERE person = ? AND asker = ? AND state = 2 ORDER BY id")
            return try statement.fetchAll(arguments: [Data(person.bytes), reader.key]).compactMap { row in
                guard let stored = try consents.listedConsent(row), stored.consent.request.scope.service == service,
                    let grant = stored.consent.grant(to: reader, for: service, at: now)
                else { return nil }
                return (AskedConsent(stored.consent, label: stored.label, now: now), grant)
            }
        }
    }

    /// One of an asker's own; nil for another's.
    public func pseudonymousConsent(_ id: ConsentID, askedBy reader: Reader, now: Milliseconds) throws -> PseudonymousConsent? {
        try pool.read { db in
            guard let stored = try consents.consent(id, db), stored.consent.request.scope.asker == reader else { return nil }
            return pseudonymous(stored, now: now)
        }
    }

    /// An asker's own, the newest first: at most ``consentPageMax`` from the one behind `after` on.
    public func pseudonymousConsents(
        askedBy reader: Reader, after: ConsentID? = nil, now: Milliseconds
    ) throws -> [PseudonymousConsent] {
        try pool.read { db in
            let place = try after.flatMap {
                try db.fetchOne(
                    Int64.self, sql: "SELECT id FROM consent WHERE consent = ? AND asker = ?", arguments: [Data($0.bytes), reader.key])
            }
            return try db.fetchAll(
                sql: "SELECT \(ConsentStore.consentColumns) FROM consent WHERE asker = ? AND id < ? ORDER BY id DESC LIMIT ?",
                arguments: [reader.key, place ?? .max, ConsentStore.consentPageMax]
            ).compactMap { try consents.listedConsent($0).map { pseudonymous($0, now: now) } }
        }
    }

    private func pseudonymous(_ stored: StoredConsent, now: Milliseconds) -> PseudonymousConsent {
        let consent = stored.consent
        let scope = consent.request.scope
        var isKnown = false
        if case .accepted = consent.state { isKnown = true }
        if case .over(let end) = consent.state { isKnown = end.access != nil }
        return PseudonymousConsent(
            asked: AskedConsent(consent, label: stored.label, now: now),
            pseudonym: isKnown ? consent.person.map { pseudonym(of: $0, for: scope.asker, service: scope.service) } : nil)
    }
}

/// Pseudonyms that were found: looking takes a hash for each person who agreed.
final class PseudonymCache: Sendable {
    private struct Key: Hashable {
        var pseudonym: String
        var reader: Reader
    }

    struct Known {
        var person: PersonID
        var service: ServiceID?
    }

    private let known = Mutex<[Key: Known]>([:])
    private static let countMax = 50_000

    func person(_ pseudonym: String, _ reader: Reader) -> Known? {
        known.withLock { $0[Key(pseudonym: pseudonym, reader: reader)] }
    }

    func keep(_ pseudonym: String, _ reader: Reader, _ found: Known) {
        known.withLock { known in
            if known.count >= Self.countMax { known.removeAll() }
            known[Key(pseudonym: pseudonym, reader: reader)] = found
        }
    }
}

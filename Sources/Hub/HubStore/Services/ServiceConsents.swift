import Database
import Foundation
public import Privacy
public import Vitals

extension ConsentStore {
    /// A person's consents for one service, or for any, the newest first.
    /// - Parameter service: nil for the consents of all services.
    public func consents(of person: PersonID, for service: ServiceID?) throws -> [Consent] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT \(Self.consentColumns) FROM consent WHERE person = ? ORDER BY id DESC LIMIT 2000",
                arguments: [Data(person.bytes)]
            ).compactMap(storedConsent).map(\.consent).filter { consent in
                guard let counts = consent.request.scope.service else { return false }
                return service.map { $0 == counts } ?? true
            }
        }
    }

    /// The consent by which a service works for a person now: issue by issue, the hub's own services ask this.
    public func running(_ service: ServiceID, of person: PersonID, now: Milliseconds) throws -> Consent? {
        try consents(of: person, for: service).first { $0.access(at: now) != nil }
    }

    /// Who reads, as the person's pages and ledger name them: a service by its name and its organisation's.
    func readerName(_ scope: ConsentScope, _ db: Connection) throws -> String {
        guard let service = scope.service else { return try accounts.account(scope.asker.account, db)?.name ?? "" }
        if let own = BuiltInService(service) { return own.name }
        guard let known = try services.service(service, db) else { return try accounts.account(scope.asker.account, db)?.name ?? "" }
        return "\(known.shown?.name ?? "") (\(known.publisher))"
    }
}

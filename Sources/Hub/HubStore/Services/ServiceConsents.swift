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
            ).compactMap(listedConsent).map(\.consent).filter { consent in
                guard let counts = consent.request.scope.service else { return false }
                return service.map { $0 == counts } ?? true
            }
        }
    }

    /// The consent by which a service works for a person now: issue by issue, the hub's own services ask this.
    /// - Throws: where none is found and one does not open: it may be this one, and nobody is to be unprotected by a row that cannot be read.
    public func running(_ service: ServiceID, of person: PersonID, now: Milliseconds) throws -> Consent? {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: "SELECT \(Self.consentColumns) FROM consent WHERE person = ? AND state = 2 ORDER BY id DESC",
                arguments: [Data(person.bytes)])
            let known = try rows.compactMap(listedConsent).map(\.consent)
            if let found = known.first(where: { $0.request.scope.service == service && $0.access(at: now) != nil }) { return found }
            _ = try rows.map(storedConsent)
            return nil
        }
    }
}

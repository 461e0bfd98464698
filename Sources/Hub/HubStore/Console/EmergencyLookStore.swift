import Database
public import Vitals

/// The looks of operators at emergencies (OPS-1): each is written into the person's ledger, their notices and the audit log before anything is shown.
public struct EmergencyLookStore: SubjectStore {
    let accounts: AccountStore

    public init(_ accounts: AccountStore) { self.accounts = accounts }

    /// Writes down that an operator looks, with one commit.
    /// - Parameters:
    ///   - people: whom the emergency may be about.
    ///   - reason: as the operator gave it; those people read it.
    public func record(
        of people: [PersonID], reason: String, by operator: StoredAccount, audit: AuditLog, now: Milliseconds
    ) throws {
        try pool.write { db in
            for person in people {
                let line = LedgerEntry(
                    what: .readByOperator(`operator`.id), at: now, consent: nil, reader: nil, name: `operator`.name, service: nil,
                    kinds: [.heartRate, .position], purpose: reason)
                try ledger.insert(line, of: person, ground: nil, db)
                _ = try audit.insert(.emergencyRead, by: `operator`.id, on: AccountID(person), now: now, db)
                guard let owner = try accounts.account(AccountID(person), db) else { continue }
                let told = ["operator": `operator`.name, "why": reason]
                if owner.hasMail { try notices.addMail("operator.looked", told, to: owner, now: now, db) }
                try notices.addTold("operator.looked", told, to: owner, now: now, db)
            }
        }
    }
}

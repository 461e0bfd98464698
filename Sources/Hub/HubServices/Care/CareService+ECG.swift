import HubStore
public import Privacy
public import Vitals

extension CareService {
    /// By what an account reads the ECG strips of somebody whom it looks after: being a minor's parent, or a consent that names ECG.
    /// - Returns: nil where nothing lets it, and for the person's own account.
    public func ecgGrant(of person: PersonID, for account: AccountID) throws -> Grant? {
        guard person != account.person else { return nil }
        if let grant = try accounts.consents.authority(over: person).grant(to: account, at: now) { return grant }
        return try consents.careGrants(of: account).map(\.grant).first { $0.person == person && $0.kinds.contains(.ecg) }
    }

    /// The name of somebody; nil for nobody (any more).
    public func name(of person: PersonID) throws -> String? { try accounts.person(person)?.name }
}

public import HubStore
public import Privacy
public import Vitals

/// Consents for caregivers (ACC-11): the machine is the one of all others.
extension ConsentService {
    /// The person lets somebody look after them who did not ask.
    func give(
        toCaregiver reader: StoredAccount, kinds: Set<DataKind>, purpose: String, of person: PersonID, by account: AccountID
    ) throws {
        guard reader.confirmed != nil, reader.id.person != person else { throw ConsentProblem.notYours }
        let scope = try ConsentScope(asker: .caregiver(reader.id), kinds: kinds, purpose: purpose, term: .untilRevoked)
        _ = try accounts.consents.giveConsent(scope, of: person, by: account, parameters: .caregiver, now: time.now)
    }

    /// A caregiver takes what a person offered by mail, or a parent; false when the link does not work (any more).
    func take(invitation hash: [UInt8], by caregiver: StoredAccount) throws -> Bool {
        if try accounts.care.takeParenthood(hash, by: caregiver, now: time.now) { return true }
        return try accounts.care.takeInvitation(hash, by: caregiver, parameters: .caregiver, now: time.now) != nil
    }

    /// The grants by which an account reads for others as a caregiver.
    public func careGrants(of account: AccountID) throws -> [(consent: AskedConsent, grant: Grant)] {
        try accounts.consents.grants(to: .caregiver(account), now: time.now)
    }

    /// The grant by which an account reads a person's data on the site: being the person, a minor's parent, or a caregiver with consent; nil for everybody else.
    /// With several consents it is the one with the most kinds.
    public func siteGrant(of person: PersonID, to account: AccountID) throws -> Grant? {
        if let grant = try accounts.consents.authority(over: person).grant(to: account, at: time.now) { return grant }
        return try careGrants(of: account).map(\.grant).filter { $0.person == person }.max { $0.kinds.count < $1.kinds.count }
    }
}

public import HubStore
import Privacy
public import Vitals

/// Statistics about groups.
extension ConsentService {
    /// Whether a person counts in statistics about groups.
    /// - Parameter account: the person's own, or a parent's.
    public func groupStanding(of person: PersonID, for account: AccountID) throws -> GroupStanding {
        try checkMayRead(person, account)
        return try accounts.consents.groups.standing(of: person)
    }

    /// Whether an account decides about a person now: the person's own, or a parent's of a minor.
    public func isDecider(_ account: AccountID, of person: PersonID) throws -> Bool {
        try accounts.consents.authority(over: person).mayAnswer(account, at: time.now)
    }

    /// Objects to them, takes an objection back, or says yes for a minor. It holds from the next window on.
    /// - Parameter account: the person's, or a parent's of a minor.
    public func setCounted(_ isCounted: Bool, of person: PersonID, by account: AccountID) throws {
        try accounts.consents.groups.choose(isCounted: isCounted, of: person, by: account, now: time.now)
    }
}

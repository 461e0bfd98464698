public import HubStore
import Privacy
public import Vitals

/// One-time links to a person's live page, which whoever runs the hub makes at a shell. They stand in the person's ledger and in the audit log; a
/// person with an account is asked first, sees them among their followers, and ends them there.
public struct LiveLinks: Sendable {
    private let accounts: AccountStore
    private let audit: AuditLog

    public init(accounts: AccountStore, audit: AuditLog) { (self.accounts, self.audit) = (accounts, audit) }

    /// A link that was made.
    public struct Made: Sendable, Hashable {
        public enum Shown: Sendable, Hashable {
            /// An invention of a rehearsal or a demonstration.
            case madeUp
            /// Somebody whom the operator added and who has no account: nobody can be asked.
            case withoutAccount
            /// Somebody real, who was asked: the link opens after their yes.
            case asked
        }

        public let secret: String
        public let shown: Shown
    }

    /// Makes one. nil for a minor: nobody but a parent lets others read.
    /// - Throws: `HubStoreError.unknownPerson`, or what the store throws.
    public func make(to person: PersonID, now: Milliseconds) throws -> Made? {
        let account = try accounts.account(AccountID(person)), isMadeUp = account.map(Rehearsal.isMadeUp) ?? false
        guard try !accounts.consents.authority(over: person).isMinor(at: now) else { return nil }
        let secret = try accounts.links.makeLink(to: person, asking: isMadeUp ? nil : account, now: now)
        try audit.append(.linkMade, by: nil, on: AccountID(person), now: now)
        return Made(secret: secret, shown: account == nil ? .withoutAccount : isMadeUp ? .madeUp : .asked)
    }

    private func check(_ account: StoredAccount, _ person: PersonID, _ now: Milliseconds) throws {
        guard try accounts.consents.authority(over: person).mayAnswer(account.id, at: now) else { throw ConsentProblem.notYours }
    }

    /// Links that open the person's live page, or wait for their yes.
    public func list(of person: PersonID, now: Milliseconds) throws -> [PersonLink] { try accounts.links.links(of: person, now: now) }

    /// The person says yes to a link. False when there is none that waits.
    /// - Throws: `ConsentProblem.notYours` for who does not decide for the person.
    public func allow(_ id: String, of person: PersonID, by account: StoredAccount, now: Milliseconds) throws -> Bool {
        try check(account, person, now)
        guard try accounts.links.allowLink(id, of: person, by: account.id, now: now) else { return false }
        try audit.append(.linkAllowed, by: account.id, on: AccountID(person), now: now)
        return true
    }

    /// The person ends a link, opened or not. False when there is none.
    /// - Throws: `ConsentProblem.notYours` for who does not decide for the person.
    public func end(_ id: String, of person: PersonID, by account: StoredAccount, now: Milliseconds) throws -> Bool {
        try check(account, person, now)
        guard try accounts.links.endLink(id, of: person, by: account.id, now: now) else { return false }
        try audit.append(.linkEnded, by: account.id, on: AccountID(person), now: now)
        return true
    }
}

public import Vitals

/// Who decides about a person's data: the person, or for a minor a parent (ACC-17). Nobody else, a caregiver included (ACC-11).
public struct Authority: Sendable, Hashable {
    public let person: PersonID
    /// The person's own account; nil when the person has none.
    public let account: AccountID?
    /// The parents who opened a minor's account.
    public let guardians: Set<AccountID>
    /// From when on the person decides alone, in UTC milliseconds: the 18th birthday, or `.min` for who was of age at sign-up.
    public let adultFrom: Milliseconds

    public init(person: PersonID, account: AccountID?, guardians: Set<AccountID> = [], adultFrom: Milliseconds = .min) {
        self.person = person
        self.account = account
        self.guardians = guardians
        self.adultFrom = adultFrom
    }

    public func isMinor(at now: Milliseconds) -> Bool { now < adultFrom }

    /// Whether an account may accept, deny, give and revoke for this person.
    public func mayAnswer(_ account: AccountID, at now: Milliseconds) -> Bool {
        isMinor(at: now) ? guardians.contains(account) && account != self.account : account == self.account
    }

    /// The proof that an account may decide, which a consent wants to see with each answer.
    /// - Throws: ``ConsentProblem/notYours``.
    public func decider(_ account: AccountID, at now: Milliseconds) throws(ConsentProblem) -> Decider {
        guard mayAnswer(account, at: now) else { throw .notYours }
        return Decider(person: person, account: account)
    }

    /// The grant of an account that is the person, or a minor's parent; nil for everybody else.
    public func grant(to account: AccountID, at now: Milliseconds) -> Grant? {
        if account == self.account { return Grant(person: person, kinds: Set(DataKind.allCases), ground: .own(account)) }
        guard mayAnswer(account, at: now) else { return nil }
        return Grant(person: person, kinds: Set(DataKind.allCases), ground: .guardian(account))
    }

    /// Whether a grant on the ground of being the person or a parent holds at `now`.
    public func upholds(_ grant: Grant, at now: Milliseconds) -> Bool {
        switch grant.ground {
        case .own(let account), .guardian(let account): self.grant(to: account, at: now) == grant
        case .caregiver, .consent, .named, .delivered, .run, .runPublic, .friend, .link, .system, .sos, .sosLastPosition: false
        }
    }
}

/// An account that may decide for a person. Only ``Authority`` makes one; it is used at once and not kept.
public struct Decider: Sendable, Hashable {
    public let person: PersonID
    public let account: AccountID

    init(person: PersonID, account: AccountID) {
        self.person = person
        self.account = account
    }
}

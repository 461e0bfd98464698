public import Accounts
import Credentials
public import HubStore
public import Vitals

/// A lost e-mail address, which an operator alone replaces (ACC-8): with proof, seven days' wait, and word to both mailboxes.
public struct LostAddresses: Sendable {
    private let accounts: AccountStore
    private let audit: AuditLog
    private let now: @Sendable () -> Milliseconds

    /// What is wrong with what an operator typed.
    public enum Problem: Error, Sendable, Hashable {
        /// Whoever acts is no operator, or it is the operator's own address.
        case notYours
        case address(FieldError)
        case proof(FieldError)
        case change(AddressChangeProblem)
    }

    /// Characters of the proof, at most.
    public static let proofMax = 500

    public init(accounts: AccountStore, audit: AuditLog, now: @escaping @Sendable () -> Milliseconds) {
        (self.accounts, self.audit, self.now) = (accounts, audit, now)
    }

    private var store: AddressChangeStore { AddressChangeStore(accounts) }

    // MARK: The operator

    /// - Parameters:
    ///   - lost: the address that the account has, or the user name of who has none.
    ///   - proof: by what the operator knows who asks for it.
    /// - Throws: ``Problem``.
    public func replace(_ lost: String, by new: String, proof: String, for account: StoredAccount) throws {
        let time = now()
        guard account.roles.contains(.operator) else { throw Problem.notYours }
        let address: EmailAddress, known = AccountService.trimmed(lost).lowercased(), proof = AccountService.trimmed(proof)
        do { address = try EmailAddress(new) } catch { throw Problem.address(error) }
        guard !proof.isEmpty else { throw Problem.proof(FieldError(.missing)) }
        guard proof.count <= Self.proofMax else { throw Problem.proof(FieldError(.tooLong, limit: Self.proofMax)) }
        guard let owner = try accounts.account(email: known), owner.confirmed != nil else { throw Problem.change(.unknown) }
        guard owner.id != account.id else { throw Problem.notYours }
        let confirmation = SecretToken.random(using: accounts.randomness), stop = SecretToken.random(using: accounts.randomness)
        do {
            try store.ask(
                address, for: owner, proof: proof, by: account.id, confirmation: (confirmation.text, confirmation.hash),
                stop: (stop.text, stop.hash), now: time)
        } catch let problem as AddressChangeProblem { throw Problem.change(problem) }
        try audit.append(.addressAsked, by: account.id, on: owner.id, now: time)
    }

    /// What waits, the first to come first.
    public func waiting(for account: StoredAccount) throws -> [AddressChange] {
        guard account.roles.contains(.operator) else { throw Problem.notYours }
        return try store.changes()
    }

    /// - Returns: false where nothing waits for that account.
    public func stop(_ id: AccountID, for account: StoredAccount) throws -> Bool {
        guard account.roles.contains(.operator) else { throw Problem.notYours }
        return try stop(id, by: account.id)
    }

    // MARK: The owner

    public func change(of account: StoredAccount) throws -> AddressChange? { try store.change(of: account) }

    /// - Returns: false where nothing waits for the account.
    public func stop(by account: StoredAccount) throws -> Bool { try stop(account.id, by: account.id) }

    /// Whether the link to the new mailbox, or to the old, works.
    public func isConfirmation(_ link: String) throws -> Bool {
        try SecretToken(link).flatMap { try store.account(ofConfirmation: $0.hash) } != nil
    }

    public func isStop(_ link: String) throws -> Bool { try SecretToken(link).flatMap { try store.account(ofStop: $0.hash) } != nil }

    /// Somebody at the new mailbox followed its link. It takes effect when its time has come.
    /// - Returns: false for a link that does not work (any more).
    public func confirm(_ link: String) throws -> Bool {
        guard let token = SecretToken(link), let owner = try store.account(ofConfirmation: token.hash) else { return false }
        guard try store.confirm(token.hash, now: now()) else { return false }
        try pass(owner.id)
        return true
    }

    /// Somebody at the old mailbox says that it is not lost.
    /// - Returns: false for a link that does not work (any more).
    public func stop(_ link: String) throws -> Bool {
        guard let token = SecretToken(link), let owner = try store.account(ofStop: token.hash) else { return false }
        return try stop(owner.id, by: owner.id)
    }

    private func stop(_ id: AccountID, by actor: AccountID) throws -> Bool {
        let time = now()
        guard try store.stop(id, now: time) else { return false }
        try audit.append(.addressKept, by: actor, on: id, now: time)
        return true
    }

    // MARK: Time

    /// What the timers are for.
    public var timers: [TimerKind: TimerService.Handler] {
        [.addressChange: { timer in if let id = AccountID(bytes: timer.subject) { try pass(id) } }]
    }

    private func pass(_ id: AccountID) throws {
        let time = now()
        if try store.pass(id, now: time) { try audit.append(.addressReplaced, by: nil, on: id, now: time) }
    }
}

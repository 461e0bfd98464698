public import Accounts
import Credentials
public import HubStore
public import Vitals

/// Help with logging in, by operators (OPS-1). Each act is told to the account's owner, by mail and on their page of notices.
public struct LogInHelp: Sendable {
    private let service: AccountService
    private let store: LogInHelpStore
    private let audit: AuditLog

    /// Why an act is not done.
    public enum Problem: Error, Sendable, Hashable {
        /// Whoever acts is no operator.
        case notYours
        case unknown
        /// Another operator has to help an operator with their own account.
        case own
        case proof(FieldError)
        /// It is so already, or there is nothing to take away.
        case already
        /// A link left within the last five minutes.
        case lately
        /// Somebody opened the account for its person, and the link of the hand-over went out again.
        case handedOver
        /// The account has no mailbox: nothing can be mailed.
        case noMailbox
    }

    /// Characters of what an operator writes down, at most.
    public static let proofMax = 500
    /// Between two links to one account, milliseconds.
    static let pause: Milliseconds = 300_000

    public init(_ service: AccountService, audit: AuditLog) {
        (self.service, store, self.audit) = (service, LogInHelpStore(service.accounts), audit)
    }

    /// What an operator sees of an account.
    public struct Facts: Sendable {
        public let account: StoredAccount
        public let lockedSince: Milliseconds?
        public let hasOneTime: Bool
        public let passkeys: Int
        public let recoveryCodes: Int
        /// Browsers that are logged in.
        public let sessions: Int
        /// The newest first.
        public let done: [LogInHelpStore.Done]
        /// Its boxes, in the order of their enrolment; none for who is no person.
        public let boxes: [AgentStore.ListedAgent]

        public var hasFactor: Bool { hasOneTime || passkeys > 0 }
    }

    /// - Throws: ``Problem``.
    public func facts(of id: AccountID, for operator: StoredAccount) throws -> Facts {
        let account = try account(id, for: `operator`), accounts = service.accounts
        let factors = try accounts.factors.factors(of: account)
        return Facts(
            account: account, lockedSince: try store.lockedSince(account), hasOneTime: factors.oneTime != nil,
            passkeys: factors.passkeys.count, recoveryCodes: factors.recovery.count,
            sessions: try accounts.sessions(of: account.row, now: service.now()).count, done: try store.done(for: account),
            boxes: account.roles.contains(.person) ? try accounts.agents.agents(of: account.id.person) : [])
    }

    private func account(_ id: AccountID, for operator: StoredAccount) throws -> StoredAccount {
        guard `operator`.roles.contains(.operator) else { throw Problem.notYours }
        guard let account = try service.accounts.account(id) else { throw Problem.unknown }
        return account
    }

    /// Does it.
    /// - Parameter typed: by what the operator knows who asks, or why; asked for by each act but ``LogInHelpStore/Act/resend``.
    /// - Throws: ``Problem``.
    public func act(_ act: LogInHelpStore.Act, on id: AccountID, proof typed: String, by operator: StoredAccount) throws {
        let account = try account(id, for: `operator`), time = service.now(), proof = AccountService.trimmed(typed)
        guard account.id != `operator`.id else { throw Problem.own }
        if act != .resend {
            guard !proof.isEmpty else { throw Problem.proof(FieldError(.missing)) }
            guard proof.count <= Self.proofMax else { throw Problem.proof(FieldError(.tooLong, limit: Self.proofMax)) }
        }
        let isDone =
            switch act {
            case .lock: try store.lock(account, why: proof, by: `operator`.id, audit: audit, now: time)
            case .unlock: try store.unlock(account, why: proof, by: `operator`.id, audit: audit, now: time)
            case .factors: try store.removeFactors(of: account, proof: proof, by: `operator`.id, audit: audit, now: time)
            case .resend: try resend(to: account, by: `operator`.id, now: time)
            }
        guard isDone else { throw Problem.already }
    }

    private func resend(to account: StoredAccount, by operator: AccountID, now: Milliseconds) throws -> Bool {
        guard account.hasMail else { throw Problem.noMailbox }
        if try service.remindOfHandOver(account) {
            try audit.append(.linkSentAgain, by: `operator`, on: account.id, now: now)
            throw Problem.handedOver
        }
        let isConfirmed = account.confirmed != nil
        let lifetime = isConfirmed ? AccountService.resetLifetime : AccountService.confirmationLifetime
        let purpose: MailLinkPurpose = isConfirmed ? .reset : .confirmation
        guard
            try !service.accounts.hasLink(purpose, of: account.row, madeAfter: now - Self.pause, lifetime: lifetime)
        else { throw Problem.lately }
        let token = SecretToken.random(using: service.accounts.randomness)
        try store.resend(
            service.url() + (isConfirmed ? "/reset/" : "/confirm/") + token.text, hash: token.hash, expires: now + lifetime, to: account,
            by: `operator`, audit: audit, now: now)
        return true
    }
}

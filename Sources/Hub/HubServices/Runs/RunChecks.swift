public import Accounts
public import HubStore
import Runs
public import Vitals

/// New runs that an operator looks at before anybody finds them (`hub.runs.check`, OPS-1).
public enum RunCheckRule: String, Sendable, CaseIterable {
    case none
    /// The first run of an organiser.
    case first
    case each
}

/// Operators' looks at new runs, with the permission of an authority.
public struct RunChecks: Sendable {
    let store: RunsStore
    let accounts: AccountStore
    let audit: AuditLog
    /// Which runs are looked at.
    public let rule: RunCheckRule
    let now: @Sendable () -> Milliseconds

    /// Why nothing was decided.
    public enum Problem: Error, Sendable, Hashable {
        /// Whoever decides is no operator.
        case notYours
        /// It waits no more, was changed, or would have begun.
        case changed
        case reason(FieldError)
    }

    /// Characters of why a run is refused, at most.
    public static let reasonMax = 500

    public init(
        store: RunsStore, accounts: AccountStore, audit: AuditLog, rule: RunCheckRule, now: @escaping @Sendable () -> Milliseconds
    ) {
        (self.store, self.accounts, self.audit, self.rule, self.now) = (store, accounts, audit, rule, now)
    }

    /// Whether an organiser who publishes this draft waits for an operator.
    func holdsBack(_ draft: StoredRun, of organiser: AccountID) throws -> Bool {
        switch rule {
        case .none: return false
        case .first: if try store.checks.hasPublished(organiser) { return false }
        case .each: break
        }
        return try store.checks.standing(of: draft) != .accepted
    }

    /// Operators are told that a draft waits, once.
    func ask(about draft: StoredRun, of organiser: StoredAccount) throws {
        let time = now()
        guard try store.checks.ask(about: draft, now: time) else { return }
        try ConsoleStore(accounts).tellOperators("run.check", ["asker": organiser.name], now: time)
    }

    /// What became of an organiser's wish to publish a draft.
    public func standing(of run: StoredRun) throws -> RunCheckStore.Standing { try store.checks.standing(of: run) }

    // MARK: The operator

    /// Drafts that wait, the first to come first.
    public func waiting(for account: StoredAccount) throws -> [WaitingRun] {
        guard account.roles.contains(.operator) else { throw Problem.notYours }
        return try store.checks.waiting()
    }

    public func countWaiting() throws -> Int { try store.checks.countWaiting() }

    /// Publishes it.
    /// - Parameter revision: what the operator saw.
    /// - Throws: ``Problem``.
    public func accept(_ id: RunID, revision: Int, by account: StoredAccount) throws {
        let run = try decide(id, revision: revision, refusal: nil, by: account)
        guard try store.publish(id, now: now()) != nil else { throw Problem.changed }
        try tell("run.checkAccepted", run)
    }

    /// It stays a draft, and its organiser hears why.
    /// - Throws: ``Problem``.
    public func refuse(_ id: RunID, revision: Int, reason typed: String, by account: StoredAccount) throws {
        let reason = AccountService.trimmed(typed)
        guard !reason.isEmpty else { throw Problem.reason(FieldError(.missing)) }
        guard reason.count <= Self.reasonMax else { throw Problem.reason(FieldError(.tooLong, limit: Self.reasonMax)) }
        try tell("run.checkRefused", try decide(id, revision: revision, refusal: reason, by: account), ["why": reason])
    }

    private func decide(_ id: RunID, revision: Int, refusal: String?, by account: StoredAccount) throws -> StoredRun {
        guard account.roles.contains(.operator) else { throw Problem.notYours }
        let time = now()
        guard let run = try store.run(id), refusal != nil || run.plan.starts > time,
            try store.checks.decide(run, revision: revision, refusal: refusal, now: time)
        else { throw Problem.changed }
        let subject = AccountID(high: id.high, low: id.low)
        try audit.append(refusal == nil ? .runAccepted : .runRefused, by: account.id, on: subject, now: time)
        return run
    }

    private func tell(_ mail: String, _ run: StoredRun, _ arguments: [String: String] = [:]) throws {
        guard let organiser = try run.organiser.flatMap({ try accounts.account($0) }) else { return }
        let told = arguments.merging(["run": run.plan.name, "code": run.code]) { own, _ in own }
        try ConsoleStore(accounts).tell(mail, told, to: organiser, now: now())
    }
}

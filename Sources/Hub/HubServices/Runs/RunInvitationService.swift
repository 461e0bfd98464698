import Accounts
import Credentials
public import HubStore
public import Vitals

/// Invitations by mail and by link (RUN-11). A link shows what it is about and a button; only its POST lets somebody in.
public struct RunInvitationService: Sendable {
    let runsStore: RunsStore
    let store: RunInvitationStore
    let accounts: AccountStore
    let site: @Sendable () -> String
    /// The link to no more letters for an address.
    let stop: @Sendable (EmailAddress) -> String
    let time: MonotonicUTC

    /// The part of the site's address before an invitation's secret.
    public static let invitationPath = "/runs/invitation/"
    /// The largest number of people who can take one link.
    public static let usesMax = 5000
    static let dailyMax = 300

    private var now: Milliseconds { time.now }

    /// Invites an address. What the organiser sees is the same whoever has it.
    /// - Throws: ``RunProblem``.
    public func invite(email typed: String, to id: RunID, by account: StoredAccount) throws {
        let run = try invitable(id, account)
        guard let email = try? EmailAddress(typed) else { throw RunProblem.address }
        let token = SecretToken.random(using: accounts.randomness)
        try add(.init(email: email.address), token, uses: 1, to: run)
        let arguments = [
            "person": InvitationStore.inviterName(account.name), "run": run.plan.name,
            "link": site() + Self.invitationPath + token.text,
            "stop": stop(email),
        ]
        try accounts.runConsents.mailRunInvitation(arguments, to: email, by: account, now: now)
    }

    /// A link to hand on, which is shown once.
    /// - Parameter uses: how many may take it, 1 to ``usesMax``.
    public func invitationLink(to id: RunID, uses: Int, by account: StoredAccount) throws -> String {
        let run = try invitable(id, account), token = SecretToken.random(using: accounts.randomness)
        try add(.init(email: nil), token, uses: min(max(uses, 1), Self.usesMax), to: run)
        return site() + Self.invitationPath + token.text
    }

    public func invitations(to id: RunID, by account: StoredAccount) throws -> [RunInvitationStore.WaitingInvitation] {
        try store.invitations(to: runsStore.own(id, account), now: now)
    }

    public func revokeInvitation(_ number: Int, to id: RunID, by account: StoredAccount) throws {
        try store.revokeInvitation(number, to: runsStore.own(id, account))
    }

    /// The run that a link leads to; nil when it does not work (any more). This changes nothing.
    public func run(invitedBy link: String) throws -> StoredRun? {
        guard let token = SecretToken(link) else { return nil }
        return try store.run(invitedBy: token.hash, now: now)
    }

    /// Lets a person in who follows the link: they can enrol then. nil when it does not work (any more).
    /// - Throws: ``HubStore/EnrolmentRefusal/notYours``.
    public func redeem(_ link: String, for person: PersonID, by account: StoredAccount) throws -> StoredRun? {
        try accounts.checkDecides(account, person, now: now)
        guard let token = SecretToken(link) else { return nil }
        return try store.redeem(token.hash, for: person, now: now)
    }

    private func invitable(_ id: RunID, _ account: StoredAccount) throws -> StoredRun {
        let run = try runsStore.own(id, account)
        guard run.state(at: now) == .scheduled else { throw RunProblem.state(run.state(at: now)) }
        return run
    }

    private func add(_ invitation: RunInvitationStore.Invitation, _ token: SecretToken, uses: Int, to run: StoredRun) throws {
        let isKept = try store.addInvitation(
            invitation, hash: token.hash, uses: uses, expires: run.plan.closes, to: run, daily: Self.dailyMax, now: now)
        if !isKept { throw RunProblem.dailyLimit(Self.dailyMax) }
    }
}

import Accounts
public import HubStore
import Privacy
public import Vitals

/// Closing an account of any kind (ACC-19). What it reads and what it offers ends first, so that others are told by its name; then it is deleted.
public struct Leaving: Sendable {
    private let accounts: AccountStore
    private let consents: ConsentService
    private let runs: RunsStore
    private let deletion: Deletion
    private let now: @Sendable () -> Milliseconds

    public init(
        accounts: AccountStore, consents: ConsentService, runs: RunsStore, deletion: Deletion, now: @escaping @Sendable () -> Milliseconds
    ) {
        (self.accounts, self.consents, self.runs, self.deletion, self.now) = (accounts, consents, runs, deletion, now)
    }

    /// People who depend on an account at this moment: it cannot be closed until that is over.
    public enum Obstacle: Sendable, Hashable {
        /// It is on duty with an ambulance.
        case onDuty
        /// These ambulances of its hospital are on duty.
        case crewsOnDuty([String])
        /// This run that it organises goes on.
        case runGoesOn(String)
        /// Nobody else decides for these children.
        case soleParent([String])
    }

    /// The obstacle that keeps an account from being closed; nil for nothing.
    public func obstacle(to account: StoredAccount) throws -> Obstacle? {
        if account.roles.contains(.responder), try accounts.care.ownDuty(of: account) != nil { return .onDuty }
        if account.roles.contains(.organisation) {
            let onDuty = try accounts.hospitals.ambulances(of: account).filter { $0.duty != nil }
            if !onDuty.isEmpty { return .crewsOnDuty(onDuty.map(\.label.name)) }
        }
        let time = now()
        let alone = try accounts.care.wards(of: account.id, now: time).filter { child in
            try accounts.consents.authority(over: child).guardians.allSatisfy { try $0 == account.id || accounts.account($0) == nil }
        }
        if !alone.isEmpty { return .soleParent(try alone.compactMap { try accounts.person($0)?.name }) }
        let own = try runs.runs(of: account.id, count: 10_000)
        return own.first { $0.state(at: time) == .live }.map { .runGoesOn($0.plan.name) }
    }

    /// Closes an account for good. Where there is an ``obstacle(to:)`` the caller says so and does not come here.
    /// - Parameter actor: who closes it: its owner, or a minor's parent.
    public func close(_ account: StoredAccount, by actor: AccountID) throws {
        // Readers are told, and their streams close, before there is nobody left to ask.
        if account.roles.contains(.person) { try consents.endAll(of: account.id.person, by: actor) }
        let organisation = OrganisationID(account.id)
        for reader in [Reader.caregiver(account.id), .named(account.id), .organiser(account.id), .organisation(organisation)] {
            try consents.endAll(by: reader)
        }
        for service in try accounts.services.services(of: organisation) where !service.isWithdrawn {
            _ = try accounts.services.withdrawService(service.id, by: organisation, now: now())
        }
        try deletion.deletePerson(account.id.person, by: actor, now: now())
    }
}

import Database
public import Seams

/// A store of one subject. All of them share one database, so that what belongs together is one transaction; none keeps anything of its own.
protocol SubjectStore: SealingStore, Sendable {
    /// The accounts, which hold the database.
    var accounts: AccountStore { get }
}

extension SubjectStore {
    var pool: DatabasePool { accounts.pool }
    var keys: KeyStore { accounts.keys }
}

/// Webhooks of organisations, and the deliveries that wait for them.
public struct WebhookStore: SubjectStore {
    let accounts: AccountStore

    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }
}

/// People whom others look after: minors, guardians, caregivers, and who is on duty.
public struct CareStore: SubjectStore {
    let accounts: AccountStore
}

/// Hospitals, their ambulances and crews.
public struct HospitalStore: SubjectStore {
    let accounts: AccountStore
}

/// Letters to people who have no account yet.
public struct InvitationStore: SubjectStore {
    let accounts: AccountStore

    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }
}

/// Questions, consents, policies, and who may read what.
public struct ConsentStore: SubjectStore {
    let accounts: AccountStore
}

/// The names under which readers of services know people.
public struct PseudonymStore: SubjectStore {
    let accounts: AccountStore
}

/// The consents about runs: check-ins, and who may watch a runner.
public struct RunConsentStore: SubjectStore {
    let accounts: AccountStore

    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }
}

/// Offers to let somebody read.
public struct OfferStore: SubjectStore {
    let accounts: AccountStore
}

/// The reads of a person's data, with reader and time.
public struct LedgerStore: SubjectStore {
    let accounts: AccountStore
}

/// Work that is due at a time, and that survives a restart.
public struct TimerStore: SubjectStore {
    let accounts: AccountStore

    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }
}

/// Planned outages, and who was told of them.
public struct MaintenanceStore: SubjectStore {
    let accounts: AccountStore

    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }
}

/// Notices, mails, and the ways that each person chose.
public struct NoticeStore: SubjectStore {
    let accounts: AccountStore

    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }
}

/// Browsers that are told by push, and messages to them.
public struct PushStore: SubjectStore {
    let accounts: AccountStore

    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }
}

/// Services that organisations publish, and their results.
public struct ServiceStore: SubjectStore {
    let accounts: AccountStore
}

/// One-time links to a live page, and the sessions of who opened them.
public struct LinkStore: SubjectStore {
    let accounts: AccountStore
}

/// Second factors, passkeys, telephone numbers and the sessions that they prove.
public struct FactorStore: SubjectStore {
    let accounts: AccountStore
}

/// Work deferred until an answer was sent, so that its timing reveals nothing.
public struct DeferredWorkStore: SubjectStore {
    let accounts: AccountStore
}

/// Keys and tokens of organisations' programs.
public struct OrganisationStore: SubjectStore {
    let accounts: AccountStore

    public var randomness: Randomness { keys.machine.randomness }
}

/// Boxes: enrolment, tokens, copies.
public struct AgentStore: SubjectStore {
    let accounts: AccountStore

    public var randomness: Randomness { keys.machine.randomness }
}

/// Phones and other senders of a person.
public struct DeviceStore: SubjectStore {
    let accounts: AccountStore

    public var randomness: Randomness { keys.machine.randomness }
}

/// Samples that were left out because a sender sent too many.
public struct ThinnedStore: SubjectStore {
    let accounts: AccountStore

    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }
}

// MARK: Each subject from another

extension AccountStore {
    public var webhooks: WebhookStore { WebhookStore(accounts: self) }
    public var care: CareStore { CareStore(accounts: self) }
    public var hospitals: HospitalStore { HospitalStore(accounts: self) }
    public var invitations: InvitationStore { InvitationStore(accounts: self) }
    public var acceptances: AcceptanceStore { AcceptanceStore(accounts: self) }
    public var consents: ConsentStore { ConsentStore(accounts: self) }
    public var pseudonyms: PseudonymStore { PseudonymStore(accounts: self) }
    public var runConsents: RunConsentStore { RunConsentStore(accounts: self) }
    public var offers: OfferStore { OfferStore(accounts: self) }
    public var ledger: LedgerStore { LedgerStore(accounts: self) }
    public var timers: TimerStore { TimerStore(accounts: self) }
    public var maintenance: MaintenanceStore { MaintenanceStore(accounts: self) }
    public var notices: NoticeStore { NoticeStore(accounts: self) }
    public var firstSteps: FirstStepsStore { FirstStepsStore(accounts: self) }
    public var pushes: PushStore { PushStore(accounts: self) }
    public var services: ServiceStore { ServiceStore(accounts: self) }
    public var links: LinkStore { LinkStore(accounts: self) }
    public var factors: FactorStore { FactorStore(accounts: self) }
    public var deferredWork: DeferredWorkStore { DeferredWorkStore(accounts: self) }
    public var organisations: OrganisationStore { OrganisationStore(accounts: self) }
    public var agents: AgentStore { AgentStore(accounts: self) }
    public var devices: DeviceStore { DeviceStore(accounts: self) }
    public var thinned: ThinnedStore { ThinnedStore(accounts: self) }
}

extension SubjectStore {
    var webhooks: WebhookStore { accounts.webhooks }
    var care: CareStore { accounts.care }
    var hospitals: HospitalStore { accounts.hospitals }
    var invitations: InvitationStore { accounts.invitations }
    var consents: ConsentStore { accounts.consents }
    var ledger: LedgerStore { accounts.ledger }
    var timers: TimerStore { accounts.timers }
    var maintenance: MaintenanceStore { accounts.maintenance }
    var notices: NoticeStore { accounts.notices }
    var pushes: PushStore { accounts.pushes }
    var services: ServiceStore { accounts.services }
    var deferredWork: DeferredWorkStore { accounts.deferredWork }
    var thinned: ThinnedStore { accounts.thinned }
}

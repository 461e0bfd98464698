import Accounts
public import HubStore
public import Vitals

/// An operator's acts on an organisation after its requests were approved (ACC-20): suspends it, lets it go on, takes approvals back.
public struct OrganisationOversight: Sendable {
    private let organisations: OrganisationStore
    private let audit: AuditLog
    private let now: @Sendable () -> Milliseconds

    public enum Act: String, Sendable, CaseIterable {
        /// It reads nothing, and each of its requests waits for an operator, until ``restore``.
        case suspend
        case restore
        /// The next request of each kind is looked at again.
        case forget
        /// The organisation has the name that it wants.
        case acceptName = "accept-name"
        case refuseName = "refuse-name"
    }

    /// The account is no operator.
    public struct NotAllowed: Error {}

    public init(organisations: OrganisationStore, audit: AuditLog, now: @escaping @Sendable () -> Milliseconds) {
        (self.organisations, self.audit, self.now) = (organisations, audit, now)
    }

    /// Confirmed organisations, in the order in which they came.
    /// - Parameter row: that of the last one that was seen.
    public func organisations(after row: Int64 = 0, for account: StoredAccount) throws -> [OverseenOrganisation] {
        guard account.roles.contains(.operator) else { throw NotAllowed() }
        return try organisations.overseen(after: row, now: now())
    }

    /// Does it, and writes it into the audit log. What is so already stays so.
    /// - Parameter seen: the name that the operator looked at.
    public func act(_ act: Act, on organisation: AccountID, seen: String = "", by account: StoredAccount) throws {
        guard account.roles.contains(.operator) else { throw NotAllowed() }
        let time = now()
        let (isDone, action): (Bool, AuditLog.Action) =
            switch act {
            case .suspend: (try organisations.setSuspended(true, organisation, now: time), .organisationSuspended)
            case .restore: (try organisations.setSuspended(false, organisation, now: time), .organisationRestored)
            case .forget: (try organisations.takeBackApprovals(of: organisation), .approvalsTakenBack)
            case .acceptName, .refuseName:
                (
                    try organisations.decideName(organisation, seen: seen, isAccepted: act == .acceptName, now: time),
                    act == .acceptName ? .nameAccepted : .nameRefused
                )
            }
        if isDone { try audit.append(action, by: account.id, on: organisation, now: time) }
    }
}

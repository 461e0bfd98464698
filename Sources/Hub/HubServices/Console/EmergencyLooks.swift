public import Accounts
public import Distress
import EmergencyDispatch
public import HubStore
import Synchronization
public import Vitals

extension SOSViews {
    /// Open cases for which somebody is called, the oldest first.
    public func openCases() -> [SOSCase] {
        sos.state.withLock { state in state.cases.values.filter { $0.isOpen && !$0.isTest } }.sorted { $0.opened < $1.opened }
    }

    /// An open case; nil where there is none such.
    public func openCase(_ id: IncidentID) -> SOSCase? {
        sos.state.withLock { state in state.cases[id] }.flatMap { $0.isOpen && !$0.isTest ? $0 : nil }
    }

    /// The number of open cases, and of those that nobody has.
    public var countsOfOpen: (all: Int, ownerless: Int) {
        let open = openCases()
        return (open.count, open.count { $0.owner == nil })
    }
}

/// Operators' looks at emergencies (OPS-1). Nothing of somebody's health is shown to an operator before they gave a reason, which the person reads in
/// their ledger and their notices. A look ends after a while, and with a restart of the hub.
public final class EmergencyLooks: Sendable {
    private struct Look: Hashable {
        let incident: IncidentID
        let reader: AccountID
    }

    /// Why nothing is shown.
    public enum Problem: Error, Sendable, Hashable {
        /// Whoever looks is no operator.
        case notYours
        /// The case is over, or there is none such.
        case gone
        case reason(FieldError)
    }

    /// So long an operator sees a case behind one reason, milliseconds: half an hour.
    public static let lifetime: Milliseconds = 30 * 60_000
    /// Characters of a reason, at most.
    public static let reasonMax = 300

    private let sos: SOSService
    private let store: EmergencyLookStore
    private let audit: AuditLog
    private let now: @Sendable () -> Milliseconds
    private let looks = Mutex<[Look: Milliseconds]>([:])

    public init(_ sos: SOSService, audit: AuditLog, now: @escaping @Sendable () -> Milliseconds) {
        (self.sos, store, self.audit, self.now) = (sos, EmergencyLookStore(sos.accounts), audit, now)
    }

    /// Writes the reason down, and lets the operator see the case from then on.
    /// - Throws: ``Problem``.
    public func begin(_ incident: IncidentID, reason typed: String, by account: StoredAccount) throws {
        guard account.roles.contains(.operator) else { throw Problem.notYours }
        guard let item = sos.views.openCase(incident) else { throw Problem.gone }
        let reason = AccountService.trimmed(typed), time = now()
        guard !reason.isEmpty else { throw Problem.reason(FieldError(.missing)) }
        guard reason.count <= Self.reasonMax else { throw Problem.reason(FieldError(.tooLong, limit: Self.reasonMax)) }
        try store.record(of: item.people, reason: reason, by: account, audit: audit, now: time)
        looks.withLock { looks in
            looks = looks.filter { $0.value > time }
            looks[Look(incident: incident, reader: account.id)] = time + Self.lifetime
        }
    }

    /// Until when the operator sees an open case; nil where they gave no reason, or too long ago.
    public func holds(_ incident: IncidentID, for account: StoredAccount) -> Milliseconds? {
        let time = now()
        return looks.withLock { $0[Look(incident: incident, reader: account.id)] }.flatMap { $0 > time ? $0 : nil }
    }
}

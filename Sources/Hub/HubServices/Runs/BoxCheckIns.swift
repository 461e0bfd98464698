public import HubStore
import Privacy
public import SyncProtocol
import Synchronization
public import Vitals

/// The check-ins that a box shows to its one person (RUN-5). Each box is looked up once a minute at most, as ``WaitingQuestions`` does.
public final class BoxCheckIns: Sendable {
    private struct Entry {
        var items: [CheckIn]
        var at: Milliseconds
    }

    private let accounts: AccountStore
    private let series: SeriesReader
    private let enrolments: EnrolmentStore
    private let known = Mutex<[AgentID: Entry]>([:])

    static let lifetime: Milliseconds = 60_000
    private static let agentsMax = 200_000

    public init(accounts: AccountStore, series: SeriesReader, enrolments: EnrolmentStore) {
        (self.accounts, self.series, self.enrolments) = (accounts, series, enrolments)
    }

    /// nil for none, and for a box at which nobody may answer by a tap.
    public func list(for agent: AgentStore.Agent, now: Milliseconds) throws -> CheckInList? {
        var entry = known.withLock { $0[agent.id] }
        if entry.map({ !(0..<Self.lifetime).contains(now - $0.at) }) ?? true {
            let fresh = Entry(items: try items(for: agent, now: now), at: now)
            known.withLock { known in
                if known.count >= Self.agentsMax { known.removeAll() }
                known[agent.id] = fresh
            }
            entry = fresh
        }
        // A question does not outlive its time by being remembered.
        let shown = (entry?.items ?? []).filter { now < ($0.standing == .open ? $0.lapses : $0.until) }
        return shown.isEmpty ? nil : CheckInList(shown)
    }

    /// Something changed by this box: the next answer to it is looked up.
    public func forget(_ agent: AgentID) { known.withLock { _ = $0.removeValue(forKey: agent) } }

    private func items(for agent: AgentStore.Agent, now: Milliseconds) throws -> [CheckIn] {
        guard let person = try accounts.personAtBox(agent, now: now)?.person else { return [] }
        let items = try accounts.runConsents.checkIns(of: person).compactMap { try item($0, person, now) }
        // Open check-ins come first, the earliest start before others.
        return items.sorted { ($0.standing == .open ? 0 : 1, $0.lapses, $0.id) < ($1.standing == .open ? 0 : 1, $1.lapses, $1.id) }
    }

    private func item(_ asked: PersonConsent, _ person: PersonID, _ now: Milliseconds) throws -> CheckIn? {
        let consent = asked.consent, scope = consent.request.scope
        let kinds = CheckIn.Kind.allCases.filter { $0.data.map(scope.kinds.contains) ?? false }
        // A public heart rate is a question of its own, for the hub's page; what a box has no words for too.
        guard scope.kinds.contains(.position), kinds.count == Set(scope.kinds.map(\.column)).count, case .until(let until) = scope.term,
            let (enrolment, run) = try enrolments.enrolment(of: person, checkIn: consent.id), run.state != .draft, run.state != .cancelled,
            let standing = try standing(consent, enrolment, run, now)
        else { return nil }
        return CheckIn(
            id: consent.id, run: run.plan.name, code: run.code, organiser: asked.name, purpose: scope.purpose, kinds: Set(kinds),
            until: until, lapses: run.plan.starts, standing: standing)
    }

    /// nil for what is over.
    private func standing(
        _ consent: Consent, _ enrolment: StoredEnrolment, _ run: StoredRun, _ now: Milliseconds
    ) throws -> CheckIn.Standing? {
        guard !consent.isOver(at: now), !run.state(at: now).isOver else { return nil }
        switch (consent.state, enrolment.state) {
        case (.pending, .enrolled): return run.state(at: now) == .scheduled ? .open : nil
        case (.accepted, .enrolled):
            return try series.checkInPosition(consent.id, accounts, now: now) == nil ? .withoutPosition : .accepted
        case (.accepted, .checkedIn): return .accepted
        case (.accepted, .noPosition): return .withoutPosition
        default: return nil
        }
    }
}

extension AccountStore {
    /// The person who answers by a tap at a box: its one person, where that is an adult who has an account of their own and decides alone. nil for a box of
    /// several, whoever stands before it; for a minor, whose parents answer; and for who has no account that works.
    func personAtBox(_ agent: AgentStore.Agent, now: Milliseconds) throws -> (person: PersonID, account: AccountID)? {
        guard !agent.revoked, agent.people.count == 1, let person = agent.people.keys.first else { return nil }
        let authority = try consents.authority(over: person)
        guard let account = authority.account, authority.mayAnswer(account, at: now) else { return nil }
        return (person, account)
    }
}

extension SeriesReader {
    /// When the newest position was that somebody who checked in lets everybody see, UTC milliseconds; nil for none within
    /// ``CheckInService/positionAge``, however old the newest one is.
    func checkInPosition(_ consent: ConsentID, _ accounts: AccountStore, now: Milliseconds) throws -> Milliseconds? {
        guard let grant = try accounts.runConsents.runPublicGrant(by: consent, now: now) else { return nil }
        return try read(grant, from: now - CheckInService.positionAge, to: now + CheckInService.positionAge, now: now)?.positions.last?.time
    }
}

extension CheckIn.Kind {
    fileprivate var data: DataKind? {
        switch self {
        case .position: .position
        case .heartRate: .heartRate
        case .unknown: nil
        }
    }
}

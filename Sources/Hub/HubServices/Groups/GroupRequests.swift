public import Accounts
public import Groups
public import HubStore
public import Vitals

/// How organisations ask about groups: questions, the operator's look at them, and each closed window's delivery (GRP-1, GRP-5, CONS-11).
///
/// Answers come from what was released of closed windows, so that neither their words nor the time that they take know a true count.
public struct GroupRequests: Sendable {
    let accounts: AccountStore
    public var snapping: GroupSnapping { made.value }
    private let made: MadeOnce<GroupSnapping>
    public let answers: GroupAnswers
    let door: GroupDoor
    let closingDelay: Milliseconds
    private let time: MonotonicUTC
    /// A preview of what a question gets.
    public let plan: GroupPlan

    public var budget: GroupBudget { answers.budget }
    var store: GroupRequestStore { accounts.consents.groupRequests }
    /// UTC milliseconds, never going back.
    public var now: Milliseconds { time.now }

    /// How soon a request looks again for a window that should be closed by now, milliseconds: well within a minute (GRP-5).
    static let look: Milliseconds = 10_000
    /// And where no window was closed yet.
    static let idleLook: Milliseconds = 30_000
    private static let heldToldMax: Milliseconds = 30 * 86_400_000

    /// - Parameters:
    ///   - minimum: the least size of a group.
    ///   - closingDelay: from a window's end to its closing; nil as installed.
    public init(
        accounts: AccountStore, list: RegionList, answers: GroupAnswers, door: GroupDoor, minimum: Int = ReleaseRule.minimum,
        closingDelay: Milliseconds? = nil, time: MonotonicUTC
    ) {
        self.init(
            accounts: accounts, lists: { list }, answers: answers, door: door, minimum: minimum, closingDelay: closingDelay, time: time)
    }

    /// - Parameters:
    ///   - lists: the list of regions, which is not read before somebody asks.
    ///   - minimum: the least size of a group.
    ///   - closingDelay: from a window's end to its closing; nil as installed.
    public init(
        accounts: AccountStore, lists: @escaping @Sendable () -> RegionList, answers: GroupAnswers, door: GroupDoor,
        minimum: Int = ReleaseRule.minimum, closingDelay: Milliseconds? = nil, time: MonotonicUTC
    ) {
        (self.accounts, self.answers, self.door, self.time) = (accounts, answers, door, time)
        self.closingDelay = closingDelay ?? answers.budget.window.closingDelay
        made = MadeOnce { GroupSnapping(list: lists(), tree: answers.tree, budget: answers.budget) }
        plan = GroupPlan(answers.budget, minimum: minimum)
    }

    // MARK: The organisation

    /// Takes a request in, and answers it at once where an operator looked at one of its kind before.
    /// - Parameter past: closed windows that are answered, too; the second door answers about the newest one alone.
    /// - Throws: ``HubStore/GroupRequestProblem``, `GroupRequest.Problem`.
    public func ask(
        _ ask: GroupAsk, purpose: String, term: GroupRequest.Term, past: Int, mails: Bool, by account: StoredAccount
    ) throws -> StoredGroupRequest {
        guard account.confirmed != nil, account.roles.contains(.organisation) else { throw GroupRequestProblem.notYours }
        let past = ask.needsDoor ? min(past, 1) : past
        let request = try GroupRequest(ask: ask, purpose: purpose, term: term, past: past, mails: mails, created: time.now)
        let stored = try store.ask(request, by: account, now: time.now)
        guard case .active = stored.request.state else { return stored }
        try deliver(stored.id)
        return try store.request(stored.id) ?? stored
    }

    /// An organisation's requests, the newest first (CONS-9).
    public func history(of organisation: OrganisationID, before: Int64? = nil) throws -> ConsentPage<StoredGroupRequest> {
        try store.requests(of: organisation, before: before)
    }

    /// One request with what was delivered, the newest window first; nil for another's.
    public func request(_ id: GroupRequestID, of organisation: OrganisationID) throws -> (
        stored: StoredGroupRequest, windows: [GroupDelivery]
    )? {
        guard let stored = try store.request(id, of: organisation) else { return nil }
        return (stored, try store.deliveries(of: stored))
    }

    /// The organisation takes it back, or wants no more windows.
    public func end(_ id: GroupRequestID, by organisation: OrganisationID) throws {
        _ = try store.end(id, by: organisation, now: time.now)
    }

    /// The number of questions with ranges that an organisation has left in this year.
    public func doorLeft(of organisation: OrganisationID) throws -> Int {
        guard let newest = try answers.newest() else { return 0 }
        return try door.left(of: organisation.account, in: newest.year).organisation
    }

    /// How sure an answer is, before it is asked.
    public struct Sure: Sendable, Hashable {
        public let kind: DataKind
        /// A cell of so many people is answered for certain.
        public let certain: Int
        /// Half the width of the interval of the mean of ``people`` people in the question's cells, in the kind's unit; nil for kinds without a mean.
        public let error: Double?
        public let people: Int
    }

    /// For each kind, at the level of the question's places.
    public func sure(_ ask: GroupAsk) -> [Sure] {
        let levels = (ask.regions ?? []).compactMap { answers.tree.regions[$0]?.level }
        let level = max(RegionLevel.region, levels.max() ?? .region)
        let people = GroupPlan.sizes.last ?? 1
        return ask.kinds.compactMap { kind in
            if ask.needsDoor {
                guard let variance = budget.varianceOfSecondDoor else { return nil }
                let rule = ReleaseRule(minimum: door.minimum, variance: variance, chance: budget.chanceOfMargin)
                return Sure(
                    kind: kind, certain: rule.certain, error: GroupPlan.error(of: kind, people: people, cells: 1, variance: variance),
                    people: people)
            }
            guard let row = plan.rows.first(where: { $0.kind == kind && $0.level == level }) else { return nil }
            let cells = max(1, ask.cells(in: answers.tree))
            return Sure(
                kind: kind, certain: row.certain, error: GroupPlan.error(of: kind, people: people, cells: cells, variance: row.variance),
                people: people)
        }
    }

    // MARK: The operator

    /// Windows that closed by then are held, because the hub may be an older copy of itself, UTC milliseconds; nil where none is, and a month later.
    public func heldUpTo(for account: StoredAccount) throws -> Milliseconds? {
        guard account.roles.contains(.operator) else { throw GroupRequestProblem.notYours }
        return try accounts.consents.groupWatch.doubt().flatMap { time.now - $0 < Self.heldToldMax ? $0 : nil }
    }

    public func waiting(for account: StoredAccount) throws -> [WaitingGroupRequest] {
        guard account.roles.contains(.operator) else { throw GroupRequestProblem.notYours }
        return try store.awaitingOperator()
    }

    /// - Parameter seen: the ``HubStore/StoredAccount/checkMark`` of the organisation that the operator looked at.
    /// - Throws: `AskerChanged` when the organisation is another one by now than was looked at.
    public func approve(_ id: GroupRequestID, seen: String? = nil, by account: StoredAccount) throws {
        guard account.roles.contains(.operator) else { throw GroupRequestProblem.notYours }
        try store.approve(id, seen: seen, now: time.now)
        try deliver(id)
    }

    public func refuse(_ id: GroupRequestID, by account: StoredAccount) throws {
        guard account.roles.contains(.operator) else { throw GroupRequestProblem.notYours }
        try store.refuse(id, now: time.now)
    }

    // MARK: Delivery

    /// Handlers of the timers of requests.
    public var timers: [TimerKind: TimerService.Handler] {
        [
            .groupRequest: { timer in
                if let id = GroupRequestID(bytes: timer.subject) { try deliver(id) }
            }
        ]
    }

    /// Delivers what closed since the last time, each window checked anew (GRP-2), and ends what is over.
    public func deliver(_ id: GroupRequestID) throws {
        let now = time.now
        var handover = GroupRequestStore.Handover(windows: [], next: now + Self.idleLook, token: "")
        if let stored = try store.request(id), case .active(_, let until) = stored.request.state, try !store.isHeld(stored) {
            // Read first: a window that closes meanwhile is not passed over.
            let newest = try answers.newest()
            handover.isComplete = newest.map { !stored.request.wants($0.next, closingDelay: closingDelay) } ?? false
            let windows = try windows(of: stored)
            handover.isSpent = try isSpent(stored, windows)
            for window in windows where !handover.isSpent {
                switch try delivery(window, of: stored, now: now) {
                case .results(let results):
                    handover.windows.append(try posted(GroupDelivery(window: window, at: now, results: results), stored))
                case .gone: continue
                case .spent: handover.isSpent = true
                }
            }
            let next = next(newest, now)
            handover.next = until.map { now < $0 ? min(next, $0) : min(next, max($0 + GroupRequest.grace, now)) } ?? next
            handover.token = DownloadLinks(accounts: accounts).token(id, of: stored.organisation.account, now: now)
        }
        try store.deliver(handover, to: id, now: now)
    }

    /// Closed windows that a request wants and did not get yet, the oldest first.
    private func windows(of stored: StoredGroupRequest) throws -> [GroupWindow] {
        guard case .active(let since, _) = stored.request.state else { return [] }
        let length = budget.window.milliseconds, back = since - closingDelay - Milliseconds(stored.request.past + 2) * length
        let from = max(back, now - Milliseconds(GroupAnswers.windowsMax - 1) * length)
        let closed = try answers.windows(from: from, to: now), got = try store.delivered(to: stored, budget.window)
        var wanted = closed.filter { stored.request.wants($0, closingDelay: closingDelay) && !got.contains($0) }
        // Nothing was closed so late: one answer is given of what there is, or waits for the first window.
        if wanted.isEmpty, stored.request.term == .once, let newest = closed.last { wanted = [newest] }
        return stored.request.ask.needsDoor ? wanted.suffix(1) : wanted
    }

    /// When the next window is closed; soon, where it should be by now.
    private func next(_ newest: GroupWindow?, _ now: Milliseconds) -> Milliseconds {
        guard let newest else { return now + Self.idleLook }
        return max(newest.next.closes(after: closingDelay) + 1_000, now + Self.look)
    }

    private enum Looked<Found> {
        case results(Found)
        /// The window cannot be asked about.
        case gone
        /// Nobody pays for it any more in this year.
        case spent
    }

    private func posted(_ delivery: GroupDelivery, _ stored: StoredGroupRequest) throws -> (delivery: GroupDelivery, payload: [UInt8]) {
        (delivery, try GroupDocument(stored, list: snapping.list).posted(delivery))
    }

    private func delivery(_ window: GroupWindow, of stored: StoredGroupRequest, now: Milliseconds) throws -> Looked<[GroupResult]> {
        var results: [GroupResult] = []
        for kind in stored.request.ask.kinds {
            switch try outcome(kind, in: window, of: stored) {
            case .results(let outcome): results.append(GroupResult(kind, outcome))
            case .gone: return .gone
            case .spent: return .spent
            }
        }
        return .results(results)
    }

    private func outcome(_ kind: DataKind, in window: GroupWindow, of stored: StoredGroupRequest) throws -> Looked<GroupOutcome> {
        let ask = stored.request.ask
        // A list of regions of another version may lack one: nobody lives there.
        guard let question = try? ask.question(kind, in: answers.tree) else { return .results(.refused) }
        guard ask.needsDoor else {
            guard let found = try answers.answer(to: question, in: window) else { return .gone }
            let released = found.answer.map { GroupOutcome.released(counts: $0.counts, variance: $0.variance, missing: found.missing) }
            return .results(released ?? .refused)
        }
        guard let asked = try? ask.door(kind, in: window, answers.tree) else { return .results(.refused) }
        switch try door.ask(asked, by: stored.organisation.account) {
        case .answered(let answer): return .results(.released(counts: answer.counts, variance: answer.variance, missing: []))
        case .refused: return .results(.refused)
        case .organisationSpent, .yearSpent, .noDoor: return .spent
        case .windowGone: return .gone
        }
    }

    /// Whether a question with ranges cannot be paid for any more in this year: asked of before, so that no half of a window costs anything.
    private func isSpent(_ stored: StoredGroupRequest, _ windows: [GroupWindow]) throws -> Bool {
        let ask = stored.request.ask
        guard ask.needsDoor, let window = windows.last else { return false }
        let new = try ask.kinds.filter { kind in
            guard let asked = try? ask.door(kind, in: window, answers.tree) else { return false }
            return try door.known(asked) == nil
        }
        return try new.count > door.left(of: stored.organisation.account, in: window.year).organisation
    }
}

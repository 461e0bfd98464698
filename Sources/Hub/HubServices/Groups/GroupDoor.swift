import Accounts
public import Groups
public import HubStore
import Seams
import Synchronization
public import Vitals

/// The outcome of a question with ranges of health values.
public enum GroupDoorAnswer: Sendable, Hashable {
    case answered(GroupAnswer)
    /// The group is too small, or its noise says so.
    case refused
    /// The organisation has had its questions of this year.
    case organisationSpent
    /// All of this year have been asked, or what groups may cost a person is spent.
    case yearSpent
    /// The contributions of the window are gone: only the newest closed window can be asked about. Or the hub may be an older copy of itself, and
    /// what was answered in this year is not known.
    case windowGone
    /// The second door has no share of the budget.
    case noDoor
}

/// The second door: questions with ranges, each answered once and for all from the contributions of the newest closed window, with noise of its own.
///
/// One question at a time. All calls block the thread, for some milliseconds with 1,000,000 people.
public final class GroupDoor: Sendable {
    private let store: GroupDoorStore, windows: GroupWindowStore, releases: GroupReleases, watch: GroupWatch
    private let trees: @Sendable () -> RegionTree
    private let budget: GroupBudget
    /// Of groups that are answered about.
    public let minimum: Int
    private let now: @Sendable () -> Milliseconds
    private let state = Mutex(State())

    private struct State {
        var people: (window: GroupWindow, people: WindowPeople)?
        /// The cost of windows that are closing just now, by year.
        var closing: [Int: Rho] = [:]
    }

    /// - Parameter minimum: what lies below ``Groups/ReleaseRule/minimumOfSecondDoor`` counts as that.
    public convenience init(
        _ accounts: AccountStore, tree: RegionTree, budget: GroupBudget, minimum: Int = ReleaseRule.minimumOfSecondDoor,
        now: @escaping @Sendable () -> Milliseconds
    ) {
        self.init(accounts, trees: { tree }, budget: budget, minimum: minimum, now: now)
    }

    /// - Parameters:
    ///   - trees: the regions, which are not read before somebody asks.
    ///   - minimum: what lies below ``Groups/ReleaseRule/minimumOfSecondDoor`` counts as that.
    public init(
        _ accounts: AccountStore, trees: @escaping @Sendable () -> RegionTree, budget: GroupBudget,
        minimum: Int = ReleaseRule.minimumOfSecondDoor, now: @escaping @Sendable () -> Milliseconds
    ) {
        (store, windows, releases) = (accounts.consents.groupDoor, accounts.consents.groupWindows, accounts.consents.groupReleases)
        watch = accounts.consents.groupWatch
        (self.trees, self.budget, self.now) = (trees, budget, now)
        self.minimum = max(minimum, ReleaseRule.minimumOfSecondDoor)
    }

    /// The number of new questions that a year has left, for one organisation and for all.
    /// - Parameter year: of the window that is asked about.
    public func left(of account: AccountID, in year: Int) throws -> (organisation: Int, all: Int) {
        let all = budget.varianceOfSecondDoor == nil ? 0 : budget.questionsPerYear - (try store.given(in: year).count)
        let own = budget.questionsPerOrganisation - (try store.asked(in: year)[account] ?? 0)
        return (max(0, min(own, all)), max(0, all))
    }

    /// The earlier answer to a question, from any asker; nil for a new one. It costs nothing.
    public func known(_ question: DoorQuestion) throws -> GroupDoorAnswer? { try store.given(to: question).map(Self.outcome) }

    /// Answers a question, and keeps the answer before it is told.
    /// - Throws: what the stores throw.
    public func ask(_ question: DoorQuestion, by account: AccountID) throws -> GroupDoorAnswer {
        var generator = store.machine.randomness
        return try ask(question, by: account, using: &generator)
    }

    func ask(_ question: DoorQuestion, by account: AccountID, using generator: inout some RandomNumberGenerator) throws -> GroupDoorAnswer {
        try state.withLock { state in
            if let known = try known(question) { return known }
            let year = question.window.year, given = try store.given(in: year)
            if let doubt = try watch.doubt(), GroupWindow.start(ofYear: year) <= doubt { return .windowGone }
            guard
                var door = SecondDoor<AccountID>(
                    year: year, budget: budget, minimum: minimum, earlier: given.count, asked: try store.asked(in: year))
            else { return .noDoor }
            // The settings may have changed within the year: nobody's year may become dearer than it can.
            let spent = try given.reduce(cost(of: year) + state.closing[year, default: .zero]) { $0 + $1.cost }
            guard spent + door.cost <= budget.perYear else { return .yearSpent }
            guard let people = try people(of: question.window, &state) else { return .windowGone }
            switch door.ask(question, by: account, of: people, in: trees(), using: &generator) {
            case .organisationSpent: return .organisationSpent
            case .yearSpent: return .yearSpent
            case .answered(let counts): return try keep(counts, question, account, door.rule.variance)
            case .refused: return try keep(nil, question, account, door.rule.variance)
            }
        }
    }

    private func keep(
        _ counts: [Int64]?, _ question: DoorQuestion, _ account: AccountID, _ variance: NoiseVariance
    ) throws -> GroupDoorAnswer {
        let given = GroupDoorStore.Given(kind: question.kind, counts: counts, variance: variance)
        return Self.outcome(try store.keep(given, to: question, by: account, now: now()))
    }

    private static func outcome(_ given: GroupDoorStore.Given) -> GroupDoorAnswer {
        guard let counts = given.counts, let bins = GroupBins(given.kind) else { return .refused }
        return .answered(GroupAnswer(bins: bins, counts: counts, variance: given.variance.value))
    }

    /// The largest cost of the cube in a year.
    private func cost(of year: Int) throws -> Rho {
        try releases.cost(from: GroupWindow.start(ofYear: year), to: GroupWindow.start(ofYear: year + 1))
    }

    // MARK: Contributions

    private func people(of window: GroupWindow, _ state: inout State) throws -> WindowPeople? {
        if let held = state.people, held.window == window { return held.people }
        let parts = try windows.contributions(to: window)
        guard !parts.isEmpty else { return nil }
        guard let people = PeopleCodec.decoded(parts) else { throw HubStoreError.wrongKey(what: "A window of statistics about groups") }
        state.people = (window, people)
        return people
    }

    /// Tells what a window that closes will cost, before anybody is charged: the door does not spend it meanwhile.
    /// - Returns: what the door has spent of that year.
    func reserve(_ cost: Rho, in year: Int) throws -> Rho {
        try state.withLock { state in
            state.closing[year] = cost
            return try store.given(in: year).reduce(.zero) { $0 + $1.cost }
        }
    }

    /// The window is closed, or was not: what it cost stands among the releases.
    /// - Parameter people: its contributions; nil to leave what is held.
    func closed(_ window: GroupWindow, _ people: WindowPeople?) {
        state.withLock { state in
            state.closing[window.year] = nil
            guard let people, state.people.map({ $0.window < window }) ?? true else { return }
            state.people = (window, people)
        }
    }
}

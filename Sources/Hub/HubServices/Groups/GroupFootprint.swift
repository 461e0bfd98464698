import Accounts
public import Groups
public import HubStore
import Privacy
public import Vitals

/// The data of one person that statistics about groups have used, for the person, or a parent of a minor, to see.
public struct GroupFootprint: Sendable, Hashable {
    /// A year in which they counted.
    public struct Year: Sendable, Hashable {
        public let ledger: PersonLedger
        /// The windows of the year that are closed: the first, the last, and how many.
        public let first: GroupWindow?, last: GroupWindow?
        public let windows: Int
    }

    public let standing: GroupStanding
    /// By what they would count in a window that ends now; nil without a date of birth.
    public let attributes: GroupAttributes?
    /// The newest first.
    public let years: [Year]
    /// The budget of one year, as it is set now.
    public let budget: GroupBudget
    /// Requests since the beginning of the oldest year whose group may hold the person, the newest first.
    public let asked: [AskedGroup]
    /// Where not all requests were looked at: the newest ``GroupFootprints/askedMax``, back to this time, UTC milliseconds.
    public let askedBackTo: Milliseconds?
}

/// Puts together what groups have used of somebody.
public struct GroupFootprints: Sendable {
    let consents: ConsentService
    let regions: HomeRegions
    private let trees: @Sendable () -> RegionTree
    let budget: GroupBudget

    var tree: RegionTree { trees() }

    /// Requests that are looked through at most, of all organisations together.
    public static let askedMax = 500
    var askedMax = Self.askedMax

    public init(consents: ConsentService, regions: HomeRegions, tree: RegionTree, budget: GroupBudget) {
        self.init(consents: consents, regions: regions, trees: { tree }, budget: budget)
    }

    /// - Parameter trees: the regions, which are not read before somebody asks.
    public init(consents: ConsentService, regions: HomeRegions, trees: @escaping @Sendable () -> RegionTree, budget: GroupBudget) {
        (self.consents, self.regions, self.trees, self.budget) = (consents, regions, trees, budget)
    }

    /// - Parameter account: the person's own, or a parent's.
    /// - Throws: ``Privacy/ConsentProblem/notYours`` for anybody else.
    public func footprint(of person: PersonID, for account: AccountID) throws -> GroupFootprint {
        let standing = try consents.groupStanding(of: person, for: account), accounts = consents.accounts, now = consents.time.now
        let profile = try accounts.account(AccountID(person)).flatMap { GroupProfile($0, regions) }
        let attributes = profile?.attributes(on: CalendarDate(utc: now))
        let years = try accounts.consents.groupYears.ledgers(of: person).filter { !$0.lines.isEmpty }.reversed().map(year)
        let oldest = years.last.map { GroupWindow.start(ofYear: $0.ledger.year) }
        let asked = try oldest.map { try accounts.consents.groupRequests.asked(since: $0, count: askedMax) }
        let kinds = Set(years.flatMap(\.ledger.kinds))
        return GroupFootprint(
            standing: standing, attributes: attributes, years: years, budget: budget,
            asked: asked?.items.filter { mayHold(attributes, kinds, $0.request.ask) } ?? [], askedBackTo: asked?.lookedBackTo)
    }

    private func year(_ ledger: PersonLedger) throws -> GroupFootprint.Year {
        let windows = try consents.accounts.consents.groupReleases.closed(
            budget.window, from: GroupWindow.start(ofYear: ledger.year), to: GroupWindow.start(ofYear: ledger.year + 1),
            limit: budget.window.perYear)
        return .init(ledger: ledger, first: windows.first, last: windows.last, windows: windows.count)
    }

    /// Whether a group may hold somebody, as far as sex, age and place say it: by where they live and how old they are now. What ranges of values
    /// leave out is not looked at.
    private func mayHold(_ attributes: GroupAttributes?, _ kinds: Set<DataKind>, _ ask: GroupAsk) -> Bool {
        guard !kinds.isDisjoint(with: ask.kinds), let attributes else { return false }
        let places = attributes.region.map { tree.path(from: $0).map(\.code) } ?? []
        return ask.sexes?.contains(attributes.sex) ?? true && ask.bands?.contains(attributes.band) ?? true
            && ask.regions?.contains(where: places.contains) ?? true
    }
}

extension PersonLedger {
    /// The subject of the lines.
    fileprivate var kinds: [DataKind] {
        lines.map { line in
            switch line.purpose {
            case .cube(let kind, _), .secondDoor(let kind): kind
            }
        }
    }
}

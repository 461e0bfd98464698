import Accounts
import Foundation
import Groups
import HubServices
import HubStore
import Logging
import Vitals

/// People who do not exist, with accounts and days of heart rates, whose windows are closed as everybody's are. An attacker makes members up, and looks
/// whether those, people who objected, and people who leave between two windows show in what is released.
struct GroupAttackAccounts: Sendable {
    /// Who has values of a class of their own. Everybody else's are below.
    enum Part: Int, CaseIterable {
        case new = 13
        case objecting
        case leaving
    }

    static let kind = DataKind.heartRate
    /// People of each part: many times the noise.
    static let size = 200
    /// Classes of everybody else.
    private static let others = Part.new.rawValue

    let windows: [GroupWindow]
    let cell: GroupCell
    private let hub: Hub
    private let settings: GroupSettings
    private let variance: NoiseVariance
    private let everybodyElse: [PersonID]
    private let parts: [Part: [PersonID]]
    private let index: AttributeIndex
    private let logger: Logger

    /// Makes them up: as many as are released for certain, and the parts.
    /// - Parameters:
    ///   - windows: two, one after the other.
    ///   - newAge: how old the accounts of ``Part/new`` are at the end of the second one.
    /// - Returns: nil where heart rates are not released of regions.
    init?(_ hub: Hub, _ settings: GroupSettings, _ windows: [GroupWindow], newAge: Milliseconds, deletion: Deletion, logger: Logger) throws
    {
        guard let variance = settings.budget.variance(of: Self.kind, at: .region), windows.count == 2,
            let region = Regions.list.regions.first(where: { $0.level == .region && Regions.tree.regions[$0.code]?.hasCells == true })
        else { return nil }
        let certain = ReleaseRule(minimum: settings.minimum, variance: variance, chance: settings.budget.chanceOfMargin).certain
        cell = GroupCell(.female, AgeBand(age: 30), region.code)
        (self.hub, self.settings, self.windows, self.variance, self.logger) = (hub, settings, windows, variance, logger)
        let born = windows[0].year - 32, old = windows[0].start - 100 * 86_400_000
        func add(_ count: Int, _ name: String, created: Milliseconds) throws -> [PersonID] {
            try (0..<count).map { number in
                let email = "\(name)\(number)@example.org"
                let details: [Field: String] = [
                    .firstName: "Made", .lastName: "Up", .email: email, .dateOfBirth: "\(born)-01-01", .gender: "female", .residence: "-",
                    .taxCountry: "IT", .homeRegion: region.code.text, .homeRegionFor: "-",
                ]
                let new = NewAccount(
                    roles: [.person], details: Dictionary(uniqueKeysWithValues: details.map { ($0.key.rawValue, $0.value) }),
                    canonicalEmail: email, canonicalIdentifier: nil, password: "none", language: "en", accepted: [:])
                guard case .added(let account) = try hub.accounts.addConfirmedAccount(new, now: created) else {
                    throw GroupAttackProblem("The directory has such people already: name a new one with --directory.")
                }
                return account.id.person
            }
        }
        everybodyElse = try add(certain, "else", created: old)
        var parts: [Part: [PersonID]] = [:]
        for part in Part.allCases {
            parts[part] = try add(Self.size, "\(part)", created: part == .new ? windows[1].end - newAge : old)
        }
        self.parts = parts
        let regions = HomeRegions(accounts: hub.accounts, list: Regions.list, now: { windows[1].end })
        index = AttributeIndex(accounts: hub.accounts, regions: regions, deletion: deletion, logger: logger)
        try addDays { $0 % Self.others }
    }

    /// A week of each window, for everybody.
    /// - Parameter bin: the class of everybody else, by number.
    private func addDays(_ bin: (Int) -> Int) throws {
        guard let bins = GroupBins(Self.kind) else { return }
        func value(_ bin: Int) -> Int64 { bins.first + Int64(bin) * bins.width + bins.width / 2 }
        var values = everybodyElse.enumerated().map { (person: $1, value: value(bin($0))) }
        for (part, people) in parts { values += people.map { (person: $0, value: value(part.rawValue)) } }
        for window in windows {
            for start in stride(from: 0, to: values.count, by: 500) {
                try hub.series.addMadeUpDays(Self.kind, Array(values[start..<min(start + 500, values.count)]), on: window.days)
            }
        }
    }

    // MARK: Windows

    /// Closes both, with objections before the first one and between them.
    func close() async throws {
        try object(.objecting)
        try await close(windows[0])
        try object(.leaving)
        try await close(windows[1])
    }

    private func object(_ part: Part) throws {
        for person in parts[part] ?? [] {
            try hub.accounts.consents.groups.choose(isCounted: false, of: person, by: AccountID(person), now: windows[0].start)
        }
    }

    /// As a hub does when the window is due.
    private func close(_ window: GroupWindow) async throws {
        let time = window.closes(after: settings.closingDelay) + 1, accounts = hub.accounts
        // Days lie between the windows for this hub: it is told that none of them was lost.
        _ = try accounts.consents.groupWatch.wasOff(now: time)
        let door = GroupDoor(accounts, tree: Regions.tree, budget: settings.budget, now: { time })
        let closing = GroupClosing(
            accounts: accounts, series: hub.series, index: index, answers: hub.groups.answers, door: door, settings: settings,
            logger: logger, now: { time }, past: time - window.start)
        try await closing.work()
        guard try accounts.consents.groupReleases.isClosed(window) else { throw GroupAttackProblem("A window did not close.") }
    }

    // MARK: Attacks

    func attack(_ client: GroupAttackClient) async throws -> [GroupAttack.Outcome] {
        let counts = try await read(client)
        /// Six deviations of the noise of one class.
        let limit = 6 * variance.deviation, size = Double(Self.size)
        func outcome(_ name: String, _ part: Part, isThere: [Bool]) -> GroupAttack.Outcome {
            let found = counts.map { $0[part.rawValue] }
            let isHeld = zip(found, isThere).allSatisfy { abs($0 - ($1 ? size : 0)) < limit }
            let text = found.map { "\(Int($0))" }.joined(separator: " and ")
            return .init(name, note: "\(text) of \(Self.size) seen, \(Int(limit)) is noise", isHeld: isHeld)
        }
        return [
            outcome("members made up for the question", .new, isThere: [false, false]),
            outcome("people who objected", .objecting, isThere: [false, false]),
            outcome("people who leave between two windows", .leaving, isThere: [true, false]),
            try charges(), try await late(client, counts),
        ]
    }

    /// The classes of both windows, as the API answers.
    private func read(_ client: GroupAttackClient) async throws -> [[Double]] {
        let question = GroupAttackClient.Question(
            kinds: [Self.kind.name], sexes: [cell.sex.word],
            ages: GroupAttackClient.Question.Ages(from: cell.band.from, through: cell.band.through), regions: [cell.region.text])
        let answer = try await client.ask(question, past: windows.count)
        guard answer.status == 201 else { throw GroupAttackProblem("The hub answered \(answer.status) to a question that it must answer.") }
        // The newest one comes first.
        let found = try answer.windows().reversed().compactMap(\.results.first)
        guard found.count == windows.count, found.allSatisfy({ $0.status == "released" && $0.histogram.count == GroupBins.count }) else {
            throw GroupAttackProblem("A cell that must be released was refused.")
        }
        return found.map { $0.histogram.map(\.count) }
    }

    /// Each window costs whoever is in it once, and nobody else.
    private func charges() throws -> GroupAttack.Outcome {
        let years = hub.accounts.consents.groupYears
        func paid(_ people: [PersonID]) throws -> Set<Int> {
            Set(try people.map { try years.ledgers(of: $0).flatMap(\.lines).reduce(0) { $0 + $1.releases } })
        }
        let isHeld =
            try paid(everybodyElse) == [2] && paid(parts[.leaving] ?? []) == [1] && paid(parts[.objecting] ?? []) == [0]
            && paid(parts[.new] ?? []) == [0]
        return .init("what each person's year was charged", note: "\(everybodyElse.count) twice, \(Self.size) once", isHeld: isHeld)
    }

    /// Other values of everybody for windows that are closed, and another try to close them.
    private func late(_ client: GroupAttackClient, _ counts: [[Double]]) async throws -> GroupAttack.Outcome {
        let releases = hub.accounts.consents.groupReleases
        let before = try windows.map { try releases.releases(of: Self.kind, in: $0) }
        try addDays { _ in Part.leaving.rawValue }
        for window in windows { try await close(window) }
        let isSame = try await read(client) == counts, isKept = try windows.map { try releases.releases(of: Self.kind, in: $0) } == before
        let note = isSame && isKept ? "nothing differs" : "answers differ"
        return .init("data of accounts after the close", note: note, isHeld: isSame && isKept)
    }
}

import Accounts
import Groups
import HubServices
import HubStore
import Vitals

extension HubCommands {
    /// Settings of groups that take the place of those that hold; what is nil or empty stays.
    public struct GroupPlanning: Sendable {
        /// As `KIND=PARTS`.
        public var kinds: [String]
        /// As `LEVEL=PARTS`.
        public var levels: [String]
        public var cube: Int?
        public var secondDoor: Int?
        public var epsilon: Double?
        public var window: String?
        public var minimum: Int?
        public var questions: Int?
        public var questionsOfOrganisation: Int?

        public init(
            kinds: [String] = [], levels: [String] = [], cube: Int? = nil, secondDoor: Int? = nil, epsilon: Double? = nil,
            window: String? = nil, minimum: Int? = nil, questions: Int? = nil, questionsOfOrganisation: Int? = nil
        ) {
            (self.kinds, self.levels, self.cube, self.secondDoor, self.epsilon) = (kinds, levels, cube, secondDoor, epsilon)
            (self.window, self.minimum, self.questions) = (window, minimum, questions)
            self.questionsOfOrganisation = questionsOfOrganisation
        }

        func budget(instead held: GroupBudget) throws -> GroupBudget {
            var shares = held.shares
            if !kinds.isEmpty { shares.kinds = try parts(kinds, "--kind", like: "heart_rate=3") { DataKind(name: $0) } }
            if !levels.isEmpty {
                shares.levels = try parts(levels, "--level", like: "region=3") { name in RegionLevel.allCases.first { "\($0)" == name } }
            }
            shares.cube = cube ?? shares.cube
            shares.secondDoor = secondDoor ?? shares.secondDoor
            let length = try window.map { text in
                guard let length = GroupWindow.Length(rawValue: text) else {
                    throw HubConfigurationError("--window is \(text): use week, day or hour.")
                }
                return length
            }
            return GroupBudget(
                epsilon: epsilon ?? held.epsilon, shares: shares, window: length ?? held.window,
                questionsPerYear: questions ?? held.questionsPerYear,
                // Fewer questions for all are fewer for each.
                questionsPerOrganisation: questionsOfOrganisation ?? min(held.questionsPerOrganisation, questions ?? .max))
        }

        private func parts<Name: Hashable>(
            _ texts: [String], _ option: String, like example: String, _ name: (String) -> Name?
        ) throws -> [Name: Int] {
            try texts.reduce(into: [:]) { found, text in
                let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard sides.count == 2, let key = name(sides[0]), let number = Int(sides[1]) else {
                    throw HubConfigurationError("\(option) is \(text): write a name and a whole number, like \(example).")
                }
                guard found.updateValue(number, forKey: key) == nil else {
                    throw HubConfigurationError("\(option) \(sides[0]) is there twice: give it once.")
                }
            }
        }
    }

    /// Says what settings of groups buy, in error, and what they cost, in privacy. Reads nothing of anybody.
    /// - Parameter json: one object instead of a table.
    /// - Throws: ``HubConfigurationError`` for settings that cannot hold.
    public static func planGroups(_ wanted: GroupPlanning, json: Bool, _ configuration: HubConfiguration) throws -> String {
        let held = try configuration.groups.settings(), budget = try wanted.budget(instead: held.budget)
        let minimum = wanted.minimum ?? held.minimum
        try check(budget, minimum)
        let text = GroupPlanText(budget, minimum: minimum)
        return try json ? text.json() : text.lines.joined(separator: "\n")
    }

    /// Closes the windows of groups that are held, because the hub was off and was not put back to a copy. Works beside a running hub.
    /// - Returns: what becomes of them.
    public static func groupsWereOff(_ configuration: HubConfiguration) throws -> String {
        let directory = try HubDirectory(configuration.directory), accounts = try AccountStore(directory, keys: KeyStore(directory))
        guard try accounts.consents.groupWatch.wasOff(now: now()) else {
            return "nothing is held: no window of groups closed while the hub was off"
        }
        return "the hub closes what was held, within the budget of each year; start it within a quarter of an hour if it does not run"
    }

    static func check(_ budget: GroupBudget, _ minimum: Int) throws {
        guard (ReleaseRule.minimum...1_000_000_000).contains(minimum) else {
            throw HubConfigurationError("The least size of a group is \(minimum): use \(ReleaseRule.minimum) or more.")
        }
        do throws(GroupBudget.Problem) { try budget.check() } catch {
            switch error {
            case .epsilonOutOfRange:
                throw HubConfigurationError(
                    "The budget's epsilon is \(budget.epsilon): use more than 0, and \(GroupBudget.epsilonMax) at most.")
            case .questionsOutOfRange:
                throw HubConfigurationError(
                    """
                    There are \(budget.questionsPerYear) questions with ranges in a year, \(budget.questionsPerOrganisation) for one \
                    organisation: use 0 to \(GroupBudget.questionsMax), and no more for one than for all.
                    """)
            }
        }
        do throws(BudgetShares.Problem) { try budget.shares.check() } catch {
            switch error {
            case .partsOutOfRange: throw HubConfigurationError("Parts of the budget are whole numbers from 0 to \(BudgetShares.partsMax).")
            case .nothingShared:
                throw HubConfigurationError("Nothing gets any of the budget: give a kind, a level, and one of the doors parts of it.")
            case .notGrouped(let kind):
                throw HubConfigurationError(
                    "\(kind.name) cannot be grouped. These can: \(GroupBins.counted.map(\.name).joined(separator: ", ")).")
            }
        }
    }
}

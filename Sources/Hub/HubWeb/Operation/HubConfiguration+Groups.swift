import Configuration
import Groups
import HubServices
import Vitals

extension HubConfiguration {
    /// Statistics about groups (docs/groups.md). As installed no window is closed.
    public struct Groups: Sendable {
        /// `hub.groups.enabled` / `HUB_GROUPS_ENABLED`: whether the hub closes windows; those of the past year first.
        public var isEnabled = false
        /// `hub.groups.window` (week, day or hour), `.kinds` (like `heart_rate=3`), `.levels` (like `region=3`), `.cube`, `.secondDoor`, `.epsilon`,
        /// `.minimum`, `.questions`, `.questionsOfOrganisation`: in the place of what is installed.
        var wanted = HubCommands.GroupPlanning()
        /// `hub.groups.closing`: how many hours after its end a window closes.
        var closing: Int?
        /// `hub.groups.minimumOfSecondDoor`: the least size of a group that is asked about with ranges of health values.
        var minimumOfDoor: Int?

        static let closingRange = 1...30 * 24

        init() {}

        init(_ config: ConfigReader) {
            isEnabled = config.bool(forKey: "enabled") ?? false
            wanted = HubCommands.GroupPlanning(
                kinds: config.stringArray(forKey: "kinds") ?? [], levels: config.stringArray(forKey: "levels") ?? [],
                cube: config.int(forKey: "cube"), secondDoor: config.int(forKey: "secondDoor"), epsilon: config.double(forKey: "epsilon"),
                window: config.string(forKey: "window"), minimum: config.int(forKey: "minimum"), questions: config.int(forKey: "questions"),
                questionsOfOrganisation: config.int(forKey: "questionsOfOrganisation"))
            closing = config.int(forKey: "closing")
            minimumOfDoor = config.int(forKey: "minimumOfSecondDoor")
        }

        /// - Throws: ``HubConfigurationError`` for the first mistake.
        func settings() throws -> GroupSettings {
            let budget: GroupBudget, minimum = wanted.minimum ?? ReleaseRule.minimum
            do {
                budget = try wanted.budget(instead: GroupBudget())
                try HubCommands.check(budget, minimum)
            } catch let error as HubConfigurationError { throw HubConfigurationError("hub.groups: \(error.description)") }
            if let closing, !Self.closingRange.contains(closing) {
                throw HubConfigurationError(
                    "hub.groups.closing is \(closing): use 1 to \(Self.closingRange.upperBound) hours after a window's end.")
            }
            if let minimumOfDoor, minimumOfDoor < ReleaseRule.minimumOfSecondDoor {
                throw HubConfigurationError(
                    "hub.groups.minimumOfSecondDoor is \(minimumOfDoor): use \(ReleaseRule.minimumOfSecondDoor) or more.")
            }
            return GroupSettings(
                budget: budget, closingDelay: closing.map { Milliseconds($0) * 3_600_000 }, minimum: minimum,
                minimumOfDoor: minimumOfDoor ?? ReleaseRule.minimumOfSecondDoor)
        }
    }
}

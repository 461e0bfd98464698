import Groups
import HubServices
import HubStore
import ServiceLifecycle

/// Statistics about groups: what closes their windows where the operator turned that on, and what answers from them.
struct GroupsFeature: Sendable {
    let answers: GroupAnswers
    let door: GroupDoor
    let settings: GroupSettings
    /// nil where windows are not closed.
    let closing: GroupClosing?
    private let watching: GroupWatching
    private let core: HubCore

    init(_ core: HubCore) throws {
        self.core = core
        settings = try core.configuration.groups.settings()
        answers = GroupAnswers(core.accounts.consents.groupReleases, trees: { Regions.tree }, budget: settings.budget)
        door = GroupDoor(
            core.accounts, trees: { Regions.tree }, budget: settings.budget, minimum: settings.minimumOfDoor, now: core.now)
        watching = GroupWatching(
            accounts: core.accounts, isEnabled: core.configuration.groups.isEnabled, logger: core.logger, now: core.now)
        // Before anything is answered.
        try watching.look()
        guard core.configuration.groups.isEnabled else {
            closing = nil
            // Nobody asks about them any more.
            try core.accounts.consents.groupWindows.forgetAll()
            return
        }
        let regions = HomeRegions(accounts: core.accounts, lists: { Regions.list }, now: core.now)
        let index = AttributeIndex(accounts: core.accounts, regions: regions, deletion: core.deletion, logger: core.logger)
        closing = GroupClosing(
            accounts: core.accounts, series: core.series, index: index, answers: answers, door: door, settings: settings,
            logger: core.logger, now: core.now)
    }

    var services: [any Service] {
        let all: [(any Service)?] = [watching, closing]
        return core.executors.background(all.compactMap(\.self))
    }
}

import Groups
import HubServices
import HubStore
import Hummingbird
import Vitals

/// How organisations ask about groups: pages, and the service that the API shares with them.
struct GroupAskingFeature: Sendable {
    let core: HubCore
    let requests: GroupRequests

    /// With what groups have as installed.
    init(_ core: HubCore) {
        let tree = RegionTree(Regions.list), budget = GroupBudget()
        self.init(
            core, GroupAnswers(core.accounts.consents.groupReleases, tree: tree, budget: budget),
            GroupDoor(core.accounts, tree: tree, budget: budget, now: core.now))
    }

    /// - Parameters:
    ///   - minimum: the least size of a group.
    ///   - closingDelay: from a window's end to its closing, milliseconds; nil as installed.
    init(_ core: HubCore, _ answers: GroupAnswers, _ door: GroupDoor, minimum: Int = ReleaseRule.minimum, closingDelay: Milliseconds? = nil)
    {
        self.core = core
        requests = GroupRequests(
            accounts: core.accounts, list: Regions.list, answers: answers, door: door, minimum: minimum, closingDelay: closingDelay,
            time: core.time)
    }

    func routes(_ pages: some RouterMethods<HubContext>) {
        GroupPages(
            requests: requests, notices: core.accounts.notices, links: DownloadLinks(accounts: core.accounts), limit: core.requests,
            templates: core.templates, map: core.configuration.map, reads: ReadPool(machine: core.machine)
        ).routes(pages)
    }
}

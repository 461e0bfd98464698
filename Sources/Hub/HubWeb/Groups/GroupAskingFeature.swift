import HubServices
import HubStore
import Hummingbird

/// How organisations ask about groups: pages, and the service that the API shares with them.
struct GroupAskingFeature: Sendable {
    let core: HubCore
    let requests: GroupRequests
    private let isClosing: Bool

    /// - Parameter groups: what answers.
    init(_ core: HubCore, _ groups: GroupsFeature) {
        (self.core, isClosing) = (core, groups.closing != nil)
        let settings = groups.settings
        requests = GroupRequests(
            accounts: core.accounts, lists: { Regions.list }, answers: groups.answers, door: groups.door, minimum: settings.minimum,
            closingDelay: settings.closingDelay, time: core.time)
    }

    func routes(_ pages: some RouterMethods<HubContext>) {
        GroupPages(
            requests: requests, notices: core.accounts.notices, links: DownloadLinks(accounts: core.accounts), limit: core.requests,
            templates: core.templates, map: core.configuration.map, isClosing: isClosing, reads: ReadPool(machine: core.machine)
        ).routes(pages)
    }
}

import HubServices
import HubStore
import Hummingbird

/// Who may read whom: followers, requests, policies, services, and the page of somebody's live data.
struct ConsentFeature: Sendable {
    let core: HubCore
    let consents: ConsentService
    let subscriptions: Subscriptions
    let live: LivePage

    init(_ core: HubCore) throws {
        self.core = core
        consents = ConsentService(
            accounts: core.accounts, series: core.series.reader, strips: core.strips, bus: core.bus,
            settings: try core.configuration.consent.settings(), time: core.time, logger: core.logger)
        subscriptions = Subscriptions(accounts: core.accounts, arrivals: core.series.arrivals, bus: core.bus, time: core.time)
        live = LivePage(
            query: LiveQuery(
                accounts: core.accounts, series: core.series.reader, service: core.service, consents: consents, now: core.now),
            bus: core.bus, templates: core.templates, map: core.configuration.map)
    }

    func routes(_ pages: some RouterMethods<HubContext>, _ sos: SOSService, _ track4Run: Track4Run) {
        let templates = core.templates
        FollowersPages(
            consents: consents, links: LiveLinks(accounts: core.accounts, audit: core.audit),
            others: OtherFollowers(accounts: core.accounts, runs: core.runsStore, sos: core.sosStore), url: core.url, templates: templates
        ).routes(pages)
        RequestsPages(consents: consents, templates: templates).routes(pages)
        ServicesPages(consents: consents, sos: sos, track4Run: track4Run, templates: templates).routes(pages)
        consents.ends.turnOff(sos.choices, track4Run, core.logger)
        PublishPages(consents: consents, templates: templates).routes(pages)
        GrantPages(consents: consents, factors: core.factors, templates: templates).routes(pages)
        GroupChoicePages(consents: consents).routes(pages)
        PolicyPages(consents: consents, templates: templates).routes(pages)
        FollowingPages(consents: consents, live: live, templates: templates, ecg: core.ecg).routes(pages)
    }
}

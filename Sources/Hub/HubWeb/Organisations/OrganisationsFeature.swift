import HubServices
import HubStore
import Hummingbird
import ServiceLifecycle

/// What organisations read: pages, the API, webhooks.
struct OrganisationsFeature: Sendable {
    let core: HubCore
    let api: APIController
    let groups: GroupAskingFeature
    private let consents: ConsentService
    private let webhooks: Webhooks

    init(_ core: HubCore, _ consent: ConsentFeature, _ ingest: IngestFeature, reports: FlagReports, groups: GroupAskingFeature) {
        (self.core, consents, self.groups) = (core, consent.consents, groups)
        webhooks = Webhooks(store: core.accounts.webhooks, addresses: core.egress)
        let entry = ManualEntry(devices: ingest.devices, now: core.now)
        api = APIController(
            accounts: core.accounts, tokens: OrganisationTokens(organisations: core.accounts.organisations), webhooks: webhooks,
            consents: consents,
            subscriptions: consent.subscriptions, reports: reports,
            programEntries: ProgramEntries(entry: entry, deletion: core.deletion, accounts: core.accounts),
            tokenEndpoint: core.identity.url + APIController.token,
            guesses: FailedAttemptLimiter(), logger: core.logger, now: core.now, site: core.url,
            session: core.service.session, reads: ReadPool(machine: core.machine), groups: groups.requests,
            export: core.export)
    }

    func routes(_ pages: some RouterMethods<HubContext>, _ strictRights: SOSStrictRights) {
        let (accounts, factors, templates, now) = (core.accounts, core.factors, core.templates, core.now)
        OrganisationKeysPages(
            keys: OrganisationKeys(organisations: accounts.organisations), factors: factors, templates: templates,
            tokenEndpoint: core.identity.url + APIController.token, url: core.url, now: now
        ).routes(pages)
        UsersPages(
            users: OrganisationUsers(core.service, audit: core.audit), factors: factors, templates: templates, requests: core.requests
        ).routes(pages)
        WebhooksPages(store: accounts.webhooks, webhooks: webhooks, factors: factors, templates: templates, now: now).routes(pages)
        PeoplePages(
            services: accounts.services, consents: consents, strictRights: strictRights, service: core.service, templates: templates,
            map: core.configuration.map,
            now: now
        ).routes(pages)
        DownloadsPages(
            notices: accounts.notices, consents: consents, links: DownloadLinks(accounts: accounts), export: core.export,
            templates: templates,
            requests: core.requests, logger: core.logger, now: now
        ).routes(pages)
        OversightPages(
            oversight: OrganisationOversight(organisations: accounts.organisations, audit: core.audit, now: now), templates: templates
        ).routes(pages)
        groups.routes(pages)
    }

    var services: [any Service] {
        let accounts = core.accounts, time = core.time
        return core.executors.background([
            // What rests on a consent leaves as long as that holds.
            WebhookService(
                store: accounts.webhooks, client: core.client, logger: core.logger, now: core.now,
                mayLeave: { delivery in try delivery.consent.map { try accounts.consents.access(by: $0, now: time.now) != nil } ?? true },
                mayWait: { [shedding = core.shedding] in shedding.sheds(.webhooks) }),
            WebhookFeeder(accounts: accounts, arrivals: core.series.arrivals, bus: core.bus, logger: core.logger, time: time),
        ])
    }
}

import Accounts
import HubServices
import HubStore
import Hummingbird
import Logging
import Mail
import Seams
import ServiceLifecycle

/// Signing up, logging in, factors, the profile, and what accounts are mailed.
struct AccountsFeature: Sendable {
    let core: HubCore
    let phones: PhoneService
    private let sender: MailAddress
    /// Who signs up by a form. An account for organising alone is none where organisations alone organise.
    private let roles: [Role]

    init(_ core: HubCore) throws {
        self.core = core
        phones = PhoneService(
            service: core.service, program: core.configuration.sms.command.map { MessageProgram($0, programs: core.machine.programs) },
            failures: core.failedTexts, logger: core.logger)
        if !phones.canSend {
            core.logger.notice("telephone numbers stay \"not verified\": hub.sms.command names no program that sends text messages")
        }
        if let warning = core.configuration.mail.senderWarning { core.logger.warning("\(warning)") }
        let organisers = try core.configuration.runs.whoOrganises()
        roles = AccountForms.roles.filter { $0 != .organiser || organisers.allow([.organiser]) }
        sender = try MailAddress(core.configuration.mail.sender, name: "TrackMe")
    }

    func routes(_ pages: some RouterMethods<HubContext>) {
        let (service, factors, templates, requests) = (core.service, core.factors, core.templates, core.requests)
        SignUpPages(service: service, templates: templates, requests: requests, roles: roles).routes(pages)
        LogInPages(service: service, factors: factors, phones: phones, templates: templates, requests: requests).routes(pages)
        if core.configuration.isOfThisMachine { DemonstrationPages(service: service, templates: templates).routes(pages) }
        SecondPages(factors: factors, templates: templates).routes(pages)
        SecondPasskeys(factors: factors, logger: core.logger).routes(pages)
        StepUp(factors: factors, templates: templates).routes(pages)
        SecurityPages(factors: factors, templates: templates).routes(pages)
        FactorPages(factors: factors, templates: templates).routes(pages)
        ClaimPages(factors: factors, templates: templates).routes(pages)
        let regions = HomeRegions(accounts: core.accounts, lists: { Regions.list }, now: core.now)
        HomePages(
            service: service, phones: phones, regions: regions, templates: templates, contact: core.configuration.support.contact
        ).routes(pages)
        SupportPages(
            support: SupportService(accounts: core.accounts, now: core.now), contact: core.configuration.support.contact,
            templates: templates, requests: requests
        ).routes(pages)
        AcceptancePages(acceptances: acceptances, documents: templates.documents, templates: templates).routes(pages)
        RegionPages(regions: regions, templates: templates).routes(pages)
        MenuPages(templates: templates).routes(pages)
        TourPages(templates: templates, roles: roles).routes(pages)
        PhonePages(phones: phones, templates: templates).routes(pages)
        let addresses = LostAddresses(accounts: core.accounts, audit: core.audit, now: core.now)
        AddressPages(addresses: addresses, templates: templates).routes(pages)
        UnsubscribePages(links: core.unsubscribe, templates: templates).routes(pages)
    }

    /// Where the hub's own documents hold, nobody is asked for a yes to them.
    private var acceptances: Acceptances {
        Acceptances(accounts: core.accounts, documents: core.templates.accepted, now: core.now)
    }

    /// What asks for a yes to documents that changed.
    var acceptanceGuard: AcceptanceGuard { AcceptanceGuard(acceptances: core.templates.documents == nil ? nil : acceptances) }

    func services(_ sos: SOSService) -> [any Service] {
        let core = core
        return core.executors.background([DeferredWork(service: core.service, logger: core.logger)]) + [
            MailOutbox(
                store: core.accounts.notices, carrier: core.carrier, sender: sender, logger: core.logger, now: sos.now, ways: sos.ways,
                write: { MailTexts.letter($0, site: core.address.url) })
        ]
            + core.executors.background([
                InvitationMailer(
                    store: core.accounts.invitations, carrier: core.carrier, sender: sender, logger: core.logger, now: core.now,
                    write: { MailTexts.letter($0, site: core.address.url, stop: core.stop(core.unsubscribe.token($0.mark))) })
            ])
    }
}

import Alerts
import HubServices
import HubStore
import Hummingbird
import Seams

/// The console of those who run the hub (OPS-1).
struct ConsoleFeature: Sendable {
    let core: HubCore
    let counts: ConsoleCounts
    private let sos: SOSService
    private let boxes: BoxConditions
    private let rate: IngestRate
    private let organising: OrganiserService
    private let looks: EmergencyLooks

    init(_ core: HubCore, _ sos: SOSService, _ ingest: IngestFeature, _ organising: OrganiserService) {
        (self.core, self.sos, boxes, rate, self.organising) = (core, sos, ingest.boxes, ingest.ingest.rate, organising)
        counts = ConsoleCounts(
            sos: sos, mails: FailedMails(core.accounts, audit: core.audit, now: core.now), checks: organising.operators)
        looks = EmergencyLooks(sos, audit: core.audit, now: core.now)
        let time = core.time, texts = core.failedTexts
        sos.ways.observeFailures { way, recipient, why in
            if way == .text { texts.note(to: recipient, why.what, at: time.now) }
        }
    }

    func routes(_ pages: some RouterMethods<HubContext>, _ planned: PlannedMaintenance) {
        let (accounts, templates, now) = (core.accounts, core.templates, core.now)
        let state = HubState(
            room: HubRoom(directory: core.directory, files: core.machine.files), certificates: core.identity.certificates,
            isTLS: core.configuration.tls.enabled, rate: rate, boxes: boxes, sos: sos, now: now)
        ConsolePages(
            counts: counts, state: state, boxes: boxes, accounts: accounts, planned: planned, service: core.service,
            templates: templates, now: now
        ).routes(pages)
        ConsoleAlarmPages(sos: sos, looks: looks, service: core.service, accounts: accounts, templates: templates).routes(pages)
        let help = LogInHelp(core.service, audit: core.audit)
        ConsolePeoplePages(
            store: ConsoleStore(accounts), help: help, helps: LogInHelpStore(accounts), accounts: accounts, boxes: boxes,
            templates: templates, now: now
        ).routes(pages)
        ConsoleBoxPages(store: ConsoleStore(accounts), accounts: accounts, boxes: boxes, templates: templates, now: now).routes(pages)
        ConsoleMessagePages(mails: counts.mails, texts: core.failedTexts, templates: templates).routes(pages)
        ConsoleStatePages(state: state, templates: templates).routes(pages)
        ConsoleAuditPages(audit: core.audit, accounts: accounts, templates: templates).routes(pages)
        ConsoleRunPages(checks: counts.checks, accounts: accounts, templates: templates).routes(pages)
    }
}

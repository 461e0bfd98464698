import HubServices
import HubStore
import Hummingbird
import Logging
import ServiceLifecycle

/// AutomatedSOS: dispatch with its ways out of the hub, and the pages of those whom it concerns.
struct SOSFeature: Sendable {
    let core: HubCore
    let sos: SOSService
    let crews = CrewIndex()
    private let telephone: Telephone
    private let voice: TrunkVoice?
    private let ownSecrets: [String: [UInt8]]

    init(_ core: HubCore) throws {
        self.core = core
        let configuration = core.configuration, logger = core.logger, telephone = Telephone(logger)
        let voice = try configuration.voice.outlet(on: core.machine) { telephone.changed($0) }
        (self.telephone, self.voice) = (telephone, voice)
        let outlets = try HubWays.outlets(
            configuration, carrier: core.carrier, voice: voice, accounts: core.accounts, directory: core.directory, client: core.client,
            site: core.url, time: core.dispatchTime, logger: logger)
        sos = try SOSService(
            store: core.sosStore, accounts: core.accounts, detection: core.series.detection,
            emergency: core.series.emergency(upheldBy: core.sosStore), bus: core.bus, crews: crews, outlets: outlets, logger: logger,
            time: core.dispatchTime)
        ownSecrets = try configuration.sos.ownSecrets()
        for room in try configuration.sos.roomSettings() {
            logger.notice("control room", metadata: ["name": "\(room.name)", "way": "\(room.summary)"])
        }
        if configuration.sos.rooms.isEmpty {
            logger.warning(
                "self-check: hub.sos.rooms names no control room: where fewer than three ambulances are near, nobody else is called")
        }
    }

    /// For boxes and control rooms.
    func openRoutes(_ router: Router<HubContext>) {
        SOSController(
            sos: sos, authenticator: core.authenticator, roomSecret: Array(core.configuration.sos.secret.utf8),
            ownSecrets: ownSecrets, logger: core.logger, now: core.now
        ).routes(router)
        // Contacts have no account, and whoever owes a second factor is let in all the same.
        SOSContactPages(sos: sos, accounts: core.accounts, templates: core.templates, map: core.map).routes(
            router.group().add(middleware: SameOrigin(templates: core.templates)))
    }

    func routes(_ pages: some RouterMethods<HubContext>, _ care: CareService, _ consents: ConsentService) {
        ProtectionPages(
            sos: sos, care: care, consents: consents, service: core.service, accounts: core.accounts, templates: core.templates,
            map: core.map
        ).routes(pages)
        EmergencyPages(templates: core.templates).routes(pages)
        AlarmsPages(sos: sos, service: core.service, accounts: core.accounts, templates: core.templates, map: core.map).routes(pages)
        WaysPages(sos: sos, templates: core.templates, requests: core.requests).routes(pages)
    }

    var services: [any Service] {
        [sos] + core.executors.background([RhythmService(sos: sos, logger: core.logger)]) + [sos.ways, telephone.service(voice)]
    }

    /// Somebody outside hears that the hub is alive; nobody where none is named.
    var deadManSwitch: [any Service] {
        core.configuration.sos.watchdog.map {
            [DeadManSwitch(url: $0, logger: core.logger, machine: core.machine) { [sos] in sos.faults }]
        } ?? []
    }
}

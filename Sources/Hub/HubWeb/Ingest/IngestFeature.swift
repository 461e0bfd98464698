import HubServices
import HubStore
import Hummingbird
import SyncProtocol

/// What boxes, phones and other programs send.
struct IngestFeature: Sendable {
    let core: HubCore
    let sync: SyncController
    let enrolment: Enrolment
    let pairings: Pairings
    let boxes = BoxConditions()
    let boxSettings: BoxSettingsKeeper
    /// What all senders go through.
    let ingest: Ingest
    let devices: DeviceIngest
    let checkIns: BoxCheckIns

    init(_ core: HubCore) throws {
        self.core = core
        checkIns = BoxCheckIns(accounts: core.accounts, series: core.series.reader, enrolments: core.runsStore.enrolments)
        enrolment = Enrolment(accounts: core.accounts)
        boxSettings = BoxSettingsKeeper(accounts: core.accounts)
        pairings = Pairings(enrolment) { [certificates = core.identity.certificates] in certificates.authority?.der ?? [] }
        ingest = try Ingest(
            authenticator: core.authenticator, accounts: core.accounts, series: core.series, bus: core.bus, checkIns: checkIns,
            metrics: core.metrics.ingest, logger: core.logger, now: core.now)
        sync = SyncController(
            ingest: ingest, authenticator: core.authenticator, enrolment: enrolment, pairings: pairings,
            guesses: FailedAttemptLimiter(), certificates: core.identity.certificates, shedding: core.shedding,
            tokenEndpoint: core.identity.url + SyncRoute.token, names: core.identity.names, logger: core.logger, now: core.now)
        devices = DeviceIngest(
            store: core.accounts.devices, series: core.series.devices, ingest: ingest, logger: core.logger, now: core.now)
    }

    func openRoutes(
        _ router: Router<HubContext>, reports: FlagReports, _ hospitals: HospitalService, _ answers: CheckInService,
        _ imports: ImportService
    ) {
        sync.routes(router)
        BoxConditionController(
            reports: boxes, settings: boxSettings, accounts: core.accounts, authenticator: core.authenticator, logger: core.logger,
            now: core.now
        ).routes(router)
        SendersController(
            devices: devices, reports: reports, crews: CrewPlaces(hospitals: hospitals), imports: imports, guesses: FailedAttemptLimiter(),
            logger: core.logger, now: core.now
        ).routes(router)
        CheckInController(checkIns: answers, shown: checkIns, authenticator: core.authenticator, logger: core.logger, now: core.now)
            .routes(router)
    }
}

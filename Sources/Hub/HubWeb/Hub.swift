import Alerts
public import AsyncHTTPClient
public import Credentials
public import HubServices
public import HubStore
import Hummingbird
public import Logging
import NIOCore
public import Seams
public import ServiceLifecycle
import SyncProtocol
public import Vitals

/// A hub, composed: its stores, its services and its web application.
public struct Hub: Sendable {
    public let accounts: AccountStore
    public let series: SeriesStore
    public let sos: SOSService
    public let runs: RunServices
    public let runsStore: RunsStore
    public let liveRuns: LiveRuns
    public let workouts: LiveWorkouts
    public let consents: ConsentService
    public let subscriptions: Subscriptions
    public let groups: GroupRequests
    /// Everything that runs, for a `ServiceGroup`.
    public let services: [any Service]
    let bus: LiveBus
    let reports: FlagReports
    let programEntries: ProgramEntries
    let certificates: HubCertificates
    let lock: DirectoryLock
    let executors: HubExecutors
    /// What is left undone under load.
    let shedding: LoadShedder
    /// The threads of connections.
    let loops: any EventLoopGroup
    /// Everything that it answers, as "METHOD pattern": the matrix of who may what has a line for each.
    let routes: [String]
    /// Those beside them that only say that there is no such method: as "METHOD pattern" too.
    let refusals: [String]
    /// The port on which it listens, once it does.
    public let port: ListeningPort
}

/// Tells when and where a hub listens.
public struct ListeningPort: Sendable {
    fileprivate let stream: AsyncStream<Int>
    let continuation: AsyncStream<Int>.Continuation

    fileprivate init() { (stream, continuation) = AsyncStream.makeStream() }

    /// The port; nil when the hub stopped before it listened.
    public func value() async -> Int? {
        for await port in stream { return port }
        return nil
    }
}

/// The composition root of a hub: opens the stores, makes certificates where there are none, and composes the features. Each feature makes
/// its services, pages and routes itself.
/// - Parameters:
///   - outside: whom to trust where the hub posts to addresses that strangers gave.
///   - now: the time of day, UTC milliseconds; nil for the machine's.
///   - boot: milliseconds of a clock that nobody sets: by it alarms go on where the other one is set back.
///   - passwords: what a hash of a password costs whoever guesses; only tests take less.
///   - machine: where stores and services take random numbers, sleep and threads from.
///   - sockets: on which systemd listens for the hub; without, it binds one of its own.
public func buildHub(
    configuration: HubConfiguration, logger: Logger, outside: HTTPClient.Configuration = .init(),
    now: (@Sendable () -> Milliseconds)? = nil,
    boot: (@Sendable () -> Milliseconds)? = nil, passwords: PasswordCost = .standard, machine: Machine = .system,
    sockets: HandedSockets = .none
) throws -> Hub {
    try configuration.check()
    let machine = configuration.machine(machine)
    for problem in AlarmTexts.problems + Texts.problems { logger.warning("a language is not complete", metadata: ["why": "\(problem)"]) }
    let directory = try HubDirectory(configuration.directory, machine: machine), lock = try directory.lock()
    try directory.checkRestored(machine)
    let core = try HubCore(
        configuration, directory, logger, outside: outside, now: now ?? { machine.utc }, boot: boot, passwords: passwords, machine: machine)
    let ingest = try IngestFeature(core), consent = try ConsentFeature(core), consents = consent.consents
    let sos = try SOSFeature(core), operation = OperationFeature(core, sos.sos), runs = try RunsFeature(core, consents)
    let care = CareFeature(core, consents, sos), accounts = try AccountsFeature(core), notices = try NoticesFeature(core)
    let health = try HealthFeature(core, sos.sos, loops: operation.loops), reports = FlagReports(devices: ingest.devices, sos: sos.sos)
    let groups = try GroupsFeature(core), asking = GroupAskingFeature(core, groups)
    let organisations = OrganisationsFeature(core, consent, ingest, reports: reports, groups: asking)
    let ownData = OwnDataFeature(core, consents, ingest, sos.sos), payments = try PaymentsFeature(core)

    let router = emptyRouter(core)
    health.routes(router)
    ingest.openRoutes(router, reports: reports, care.hospitals, runs.runs.checkIns, ownData.imports)
    sos.openRoutes(router)
    organisations.api.routes(router)
    consent.live.routes(router)
    payments.openRoutes(router)
    fileRoutes(router, core, directory)

    let pages = pagesOfAccounts(router, core, operation, sos, ConsoleFeature(core, sos.sos, ingest, runs.runs.organising), accounts)
    runs.routes(router, pages: pages)
    accounts.routes(pages)
    consent.routes(pages, sos.sos, runs.runs.track4Run)
    organisations.routes(pages, sos.sos.strictRights)
    try ownData.routes(pages, ingest, groups)
    groups.routes(pages, consents, core)
    notices.routes(pages)
    care.routes(pages, pushKey: notices.publicKey)
    sos.routes(pages, care.care, consents)
    operation.routes(pages)
    payments.routes(pages)
    HomeFeature(core, consents, sos.sos, care, runs.runs, accounts.phones).routes(pages)

    let refusals = Set(organisations.api.refusals.map(\.name)), port = ListeningPort()
    let routes = ["POST \(SyncRoute.segments)"] + router.routes.map { "\($0.method.rawValue) \($0.path)" }
    let certificates = CertificateKeeper(certificates: core.identity.certificates, logger: core.logger, machine: machine)
    let kept =
        operation.services(consents, care.care, ownData, sos.sos.choices, groups.closing, asking.requests, payments.payments)
        + groups.services
    let services =
        sos.services + runs.services + accounts.services(sos.sos) + kept + [notices.service(sos.sos), certificates]
        + organisations.services + (try operation.server(router, ingest.sync, port, sockets)) + health.services + sos.deadManSwitch
    return Hub(
        accounts: core.accounts, series: core.series, sos: sos.sos, runs: runs.runs, runsStore: core.runsStore, liveRuns: runs.live,
        workouts: runs.workouts, consents: consents, subscriptions: consent.subscriptions, groups: asking.requests, services: services,
        bus: core.bus, reports: reports, programEntries: organisations.api.programEntries, certificates: core.identity.certificates,
        lock: lock, executors: core.executors, shedding: core.shedding, loops: operation.loops,
        routes: routes.filter { !refusals.contains($0) }, refusals: refusals.sorted(), port: port)
}

/// Says what went wrong, on pages and in the API.
private func emptyRouter(_ core: HubCore) -> Router<HubContext> {
    let router = Router(context: HubContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: ErrorPages(templates: core.templates, logger: core.logger))
    router.add(middleware: APIProblems(logger: core.logger))
    return router
}

/// Scripts, styles, and what maps are made of, for everybody. What killed imports left is removed first.
private func fileRoutes(_ router: Router<HubContext>, _ core: HubCore, _ directory: HubDirectory) {
    let files = core.machine.files, left = MapWork.removeLeft(in: directory.path(StreetMap.folder), files: files)
    if left > 0 { core.logger.notice("what killed map imports left was removed", metadata: ["folders": "\(left)"]) }
    Assets(leaflet: core.configuration.map.leaflet, files: files).routes(router)
    let map = StreetMap(directory, files: files, logger: core.logger)
    Ground.routes(router)
    Streets(map: map).routes(router)
    MapSearch(map: map).routes(router)
}

/// Where the pages stand that know who asks, with the operators' console, whose counts stand on each.
private func pagesOfAccounts(
    _ router: Router<HubContext>, _ core: HubCore, _ operation: OperationFeature, _ sos: SOSFeature, _ console: ConsoleFeature,
    _ accounts: AccountsFeature
) -> RouterGroup<HubContext> {
    let zones = ZonesSeen(core.accounts.notices, logger: core.logger)
    let pages = router.group().add(middleware: SameOrigin(templates: core.templates)).add(
        middleware: Sessions(
            service: core.service, planned: operation.planned, sos: sos.sos, accounts: core.accounts, zones: zones, console: console.counts)
    ).add(middleware: SecondStep()).add(
        middleware: StepUpGuard(
            service: core.service, factors: core.factors, templates: core.templates, accounts: core.accounts,
            errors: ErrorPages(templates: core.templates, logger: core.logger))
    ).add(middleware: accounts.acceptanceGuard).add(middleware: Acting()).add(middleware: UnreadableCount())
    console.routes(pages, operation.planned)
    return pages
}

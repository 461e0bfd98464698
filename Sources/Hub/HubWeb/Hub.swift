public import AsyncHTTPClient
import Credentials
public import Foundation
import HTTPTypes
public import HubServices
public import HubStore
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import Mail
import NIOCore
import NIOPosix
import NIOSSL
public import ServiceLifecycle
import SyncProtocol
import Synchronization
public import Vitals
import WebPush

/// A hub, composed: its stores, its services and its web application.
public struct Hub: Sendable {
    public let accounts: AccountStore
    public let series: SeriesStore
    public let sos: SOSService
    public let runs: RunService
    public let liveRuns: LiveRuns
    public let workouts: LiveWorkouts
    public let consents: ConsentService
    public let subscriptions: Subscriptions
    /// Everything that runs, for a `ServiceGroup`.
    public let services: [any Service]
    let bus: LiveBus
    let reports: FlagReports
    let certificates: HubCertificates
    let lock: DirectoryLock
    let executors: HubExecutors
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
    fileprivate let continuation: AsyncStream<Int>.Continuation

    fileprivate init() { (stream, continuation) = AsyncStream.makeStream() }

    /// The port; nil when the hub stopped before it listened.
    public func value() async -> Int? {
        for await port in stream { return port }
        return nil
    }
}

/// The composition root of a hub: opens the stores, makes certificates where there are none, and wires everything.
/// - Parameters:
///   - outside: whom to trust where the hub posts to addresses that strangers gave.
///   - boot: milliseconds of a clock that nobody sets: by it alarms go on where the other one is set back.
public func buildHub(
    configuration: HubConfiguration, logger: Logger, outside: HTTPClient.Configuration = .init(),
    now: @escaping @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) },
    boot: (@Sendable () -> Milliseconds)? = nil
) throws -> Hub {
    try configuration.check()
    let obstacles = configuration.map.obstaclesOrNone(logger)
    let directory = try HubDirectory(configuration.directory)
    let lock = try directory.lock()
    let keys = try KeyStore(directory)
    let accounts = try AccountStore(directory, keys: keys)
    // Before anything makes new keys.
    let problemsOfKeys = try accounts.reconcileKeys(now: now())
    for problem in problemsOfKeys { logger.critical("keys", metadata: ["what": "\(problem)"]) }
    let audit = try AuditLog(directory, accounts: accounts)
    if !problemsOfKeys.isEmpty { try audit.append(.keysReconciled, by: nil, on: nil, now: now()) }
    let series = try SeriesStore(directory, accounts: accounts, keys: keys) { share in
        logger.info("reading the journal", metadata: ["percent": "\(Int(share * 100))"])
    }
    for problem in series.problemsOfRecovery { logger.error("not readable in the journal", metadata: ["what": "\(problem)"]) }
    let sosStore = try SOSStore(directory, keys: keys)
    let runsStore = try RunsStore(directory, keys: keys)
    let deletion = Deletion(accounts: accounts, series: series, audit: audit, sos: sosStore, runs: runsStore, logger: logger)
    let quota = Quota(accounts: accounts, series: series, audit: audit, bytesMax: configuration.quota)
    let bus = LiveBus()
    let authenticator = Authenticator(accounts: accounts)
    let boxCheckIns = BoxCheckIns(accounts: accounts, series: series, runs: runsStore)
    let ingest = try Ingest(
        authenticator: authenticator, accounts: accounts, series: series, bus: bus, checkIns: boxCheckIns, logger: logger, now: now)
    let time = MonotonicUTC(now)
    let consents = ConsentService(accounts: accounts, series: series, bus: bus, time: time)
    let subscriptions = Subscriptions(accounts: accounts, series: series, bus: bus, time: time)
    let identity = try HubIdentity(configuration, directory: directory)

    let sync = SyncController(
        ingest: ingest, authenticator: authenticator, enrolment: Enrolment(accounts: accounts), guesses: FailedAttemptLimiter(),
        certificates: identity.certificates, tokenEndpoint: identity.url + SyncRoute.token, logger: logger, now: now)
    let templates = try Templates(), address = HubAddressBook(identity.url)
    let service = AccountService(
        accounts: accounts, hasher: try passwordHasher(accounts), url: { address.url }, now: now, ownAge: configuration.ownAge,
        isLater: true)
    let crews = CrewIndex(), sosTime = MonotonicUTC(now, boot: boot), carrier = try configuration.mail.carrier()
    let telephone = Telephone(logger)
    let voice = try configuration.voice.outlet { telephone.changed($0) }
    let addresses = EgressPolicy(allowed: configuration.webhooks.allow.compactMap { IPNetwork($0) })
    let outsideClient = EgressClient(addresses: addresses, configuration: outside)
    let outlets = try HubWays.outlets(
        configuration, carrier: carrier, voice: voice, accounts: accounts, directory: directory, client: outsideClient,
        site: { address.url }, time: sosTime, logger: logger)
    let sos = try SOSService(
        store: sosStore, accounts: accounts, series: series, bus: bus, crews: crews, outlets: outlets, logger: logger, time: sosTime)
    let planned = PlannedMaintenance(accounts: accounts, sos: sos, audit: audit, logger: logger, now: { time.now })
    for room in try configuration.sos.roomSettings() {
        logger.notice("control room", metadata: ["name": "\(room.name)", "way": "\(room.summary)"])
    }
    if configuration.sos.rooms.isEmpty {
        logger.warning("self-check: hub.sos.rooms names no control room: where fewer than three ambulances are near, nobody else is called")
    }
    let runLetters = UnsubscribeLinks(accounts: accounts)
    let runs = RunService(
        store: runsStore, accounts: accounts, series: series, consents: consents, audit: audit,
        words: .init(
            site: { address.url },
            purpose: { part, name, code, language in
                Texts.of(language).filled("runPurpose.\(part.rawValue)", ["run": name, "code": code])
            }, stop: { "\(address.url)\(UnsubscribePages.path)/\(runLetters.token($0))" }),
        obstacles: obstacles, logger: logger, time: time)
    let liveRuns = LiveRuns(runs: runs, bus: bus)
    let workouts = LiveWorkouts(runs: runs, bus: bus, places: liveRuns.ownPlaces)
    let hospitals = HospitalService(service: service, audit: audit, crews: crews, dispatchTime: sos.now)
    let care = CareService(service: service, consents: consents, series: series, bus: bus)
    let phones = PhoneService(service: service, program: configuration.sms.command.map { MessageProgram($0) }, logger: logger)
    if !phones.canSend {
        logger.notice("telephone numbers stay \"not verified\": hub.sms.command names no program that sends text messages")
    }
    let devices = DeviceIngest(accounts: accounts, series: series, ingest: ingest, logger: logger, now: now)
    let reports = FlagReports(devices: devices, sos: sos)
    let senders = SendersController(
        devices: devices, reports: reports, crews: CrewPlaces(hospitals: hospitals), guesses: FailedAttemptLimiter(), logger: logger,
        now: now)
    let webhooks = Webhooks(accounts: accounts, addresses: addresses)
    let api = APIController(
        accounts: accounts, tokens: OrganisationTokens(accounts: accounts), webhooks: webhooks,
        consents: consents, subscriptions: subscriptions, reports: reports,
        tokenEndpoint: identity.url + APIController.token, guesses: FailedAttemptLimiter(), logger: logger, now: now,
        site: { address.url })
    // What rests on a consent leaves as long as that holds.
    let deliveries = WebhookService(
        accounts: accounts, client: outsideClient, logger: logger, now: now,
        mayLeave: { delivery in
            try delivery.consent.map { try accounts.access(by: $0, now: time.now) != nil } ?? true
        })
    let live = LivePage(
        query: LiveQuery(accounts: accounts, series: series, service: service, consents: consents, now: now), bus: bus,
        templates: templates, map: configuration.map)

    let router = Router(context: HubContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: SecurityHeaders(tls: configuration.tls.enabled, tiles: configuration.map.tiles))
    router.add(middleware: ErrorPages(templates: templates, logger: logger))
    router.add(middleware: APIProblems(logger: logger))
    router.get("/healthz") { _, _ in "ok" }
    router.get("/readyz") { _, _ in Readiness.response(sos) }
    sync.routes(router)
    senders.routes(router)
    SOSController(sos: sos, authenticator: authenticator, roomSecret: Array(configuration.sos.secret.utf8), logger: logger, now: now)
        .routes(router)
    CheckInController(runs: runs, shown: boxCheckIns, authenticator: authenticator, logger: logger, now: now).routes(router)
    api.routes(router)
    live.routes(router)
    let factors = FactorService(service)
    let pages = router.group().add(middleware: SameOrigin(templates: templates)).add(
        middleware: Sessions(service: service, planned: planned, sos: sos, accounts: accounts)
    ).add(middleware: SecondStep())
    RunLiveRoutes(live: liveRuns, runs: runs, service: service, accounts: accounts).routes(router, pages: pages)
    let requests = RequestLimit(now: now)
    SignUpPages(service: service, templates: templates, requests: requests).routes(pages)
    LogInPages(service: service, factors: factors, templates: templates, requests: requests).routes(pages)
    SecondPages(factors: factors, templates: templates).routes(pages)
    SecondPasskeys(factors: factors, logger: logger).routes(pages)
    StepUp(factors: factors, templates: templates).routes(pages)
    SecurityPages(factors: factors, templates: templates).routes(pages)
    FactorPages(factors: factors, templates: templates).routes(pages)
    ClaimPages(factors: factors, templates: templates).routes(pages)
    HomePages(service: service, phones: phones, templates: templates).routes(pages)
    FollowersPages(consents: consents, templates: templates).routes(pages)
    RequestsPages(consents: consents, templates: templates).routes(pages)
    OrganisationKeysPages(
        keys: OrganisationKeys(accounts: accounts), factors: factors, templates: templates,
        tokenEndpoint: identity.url + APIController.token, url: { address.url }, now: now
    ).routes(pages)
    WebhooksPages(accounts: accounts, webhooks: webhooks, factors: factors, templates: templates, now: now).routes(pages)
    PeoplePages(
        accounts: accounts, consents: consents, sos: sos, service: service, templates: templates, map: configuration.map, now: now
    ).routes(pages)
    DownloadsPages(
        accounts: accounts, consents: consents, links: DownloadLinks(accounts: accounts), export: Export(series: series, now: now),
        templates: templates, requests: requests, logger: logger, now: now
    ).routes(pages)
    ServicesPages(consents: consents, sos: sos, templates: templates).routes(pages)
    consents.ends.turnOff(sos, logger)
    PublishPages(consents: consents, templates: templates).routes(pages)
    GrantPages(consents: consents, factors: factors, templates: templates).routes(pages)
    PolicyPages(consents: consents, templates: templates).routes(pages)
    FollowingPages(consents: consents, live: live, templates: templates).routes(pages)
    MyDataPages(
        accounts: accounts, consents: consents, quota: quota, deletion: deletion, factors: factors, templates: templates, now: now
    ).routes(pages)
    ExportPages(
        accounts: accounts, runs: runsStore, export: Export(series: series, now: now), audit: audit, factors: factors, templates: templates,
        url: { address.url }, logger: logger, now: now
    ).routes(pages)
    let letterLinks = UnsubscribeLinks(accounts: accounts)
    UnsubscribePages(links: letterLinks, templates: templates).routes(pages)
    let pushKey = try ServerKey(of: accounts)
    NoticesPages(
        accounts: accounts, devices: PushDevices(accounts: accounts, addresses: addresses), templates: templates, key: pushKey.publicText,
        logger: logger, now: now
    ).routes(pages)
    let certificates = identity.certificates
    let enrolmentAddress: @Sendable () -> String = {
        address.url + (certificates.authority.map { "#\($0.fingerprint)" } ?? "")
    }
    BoxesPages(
        accounts: accounts, authenticator: authenticator, enrolment: Enrolment(accounts: accounts), devices: Devices(accounts: accounts),
        factors: factors, templates: templates, enrolmentAddress: enrolmentAddress, now: now
    ).routes(pages)
    CarePages(
        care: care, consents: consents, factors: factors, templates: templates, enrolmentAddress: enrolmentAddress, now: now
    ).routes(pages)
    CareOpenPages(care: care, factors: factors, templates: templates, requests: requests).routes(pages)
    CareInvitePages(care: care, consents: consents, factors: factors, templates: templates, requests: requests).routes(pages)
    HospitalPages(hospitals: hospitals, factors: factors, templates: templates, now: sos.now).routes(pages)
    CrewPages(hospitals: hospitals, templates: templates, requests: requests).routes(pages)
    DutyPages(
        hospitals: hospitals, accounts: accounts, templates: templates, pushKey: pushKey.publicText, url: { address.url }, now: sos.now
    ).routes(pages)
    let placesMap = PlacesMap(map: configuration.map)
    ProtectionPages(
        sos: sos, care: care, consents: consents, service: service, accounts: accounts, templates: templates, map: placesMap
    ).routes(pages)
    EmergencyPages(templates: templates).routes(pages)
    AlarmsPages(sos: sos, service: service, accounts: accounts, templates: templates, map: placesMap).routes(pages)
    // Contacts have no account, and whoever owes a second factor is let in all the same.
    SOSContactPages(sos: sos, accounts: accounts, templates: templates, map: placesMap).routes(
        router.group().add(middleware: SameOrigin(templates: templates)))
    MaintenancePages(planned: planned, factors: factors, templates: templates, now: now).routes(pages)
    WaysPages(sos: sos, templates: templates, requests: requests).routes(pages)
    PlacesPages(
        places: try PlaceStore(directory), consents: consents, series: series, accounts: accounts, templates: templates, map: placesMap,
        now: now
    ).routes(pages)
    PhonePages(phones: phones, templates: templates).routes(pages)
    let watch = WatchSite(runs: runs, accounts: accounts, templates: templates, map: configuration.map, address: { address.url })
    WatchPages(site: watch, live: liveRuns).routes(pages)
    ResultsPages(
        site: watch, pictures: PictureTool(logger: logger),
        exports: RaceExports(site: watch, export: Export(series: series, now: now), logger: logger)
    ).routes(pages)
    let runSite = RunSite(runs: runs, accounts: accounts, templates: templates, map: placesMap, address: { address.url })
    runSite.routes(pages)
    WorkoutPages(site: runSite, live: workouts, service: service).routes(pages)
    Assets(leaflet: configuration.map.leaflet).routes(router)

    let refusals = Set(api.refusals.map(\.name))
    let routes =
        ["POST \(SyncRoute.segments)"] + router.routes.map { "\($0.method.rawValue) \($0.path)" }.filter { !refusals.contains($0) }

    let port = ListeningPort(), executors = HubExecutors()
    func background(_ service: any Service) -> any Service { ServiceOnExecutor(service: service, executor: executors.background) }
    // A connection on which nothing was asked for so long is somebody who only holds it.
    let clocks = RequestClocks(head: .seconds(configuration.listen.headSeconds))
    let http = HTTP1Channel.Configuration(
        additionalChannelHandlers: [clocks.clock()], idleTimeout: .seconds(90),
        httpDecoderConfiguration: .init(maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 200))
    let server: HTTPServerBuilder =
        try certificates.tls().map { try .tls(.http1(configuration: http), tlsConfiguration: $0) }
        ?? .http1(configuration: http)
    let threads = configuration.listen.threads == 0 ? System.coreCount : configuration.listen.threads
    let application = Application(
        responder: HubResponder(sync: sync, clocks: clocks, executors: executors, router: router.buildResponder()), server: server,
        configuration: .init(
            address: .hostname(configuration.listen.host, port: configuration.listen.port), serverName: nil,
            availableConnectionsDelegate: .maximum(configuration.listen.connectionsMax, logger: logger)),
        onServerRunning: { channel in
            if let listening = channel.localAddress?.port {
                address.listens(on: listening)
                do { try identity.announce(port: listening, in: directory) } catch {
                    logger.error(
                        "the commands beside this hub will not know its URL: set hub.url", metadata: ["error": "\(error)"])
                }
                tellClaimCode(accounts, address: address.url, logger: logger)
                port.continuation.yield(listening)
            }
            port.continuation.finish()
        },
        eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: threads)), logger: logger)
    return Hub(
        accounts: accounts, series: series, sos: sos, runs: runs, liveRuns: liveRuns, workouts: workouts, consents: consents,
        subscriptions: subscriptions,
        services: [
            Closing(bus: bus, pages: sos.pages),
            CertificateKeeper(certificates: certificates, logger: logger),
            sos,
            background(RhythmService(sos: sos, logger: logger)),
            sos.ways,
            telephone.service(voice),
            background(runs),
            background(liveRuns),
            background(workouts),
            background(DeferredWork(service: service, logger: logger)),
            MailOutbox(
                accounts: accounts, carrier: carrier,
                sender: try MailAddress(configuration.mail.sender, name: "TrackMe"), logger: logger, now: sos.now,
                ways: sos.ways, write: { MailTexts.letter($0, site: address.url) }),
            background(
                InvitationMailer(
                    accounts: accounts, carrier: carrier,
                    sender: try MailAddress(configuration.mail.sender, name: "TrackMe"), logger: logger, now: now,
                    write: {
                        MailTexts.letter(
                            $0, site: address.url, stop: "\(address.url)\(UnsubscribePages.path)/\(letterLinks.token($0.mark))")
                    }
                )),
            background(
                TimerService(
                    accounts: accounts, handlers: consents.timers.merging(care.timers) { $1 }.merging(planned.timers) { $1 },
                    logger: logger,
                    time: time)),
            background(
                Maintenance(
                    accounts: accounts, series: series, authenticator: authenticator, deletion: deletion, quota: quota, audit: audit,
                    logger: logger, now: now)),
            planned,
            background(deliveries),
            PushSender(
                accounts: accounts, client: outsideClient, key: pushKey, contact: "mailto:\(configuration.mail.sender)", logger: logger,
                now: sos.now, ways: sos.ways, write: PushTexts.letter),
            background(WebhookFeeder(accounts: accounts, series: series, bus: bus, logger: logger, time: time)),
            application,
        ] + (configuration.sos.watchdog.map { url in [DeadManSwitch(url: url, logger: logger) { sos.faults }] } ?? []),
        bus: bus, reports: reports, certificates: certificates, lock: lock, executors: executors, routes: routes,
        refusals: refusals.sorted(), port: port)
}

/// The pepper comes of the master key, so a database alone is no help to who guesses passwords. With another master key no password would
/// fit any more, which is said at the start.
func passwordHasher(_ accounts: AccountStore) throws -> PasswordHasher {
    guard let pepper = Pepper(accounts.derivedKey("pepper")) else { throw HubConfigurationError("The pepper is too short.") }
    let known = try accounts.known("pepper check", Array(pepper.check.utf8))
    guard known == Array(pepper.check.utf8) else {
        throw HubConfigurationError(
            "The master key is not the one with which the passwords were hashed. Put back the key that belongs to this directory.")
    }
    return try PasswordHasher(pepper: pepper)
}

/// How browsers reach this hub, once it knows its port.
private final class HubAddressBook: Sendable {
    private let known: Mutex<String>

    init(_ url: String) { known = Mutex(url) }

    var url: String { known.withLock { $0 } }

    func listens(on port: Int) {
        known.withLock { if $0.hasSuffix(":0") { $0 = "\($0.dropLast(2)):\(port)" } }
    }
}

/// Ends the live streams when the hub is asked to stop: they would hold it up.
private struct Closing: Service {
    let bus: LiveBus
    let pages: SOSBus

    func run() async throws {
        try? await gracefulShutdown()
        bus.close()
        pages.close()
    }
}

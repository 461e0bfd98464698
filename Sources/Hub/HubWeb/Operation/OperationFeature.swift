import HubServices
import HubStore
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import Seams
import ServiceLifecycle

/// Keeping the hub: planned maintenance, timers, deletion by age, and the server itself.
struct OperationFeature: Sendable {
    let core: HubCore
    let planned: PlannedMaintenance
    /// The threads of connections.
    let loops: MultiThreadedEventLoopGroup
    private let sos: SOSService
    private let tally = AnswerTally()

    init(_ core: HubCore, _ sos: SOSService) {
        self.core = core
        self.sos = sos
        let time = core.dispatchTime, threads = core.configuration.listen.threads
        loops = MultiThreadedEventLoopGroup(numberOfThreads: threads == 0 ? System.coreCount : threads)
        planned = PlannedMaintenance(
            store: core.accounts.maintenance, hours: core.configuration.maintenance.allowed, audit: core.audit, logger: core.logger,
            now: { time.now })
    }

    func routes(_ pages: some RouterMethods<HubContext>) {
        MaintenancePages(planned: planned, factors: core.factors, templates: core.templates, now: core.now).routes(pages)
        StatusPages(availability: core.accounts.availability, planned: planned, templates: core.templates, now: core.now).routes(pages)
    }

    func services(
        _ consents: ConsentService, _ care: CareService, _ ownData: OwnDataFeature, _ choices: SOSChoices, _ closing: GroupClosing?,
        _ asking: GroupRequests, _ payments: PaymentService
    ) -> [any Service] {
        let addresses = LostAddresses(accounts: core.accounts, audit: core.audit, now: core.now)
        return core.executors.background([
            TimerService(
                store: core.accounts.timers,
                handlers: [consents.timers, care.timers, planned.timers, choices.timers, asking.timers, addresses.timers, payments.timers]
                    .reduce(into: [:]) { all, part in all.merge(part) { $1 } },
                logger: core.logger, time: core.time),
            Maintenance(
                accounts: core.accounts, merger: core.series.merger, rollups: core.series.rollups,
                authenticator: core.authenticator, deletion: core.deletion,
                quota: ownData.quota, workouts: ownData.search, groups: closing, audit: core.audit, logger: core.logger, now: core.now),
        ]) + [planned, LoadMonitor(shedder: core.shedding, executors: core.executors, loops: loops, machine: core.machine)]
            + core.executors.background([
                Availability(store: core.accounts.availability, logger: core.logger, now: core.now) { [sos, tally] in
                    tally.takeFailed().union(sos.faults.isEmpty ? [] : [.automatedSOS])
                }
            ])
    }

    /// The server, that answers what `router` has.
    /// - Parameter sockets: on which systemd listens for it.
    func server(_ router: Router<HubContext>, _ sync: SyncController, _ port: ListeningPort, _ sockets: HandedSockets) throws
        -> [any Service]
    {
        let core = core, configuration = core.configuration
        // A connection on which nothing was asked for so long is somebody who only holds it.
        let clocks = RequestClocks(head: .seconds(configuration.listen.headSeconds))
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [clocks.clock()], idleTimeout: .seconds(90),
            httpDecoderConfiguration: .init(maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 200))
        let refusals = RefusalNotes(
            tally: RefusalTally(routes: router.routes.map { "\($0.path)" }), logger: core.logger, now: core.now)
        let connections = Connections(
            most: configuration.listen.connectionsMax, proxies: TrustedProxies(configuration), refusals: refusals,
            level: core.metrics.connections)
        let requests = RequestMetrics(routes: router.routes.map { "\($0.path)" }, uptime: { core.machine.uptime })
        core.metrics.add { requests.samples }
        if connections.proxies.isAssumed { core.logger.warning("\(TrustedProxies.assumed)") }
        let responder = HubResponder(
            sync: sync, clocks: clocks, connections: connections, executors: core.executors, shedding: core.shedding, tally: tally,
            templates: core.templates, refusals: refusals, metrics: requests, traces: LogTraces(core.machine.randomness),
            router: router.buildResponder())
        let answers = RequestAnswers(responder, logger: core.logger, machine: core.machine)
        let plain = HTTP1Channel(
            responder: { (request, writer: consuming ResponseWriter, channel) in try await answers.answer(request, writer, channel) },
            configuration: http)
        let report = RefusalReport(notes: refusals, machine: core.machine)
        guard let tls = try core.identity.certificates.tls() else { return [report, server(plain, connections, port, sockets)] }
        return [report, server(try TLSChannel(plain, tlsConfiguration: tls), connections, port, sockets)]
    }

    private func server(
        _ channel: some ServerChildChannel, _ connections: Connections, _ port: ListeningPort, _ sockets: HandedSockets
    ) -> any Service {
        let listen = core.configuration.listen, headers = SecurityHeaders(tiles: core.configuration.map.tiles)
        return HubServer(
            child: GuardedChannel(base: channel, connections: connections, headers: headers), connections: connections,
            sockets: sockets, host: listen.host, port: listen.port, loops: loops, logger: core.logger, machine: core.machine
        ) { listening in
            if let listening { listens(on: listening, port) }
            port.continuation.finish()
        } endStreams: { [bus = core.bus, pages = sos.pages] in
            bus.close()
            pages.close()
        }
    }

    private func listens(on listening: Int, _ port: ListeningPort) {
        core.address.listens(on: listening)
        do { try core.identity.announce(port: listening, in: core.directory) } catch {
            core.logger.error("the commands beside this hub will not know its URL: set hub.url", metadata: ["error": "\(error)"])
        }
        tellClaimCode(core.accounts, address: core.address.url, logger: core.logger)
        port.continuation.yield(listening)
    }
}

import HubServices
import HubStore
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Keeping the hub: planned maintenance, timers, deletion by age, and the server itself.
struct OperationFeature: Sendable {
    let core: HubCore
    let planned: PlannedMaintenance
    /// The threads of connections.
    let loops: MultiThreadedEventLoopGroup

    init(_ core: HubCore, _ sos: SOSService) {
        self.core = core
        let time = core.dispatchTime, threads = core.configuration.listen.threads
        loops = MultiThreadedEventLoopGroup(numberOfThreads: threads == 0 ? System.coreCount : threads)
        planned = PlannedMaintenance(
            store: core.accounts.maintenance, addressees: sos.addressees, audit: core.audit, logger: core.logger, now: { time.now })
    }

    func routes(_ pages: some RouterMethods<HubContext>) {
        MaintenancePages(planned: planned, factors: core.factors, templates: core.templates, now: core.now).routes(pages)
    }

    func services(
        _ consents: ConsentService, _ care: CareService, _ ownData: OwnDataFeature, _ choices: SOSChoices, _ closing: GroupClosing?,
        _ asking: GroupRequests
    ) -> [any Service] {
        let addresses = LostAddresses(accounts: core.accounts, audit: core.audit, now: core.now)
        return core.executors.background([
            TimerService(
                store: core.accounts.timers,
                handlers: [consents.timers, care.timers, planned.timers, choices.timers, asking.timers, addresses.timers]
                    .reduce(into: [:]) { all, part in all.merge(part) { $1 } },
                logger: core.logger, time: core.time),
            Maintenance(
                accounts: core.accounts, merger: core.series.merger, rollups: core.series.rollups,
                authenticator: core.authenticator, deletion: core.deletion,
                quota: ownData.quota, workouts: ownData.search, groups: closing, audit: core.audit, logger: core.logger, now: core.now),
        ]) + [planned]
    }

    /// The server, that answers what `router` has.
    func server(_ router: Router<HubContext>, _ sync: SyncController, _ port: ListeningPort) throws -> some Service {
        let core = core, configuration = core.configuration
        // A connection on which nothing was asked for so long is somebody who only holds it.
        let clocks = RequestClocks(head: .seconds(configuration.listen.headSeconds))
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [clocks.clock()], idleTimeout: .seconds(90),
            httpDecoderConfiguration: .init(maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 200))
        let refusals = RefusalNotes(
            tally: RefusalTally(routes: router.routes.map { "\($0.path)" }), logger: core.logger, now: core.now)
        let connections = Connections(
            most: configuration.listen.connectionsMax, proxies: TrustedProxies(configuration), refusals: refusals)
        if connections.proxies.isAssumed { core.logger.warning("\(TrustedProxies.assumed)") }
        let headers = SecurityHeaders(tiles: configuration.map.tiles), tls = try core.identity.certificates.tls()
        let server = HTTPServerBuilder { responder in
            let plain = HTTP1Channel(responder: responder, configuration: http)
            guard let tls else { return GuardedChannel(base: plain, connections: connections, headers: headers) }
            return GuardedChannel(base: try TLSChannel(plain, tlsConfiguration: tls), connections: connections, headers: headers)
        }
        return Application(
            responder: HubResponder(
                sync: sync, clocks: clocks, connections: connections, executors: core.executors, refusals: refusals,
                router: router.buildResponder()),
            server: server,
            configuration: .init(
                address: .hostname(configuration.listen.host, port: configuration.listen.port), serverName: nil,
                availableConnectionsDelegate: .maximum(connections.most, logger: core.logger)),
            services: [RefusalReport(notes: refusals, machine: core.accounts.machine)],
            onServerRunning: { channel in
                if let listening = channel.localAddress?.port { listens(on: listening, port) }
                port.continuation.finish()
            },
            eventLoopGroupProvider: .shared(loops), logger: core.logger)
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

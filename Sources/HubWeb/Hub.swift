public import Foundation
import HTTPTypes
import HubServices
public import HubStore
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
import NIOPosix
import NIOSSL
public import ServiceLifecycle
import SyncProtocol
public import Vitals

/// A hub, composed: its stores, its services and its web application.
public struct Hub: Sendable {
    public let accounts: AccountStore
    public let series: SeriesStore
    /// Everything that runs, for a `ServiceGroup`.
    public let services: [any Service]
    let bus: LiveBus
    let lock: DirectoryLock
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
public func buildHub(
    configuration: HubConfiguration, logger: Logger,
    now: @escaping @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) }
) throws -> Hub {
    try configuration.check()
    let directory = try HubDirectory(configuration.directory)
    let lock = try directory.lock()
    let keys = try KeyStore(directory)
    let accounts = try AccountStore(directory, keys: keys)
    let series = try SeriesStore(directory, accounts: accounts, keys: keys) { share in
        logger.info("reading the journal", metadata: ["percent": "\(Int(share * 100))"])
    }
    for problem in series.problemsOfRecovery { logger.error("not readable in the journal", metadata: ["what": "\(problem)"]) }
    let bus = LiveBus()
    let authenticator = Authenticator(accounts: accounts)
    let ingest = try Ingest(
        authenticator: authenticator, accounts: accounts, series: series, bus: bus, logger: logger, now: now)
    let identity = try HubIdentity(configuration, directory: directory)

    let sync = SyncController(
        ingest: ingest, authenticator: authenticator, enrolment: Enrolment(accounts: accounts), guesses: GuessLimit(),
        certificateAuthority: try identity.authority?.pem, tokenEndpoint: identity.url + SyncRoute.token, logger: logger, now: now)
    let live = LivePage(
        query: LiveQuery(accounts: accounts, series: series, now: now), bus: bus, templates: try Templates(),
        map: configuration.map)

    let router = Router(context: HubContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: SecurityHeaders(tls: configuration.tls.enabled, tiles: configuration.map.tiles))
    router.add(middleware: ErrorPages(templates: live.templates, logger: logger))
    router.get("/healthz") { _, _ in "ok" }
    sync.routes(router)
    live.routes(router)
    Assets(leaflet: configuration.map.leaflet).routes(router)

    let port = ListeningPort()
    // A connection on which nothing was asked for so long is somebody who only holds it.
    let http = HTTP1Channel.Configuration(idleTimeout: .seconds(90))
    let server: HTTPServerBuilder =
        try identity.tls(now: Date()).map { try .tls(.http1(configuration: http), tlsConfiguration: $0) }
        ?? .http1(configuration: http)
    let threads = configuration.listen.threads == 0 ? System.coreCount : configuration.listen.threads
    let application = Application(
        responder: HubResponder(sync: sync, router: router.buildResponder()), server: server,
        configuration: .init(address: .hostname(configuration.listen.host, port: configuration.listen.port), serverName: nil),
        onServerRunning: { channel in
            if let listening = channel.localAddress?.port {
                do { try identity.announce(port: listening, in: directory) } catch {
                    logger.error(
                        "the commands beside this hub will not know its URL: set hub.url", metadata: ["error": "\(error)"])
                }
                port.continuation.yield(listening)
            }
            port.continuation.finish()
        },
        eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: threads)), logger: logger)
    return Hub(
        accounts: accounts, series: series,
        services: [
            Closing(bus: bus), Maintenance(series: series, authenticator: authenticator, logger: logger, now: now), application,
        ],
        bus: bus, lock: lock, port: port)
}

/// Segments go straight to the pipeline; everything else to the router.
private struct HubResponder<Others: HTTPResponder<HubContext>>: HTTPResponder {
    let sync: SyncController
    let router: Others

    func respond(to request: Request, context: HubContext) async throws -> Response {
        if request.method == .post, request.head.path == SyncRoute.segments { return await sync.segments(request) }
        return try await router.respond(to: request, context: context)
    }
}

/// Ends the live streams when the hub is asked to stop: they would hold it up.
private struct Closing: Service {
    let bus: LiveBus

    func run() async throws {
        try? await gracefulShutdown()
        bus.close()
    }
}

/// Turns what a page threw into a page that helps.
private struct ErrorPages: RouterMiddleware {
    let templates: Templates
    let logger: Logger

    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as HTTPError where error.status == .notFound {
            return templates.problem("notFound", Texts.preferred(request), status: .notFound)
        } catch {
            logger.error("a page failed", metadata: ["error": "\(error)"])
            return templates.problem("serverError", Texts.preferred(request), status: .internalServerError)
        }
    }
}

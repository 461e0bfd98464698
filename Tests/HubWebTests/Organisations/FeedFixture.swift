import Accounts
import AsyncHTTPClient
import Credentials
import Exchange
import Foundation
import HubServices
import HubStore
import Logging
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// A hub without pages, on the disk: a person with a phone, an organisation with a webhook, and that organisation's server.
struct FeedFixture {
    /// What one run of the hub has open.
    struct Run {
        let accounts: AccountStore
        let series: SeriesStore
        let bus = LiveBus()
        let devices: DeviceIngest
        let consents: ConsentService
        let timers: TimerService
        let time: MonotonicUTC
        let logger: Logger

        init(_ directory: URL, _ clock: ManualClock) throws {
            let hub = try HubDirectory(directory), keys = try KeyStore(hub, environment: [:])
            accounts = try AccountStore(hub, keys: keys)
            series = try SeriesStore(hub, accounts: accounts, keys: keys)
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            self.logger = logger
            time = MonotonicUTC { clock.now }
            let ingest = try Ingest(
                authenticator: Authenticator(agents: accounts.agents), accounts: accounts, series: series, bus: bus, logger: logger,
                now: { clock.now })
            devices = DeviceIngest(store: accounts.devices, series: series.devices, ingest: ingest, logger: logger, now: { clock.now })
            consents = ConsentService(accounts: accounts, series: series.reader, strips: ECGStore(series), bus: bus, time: time)
            timers = TimerService(store: accounts.timers, handlers: consents.timers, logger: logger, time: time)
        }
    }

    let directory: TemporaryDirectory
    let clock = ManualClock()
    let server: HookServer
    let ada: StoredAccount, hospital: StoredAccount, checker: StoredAccount
    let secret: String
    var run: Run

    init() async throws {
        directory = try TemporaryDirectory()
        server = try await HookServer()
        run = try Run(directory.url, clock)
        ada = try Self.add("ada@example.org", .person, run)
        hospital = try Self.add("data@hospital.example", .organisation, run)
        checker = try Self.add("operator@example.org", .operator, run)
        secret = try Devices(devices: run.accounts.devices).add("Phone", .osmAnd, of: ada.id.person, now: clock.now).secret.grouped
    }

    static func add(_ email: String, _ role: Role, _ run: Run) throws -> StoredAccount {
        let new = NewAccount(
            roles: [role], details: ["email": email, "firstName": "Made", "lastName": "Up"], canonicalEmail: email,
            canonicalIdentifier: nil, password: "", language: "en", accepted: [:])
        guard case .added(let account) = try run.accounts.addConfirmedAccount(new, now: 0) else { throw HubStoreError.unknownPerson("x") }
        return account
    }

    /// The hub is killed and started: nothing of what was only in memory is left.
    mutating func restart() throws { run = try Run(directory.url, clock) }

    func hook() throws -> StoredWebhook {
        let addresses = EgressPolicy(allowed: ["127.0.0.1"].compactMap { IPNetwork($0) })
        return try Webhooks(store: run.accounts.webhooks, addresses: addresses).add(
            "https://127.0.0.1:\(server.port)/in", to: OrganisationID(hospital.id), now: clock.now)
    }

    func state(_ hook: StoredWebhook) throws -> StoredWebhook {
        try #require(try run.accounts.webhooks.webhook(hook.id, of: OrganisationID(hospital.id)))
    }

    func accepted(term: ConsentTerm = .lasting(30 * 86_400_000), kinds: Set<DataKind> = [.position]) async throws -> ConsentID {
        let id = try run.consents.ask(
            ConsentAddress("ada@example.org"), by: hospital, kinds: kinds, purpose: "A study", term: term
        ).id
        try run.consents.approve(id, by: checker)
        try await run.timers.fire()
        try run.consents.answer(id, .accept, by: ada.id)
        return id
    }

    /// Stores positions of which each has its number as latitude, each in a segment of its own.
    func store(_ numbers: ClosedRange<Int>) async throws {
        let device = try #require(try run.devices.device(secret: secret))
        for number in numbers {
            let position = PositionSample(
                time: clock.now - 60_000 + Milliseconds(number), latitude: Int32(number) * 10_000_000, longitude: 0, source: .gnss)
            var reading = SenderReading()
            reading.samples.positions = [position]
            try await run.devices.receive(reading, from: device)
            clock.advance(1000)
        }
    }

    /// Runs the feeder and the deliveries until `isDone`, at most for 20 s.
    func serve(until isDone: () throws -> Bool) async throws {
        let clock = clock, run = run
        let client = try EgressClient(
            addresses: EgressPolicy(allowed: ["127.0.0.1"].compactMap { IPNetwork($0) }),
            configuration: .init(tlsConfiguration: server.trust))
        let deliveries = WebhookService(
            store: run.accounts.webhooks, client: client, logger: run.logger, now: { clock.now },
            mayLeave: { try $0.consent.map { try run.accounts.consents.access(by: $0, now: run.time.now) != nil } ?? true })
        let feeder = WebhookFeeder(accounts: run.accounts, arrivals: run.series.arrivals, bus: run.bus, logger: run.logger, time: run.time)
        let running = Task {
            async let feeding: Void = feeder.run()
            async let delivering: Void = deliveries.run()
            _ = try await (feeding, delivering)
        }
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end, try !isDone() { try await Task.sleep(for: .milliseconds(20)) }
        running.cancel()
        try await running.value
        #expect(try isDone())
    }

    // MARK: What arrived

    struct Payload: Decodable {
        struct Sample: Decodable { let lat: Double }
        let type: String
        let consent: String
        let after: String?
        let cursor: String?
        let from: Milliseconds?
        let samples: [Sample]?
    }

    /// What the organisation's server got; a number that came again counts once, as the organisation is told to do.
    func payloads() throws -> [Payload] {
        var numbers: Set<String> = []
        return try server.got.filter { numbers.insert($0.header("TrackMe-Delivery") ?? "").inserted }.map {
            try JSONDecoder().decode(Payload.self, from: Data($0.body))
        }
    }

    func latitudes() throws -> [Int] { try payloads().flatMap { $0.samples ?? [] }.map { Int($0.lat.rounded()) } }
}

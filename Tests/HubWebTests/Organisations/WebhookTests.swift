import Accounts
import AsyncHTTPClient
import Crypto
import Database
import Foundation
import HubServices
import Logging
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubStore
@testable import HubWeb

/// A hub's store with one organisation that has one webhook, and that organisation's server.
struct HookFixture {
    let directory: TemporaryDirectory
    let accounts: AccountStore
    let organisation: OrganisationID
    let server: HookServer
    let clock = ManualClock()
    var limit: Duration = .seconds(10)
    var resolve: EgressClient.Resolve = { _ in [] }
    var allowed = ["127.0.0.1"]
    var mayLeave: @Sendable (WebhookDelivery) throws -> Bool = { _ in true }

    init(names: [String] = ["127.0.0.1", "hook.test"]) async throws {
        directory = try TemporaryDirectory()
        let hub = try HubDirectory(directory.url)
        accounts = try AccountStore(hub, keys: KeyStore(hub, environment: [:]))
        let new = NewAccount(
            roles: [.organisation], details: [:], canonicalEmail: "office@example.org", canonicalIdentifier: nil, password: "",
            language: "en", accepted: [:])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: 0) else { throw HubStoreError.unknownPerson("x") }
        organisation = OrganisationID(account.id)
        server = try await HookServer(names: names)
    }

    var addresses: EgressPolicy { EgressPolicy(allowed: allowed.compactMap { IPNetwork($0) }) }

    func hook(_ host: String = "127.0.0.1", path: String = "/in") throws -> StoredWebhook {
        try Webhooks(store: accounts.webhooks, addresses: addresses).add(
            "https://\(host):\(server.port)\(path)", to: organisation, now: clock.now)
    }

    func enqueue(_ text: String, to hook: StoredWebhook) throws {
        let outcome = try accounts.webhooks.enqueue(Array(text.utf8), to: hook.id, about: nil, consent: nil, now: clock.now)
        guard case .queued = outcome else { throw HubStoreError.unknownPerson("\(outcome)") }
    }

    /// Deliveries about consents: `CONSENT NUMBER`, in turns, in one transaction.
    func enqueue(_ each: Int, about consents: [ConsentID], to hook: StoredWebhook) throws {
        try accounts.pool.write { db in
            for number in 1...each {
                for consent in consents {
                    let payload = Array("\(consent) \(number)".utf8)
                    _ = try accounts.webhooks.enqueue(payload, to: hook.id, about: nil, consent: consent, now: clock.now, db)
                }
            }
        }
    }

    func state(_ hook: StoredWebhook) throws -> StoredWebhook { try #require(try accounts.webhooks.webhook(hook.id, of: organisation)) }

    /// Runs the service until `isDone`, at most for some seconds.
    func serve(seconds: Int = 20, until isDone: () throws -> Bool) async throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let clock = clock
        let client = try EgressClient(
            addresses: addresses, configuration: .init(tlsConfiguration: server.trust), limit: limit, resolve: resolve)
        let service = WebhookService(
            store: accounts.webhooks, client: client, logger: logger, now: { clock.now }, mayLeave: mayLeave)
        let running = Task { try await service.run() }
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end, try !isDone() { try await Task.sleep(for: .milliseconds(20)) }
        running.cancel()
        try await running.value
        #expect(try isDone())
    }
}

@Suite(.serialized)
struct WebhookTests {
    @Test("CONS-5: deliveries arrive signed, in order, one at a time, and are then gone from the queue")
    func delivered() async throws {
        let hub = try await HookFixture(), hook = try hub.hook()
        for number in 1...5 { try hub.enqueue("{\"n\":\(number)}", to: hook) }
        try await hub.serve { try hub.state(hook).waiting == 0 }
        let got = hub.server.got
        #expect(got.map { String(decoding: $0.body, as: UTF8.self) } == (1...5).map { "{\"n\":\($0)}" })
        #expect(got.map { $0.header("TrackMe-Delivery") } == (1...5).map { "\($0)" })
        for request in got {
            let parts = try #require(request.header("TrackMe-Signature")).split(separator: ",")
            let seconds = String(parts[0].dropFirst(2))
            #expect(parts[0] == "t=\(hub.clock.now / 1000)" && request.header("content-type") == "application/json")
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("\(seconds).".utf8) + request.body, using: SymmetricKey(data: Data(hook.secret.utf8)))
            #expect(parts[1] == "v1=\(Hexadecimal.string(code))")
        }
        #expect(try hub.state(hook).delivered == hub.clock.now)
        #expect(hook.secret.count == 43)
        #expect(hub.server.connections == 1, "one connection serves them all")
        try await hub.server.close()
    }

    @Test("CONS-5: what fails is tried again after a pause, before what came after it; after a day it is given up and shown")
    func failing() async throws {
        let hub = try await HookFixture(), hook = try hub.hook()
        hub.server.answer(.status(500))
        for number in 1...3 { try hub.enqueue("\(number)", to: hook) }
        try await hub.serve { try hub.state(hook).failures == 1 }
        #expect(hub.server.got.count == 1)
        #expect(try hub.state(hook).error == "it answered with status 500")
        hub.clock.advance(WebhookTests.firstPause - 1)
        #expect(try hub.accounts.webhooks.dueWebhooks(9, now: hub.clock.now).isEmpty)
        hub.clock.advance(1)
        try await hub.serve { try hub.state(hook).failures == 2 }
        #expect(hub.server.got.map { $0.header("TrackMe-Delivery") } == ["1", "1"])
        hub.clock.advance(86_400_000)
        try hub.enqueue("4", to: hook)
        try await hub.serve { try hub.state(hook).dead == 3 }
        let dead = try hub.accounts.webhooks.deadDeliveries(hook.id, of: hub.organisation)
        #expect(dead.map(\.number) == [3, 2, 1] && dead.map(\.tries) == [0, 0, 3])
        #expect(dead.allSatisfy { $0.error.contains("it answered with status 500") })
        // The server is back.
        hub.server.answer(.status(200))
        hub.clock.advance(3_600_000)
        try await hub.serve { try hub.state(hook).waiting == 0 }
        let last = hub.server.got.last
        #expect(last?.header("TrackMe-Delivery") == "4")
        #expect(try hub.state(hook).failures == 0 && hub.state(hook).error == nil)
        try await hub.server.close()
    }

    private static let firstPause: Milliseconds = 5000

    @Test("CONS-5: a server that is silent, trickles or never ends holds nothing up")
    func slow() async throws {
        var hub = try await HookFixture()
        hub.limit = .milliseconds(400)
        let hook = try hub.hook(), fixture = hub
        for answer in [HookServer.Answer.silence, .trickle] {
            fixture.server.answer(answer)
            let failures = try fixture.state(hook).failures
            if failures == 0 { try fixture.enqueue("x", to: hook) }
            fixture.clock.advance(60_000)
            try await fixture.serve { try fixture.state(hook).failures == failures + 1 }
            #expect(try fixture.state(hook).error?.hasPrefix("no complete answer within") == true)
        }
        fixture.server.answer(.large)
        fixture.clock.advance(60_000)
        // This one has to come through, on however slow a machine.
        hub.limit = .seconds(10)
        let patient = hub
        try await patient.serve { try fixture.state(hook).waiting == 0 }
        try await fixture.server.close()
    }

    @Test("CONS-5: one silent webhook does not hold another up")
    func independent() async throws {
        let hub = try await HookFixture(), silent = try hub.hook(), other = try await HookServer()
        hub.server.answer(.silence)
        try hub.enqueue("x", to: silent)
        let url = "https://127.0.0.1:\(other.port)/"
        let hook = try Webhooks(store: hub.accounts.webhooks, addresses: hub.addresses).add(url, to: hub.organisation, now: 0)
        for number in 1...3 { try hub.enqueue("\(number)", to: hook) }
        // The other server's certificate is of a CA that nobody trusts: its refusal is seen while the first one hangs.
        try await hub.serve { try hub.state(hook).failures > 0 }
        #expect(try hub.state(silent).waiting == 1 && hub.state(hook).error?.hasPrefix("TLS failed") == true)
        try await other.close()
        try await hub.server.close()
    }

    @Test("CONS-5: a redirect is a failure; nobody goes where it points")
    func redirect() async throws {
        let hub = try await HookFixture(), hook = try hub.hook()
        hub.server.answer(.redirect(to: "https://127.0.0.1:\(hub.server.port)/elsewhere"))
        try hub.enqueue("x", to: hook)
        try await hub.serve { try hub.state(hook).failures == 1 }
        #expect(hub.server.got.map(\.path) == ["/in"])
        #expect(try hub.state(hook).error == "it answered with status 302")
        try await hub.server.close()
    }

    @Test("CONS-5: a hub that stops in the middle of a delivery makes it again, under the same number")
    func restart() async throws {
        let hub = try await HookFixture(), hook = try hub.hook()
        hub.server.answer(.silence)
        try hub.enqueue("1", to: hook)
        try hub.enqueue("2", to: hook)
        try await hub.serve { hub.server.got.count == 1 }
        #expect(try hub.state(hook).failures == 0 && hub.state(hook).waiting == 2)
        hub.server.answer(.status(200))
        try await hub.serve { try hub.state(hook).waiting == 0 }
        #expect(hub.server.got.map { $0.header("TrackMe-Delivery") } == ["1", "1", "2"])
        // Killed, it gives nothing back: the next start does, or the lease runs out.
        try hub.enqueue("3", to: hook)
        #expect(try hub.accounts.webhooks.claimDeliveries(9, lease: 1000, now: hub.clock.now).count == 1)
        #expect(try hub.accounts.webhooks.claimDeliveries(9, lease: 1000, now: hub.clock.now).isEmpty)
        try await hub.serve { try hub.state(hook).waiting == 0 }
        #expect(hub.server.got.last?.header("TrackMe-Delivery") == "3")
        try hub.enqueue("4", to: hook)
        _ = try hub.accounts.webhooks.claimDeliveries(9, lease: 1000, now: hub.clock.now)
        hub.clock.advance(1000)
        #expect(try hub.accounts.webhooks.claimDeliveries(9, lease: 1000, now: hub.clock.now).map(\.number) == [4])
        try await hub.server.close()
    }

    @Test(
        "CONS-5: the connection goes to the address that was checked, asked for once; a name server that changes its mind changes nothing")
    func rebinding() async throws {
        var hub = try await HookFixture()
        let lookUps = Lookups()
        // No name server knows this name: only the checked address can lead to the server. Another question would be answered otherwise.
        hub.resolve = { host in lookUps.next(host) }
        let hook = try hub.hook("hook.test"), fixture = hub
        try fixture.enqueue("x", to: hook)
        try await fixture.serve { try fixture.state(hook).waiting == 0 }
        #expect(lookUps.hosts == ["hook.test"])
        let host = fixture.server.got.first?.header("host")
        #expect(host == "hook.test:\(fixture.server.port)")
        // The second answer leads inside (the operator let 127.0.0.1 in, and nothing else): no connection is made.
        try fixture.enqueue("y", to: hook)
        try await fixture.serve { try fixture.state(hook).failures == 1 }
        #expect(fixture.server.connections == 1)
        #expect(try fixture.state(hook).error == "hook.test is not on the public Internet, so nothing is sent there")
        try await fixture.server.close()
    }

    @Test("CONS-5: TLS checks the name of the webhook, not the address to which the connection went")
    func wrongName() async throws {
        var hub = try await HookFixture(names: ["hook.test"])
        hub.resolve = { _ in [IPAddress("127.0.0.1")].compactMap { $0 } }
        let hook = try hub.hook("other.test"), fixture = hub
        try fixture.enqueue("x", to: hook)
        try await fixture.serve { try fixture.state(hook).failures == 1 }
        #expect(fixture.server.got.isEmpty)
        #expect(try fixture.state(hook).error?.hasPrefix("TLS failed") == true)
        try await fixture.server.close()
    }

    @Test("CONS-5: unless the operator allows it, nothing goes to the hub's own network: one such address among others is enough")
    func inside() async throws {
        var hub = try await HookFixture()
        hub.allowed = []
        hub.resolve = { _ in [IPAddress("93.184.215.14"), IPAddress("127.0.0.1")].compactMap { $0 } }
        let hook = try hub.hook("hook.test"), fixture = hub
        #expect(throws: Webhooks.Problem.inside) { try fixture.hook("127.0.0.1") }
        #expect(throws: Webhooks.Problem.inside) { try fixture.hook("[::1]") }
        #expect(throws: Webhooks.Problem.url(.host)) { try fixture.hook("localhost") }
        try fixture.enqueue("x", to: hook)
        try await fixture.serve { try fixture.state(hook).failures == 1 }
        #expect(fixture.server.connections == 0)
        try await fixture.server.close()
    }

    @Test("CONS-6: what must not leave any more does not leave, and holds nothing up")
    func withdrawn() async throws {
        var hub = try await HookFixture()
        hub.mayLeave = { $0.number != 1 }
        let hook = try hub.hook(), fixture = hub
        try fixture.enqueue("secret", to: hook)
        try fixture.enqueue("fine", to: hook)
        try await fixture.serve { try fixture.state(hook).waiting == 0 }
        #expect(fixture.server.got.map { String(decoding: $0.body, as: UTF8.self) } == ["fine"])
        try await fixture.server.close()
    }

    @Test("CONS-5: webhooks, their queues and payloads are bounded, and another organisation sees and removes nothing")
    func bounds() async throws {
        let hub = try await HookFixture(), hook = try hub.hook()
        for _ in 1..<WebhookStore.webhooksMax { _ = try hub.hook() }
        #expect(throws: Webhooks.Problem.tooMany) { try hub.hook() }
        let large = [UInt8](repeating: 0, count: WebhookStore.deliveryBytesMax + 1)
        #expect(try hub.accounts.webhooks.enqueue(large, to: hook.id, about: nil, consent: nil, now: 0) == .missed)
        #expect(try hub.state(hook).missed == 1)
        let other = OrganisationID(AccountID(.random()))
        #expect(try hub.accounts.webhooks.webhook(hook.id, of: other) == nil)
        #expect(try !hub.accounts.webhooks.removeWebhook(hook.id, of: other))
        try hub.enqueue("x", to: hook)
        #expect(try hub.accounts.webhooks.removeWebhook(hook.id, of: hub.organisation))
        #expect(try hub.accounts.webhooks.enqueue([1], to: hook.id, about: nil, consent: nil, now: 0) == .gone)
        #expect(try hub.accounts.webhooks.claimDeliveries(9, lease: 1, now: .max / 2).isEmpty)
        try await hub.server.close()
    }
}

/// A name server that answers the first question honestly and every other with another machine of the hub's network.
private final class Lookups: Sendable {
    private let asked = Mutex<[String]>([])
    var hosts: [String] { asked.withLock { $0 } }

    func next(_ host: String) -> [IPAddress] {
        let isFirst = asked.withLock { asked in
            asked.append(host)
            return asked.count == 1
        }
        return [IPAddress(isFirst ? "127.0.0.1" : "127.0.0.2")].compactMap { $0 }
    }
}

extension WebhookStore {
    /// The first delivery of each of so many webhooks.
    func claimDeliveries(_ count: Int, lease: Milliseconds, now: Milliseconds) throws -> [WebhookDelivery] {
        try claimDeliveries(dueWebhooks(count, now: now).map { ($0, 1) }, lease: lease, now: now).flatMap(\.deliveries)
    }
}

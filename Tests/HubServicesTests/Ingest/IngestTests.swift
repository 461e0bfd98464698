import Crypto
import Foundation
import HubServices
import HubStore
import JWTKit
import Logging
import Privacy
import Seams
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

/// The hub's services over a real store, and an agent made by hand.
struct ServicesFixture {
    let directory: TemporaryDirectory
    let files: HubDirectory
    let keys: KeyStore
    let clock: ManualClock
    let accounts: AccountStore
    let series: SeriesStore
    let authenticator: Authenticator
    let ingest: Ingest
    let bus = LiveBus()
    let person: PersonID
    static let endpoint = "https://hub.example/oauth2/token"

    init(
        _ directory: TemporaryDirectory? = nil, person: PersonID? = nil, clock: ManualClock = ManualClock(),
        databases: HubDirectory.Databases = .files, machine: Machine = .system
    ) throws {
        self.directory = try directory ?? TemporaryDirectory()
        self.clock = clock
        files = try HubDirectory(self.directory.url, databases: databases)
        keys = try KeyStore(files, environment: [:], machine: machine)
        accounts = try AccountStore(files, keys: keys)
        series = try SeriesStore(files, accounts: accounts, keys: keys)
        authenticator = Authenticator(agents: accounts.agents)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        ingest = try Ingest(
            authenticator: authenticator, accounts: accounts, series: series, bus: bus, logger: logger, now: { clock.now })
        self.person = try person ?? accounts.addPerson(name: "Made up", now: 0).id
    }

    struct Box {
        let id: AgentID
        let key: P256.Signing.PrivateKey
        var token: String
    }

    /// - Parameter people: nil for the fixture's own.
    func enrol(_ people: [PersonID]? = nil) async throws -> Box {
        let enrolment = Enrolment(accounts: accounts)
        let code = try enrolment.makeCode(for: people ?? [person], now: clock.now)
        let key = P256.Signing.PrivateKey()
        let answer = try enrolment.enrol(
            EnrolmentRequest(code: code, publicKey: Hexadecimal.string(key.publicKey.x963Representation), name: "box"), now: clock.now)
        let token = try await self.token(answer.agent, key, predecessor: nil)
        return Box(id: answer.agent, key: key, token: token.accessToken)
    }

    struct Claims: JWTPayload {
        var iss: IssuerClaim
        var sub: SubjectClaim
        var aud: AudienceClaim
        var exp: ExpirationClaim
        var jti: IDClaim
        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    func assertion(
        _ agent: AgentID, _ key: P256.Signing.PrivateKey, audience: String = endpoint, lifetime: Milliseconds = 60_000,
        jti: String = UUID().uuidString
    ) async throws -> String {
        let claims = Claims(
            iss: .init(value: agent.description), sub: .init(value: agent.description), aud: .init(value: [audience]),
            exp: .init(value: Date(timeIntervalSince1970: Double(clock.now + lifetime) / 1000)), jti: .init(value: jti))
        let keys = try await JWTKeyCollection().add(ecdsa: ECDSA.PrivateKey<P256>(backing: key))
        return try await keys.sign(claims)
    }

    func token(_ agent: AgentID, _ key: P256.Signing.PrivateKey, predecessor: String?, assertion: String? = nil) async throws -> TokenAnswer
    {
        let signed: String
        if let assertion { signed = assertion } else { signed = try await self.assertion(agent, key) }
        var form = [
            TokenField.grantType: TokenField.clientCredentials, TokenField.assertionType: TokenField.jwtBearer,
            TokenField.assertion: signed,
        ]
        form[TokenField.predecessor] = predecessor
        return try await authenticator.token(form, endpoint: Self.endpoint, now: clock.now)
    }

    func send(_ segments: [[UInt8]], token: String) async throws -> SyncAnswer {
        let body = try SegmentBatch.encode(segments)
        let batch = try body.withUnsafeBytes { try ingest.receive(session: ingest.session(bearer: token), body: $0) }
        return try JSONDecoder().decode(WireForm<SyncAnswer>.self, from: Data(try await ingest.commit(batch))).message
    }

    func segment(
        _ sequence: UInt64, stream: StreamID, person: PersonID? = nil, rate: UInt16 = 120, provenance: Provenance = .live,
        latitude: Int32 = 454_000_000, time: Milliseconds? = nil
    ) -> [UInt8] {
        let time = time ?? clock.now + Milliseconds(sequence) * 1000
        return Segment(
            stream: stream, sequence: sequence, person: person ?? self.person, provenance: provenance, clock: .wall,
            samples: SampleSet(
                heartRates: [HeartRateSample(time: time, beatsPerMinute: rate)],
                positions: [PositionSample(time: time, latitude: latitude, longitude: 90_000_000)])
        ).encoded()
    }

    func stored() throws -> Reading {
        try #require(try series.reader.read(.maintenance(of: person), from: .min / 2, to: .max / 2, now: 0))
    }
}

struct IngestTests {
    @Test("EDGE-6: what is sent twice is stored once, in one request, in two, merged, and after a restart of the hub")
    func exactlyOnce() async throws {
        var hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random()
        let first = hub.segment(1, stream: stream), second = hub.segment(2, stream: stream)
        var answer = try await hub.send([first, first, second], token: box.token)
        #expect(answer.streams.map(\.received) == [[[1, 2]]])
        _ = try await hub.send([second], token: box.token)
        try hub.series.merger.merge(now: hub.clock.now)
        _ = try await hub.send([first], token: box.token)
        hub = try ServicesFixture(hub.directory, person: hub.person, clock: hub.clock)
        answer = try await hub.send([second, first, hub.segment(4, stream: stream)], token: box.token)
        #expect(answer.streams.map(\.received) == [[[1, 2], [4, 4]]])
        #expect(answer.streams.allSatisfy { $0.forked == nil && $0.refused == nil })
        #expect(try hub.stored().heartRates.count == 3)
        #expect(try hub.stored().positions.count == 3)
    }

    @Test("EDGE-6: other bytes under a known sequence are a fork: told, and not stored over what is there", arguments: [false, true])
    func fork(merged: Bool) async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random()
        _ = try await hub.send([hub.segment(1, stream: stream, rate: 100)], token: box.token)
        if merged { try hub.series.merger.merge(now: hub.clock.now) }
        let answer = try await hub.send(
            [hub.segment(1, stream: stream, rate: 180), hub.segment(2, stream: stream)], token: box.token)
        #expect(answer.streams.first?.forked == [1])
        #expect(answer.streams.first?.received == [[1, 2]])
        #expect(try hub.stored().heartRates.map(\.beatsPerMinute) == [100, 120])
        // The forked one comes again under a stream of its own, and both are kept.
        _ = try await hub.send([hub.segment(1, stream: .random(), rate: 180, time: hub.clock.now + 90_000)], token: box.token)
        #expect(try hub.stored().heartRates.count == 3)
    }

    @Test("EDGE-14: no agent writes to another agent's stream, and no stream changes its provenance")
    func foreignStream() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), other = try await hub.enrol(), stream = StreamID.random()
        _ = try await hub.send([hub.segment(1, stream: stream)], token: box.token)
        #expect(try await hub.send([hub.segment(2, stream: stream)], token: other.token).streams.first?.forked == [2])
        #expect(
            try await hub.send([hub.segment(3, stream: stream, provenance: .replay)], token: box.token).streams.first?.forked == [3])
        #expect(try hub.stored().heartRates.count == 1)
    }

    @Test("DATA-3: what cannot be is refused with a reason, and the rest of the batch is stored")
    func refusals() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random()
        var broken = hub.segment(6, stream: stream)
        broken[broken.count - 1] ^= 1
        let answer = try await hub.send(
            [
                hub.segment(1, stream: stream), hub.segment(2, stream: stream, rate: 301),
                hub.segment(3, stream: stream, latitude: 900_000_001), hub.segment(4, stream: stream, time: hub.clock.now + 90_000_000),
                hub.segment(5, stream: stream, person: .random()), broken, hub.segment(7, stream: stream, time: 0),
            ], token: box.token)
        let state = try #require(answer.streams.first)
        #expect(answer.streams.count == 1)
        #expect(state.received == [[1, 1]])
        let reasons = Dictionary(uniqueKeysWithValues: (state.refused ?? []).map { ($0.sequence, $0.reason) })
        #expect(reasons == [2: .range, 3: .range, 4: .time, 5: .notBound, 6: .malformed, 7: .time])
        #expect(state.refused?.allSatisfy { !$0.detail.isEmpty } == true)
        #expect(try hub.stored().heartRates.count == 1)
    }

    @Test("DATA-3: segments that are made to hurt are refused: too many records, times that no clock shows, nothing in them")
    func hostile() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random(), now = hub.clock.now
        func encoded(_ sequence: UInt64, _ samples: SampleSet, clock: ClockDomain = .wall) -> [UInt8] {
            Segment(stream: stream, sequence: sequence, person: hub.person, provenance: .live, clock: clock, samples: samples).encoded()
        }
        let gaps = (0..<60_000).map { GapRecord(time: now, sequences: UInt64($0) * 2...UInt64($0) * 2, reason: .diskFull) }
        let clocks = (0..<2000).map { ClockRecord(time: Int64($0), utc: now, uncertainty: 1, source: .gnss) }
        var unknown = Segment(
            stream: stream, sequence: 3, person: hub.person, provenance: .live, clock: .wall,
            samples: SampleSet(unknown: [UnknownColumn(kind: 200, count: 1, bytes: [1])]))
        unknown.header.firstTime = .min
        unknown.header.lastTime = .min
        let answer = try await hub.send(
            [
                encoded(1, SampleSet(gaps: gaps)), encoded(2, SampleSet(clocks: clocks), clock: .boottime(boot: .random(), counter: 1)),
                unknown.encoded(), encoded(4, SampleSet()), hub.segment(5, stream: stream),
            ], token: box.token)
        #expect(answer.streams.first?.refused?.map(\.sequence).sorted() == [1, 2, 3, 4])
        #expect(answer.streams.first?.received == [[5, 5]])
    }

    @Test("DATA-3: a segment without a readable header is left out, and holds nothing up")
    func unreadable() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random()
        var broken = hub.segment(1, stream: stream)
        broken[0] ^= 0xFF
        let answer = try await hub.send([broken, hub.segment(2, stream: stream)], token: box.token)
        #expect(answer.streams.map(\.received) == [[[2, 2]]])
        #expect(try hub.stored().heartRates.count == 1)
    }

    @Test("DATA-3: a body that is no batch is refused as a whole")
    func garbage() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol()
        for body in [[1], [255, 255, 255, 255, 0], [9, 0, 0, 0, 1, 2, 3, 4]] as [[UInt8]] {
            #expect(throws: ErrorAnswer.self) {
                try body.withUnsafeBytes { try hub.ingest.receive(session: hub.ingest.session(bearer: box.token), body: $0) }
            }
        }
        #expect(throws: Authenticator.Refusal.invalidToken) {
            try hub.ingest.session(bearer: "no")
        }
    }

    @Test("EDGE-6: while somebody watches, agents are asked to send on arrival, and the watcher gets what is stored")
    func cadence() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random()
        #expect(try await hub.send([hub.segment(1, stream: stream)], token: box.token).cadence == .interval)
        var watch: LiveWatch? = hub.bus.watch(hub.person)
        #expect(try await hub.send([hub.segment(2, stream: stream, rate: 99)], token: box.token).cadence == .arrival)
        var iterator = watch?.signals.makeAsyncIterator()
        guard case .update(let update) = await iterator?.next() else {
            Issue.record("no update")
            return
        }
        #expect(update.samples.heartRates.map(\.beatsPerMinute) == [99])
        iterator = nil
        watch = nil
        #expect(try await hub.send([hub.segment(3, stream: stream)], token: box.token).cadence == .interval)
    }
}

struct LiveBusTests {
    @Test("DATA-14: a watcher that cannot keep up is told that it missed something, and nobody waits for it")
    func slowWatcher() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random()
        let watch = hub.bus.watch(hub.person)
        let count = UInt64(LiveBus.waitingMax) + 20
        for sequence in 1...count { _ = try await hub.send([hub.segment(sequence, stream: stream)], token: box.token) }
        var iterator = watch.signals.makeAsyncIterator()
        var updates = 0
        for _ in 0..<LiveBus.waitingMax {
            if case .update = await iterator.next() { updates += 1 }
        }
        #expect(updates == LiveBus.waitingMax)
        _ = try await hub.send([hub.segment(count + 1, stream: stream)], token: box.token)
        #expect(await iterator.next() == .missed)
        guard case .update = await iterator.next() else {
            Issue.record("the update after the gap is missing")
            return
        }
    }
}

struct AuthenticatorTests {
    @Test("EDGE-14: an enrolment code works once, for ten minutes")
    func code() throws {
        let hub = try ServicesFixture()
        let enrolment = Enrolment(accounts: hub.accounts)
        func request(_ code: String) -> EnrolmentRequest {
            EnrolmentRequest(
                code: code, publicKey: Hexadecimal.string(P256.Signing.PrivateKey().publicKey.x963Representation), name: "box")
        }
        let code = try enrolment.makeCode(for: [hub.person], now: hub.clock.now)
        #expect(code.count == 8)
        #expect(throws: ErrorAnswer.self) { try enrolment.enrol(request("AAAAAAAA"), now: hub.clock.now) }
        let typed = code.lowercased().prefix(4) + " - " + code.lowercased().suffix(4)
        #expect(try enrolment.enrol(request(String(typed)), now: hub.clock.now).persons.map(\.person) == [hub.person])
        #expect(throws: ErrorAnswer.self) { try enrolment.enrol(request(code), now: hub.clock.now) }
        let late = try enrolment.makeCode(for: [hub.person], now: hub.clock.now)
        #expect(throws: ErrorAnswer.self) { try enrolment.enrol(request(late), now: hub.clock.now + 600_000) }
    }

    @Test("EDGE-14: a token is only given for an assertion by the enrolled key, for this endpoint, in time, once")
    func assertions() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol()
        func refused(_ assertion: String) async {
            await #expect(throws: ErrorAnswer.self) {
                try await hub.token(box.id, box.key, predecessor: box.token, assertion: assertion)
            }
        }
        await refused(try await hub.assertion(box.id, P256.Signing.PrivateKey()))
        await refused(try await hub.assertion(box.id, box.key, audience: "https://hub.example/other"))
        await refused(try await hub.assertion(box.id, box.key, lifetime: -4_000_000))
        await refused(try await hub.assertion(.random(), box.key))
        await refused("garbage")
        let once = try await hub.assertion(box.id, box.key)
        _ = try await hub.token(box.id, box.key, predecessor: box.token, assertion: once)
        await refused(once)
    }

    @Test("EDGE-14: a revoked agent is refused at its next request, a running hub's memory included")
    func revoked() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol()
        _ = try await hub.send([hub.segment(1, stream: .random())], token: box.token)
        try hub.authenticator.refresh()
        // Another process, as the operator's command is.
        let beside = try HubDirectory(hub.directory.url)
        #expect(try AccountStore(beside, keys: KeyStore(beside, environment: [:])).agents.revokeAgent(box.id, now: hub.clock.now))
        try hub.authenticator.refresh()
        await #expect(throws: Authenticator.Refusal.revoked) {
            try await hub.send([hub.segment(2, stream: .random())], token: box.token)
        }
        await #expect(throws: Authenticator.Refusal.revoked) { try await hub.token(box.id, box.key, predecessor: box.token) }
    }

    @Test("EDGE-14: a token expires, its successor does not need it to be valid, and a copied card is seen and counted")
    func chain() async throws {
        let hub = try ServicesFixture()
        let box = try await hub.enrol(), stream = StreamID.random()
        _ = try await hub.send([hub.segment(1, stream: stream)], token: box.token)
        hub.clock.advance(Milliseconds(Authenticator.tokenLifetime) * 1000)
        await #expect(throws: Authenticator.Refusal.expiredToken) {
            try await hub.send([hub.segment(2, stream: stream)], token: box.token)
        }
        let next = try await hub.token(box.id, box.key, predecessor: box.token)
        #expect(next.newStream == nil)
        _ = try await hub.send([hub.segment(2, stream: stream)], token: next.accessToken)
        await #expect(throws: Authenticator.Refusal.invalidToken) {
            try await hub.send([hub.segment(3, stream: stream)], token: box.token)
        }
        // A copy of the card still has the first token.
        let copy = try await hub.token(box.id, box.key, predecessor: box.token)
        #expect(copy.newStream == true)
        _ = try await hub.send([hub.segment(1, stream: .random())], token: copy.accessToken)
        _ = try await hub.send([hub.segment(3, stream: stream)], token: next.accessToken)
        #expect(try hub.accounts.agents.agents().map(\.copiesSeen) == [1])
    }
}

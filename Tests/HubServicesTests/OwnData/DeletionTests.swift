import Accounts
import Crypto
import Database
import Foundation
import Logging
import Privacy
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// The services for a person's own data, over the store of a hub.
struct OwnDataFixture {
    let hub: ServicesFixture
    let audit: AuditLog
    let deletion: Deletion
    let logger: Logger

    init(_ hub: ServicesFixture? = nil, sos: SOSStore? = nil, runs: RunsStore? = nil) throws {
        self.hub = try hub ?? ServicesFixture()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        self.logger = logger
        audit = try AuditLog(self.hub.files, accounts: self.hub.accounts, environment: [:])
        deletion = Deletion(accounts: self.hub.accounts, series: self.hub.series, audit: audit, sos: sos, runs: runs, logger: logger)
    }

    func addAccount(email: String, confirmed: Bool = true) throws -> StoredAccount {
        let new = NewAccount(
            roles: [.person], details: [Field.firstName.rawValue: "Made", Field.email.rawValue: email], canonicalEmail: email,
            canonicalIdentifier: nil, password: "x", language: "en", accepted: [.terms: "1"])
        let added =
            try confirmed
            ? hub.accounts.addConfirmedAccount(new, now: hub.clock.now)
            : hub.accounts.addAccount(new, linkHash: [1], linkExpires: .max, now: hub.clock.now)
        guard case .added(let account) = added else { throw HubStoreError.unknownPerson(email) }
        return account
    }
}

@Suite("DeletionServiceTests")
struct DeletionServiceTests {
    @Test("DATA-10: a deleted person's box is told so for good, with its token and without a binding; the gateway's other person goes on")
    func refused() async throws {
        let own = try OwnDataFixture(), hub = own.hub
        let other = try hub.accounts.addPerson(name: "Other", now: 0).id
        let enrolment = Enrolment(accounts: hub.accounts), key = P256.Signing.PrivateKey()
        let agent = try enrolment.enrol(
            EnrolmentRequest(
                code: enrolment.makeCode(for: [hub.person, other], now: hub.clock.now),
                publicKey: Hexadecimal.string(key.publicKey.x963Representation), name: "gateway"), now: hub.clock.now
        ).agent
        var token = try await hub.token(agent, key, predecessor: nil).accessToken
        let stream = StreamID.random()
        _ = try await hub.send([hub.segment(1, stream: stream), hub.segment(2, stream: stream, person: other)], token: token)

        try own.deletion.deletePerson(hub.person, by: AccountID(hub.person), now: hub.clock.now)
        for round in 0..<3 as Range<UInt64> {
            let sequence = 10 + 2 * round
            let answer = try await hub.send(
                [hub.segment(sequence, stream: stream), hub.segment(sequence + 1, stream: stream, person: other)], token: token)
            let state = try #require(answer.streams.first)
            #expect(state.refused?.map(\.reason) == [.deleted] && state.refused?.map(\.sequence) == [sequence], "round \(round)")
            #expect(state.receivedSet?.contains(sequence + 1) == true, "round \(round)")
            if round == 0 { try own.deletion.work(now: hub.clock.now) }
            // The third time the box has a new session, in which the person is not bound to it any more.
            if round == 1 { token = try await hub.token(agent, key, predecessor: token).accessToken }
        }
        #expect(try hub.series.reader.read(.maintenance(of: hub.person), from: .min / 2, to: .max / 2, now: 0) == nil)
        let left = try #require(try hub.series.reader.read(.maintenance(of: other), from: .min / 2, to: .max / 2, now: 0))
        #expect(left.heartRates.count == 4)
        #expect(try own.audit.verify().rows == 2)
    }

    @Test("DATA-10: what stood in the accounts' rows of a deleted person stands in no file any more, the log included")
    func overwritten() async throws {
        let own = try OwnDataFixture(), hub = own.hub, name = "Kiste-der-Ada-4711"
        let code = try Enrolment(accounts: hub.accounts).makeCode(for: [hub.person], now: hub.clock.now)
        let key = Hexadecimal.string(P256.Signing.PrivateKey().publicKey.x963Representation)
        _ = try Enrolment(accounts: hub.accounts).enrol(EnrolmentRequest(code: code, publicKey: key, name: name), now: hub.clock.now)
        func holds() throws -> Bool {
            try FileManager.default.contentsOfDirectory(at: hub.directory.url, includingPropertiesForKeys: nil)
                .filter { $0.lastPathComponent.hasPrefix("accounts") }
                .contains { try Data(contentsOf: $0).range(of: Data(name.utf8)) != nil }
        }
        #expect(try !holds(), "it is sealed")
        // As a hub of before stored it.
        try hub.accounts.pool.write { try $0.execute(sql: "UPDATE agent SET name = ?", arguments: [name]) }
        #expect(try holds())
        try own.deletion.deletePerson(hub.person, by: AccountID(hub.person), now: hub.clock.now)
        try own.deletion.work(now: hub.clock.now)
        #expect(try !holds())
    }

    @Test("DATA-10: whatever moment the hub is killed in, the next start clears what is left of the deleted")
    func killed() async throws {
        var own = try OwnDataFixture()
        let box = try await own.hub.enrol()
        _ = try await own.hub.send([own.hub.segment(1, stream: .random())], token: box.token)
        try own.hub.series.merger.merge(now: 1)
        // The key is destroyed, and nothing else happened.
        try own.hub.accounts.deletePerson(own.hub.person, now: 2)
        own = try OwnDataFixture(ServicesFixture(own.hub.directory, person: own.hub.person, clock: own.hub.clock))
        #expect(try own.hub.series.erasure.deletedWithBlocks() == [own.hub.person])
        try own.deletion.work(now: 3)
        #expect(try own.hub.series.erasure.deletedWithBlocks().isEmpty && own.hub.accounts.deletedWithRows().isEmpty)
        #expect(own.hub.series.merger.backlog.segments == 0)
    }

    @Test("DATA-10: a part is cleared by the next round of work, and the account goes on")
    func part() async throws {
        let own = try OwnDataFixture(), hub = own.hub
        let box = try await hub.enrol(), stream = StreamID.random()
        _ = try await hub.send((1...20).map { hub.segment($0, stream: stream) }, token: box.token)
        try own.deletion.work(now: hub.clock.now)
        let span = hub.clock.now + 5000...hub.clock.now + 8000
        let part = try own.deletion.deletePart(
            of: hub.person, kinds: [.heartRate], span: span, by: AccountID(hub.person), now: hub.clock.now)
        #expect(try hub.stored().heartRates.count == 20)
        try own.deletion.work(now: hub.clock.now)
        let progress = try hub.series.erasure.progress(of: part)
        #expect(progress?.removed == 4 && progress?.finished == hub.clock.now)
        #expect(try hub.stored().heartRates.count == 16)
        #expect(try hub.stored().positions.count == 20)
        #expect(try await hub.send([hub.segment(21, stream: stream)], token: box.token).streams.first?.refused == nil)
        #expect(throws: HubStoreError.self) {
            try own.deletion.deletePart(of: .random(), kinds: [.heartRate], span: span, by: nil, now: hub.clock.now)
        }
    }

    @Test("DATA-10: an account without data, and an organisation's, are deleted the same way")
    func account() throws {
        let own = try OwnDataFixture()
        let account = try own.addAccount(email: "made@example.org")
        try own.deletion.deletePerson(account.id.person, by: account.id, now: 5)
        #expect(try own.hub.accounts.account(email: "made@example.org") == nil)
        try own.deletion.work(now: 6)
        #expect(try own.hub.accounts.deletedWithRows().isEmpty)
        // The address is free again, for another account.
        #expect(try own.addAccount(email: "made@example.org").id != account.id)
    }

    @Test("ACC-5: an account that nobody confirmed within a day is forgotten")
    func unconfirmed() throws {
        let own = try OwnDataFixture(), hub = own.hub
        let waiting = try own.addAccount(email: "waiting@example.org", confirmed: false)
        let confirmed = try own.addAccount(email: "confirmed@example.org")
        let maintenance = Maintenance(
            accounts: hub.accounts, merger: hub.series.merger, rollups: hub.series.rollups, authenticator: hub.authenticator,
            deletion: own.deletion,
            quota: Quota(accounts: hub.accounts, space: hub.series.space, audit: own.audit), audit: own.audit, logger: own.logger,
            now: { hub.clock.now })
        hub.clock.advance(86_400_000)
        try maintenance.forget()
        #expect(try hub.accounts.account(waiting.id) != nil)
        hub.clock.advance(1)
        try maintenance.forget()
        #expect(try hub.accounts.account(waiting.id) == nil)
        // In backups, too.
        #expect(try hub.accounts.isDeleted(waiting.id.person))
        #expect(try !hub.accounts.isDeleted(confirmed.id.person))
        #expect(try hub.accounts.account(confirmed.id) != nil)
    }

    @Test("DATA-8: who is over the space is told by mail, once a week, while data goes on")
    func quota() async throws {
        let own = try OwnDataFixture(), hub = own.hub
        let account = try own.addAccount(email: "made@example.org")
        let stream = StreamID.random()
        let rows = try hub.series.streams([.init(stream: stream, agent: 1, provenance: .live)], now: 0)
        let row = try #require(rows[stream]?.row), key = SeriesStore.ClockKey(stream: row, domain: .recorded)
        let clock = try #require(try hub.series.clocks([key])[key]), person = try #require(try hub.accounts.row(of: account.id.person))
        var sequence: UInt64 = 0
        func addHour() throws {
            let start = hub.clock.now + Milliseconds(sequence) * 3_600_000
            let segment = Segment(
                stream: stream, sequence: sequence, person: account.id.person, provenance: .live, clock: .recorded,
                samples: SampleSet(
                    heartRates: (0..<3600).map { HeartRateSample(time: start + $0 * 1000, beatsPerMinute: UInt16(60 + $0 * 7 % 31)) }))
            let sealed = try segment.encoded().withUnsafeBytes {
                try hub.series.seal($0, person: account.id.person, stream: row, sequence: sequence)
            }
            try hub.series.append(
                [
                    JournalFrame(
                        person: person, stream: row, clock: clock, sequence: sequence, fingerprint: sequence,
                        first: segment.header.firstTime, last: segment.header.lastTime, hasClocks: false, gaps: [],
                        envelope: try #require(sealed))
                ], clocks: [], now: hub.clock.now)
            try hub.series.merger.merge(now: hub.clock.now)
            sequence += 1
            try hub.series.rollups.build(before: hub.clock.now + Milliseconds(sequence) * 3_600_000)
        }
        for _ in 0..<4 { try addHour() }
        let quota = Quota(
            accounts: hub.accounts, space: hub.series.space, audit: own.audit, bytesMax: try hub.series.space.bytes(of: account.id.person))
        #expect(try quota.enforce(now: 0).isEmpty)
        var until: [Milliseconds] = []
        for (time, mails) in [(0, 1), (6 * 86_400_000, 1), (7 * 86_400_000, 2)] as [(Milliseconds, Int)] {
            try addHour()
            until += try quota.enforce(now: time).map(\.until)
            #expect(try hub.series.space.bytes(of: account.id.person) <= quota.bytesMax)
            #expect(try hub.accounts.notices.dueMails(100, lease: 0, now: .max / 2).count == mails)
        }
        let mail = try #require(try hub.accounts.notices.dueMails(1, lease: 1, now: .max / 2).first)
        #expect(mail.kind == "quota.reached" && mail.arguments["bytes"] == String(quota.bytesMax))
        // What goes is the oldest hours, whole.
        #expect(until.count == 3 && until.allSatisfy { ($0 - hub.clock.now) % 3_600_000 == 3_599_000 })
        #expect(mail.arguments["until"] == until.first.map { String($0) })
    }
}

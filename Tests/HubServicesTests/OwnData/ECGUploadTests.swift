import Accounts
import Database
import Exchange
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

@Suite struct ECGUploadTests {
    private static let rome = TimeZone(identifier: "Europe/Rome")
    private static let apple = Array(MadeECG.apple(date: "2020-03-02 09:12:18 +0100").utf8)
    private static let taken: Milliseconds = 1_583_136_738_000

    private static func upload(_ own: OwnDataFixture, space: Int = 10_000_000) -> ECGUpload {
        let clock = own.hub.clock
        return ECGUpload(store: ECGStore(own.hub.series), audit: own.audit, space: space, now: { clock.now })
    }

    private static func rows(_ own: OwnDataFixture) throws -> Int { Int(try own.audit.verify().rows) }

    /// What the audit log says last, the newest first.
    private static func actions(_ own: OwnDataFixture, _ count: Int) throws -> [String] {
        try own.audit.pool.read {
            try $0.fetchAll(String.self, sql: "SELECT action FROM audit ORDER BY id DESC LIMIT ?", arguments: [count])
        }
    }

    private static func strips(_ own: OwnDataFixture) throws -> [StoredECG] {
        try #require(try ECGStore(own.hub.series).strips(.maintenance(of: own.hub.person), now: 0))
    }

    @Test("DATA-2: an uploaded ECG is stored with who uploaded it, and stands in the audit log; the same file again is stored once")
    func stores() async throws {
        let own = try OwnDataFixture(), zone = try #require(Self.rome), parent = AccountID(PersonID.random()), before = try Self.rows(own)
        let report = try await Self.upload(own).take(Self.apple, of: own.hub.person, by: parent, zone: zone)
        #expect(report.storedCount == 1 && report.format == .apple && report.strips.map(\.time) == [Self.taken])
        #expect(try Self.rows(own) == before + 1)
        let again = try await Self.upload(own).take(Self.apple, of: own.hub.person, by: parent, zone: zone)
        #expect(again.storedCount == 0 && again.strips.count == 1)
        #expect(try Self.rows(own) == before + 3 && Self.actions(own, 3) == ["ecg.known", "ecg.uploaded", "ecg.uploaded"])
        let stored = try Self.strips(own)
        #expect(stored.count == 1 && stored[0].head.uploader == parent.description && stored[0].head.said == "Sinus Rhythm")
    }

    @Test("DATA-8, DATA-3: what does not fit, begins in the future or cannot be read is told, and not stored")
    func refuses() async throws {
        let own = try OwnDataFixture(), zone = try #require(Self.rome), person = own.hub.person
        let full = try await Self.upload(own, space: 1000).take(Self.apple, of: person, by: AccountID(person), zone: zone)
        #expect(full.storedCount == 0 && full.strips.map(\.outcome) == [.stored(.noSpace(used: 0, max: 500))])
        #expect(try Self.actions(own, 2) == ["ecg.refused", "ecg.uploaded"])
        let late = Array(MadeECG.apple(date: "2999-03-02 09:12:18 +0100").utf8)
        #expect(try await Self.upload(own).take(late, of: person, by: AccountID(person), zone: zone).strips.map(\.outcome) == [.future])
        await #expect(throws: ECGProblem.self) {
            try await Self.upload(own).take([1, 2, 3], of: person, by: AccountID(person), zone: zone)
        }
        #expect(try Self.strips(own).isEmpty)
    }

    @Test("DATA-2, DATA-14: a time without a zone is taken in the uploader's; one that no clock there ever showed is refused")
    func zones() async throws {
        let zone = try #require(Self.rome)
        // 09:12:18 on a clock in Rome, in winter and in summer.
        let summer: Milliseconds = 1_593_673_938_000, first: Milliseconds = 1_603_585_800_000
        #expect(ECGUpload.utc(Self.taken + 3_600_000, in: zone) == Self.taken)
        #expect(ECGUpload.utc(1_593_681_138_000, in: zone) == summer)
        // 02:30 on 29 March 2020 was left out; 02:30 on 25 October 2020 was shown twice.
        #expect(ECGUpload.utc(1_585_449_000_000, in: zone) == nil)
        #expect(ECGUpload.utc(1_603_593_000_000, in: zone) == first)
        let own = try OwnDataFixture(), records = (0..<5).map { _ in MadeECG.curve(250, hertz: 250).map { Int16($0) } }
        let file = MadeECG.edf([.init("ECG I", records)], date: "02.03.20")
        let report = try await Self.upload(own).take(file, of: own.hub.person, by: AccountID(own.hub.person), zone: zone)
        #expect(report.isLocal && report.strips.map(\.time) == [Self.taken] && report.storedCount == 1)
    }

    @Test("DATA-10: one strip is deleted at once and stays deleted when the series come from a backup; then parts and the person")
    func deletes() async throws {
        let own = try OwnDataFixture(), zone = try #require(Self.rome), person = own.hub.person, me = AccountID(person),
            now = own.hub.clock.now
        for second in [18, 48] {
            let file = Array(MadeECG.apple(date: "2020-03-02 09:12:\(second) +0100").utf8)
            _ = try await Self.upload(own).take(file, of: person, by: me, zone: zone)
        }
        let ids = try Self.strips(own).map(\.id)
        #expect(
            try own.deletion.deleteECG(ids[0], of: person, by: me, now: now)
                && !own.deletion.deleteECG(ids[0], of: person, by: me, now: now))
        #expect(try Self.strips(own).map(\.id) == [ids[1]])
        // As a backup from before brings it back: the deletion is listed with the keys, and not done there.
        let file = Array(MadeECG.apple(date: "2020-03-02 09:12:48 +0100").utf8)
        _ = try await Self.upload(own).take(file, of: person, by: me, zone: zone)
        #expect(try Self.strips(own).count == 2)
        try own.deletion.work(now: now)
        #expect(try Self.strips(own).map(\.id) == [ids[1]])
        _ = try own.deletion.deletePart(of: person, kinds: [.heartRate], span: 0...(.max / 2), by: me, now: now)
        try own.deletion.work(now: now)
        #expect(try Self.strips(own).count == 1)
        _ = try own.deletion.deletePart(of: person, kinds: [.ecg], span: 0...(.max / 2), by: me, now: now)
        try own.deletion.work(now: now)
        #expect(try Self.strips(own).isEmpty)
        _ = try await Self.upload(own).take(file, of: person, by: me, zone: zone)
        try own.deletion.deletePerson(person, by: nil, now: now)
        try own.deletion.work(now: now)
        #expect(try ECGStore(own.hub.series).deletedWithStrips().isEmpty)
        await #expect(throws: HubStoreError.self) { try await Self.upload(own).take(file, of: person, by: me, zone: zone) }
    }
}

@Suite struct ECGConsentTests {
    private static func add(_ hub: ConsentFixture, at time: Milliseconds) throws -> ECGID {
        let lead = ECGStrip.Lead(name: .init("I"), values: MadeECG.curve(600, hertz: 500).map { $0 })
        let strip = try ECGStrip(time: time, millihertz: 500_000, leads: [lead])
        let outcome = try ECGStore(hub.hub.series).add(strip, of: hub.person, by: hub.ada.id, bytesMax: .max, now: hub.clock.now)
        guard case .stored(let id) = outcome else { throw CocoaError(.fileWriteUnknown) }
        return id
    }

    private static func reads(_ hub: ConsentFixture, _ id: ConsentID) throws -> Int {
        try hub.consents.ledger(of: hub.person, for: hub.ada.id, consent: id).entries.filter { $0.what == .read }.count
    }

    @Test("CONS-4, DATA-12: only a consent that names ECG reads strips; each read is in the ledger first, and none of a consent without it")
    func asked() async throws {
        let hub = try ConsentFixture(), strip = try Self.add(hub, at: hub.clock.now - 1000)
        let others = try await hub.accepted(kinds: Set(DataKind.allCases).subtracting([.ecg]))
        #expect(try hub.consents.strips(others, as: hub.asker, for: nil) == nil)
        #expect(try hub.consents.strip(strip, others, as: hub.asker, for: nil) == nil && Self.reads(hub, others) == 0)
        // Such a grant reads no strip, whoever hands it to the store, and no read of it is written down.
        let grant = try #require(try hub.accounts.consents.grant(by: others, to: hub.asker, now: hub.clock.now)), now = hub.clock.now
        let store = ECGStore(hub.hub.series)
        #expect(try store.strips(grant, now: now) == nil && store.strip(strip, grant, now: now) == nil)
        let reading = ECGReading(ledger: hub.accounts.ledger, store: ECGStore(hub.hub.series)) { now }
        #expect(try reading.strips(grant) == nil && reading.strip(strip, grant) == nil && Self.reads(hub, others) == 0)
        let id = try await hub.accepted(kinds: [.ecg])
        #expect(try Self.reads(hub, id) == 0)
        #expect(try hub.consents.strips(id, as: hub.asker, for: nil)?.map(\.id) == [strip])
        #expect(try Self.reads(hub, id) == 1)
        #expect(try hub.consents.strip(strip, id, as: hub.asker, for: nil)?.strip.count == 600)
        #expect(try hub.consents.strips(id, as: hub.asker, for: ServiceID.random()) == nil)
        let rival = try ConsentFixture.add("rival@example.org", [.organisation], to: hub.accounts)
        #expect(try hub.consents.strips(id, as: .organisation(OrganisationID(rival.id)), for: nil) == nil)
        #expect(try hub.consents.read(id, as: hub.asker, from: 0, to: hub.clock.now)?.scalars.isEmpty == true)
        try hub.consents.answer(id, .revoke, by: hub.ada.id)
        #expect(try hub.consents.strips(id, as: hub.asker, for: nil) == nil)
    }

    @Test(
        "CONS-2, CONS-9: what is asked for once gives the strips of before the yes; it is delivered by their reading where it names nothing else"
    )
    func once() async throws {
        let hub = try ConsentFixture(), old = try Self.add(hub, at: hub.clock.now - 1000)
        let alone = try await hub.accepted(kinds: [.ecg], term: .once),
            both = try await hub.accepted(kinds: [.ecg, .heartRate], term: .once)
        hub.clock.advance(60_000)
        let new = try Self.add(hub, at: hub.clock.now - 1000)
        for id in [both, alone] {
            #expect(try hub.consents.strips(id, as: hub.asker, for: nil)?.map(\.id) == [old])
            #expect(try hub.consents.strip(new, id, as: hub.asker, for: nil) == nil)
            try hub.consents.deliveredECG(id, to: hub.asker)
        }
        #expect(try hub.consents.read(both, as: hub.asker, from: 0, to: 1) != nil, "its heart rates are not delivered yet")
        #expect(try hub.consents.running(alone, of: hub.asker) == nil)
        #expect(try hub.consents.strip(old, alone, as: hub.asker, for: nil) != nil, "again, for 30 days")
    }
}

import Accounts
import Foundation
import Privacy
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// What more space does for whoever has paid for it.
@Suite struct PaidSpaceTests {
    /// Appends some hours of heart rates of a person, merged.
    private func add(hours: Int, of account: StoredAccount, to hub: ServicesFixture) throws {
        let stream = StreamID.random(), rows = try hub.series.streams([.init(stream: stream, agent: 1, provenance: .live)], now: 0)
        let row = try #require(rows[stream]?.row), key = SeriesStore.ClockKey(stream: row, domain: .recorded)
        let clock = try #require(try hub.series.clocks([key])[key]), person = try #require(try hub.accounts.row(of: account.id.person))
        for sequence in 0..<UInt64(hours) {
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
        }
    }

    @Test("PAY-1: who has paid for space keeps what others lose, until its end and the days of grace have passed")
    func space() throws {
        let own = try OwnDataFixture(), hub = own.hub
        let ada = try own.addAccount(email: "ada@example.org"), bea = try own.addAccount(email: "bea@example.org")
        for account in [ada, bea] { try add(hours: 4, of: account, to: hub) }
        let bytes = try hub.series.space.bytes(of: ada.id.person)
        let quota = Quota(
            accounts: hub.accounts, space: hub.series.space, audit: own.audit, bytesMax: bytes / 2, paidBytesMax: bytes * 2)

        let day = Entitlement.day, store = PaymentStore(hub.accounts, audit: own.audit, grace: 14 * day)
        let offer = try #require(PaidOffer("space-month=space 30 2.50 EUR")), order = try store.begin(offer, by: ada, now: 0)
        let paid = RemotePayment(
            remote: "R1", status: .completed, custom: order.id.description,
            capture: .init(id: "C1", status: .completed, amount: offer.price))
        #expect(try quota.bytesMax(of: ada.id.person) == bytes / 2)
        _ = try store.handle(.observed(paid), of: order.id, now: 0)
        #expect(try quota.bytesMax(of: ada.id.person) == bytes * 2 && quota.bytesMax(of: bea.id.person) == bytes / 2)

        #expect(try quota.enforce(now: 0).map(\.person) == [bea.id.person])
        try store.pass(ada.id, now: 43 * day)
        #expect(try quota.enforce(now: 43 * day).isEmpty && hub.series.space.bytes(of: ada.id.person) == bytes)
        try store.pass(ada.id, now: 44 * day)
        #expect(try quota.enforce(now: 44 * day).map(\.person) == [ada.id.person])
        #expect(try hub.series.space.bytes(of: ada.id.person) <= bytes / 2)
    }
}

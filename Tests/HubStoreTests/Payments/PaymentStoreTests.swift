import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct PaymentStoreTests {
    /// A store with one buyer.
    private struct Shop {
        let fixture: HubFixture
        let store: PaymentStore
        let ada: StoredAccount
        let offer: PaidOffer

        init(_ engine: Engine) throws {
            fixture = try HubFixture(engine)
            store = PaymentStore(
                fixture.accounts, audit: try AuditLog(fixture.hub, accounts: fixture.accounts, environment: [:]), grace: 14 * day)
            ada = try fixture.account("Ada")
            offer = try #require(PaidOffer("space-year=space 365 19.90 EUR"))
        }

        func seen(_ order: PaymentOrder, _ status: RemotePayment.Capture.Status, remote: String = "R1") -> PaymentOrder.Event {
            .observed(
                RemotePayment(
                    remote: remote, status: .completed, custom: order.id.description,
                    capture: .init(id: "C\(remote)", status: status, amount: offer.price)))
        }

        /// Buys and pays at once.
        func pay(remote: String = "R1", now: Milliseconds) throws -> PaymentOrder {
            let order = try store.begin(offer, by: ada, now: now)
            return try #require(try store.handle(seen(order, .completed, remote: remote), of: order.id, now: now)?.order)
        }

        var hasSpace: Bool { get throws { try store.reads.has(.space, ada.id.person) } }

        func timers(_ kind: TimerKind, now: Milliseconds) throws -> [StoredTimer] {
            try fixture.accounts.timers.dueTimers(100, lease: 0, now: now).filter { $0.kind == kind }
        }

        func audited(_ action: AuditLog.Action) throws -> Int { try fixture.count("audit", where: "action = '\(action.rawValue)'") }

        func notices(_ kind: NoticeKind, of account: StoredAccount) throws -> [StoredNotice] {
            try fixture.accounts.notices.notices(of: account).filter { $0.kind == kind }
        }
    }

    @Test("PAY-1: a payment, what it gives, its line in the book, its notice and its audit are stored together", arguments: Engine.allCases)
    func together(engine: Engine) throws {
        let shop = try Shop(engine)
        let order = try shop.store.begin(shop.offer, by: shop.ada, now: 0)
        #expect(try shop.store.begin(shop.offer, by: shop.ada, now: 1).id == order.id)
        #expect(try shop.timers(.payment, now: day).map(\.subject) == [order.id.bytes] && shop.audited(.paymentOpened) == 1)
        for now in [2, 3] as [Milliseconds] { _ = try shop.store.handle(shop.seen(order, .completed), of: order.id, now: now) }
        #expect(try shop.store.reads.payment(remote: "R1") == order.id && shop.store.reads.order(order.id)?.order.state == .paid)
        #expect(try shop.hasSpace && shop.store.reads.people(with: .space) == [shop.ada.id.person])
        #expect(try shop.store.reads.book(9).map(\.entry) == [.paid] && shop.store.reads.book(9).map(\.amount) == [shop.offer.price])
        #expect(try shop.notices(.paymentPaid, of: shop.ada).count == 1)
        #expect(try shop.audited(.paymentChanged) == 1 && shop.audited(.entitlementChanged) == 1)
        #expect(try shop.timers(.payment, now: day).isEmpty && shop.timers(.entitlement, now: 351 * day + 2).count == 1)

        let again = try shop.fixture.reopened()
        #expect(try PaymentReader(again.accounts).entitlements(of: shop.ada).map(\.ends) == [365 * day + 2], "a restart")
    }

    @Test("PAY-1: somebody who cannot buy something does not, and nobody begins without end", arguments: Engine.allCases)
    func refused(engine: Engine) throws {
        let shop = try Shop(engine), clinic = try shop.fixture.account("Clinic", [.organisation])
        #expect(throws: PaymentStore.Problem.notYours) { _ = try shop.store.begin(shop.offer, by: clinic, now: 0) }
        for number in 0..<PaymentStore.openMax {
            let offer = PaidOffer(code: "o\(number)", feature: .space, days: 30, price: shop.offer.price)
            _ = try shop.store.begin(offer, by: shop.ada, now: 0)
        }
        #expect(throws: PaymentStore.Problem.tooMany) { _ = try shop.store.begin(shop.offer, by: shop.ada, now: 0) }
        #expect(try shop.store.handle(.gone, of: PaymentID(high: 1, low: 2), now: 0)?.order == nil)
    }

    @Test(
        "PAY-1: the person is told 14, 7 and 1 days ahead and at the end, and it stays on for the days of grace", arguments: Engine.allCases
    )
    func ends(engine: Engine) throws {
        let shop = try Shop(engine)
        _ = try shop.pay(now: 0)
        var fired = 0, now: Milliseconds = 0
        while fired < 20, let due = try shop.timers(.entitlement, now: 1000 * day).first?.due {
            #expect(due > now)
            (now, fired) = (due, fired + 1)
            try shop.store.pass(shop.ada.id, now: due)
            #expect(try shop.hasSpace == (due < 379 * day))
        }
        #expect(fired == 5 && now == 379 * day, "three warnings, the end, the end of grace")
        #expect(try shop.notices(.paidEnding, of: shop.ada).map { $0.arguments["days"] } == ["1", "7", "14"])
        #expect(try shop.notices(.paidEnded, of: shop.ada).map { $0.arguments["end"] } == [String(379 * day)])
        _ = try shop.pay(remote: "R2", now: 400 * day)
        #expect(try shop.hasSpace && shop.store.reads.entitlements(of: shop.ada).map(\.ends) == [765 * day])
    }

    @Test("PAY-1: who looks after the person is told of the end as well", arguments: Engine.allCases)
    func carers(engine: Engine) throws {
        let shop = try Shop(engine), carer = try shop.fixture.account("Carla", [.caregiver]),
            other = try shop.fixture.account("Otto", [.caregiver])
        let scope = try ConsentScope(asker: .caregiver(carer.id), kinds: [.heartRate], purpose: "Care", term: .untilRevoked)
        _ = try shop.fixture.accounts.consents.giveConsent(
            scope, of: shop.ada.id.person, by: shop.ada.id, parameters: .data4Help, now: 0)
        _ = try shop.pay(now: 0)
        try shop.store.pass(shop.ada.id, now: 351 * day)
        #expect(try shop.notices(.paidEndingWard, of: carer).map { $0.arguments["days"] } == ["14"])
        #expect(try shop.notices(.paidEndingWard, of: other).isEmpty)
    }

    @Test("PAY-1: a payment in doubt switches nothing off until it is decided", arguments: Engine.allCases)
    func doubt(engine: Engine) throws {
        let shop = try Shop(engine)
        _ = try shop.pay(now: 0)
        let second = try shop.store.begin(shop.offer, by: shop.ada, now: 360 * day)
        _ = try shop.store.handle(shop.seen(second, .pending, remote: "R2"), of: second.id, now: 360 * day)
        try shop.store.pass(shop.ada.id, now: 400 * day)
        #expect(try shop.hasSpace, "PayPal has not decided")
        _ = try shop.store.handle(shop.seen(second, .declined, remote: "R2"), of: second.id, now: 400 * day)
        #expect(try shop.hasSpace, "the failure itself switches nothing off")
        try shop.store.pass(shop.ada.id, now: 401 * day)
        #expect(try !shop.hasSpace)
    }

    @Test("PAY-1: of a deleted account the book alone remains, without a name, until the law lets it go", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let shop = try Shop(engine), order = try shop.pay(now: 0)
        #expect(try shop.fixture.accounts.deletePerson(shop.ada.id.person, now: 1))
        try shop.fixture.accounts.eraseRows(of: shop.ada.id.person)
        for table in ["payment", "entitlement"] { #expect(try shop.fixture.count(table) == 0, "\(table)") }
        #expect(try shop.store.reads.book(9).map(\.payment) == [order.id])
        #expect(try shop.store.handle(.gone, of: order.id, now: 2)?.order == nil, "a webhook about it finds nobody")
        try shop.store.pass(shop.ada.id, now: 400 * day)

        let bea = try shop.fixture.account("Bea"), now = PaymentStore.bookLifetime + 1
        let next = try shop.store.begin(shop.offer, by: bea, now: now)
        _ = try shop.store.handle(shop.seen(next, .completed, remote: "R2"), of: next.id, now: now)
        #expect(try shop.store.reads.book(9).map(\.payment) == [next.id], "what is old enough goes")
    }
}

import Accounts
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// A hub that sells space, and a PayPal on this machine, with all that can go wrong between them.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PaymentsWebTests {
    /// A shop with one buyer.
    private struct Shop {
        let web: WebFixture
        let payPal: PayPalServer
        let clock: ManualClock
        let ada: Member

        static let start = Milliseconds(Date().timeIntervalSince1970 * 1000)

        /// Presses the button; the page of the payment.
        func buy() async throws -> String {
            let answer = try await web.post("/payments/buy", ["offer": "space-year"], cookie: ada.cookie)
            #expect(answer.status == 303)
            return try #require(answer.header("location"))
        }

        func page(_ path: String) async throws -> String { try await web.send(.GET, path, cookie: ada.cookie).body }

        /// "Look again".
        func look(_ path: String) async throws -> String {
            #expect(try await web.post("\(path)/look", [:], cookie: ada.cookie).status == 303)
            return try await page(path)
        }

        func order(_ path: String) throws -> PaymentOrder {
            let id = try #require(PaymentID(String(path.suffix(32))))
            return try #require(try reads.order(id)?.order)
        }

        func hook(_ type: String, _ order: String, isForged: Bool = false) async throws -> UInt {
            let event = PayPalServer.event(type, order, isForged: isForged)
            return try await web.send(.POST, "/payments/webhook", headers: event.headers, body: event.body).status
        }

        var reads: PaymentReader { PaymentReader(web.hub.accounts) }
        var hasSpace: Bool { get throws { try reads.has(.space, ada.account.id.person) } }
        var ends: Milliseconds? { get throws { try reads.entitlements(of: ada.account).first?.ends } }
        func entries() throws -> [PaymentBookEntry] { try reads.book(100).map(\.entry) }
    }

    private func shop(_ body: (Shop) async throws -> Void) async throws {
        let payPal = try await PayPalServer(), clock = ManualClock(Shop.start)
        let change = { (configuration: inout HubConfiguration) in
            let file = configuration.directory.appendingPathComponent("payments-secret")
            try Data("\(PayPalServer.secret)\n".utf8).write(to: file)
            configuration.payments.isEnabled = true
            configuration.payments.offers = ["space-year=space 365 19.90 EUR"]
            (configuration.payments.client, configuration.payments.webhook) = (PayPalServer.client, PayPalServer.webhook)
            (configuration.payments.secretFile, configuration.payments.api) = (file.path, payPal.url)
        }
        let now: @Sendable () -> Milliseconds = { clock.now }
        try await WebFixture.run(now: now, change: change) { web in
            try await body(Shop(web: web, payPal: payPal, clock: clock, ada: try web.member(.person, "ada@example.org")))
        }
        try await payPal.close()
    }

    @Test("PAY-1: space is bought at PayPal, and a webhook that comes twice or late grants it once")
    func paid() async throws {
        try await shop { shop in
            let path = try await shop.buy()
            let waiting = try await shop.page(path)
            #expect(waiting.contains("href=\"\(shop.payPal.url)/checkoutnow?token=ORDER1\"") && waiting.contains("waiting for you to pay"))
            #expect(try await shop.buy() == path, "pressed twice, asked once")
            #expect(shop.payPal.orders == 1)
            #expect(try !shop.hasSpace)
            shop.payPal.approve("ORDER1")
            for _ in 0..<2 { #expect(try await shop.hook("CHECKOUT.ORDER.APPROVED", "ORDER1") == 204) }
            #expect(try await shop.hook("PAYMENT.CAPTURE.COMPLETED", "ORDER1") == 204)
            #expect(try await shop.hook("PAYMENT.CAPTURE.PENDING", "ORDER1") == 204, "late")
            #expect(try shop.hasSpace && shop.order(path).state == .paid)
            #expect(try shop.ends == shop.clock.now + 365 * Entitlement.day)
            #expect(try shop.entries() == [.paid] && shop.payPal.asked("/capture") == 1)
            let list = try await shop.page("/payments")
            #expect(list.contains("More space: until") && list.contains("19.90 EUR") && list.contains("paid"))
            #expect(try await shop.page("/data").contains("100.0 MB"))
            let notices = try shop.web.hub.accounts.notices.notices(of: shop.ada.account)
            #expect(notices.count { $0.kind == .paymentPaid } == 1)
        }
    }

    @Test("PAY-1: a webhook that is forged, without a signature or about nothing of ours changes nothing")
    func forged() async throws {
        try await shop { shop in
            let path = try await shop.buy()
            shop.payPal.approve("ORDER1")
            #expect(try await shop.hook("CHECKOUT.ORDER.APPROVED", "ORDER1", isForged: true) == 400)
            #expect(
                try await shop.web.send(.POST, "/payments/webhook", body: PayPalServer.event("CHECKOUT.ORDER.APPROVED", "ORDER1").body)
                    .status == 400)
            #expect(try shop.order(path).state == .waiting && shop.payPal.asked("/capture") == 0)
            let checks = shop.payPal.asked("verify-webhook-signature")
            #expect(try await shop.hook("CHECKOUT.ORDER.APPROVED", "ORDER77") == 204)
            #expect(shop.payPal.asked("verify-webhook-signature") == checks, "PayPal is not asked about orders of others")
            let event = PayPalServer.event("CHECKOUT.ORDER.APPROVED", "ORDER1")
            let large = event.body + Array(repeating: UInt8(ascii: " "), count: PaymentService.webhookMax)
            #expect(try await shop.web.send(.POST, "/payments/webhook", headers: event.headers, body: large).status == 413)
            shop.payPal.trouble(.status(503))
            #expect(try await shop.hook("CHECKOUT.ORDER.APPROVED", "ORDER1") == 503, "PayPal sends it again")
            #expect(try shop.order(path).state == .waiting)
        }
    }

    @Test("PAY-1: a webhook that names the payment by the hub's own number is about it, too")
    func numbered() async throws {
        try await shop { shop in
            let path = try await shop.buy(), id = try shop.order(path).id
            shop.payPal.approve("ORDER1")
            let headers = PayPalServer.event("CHECKOUT.ORDER.APPROVED", "ORDER1").headers
            for (number, field) in ["custom_id", "invoice_id"].enumerated() {
                let body = #"{"event_type":"PAYMENT.CAPTURE.PENDING","resource":{"id":"X","\#(field)":"\#(id)"}}"#
                let answer = try await shop.web.send(.POST, "/payments/webhook", headers: headers, body: Array(body.utf8))
                #expect(answer.status == 204 && shop.payPal.asked("verify-webhook-signature") == number + 1)
            }
            #expect(try shop.order(path).state == .paid)
        }
    }

    @Test("PAY-1: a webhook that is lost is made up for by the hub's own look")
    func lost() async throws {
        try await shop { shop in
            let path = try await shop.buy()
            shop.payPal.approve("ORDER1")
            shop.clock.advance(PaymentOrder.lookMin + 1000)
            _ = try await shop.web.until(path, cookie: shop.ada.cookie) { $0.contains("The payment has arrived") }
            #expect(try shop.hasSpace && shop.entries() == [.paid])
        }
    }

    @Test("PAY-1: a means of payment that is declined can be followed by another one, and a failed payment by another payment")
    func declined() async throws {
        try await shop { shop in
            let path = try await shop.buy()
            shop.payPal.approve("ORDER1")
            shop.payPal.outcome(.instrumentDeclined)
            let refused = try await shop.look(path)
            #expect(refused.contains("did not take the means of payment") && refused.contains("checkoutnow?token=ORDER1"))
            shop.payPal.outcome(.declined)
            let failed = try await shop.look(path)
            #expect(failed.contains("PayPal took no money") && failed.contains("Try again"))
            #expect(try !shop.hasSpace && shop.entries().isEmpty && shop.order(path).state == .failed)
            shop.payPal.outcome(.completed)
            let again = try await shop.buy()
            #expect(again != path)
            shop.payPal.approve("ORDER2")
            #expect(try await shop.look(again).contains("The payment has arrived"))
            #expect(try shop.hasSpace && shop.entries() == [.paid])
        }
    }

    @Test("PAY-1: a payment that PayPal checks grants nothing yet, and comes in when PayPal is done")
    func pending() async throws {
        try await shop { shop in
            let path = try await shop.buy()
            shop.payPal.approve("ORDER1")
            shop.payPal.outcome(.pending)
            #expect(try await shop.look(path).contains("PayPal is still checking"))
            #expect(try !shop.hasSpace && shop.entries().isEmpty)
            shop.payPal.settle("ORDER1", "COMPLETED")
            #expect(try await shop.hook("PAYMENT.CAPTURE.COMPLETED", "ORDER1") == 204)
            #expect(try shop.hasSpace && shop.entries() == [.paid])
        }
    }

    @Test("PAY-1: a refund shortens with notice, another amount grants nothing, a reversal switches nothing off; operators hear of both")
    func refunded() async throws {
        try await shop { shop in
            let boss = try shop.web.member(.operator, "boss@example.org")
            let path = try await shop.buy()
            shop.payPal.approve("ORDER1")
            _ = try await shop.look(path)
            #expect(try await shop.hook("PAYMENT.CAPTURE.REVERSED", "ORDER1", isForged: true) == 400)
            #expect(try shop.order(path).state == .paid)
            #expect(try await shop.hook("PAYMENT.CAPTURE.REVERSED", "ORDER1") == 204)
            #expect(try shop.order(path).state == .reversed && shop.hasSpace)
            shop.payPal.settle("ORDER1", "REFUNDED")
            for _ in 0..<2 { #expect(try await shop.hook("PAYMENT.CAPTURE.REFUNDED", "ORDER1") == 204) }
            #expect(try shop.entries() == [.refunded, .reversed, .paid])
            #expect(try shop.hasSpace && shop.ends == shop.clock.now + Milliseconds(Entitlement.noticeDays) * Entitlement.day)

            shop.payPal.outcome(.otherAmount)
            let other = try await shop.buy()
            shop.payPal.approve("ORDER2")
            #expect(try await shop.look(other).contains("another amount"))
            #expect(try shop.entries().first == .mismatched && shop.ends == shop.clock.now + 15 * Entitlement.day)
            let told = try shop.web.hub.accounts.notices.notices(of: boss.account).count { $0.kind == .paymentDoubtful }
            #expect(told == 2)
        }
    }

    @Test("PAY-1: PayPal that is down, slow or loses its answers, and tokens that end, cost nobody money twice")
    func troubles() async throws {
        try await shop { shop in
            shop.payPal.trouble(.status(500))
            let path = try await shop.buy()
            #expect(try await shop.page(path).contains("PayPal has not answered yet"))
            shop.payPal.trouble(.lostAnswer)
            #expect(try await shop.look(path).contains("PayPal has not answered yet"))
            shop.payPal.trouble(.none)
            #expect(try await shop.look(path).contains("waiting for you to pay"))
            #expect(shop.payPal.orders == 1, "the same number of the request, the same order")
            shop.payPal.approve("ORDER1")
            shop.payPal.endTokens()
            #expect(try await shop.look(path).contains("The payment has arrived"))
            #expect(shop.payPal.asked("/v1/oauth2/token") >= 2)
            #expect(try shop.entries() == [.paid])
        }
    }

    @Test("PAY-1: PayPal that takes money while its answer is lost is believed at the next look")
    func lostCapture() async throws {
        try await shop { shop in
            let path = try await shop.buy(), order = try shop.order(path)
            shop.payPal.approve("ORDER1")
            let payPal = PayPal(
                .init(api: shop.payPal.url, client: PayPalServer.client, secret: PayPalServer.secret, webhook: PayPalServer.webhook),
                now: { shop.clock.now })
            _ = try await payPal.look("ORDER1")
            shop.payPal.trouble(.lostAnswer)
            await #expect(throws: PayPalProblem.self) { _ = try await payPal.capture(order, "ORDER1") }
            shop.payPal.trouble(.none)
            #expect(try await shop.look(path).contains("The payment has arrived"))
            #expect(try shop.entries() == [.paid] && shop.payPal.asked("/capture") == 1, "what is taken is not taken again")
        }
    }

    @Test("PAY-1: a PayPal that is slow is given up, and asked again later")
    func slow() async throws {
        let payPal = try await PayPalServer()
        payPal.trouble(.silence)
        let client = PayPal(
            .init(api: payPal.url, client: PayPalServer.client, secret: PayPalServer.secret, webhook: PayPalServer.webhook),
            limit: .milliseconds(200), now: { 0 })
        await #expect(throws: PayPalProblem.self) { _ = try await client.look("ORDER1") }
        payPal.trouble(.none)
        await #expect(throws: PayPalProblem.gone) { _ = try await client.look("ORDER1") }
        try await payPal.close()
    }

    @Test("PAY-1: payments are one's own, and stand in the export")
    func own() async throws {
        try await shop { shop in
            let path = try await shop.buy()
            shop.payPal.approve("ORDER1")
            _ = try await shop.look(path)
            let bea = try shop.web.member(.person, "bea@example.org")
            #expect(try await shop.web.send(.GET, path, cookie: bea.cookie).status == 404)
            #expect(try await shop.web.post("\(path)/look", [:], cookie: bea.cookie).status == 404)
            let lab = try shop.web.member(.organisation, "lab@example.org")
            #expect(try await shop.web.post("/payments/buy", ["offer": "space-year"], cookie: lab.cookie).status == 422)
            #expect(try await shop.web.post("/payments/buy", ["offer": "nothing"], cookie: bea.cookie).status == 422)
            let profile = try ProfileExport(shop.ada.account, accounts: shop.web.hub.accounts, now: shop.clock.now).records
            #expect(profile.payments.map(\.amount) == ["19.90"] && profile.payments.map(\.state) == ["paid"])
            #expect(profile.paidFeatures.map(\.isOn) == [true])
        }
    }

    @Test("PAY-1: as installed nothing is for sale")
    func off() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org")
            let page = try await web.send(.GET, "/payments", cookie: ada.cookie)
            #expect(page.status == 200 && page.body.contains("Nothing is for sale here"))
            #expect(try await web.post("/payments/buy", ["offer": "space-year"], cookie: ada.cookie).status == 422)
            #expect(try await web.send(.POST, "/payments/webhook", body: [123, 125]).status == 404)
            #expect(try await !web.send(.GET, "/data", cookie: ada.cookie).body.contains("href=\"/payments\""))
        }
    }

    @Test("PAY-1: settings that do not fit together are refused, with what to write")
    func settings() throws {
        let directory = try TemporaryDirectory(), file = directory.url.appendingPathComponent("secret")
        try Data("s".utf8).write(to: file)
        func problem(_ change: (inout PaymentSettings) -> Void) -> String {
            var payments = PaymentSettings()
            payments.isEnabled = true
            (payments.client, payments.webhook, payments.secretFile) = ("c", "w", file.path)
            payments.offers = ["space-year=space 365 19.90 EUR"]
            change(&payments)
            do { _ = try payments.sale(10_000_000) } catch { return "\(error)" }
            return ""
        }
        #expect(problem { _ in }.isEmpty)
        #expect(problem { $0.offers = ["a=space 365 1990"] }.contains("hub.payments.offers holds a=space 365 1990"))
        #expect(problem { $0.offers = [] }.contains("hub.payments.offers"))
        #expect(problem { $0.offers += $0.offers }.contains("twice"))
        #expect(problem { $0.client = nil }.contains("hub.payments.client"))
        #expect(problem { $0.secretFile = nil }.contains("hub.payments.secret"))
        #expect(problem { $0.secretFile = "/nothing/here" }.contains("cannot be read"))
        #expect(problem { $0.api = "http://api-m.paypal.com" }.contains("hub.payments.api"))
        #expect(problem { $0.space = 10_000_000 }.contains("hub.payments.space"))
        #expect(problem { $0.grace = -1 }.contains("hub.payments.grace"))
    }
}

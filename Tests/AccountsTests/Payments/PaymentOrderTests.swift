import Accounts
import TestSupport
import Testing
import Vitals

/// Orders as scenarios: what happens, and what has to follow of it.
@Suite struct PaymentOrderTests {
    private static let id = PaymentID(high: 7, low: 9)
    private static let price = Money(minor: 1990, currency: .eur)
    private static let offer = PaidOffer(code: "space-year", feature: .space, days: 365, price: price)
    private static let hour: Milliseconds = 3_600_000

    private static func made() -> PaymentOrder { PaymentOrder(id: id, offer: offer, at: 0) }

    private static func seen(
        _ status: RemotePayment.Status, _ capture: RemotePayment.Capture.Status? = nil, amount: Money? = price,
        custom: String? = id.description,
        remote: String = "R1"
    ) -> PaymentOrder.Event {
        .observed(
            RemotePayment(
                remote: remote, status: status, custom: custom, capture: capture.map { .init(id: "C1", status: $0, amount: amount) }))
    }

    private static let opened = PaymentOrder.Event.opened(remote: "R1", approval: "https://www.paypal.com/checkoutnow?token=R1")
    private static let pay: [PaymentOrder.Effect] = [.book(.paid), .extend(days: 365), .tell(.paid)]

    /// Plays events an hour apart, and holds the effects of each and the last state against what is expected.
    private func play(
        _ events: [(PaymentOrder.Event, [PaymentOrder.Effect])], _ state: PaymentOrder.State, _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var order = Self.made(), now: Milliseconds = 0
        for (number, (event, expected)) in events.enumerated() {
            now += Self.hour
            #expect(order.handle(event, at: now) == expected, "\(comment): event \(number)", sourceLocation: sourceLocation)
        }
        #expect(order.state == state, comment, sourceLocation: sourceLocation)
    }

    @Test("PAY-1: a payment that is approved is taken, and what was bought is granted once, however often PayPal says it")
    func paid() {
        let done = Self.seen(.completed, .completed)
        play(
            [(Self.opened, []), (Self.seen(.payerActionRequired), []), (Self.seen(.approved), [.capture]), (done, Self.pay), (done, [])],
            .paid, "webhook twice")
        play([(Self.opened, []), (done, Self.pay), (Self.seen(.approved), []), (Self.opened, [])], .paid, "late webhooks")
        play([(done, Self.pay)], .paid, "the answer to the opening was lost")
        play([(Self.opened, []), (Self.seen(.approved), [.capture]), (Self.seen(.approved), [.capture])], .waiting, "a capture was lost")
    }

    @Test("PAY-1: a means of payment that is refused is not tried over and over, and another one can be")
    func refused() {
        play(
            [
                (Self.opened, []), (Self.seen(.approved), [.capture]), (.refused, [.tell(.refused)]), (.refused, []),
                (Self.seen(.approved), []), (.resumed, []), (Self.seen(.approved), [.capture]),
                (Self.seen(.completed, .completed), Self.pay),
            ], .paid, "refused, then another card")
        var order = Self.made()
        for event in [Self.opened, .refused, .resumed, .resumed] { _ = order.handle(event, at: 1) }
        #expect(order.retries == 1 && !order.isRefused, "each try has a number of its own")
    }

    @Test("PAY-1: a pending payment comes in later, or fails and grants nothing")
    func pending() {
        let pending = Self.seen(.completed, .pending)
        play([(Self.opened, []), (pending, [.tell(.pending)]), (pending, []), (Self.seen(.completed, .completed), Self.pay)], .paid, "in")
        play(
            [(Self.opened, []), (pending, [.tell(.pending)]), (Self.seen(.completed, .declined), [.tell(.failed)])], .failed, "declined")
        play([(Self.opened, []), (Self.seen(.completed, .failed), [.tell(.failed)])], .failed, "failed")
        play(
            [(Self.opened, []), (pending, [.tell(.pending)]), (.gone, []), (.unreachable, [])], .pending, "PayPal lost it: nothing is known"
        )
    }

    @Test("PAY-1: a refund takes back the days it gave and nothing else, once; a reversal switches nothing off")
    func refunded() {
        let done = Self.seen(.completed, .completed), back = Self.seen(.completed, .refunded)
        let refund: [PaymentOrder.Effect] = [.book(.refunded), .shorten(days: 365), .tell(.refunded)]
        play([(Self.opened, []), (done, Self.pay), (back, refund), (back, []), (done, [])], .refunded, "refund")
        play(
            [(Self.opened, []), (back, [.book(.paid), .book(.refunded), .tell(.refunded)])], .refunded,
            "refunded before the hub ever saw the payment")
        play(
            [(Self.opened, []), (done, Self.pay), (Self.seen(.completed, .partiallyRefunded), [.book(.partlyRefunded)])], .paid, "in part")
        play(
            [(Self.opened, []), (done, Self.pay), (.reversed, [.book(.reversed), .tell(.doubtful)]), (.reversed, [])], .reversed,
            "taken back")
        play([(Self.opened, []), (.reversed, [])], .waiting, "nothing to take back")
    }

    @Test("PAY-1: another amount, currency or order grants nothing")
    func mismatched() {
        let effects: [PaymentOrder.Effect] = [.book(.mismatched), .tell(.doubtful)]
        for amount in [Money(minor: 1989, currency: .eur), Money(minor: 1990, currency: .usd), nil] {
            play(
                [(Self.opened, []), (Self.seen(.completed, .completed, amount: amount), effects)], .mismatched,
                "\(String(describing: amount))")
        }
        for custom in [nil, "", PaymentID(high: 7, low: 8).description] {
            play([(Self.opened, []), (Self.seen(.completed, .completed, custom: custom), [])], .waiting, "of another order")
        }
        play([(Self.opened, []), (Self.seen(.completed, .completed, remote: "R2"), [])], .waiting, "another name at PayPal")
    }

    @Test("PAY-1: what nobody paid ends after three days, and money that comes in after all counts")
    func over() {
        var order = Self.made()
        #expect(order.look(at: 0) == PaymentOrder.lookMin)
        _ = order.handle(Self.opened, at: 0)
        #expect(order.handle(Self.seen(.created), at: PaymentOrder.lifetime - 1).isEmpty && order.state == .waiting)
        #expect(order.handle(.unreachable, at: 2 * PaymentOrder.lifetime).isEmpty && order.state == .waiting, "PayPal was not asked")
        #expect(order.handle(Self.seen(.created), at: 2 * PaymentOrder.lifetime).isEmpty && order.state == .over)
        #expect(order.look(at: 0) == nil)
        #expect(order.handle(Self.seen(.approved), at: 3 * PaymentOrder.lifetime).isEmpty, "no money is taken any more")
        #expect(order.handle(Self.seen(.completed, .completed), at: 3 * PaymentOrder.lifetime) == Self.pay)

        var unopened = Self.made()
        _ = unopened.handle(.unreachable, at: PaymentOrder.lifetime - 1)
        #expect(unopened.state == .opening)
        _ = unopened.handle(.unreachable, at: PaymentOrder.lifetime)
        #expect(unopened.state == .over)
    }

    @Test("PAY-1: amounts are whole minor units, and read as PayPal writes them")
    func money() throws {
        #expect(Money("19.90", .eur)?.minor == 1990 && Money("19", .eur)?.minor == 1900 && Money("500", .jpy)?.minor == 500)
        #expect(Money("0.05", .eur)?.decimal == "0.05" && Money(minor: 500, currency: .jpy).decimal == "500")
        for wrong in ["", "1.9", "1.900", "-1.00", "1,90", "1e3", "500.00", ".50", "1.", "99999999999", " 1.00", "٣.00"] {
            #expect(Money(wrong, wrong == "500.00" ? .jpy : .eur) == nil, "\(wrong)")
        }
        let offer = try #require(PaidOffer("space-year=space 365 19.90 EUR"))
        #expect(offer == Self.offer)
        for wrong in [
            "space 365 19.90 EUR", "a=space 365 19.90", "a=sos 365 19.90 EUR", "a=space 27 1.00 EUR", "a=space 365 0 EUR",
            "a=space 365 1.00 HUF", "a b=space 365 1.00 EUR", "=space 365 1.00 EUR", "a=space 365 1.5 EUR",
        ] {
            #expect(PaidOffer(wrong) == nil, "\(wrong)")
        }
    }
}

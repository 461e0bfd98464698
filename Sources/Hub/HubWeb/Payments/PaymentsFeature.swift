import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// What people pay for (PAY-1): pages, PayPal's webhooks and the timers of payments.
struct PaymentsFeature: Sendable {
    let core: HubCore
    let payments: PaymentService

    init(_ core: HubCore) throws {
        self.core = core
        let time = core.time, settings = core.configuration.payments
        let sale = try settings.sale(core.configuration.quota, on: core.machine)
        payments = PaymentService(
            store: PaymentStore(core.accounts, audit: core.audit, grace: settings.graceTime), accounts: core.accounts,
            offers: sale?.offers ?? [], payPal: sale.map { PayPal($0.payPal, now: { time.now }) }, url: core.url,
            naming: { offer, language in "TrackMe: \(offer.name(Texts.of(language)))" }, logger: core.logger, now: { time.now })
    }

    /// For PayPal.
    func openRoutes(_ router: Router<HubContext>) {
        let payments = payments
        router.post("/payments/webhook") { request, _ -> Response in
            guard !payments.offers.isEmpty else { throw HTTPError(.notFound) }
            let signature = WebhookSignature { name in HTTPField.Name(name).flatMap { request.headers[$0] } }
            let body = Array(buffer: try await request.body(upTo: PaymentService.webhookMax))
            switch try await payments.webhook(body, signature) {
            case .taken: return Response(status: .noContent)
            case .forged: return Response(status: .badRequest)
            case .later: return Response(status: .serviceUnavailable)
            }
        }
    }

    func routes(_ pages: some RouterMethods<HubContext>) {
        let time = core.time
        PaymentPages(
            payments: payments, space: core.configuration.payments.space, templates: core.templates, now: { time.now }
        ).routes(pages)
    }
}

extension PaidOffer {
    /// What it is, in few words.
    func name(_ texts: Texts) -> String {
        texts.filled("payments.offer", ["feature": texts["payments.feature_\(feature.rawValue)"], "days": texts.number(days)])
    }
}

extension Money {
    /// An amount with its currency's code of ISO 4217.
    func shown(_ texts: Texts) -> String {
        let text = texts.lang == "it" ? decimal.replacing(".", with: ",") : decimal
        return "\(text) \(currency.rawValue)"
    }
}

extension PaidFeature {
    /// What notices and mails about payments name by a word.
    static func fill(_ values: inout [String: String], _ texts: Texts) {
        values["paid"] = values["paid"].map { texts["payments.feature_\($0)"] }
    }
}

import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// What somebody can buy, has bought and has paid (PAY-1). Nobody types a card number here: people pay on PayPal's pages.
struct PaymentPages: Sendable {
    let payments: PaymentService
    /// Bytes that somebody keeps who has paid for space.
    let space: Int
    let templates: Templates
    let now: @Sendable () -> Milliseconds

    static let path = "/payments"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/payments") { request, context in try list(Frame(request, context)) }
        router.post("/payments/buy") { request, context in try await buy(request, context) }
        router.get("/payments/:id") { request, context -> Response in
            let frame = Frame(request, context)
            return try page(frame, try own(frame, context))
        }
        router.post("/payments/:id/look") { request, context -> Response in
            let order = try own(Frame(request, context), context)
            try await payments.advance(order.id, resumes: true)
            return .redirect(to: "\(Self.path)/\(order.id)", type: .normal)
        }
    }

    /// One's own payment; another's is not there.
    private func own(_ frame: Frame, _ context: HubContext) throws -> PaymentOrder {
        let account = try frame.session().account
        guard let id = PaymentID(try context.parameters.require("id")), let order = try payments.order(id, of: account.id) else {
            throw HTTPError(.notFound)
        }
        return order
    }

    private func list(_ frame: Frame, problem: String? = nil, status: HTTPResponse.Status = .ok) throws -> Response {
        let account = try frame.session().account, texts = frame.texts, reads = payments.store.reads
        let offers = payments.offers(for: account).map {
            PaymentsPage.Offer(code: $0.code, name: $0.name(texts), price: $0.price.shown(texts))
        }
        let features = try reads.entitlements(of: account).map { entitlement in
            let values = [
                "feature": texts["payments.feature_\(entitlement.feature.rawValue)"], "end": texts.instant(entitlement.ends),
                "off": texts.instant(entitlement.ends + payments.store.grace),
            ]
            let state = !entitlement.isOn ? "off" : entitlement.ends > now() ? "on" : "grace"
            return PaymentsPage.Feature(text: texts.filled("payments.state_\(state)", values))
        }
        let orders = try reads.orders(of: account).map { order in
            PaymentsPage.Order(
                href: "\(Self.path)/\(order.id)", name: order.offer.name(texts), price: order.offer.price.shown(texts),
                time: texts.instant(order.created), state: texts["payments.order_\(order.state.rawValue)"])
        }
        let page = PaymentsPage(
            problem: problem, intro: texts.filled("payments.intro", ["space": texts.megabytes(space)]), isForSale: !offers.isEmpty,
            offers: offers, hasFeatures: !features.isEmpty, features: features, isEmpty: orders.isEmpty, orders: orders)
        return templates.page(page, frame, title: texts["payments.title"], help: "payments", status: status)
    }

    private func buy(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
        do {
            let id = try await payments.buy(sent["offer"], by: account)
            return .redirect(to: "\(Self.path)/\(id)", type: .normal)
        } catch PaymentService.Problem.unknown {
            return try list(frame, problem: frame.texts["payments.unknown"], status: .unprocessableContent)
        } catch PaymentStore.Problem.notYours {
            return try list(frame, problem: frame.texts["payments.unknown"], status: .unprocessableContent)
        } catch PaymentStore.Problem.tooMany {
            return try list(frame, problem: frame.texts["payments.tooMany"], status: .conflict)
        }
    }

    private func page(_ frame: Frame, _ order: PaymentOrder) throws -> Response {
        let texts = frame.texts
        let canPay = order.state == .waiting
        let page = PaymentPage(
            id: order.id.description, name: order.offer.name(texts), price: order.offer.price.shown(texts),
            state: texts["payments.order_\(order.state.rawValue)"],
            about: texts[order.isRefused && canPay ? "payments.about_refused" : "payments.about_\(order.state.rawValue)"],
            pay: canPay ? order.approval : nil, canLook: order.isOpen,
            again: [.failed, .over].contains(order.state) && payments.offers.contains(order.offer) ? order.offer.code : nil,
            begun: texts.instant(order.created), since: texts.instant(order.since), remote: order.remote)
        return templates.page(page, frame, title: texts["payments.one"], help: "payments")
    }
}

struct PaymentsPage: FramedPage {
    static let template = "payments"

    struct Offer: TemplateModel {
        let code: String, name: String, price: String
    }

    struct Feature: TemplateModel {
        let text: String
    }

    struct Order: TemplateModel {
        let href: String, name: String, price: String, time: String, state: String
    }

    var problem: String?
    let intro: String
    let isForSale: Bool
    let offers: [Offer]
    let hasFeatures: Bool
    let features: [Feature]
    let isEmpty: Bool
    let orders: [Order]
}

struct PaymentPage: FramedPage {
    static let template = "payment"

    let id: String, name: String, price: String, state: String, about: String
    /// PayPal's page on which to pay.
    var pay: String?
    let canLook: Bool
    /// The offer that can be tried anew.
    var again: String?
    let begun: String, since: String
    /// PayPal's name of the order.
    var remote: String?
}

public import Accounts
import Foundation
public import HubStore
public import Logging
import Synchronization
public import Vitals

/// Paid features (PAY-1): people pay at PayPal, and the hub believes what PayPal says of the order when it is asked.
public final class PaymentService: Sendable {
    public let store: PaymentStore
    /// What is for sale now; empty where payments are off.
    public let offers: [PaidOffer]
    private let accounts: AccountStore
    private let payPal: PayPal?
    private let url: @Sendable () -> String
    private let naming: @Sendable (PaidOffer, String) -> String
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    private let checks = Mutex(0)

    /// Bytes of a webhook, at most.
    public static let webhookMax = 64 << 10
    /// Webhooks that are looked at at once, at most: whoever forges them cannot make the hub ask PayPal without end.
    public static let checksMax = 4

    /// - Parameters:
    ///   - payPal: nil where nothing is for sale. What was bought before holds to its end all the same.
    ///   - url: how browsers reach the hub, without a slash at its end.
    ///   - naming: what PayPal's page calls an offer, in a language.
    public init(
        store: PaymentStore, accounts: AccountStore, offers: [PaidOffer], payPal: PayPal?, url: @escaping @Sendable () -> String,
        naming: @escaping @Sendable (PaidOffer, String) -> String, logger: Logger, now: @escaping @Sendable () -> Milliseconds
    ) {
        (self.store, self.accounts, self.payPal) = (store, accounts, payPal)
        self.offers = payPal == nil ? [] : offers
        (self.url, self.naming, self.logger, self.now) = (url, naming, logger, now)
    }

    public enum Problem: Error, Sendable, Hashable {
        /// Nothing of that name is for sale.
        case unknown
    }

    // MARK: The person

    /// What an account can buy.
    public func offers(for account: StoredAccount) -> [PaidOffer] {
        offers.filter { !$0.feature.roles.isDisjoint(with: account.roles) }
    }

    /// Begins to pay, or goes on with what was begun for the same offer. Where PayPal cannot be reached now, the hub goes on trying.
    /// - Throws: ``Problem``, or `PaymentStore.Problem`.
    public func buy(_ code: String, by account: StoredAccount) async throws -> PaymentID {
        guard let offer = offers(for: account).first(where: { $0.code == code }) else { throw Problem.unknown }
        let id = try store.begin(offer, by: account, now: now()).id
        try await advance(id, resumes: true)
        return id
    }

    /// One of somebody's own payments; nil for another's, or none.
    public func order(_ id: PaymentID, of account: AccountID) throws -> PaymentOrder? {
        try store.reads.order(id).flatMap { $0.account == account ? $0.order : nil }
    }

    // MARK: Going on

    /// Asks PayPal what is so, and does what follows. Safe to repeat, and at the same time.
    /// - Parameter resumes: the person or PayPal says that something happened: what was refused is tried anew.
    /// - Returns: whether PayPal answered.
    @discardableResult
    public func advance(_ id: PaymentID, resumes: Bool = false) async throws -> Bool {
        if resumes { _ = try store.handle(.resumed, of: id, now: now()) }
        guard let (order, owner) = try store.reads.order(id) else {
            _ = try store.handle(.unreachable, of: id, now: now())
            return true
        }
        let event: PaymentOrder.Event
        do throws(PayPalProblem) {
            event = try await ask(order, owner)
        } catch {
            logger.warning("a payment is asked for again later", metadata: ["payment": "\(id)", "why": "\(error)"])
            _ = try store.handle(.unreachable, of: id, now: now())
            return false
        }
        guard let (after, takes) = try store.handle(event, of: id, now: now()), takes, let remote = after.remote, let payPal else {
            return true
        }
        let taking: PayPal.Taking
        do throws(PayPalProblem) { taking = try await payPal.capture(after, remote) } catch {
            logger.warning("a payment is taken later", metadata: ["payment": "\(id)", "why": "\(error)"])
            return false
        }
        switch taking {
        case .refused: _ = try store.handle(.refused, of: id, now: now())
        case .observed(let payment): _ = try store.handle(.observed(payment), of: id, now: now())
        }
        return true
    }

    private func ask(_ order: PaymentOrder, _ owner: AccountID) async throws(PayPalProblem) -> PaymentOrder.Event {
        guard let payPal else { throw .unreachable("hub.payments.enabled is false") }
        if let remote = order.remote {
            do throws(PayPalProblem) { return .observed(try await payPal.look(remote)) } catch PayPalProblem.gone { return .gone }
        }
        let language = (try? accounts.account(owner))?.language ?? "en"
        let (remote, approval) = try await payPal.open(
            order, named: naming(order.offer, language), back: "\(url())/payments/\(order.id)", language: language)
        return .opened(remote: remote, approval: approval)
    }

    public var timers: [TimerKind: TimerService.Handler] {
        [
            .payment: { [self] timer in
                guard let id = PaymentID(bytes: timer.subject) else { return }
                try await advance(id)
            },
            .entitlement: { [self] timer in
                guard let id = AccountID(bytes: timer.subject) else { return }
                try store.pass(id, now: now())
            },
        ]
    }

    // MARK: Webhooks

    /// What is answered to a webhook.
    public enum WebhookOutcome: Sendable, Hashable {
        /// It was taken, or is about nothing that the hub knows: PayPal need not send it again.
        case taken
        /// It is not PayPal's.
        case forged
        /// It cannot be looked at now: PayPal sends it again.
        case later
    }

    private func payment(of event: WebhookEvent) throws -> PaymentID? {
        if let remote = event.remote, let id = try store.reads.payment(remote: remote) { return id }
        if let id = event.payment, try store.reads.order(id) != nil { return id }
        return try event.capture.flatMap { try store.reads.payment(capture: $0) }
    }

    private func beginCheck() -> Bool {
        checks.withLock { running in
            guard running < Self.checksMax else { return false }
            running += 1
            return true
        }
    }

    /// A webhook came: whatever it says, PayPal is asked what is so. Only that money was taken back is believed from a webhook itself, since no order
    /// tells of it; it switches nothing off.
    public func webhook(_ body: [UInt8], _ signature: WebhookSignature?) async throws -> WebhookOutcome {
        guard let payPal, let signature, let event = WebhookEvent(body) else { return .forged }
        // Whoever forges does not know what PayPal calls an order of this hub: PayPal is not asked for them.
        guard let id = try payment(of: event) else { return .taken }
        guard beginCheck() else { return .later }
        defer { checks.withLock { $0 -= 1 } }
        do throws(PayPalProblem) {
            guard try await payPal.isGenuine(signature, body) else { return .forged }
        } catch {
            logger.warning("a webhook of PayPal cannot be checked now", metadata: ["why": "\(error)"])
            return .later
        }
        if event.isReversal {
            _ = try store.handle(.reversed, of: id, now: now())
            return .taken
        }
        return try await advance(id, resumes: true) ? .taken : .later
    }
}

/// What a webhook is about. PayPal names the payment in different places: an order by its number, a capture by that of its order, a refund by the
/// number that the hub gave or by a link to its capture.
struct WebhookEvent: Sendable, Hashable {
    /// PayPal's name of the order.
    let remote: String?
    /// The hub's number of the payment.
    let payment: PaymentID?
    /// PayPal's name of the capture.
    let capture: String?
    /// The money was taken back: `PAYMENT.CAPTURE.REVERSED`.
    let isReversal: Bool

    /// nil for what is no event.
    init?(_ body: [UInt8]) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard body.count <= PaymentService.webhookMax, let event = try? decoder.decode(Event.self, from: Data(body)) else { return nil }
        let resource = event.resource, named = resource?.supplementaryData?.relatedIds?.orderId ?? resource?.orderId
        remote = named ?? (event.eventType.hasPrefix("CHECKOUT.ORDER.") ? resource?.id : nil)
        payment = [resource?.customId, resource?.invoiceId].lazy.compactMap { $0.flatMap { PaymentID($0) } }.first
        capture = resource?.links?.first { $0.rel == "up" }?.href.flatMap { link in
            link.contains("/payments/captures/") ? link.split(separator: "/").last.map(String.init) : nil
        }
        isReversal = event.eventType == "PAYMENT.CAPTURE.REVERSED"
    }

    private struct Event: Decodable {
        struct Related: Decodable { let orderId: String? }
        struct Supplement: Decodable { let relatedIds: Related? }
        struct Link: Decodable { let rel: String?, href: String? }
        struct Resource: Decodable {
            let id: String?, orderId: String?, customId: String?, invoiceId: String?
            let supplementaryData: Supplement?
            let links: [Link]?
        }
        let eventType: String
        let resource: Resource?
    }
}

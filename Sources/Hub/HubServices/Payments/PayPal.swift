public import Accounts
public import AsyncHTTPClient
import Foundation
public import NIOCore
import NIOHTTP1
import Synchronization
public import Vitals

/// Why PayPal gave no usable answer.
public enum PayPalProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// No answer, or one that says to come again: nothing is known.
    case unreachable(String)
    /// It knows no such order (any more).
    case gone
    /// It refuses, with the names of what is wrong.
    case refused(status: Int, issues: [String])
    /// It says what the hub does not understand.
    case unreadable(String)

    public var description: String {
        switch self {
        case .unreachable(let why): "PayPal cannot be reached: \(why)"
        case .gone: "PayPal knows no such order"
        case .refused(let status, let issues):
            "PayPal refuses with status \(status): \(issues.joined(separator: ", ")). Compare hub.payments with PayPal's dashboard."
        case .unreadable(let what): "PayPal's answer cannot be read: \(what)"
        }
    }
}

/// PayPal's REST API, as far as the hub needs it: access tokens, Orders v2, and the check of webhooks. No card number passes here: people pay on
/// PayPal's own pages.
public final class PayPal: Sendable {
    /// What an operator gets from PayPal's developer dashboard.
    public struct Settings: Sendable {
        /// `https://api-m.paypal.com` or `https://api-m.sandbox.paypal.com`, without a slash at its end.
        public let api: String
        public let client: String
        public let secret: String
        /// The identifier of the webhook, by which PayPal checks its own messages.
        public let webhook: String

        public init(api: String, client: String, secret: String, webhook: String) {
            (self.api, self.client, self.secret, self.webhook) = (api, client, secret, webhook)
        }
    }

    /// From the request to the end of the answer.
    public static let limit: TimeAmount = .seconds(15)
    /// Bytes of an answer that are read, at most.
    public static let answerMax = 256 << 10
    /// A token is not used in its last minute, milliseconds.
    static let tokenMargin: Milliseconds = 60_000

    private let settings: Settings
    private let client: HTTPClient
    private let limit: TimeAmount
    private let now: @Sendable () -> Milliseconds
    private let token = Mutex<(text: String, ends: Milliseconds)?>(nil)

    public init(
        _ settings: Settings, client: HTTPClient = .shared, limit: TimeAmount = PayPal.limit, now: @escaping @Sendable () -> Milliseconds
    ) { (self.settings, self.client, self.limit, self.now) = (settings, client, limit, now) }

    // MARK: Orders

    /// Makes the order, once however often it is asked for.
    /// - Parameters:
    ///   - page: where PayPal sends the person back to, paid or not.
    ///   - language: as BCP 47.
    /// - Returns: PayPal's name of it, and the page where the person pays.
    public func open(
        _ order: PaymentOrder, named text: String, back page: String, language: String
    ) async throws(PayPalProblem) -> (remote: String, approval: String) {
        let price = order.offer.price
        let body = NewOrder(
            purchaseUnits: [
                .init(
                    customId: order.id.description, invoiceId: order.id.description, description: String(text.prefix(127)),
                    amount: .init(currencyCode: price.currency.rawValue, value: price.decimal))
            ],
            paymentSource: .init(
                paypal: .init(
                    experienceContext: .init(returnUrl: page, cancelUrl: page, locale: language == "it" ? "it-IT" : "en-GB"))))
        let answer = try await ask(
            .POST, "/v2/checkout/orders", Self.json(body), [("PayPal-Request-Id", order.id.description)], as: OrderAnswer.self)
        let link = answer.links?.first { $0.rel == "payer-action" || $0.rel == "approve" }?.href
        guard let link, isPayPal(link) else { throw .unreadable("there is no page of PayPal's on which to pay") }
        return (answer.id, link)
    }

    /// What PayPal says of an order now.
    public func look(_ remote: String) async throws(PayPalProblem) -> RemotePayment {
        try await ask(.GET, "/v2/checkout/orders/\(try Self.segment(remote))", nil, [], as: OrderAnswer.self).payment
    }

    /// What became of the money.
    public enum Taking: Sendable, Hashable {
        case observed(RemotePayment)
        /// The means of payment was not taken: the person may try another one.
        case refused
    }

    /// Takes the money that the person approved, once however often it is asked for.
    public func capture(_ order: PaymentOrder, _ remote: String) async throws(PayPalProblem) -> Taking {
        let path = "/v2/checkout/orders/\(try Self.segment(remote))"
        do throws(PayPalProblem) {
            _ = try await ask(
                .POST, path + "/capture", Array("{}".utf8),
                // A second means of payment is a second attempt: the same number would bring back the first refusal.
                [("PayPal-Request-Id", "\(order.id)-\(order.retries)")], as: OrderAnswer.self)
        } catch {
            guard case .refused(_, let issues) = error else { throw error }
            if issues.contains("INSTRUMENT_DECLINED") { return .refused }
            // Somebody else was faster, as a webhook and a page at the same moment: the look below says what is so.
            guard issues.contains("ORDER_ALREADY_CAPTURED") || issues.contains("ORDER_NOT_APPROVED") else { throw error }
        }
        // The answer to a capture may lack what the hub gave to the order; a look has it all.
        return .observed(try await look(remote))
    }

    /// Asks PayPal whether a webhook is its own (`verify-webhook-signature`).
    /// - Parameter body: as it came, byte by byte.
    public func isGenuine(_ signature: WebhookSignature, _ body: [UInt8]) async throws(PayPalProblem) -> Bool {
        let fields = [
            "auth_algo": signature.algorithm, "cert_url": signature.certificate, "transmission_id": signature.id,
            "transmission_sig": signature.signature, "transmission_time": signature.time, "webhook_id": settings.webhook,
        ]
        // The event stands in the request as it came: written anew it might be another text.
        var request = Self.json(fields)
        request.removeLast()
        request += Array(",\"webhook_event\":".utf8) + body + Array("}".utf8)
        let answer = try await ask(.POST, "/v1/notifications/verify-webhook-signature", request, [], as: Verification.self)
        return answer.verificationStatus == "SUCCESS"
    }

    /// A page where people pay is one of PayPal's, or of the API that the operator named.
    private func isPayPal(_ link: String) -> Bool {
        guard let url = URL(string: link), let host = url.host?.lowercased() else { return false }
        if url.scheme == "https", host == "paypal.com" || host.hasSuffix(".paypal.com") { return true }
        guard let api = URL(string: settings.api) else { return false }
        return url.scheme == api.scheme && host == api.host?.lowercased() && url.port == api.port
    }

    private static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    private static func segment(_ remote: String) throws(PayPalProblem) -> String {
        guard (1...64).contains(remote.utf8.count), remote.utf8.allSatisfy({ $0 == 45 || isWord($0) }) else {
            throw .unreadable("the name of an order")
        }
        return remote
    }

    private static func isWord(_ byte: UInt8) -> Bool { (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) }

    private static func json(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .sortedKeys
        // Texts alone: there is nothing that JSON cannot say.
        return Array((try? encoder.encode(value)) ?? Data())
    }

    // MARK: Requests

    private func ask<Answer: Decodable>(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8]?, _ headers: [(String, String)], as type: Answer.Type
    ) async throws(PayPalProblem) -> Answer {
        let known = token.withLock { $0 }.flatMap { $0.ends > now() ? $0.text : nil }
        do throws(PayPalProblem) {
            let bearer: String
            if let known { bearer = known } else { bearer = try await newToken() }
            return try await send(method, path, body, headers + [("Authorization", "Bearer \(bearer)")], as: type)
        } catch {
            // A token may end before its time; a new one is tried once.
            guard case .refused(401, _) = error, known != nil else { throw error }
            token.withLock { $0 = nil }
            let bearer = try await newToken()
            return try await send(method, path, body, headers + [("Authorization", "Bearer \(bearer)")], as: type)
        }
    }

    private func newToken() async throws(PayPalProblem) -> String {
        let basic = Data("\(settings.client):\(settings.secret)".utf8).base64EncodedString()
        let answer = try await send(
            .POST, "/v1/oauth2/token", Array("grant_type=client_credentials".utf8),
            [("Authorization", "Basic \(basic)")], type: "application/x-www-form-urlencoded", as: Token.self)
        let ends = now() + Milliseconds(max(0, min(answer.expiresIn, 86_400))) * 1000 - Self.tokenMargin
        token.withLock { $0 = (answer.accessToken, ends) }
        return answer.accessToken
    }

    private func send<Answer: Decodable>(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8]?, _ headers: [(String, String)], type content: String = "application/json",
        as type: Answer.Type
    ) async throws(PayPalProblem) -> Answer {
        var request = HTTPClientRequest(url: settings.api + path)
        request.method = method
        request.headers.add(name: "Accept", value: "application/json")
        if let body {
            request.headers.add(name: "Content-Type", value: content)
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        let status: Int, data: Data
        do {
            let response = try await client.execute(request, timeout: limit)
            status = Int(response.status.code)
            data = Data(try await response.body.collect(upTo: Self.answerMax).readableBytesView)
        } catch { throw .unreachable("\(error)") }
        switch status {
        case 200..<300:
            do { return try Self.decoder().decode(type, from: data) } catch { throw .unreadable("\(path.prefix(40))") }
        case 404: throw .gone
        case 408, 429, 500...: throw .unreachable("status \(status)")
        default:
            let said = try? JSONDecoder().decode(Refusal.self, from: data)
            throw .refused(status: status, issues: [said?.name].compactMap(\.self) + (said?.details ?? []).compactMap(\.issue))
        }
    }
}

/// The headers by which PayPal signs a webhook.
public struct WebhookSignature: Sendable, Hashable {
    public let algorithm: String, certificate: String, id: String, signature: String, time: String

    /// Characters of one header, at most.
    public static let lengthMax = 2000

    /// - Parameter header: the value of a header; nil where it is missing.
    /// - Returns: nil where one is missing or too long.
    public init?(_ header: (String) -> String?) {
        func value(_ name: String) -> String? {
            header("PayPal-\(name)").flatMap { (1...Self.lengthMax).contains($0.utf8.count) ? $0 : nil }
        }
        guard let algorithm = value("Auth-Algo"), let certificate = value("Cert-Url"), let id = value("Transmission-Id"),
            let signature = value("Transmission-Sig"), let time = value("Transmission-Time")
        else { return nil }
        (self.algorithm, self.certificate, self.id, self.signature, self.time) = (algorithm, certificate, id, signature, time)
    }
}

// MARK: PayPal's messages

/// A new order (Orders v2).
private struct NewOrder: Encodable {
    struct Amount: Encodable { let currencyCode: String, value: String }
    struct Unit: Encodable { let customId: String, invoiceId: String, description: String, amount: Amount }
    struct Context: Encodable {
        let returnUrl: String, cancelUrl: String, locale: String
        let userAction = "PAY_NOW", shippingPreference = "NO_SHIPPING"
    }
    struct Wallet: Encodable { let experienceContext: Context }
    struct Source: Encodable { let paypal: Wallet }
    let intent = "CAPTURE"
    let purchaseUnits: [Unit]
    let paymentSource: Source
}

private struct Token: Decodable {
    let accessToken: String
    let expiresIn: Int64
}

private struct Verification: Decodable { let verificationStatus: String }

private struct Refusal: Decodable {
    struct Detail: Decodable { let issue: String? }
    let name: String?
    let details: [Detail]?
}

private struct OrderAnswer: Decodable {
    struct Link: Decodable { let href: String, rel: String }
    struct Amount: Decodable { let currencyCode: String, value: String }
    struct Capture: Decodable {
        let id: String, status: String
        let amount: Amount?
    }
    struct Payments: Decodable { let captures: [Capture]? }
    struct Unit: Decodable {
        let customId: String?
        let payments: Payments?
    }
    let id: String
    let status: String
    let links: [Link]?
    let purchaseUnits: [Unit]?

    var payment: RemotePayment {
        get throws(PayPalProblem) {
            guard let status = RemotePayment.Status(rawValue: status) else { throw .unreadable("the order's status \(status)") }
            let unit = purchaseUnits?.first
            var capture: RemotePayment.Capture?
            if let last = unit?.payments?.captures?.last {
                guard let state = RemotePayment.Capture.Status(rawValue: last.status) else {
                    throw .unreadable("the payment's status \(last.status)")
                }
                let amount = last.amount.flatMap { amount in
                    Accounts.Currency(rawValue: amount.currencyCode).flatMap { Money(amount.value, $0) }
                }
                capture = RemotePayment.Capture(id: last.id, status: state, amount: amount)
            }
            return RemotePayment(remote: id, status: status, custom: unit?.customId, capture: capture)
        }
    }
}

import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// PayPal's REST API on loopback, as far as the hub uses it, with failures on demand. No name outside of this machine is asked.
final class PayPalServer: Sendable {
    /// What comes of taking the money.
    enum Outcome: Sendable {
        case completed, pending, declined, instrumentDeclined, otherAmount
    }

    enum Trouble: Sendable, Equatable {
        case none
        case status(Int)
        /// It does what it was asked for, and its answer is lost.
        case lostAnswer
        /// It takes the request and says nothing, until the trouble is over: then the connection is closed.
        case silence
    }

    private struct Order {
        var status = "PAYER_ACTION_REQUIRED"
        var custom = "", currency = "", value = ""
        var capture: (id: String, status: String, value: String)?
    }

    private struct State {
        var orders: [String: Order] = [:]
        /// By the number of the request.
        var opened: [String: String] = [:], captured: [String: (Int, String)] = [:]
        var tokens: Set<String> = [], tokensMade = 0
        var outcome = Outcome.completed
        var trouble = Trouble.none
        var asked: [String] = []
        var silent: [any Channel] = []
    }

    static let client = "client-of-the-test", secret = "secret-of-the-test", webhook = "WH-TEST"

    private let state = Mutex(State())
    private let channel: any Channel

    init() async throws {
        let box = Holder()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(box))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        box.server.withLock { $0 = self }
    }

    func close() async throws {
        trouble(.none)
        try await channel.close()
    }

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    // MARK: What a test does

    func outcome(_ outcome: Outcome) { state.withLock { $0.outcome = outcome } }

    func trouble(_ trouble: Trouble) {
        let silent = state.withLock { state in
            defer { (state.trouble, state.silent) = (trouble, []) }
            return state.silent
        }
        for channel in silent { channel.close(promise: nil) }
    }

    /// All access tokens end before their time.
    func endTokens() { state.withLock { $0.tokens = [] } }

    /// The person approves the payment on PayPal's page.
    func approve(_ order: String) { state.withLock { $0.orders[order]?.status = "APPROVED" } }

    /// The money comes in, is refused, or goes back.
    func settle(_ order: String, _ status: String) { state.withLock { $0.orders[order]?.capture?.status = status } }

    /// PayPal forgets an order that nobody approved.
    func forget(_ order: String) { state.withLock { $0.orders[order] = nil } }

    /// Requests so far, as `METHOD PATH`.
    func asked(_ part: String) -> Int { state.withLock { $0.asked.count { $0.contains(part) } } }

    var orders: Int { state.withLock { $0.orders.count } }

    /// A webhook as PayPal sends it. A forged one has a signature that PayPal did not make.
    static func event(_ type: String, _ order: String, isForged: Bool = false) -> (headers: [(String, String)], body: [UInt8]) {
        let capture = "https://api.paypal.com/v2/payments/captures/CAP-\(order)"
        let resource =
            if type.hasPrefix("CHECKOUT.ORDER.") {
                #"{"id":"\#(order)"}"#
            } else if type.hasSuffix("REFUNDED") || type.hasSuffix("REVERSED") {
                // A refund names no order.
                #"{"id":"REF-\#(order)","links":[{"rel":"self","href":"https://api.paypal.com/x"},{"rel":"up","href":"\#(capture)"}]}"#
            } else {
                #"{"id":"CAP-\#(order)","supplementary_data":{"related_ids":{"order_id":"\#(order)"}}}"#
            }
        let headers = [
            ("content-type", "application/json"), ("PayPal-Auth-Algo", "SHA256withRSA"),
            ("PayPal-Cert-Url", "https://api.paypal.com/v1/notifications/certs/CERT-1"), ("PayPal-Transmission-Id", "T-1"),
            ("PayPal-Transmission-Sig", isForged ? "made-up" : "signature-of-T-1"), ("PayPal-Transmission-Time", "2026-11-28T12:00:00Z"),
        ]
        return (headers, Array(#"{"id":"WH-1","event_type":"\#(type)","resource":\#(resource)}"#.utf8))
    }

    // MARK: What it answers

    private final class Holder: Sendable { let server = Mutex<PayPalServer?>(nil) }

    private func answer(_ head: HTTPRequestHead, _ body: [UInt8]) -> (status: Int, body: String) {
        let base = url
        return state.withLock { state in
            state.asked.append("\(head.method.rawValue) \(head.uri)")
            if case .status(let status) = state.trouble { return (status, "{}") }
            let authorization = head.headers.first(name: "authorization") ?? ""
            if head.uri == "/v1/oauth2/token" {
                let basic = "Basic " + Data("\(Self.client):\(Self.secret)".utf8).base64EncodedString()
                guard authorization == basic, body == Array("grant_type=client_credentials".utf8) else {
                    return (401, #"{"error":"invalid_client"}"#)
                }
                state.tokensMade += 1
                state.tokens.insert("token-\(state.tokensMade)")
                return (200, #"{"access_token":"token-\#(state.tokensMade)","token_type":"Bearer","expires_in":32400}"#)
            }
            guard authorization.hasPrefix("Bearer "), state.tokens.contains(String(authorization.dropFirst(7))) else {
                return (401, #"{"name":"AUTHENTICATION_FAILURE"}"#)
            }
            let parts = head.uri.split(separator: "/").map(String.init), number = head.headers.first(name: "paypal-request-id") ?? ""
            switch (head.method, parts.count) {
            case (.POST, 3) where parts.last == "verify-webhook-signature": return Self.verified(body)
            case (.POST, 3) where parts.last == "orders": return Self.open(body, number, base, &state)
            case (.GET, 4):
                guard let order = state.orders[parts[3]] else { return (404, #"{"name":"RESOURCE_NOT_FOUND"}"#) }
                return (200, Self.json(parts[3], order, base))
            case (.POST, 5) where parts.last == "capture": return Self.capture(parts[3], number, base, &state)
            default: return (404, "{}")
            }
        }
    }

    private static func verified(_ body: [UInt8]) -> (Int, String) {
        let sent = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
        let isTrue =
            sent["transmission_sig"] as? String == "signature-of-\(sent["transmission_id"] as? String ?? "")"
            && sent["webhook_id"] as? String == webhook && (sent["webhook_event"] as? [String: Any])?["event_type"] != nil
        return (200, #"{"verification_status":"\#(isTrue ? "SUCCESS" : "FAILURE")"}"#)
    }

    private static func open(_ body: [UInt8], _ number: String, _ base: String, _ state: inout State) -> (Int, String) {
        if let known = state.opened[number], let order = state.orders[known] { return (200, json(known, order, base)) }
        let sent = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
        guard !number.isEmpty, sent["intent"] as? String == "CAPTURE", let unit = (sent["purchase_units"] as? [[String: Any]])?.first,
            let amount = unit["amount"] as? [String: String], let currency = amount["currency_code"], let value = amount["value"],
            let custom = unit["custom_id"] as? String
        else { return (400, #"{"name":"INVALID_REQUEST"}"#) }
        let id = "ORDER\(state.orders.count + 1)"
        let order = Order(custom: custom, currency: currency, value: value)
        (state.opened[number], state.orders[id]) = (id, order)
        return (201, json(id, order, base))
    }

    private static func capture(_ id: String, _ number: String, _ base: String, _ state: inout State) -> (Int, String) {
        if let known = state.captured[number] { return known }
        guard var order = state.orders[id] else { return (404, #"{"name":"RESOURCE_NOT_FOUND"}"#) }
        func refuse(_ issue: String) -> (Int, String) {
            (422, #"{"name":"UNPROCESSABLE_ENTITY","details":[{"issue":"\#(issue)"}]}"#)
        }
        guard order.capture == nil else { return refuse("ORDER_ALREADY_CAPTURED") }
        guard order.status == "APPROVED" else { return refuse("ORDER_NOT_APPROVED") }
        let status: String
        switch state.outcome {
        case .instrumentDeclined:
            let answer = refuse("INSTRUMENT_DECLINED")
            state.captured[number] = answer
            return answer
        case .completed, .otherAmount: status = "COMPLETED"
        case .pending: status = "PENDING"
        case .declined: status = "DECLINED"
        }
        order.status = "COMPLETED"
        order.capture = ("CAP-\(id)", status, state.outcome == .otherAmount ? "0.01" : order.value)
        state.orders[id] = order
        let answer = (201, json(id, order, base))
        state.captured[number] = answer
        return answer
    }

    private static func json(_ id: String, _ order: Order, _ base: String) -> String {
        let captures = order.capture.map {
            #","payments":{"captures":[{"id":"\#($0.id)","status":"\#($0.status)","amount":{"currency_code":"\#(order.currency)","#
                + #""value":"\#($0.value)"}}]}"#
        }
        return #"{"id":"\#(id)","status":"\#(order.status)","purchase_units":[{"custom_id":"\#(order.custom)"\#(captures ?? "")}],"#
            + #""links":[{"rel":"self","href":"\#(base)/v2/checkout/orders/\#(id)"},"#
            + #"{"rel":"payer-action","href":"\#(base)/checkoutnow?token=\#(id)"}]}"#
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let holder: Holder
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ holder: Holder) { self.holder = holder }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let part): body += Array(buffer: part)
            case .end: end(context)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func end(_ context: ChannelHandlerContext) {
            guard let head, let server = holder.server.withLock({ $0 }) else { return context.close(promise: nil) }
            let trouble = server.state.withLock { $0.trouble }
            if trouble == .silence {
                server.state.withLock { $0.silent.append(context.channel) }
                return
            }
            let (status, text) = server.answer(head, body)
            // Without a token nothing is asked that could be lost.
            if trouble == .lostAnswer, head.uri != "/v1/oauth2/token" { return context.close(promise: nil) }
            let headers: HTTPHeaders = ["content-type": "application/json", "content-length": "\(text.utf8.count)"]
            let answer = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
            context.write(wrapOutboundOut(.head(answer)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}

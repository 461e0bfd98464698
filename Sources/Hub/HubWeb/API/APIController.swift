import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import NIOCore
import Vitals

/// The routes for organisations' programs (CONS-12), as ``OpenAPI`` describes them: one table registers them, and a test holds both together.
struct APIController: Sendable {
    let accounts: AccountStore
    let tokens: OrganisationTokens
    let webhooks: Webhooks
    let consents: ConsentService
    let subscriptions: Subscriptions
    let reports: FlagReports
    let programEntries: ProgramEntries
    let tokenEndpoint: String
    let guesses: FailedAttemptLimiter
    let logger: Logger
    let now: @Sendable () -> Milliseconds
    /// How programs reach the hub: the base of addresses in FHIR.
    var site: @Sendable () -> String = { "" }
    /// The session of a browser's cookie.
    var session: @Sendable (String) throws -> StoredSession? = { _ in nil }
    /// On whose threads samples and what goes with them are read.
    let reads: ReadPool<OrganisationID>
    let groups: GroupRequests
    /// How samples are written, hour by hour.
    let export: Export

    static let token = "/api/v1/token"
    static let document = "/api/v1/openapi.json"
    static let bodyMax = 16_384

    /// One operation. Parameters of the path stand in braces, as in the document.
    struct Operation: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let answer: @Sendable (Request, HubContext) async throws -> Response

        var name: String { "\(method.rawValue) \(path)" }
    }

    var operations: [Operation] {
        [
            Operation(method: .get, path: Self.document) { _, _ in .json(bytes: Array(OpenAPI.document.utf8)) },
            Operation(method: .post, path: Self.token) { try await issue($0, $1) },
            Operation(method: .get, path: "/api/v1/webhooks") { request, _ in
                try .json(accounts.webhooks.webhooks(of: organisation(request)).map(WebhookAnswer.init))
            },
            Operation(method: .post, path: "/api/v1/webhooks") { request, _ in try await addWebhook(request) },
            Operation(method: .get, path: "/api/v1/webhooks/{id}") { request, context in
                let (webhook, _) = try webhook(request, context)
                return try .json(WebhookAnswer(webhook))
            },
            Operation(method: .delete, path: "/api/v1/webhooks/{id}") { request, context in
                let (webhook, organisation) = try webhook(request, context)
                guard try accounts.webhooks.removeWebhook(webhook.id, of: organisation) else { throw APIProblem.notFound }
                return Response(status: .noContent)
            },
            Operation(method: .get, path: "/api/v1/webhooks/{id}/dead-deliveries") { request, context in
                let (webhook, organisation) = try webhook(request, context)
                return try .json(accounts.webhooks.deadDeliveries(webhook.id, of: organisation).map(DeadDeliveryAnswer.init))
            },
        ] + consentOperations + ecgOperations + serviceOperations + flagOperations + APIEntries(api: self).operations + fhirOperations
            + APIGroups(api: self, requests: groups).operations
    }

    /// By other methods than those there is nothing at the known paths: each is told so with 405.
    var refusals: [Operation] {
        Dictionary(grouping: operations, by: \.path).flatMap { path, operations in
            let allowed = operations.map(\.method) + (operations.contains { $0.method == .get } ? [.head] : [])
            let problem = APIProblem.notAllowed(allowed.map(\.rawValue))
            return Self.methods.filter { !allowed.contains($0) }.map { Operation(method: $0, path: path) { _, _ in throw problem } }
        }
    }

    func routes(_ router: Router<HubContext>) {
        for operation in operations + refusals {
            let route = operation.path.replacingOccurrences(of: "{", with: ":").replacingOccurrences(of: "}", with: "")
            router.on(RouterPath(route), method: operation.method) { try await operation.answer($0, $1) }
        }
    }

    private static let methods: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace] + [HTTPRequest.Method("QUERY")].compactMap { $0 }

    // MARK: Who asks

    /// The organisation whose program asks: looked up with each request.
    func organisation(_ request: Request) throws -> OrganisationID {
        guard let token = bearer(request) else { throw Authenticator.Refusal.invalidToken }
        return try tokens.organisation(bearer: token, now: now())
    }

    /// The device whose secret the request bears. A right one always gets in, however many guess from the same address.
    /// - Parameters:
    ///   - stranger: the answer to a secret of no device, and to none.
    ///   - organisation: the answer to the token of an organisation.
    func device(
        _ request: Request, _ context: HubContext, stranger: APIProblem, organisation: APIProblem
    ) throws -> StoredDevice {
        guard let secret = bearer(request)?.trimmingCharacters(in: .whitespaces) else { throw stranger }
        if let device = try reports.device(secret: secret) { return device }
        if (try? tokens.organisation(bearer: secret, now: now())) != nil { throw organisation }
        let address = context.address
        guard guesses.allow(address, at: now()) else {
            throw APIProblem(.tooManyRequests, "slow_down", "Too many requests with a wrong secret. Wait a minute and try again.")
        }
        guesses.wrong(address, at: now())
        throw stranger
    }

    /// The part behind the scheme (RFC 6750, section 2.1); nil for another one, and for none.
    func bearer(_ request: Request) -> String? {
        request.headers[.authorization].flatMap { $0.lowercased().hasPrefix("bearer ") ? String($0.dropFirst(7)) : nil }
    }

    /// Answers on a thread for reading, in turn.
    func reading(
        for organisation: OrganisationID, _ answer: @escaping @Sendable () throws -> Response
    ) async throws -> Response {
        do { return try await reads.run(for: organisation, answer) } catch let busy as ReadPoolBusy {
            throw APIProblem(busy)
        }
    }

    /// For an answer that is read part by part.
    func place(for organisation: OrganisationID) throws -> ReadPool<OrganisationID>.Place {
        do { return try reads.place(for: organisation) } catch { throw APIProblem(error) }
    }

    /// Errors here follow RFC 6749, section 5.2, as OAuth clients expect.
    private func issue(_ request: Request, _ context: HubContext) async throws -> Response {
        let address = context.address
        guard guesses.allow(address, at: now()) else {
            throw APIProblem(.tooManyRequests, "slow_down", "Too many requests for a token failed. Wait a minute and try again.")
        }
        do {
            let body = String(buffer: try await request.body(upTo: Self.bodyMax))
            let form = Dictionary(FormFields(body).pairs, uniquingKeysWith: { $1 })
            return try await .json(tokens.token(form, endpoint: tokenEndpoint, now: now()))
        } catch {
            let response = Response.refusal(error, logger: logger)
            if response.status.code < 500 { guesses.wrong(address, at: now()) }
            return response
        }
    }

    // MARK: Webhooks

    private struct NewWebhook: Decodable {
        var url: String
    }

    private func addWebhook(_ request: Request) async throws -> Response {
        let organisation = try organisation(request)
        let body = try await request.body(upTo: Self.bodyMax)
        guard let wanted = try? JSONDecoder().decode(NewWebhook.self, from: Data(body.readableBytesView)) else {
            throw APIProblem(.badRequest, "invalid_request", "The body is not {\"url\": \"https://…\"}.")
        }
        do {
            let webhook = try webhooks.add(wanted.url, to: organisation, now: now())
            var response = try Response.json(WebhookAnswer(webhook, secret: webhook.secret), status: .created)
            response.headers[.location] = "/api/v1/webhooks/\(webhook.id)"
            return response
        } catch let problem as Webhooks.Problem { throw APIProblem(problem) }
    }

    private func webhook(_ request: Request, _ context: HubContext) throws -> (StoredWebhook, OrganisationID) {
        let organisation = try organisation(request)
        guard let id = WebhookID(try context.parameters.require("id")), let webhook = try accounts.webhooks.webhook(id, of: organisation)
        else {
            throw APIProblem.notFound
        }
        return (webhook, organisation)
    }
}

extension APIProblem {
    init(_ busy: ReadPoolBusy) {
        switch busy {
        case .reader:
            self.init(.tooManyRequests, "busy", "Too many readings of this organisation run at once. Wait for their answers.")
        case .everybody: self.init(.serviceUnavailable, "busy", "Too many readings wait. Try again in some seconds.")
        }
    }

    init(_ problem: Webhooks.Problem) {
        switch problem {
        case .url(.unreadable): self.init(.badRequest, "invalid_url", "The url cannot be read: printable ASCII, 2048 characters at most.")
        case .url(.notHTTPS): self.init(.badRequest, "invalid_url", "The url must begin with https://.")
        case .url(.extras): self.init(.badRequest, "invalid_url", "The url must hold no user name, password or fragment.")
        case .url(.host): self.init(.badRequest, "invalid_url", "The url's host must be a full name, or an address as usually written.")
        case .inside: self.init(.badRequest, "inside", "The url does not lead to the public Internet.")
        case .tooMany:
            self.init(
                .conflict, "too_many",
                "An organisation has \(WebhookStore.webhooksMax) webhooks at most. Remove one before you add another.")
        }
    }
}

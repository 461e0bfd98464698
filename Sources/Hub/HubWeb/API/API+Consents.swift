import Exchange
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Privacy
import Vitals

/// What an organisation's program asks people for, and reads of those who agreed (CONS-1, CONS-4, CONS-5, CONS-12, CONS-14).
extension APIController {
    /// What is read where nobody says from when on.
    static let spanUsual: Milliseconds = 7 * 86_400_000
    /// The end of the year 9999, UTC milliseconds.
    private static let timeMax: Milliseconds = 253_402_300_799_999

    var consentOperations: [Operation] {
        [
            Operation(method: .get, path: "/api/v1/consents") { request, _ in try list(request) },
            Operation(method: .post, path: "/api/v1/consents") { request, _ in try await ask(request) },
            Operation(method: .delete, path: "/api/v1/consents/{id}") { request, context in
                let reader = try reader(request)
                do { try consents.end(try consentID(context), by: reader) } catch let problem as ConsentProblem {
                    throw APIProblem(problem)
                }
                return Response(status: .noContent)
            },
            Operation(method: .get, path: "/api/v1/consents/{id}/samples") { request, context in try await samples(request, context) },
            Operation(method: .get, path: "/api/v1/consents/{id}/stream") { request, context in try stream(request, context) },
        ]
    }

    private func reader(_ request: Request) throws -> Reader { .organisation(try organisation(request)) }

    private func consentID(_ context: HubContext) throws -> ConsentID {
        guard let id = ConsentID(try context.parameters.require("id")) else { throw APIProblem.notFound }
        return id
    }

    /// The newest first, in pages: the next one is linked (RFC 8288).
    private func list(_ request: Request) throws -> Response {
        let text = request.uri.queryParameters["page"].map(String.init), before = text.flatMap { Int64($0) }
        guard text == nil || before != nil else {
            throw APIProblem(.badRequest, "invalid_page", "The page is none of ours: follow the link next.")
        }
        let page = try consents.history(of: reader(request), before: before)
        var response = try Response.json(page.items.map(ConsentAnswerBody.init))
        if let next = page.next, let link = HTTPField.Name("Link") {
            response.headers[link] = "</api/v1/consents?page=\(next)>; rel=\"next\""
        }
        return response
    }

    // MARK: Asking

    private struct NewConsent: Decodable {
        var whom: String
        var kinds: [String]
        var purpose: String
        /// Days of a subscription; once without.
        var days: Int?
    }

    private func ask(_ request: Request) async throws -> Response {
        let organisation = try organisation(request)
        let body = try await request.body(upTo: Self.bodyMax)
        guard let wanted = try? JSONDecoder().decode(NewConsent.self, from: Data(body.readableBytesView)),
            let account = try accounts.account(organisation.account)
        else {
            throw APIProblem(
                .badRequest, "invalid_request",
                "The body is not {\"whom\": …, \"kinds\": […], \"purpose\": …}, with \"days\" for a subscription.")
        }
        let kinds = try Self.kinds(wanted.kinds)
        let address: ConsentAddress
        do { address = try ConsentAddress(wanted.whom) } catch {
            throw APIProblem(
                .badRequest, "invalid_address",
                "whom is no e-mail address and no tax identifier. All but Italian ones have their country before them: US:123-45-6789.")
        }
        let term = wanted.days.map { ConsentTerm.lasting(Milliseconds(max(0, min($0, 10_000))) * 86_400_000) } ?? .once
        do {
            let asked = try consents.ask(address, by: account, kinds: kinds, purpose: wanted.purpose, term: term)
            return try .json(ConsentAnswerBody(asked), status: .created)
        } catch let problem as ConsentProblem { throw APIProblem(problem) }
    }

    static func kinds(_ names: [String]) throws -> Set<DataKind> {
        Set(
            try names.map { name in
                guard let kind = DataKind(name: name), Texts.kindsOffered.contains(kind) else {
                    let known = Texts.kindsOffered.map(\.name).joined(separator: ", ")
                    throw APIProblem(.badRequest, "invalid_kind", "No kind has the name \(name.prefix(40)). A kind is one of \(known).")
                }
                return kind
            })
    }

    // MARK: Reading

    /// For which service is read; a consent for a service is good for nothing else.
    private func service(_ request: Request) throws -> ServiceID? {
        guard let text = request.uri.queryParameters["service"].map(String.init) else { return nil }
        guard let id = ServiceID(text) else { throw APIProblem.notFound }
        return id
    }

    /// RFC 3339 or UTC milliseconds.
    private func time(_ request: Request, _ name: Substring) throws -> Milliseconds? {
        guard let text = request.uri.queryParameters[name].map(String.init) else { return nil }
        guard let time = APITime.read(text) else {
            throw APIProblem(.badRequest, "invalid_time", "\(name) is neither RFC 3339 in UTC nor milliseconds since 1970.")
        }
        return time
    }

    private func samples(_ request: Request, _ context: HubContext) async throws -> Response {
        let organisation = try organisation(request), reader = Reader.organisation(organisation), id = try consentID(context)
        let wanted = (from: try time(request, "from"), to: try time(request, "to") ?? now())
        guard 0 <= wanted.from ?? 0, wanted.from ?? 0 <= wanted.to, wanted.to <= Self.timeMax else {
            throw APIProblem(.badRequest, "invalid_span", "from comes first, and both are between 1970 and 9999.")
        }
        let last = request.uri.queryParameters["last"].map(String.init), count = last.flatMap { Int($0) }
        guard last == nil || wanted.from == nil && count.map((1...ConsentService.lastMax).contains) == true else {
            throw APIProblem(.badRequest, "invalid_last", "last is from 1 to \(ConsentService.lastMax), and goes without from.")
        }
        let formats = request.uri.queryParameters.filter { $0.key == "format" }.map { String($0.value) }
        guard formats.allSatisfy(["json", "csv"].contains) else {
            throw APIProblem(.badRequest, "invalid_format", "format is json or csv.")
        }
        let service = try service(request), place = try place(for: organisation), export = export.taking(place)
        guard let (grant, upTo) = try await place.run({ try consents.samples(id, as: reader, for: service) }) else {
            throw APIProblem.notFound
        }
        let to = min(wanted.to, upTo ?? .max)
        let start = try await place.run { try count.map { try consents.start(ofLast: $0, grant, upTo: to) ?? to } }
        let from = start ?? wanted.from ?? max(0, to - Self.spanUsual)
        guard from <= to else {
            throw APIProblem(.badRequest, "invalid_span", "This consent gives what there was up to \(APITime.text(to)); from is later.")
        }
        let span = from...to
        // Hour by hour as the program takes it: a week at 1 Hz fills no memory.
        func file<Writer: SampleWriter>(_ writer: Writer) -> Response {
            Response(
                status: .ok, headers: [.contentType: Writer.mediaType, .cacheControl: "no-store"],
                // Where it was for once, and this was the last of it, it ends.
                body: export.body(writer, grant, span, logger: logger) { try consents.delivered(span, of: id, to: reader, grant) })
        }
        guard formats.last == "csv" else { return file(JSONLinesWriter()) }
        return file(try await place.run { try export.csv(grant, in: span) })
    }

    private func stream(_ request: Request, _ context: HubContext) throws -> Response {
        let reader = try reader(request), id = try consentID(context)
        let last = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] } ?? request.uri.queryParameters["after"].map(String.init)
        let cursor = last.flatMap(SubscriptionCursor.init)
        guard last == nil || cursor != nil else {
            throw APIProblem(
                .badRequest, "invalid_cursor", "The cursor is none of ours: send the id of the last event that you got, or none.")
        }
        let service = try service(request)
        guard let deliveries = try subscriptions.deliveries(of: id, to: reader, for: service, after: cursor),
            let grant = try accounts.consents.grant(by: id, to: reader, for: service, now: now())
        else { throw APIProblem.notFound }
        try accounts.ledger.recordRead(grant, now: now())
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { writer in
                try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
                for try await delivery in deliveries {
                    // A token that was revoked or is over ends the stream too; the program goes on behind its cursor with another.
                    guard (try? self.reader(request)) == reader else { break }
                    try await writer.write(ByteBuffer(bytes: Self.event(delivery)))
                }
                try await writer.finish(nil)
            })
    }

    private static func event(_ delivery: Delivery) -> [UInt8] {
        switch delivery {
        case .idle(let cursor): return Array(": \(cursor.map(\.description) ?? "idle")\n\n".utf8)
        case .ended: return Array("event: end\ndata: {}\n\n".utf8)
        case .startOver(let from, let cursor):
            return Array("event: start-over\nid: \(cursor)\ndata: {\"from\":\(from)}\n\n".utf8)
        case .samples(let arrival, let cursor):
            var lines = JSONLinesWriter(), bytes: [UInt8] = []
            lines.begin(&bytes)
            lines.append(arrival.samples, from: arrival.provenance, to: &bytes)
            lines.end(&bytes)
            var event = Array("event: samples\nid: \(cursor)\n".utf8)
            for line in bytes.split(separator: UInt8(ascii: "\n")) { event += Array("data: ".utf8) + line + [UInt8(ascii: "\n")] }
            return event + [UInt8(ascii: "\n")]
        }
    }
}

/// A request as its asker's program sees it.
struct ConsentAnswerBody: Encodable {
    var id: String
    var whom: String
    var kinds: [String]
    var purpose: String
    var state: String
    var since: String?
    var until: String?
    var expires: String?
    var ended: String?
    /// For what somebody who stays unnamed added.
    var service: String?

    init(_ asked: AskedConsent) {
        (id, whom, purpose) = (asked.id.description, asked.label, asked.scope.purpose)
        kinds = Texts.kindsOffered.filter(asked.scope.kinds.contains).map(\.name)
        service = asked.scope.service?.description
        switch asked.shown {
        case .awaitingOperator: state = "awaiting-operator"
        case .pending(_, let expires): (state, self.expires) = ("pending", APITime.text(expires))
        case .accepted(let since, let until):
            (state, self.since, self.until) = ("accepted", APITime.text(since), until.map(APITime.text))
        case .over(let ending, let at): (state, ended) = (ending.rawValue, APITime.text(at))
        }
    }
}

extension APIProblem {
    init(_ problem: ConsentProblem) {
        switch problem {
        case .noKinds: self.init(.badRequest, "no_kinds", "Name at least one kind.")
        case .purposeMissing: self.init(.badRequest, "no_purpose", "Say what the data is for.")
        case .purposeTooLong:
            self.init(.badRequest, "purpose_too_long", "The purpose has \(ConsentScope.purposeCharactersMax) characters at most.")
        case .termOutOfRange, .tooLate: self.init(.badRequest, "invalid_term", "days is from 1 to five years, or left out.")
        case .alreadyAsked: self.init(.conflict, "already_asked", "The same question to this address is still open.")
        case .alreadyRuns: self.init(.conflict, "already_runs", "This may be read already.")
        case .tooManyOpen: self.init(.conflict, "too_many_open", "Three questions to this address are open. Wait for an answer.")
        case .notYours: self = .notFound
        case .notAccepted, .alreadyAccepted, .alreadySent, .over: self.init(.conflict, "over", "This has ended, or has another state.")
        }
    }
}

import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// An organisation's requests: asking, and what became of what was asked (CONS-1, CONS-6, CONS-9). Nothing here tells whether a person exists.
struct RequestsPages: Sendable {
    let consents: ConsentService
    let templates: Templates

    private static let day: Milliseconds = 86_400_000
    private static let termsOffered: [(value: String, term: ConsentTerm)] =
        [("once", .once)] + [7, 30, 90, 365].map { ("\($0)", .lasting(Milliseconds($0) * day)) }

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/requests") { request, context in
            let query = request.uri.queryParameters
            return try page(
                Frame(request, context), before: query["before"].flatMap { Int64($0) }, searched: FollowersPages.searched(request))
        }
        router.post("/requests") { request, context in try await ask(request, context) }
        router.post("/requests/:id/end") { request, context in try end(request, context) }
        router.post("/requests/:id/deleted") { request, context in try confirmDeletion(request, context) }
        router.get("/operator/requests") { request, context in try waiting(Frame(request, context)) }
        router.post("/operator/requests/:id/:decision") { request, context in try await decide(request, context) }
    }

    private func page(
        _ frame: Frame, before: Int64? = nil, searched: String? = nil, values: [String: String] = [:],
        problems: [(field: String, mistake: FieldError)] = [], problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .organisation).account, texts = frame.texts
        let kinds = FormField.kinds(texts)
        let terms = Self.termsOffered.map { ($0.value, texts.term($0.term)) }
        let form = FormModel(
            action: "/requests", button: texts["requests.button"],
            fields: [FormField(name: "whom", kind: .text, hint: texts["requests.whomHint"])] + kinds
                + [
                    FormField(name: "requestPurpose", kind: .paragraph, hint: texts["signUp.purposeHint"]),
                    FormField(name: "term", kind: .choice(terms)),
                ],
            values: values, problems: problems, problem: problem)
        let reader = Reader.organisation(OrganisationID(account.id))
        let history =
            try ConsentSearch(searched, in: consents).map { try $0.history(of: reader, before: before) }
            ?? consents.history(of: reader, before: before)
        let page = RequestsPage(
            form: frame.mayAsk ? form.model(texts) : nil, isEmpty: history.items.isEmpty && history.unreadable == 0,
            history: try history.items.map { try shown($0, texts, mayEnd: frame.mayAsk) },
            hasSearch: FollowersPages.isSearchable(history.items.count, before: before, next: history.next, searched), q: searched ?? "",
            next: FollowersPages.older("/requests", history.next, searched))
        return templates.page(page, frame, title: texts["requests.title"], help: "requests", status: status)
    }

    private func shown(_ item: AskedConsent, _ texts: Texts, mayEnd: Bool) throws -> RequestsPage.Item {
        var shown = RequestsPage.Item(
            id: item.id.description, label: try label(item, texts), kinds: texts.kinds(item.scope.kinds),
            term: texts.term(item.scope.term), purpose: item.scope.purpose, state: texts.shown(item.shown), isRunning: item.isRunning,
            isOnce: item.scope.term == .once, isDownloadable: item.isRunning || item.repeatedUntil != nil,
            isOver: item.shown.isOver || !mayEnd)
        if case .over(.revoked, _) = item.shown { shown.deletion = deletion(item, texts, mayConfirm: mayEnd) }
        switch item.shown {
        case .accepted where item.scope.term == .once: shown.note = texts["downloads.once"]
        case .over(.fulfilled, _) where item.repeatedUntil != nil, .over(.ranOut, _) where item.repeatedUntil != nil:
            shown.note = texts.filled("downloads.repeated", ["time": texts.instant(item.repeatedUntil ?? 0)])
        case .over(.fulfilled, _), .over(.ranOut, _): shown.note = texts["downloads.ended"]
        case .awaitingOperator, .pending, .accepted, .over: break
        }
        return shown
    }

    private func deletion(_ item: AskedConsent, _ texts: Texts, mayConfirm: Bool) -> RequestsPage.Deletion {
        guard let at = item.deletionConfirmed else {
            return .init(action: "/requests/\(item.id)/deleted", text: texts["requests.deleteAsked"], canConfirm: mayConfirm)
        }
        return .init(action: "", text: texts.filled("requests.deletedAt", ["time": texts.instant(at)]), canConfirm: false)
    }

    /// A service is added by somebody who stays unnamed.
    private func label(_ item: AskedConsent, _ texts: Texts) throws -> String {
        guard let service = item.scope.service else { return texts.person(item) }
        return texts.filled("requests.service", ["name": try consents.service(service)?.shown?.name ?? "–"])
    }

    private func ask(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .organisation).account
        let sent = try await SentForm(request)
        let address: ConsentAddress
        do { address = try ConsentAddress(sent["whom"]) } catch {
            return try page(frame, values: sent.fields, problems: [("whom", error)], status: .unprocessableContent)
        }
        guard let term = Self.termsOffered.first(where: { $0.value == sent["term"] })?.term else {
            return try page(frame, values: sent.fields, problems: [("term", FieldError(.notAChoice))], status: .unprocessableContent)
        }
        let kinds = Set(Texts.kindsOffered.filter { !sent["kind\($0.rawValue)"].isEmpty })
        do {
            _ = try consents.ask(address, by: account, kinds: kinds, purpose: sent["requestPurpose"], term: term)
        } catch let problem as ConsentProblem {
            return try page(frame, values: sent.fields, problem: frame.texts.problem(problem), status: .unprocessableContent)
        }
        return .redirect(to: "/requests", type: .normal)
    }

    private func end(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .organisation).account
        guard let id = ConsentID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        do { try consents.end(id, by: .organisation(OrganisationID(account.id))) } catch ConsentProblem.notYours {
            throw PageRefusal.notAllowed
        } catch let problem as ConsentProblem {
            return try page(frame, problem: frame.texts.problem(problem), status: .conflict)
        }
        return .redirect(to: "/requests", type: .normal)
    }

    private func confirmDeletion(_ request: Request, _ context: HubContext) throws -> Response {
        let account = try Frame(request, context).session(as: .organisation).account
        guard let id = ConsentID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        do { try consents.confirmDeletion(id, by: .organisation(OrganisationID(account.id))) } catch ConsentProblem.notYours {
            throw PageRefusal.notAllowed
        }
        return .redirect(to: "/requests", type: .normal)
    }

    // MARK: The operator

    private func waiting(_ frame: Frame, problem: String? = nil, status: HTTPResponse.Status = .ok) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts
        let items = try consents.waiting(for: account).map { item in
            func of(_ field: Field) -> String { item.asker.map { $0[field] }.flatMap { $0.isEmpty ? nil : $0 } ?? "–" }
            let kind = item.asker.flatMap { texts.find("organisationKind.\($0[.organisationKind])") } ?? "–"
            return WaitingPage.Item(
                id: item.id.description, name: item.asker?.name ?? "–", kind: kind,
                vat: of(.vatNumber) == "–" ? "–" : "\(of(.vatCountry)) \(of(.vatNumber))", email: of(.email), proof: of(.proof),
                about: of(.purpose), kinds: texts.kinds(item.scope.kinds), term: texts.term(item.scope.term),
                purpose: item.scope.purpose, created: texts.instant(item.created), seen: item.asker?.checkMark ?? "")
        }
        return templates.page(
            WaitingPage(problem: problem, isEmpty: items.isEmpty, items: items), frame, title: texts["waiting.title"], help: "requests",
            status: status)
    }

    private func decide(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .operator).account, sent = try await SentForm(request)
        guard let id = ConsentID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        switch try context.parameters.require("decision") {
        case "approve":
            do { try consents.approve(id, seen: sent.fields["seen"], by: account) } catch is AskerChanged {
                return try waiting(frame, problem: frame.texts["waiting.changed"], status: .conflict)
            }
        case "refuse": try consents.refuse(id, by: account)
        default: throw HTTPError(.notFound)
        }
        return .redirect(to: "/operator/requests", type: .normal)
    }
}

extension ShownToAsker.State {
    fileprivate var isOver: Bool {
        if case .over = self { true } else { false }
    }
}

struct RequestsPage: FramedPage {
    static let template = "requests"

    /// Something that was asked.
    struct Item: TemplateModel {
        let id: String, label: String, kinds: String, term: String, purpose: String, state: String
        let isRunning: Bool
        let isOnce: Bool
        let isDownloadable: Bool
        var note: String?
        /// It cannot be ended (any more).
        let isOver: Bool
        /// What was taken back, and is to be deleted.
        var deletion: Deletion?
    }

    struct Deletion: TemplateModel {
        let action: String, text: String
        let canConfirm: Bool
    }

    /// nil for whoever may not ask.
    let form: FormPart?
    let isEmpty: Bool
    let history: [Item]
    let hasSearch: Bool
    /// What was searched for; empty for nothing.
    let q: String
    /// Where older ones begin.
    var next: String?
}

/// Requests for the operator to look at.
struct WaitingPage: FramedPage {
    static let template = "waiting"

    struct Item: TemplateModel {
        let id: String, name: String, kind: String, vat: String, email: String, proof: String, about: String
        let kinds: String, term: String, purpose: String, created: String, seen: String
    }

    var problem: String?
    let isEmpty: Bool
    let items: [Item]
}

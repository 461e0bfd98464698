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
        router.get("/requests") { request, context in try page(Frame(request, context)) }
        router.post("/requests") { request, context in try await ask(request, context) }
        router.post("/requests/:id/end") { request, context in try end(request, context) }
        router.get("/operator/requests") { request, context in try waiting(Frame(request, context)) }
        router.post("/operator/requests/:id/:decision") { request, context in try decide(request, context) }
    }

    private func page(
        _ frame: Frame, values: [String: String] = [:], problems: [(field: String, mistake: Mistake)] = [], problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .organisation).account, texts = frame.texts
        let kinds = Texts.kindsOffered.map { FormField(name: "kind\($0.rawValue)", kind: .tick(value: "1"), isRequired: false) }
        let terms = Self.termsOffered.map { ($0.value, texts.term($0.term)) }
        let form = FormModel(
            action: "/requests", button: texts["requests.button"],
            fields: [FormField(name: "whom", kind: .text, hint: texts["requests.whomHint"])] + kinds
                + [
                    FormField(name: "requestPurpose", kind: .paragraph, hint: texts["signUp.purposeHint"]),
                    FormField(name: "term", kind: .choice(terms)),
                ],
            values: values, problems: problems, problem: problem)
        let history = try consents.history(of: .organisation(OrganisationID(account.id))).items.map { item in
            [
                "id": item.id.description, "label": item.label, "kinds": texts.kinds(item.scope.kinds), "purpose": item.scope.purpose,
                "term": texts.term(item.scope.term), "state": texts.shown(item.shown), "isOver": item.shown.isOver,
            ] as [String: Any]
        }
        return templates.page(
            "requests",
            frame.model(
                title: texts["requests.title"], help: "requests",
                ["form": form.model(texts), "history": history, "isEmpty": history.isEmpty]), status: status)
    }

    private func ask(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .organisation).account
        let sent = try await SentForm(request)
        let address: ConsentAddress
        do { address = try ConsentAddress(sent["whom"]) } catch {
            return try page(frame, values: sent.fields, problems: [("whom", error)], status: .unprocessableContent)
        }
        guard let term = Self.termsOffered.first(where: { $0.value == sent["term"] })?.term else {
            return try page(frame, values: sent.fields, problems: [("term", Mistake(.notAChoice))], status: .unprocessableContent)
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

    // MARK: The operator

    private func waiting(_ frame: Frame) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts
        let items = try consents.waiting(for: account).map { item in
            [
                "id": item.id.description, "name": item.asker?.name ?? "–", "proof": item.asker?[.proof] ?? "–",
                "about": item.asker?[.purpose] ?? "–", "kinds": texts.kinds(item.scope.kinds), "purpose": item.scope.purpose,
                "term": texts.term(item.scope.term), "created": texts.instant(item.created),
            ]
        }
        return templates.page(
            "waiting", frame.model(title: texts["waiting.title"], help: "requests", ["items": items, "isEmpty": items.isEmpty]))
    }

    private func decide(_ request: Request, _ context: HubContext) throws -> Response {
        let account = try Frame(request, context).session(as: .operator).account
        guard let id = ConsentID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        switch try context.parameters.require("decision") {
        case "approve": try consents.approve(id, by: account)
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

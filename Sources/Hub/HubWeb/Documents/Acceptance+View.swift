import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird

/// Documents that changed, and the yes to them (ACC-1).
struct AcceptancePages: Sendable {
    let acceptances: Acceptances
    let documents: OperatorDocuments?
    let templates: Templates

    static let path = "/accept"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/accept") { request, context in try page(Frame(request, context)) }
        router.post("/accept") { request, context -> Response in
            let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
            guard documents != nil else { return .redirect(to: "/home", type: .normal) }
            let missing = try acceptances.accept(sent.fields, by: account)
            return missing.isEmpty ? .redirect(to: "/home", type: .normal) : try page(frame, sent.fields, missing: missing)
        }
    }

    private func page(_ frame: Frame, _ values: [String: String] = [:], missing: [Field] = []) throws -> Response {
        let account = try frame.session().account, texts = frame.texts, owed = try acceptances.owed(by: account)
        guard let documents, !owed.isEmpty else { return .redirect(to: "/home", type: .normal) }
        let fields = owed.map { FormField(name: $0.document.rawValue, kind: .tick(value: $0.version)) }
        let form = FormModel(
            action: Self.path, button: texts["accept.button"], fields: fields, values: values,
            said: missing.map { ($0.rawValue, texts["accept.missing"]) })
        let parts = owed.compactMap { owed in
            OperatorDocuments.Kind(rawValue: owed.document.rawValue).flatMap { documents.part($0, texts) }
        }
        let isPerson = account.roles.contains(.person)
        let links = [
            Link(href: isPerson ? "/data" : LeavePages.path, text: texts["accept.leave"]),
            Link(href: "/help/documents", text: texts["help.documents"]),
        ]
        return templates.page(
            AcceptPage(parts: parts, form: form.model(texts), links: links), frame, title: texts["accept.title"], help: "documents",
            status: missing.isEmpty ? .ok : .unprocessableContent)
    }
}

extension OperatorDocuments {
    /// A document as a page shows it.
    func part(_ kind: Kind, _ texts: Texts) -> AcceptPage.Part? {
        text(kind, in: texts.lang).map { text in
            AcceptPage.Part(
                title: texts.filled("accept.\(kind.rawValue)", ["version": text.version]),
                facts: text.facts.isEmpty ? nil : .init(list: text.facts.map { Fact(label: texts["accept.\($0.name)"], value: $0.value) }),
                paragraphs: text.paragraphs)
        }
    }

    /// The same as lines of text, for the page of help.
    func paragraphs(_ texts: Texts) -> [String] {
        Kind.allCases.compactMap { part($0, texts) }.flatMap { part in
            [part.title] + (part.facts?.list ?? []).map { "\($0.label): \($0.value)" } + part.paragraphs
        }
    }
}

/// Asks for a yes to documents that changed, on pages for looking around. Forms are never held back, and no page that is about an alarm, an
/// emergency, care, duty, one's own data or leaving: nobody is kept from "I'm OK", from help or from deletion by a text.
struct AcceptanceGuard: RouterMiddleware {
    /// nil where the hub's own documents hold.
    let acceptances: Acceptances?

    /// What waits for the yes, with what lies below it.
    static let held = [
        "/home", "/health", "/workouts", "/followers", "/following", "/services", "/profile", "/publish", "/requests", "/groups",
        "/organisation", "/boxes", "/people", "/more",
    ]

    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        guard let acceptances, request.method == .get, let session = context.session, session.strength == .full,
            Self.isHeld(request.uri.path), request.headers[.accept]?.contains("text/html") == true,
            try !acceptances.owed(by: session.account).isEmpty
        else { return try await next(request, context) }
        return .redirect(to: AcceptancePages.path, type: .normal)
    }

    /// A person's own live page, below `/people/`, is not: it shows a case.
    static func isHeld(_ path: String) -> Bool {
        held.contains { path == $0 || $0 != "/people" && path.hasPrefix($0 + "/") }
    }
}

struct AcceptPage: FramedPage {
    static let template = "accept"

    struct Facts: TemplateModel {
        let list: [Fact]
    }

    struct Part: TemplateModel {
        let title: String
        /// nil where the head says the version alone.
        var facts: Facts?
        let paragraphs: [String]
    }

    let parts: [Part]
    let form: FormPart
    let links: [Link]
}

import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// An organisation's webhooks: where the hub posts what is new, how that goes, and what was given up (CONS-5).
struct WebhooksPages: Sendable {
    let store: WebhookStore
    let webhooks: Webhooks
    let factors: FactorService
    let templates: Templates
    let now: @Sendable () -> Milliseconds

    private static let path = "/organisation/webhooks"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/organisation/webhooks") { request, context in try list(Frame(request, context), done: Self.done(request)) }
        router.get("/organisation/webhooks/new") { request, context in
            let frame = Frame(request, context), session = try frame.session(as: .organisation)
            return StepUp.required(session, back: Self.path + "/new", factors) ?? form(frame)
        }
        router.post("/organisation/webhooks") { request, context in try await add(request, context) }
        router.get("/organisation/webhooks/:id") { request, context in
            try one(request, context)
        }
        router.post("/organisation/webhooks/:id/retry") { request, context in try retry(request, context) }
        router.post("/organisation/webhooks/:id/remove") { request, context in try remove(request, context) }
    }

    private static let dones: Set<String> = ["removed", "retried"]

    private static func done(_ request: Request) -> String? {
        request.uri.queryParameters["done"].map(String.init).flatMap { dones.contains($0) ? $0 : nil }
    }

    private func list(_ frame: Frame, done: String? = nil, made: StoredWebhook? = nil, status: HTTPResponse.Status = .ok) throws -> Response
    {
        let organisation = OrganisationID(try frame.session(as: .organisation).account.id), texts = frame.texts
        let hooks = try store.webhooks(of: organisation).map { texts.shown($0) }
        let page = HooksPage(
            good: done.map { texts["webhooks.\($0)"] }, made: made.map { .init(url: $0.url, secret: $0.secret) }, isEmpty: hooks.isEmpty,
            hooks: hooks)
        return templates.page(page, frame, title: texts["webhooks.title"], help: "webhooks", status: status)
    }

    private func form(
        _ frame: Frame, url: String = "", said: String? = nil, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: Self.path, button: texts["webhooks.add"],
            fields: [FormField(name: "webhookURL", kind: .text, autocomplete: "url", hint: texts["webhooks.urlHint"])],
            values: ["webhookURL": url], said: said.map { [("webhookURL", $0)] } ?? [], problem: problem)
        return templates.page(
            FormPage(form: form.model(texts)), frame, title: texts["webhooks.addTitle"], help: "webhooks", status: status)
    }

    private func add(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .organisation), sent = try await SentForm(request)
        if let ask = StepUp.required(session, back: Self.path + "/new", factors) { return ask }
        let texts = frame.texts, url = sent["webhookURL"].trimmingCharacters(in: .whitespaces)
        guard !url.isEmpty else { return form(frame, said: texts["mistake.missing"], status: .unprocessableContent) }
        do {
            let made = try webhooks.add(url, to: OrganisationID(session.account.id), now: now())
            return try list(frame, made: made)
        } catch Webhooks.Problem.tooMany {
            let problem = texts.filled("webhooks.tooMany", ["limit": String(WebhookStore.webhooksMax)])
            return form(frame, url: url, problem: problem, status: .conflict)
        } catch let problem as Webhooks.Problem {
            return form(frame, url: url, said: texts.said(problem), status: .unprocessableContent)
        }
    }

    // MARK: One webhook

    private func webhook(_ frame: Frame, _ context: HubContext) throws -> StoredWebhook {
        let organisation = OrganisationID(try frame.session(as: .organisation).account.id)
        guard let id = WebhookID(try context.parameters.require("id")), let hook = try store.webhook(id, of: organisation) else {
            throw PageRefusal.notAllowed
        }
        return hook
    }

    private func one(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), hook = try webhook(frame, context), texts = frame.texts
        let dead = try store.deadDeliveries(hook.id, of: hook.organisation).map { delivery in
            HookPage.Dead(
                number: String(delivery.number), tries: texts.counted("webhooks.tries", delivery.tries),
                created: texts.instant(delivery.created), givenUp: texts.instant(delivery.givenUp), error: delivery.error)
        }
        let page = HookPage(
            good: Self.done(request).map { texts["webhooks.\($0)"] }, hook: texts.shown(hook), hasDead: !dead.isEmpty, dead: dead)
        return templates.page(page, frame, title: texts["webhooks.oneTitle"], help: "webhooks")
    }

    private func retry(_ request: Request, _ context: HubContext) throws -> Response {
        let hook = try webhook(Frame(request, context), context)
        _ = try store.retryDeliveries(hook.id, of: hook.organisation, now: now())
        return .redirect(to: "\(Self.path)/\(hook.id)?done=retried", type: .normal)
    }

    private func remove(_ request: Request, _ context: HubContext) throws -> Response {
        let hook = try webhook(Frame(request, context), context)
        _ = try store.removeWebhook(hook.id, of: hook.organisation)
        return .redirect(to: Self.path + "?done=removed", type: .normal)
    }
}

extension Texts {
    fileprivate func shown(_ hook: StoredWebhook) -> HookPart {
        var lines = [hook.delivered.map { filled("webhooks.delivered", ["time": instant($0)]) } ?? self["webhooks.neverDelivered"]]
        if hook.waiting > 0 { lines.append(counted("webhooks.waiting", hook.waiting)) }
        if hook.missed > 0 { lines.append(counted("webhooks.missed", hook.missed)) }
        var shown = HookPart(id: hook.id.description, url: hook.url, lines: lines, canRetry: hook.waiting + hook.dead > 0)
        if hook.dead > 0 { shown.deadCount = counted("webhooks.dead", hook.dead) }
        if hook.failures > 0, let error = hook.error {
            shown.problem = counted("webhooks.failing", hook.failures) + " " + filled("webhooks.error", ["error": error])
        }
        return shown
    }

    fileprivate func said(_ problem: Webhooks.Problem) -> String {
        switch problem {
        case .url(.unreadable): self["webhooks.unreadable"]
        case .url(.notHTTPS): self["webhooks.notHTTPS"]
        case .url(.extras): self["webhooks.extras"]
        case .url(.host): self["webhooks.host"]
        case .inside: self["webhooks.inside"]
        case .tooMany: filled("webhooks.tooMany", ["limit": String(WebhookStore.webhooksMax)])
        }
    }
}

/// A webhook, and how it goes.
struct HookPart: TemplateModel {
    let id: String, url: String
    var problem: String?
    let lines: [String]
    /// The number of deliveries that were given up, in words.
    var deadCount: String?
    let canRetry: Bool
}

struct HooksPage: FramedPage {
    static let template = "hooks"

    struct Made: TemplateModel {
        let url: String, secret: String
    }

    var good: String?
    var made: Made?
    let isEmpty: Bool
    let hooks: [HookPart]
}

struct HookPage: FramedPage {
    static let template = "hook"

    /// A delivery that was given up.
    struct Dead: TemplateModel {
        let number: String, tries: String, created: String, givenUp: String, error: String
    }

    var good: String?
    let hook: HookPart
    let hasDead: Bool
    let dead: [Dead]
}

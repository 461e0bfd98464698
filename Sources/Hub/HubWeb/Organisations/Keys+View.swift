import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// The keys with which an organisation's programs sign their requests for tokens (CONS-12): registering, looking, revoking, and how to use them.
struct OrganisationKeysPages: Sendable {
    let keys: OrganisationKeys
    let factors: FactorService
    let templates: Templates
    let tokenEndpoint: String
    /// The hub's address, without a slash at the end.
    let url: @Sendable () -> String
    let now: @Sendable () -> Milliseconds

    private static let path = "/organisation/keys"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/organisation/keys") { request, context in try list(request, context) }
        router.get("/organisation/keys/new") { request, context in
            let frame = Frame(request, context), session = try frame.session(as: .organisation)
            return StepUp.required(session, back: Self.path + "/new", factors) ?? form(frame)
        }
        router.get("/organisation/keys/help") { request, context in try help(Frame(request, context)) }
        router.post("/organisation/keys") { request, context in try await add(request, context) }
        router.post("/organisation/keys/:key/revoke") { request, context in try revoke(request, context) }
    }

    private static let dones: Set<String> = ["added", "revoked"]

    private func list(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .organisation).account, texts = frame.texts
        let all = try keys.all(of: account.id)
        let shown = all.filter { $0.revoked == nil }.map { key in
            KeysPage.Key(
                row: key.row, name: key.name, thumbprint: key.thumbprint,
                created: texts.filled("keys.created", ["time": texts.instant(key.created)]),
                used: key.used.map { texts.filled("keys.used", ["time": texts.moment($0, now: now())]) } ?? texts["keys.neverUsed"])
        }
        let revoked = all.compactMap { key in
            key.revoked.map { "\(key.name): \(texts.filled("keys.revokedAt", ["time": texts.instant($0)]))" }
        }
        let done = request.uri.queryParameters["done"].map(String.init)
        let page = KeysPage(
            good: done.flatMap { Self.dones.contains($0) ? texts["keys.\($0)"] : nil }, isEmpty: shown.isEmpty, keys: shown,
            identifier: account.id.description, endpoint: tokenEndpoint, hasRevoked: !revoked.isEmpty, revoked: revoked)
        return templates.page(page, frame, title: texts["keys.title"], help: "keys")
    }

    private func form(
        _ frame: Frame, values: [String: String] = [:], said: [(field: String, text: String)] = [], problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: Self.path, button: texts["keys.add"],
            fields: [
                FormField(name: "keyName", kind: .text, hint: texts["keys.nameHint"]),
                FormField(name: "publicKey", kind: .paragraph, hint: texts["keys.keyHint"]),
            ], values: values, said: said, problem: problem)
        return templates.page(
            FormPage(form: form.model(texts)), frame, title: texts["keys.addTitle"], help: "keys", status: status)
    }

    private func add(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .organisation), sent = try await SentForm(request)
        if let ask = StepUp.required(session, back: Self.path + "/new", factors) { return ask }
        let texts = frame.texts, name = sent["keyName"].trimmingCharacters(in: .whitespaces), key = sent["publicKey"]
        var values = sent.fields
        // A private key does not go back to the browser.
        if key.contains("PRIVATE") || key.contains("\"d\"") { values["publicKey"] = nil }
        let problems = OrganisationKeys.problems(key, name: name)
        guard problems.isEmpty else {
            return form(frame, values: values, said: problems.map { texts.said($0) }, status: .unprocessableContent)
        }
        do { _ = try keys.add(key, name: name, to: session.account.id, now: now()) } catch OrganisationKeys.Problem.tooMany {
            let problem = texts.filled("keys.tooMany", ["limit": String(OrganisationStore.organisationKeysMax)])
            return form(frame, values: values, problem: problem, status: .conflict)
        } catch let problem as OrganisationKeys.Problem {
            return form(frame, values: values, said: [texts.said(problem)], status: .unprocessableContent)
        }
        return .redirect(to: Self.path + "?done=added", type: .normal)
    }

    private func revoke(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .organisation)
        if let ask = StepUp.required(session, back: Self.path, factors) { return ask }
        guard let row = Int64(try context.parameters.require("key")), try keys.revoke(row, of: session.account.id, now: now()) else {
            throw PageRefusal.notAllowed
        }
        return .redirect(to: Self.path + "?done=revoked", type: .normal)
    }

    /// What to type, with this organisation's own values filled in.
    private func help(_ frame: Frame) throws -> Response {
        let account = try frame.session(as: .organisation).account, texts = frame.texts
        let script = KeyExample.script(organisation: account.id, endpoint: tokenEndpoint, site: url())
        return templates.page(KeyHelpPage(make: KeyExample.make, script: script), frame, title: texts["keys.helpTitle"], help: "keys")
    }
}

extension Texts {
    fileprivate func said(_ problem: OrganisationKeys.Problem) -> (field: String, text: String) {
        switch problem {
        case .key(let problem): ("publicKey", self["keys.\(problem)"])
        case .known: ("publicKey", self["keys.known"])
        case .name: ("keyName", self["keys.wrongName"])
        case .tooMany, .notAnOrganisation: ("publicKey", self["keys.notAnOrganisation"])
        }
    }
}

struct KeysPage: FramedPage {
    static let template = "keys"

    struct Key: TemplateModel {
        let row: Int64
        let name: String, thumbprint: String, created: String, used: String
    }

    var good: String?
    let isEmpty: Bool
    let keys: [Key]
    let identifier: String, endpoint: String
    let hasRevoked: Bool
    let revoked: [String]
}

struct KeyHelpPage: FramedPage {
    static let template = "keyhelp"

    /// What to type: to make a key, and to ask for a token with it.
    let make: String, script: String
}

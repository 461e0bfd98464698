import Credentials
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird

/// Asks again who somebody is before something dangerous: `if let ask = StepUp.required(session, back: "/page", factors) { return ask }`.
struct StepUp: Sendable {
    let factors: FactorService
    let templates: Templates
    static let page = "/security/prove"

    /// A redirect to the page that asks; nil when the holder proved who they are within the last five minutes.
    /// - Parameter back: a path of ours, to which the browser goes on.
    static func required(_ session: StoredSession, back: String, _ factors: FactorService) -> Response? {
        guard !factors.isProved(session) else { return nil }
        let path = back.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return .redirect(to: "\(page)?back=\(path)", type: .normal)
    }

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/security/prove") { request, context -> Response in
            let frame = Frame(request, context)
            guard let session = frame.session else { return .toLogIn }
            let back = request.uri.queryParameters["back"].map(String.init) ?? ""
            return try ask(frame, session, back: back.removingPercentEncoding ?? "")
        }
        router.post("/security/prove") { request, context in try await prove(request, context) }
    }

    private func ask(
        _ frame: Frame, _ session: StoredSession, back: String, code: String? = nil, password: String? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts, known = try factors.factors(of: session.account), back = HomePages.local(back)
        func form(_ field: FormField, _ problem: String?) -> SecondPage.Form {
            let form = FormModel(action: Self.page, button: texts["second.button"], fields: [field], problem: problem)
            return .init(form: Inline(form.model(texts)), back: back)
        }
        var page = SecondPage(intro: texts["security.proveText"])
        if known.oneTime != nil { page.forms.append(form(CodeField.field(), code)) }
        page.forms.append(form(FormField(name: "password", kind: .password, autocomplete: "current-password"), password))
        if !known.passkeys.isEmpty { page.passkey = PasskeyBlock.proof(factors, texts, path: Self.page, back: back) }
        return templates.page(page, frame, title: texts["security.proveTitle"], help: "security", status: status)
    }

    private func prove(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), sent = try await SentForm(request), back = HomePages.local(sent["back"])
        guard let session = frame.session else { return .toLogIn }
        let isCode = sent.fields["code"] != nil, outcome: FactorService.Outcome
        do {
            let browser = FactorService.Browser(request, context)
            outcome =
                isCode
                ? try factors.prove(session, code: sent["code"], browser)
                : try await factors.prove(session, password: sent["password"], browser)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
        if case .proved(let secret, let device) = outcome {
            var response = Response.redirect(to: back, type: .normal)
            response.begin(secret, device: device)
            return response
        }
        let (problem, status, wait) = Problems.of(outcome, frame.texts, wrong: isCode ? "second.wrong" : "security.wrongPassword")
        var response = try ask(
            frame, session, back: back, code: isCode ? problem : nil, password: isCode ? nil : problem, status: status)
        if let wait { response.headers[.retryAfter] = wait }
        return response
    }
}

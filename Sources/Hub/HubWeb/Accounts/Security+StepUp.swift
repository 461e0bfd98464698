import Credentials
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Vitals

/// Asks again who somebody is before something dangerous: `if let ask = StepUp.required(session, back: "/page", factors) { return ask }`.
/// Where a form was sent, ``StepUpGuard`` keeps it and does what it asks for behind the proof.
struct StepUp: Sendable {
    let factors: FactorService
    let templates: Templates
    static let page = "/security/prove"
    /// The fields in which a proof comes along with the form that it is for.
    static let code = "stepUpCode", password = "stepUpPassword"

    /// A redirect to the page that asks; nil when the holder proved who they are lately.
    /// - Parameters:
    ///   - back: a path of ours, to which the browser goes on.
    ///   - lifetime: for how long a proof counts, milliseconds.
    static func required(
        _ session: StoredSession, back: String, _ factors: FactorService, within lifetime: Milliseconds = FactorService.provedLifetime
    ) -> Response? {
        guard !factors.isProved(session, within: lifetime) else { return nil }
        let path = back.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return .redirect(to: "\(page)?back=\(path)", type: .normal)
    }

    /// Whether an answer is that of ``required(_:back:_:within:)``.
    static func isAsked(_ response: Response) -> Bool {
        response.status == .seeOther && response.headers[.location]?.hasPrefix("\(page)?back=") == true
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

    /// What waits for a proof: a form as it was sent, and where to.
    struct Waiting {
        let action: String
        let fields: [(String, String)]
    }

    /// - Parameters:
    ///   - back: where a browser goes on.
    ///   - waiting: what is done in the place of that.
    func ask(
        _ frame: Frame, _ session: StoredSession, back: String, waiting: Waiting? = nil, code: String? = nil, password: String? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts, known = try factors.factors(of: session.account), back = HomePages.local(back)
        let hidden = waiting?.fields.map { SecondPage.Hidden(name: $0.0, value: $0.1) } ?? []
        func form(_ field: FormField, _ problem: String?) -> SecondPage.Form {
            let form = FormModel(action: waiting?.action ?? Self.page, button: texts["second.button"], fields: [field], problem: problem)
            return .init(form: Inline(form.model(texts)), back: waiting == nil ? back : nil, kept: hidden)
        }
        var page = SecondPage(intro: texts[waiting == nil ? "security.proveText" : "security.proveFirst"])
        if known.oneTime != nil || !known.passkeys.isEmpty && !known.recovery.isEmpty {
            let isCode = known.oneTime != nil
            let field = FormField(
                name: waiting == nil ? "code" : Self.code, kind: isCode ? .code : .text, autocomplete: isCode ? "one-time-code" : "off",
                label: texts[isCode ? "field.code" : "field.recovery"])
            page.forms.append(form(field, code ?? (known.isEmpty ? nil : password)))
        }
        if known.isEmpty {
            let field = FormField(
                name: waiting == nil ? "password" : Self.password, kind: .password, autocomplete: "current-password",
                label: texts["field.password"])
            page.forms.append(form(field, password ?? code))
        }
        if !known.passkeys.isEmpty {
            page.passkey = PasskeyBlock.proof(factors, texts, path: Self.page, back: back)
            if let waiting {
                page.passkey?.form = "resend"
                page.resend = .init(action: waiting.action, kept: hidden)
            }
        }
        return templates.page(page, frame, title: texts["security.proveTitle"], help: "security", status: status)
    }

    private func prove(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), sent = try await SentForm(request)
        let back = HomePages.local(sent["back"])
        guard let session = frame.session else { return .toLogIn }
        return try await prove(frame, session, sent.fields["code"], sent["password"], .init(request, context), back: back) {
            secret, device in
            var response = Response.redirect(to: back, type: .normal)
            response.begin(secret, device: device)
            return response
        }
    }

    /// Takes a code, or without one a password.
    /// - Parameter good: told the session's new secret.
    func prove(
        _ frame: Frame, _ session: StoredSession, _ code: String?, _ password: String, _ browser: FactorService.Browser,
        back: String, waiting: Waiting? = nil, good: (SecretToken, String) async throws -> Response
    ) async throws -> Response {
        let outcome: FactorService.Outcome
        do {
            outcome =
                if let code { try factors.prove(session, code: code, browser) } else {
                    try await factors.prove(session, password: password, browser)
                }
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
        if case .proved(let secret, let device) = outcome { return try await good(secret, device) }
        let (problem, status, wait) = Problems.of(outcome, frame.texts, wrong: code != nil ? "second.wrong" : "security.wrongPassword")
        var response = try ask(
            frame, session, back: back, waiting: waiting, code: code != nil ? problem : nil, password: code == nil ? problem : nil,
            status: status)
        if let wait { response.headers[.retryAfter] = wait }
        return response
    }
}

/// Asks by ``StepUpRules``, and keeps the form that was sent: it comes again with the proof, and is then done. Nothing of it is kept at the hub.
struct StepUpGuard: RouterMiddleware {
    let service: AccountService
    let factors: FactorService
    let templates: Templates
    let accounts: AccountStore
    /// What goes wrong behind a proof becomes a page here: the session's new secret has to reach the browser all the same.
    let errors: ErrorPages

    /// As the forms of pages.
    private static let bytesMax = 64 << 10, fieldsMax = 4096

    func handle(
        _ request: Request, context: HubContext, next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        guard let session = context.session, session.strength == .full, request.uri.path != StepUp.page else {
            return try await next(request, context)
        }
        let address = request.head.path ?? "/"
        guard Self.isForm(request) else {
            if let lifetime = try lifetime(request, [], session.account),
                let ask = StepUp.required(session, back: Self.back(request, address), factors, within: lifetime)
            {
                return ask
            }
            return try await next(request, context)
        }
        var request = request
        let body: ByteBuffer
        do { body = try await request.body.collect(upTo: Self.bytesMax) } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        }
        request.body = .init(buffer: body)
        let form = String(validating: body.readableBytesView, as: UTF8.self).map { FormFields($0, countMax: Self.fieldsMax) }
        guard let form, form.isWhole else { return try await next(request, context) }
        let waiting = StepUp.Waiting(
            action: address, fields: form.pairs.filter { $0.0 != StepUp.code && $0.0 != StepUp.password && !$0.0.isEmpty })
        let stepUp = StepUp(factors: factors, templates: templates)
        func sent(_ name: String) -> String? { form.pairs.last { $0.0 == name }?.1 }

        func answer(_ request: Request, _ context: HubContext, _ session: StoredSession) async throws -> Response {
            if let lifetime = try lifetime(request, waiting.fields, session.account), !factors.isProved(session, within: lifetime) {
                return try stepUp.ask(Frame(request, context), session, back: "/", waiting: waiting, status: .forbidden)
            }
            let response = try await next(request, context)
            guard StepUp.isAsked(response) else { return response }
            return try stepUp.ask(Frame(request, context), session, back: "/", waiting: waiting, status: .forbidden)
        }

        guard sent(StepUp.code) != nil || sent(StepUp.password) != nil else { return try await answer(request, context, session) }
        let frame = Frame(request, context), browser = FactorService.Browser(request, context)
        return try await stepUp.prove(
            frame, session, sent(StepUp.code), sent(StepUp.password) ?? "", browser, back: "/", waiting: waiting
        ) { secret, device in
            var proved = context
            proved.session = try service.session(secret.text)
            var response = try await errors.handle(request, context: proved) { request, context in
                guard let session = context.session else { return .toLogIn }
                return try await answer(request, context, session)
            }
            response.begin(secret, device: device)
            return response
        }
    }

    /// As ``StepUpRules`` say, but for the yes to a run's question, which is a check-in.
    private func lifetime(_ request: Request, _ fields: [(String, String)], _ account: StoredAccount) throws -> Milliseconds? {
        guard let lifetime = StepUpRules.lifetime(request.method, request.uri.path, fields, of: account) else { return nil }
        let parts = request.uri.path.split(separator: "/").map(String.init)
        guard parts.first == "followers", parts.count == 3, let id = ConsentID(parts[1]) else { return lifetime }
        return try accounts.runConsents.checkIn(id, of: account.id.person) == nil ? lifetime : nil
    }

    private static func isForm(_ request: Request) -> Bool {
        request.method == .post && request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
    }

    /// Where the browser goes on behind a proof: what was read is read again, what was sent without a form begins at home.
    private static func back(_ request: Request, _ address: String) -> String {
        request.method == .get || request.method == .head ? address : "/home"
    }
}

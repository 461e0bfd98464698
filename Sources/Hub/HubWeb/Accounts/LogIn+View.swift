import Accounts
import Credentials
import HTTPTypes
import HubServices
import HubStore
import Hummingbird

/// Logging in and out, and forgotten passwords (ACC-6, ACC-7).
struct LogInPages: Sendable {
    let service: AccountService
    let factors: FactorService
    let phones: PhoneService
    let templates: Templates
    let requests: RequestLimit

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/log-in") { request, context in
            form(Frame(request, context), notice: request.uri.queryParameters["confirmed"] == nil ? nil : "logIn.confirmed")
        }
        router.post("/log-in") { request, context in try await logIn(request, context) }
        router.post("/log-out") { request, _ in try logOut(request) }
        router.get("/forgotten") { request, context in forgotten(Frame(request, context)) }
        router.post("/forgotten") { request, context in
            let frame = Frame(request, context), email = try await SentForm(request)["email"]
            guard requests.take(context.address) else { return templates.busy(frame, retryAfter: 60, status: .tooManyRequests) }
            // Not waited for: how long it takes would tell whether somebody has the address.
            try service.forgot(email: email)
            return templates.notice("forgotten.sent", frame, help: "accounts")
        }
        router.get("/reset/:link") { request, context in
            let frame = Frame(request, context), link = try context.parameters.require("link")
            guard try service.isReset(link) else { return templates.problem("usedMailLink", frame.texts, status: .gone) }
            return reset(frame, link)
        }
        router.post("/reset/:link") { request, context in try await reset(request, context) }
    }

    // MARK: Log in

    private func form(
        _ frame: Frame, notice: String? = nil, email: String = "", problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: "/log-in", button: texts["logIn.button"],
            fields: [
                FormField(name: "email", kind: .text, autocomplete: "username", hint: texts["logIn.userName"]),
                FormField(name: "password", kind: .password, autocomplete: "current-password"),
            ], values: ["email": email], problem: problem)
        let page = SecondPage(
            good: notice.map { texts[$0] }, forms: [.init(form: Inline(form.model(texts)))],
            passkey: PasskeyBlock.logIn(factors, texts),
            links: [
                Link(href: "/forgotten", text: texts["logIn.forgotten"]), Link(href: "/sign-up", text: texts["logIn.signUp"]),
                Link(href: "/tour", text: texts["guide.linkLong"]),
            ])
        return templates.page(page, frame, title: texts["logIn.title"], help: "accounts", status: status)
    }

    private func logIn(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), sent = try await SentForm(request), email = sent["email"]
        let outcome: AccountService.LogIn
        do {
            outcome = try await service.logIn(
                email: email, password: sent["password"], address: context.address, device: request.headers[.userAgent] ?? "",
                knownDevice: request.cookies[Sessions.deviceCookie]?.value)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
        switch outcome {
        case .wrong: return form(frame, email: email, problem: frame.texts["logIn.wrong"], status: .unprocessableContent)
        case .unconfirmed: return form(frame, email: email, problem: frame.texts["logIn.unconfirmed"], status: .unprocessableContent)
        case .locked: return form(frame, email: email, problem: frame.texts["logIn.locked"], status: .unprocessableContent)
        case .wait(let seconds):
            let problem = frame.texts.counted("logIn.wait", max(1, (seconds + 59) / 60))
            var response = form(frame, email: email, problem: problem, status: .tooManyRequests)
            response.headers[.retryAfter] = String(seconds)
            return response
        case .session(let secret, let strength, let device):
            if let old = request.cookies[Sessions.cookie]?.value { try service.replaceSession(old, by: secret) }
            let page = try strength == .full ? first(secret) : SecondStep.page
            var response = Response.redirect(to: page, type: .normal)
            response.begin(secret, device: device)
            return response
        }
    }

    /// Whoever signed up with a telephone number proves it first, where the hub can send a code (ACC-1, ACC-3); the page offers to do it later.
    private func first(_ secret: SecretToken) throws -> String {
        guard phones.canSend, let account = try service.session(secret.text)?.account, case .notVerified = try phones.standing(of: account)
        else {
            return "/home"
        }
        return PhonePages.path
    }

    private func logOut(_ request: Request) throws -> Response {
        if let session = request.cookies[Sessions.cookie]?.value { try service.logOut(session) }
        var response = Response.redirect(to: "/", type: .normal)
        response.setCookie(Sessions.cookie(Sessions.cookie, "", maxAge: 0))
        return response
    }

    // MARK: Forgotten

    private func forgotten(_ frame: Frame) -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: "/forgotten", button: texts["forgotten.button"],
            fields: [FormField(name: "email", kind: .email, autocomplete: "username", hint: texts["forgotten.userName"])])
        return templates.page(
            FormPage(intro: texts["forgotten.text"], form: form.model(texts)), frame, title: texts["forgotten.title"], help: "accounts")
    }

    private func reset(_ frame: Frame, _ link: String, mistake: FieldError? = nil, status: HTTPResponse.Status = .ok) -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: "/reset/\(link)", button: texts["reset.button"],
            fields: [FormField(name: "password", kind: .newPassword, autocomplete: "new-password", hint: texts["signUp.passwordHint"])],
            problems: mistake.map { [("password", $0)] } ?? [])
        return templates.page(
            FormPage(form: form.model(texts)), frame, title: texts["reset.title"], help: "accounts", status: status)
    }

    private func reset(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), link = try context.parameters.require("link"), sent = try await SentForm(request)
        do {
            guard try await service.reset(link, password: sent["password"]) else {
                return templates.problem("usedMailLink", frame.texts, status: .gone)
            }
        } catch let mistake as FieldError {
            return reset(frame, link, mistake: mistake, status: .unprocessableContent)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
        return templates.notice("reset.done", frame, help: "accounts")
    }
}

import Accounts
import Credentials
import HTTPTypes
import HubServices
import Hummingbird
import Vitals

/// Signing up, and following the mailed link (ACC-1 to ACC-5).
struct SignUpPages: Sendable {
    let service: AccountService
    let templates: Templates
    let requests: RequestLimit
    /// Who signs up by a form here, in the order in which a page offers it.
    let roles: [Role]

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/sign-up") { request, context in choose(Frame(request, context)) }
        router.get("/sign-up/:role") { request, context in
            guard let role = try role(context) else { throw HTTPError(.notFound) }
            return form(Frame(request, context), role, values: ["taxCountry": "IT", "vatCountry": "IT"])
        }
        router.post("/sign-up/:role") { request, context in try await signUp(request, context) }
        router.get("/confirm/:link") { request, context in try confirmation(request, context) }
        router.post("/confirm/:link") { request, context in try await confirm(request, context) }
    }

    private func role(_ context: HubContext) throws -> Role? {
        Role(rawValue: try context.parameters.require("role")).flatMap { roles.contains($0) ? $0 : nil }
    }

    private func choose(_ frame: Frame) -> Response {
        let texts = frame.texts
        let choices = roles.map { role in
            WelcomePage.Choice(
                href: "/sign-up/\(role.rawValue)", title: texts["role.\(role.rawValue)"], text: texts["role.\(role.rawValue)Text"])
        }
        let tour = Link(href: "/tour", text: texts["guide.linkLong"])
        return templates.page(WelcomePage(choices: choices, tour: tour), frame, title: texts["signUp.title"], help: "accounts")
    }

    private func form(
        _ frame: Frame, _ role: Role, values: [String: String], problems: FormErrors? = nil, problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: "/sign-up/\(role.rawValue)", button: texts["signUp.button"],
            fields: AccountForms.signUp(role, templates.accepted, texts), values: values,
            problems: problems?.named ?? [], problem: problem)
        return templates.page(
            FormPage(intro: texts["role.\(role.rawValue)Text"], form: form.model(texts), documents: texts["signUp.documents"]), frame,
            title: texts["signUp.title"], help: "accounts", status: status)
    }

    private func signUp(_ request: Request, _ context: HubContext) async throws -> Response {
        guard let role = try role(context) else { throw HTTPError(.notFound) }
        let frame = Frame(request, context), sent = try await SentForm(request)
        guard requests.take(context.address) else { return templates.busy(frame, retryAfter: 60, status: .tooManyRequests) }
        do {
            try await service.signUp(role, sent.fields, language: frame.texts.lang)
        } catch let problems as FormErrors {
            return form(frame, role, values: sent.fields, problems: problems, status: .unprocessableContent)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
        return templates.notice("signUp.sent", frame, help: "accounts")
    }

    private func confirmation(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), link = try context.parameters.require("link")
        guard try service.isConfirmation(link) else { return templates.problem("usedMailLink", frame.texts, status: .gone) }
        return confirmation(frame, link)
    }

    private func confirmation(_ frame: Frame, _ link: String, problem: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: "/confirm/\(link)", button: texts["confirm.button"],
            fields: [FormField(name: "password", kind: .password, autocomplete: "current-password")], problem: problem)
        return templates.page(
            FormPage(intro: texts["confirm.text"], form: form.model(texts)), frame, title: texts["confirm.title"], help: "accounts",
            status: status)
    }

    private func confirm(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), link = try context.parameters.require("link"), sent = try await SentForm(request)
        do {
            switch try await service.confirm(link, password: sent["password"], address: context.address) {
            case .confirmed: return .redirect(to: "/log-in?confirmed=1", type: .normal)
            case .used: return templates.problem("usedMailLink", frame.texts, status: .gone)
            case .wrong: return confirmation(frame, link, problem: frame.texts["confirm.wrong"], status: .unprocessableContent)
            case .wait(let seconds):
                let problem = frame.texts.counted("logIn.wait", max(1, (seconds + 59) / 60))
                var response = confirmation(frame, link, problem: problem, status: .tooManyRequests)
                response.headers[.retryAfter] = String(seconds)
                return response
            }
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
    }
}

extension Templates {
    /// A page that says one thing: texts `KEYTitle` and `KEYText`.
    func notice(_ key: String, _ frame: Frame, help: String, status: HTTPResponse.Status = .ok) -> Response {
        page(NoticePage(text: frame.texts[key + "Text"]), frame, title: frame.texts[key + "Title"], help: help, status: status)
    }

    /// A page with one button, whose POST alone does something. Texts `NAME.title`, `NAME.text`, `NAME.button`.
    func button(_ name: String, action: String, _ frame: Frame, help: String) -> Response {
        let texts = frame.texts
        return page(
            ButtonPage(text: texts["\(name).text"], action: action, button: texts["\(name).button"]), frame,
            title: texts["\(name).title"], help: help)
    }

    /// Too many people hash passwords at once.
    func busy(_ frame: Frame, retryAfter: Int, status: HTTPResponse.Status = .serviceUnavailable) -> Response {
        var response = notice("problem.busy", frame, help: "accounts", status: status)
        response.headers[.retryAfter] = String(retryAfter)
        return response
    }
}

/// Bounds what strangers can make the hub mail: so many forms a minute from one network, and from all.
struct RequestLimit: Sendable {
    private let guesses = FailedAttemptLimiter()
    private let now: @Sendable () -> Milliseconds

    init(now: @escaping @Sendable () -> Milliseconds) { self.now = now }

    /// false when there were too many.
    func take(_ address: String) -> Bool {
        let time = now()
        guard guesses.allow(address, at: time) else { return false }
        guesses.wrong(address, at: time)
        return true
    }
}

import Accounts
import Credentials
import HTTPTypes
import HubServices
import HubStore
import Hummingbird

/// How somebody logs in, and where they are logged in (ACC-9).
struct SecurityPages: Sendable {
    let factors: FactorService
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/security") { request, context -> Response in
            let frame = Frame(request, context)
            guard let session = frame.session, session.strength == .full else { return .toLogIn }
            return try page(frame, session, good: request.uri.queryParameters["done"].map(String.init))
        }
        router.post("/security/sessions/end-others") { _, context -> Response in
            guard let session = context.session, session.strength == .full else { return .toLogIn }
            try factors.endOtherSessions(of: session)
            return Self.done("ended")
        }
        router.post("/security/sessions/:name/end") { _, context -> Response in
            guard let session = context.session, session.strength == .full else { return .toLogIn }
            _ = try factors.endSession(named: try context.parameters.require("name"), of: session)
            return Self.done("ended")
        }
        router.get("/security/password") { request, context -> Response in
            let frame = Frame(request, context)
            return frame.session?.strength == .full ? password(frame) : .toLogIn
        }
        router.post("/security/password") { request, context in try await changePassword(request, context) }
    }

    /// Back to the page, which says what was done: texts `security.doneNAME`.
    static func done(_ name: String) -> Response { .redirect(to: "/security?done=\(name)", type: .normal) }
    private static let dones: Set<String> = ["ended", "removed", "renamed", "password", "added"]

    private func page(_ frame: Frame, _ session: StoredSession, good: String?) throws -> Response {
        let texts = frame.texts, known = try factors.factors(of: session.account)
        var page = SecurityPage(
            isSingle: known.oneTime == nil && known.passkeys.isEmpty, oneTime: known.oneTime != nil,
            passkeys: known.passkeys.map { passkey in
                .init(
                    row: passkey.row, name: passkey.name,
                    used: passkey.used.map { texts.filled("security.used", ["time": texts.moment($0, now: frame.now)]) }
                        ?? texts.filled("security.added", ["time": texts.instant(passkey.created)]))
            },
            passkey: PasskeyBlock.creation(factors, texts), sessions: try factors.sessions(of: session).map { shown($0, session, frame) })
        if !known.isEmpty {
            let left = known.recovery.count
            page.recovery = .init(text: texts.counted("security.recoveryLeft", left), isLow: left < 3)
        }
        page.passkey?.isOpen = factors.isProved(session)
        do { _ = try factors.relyingParty() } catch { page.impossible = texts["security.impossible"] }
        if good == "needed" { page.problem = texts["security.needed"] }
        if let good, Self.dones.contains(good) { page.good = texts["security.done.\(good)"] }
        return templates.page(page, frame, title: texts["security.title"], help: "security")
    }

    private func shown(_ other: StoredSession, _ own: StoredSession, _ frame: Frame) -> SecurityPage.Session {
        let seen = ["time": frame.texts.moment(other.seen, now: frame.now)]
        return .init(
            device: FactorDevice.name(other.device ?? ""), isOwn: other.hash == own.hash, seen: frame.texts.filled("security.seen", seen),
            name: FactorService.sessionName(other))
    }

    // MARK: Password

    private func password(
        _ frame: Frame, mistake: (String, FieldError)? = nil, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let isShort = frame.session?.account.roles.contains(where: \.needsSecondFactor) ?? false
        let form = FormModel(
            action: "/security/password", button: texts["reset.button"],
            fields: [
                FormField(name: "currentPassword", kind: .password, autocomplete: "current-password"),
                FormField(
                    name: "newPassword", kind: .newPassword, autocomplete: "new-password",
                    hint: texts[isShort ? "signUp.passwordHintShort" : "signUp.passwordHint"]),
            ], problems: mistake.map { [$0] } ?? [], problem: problem)
        return templates.page(
            FormPage(intro: texts["security.passwordText"], form: form.model(texts)), frame, title: texts["security.passwordTitle"],
            help: "security", status: status)
    }

    private func changePassword(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), sent = try await SentForm(request)
        guard let session = frame.session, session.strength == .full else { return .toLogIn }
        do {
            switch try await factors.changePassword(of: session, from: sent["currentPassword"], to: sent["newPassword"]) {
            case .right: return Self.done("password")
            case .wrong: return password(frame, problem: frame.texts["security.wrongPassword"], status: .unprocessableContent)
            case .wait(let seconds):
                let (problem, status, wait) = Problems.waiting(seconds, frame.texts)
                var response = password(frame, problem: problem, status: status)
                response.headers[.retryAfter] = wait
                return response
            }
        } catch let mistake as FieldError {
            return password(frame, mistake: ("newPassword", mistake), status: .unprocessableContent)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
    }
}

struct SecurityPage: FramedPage {
    static let template = "security"

    struct Passkey: TemplateModel {
        let row: Int64
        let name: String, used: String
    }

    struct Recovery: TemplateModel {
        let text: String
        let isLow: Bool
    }

    struct Session: TemplateModel {
        let device: String
        let isOwn: Bool
        let seen: String, name: String
    }

    var good: String?
    var problem: String?
    /// The password is all there is.
    let isSingle: Bool
    let oneTime: Bool
    /// Why there can be no passkeys.
    var impossible: String?
    let passkeys: [Passkey]
    var passkey: PasskeyPart?
    var recovery: Recovery?
    let sessions: [Session]
}

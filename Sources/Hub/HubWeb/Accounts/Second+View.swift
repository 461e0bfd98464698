import Credentials
import HTTPTypes
import HubServices
import HubStore
import Hummingbird

/// The second step of log-in: a code or a passkey after the password (ACC-9).
struct SecondPages: Sendable {
    let factors: FactorService
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/log-in/second") { request, context -> Response in
            let frame = Frame(request, context)
            guard let session = frame.session else { return .toLogIn }
            guard session.strength < .full else { return .redirect(to: "/home", type: .normal) }
            if try factors.factors(of: session.account).isEmpty { return setUpFirst(frame) }
            return try page(frame, session, recovery: request.uri.queryParameters["recovery"] != nil)
        }
        router.post("/log-in/second") { request, context in try await prove(request, context) }
    }

    /// Whose account needs a factor and has none sets one up before anything else.
    private func setUpFirst(_ frame: Frame) -> Response {
        let texts = frame.texts
        let page = PasskeysPage(intro: texts["second.setUpFirst"], passkey: PasskeyBlock.creation(factors, texts))
        return templates.page(page, frame, title: texts["second.setUpTitle"], help: "security")
    }

    private func page(
        _ frame: Frame, _ session: StoredSession, recovery: Bool, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts, known = try factors.factors(of: session.account)
        let asksRecovery = recovery || known.oneTime == nil
        var page = SecondPage(intro: texts[asksRecovery ? "second.recoveryText" : "second.text"])
        if !known.passkeys.isEmpty {
            page.passkey = PasskeyBlock.proof(factors, texts, path: SecondStep.page)
            if known.oneTime == nil && !recovery { page.intro = texts["second.passkeyText"] }
        }
        let form = FormModel(
            action: "/log-in/second", button: texts["second.button"], fields: [CodeField.field(recovery: asksRecovery)], problem: problem)
        if known.oneTime != nil || !known.recovery.isEmpty { page.forms = [.init(form: Inline(form.model(texts)))] }
        if known.oneTime != nil {
            page.links = [
                recovery
                    ? Link(href: "/log-in/second", text: texts["second.useCode"])
                    : Link(href: "/log-in/second?recovery=1", text: texts["second.useRecovery"])
            ]
        }
        return templates.page(page, frame, title: texts["second.title"], help: "security", status: status)
    }

    private func prove(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), sent = try await SentForm(request)
        guard let session = frame.session else { return .toLogIn }
        let isRecovery = sent.fields["recovery"] != nil
        let outcome = try factors.prove(session, code: sent["code"] + sent["recovery"], .init(request, context))
        if case .proved(let secret, let device) = outcome {
            var response = Response.redirect(to: "/home", type: .normal)
            response.begin(secret, device: device)
            return response
        }
        let (problem, status, wait) = Problems.of(outcome, frame.texts, wrong: "second.wrong")
        var response = try page(frame, session, recovery: isRecovery, problem: problem, status: status)
        if let wait { response.headers[.retryAfter] = wait }
        return response
    }
}

/// What a page says when something was not proved.
enum Problems {
    static func of(
        _ outcome: FactorService.Outcome, _ texts: Texts, wrong: String
    ) -> (text: String, status: HTTPResponse.Status, retryAfter: String?) {
        switch outcome {
        case .wait(let seconds): waiting(seconds, texts)
        case .used: (texts["second.used"], .unprocessableContent, nil)
        case .wrong, .proved: (texts[wrong], .unprocessableContent, nil)
        }
    }

    static func waiting(_ seconds: Int, _ texts: Texts) -> (text: String, status: HTTPResponse.Status, retryAfter: String?) {
        (texts.counted("logIn.wait", max(1, (seconds + 59) / 60)), .tooManyRequests, String(seconds))
    }
}

/// The field for a one-time code, which has digits alone, or for a recovery code, which has letters too.
enum CodeField {
    static func field(recovery: Bool = false) -> FormField {
        recovery ? FormField(name: "recovery", kind: .text) : FormField(name: "code", kind: .code, autocomplete: "one-time-code")
    }
}

/// The button for passkeys, as passkey.js takes it; nil where the hub cannot have any.
enum PasskeyBlock {
    static func logIn(_ factors: FactorService, _ texts: Texts) -> PasskeyPart? {
        block(factors, texts, kind: "get", path: "/log-in/passkey/options", answer: "/log-in/passkey", button: "second.passkeyLogIn")
    }

    static func proof(_ factors: FactorService, _ texts: Texts, path: String, back: String = "") -> PasskeyPart? {
        block(factors, texts, kind: "get", path: path + "/options", answer: path + "/passkey", button: "second.passkeyButton", back: back)
    }

    static func creation(_ factors: FactorService, _ texts: Texts) -> PasskeyPart? {
        block(
            factors, texts, kind: "create", path: "/security/passkeys/options", answer: "/security/passkeys",
            button: "security.passkeyAdd")
    }

    private static func block(
        _ factors: FactorService, _ texts: Texts, kind: String, path: String, answer: String, button: String, back: String = ""
    ) -> PasskeyPart? {
        guard let party = try? factors.relyingParty() else { return nil }
        return PasskeyPart(
            kind: kind, options: path, answer: answer, back: back, button: texts[button], origin: party.origin,
            failed: texts["second.passkeyFailed"], old: texts["second.passkeyOld"],
            elsewhere: texts.filled("second.passkeyElsewhere", ["origin": party.origin]), noScript: texts["second.passkeyNoScript"])
    }
}

/// As `passkeyButton.mustache` and passkey.js take it.
struct PasskeyPart: TemplateModel {
    let kind: String, options: String, answer: String, back: String, button: String, origin: String
    let failed: String, old: String, elsewhere: String, noScript: String
    /// The page of security shows the button itself, and not the way to it.
    var isOpen = false
    /// The form to send behind a touch, by its identifier; empty to go to `back`.
    var form = ""
}

struct PasskeysPage: FramedPage {
    static let template = "passkeys"

    let intro: String
    var passkey: PasskeyPart?
}

/// Forms of which each lets somebody in or on: log-in, the second step, and proving once more who one is.
struct SecondPage: FramedPage {
    static let template = "second"

    struct Form: TemplateModel {
        let form: Inline<FormPart>
        /// The path to go on to.
        var back: String?
        /// What was sent before the proof was asked for, and goes along with it.
        var kept: [Hidden] = []
    }

    struct Hidden: TemplateModel {
        let name: String, value: String
    }

    /// What was sent before, for a passkey's touch.
    struct Resend: TemplateModel {
        let action: String
        let kept: [Hidden]
    }

    var good: String?
    var intro: String?
    var forms: [Form] = []
    var passkey: PasskeyPart?
    var resend: Resend?
    var links: [Link] = []
}

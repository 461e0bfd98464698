import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Proving a telephone number by a code (ACC-1, ACC-3). A hub that can send no messages says so, and calls no number verified.
struct PhonePages: Sendable {
    let phones: PhoneService
    let templates: Templates

    static let path = "/phone"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/phone") { request, context in try page(Frame(request, context)) }
        router.post("/phone/code") { request, context in try await send(Frame(request, context)) }
        router.post("/phone") { request, context in try await check(request, context) }
    }

    private func page(
        _ frame: Frame, good: String? = nil, problem: String? = nil, isSent: Bool = false, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session().account, texts = frame.texts
        var page = PhonePage(good: good, problem: problem)
        switch try phones.standing(of: account) {
        case .none: page.state = texts["phone.none"]
        case .verified(let number, let since):
            page.state = texts.filled("phone.verified", ["number": number, "time": texts.instant(since)])
        case .notVerified(let number):
            page.state = texts.filled("phone.notVerified", ["number": number])
            if phones.canSend {
                page.send = .init(text: texts["phone.sendText"])
                let field = FormField(name: "code", kind: .code, autocomplete: "one-time-code")
                page.form = FormModel(action: "/phone", button: texts["phone.button"], fields: [field]).model(texts)
            } else {
                page.cannot = texts["phone.cannot"]
            }
        }
        return templates.page(page, frame, title: texts["phone.title"], help: "profile", status: status)
    }

    private func send(_ frame: Frame) async throws -> Response {
        let account = try frame.session().account, texts = frame.texts
        switch try await phones.send(to: account, text: texts["phone.message"]) {
        case .sent: return try page(frame, good: texts["phone.sent"])
        case .impossible: return try page(frame, status: .conflict)
        case .failed: return try page(frame, problem: texts["phone.failed"], status: .badGateway)
        case .wait(let seconds):
            var response = try page(
                frame, problem: texts.counted("logIn.wait", max(1, (seconds + 59) / 60)), status: .tooManyRequests)
            response.headers[.retryAfter] = String(seconds)
            return response
        }
    }

    private func check(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session().account, typed = try await SentForm(request)["code"]
        switch try phones.check(typed, of: account) {
        case .verified: return try page(frame, good: frame.texts["phone.done"])
        case .wrong: return try page(frame, problem: frame.texts["phone.wrong"], status: .unprocessableContent)
        case .void: return try page(frame, problem: frame.texts["phone.void"], status: .unprocessableContent)
        }
    }
}

extension PhoneService {
    /// One line for the profile: the number is verified, or not.
    func text(of account: StoredAccount, _ texts: Texts) throws -> String? {
        switch try standing(of: account) {
        case .none: nil
        case .verified(let number, let since): texts.filled("phone.verified", ["number": number, "time": texts.instant(since)])
        case .notVerified(let number): texts.filled("phone.notVerified", ["number": number])
        }
    }
}

struct PhonePage: FramedPage {
    static let template = "phone"

    struct Send: TemplateModel {
        let text: String
    }

    var good: String?
    var problem: String?
    /// Whether the number is verified.
    var state = ""
    /// Why it cannot be.
    var cannot: String?
    var send: Send?
    var form: FormPart?
}

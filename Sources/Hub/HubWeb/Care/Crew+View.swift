import Accounts
import Credentials
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// The page where somebody of an ambulance's crew types the code that the hospital gave them (ACC-16).
struct CrewPages: Sendable {
    let hospitals: HospitalService
    let templates: Templates
    let requests: RequestLimit

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/crew") { request, context in form(Frame(request, context)) }
        router.post("/crew") { request, context in try await join(request, context) }
    }

    private func form(
        _ frame: Frame, values: [String: String] = [:], problems: FormErrors? = nil, problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        var fields = [FormField(name: "crewCode", kind: .text, hint: texts["crew.codeHint"])]
        let isLoggedIn = frame.session?.strength == .full
        if !isLoggedIn {
            fields += AccountForms.signUp(.organiser, templates.accepted, texts).map { field in
                guard field.name == Field.password.rawValue else { return field }
                return FormField(
                    name: field.name, kind: field.kind, autocomplete: field.autocomplete, hint: texts["signUp.passwordHintShort"])
            }
        }
        let form = FormModel(
            action: "/crew", button: texts["crew.button"], fields: fields, values: values, problems: problems?.named ?? [], problem: problem
        )
        var page = FormPage(intro: texts[isLoggedIn ? "crew.textLoggedIn" : "crew.text"], form: form.model(texts))
        if !isLoggedIn { page.links = [Link(href: "/log-in", text: texts["logIn.title"])] }
        return templates.page(page, frame, title: texts["crew.title"], help: "duty", status: status)
    }

    private func join(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), texts = frame.texts
        var sent = try await SentForm(request).fields
        sent["code"] = sent["crewCode"]
        let session = frame.session?.strength == .full ? frame.session : nil
        guard session != nil || requests.take(context.address) else {
            return templates.busy(frame, retryAfter: 60, status: .tooManyRequests)
        }
        let outcome: HospitalService.Joined
        do { outcome = try await hospitals.join(sent, session, language: texts.lang, .init(request, context)) } catch let problems
            as FormErrors
        {
            return form(frame, values: sent, problems: problems, status: .unprocessableContent)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
        switch outcome {
        case .wrongCode: return form(frame, values: sent, problem: texts["crew.wrong"], status: .unprocessableContent)
        case .wait(let seconds):
            let (problem, status, wait) = Problems.waiting(seconds, texts)
            var response = form(frame, values: sent, problem: problem, status: status)
            response.headers[.retryAfter] = wait
            return response
        case .joined: return .redirect(to: "/duty", type: .normal)
        case .mailed: return templates.notice("crew.sent", frame, help: "duty")
        }
    }
}

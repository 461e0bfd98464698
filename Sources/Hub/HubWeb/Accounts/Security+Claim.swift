import Accounts
import Credentials
import HTTPTypes
import HubServices
import Hummingbird

/// Whoever runs the hub becomes its first operator, with a code that the hub printed: there is no account from the start.
struct ClaimPages: Sendable {
    let factors: FactorService
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/claim") { request, context in form(Frame(request, context)) }
        router.post("/claim") { request, context in try await claim(request, context) }
    }

    private func form(
        _ frame: Frame, values: [String: String] = [:], problems: FormErrors? = nil, problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let code = FormField(name: "claimCode", kind: .text, hint: texts["security.claimHint"])
        var values = values
        values["claimCode"] = values["claimCode"] ?? values["code"]
        let fields = AccountForms.signUp(.organiser, templates.accepted, texts).map { field in
            guard field.name == Field.password.rawValue else { return field }
            return FormField(
                name: field.name, kind: field.kind, autocomplete: field.autocomplete, hint: texts["signUp.passwordHintShort"])
        }
        let form = FormModel(
            action: "/claim", button: texts["security.claimButton"], fields: [code] + fields, values: values,
            problems: problems?.named ?? [], problem: problem)
        return templates.page(
            FormPage(intro: texts["security.claimText"], form: form.model(texts), documents: texts["signUp.documents"]), frame,
            title: texts["security.claimTitle"], help: "security", status: status)
    }

    private func claim(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), texts = frame.texts
        var sent = try await SentForm(request).fields
        sent["code"] = sent["claimCode"]
        let outcome: FactorService.Claim
        do {
            outcome = try await factors.claim(sent, language: texts.lang, .init(request, context))
        } catch let problems as FormErrors {
            return form(frame, values: sent, problems: problems, status: .unprocessableContent)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
        switch outcome {
        case .wrongCode: return form(frame, values: sent, problem: texts["security.claimWrong"], status: .unprocessableContent)
        case .taken: return form(frame, values: sent, problem: texts["security.claimTaken"], status: .unprocessableContent)
        case .wait(let seconds):
            let (problem, status, wait) = Problems.waiting(seconds, texts)
            var response = form(frame, values: sent, problem: problem, status: status)
            response.headers[.retryAfter] = wait
            return response
        case .session(let secret):
            if let old = request.cookies[Sessions.cookie]?.value { try factors.replaceSession(old, by: secret) }
            var response = Response.redirect(to: SecondStep.page, type: .normal)
            response.begin(secret, device: nil)
            return response
        }
    }
}

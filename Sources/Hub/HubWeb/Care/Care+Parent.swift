import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// A parent lets another one decide for a child, too (ACC-17): so that nobody is left alone with nobody to decide.
struct CareParentPages: Sendable {
    let accounts: AccountStore
    let care: CareService
    let factors: FactorService
    let templates: Templates
    let requests: RequestLimit
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/care/person/:id/parent") { request, context in
            let frame = Frame(request, context)
            return page(frame, try subject(frame, context))
        }
        router.post("/care/person/:id/parent") { request, context in try await invite(request, context) }
    }

    private func subject(_ frame: Frame, _ context: HubContext) throws -> DataSubject {
        try DataSubject(frame, context, accounts: accounts, now: now())
    }

    private func page(
        _ frame: Frame, _ subject: DataSubject, values: [String: String] = [:], problems: [(field: String, mistake: FieldError)] = [],
        problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: "/care/person/\(subject.person)/parent", button: texts["care.inviteButton"],
            fields: [FormField(name: "email", kind: .email)], values: values, problems: problems, problem: problem)
        return templates.page(
            FormPage(intro: texts.filled("parent.text", ["name": subject.account.name]), form: form.model(texts)), frame,
            title: texts["parent.title"], help: "care", status: status)
    }

    private func invite(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context), sent = try await SentForm(request)
        if let ask = StepUp.required(subject.session, back: "/care/person/\(subject.person)/parent", factors) { return ask }
        guard requests.take(context.address) else { return templates.busy(frame, retryAfter: 60, status: .tooManyRequests) }
        do {
            let account = subject.session.account.id
            guard try care.inviteParent(email: sent["email"], to: subject.person, by: account) else {
                return page(
                    frame, subject, values: sent.fields, problem: frame.texts["care.tooManyInvitations"], status: .conflict)
            }
        } catch let mistake as FieldError {
            return page(frame, subject, values: sent.fields, problems: [("email", mistake)], status: .unprocessableContent)
        } catch ConsentProblem.notYours { throw PageRefusal.notAllowed }
        return templates.notice("care.invited", frame, help: "care")
    }
}

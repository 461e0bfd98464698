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
            return try page(frame, try subject(frame, context))
        }
        router.get("/care/person/:id/parent/leave") { request, context in
            let frame = Frame(request, context), subject = try subject(frame, context)
            return templates.button("parent.leave", action: Self.leaving(subject), frame, help: "care")
        }
        router.post("/care/person/:id/parent/leave") { request, context in try leave(request, context) }
        router.post("/care/person/:id/parent") { request, context in try await invite(request, context) }
    }

    private func subject(_ frame: Frame, _ context: HubContext) throws -> DataSubject {
        try DataSubject(frame, context, accounts: accounts, now: now())
    }

    private func page(
        _ frame: Frame, _ subject: DataSubject, values: [String: String] = [:], problems: [(field: String, mistake: FieldError)] = [],
        problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: "/care/person/\(subject.person)/parent", button: texts["care.inviteButton"],
            fields: [FormField(name: "email", kind: .email)], values: values, problems: problems, problem: problem)
        var page = FormPage(intro: texts.filled("parent.text", ["name": subject.account.name]), form: form.model(texts))
        if try accounts.consents.authority(over: subject.person).guardians.count > 1 {
            page.links = [Link(href: Self.leaving(subject), text: texts["parent.leave.title"])]
        }
        return templates.page(page, frame, title: texts["parent.title"], help: "care", status: status)
    }

    private static func leaving(_ subject: DataSubject) -> String { "/care/person/\(subject.person)/parent/leave" }

    private func leave(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context)
        if let ask = StepUp.required(subject.session, back: Self.leaving(subject), factors) { return ask }
        do {
            guard try accounts.care.leaveParenthood(of: subject.person, by: subject.session.account, now: now()) else {
                return templates.notice("parent.alone", frame, help: "care", status: .conflict)
            }
        } catch ConsentProblem.notYours { throw PageRefusal.notAllowed }
        return .redirect(to: "/care", type: .normal)
    }

    private func invite(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context), sent = try await SentForm(request)
        if let ask = StepUp.required(subject.session, back: "/care/person/\(subject.person)/parent", factors) { return ask }
        guard requests.take(context.address) else { return templates.busy(frame, retryAfter: 60, status: .tooManyRequests) }
        do {
            let account = subject.session.account.id
            guard try care.inviteParent(email: sent["email"], to: subject.person, by: account) else {
                return try page(
                    frame, subject, values: sent.fields, problem: frame.texts["care.tooManyInvitations"], status: .conflict)
            }
        } catch let mistake as FieldError {
            return try page(frame, subject, values: sent.fields, problems: [("email", mistake)], status: .unprocessableContent)
        } catch ConsentProblem.notYours { throw PageRefusal.notAllowed }
        return templates.notice("care.invited", frame, help: "care")
    }
}

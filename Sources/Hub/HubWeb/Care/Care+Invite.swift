import Accounts
import Credentials
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// How a caregiver's view begins (ACC-11): the person invites, or the relative asks.
struct CareInvitePages: Sendable {
    let care: CareService
    let consents: ConsentService
    let factors: FactorService
    let templates: Templates
    let requests: RequestLimit

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/care/invite") { request, context -> Response in
            let frame = Frame(request, context), session = try frame.session(as: .person)
            if let ask = StepUp.required(session, back: "/care/invite", factors) { return ask }
            return form(frame, "invite", values: ["requestPurpose": frame.texts["care.purpose"]])
        }
        router.post("/care/invite") { request, context in try await invite(request, context) }
        router.post("/care/invitations/:hash/withdraw") { request, context -> Response in
            let account = try Frame(request, context).session(as: .person).account
            guard try care.withdraw(try context.parameters.require("hash"), of: account.id.person) else { throw PageRefusal.notAllowed }
            return .redirect(to: "/care", type: .normal)
        }
        router.get("/care/ask") { request, context in
            let frame = Frame(request, context)
            _ = try frame.session()
            return form(frame, "ask")
        }
        router.post("/care/ask") { request, context in try await ask(request, context) }
        router.get("/care/invitation/:link") { request, context in
            try invitation(Frame(request, context), try context.parameters.require("link"))
        }
        router.post("/care/invitation/:link") { request, context in try await take(request, context) }
        router.post("/care/invitation/:link/sign-up") { request, context in try await signUp(request, context) }
    }

    private func form(
        _ frame: Frame, _ name: String, values: [String: String] = [:], problems: [(field: String, mistake: FieldError)] = [],
        problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let whom =
            name == "invite"
            ? FormField(name: "email", kind: .email) : FormField(name: "whom", kind: .text, hint: texts["requests.whomHint"])
        let form = FormModel(
            action: "/care/\(name)", button: texts["care.\(name)Button"],
            fields: [whom] + FormField.kinds(texts) + [FormField(name: "requestPurpose", kind: .paragraph)], values: values,
            problems: problems, problem: problem)
        return templates.page(
            FormPage(intro: texts["care.\(name)Text"], form: form.model(texts)), frame, title: texts["care.\(name)Title"], help: "care",
            status: status)
    }

    private func invite(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .person), account = session.account
        if let ask = StepUp.required(session, back: "/care/invite", factors) { return ask }
        let sent = try await SentForm(request)
        guard requests.take(context.address) else { return templates.busy(frame, retryAfter: 60, status: .tooManyRequests) }
        do {
            let isSent = try care.invite(
                email: sent["email"], kinds: sent.kinds, purpose: sent["requestPurpose"], to: account.id.person, by: account.id)
            guard isSent else {
                return form(frame, "invite", values: sent.fields, problem: frame.texts["care.tooManyInvitations"], status: .conflict)
            }
        } catch let mistake as FieldError {
            return form(frame, "invite", values: sent.fields, problems: [("email", mistake)], status: .unprocessableContent)
        } catch ConsentProblem.notYours {
            throw PageRefusal.notAllowed
        } catch let problem as ConsentProblem {
            return form(frame, "invite", values: sent.fields, problem: frame.texts.problem(problem), status: .unprocessableContent)
        }
        return templates.notice("care.invited", frame, help: "care")
    }

    private func ask(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
        let address: ConsentAddress
        do { address = try ConsentAddress(sent["whom"]) } catch {
            return form(frame, "ask", values: sent.fields, problems: [("whom", error)], status: .unprocessableContent)
        }
        do { _ = try consents.askAsCaregiver(address, by: account, kinds: sent.kinds, purpose: sent["requestPurpose"]) } catch let problem
            as ConsentProblem
        {
            return form(frame, "ask", values: sent.fields, problem: frame.texts.problem(problem), status: .unprocessableContent)
        }
        return templates.notice("care.asked", frame, help: "care")
    }

    // MARK: The invited

    private func invitation(
        _ frame: Frame, _ link: String, values: [String: String] = [:], problems: FormErrors? = nil, problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts
        guard let (offer, person) = try care.invitation(link) else { return templates.problem("usedMailLink", texts, status: .gone) }
        let intro =
            offer.isParent == true
            ? texts.filled("parent.offer", ["person": person])
            : texts.filled("care.offer", ["person": person, "kinds": texts.kinds(offer.kinds), "purpose": offer.purpose])
        var page = FormPage(intro: intro)
        if let session = frame.session, session.strength == .full {
            page.form = FormModel(
                action: "/care/invitation/\(link)", button: texts["care.take"], fields: [], problem: problem
            ).model(texts)
        } else {
            let fields = AccountForms.signUp(.organiser, templates.accepted, texts).filter { $0.name != Field.email.rawValue }
            page.form = FormModel(
                action: "/care/invitation/\(link)/sign-up", button: texts["care.signUpAndTake"], fields: fields, values: values,
                problems: problems?.named ?? [], problem: problem
            ).model(texts)
            page.intro = intro + " " + texts["care.offerLogIn"]
            page.links = [Link(href: "/log-in", text: texts["logIn.title"])]
            page.documents = texts["signUp.documents"]
        }
        return templates.page(page, frame, title: texts["care.offerTitle"], help: "care", status: status)
    }

    private func take(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), link = try context.parameters.require("link"), account = try frame.session().account
        do {
            guard try care.take(link, by: account) else { return templates.problem("usedMailLink", frame.texts, status: .gone) }
        } catch let problem as ConsentProblem {
            return templates.page(
                NoticePage(text: frame.texts.problem(problem)), frame, title: frame.texts["care.offerTitle"], help: "care",
                status: .conflict)
        }
        return .redirect(to: "/care", type: .normal)
    }

    private func signUp(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), link = try context.parameters.require("link"), sent = try await SentForm(request)
        guard requests.take(context.address) else { return templates.busy(frame, retryAfter: 60, status: .tooManyRequests) }
        do {
            guard try await care.signUp(link, sent.fields, language: frame.texts.lang) else {
                return try invitation(frame, link, values: sent.fields, problem: frame.texts["care.hasAccount"], status: .conflict)
            }
        } catch let problems as FormErrors {
            return try invitation(frame, link, values: sent.fields, problems: problems, status: .unprocessableContent)
        } catch let problem as ConsentProblem {
            return try invitation(frame, link, values: sent.fields, problem: frame.texts.problem(problem), status: .conflict)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
        return .redirect(to: "/log-in?confirmed=1", type: .normal)
    }
}

import Accounts
import Credentials
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Opening an account for somebody else, and handing it over to its person (ACC-11, ACC-17).
struct CareOpenPages: Sendable {
    let care: CareService
    let factors: FactorService
    let templates: Templates
    let requests: RequestLimit

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/care/open") { request, context in
            let frame = Frame(request, context)
            _ = try Self.opener(frame)
            return form(frame, values: ["taxCountry": "IT"])
        }
        router.post("/care/open") { request, context in try await open(request, context) }
        router.get("/hand-over/:link") { request, context in
            let link = try context.parameters.require("link")
            return try handOver(Self.persons(request, context), link)
        }
        router.post("/hand-over/:link") { request, context in try await takeOver(request, context) }
        router.post("/care/paper") { request, context in try paper(Frame(request, context)) }
        router.get("/care/paper") { request, context in
            let frame = Frame(request, context)
            _ = try frame.session()
            return templates.button("paper", action: "/care/paper", frame, help: "care")
        }
    }

    /// Who may open an account for somebody: a person, or a relative.
    private static func opener(_ frame: Frame) throws -> StoredAccount {
        let account = try frame.session().account
        guard !account.roles.isDisjoint(with: [.person, .organiser, .caregiver]) else { throw PageRefusal.notAllowed }
        return account
    }

    private func form(
        _ frame: Frame, values: [String: String], problems: FormErrors? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: "/care/open", button: texts["care.openButton"], fields: AccountForms.opening(templates.accepted, texts), values: values,
            problems: problems?.named ?? [])
        return templates.page(
            FormPage(intro: texts["care.openText"], form: form.model(texts), documents: texts["signUp.documents"]), frame,
            title: texts["care.openTitle"], help: "care", status: status)
    }

    private func open(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try Self.opener(frame), sent = try await SentForm(request)
        guard requests.take(context.address) else { return templates.busy(frame, retryAfter: 60, status: .tooManyRequests) }
        let opened: CareService.Opened
        do { opened = try await care.open(sent.fields, by: account, language: frame.texts.lang) } catch let problems as FormErrors {
            return form(frame, values: sent.fields, problems: problems, status: .unprocessableContent)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
        switch opened {
        case .mailed: return templates.notice("care.mailed", frame, help: "care")
        case .minor: return templates.notice("care.minorOpened", frame, help: "care")
        case .tooMany: return templates.busy(frame, retryAfter: 86_400, status: .tooManyRequests)
        case .handOver(let link):
            return templates.page(
                SheetPage(text: frame.texts["care.handOverLinkText"], link: Link(href: link, text: frame.texts["care.handOverOpen"])),
                frame,
                title: frame.texts["care.handOverTitle"], help: "care")
        }
    }

    // MARK: The person

    /// The page is the person's, whoever is logged in on this device.
    private static func persons(_ request: Request, _ context: HubContext) -> Frame {
        let frame = Frame(request, context)
        return Frame(texts: frame.texts, session: nil, path: frame.path)
    }

    private func handOver(
        _ frame: Frame, _ link: String, values: [String: String] = [:], problems: FormErrors? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts
        guard let (account, caregiver) = try care.handOver(link) else { return templates.problem("usedMailLink", texts, status: .gone) }
        let documents = templates.accepted
        var fields = [
            FormField(name: "password", kind: .newPassword, autocomplete: "new-password", hint: texts["signUp.passwordHint"]),
            FormField(name: "terms", kind: .tick(value: documents.terms)),
            FormField(name: "privacy", kind: .tick(value: documents.privacy)),
        ]
        if caregiver != nil { fields += FormField.kinds(texts, prefix: "see") }
        let name = caregiver?.name ?? ""
        let form = FormModel(
            action: "/hand-over/\(link)", button: texts["care.takeOverButton"], fields: fields, values: values,
            problems: problems?.named ?? [])
        let intro =
            texts.filled("care.handOverText", ["caregiver": name])
            + (caregiver == nil ? "" : " " + texts.filled("care.mayI", ["caregiver": name]))
        return templates.page(
            FormPage(intro: intro, form: form.model(texts), documents: texts["signUp.documents"]), frame,
            title: texts.filled("care.hello", ["name": account.name]), help: "care", status: status)
    }

    private func sheet(_ frame: Frame, _ account: StoredAccount, _ paper: String?) -> Response {
        let texts = frame.texts
        var page = SheetPage(text: texts["care.doneText"])
        if frame.session == nil { page.link = Link(href: "/log-in", text: texts["logIn.title"]) }
        if let paper {
            page.text = texts["care.paperText"]
            page.facts = [
                Fact(label: texts["care.userName"], value: account.email), Fact(label: texts["care.newPasswordLink"], value: paper),
            ]
        }
        return templates.page(page, frame, title: texts["care.doneTitle"], help: "care")
    }

    /// Another paper, when the one before was used or lost.
    private func paper(_ frame: Frame) throws -> Response {
        let session = try frame.session()
        if let ask = StepUp.required(session, back: "/care/paper", factors) { return ask }
        guard let paper = try care.paper(for: session.account) else { throw PageRefusal.notAllowed }
        return sheet(frame, session.account, paper)
    }

    private func takeOver(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Self.persons(request, context), texts = frame.texts
        let link = try context.parameters.require("link"), sent = try await SentForm(request)
        do {
            let taken = try await care.takeOver(link, sent.fields, kinds: sent.kinds(prefix: "see"), purpose: texts["care.purpose"])
            guard let taken else { return templates.problem("usedMailLink", texts, status: .gone) }
            return sheet(frame, taken.account, taken.paper)
        } catch let problems as FormErrors {
            return try handOver(frame, link, values: sent.fields, problems: problems, status: .unprocessableContent)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
    }
}

extension SentForm {
    /// The kinds of data that were ticked.
    var kinds: Set<DataKind> { kinds(prefix: "kind") }

    func kinds(prefix: String) -> Set<DataKind> { Set(Texts.kindsOffered.filter { !self["\(prefix)\($0.rawValue)"].isEmpty }) }
}

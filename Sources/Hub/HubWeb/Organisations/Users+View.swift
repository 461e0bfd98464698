import Accounts
import Credentials
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// The users of an organisation, and the page where somebody invited becomes one (ACC-20).
struct UsersPages: Sendable {
    let users: OrganisationUsers
    let factors: FactorService
    let templates: Templates
    let requests: RequestLimit

    static let path = "/organisation/users"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/organisation/users") { request, context in try page(Frame(request, context)) }
        router.post("/organisation/users") { request, context in try await invite(request, context) }
        router.post("/organisation/users/:id/rights") { request, context -> Response in
            let sent = try await SentForm(request)
            return try act(Frame(request, context)) { organisation in
                guard let rights = Membership.Rights(name: sent["rights"]), let id = AccountID(try context.parameters.require("id")) else {
                    throw OrganisationUsers.Problem.notYours
                }
                try users.set(rights, of: id, in: organisation)
            }
        }
        router.post("/organisation/users/:id/remove") { request, context in
            try act(Frame(request, context)) { organisation in
                guard let id = AccountID(try context.parameters.require("id")) else { throw OrganisationUsers.Problem.notYours }
                try users.remove(id, from: organisation)
            }
        }
        router.post("/organisation/users/invitations/:id/withdraw") { request, context in
            try act(Frame(request, context)) { try users.withdraw(try context.parameters.require("id"), of: $0) }
        }
        router.get("/join/:link") { request, context in try offer(Frame(request, context), try context.parameters.require("link")) }
        router.post("/join/:link") { request, context in try await join(request, context) }
    }

    // MARK: The organisation

    private func page(
        _ frame: Frame, good: String? = nil, values: [String: String] = [:], problem: OrganisationUsers.Problem? = nil
    ) throws -> Response {
        let account = try frame.session(as: .organisation).account, texts = frame.texts
        let rights = Membership.Rights.allCases.map { ($0.name, texts["users.\($0.name)"]) }
        var form = FormModel(
            action: Self.path, button: texts["users.invite"],
            fields: [
                FormField(name: "userAddress", kind: .email, autocomplete: "off"), FormField(name: "userRights", kind: .choice(rights)),
            ], values: values)
        var status = HTTPResponse.Status.ok
        if case .address(let mistake)? = problem {
            (form.problems, status) = ([("userAddress", mistake)], .unprocessableContent)
        } else if problem != nil {
            (form.problem, status) = (texts["users.tooMany"], .conflict)
        }
        let known = try users.users(of: account).map { user in
            UsersPage.User(
                id: user.account.id.description, name: user.account.name, email: user.account.email,
                since: texts.filled("followers.since", ["time": texts.instant(user.since)]),
                rights: Membership.Rights.allCases.map {
                    .init(value: $0.name, text: texts["users.\($0.name)"], isChosen: $0 == user.rights)
                })
        }
        let invited = try users.invitations(of: account).map { offer in
            UsersPage.Invitation(
                id: OrganisationUsers.id(of: offer), email: offer.address, rights: texts["users.\(offer.rights.name)"],
                until: texts.filled("followers.until", ["time": texts.instant(offer.expires)]))
        }
        let page = UsersPage(
            good: good, form: form.model(texts), isEmpty: known.isEmpty, users: known, hasInvitations: !invited.isEmpty,
            invitations: invited)
        return templates.page(page, frame, title: texts["users.title"], help: "people", status: status)
    }

    private func invite(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .organisation), sent = try await SentForm(request)
        if let ask = StepUp.required(session, back: Self.path, factors) { return ask }
        do {
            try users.invite(sent["userAddress"], Membership.Rights(name: sent["userRights"]) ?? .reads, to: session.account)
        } catch let problem as OrganisationUsers.Problem {
            return try page(frame, values: sent.fields, problem: problem)
        }
        return try page(frame, good: frame.texts["users.invited"])
    }

    /// Does something to one of the organisation's own.
    private func act(_ frame: Frame, _ body: (StoredAccount) throws -> Void) throws -> Response {
        let session = try frame.session(as: .organisation)
        if let ask = StepUp.required(session, back: Self.path, factors) { return ask }
        do { try body(session.account) } catch OrganisationUsers.Problem.notYours { throw PageRefusal.notAllowed }
        return .redirect(to: Self.path, type: .normal)
    }

    // MARK: The user

    private func offer(
        _ frame: Frame, _ link: String, values: [String: String] = [:], problems: FormErrors? = nil, problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts
        guard let offer = try users.invitation(link) else { return templates.problem("usedMailLink", texts, status: .gone) }
        let intro = texts.filled(
            "users.offer", ["organisation": offer.organisation.name, "rights": texts["users.\(offer.rights.name)"], "email": offer.address])
        var page = FormPage(intro: intro)
        let action = "/join/\(link)"
        if frame.session?.strength == .full {
            page.form = FormModel(action: action, button: texts["users.join"], fields: [], problem: problem).model(texts)
        } else {
            let fields = AccountForms.signUp(.member, templates.accepted, texts).filter { $0.name != Field.email.rawValue }
            page.form = FormModel(
                action: action, button: texts["users.signUp"], fields: fields, values: values, problems: problems?.named ?? [],
                problem: problem
            ).model(texts)
            page.links = [Link(href: "/log-in", text: texts["logIn.title"])]
            page.documents = texts["signUp.documents"]
        }
        return templates.page(page, frame, title: texts["users.offerTitle"], help: "accounts", status: status)
    }

    private func join(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), link = try context.parameters.require("link"), sent = try await SentForm(request)
        do {
            if let session = frame.session, session.strength == .full {
                try users.join(link, by: session.user)
                return .redirect(to: "/home", type: .normal)
            }
            guard requests.take(context.address) else { return templates.busy(frame, retryAfter: 60, status: .tooManyRequests) }
            try await users.signUp(link, sent.fields, language: frame.texts.lang)
            return .redirect(to: "/log-in?confirmed=1", type: .normal)
        } catch let problems as FormErrors {
            return try offer(frame, link, values: sent.fields, problems: problems, status: .unprocessableContent)
        } catch OrganisationUsers.Problem.over {
            return templates.problem("usedMailLink", frame.texts, status: .gone)
        } catch let problem as OrganisationUsers.Problem {
            return try offer(frame, link, values: sent.fields, problem: frame.texts.problem(problem), status: .conflict)
        } catch let busy as PasswordHasher.Busy {
            return templates.busy(frame, retryAfter: busy.retryAfter)
        }
    }
}

extension Membership.Rights {
    /// As forms and texts have it.
    var name: String {
        switch self {
        case .reads: "reads"
        case .asks: "asks"
        }
    }

    init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = known
    }
}

extension Texts {
    /// Why somebody does not become a user of an organisation.
    fileprivate func problem(_ problem: OrganisationUsers.Problem) -> String {
        switch problem {
        case .otherAddress: self["users.otherAddress"]
        case .hasAccount: self["users.hasAccount"]
        case .notYours, .address, .tooMany, .over, .cannotJoin: self["users.cannotJoin"]
        }
    }
}

struct UsersPage: FramedPage {
    static let template = "users"

    struct Right: TemplateModel {
        let value: String, text: String
        let isChosen: Bool
    }

    struct User: TemplateModel {
        let id: String, name: String, email: String, since: String
        let rights: [Right]
    }

    struct Invitation: TemplateModel {
        let id: String, email: String, rights: String, until: String
    }

    var good: String?
    let form: FormPart
    let isEmpty: Bool
    let users: [User]
    let hasInvitations: Bool
    let invitations: [Invitation]
}

import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird

/// The first page of a stranger, the profile, and help.
struct HomePages: Sendable {
    let service: AccountService
    let phones: PhoneService
    let regions: HomeRegions
    let templates: Templates
    /// How else whoever runs the hub is reached.
    let contact: String?

    /// The topics that help has a page for.
    static let topics = [
        "accounts", "home", "profile", "security", "followers", "following", "services", "publish", "requests", "data", "boxes", "live",
        "documents", "notices", "keys", "webhooks", "people", "care", "hospital", "duty", "protection", "places", "maintenance",
        "watch", "runs", "ways", "health", "workouts", "ecg", "groups", "console", "status", "payments",
    ]

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/") { request, context -> Response in
            let frame = Frame(request, context)
            if frame.session != nil { return .redirect(to: "/home", type: .normal) }
            return templates.page(WelcomePage(isWelcome: true), frame, title: frame.texts["welcome.title"], help: "accounts")
        }
        router.get("/profile") { request, context -> Response in
            let frame = Frame(request, context)
            let account = try frame.session().account
            return try profile(frame, account, values: account.details)
        }
        router.post("/profile") { request, context in try await edit(request, context) }
        router.post("/language") { request, context in
            let sent = try await SentForm(request), language = Texts.of(sent["language"]).lang
            var response = Response.redirect(to: Self.local(sent["back"]), type: .normal)
            // For this browser, and for the account's mails, notices and other browsers.
            response.setCookie(Sessions.cookie(Texts.cookie, language, maxAge: 31_536_000))
            if let session = context.session { try service.setLanguage(language, of: session.account) }
            return response
        }
        router.get("/help/:topic") { request, context in
            let frame = Frame(request, context), topic = try context.parameters.require("topic")
            guard Self.topics.contains(topic) else { throw HTTPError(.notFound) }
            let paragraphs = paragraphs(of: topic, frame.texts)
            let ask = Link(href: "\(SupportPages.path)?topic=\(topic)", text: frame.texts["support.link"])
            let page = ArticlePage(paragraphs: paragraphs, contact: contact, links: [ask])
            return templates.page(page, frame, title: frame.texts["help.\(topic)"], help: topic)
        }
    }

    /// Where the operator has terms and a privacy statement, they stand in the place of the hub's; the data duties, which are last, are the hub's.
    private func paragraphs(of topic: String, _ texts: Texts) -> [String] {
        let own = texts["help.\(topic)Text"].split(separator: "\n").map(String.init)
        guard topic == "documents", let documents = templates.documents else { return own }
        return documents.paragraphs(texts) + own.suffix(1)
    }

    /// A path of ours, whatever was sent.
    static func local(_ path: String) -> String {
        path.hasPrefix("/") && !path.hasPrefix("//")
            && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") } ? path : "/"
    }

    private func profile(
        _ frame: Frame, _ account: StoredAccount, values: [String: String], problems: FormErrors? = nil, good: String? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts
        let form = FormModel(
            action: "/profile", button: texts["profile.button"], fields: AccountForms.profile(account.roles, texts), values: values,
            problems: problems?.named ?? [])
        let fixed = account.roles.reduce(into: Set<Field>()) { $0.formUnion($1.fixedFields) }
        var shown = Field.allCases.filter { fixed.contains($0) && !account[$0].isEmpty }.map {
            Fact(label: texts["field.\($0.rawValue)"], value: account[$0])
        }
        if let name = try service.waitingName(of: account) {
            shown.append(Fact(label: texts["profile.waitingName"], value: name))
        }
        var page = FormPage(good: good, fixed: .init(title: texts["profile.fixed"], list: shown), form: form.model(texts))
        if account.roles.contains(.person) {
            let home = try regions.currentHome(of: account)
            page.links.append(Link(href: "/profile/region", text: RegionPages.state(home, texts, regions.list)))
        }
        if let phone = try phones.text(of: account, texts) { page.links.append(Link(href: "/phone", text: phone)) }
        page.links.append(Link(href: "/address", text: texts["address.ownTitle"]))
        if !account.roles.contains(.person) { page.links.append(Link(href: LeavePages.path, text: texts["leave.title"])) }
        if !account.hasMail { page.links.append(Link(href: "/care/paper", text: texts["paper.title"])) }
        return templates.page(page, frame, title: texts["profile.title"], help: "profile", status: status)
    }

    private func edit(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), sent = try await SentForm(request)
        let session = try frame.session()
        let isCheckedAgain: Bool
        do {
            isCheckedAgain = try service.edit(session.account, sent.fields)
        } catch let problems as FormErrors {
            return try profile(frame, session.account, values: sent.fields, problems: problems, status: .unprocessableContent)
        }
        let good = isCheckedAgain ? "profile.checkedAgain" : "profile.saved"
        return try profile(frame, session.account, values: sent.fields, good: frame.texts[good])
    }
}

extension Response {
    /// For whoever has no session.
    static var toLogIn: Response { .redirect(to: "/log-in", type: .normal) }
}

struct WelcomePage: FramedPage {
    static let template = "welcome"

    struct Choice: TemplateModel {
        let href: String, title: String, text: String
    }

    /// It greets whoever has no session; else it offers choices alone.
    var isWelcome = false
    var choices: [Choice] = []
    /// For whoever does not know yet which of them fits.
    var tour: Link?
}

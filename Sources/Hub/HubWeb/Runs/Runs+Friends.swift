import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Friends (RUN-19) and invitations (RUN-11): links that show a button, whose POST alone does something.
struct RunLinkPages: Sendable {
    let site: RunSite
    let friendships: WorkoutService
    let invitations: RunInvitationService

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/friends") { request, context in
            try friends(Frame(request, context), who: request.uri.queryParameters["person"].map(String.init) ?? "")
        }
        router.post("/runs/friends/link") { request, context in
            let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
            guard let runner = try site.runner(sent["person"], of: account) else { throw PageRefusal.notAllowed }
            return try friends(frame, who: sent["person"], link: try friendships.friendLink(of: runner.person, by: account))
        }
        router.post("/runs/friends/:person/end") { request, context in
            let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
            guard let other = PersonID(try context.parameters.require("person")), let runner = try site.runner(sent["person"], of: account)
            else { throw PageRefusal.notAllowed }
            try friendships.endFriendship(of: runner.person, with: other, by: account)
            return Response.redirect(to: "/runs/friends\(runner.query)", type: .normal)
        }
        router.get("/runs/friend/:token") { request, context in try offer(Frame(request, context), context) }
        router.post("/runs/friend/:token") { request, context in try await befriend(request, context) }
        router.get("/runs/invitation/:token") { request, context in try invitation(Frame(request, context), context) }
        router.post("/runs/invitation/:token") { request, context in try await redeem(request, context) }
    }

    private func friends(_ frame: Frame, who: String, link: String? = nil) throws -> Response {
        let account = try frame.session().account, texts = frame.texts
        guard let runner = try site.runner(who, of: account) else { throw PageRefusal.notAllowed }
        let friends = try friendships.friends(of: runner.person, for: account).map {
            RunFriendsPage.Friend(id: $0.person.description, name: $0.name)
        }
        let page = RunFriendsPage(
            runner: runner.isOwn ? nil : runner.name, link: link.map(AddressPart.init), isEmpty: friends.isEmpty, friends: friends,
            who: runner.isOwn ? "" : runner.person.description)
        return site.page(page, frame, title: texts["runs.friends"])
    }

    /// A page with what a link is about; who is logged in has a button, everybody else is told to log in.
    private func ask(
        _ frame: Frame, title: String, text: String, button: String, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts
        var page = FormPage(intro: text)
        if let account = frame.session?.account {
            let runners = try site.runners(of: account)
            if runners.isEmpty {
                page.intro = "\(text) \(texts["runs.no_notYours"])"
            } else {
                let choices = runners.map { ($0.person.description, $0.isOwn ? texts["runs.myself"] : $0.name) }
                let fields =
                    runners.count > 1 ? [FormField(name: "person", kind: .choice(choices), label: texts["runs.field_who"])] : []
                page.form = FormModel(action: frame.path, button: button, fields: fields, problem: problem).model(texts)
            }
        } else {
            page.intro = "\(text) \(texts["runs.logInFirst"])"
            page.links = [Link(href: "/log-in", text: texts["logIn.title"]), Link(href: "/sign-up", text: texts["signUp.title"])]
        }
        return site.page(page, frame, title: title, status: status)
    }

    private func offer(_ frame: Frame, _ context: HubContext, problem: String? = nil, status: HTTPResponse.Status = .ok) throws -> Response
    {
        let texts = frame.texts
        guard let name = try friendships.friend(offeredBy: try context.parameters.require("token")) else {
            return site.templates.problem("usedMailLink", texts, status: .gone)
        }
        return try ask(
            frame, title: texts["runs.friendTitle"], text: texts.filled("runs.friendText", ["name": name]), button: texts["runs.befriend"],
            problem: problem, status: status)
    }

    private func befriend(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
        let token = try context.parameters.require("token")
        guard try friendships.friend(offeredBy: token) != nil else {
            return site.templates.problem("usedMailLink", frame.texts, status: .gone)
        }
        guard let runner = try site.runner(sent["person"], of: account) else { throw PageRefusal.notAllowed }
        guard try friendships.befriend(token, runner.person, by: account) != nil else {
            return try offer(frame, context, problem: frame.texts["runs.friendOwn"], status: .conflict)
        }
        return .redirect(to: "/runs/friends\(runner.query)", type: .normal)
    }

    private func invitation(_ frame: Frame, _ context: HubContext) throws -> Response {
        let texts = frame.texts
        guard let run = try invitations.run(invitedBy: try context.parameters.require("token")) else {
            return site.templates.problem("usedMailLink", texts, status: .gone)
        }
        return try ask(
            frame, title: run.plan.name, text: texts.filled("runs.invitedText", ["run": run.plan.name, "time": texts.when(run.plan)]),
            button: texts["runs.takeInvitation"])
    }

    private func redeem(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
        let token = try context.parameters.require("token")
        guard try invitations.run(invitedBy: token) != nil else {
            return site.templates.problem("usedMailLink", frame.texts, status: .gone)
        }
        guard let runner = try site.runner(sent["person"], of: account) else { throw PageRefusal.notAllowed }
        guard let run = try invitations.redeem(token, for: runner.person, by: account) else {
            return site.templates.problem("usedMailLink", frame.texts, status: .gone)
        }
        return .redirect(to: "/runs/\(run.code)/enrol\(runner.query)", type: .normal)
    }
}

struct RunFriendsPage: FramedPage {
    static let template = "runFriends"

    struct Friend: TemplateModel {
        let id: String, name: String
    }

    /// The child's whose friends they are.
    var runner: String?
    var link: AddressPart?
    let isEmpty: Bool
    let friends: [Friend]
    /// The child, as forms send it.
    let who: String
}

import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// The people who let an account read unasked: their offers, their last data, and their live page (CONS-16). Each read is in their ledger.
struct FollowingPages: Sendable {
    let consents: ConsentService
    let live: LivePage
    let templates: Templates
    let ecg: ECGReading

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/following") { request, context in try list(Frame(request, context)) }
        router.post("/following/offers/:id/:answer") { request, context in try answer(request, context) }
        router.get("/following/:id") { request, context in try page(request, context) }
        router.post("/following/:id/end") { request, context -> Response in
            let account = try account(Frame(request, context))
            do { try consents.end(try id(context), by: .named(account.id)) } catch is ConsentProblem { throw PageRefusal.notAllowed }
            return .redirect(to: "/following", type: .normal)
        }
        router.get("/following/:id/ecg") { request, context in try strips(request, context) }
        router.get("/following/:id/ecg/:strip") { request, context in try strip(request, context) }
        // The live page's scripts ask below its own address.
        router.get("/following/:id/live") { request, context -> Response in
            let frame = Frame(request, context), followed = try followed(frame, context)
            return try live.show(followed.grant.person, followed.name, followed.grant, frame.texts, path: frame.path)
        }
        router.get("/following/:id/live/recent") { request, context -> Response in
            guard let grant = try grant(request, context), let json = try live.query.recent(grant, LiveForm(request)) else {
                return Response(status: .forbidden)
            }
            return .json(bytes: Array(json.utf8))
        }
        router.get("/following/:id/live/live") { request, context -> Response in
            guard let grant = try grant(request, context) else { return Response(status: .forbidden) }
            try live.query.accounts.ledger.recordRead(grant, now: live.query.now())
            return try live.events(of: grant.person, grant, request)
        }
    }

    /// Any account can be let read; those who run the hub read nobody.
    private func account(_ frame: Frame) throws -> StoredAccount {
        let account = try frame.session().account
        guard Navigation.mayFollow(account) else { throw PageRefusal.notAllowed }
        return account
    }

    private func id(_ context: HubContext) throws -> ConsentID {
        guard let id = ConsentID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        return id
    }

    private func followed(_ frame: Frame, _ context: HubContext) throws -> ConsentService.Followed {
        guard let followed = try consents.followed(try id(context), by: try account(frame)) else { throw PageRefusal.notAllowed }
        return followed
    }

    /// For scripts, which follow no redirect to a log-in.
    private func grant(_ request: Request, _ context: HubContext) throws -> Grant? {
        do { return try followed(Frame(request, context), context).grant } catch is PageRefusal { return nil }
    }

    private func list(_ frame: Frame, problem: String? = nil, status: HTTPResponse.Status = .ok) throws -> Response {
        let account = try account(frame), texts = frame.texts
        let offers = try consents.offers(to: account).map { offer, name in
            FollowingPage.Offer(
                id: offer.id.description, name: name, kinds: texts.kinds(offer.details.kinds), term: texts.term(offer.details.term),
                purpose: offer.details.purpose, expires: texts.filled("following.expires", ["time": texts.instant(offer.expires)]))
        }
        let people = try consents.followed(by: account).map { FollowedModel.entry($0, texts) }
        let page = FollowingPage(problem: problem, offers: offers, people: people, isEmpty: offers.isEmpty && people.isEmpty)
        return templates.page(page, frame, title: texts["following.title"], help: "following", status: status)
    }

    private func answer(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), account = try account(frame), id = try id(context)
        do {
            switch try context.parameters.require("answer") {
            case "take": try consents.takeOffer(id, by: account)
            case "decline": try consents.declineOffer(id, by: account)
            default: throw HTTPError(.notFound)
            }
        } catch is ConsentProblem {
            return try list(frame, problem: frame.texts["following.gone"], status: .conflict)
        }
        return .redirect(to: "/following", type: .normal)
    }

    private func page(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), followed = try followed(frame, context)
        let reader = Reader.named(try account(frame).id)
        guard let reading = try consents.last(FollowedModel.heartRatesMax, followed.consent.id, as: reader) else {
            throw PageRefusal.notAllowed
        }
        let model = FollowedModel(followed: followed, reading: reading).model(frame.texts, now: frame.now)
        return templates.page(model, frame, title: followed.name, help: "following")
    }

    // MARK: ECG strips, where the person lets them be read

    private func strips(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), followed = try followed(frame, context), base = "/following/\(followed.consent.id)"
        guard let part = try ecg.part(followed.grant, before: ECGViews.before(request)) else { throw PageRefusal.notAllowed }
        return ECGViews(templates: templates).list(
            part, .init(), frame, base: "\(base)/ecg", title: frame.texts.filled("ecg.titleOf", ["name": followed.name]),
            back: Link(href: base, text: followed.name), help: "ecg")
    }

    private func strip(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), followed = try followed(frame, context), base = "/following/\(followed.consent.id)/ecg"
        guard let id = ECGID(try context.parameters.require("strip")), let found = try ecg.strip(id, followed.grant) else {
            throw PageRefusal.notAllowed
        }
        return try ECGViews(templates: templates).strip(
            found, request, frame, subject: nil, base: "\(base)/\(id)",
            back: Link(href: base, text: frame.texts["ecg.all"]), help: "ecg")
    }
}

import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// My Followers: who asks, who reads, who may ask, and what they read (CONS-2, CONS-6, CONS-7, CONS-10, CONS-13, DATA-12).
struct FollowersPages: Sendable {
    let consents: ConsentService
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/followers") { request, context in try page(Frame(request, context), before: before(request)) }
        router.post("/followers/:id/:answer") { request, context in try await answer(request, context) }
        router.post("/followers/unblock") { request, context in try await unblock(request, context) }
        router.get("/followers/:id/ledger") { request, context in
            try ledger(Frame(request, context), ConsentID(try context.parameters.require("id")), before: before(request))
        }
        router.get("/ledger") { request, context in try ledger(Frame(request, context), nil, before: before(request)) }
    }

    /// Where the page before ended; nil for the first.
    private func before(_ request: Request) -> Int64? { request.uri.queryParameters["before"].flatMap { Int64($0) } }

    private func page(
        _ frame: Frame, before: Int64? = nil, problem: ConsentProblem? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .person).account, person = account.id.person
        let page = try consents.followers(of: person, for: account.id, before: before)
        let model = FollowersModel(
            consents: page.items,
            blocked: try consents.blockedAskers(of: person, for: account.id), policy: try consents.policy(of: person, for: account.id),
            offers: try consents.offers(of: person, for: account.id), now: consents.now)
        var shown = model.model(frame.texts)
        shown.problem = problem.map(frame.texts.problem)
        shown.older = page.next.map { "/followers?before=\($0)" }
        return templates.page(shown, frame, title: frame.texts["followers.title"], help: "followers", status: status)
    }

    private func answer(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .person).account, sent = try await SentForm(request)
        guard let id = ConsentID(try context.parameters.require("id")),
            let answer = ["accept": ConsentAnswer.accept, "deny": .deny, "revoke": .revoke][try context.parameters.require("answer")]
        else { throw HTTPError(.notFound) }
        do { try consents.answer(id, answer, part: sent.consentPart, by: account.id) } catch ConsentProblem.notYours {
            throw PageRefusal.notAllowed
        } catch let problem as ConsentProblem {
            return try page(frame, problem: problem, status: .conflict)
        }
        return .redirect(to: "/followers", type: .normal)
    }

    private func unblock(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .person).account
        let key = try await SentForm(request)["asker"]
        for asker in try consents.blockedAskers(of: account.id.person, for: account.id) where asker.key == key {
            try consents.liftBlock(of: asker.reader, with: account.id.person, by: account.id)
        }
        return .redirect(to: "/followers", type: .normal)
    }

    private func ledger(_ frame: Frame, _ consent: ConsentID?, before: Int64?) throws -> Response {
        let account = try frame.session(as: .person).account, texts = frame.texts
        let page = try consents.ledger(of: account.id.person, for: account.id, consent: consent, before: before)
        let entries = page.entries.map { entry in
            let what = entry.box == nil ? texts.ledger(entry) : texts.filled("ledger.atBox", ["what": texts.ledger(entry)])
            return LedgerEntriesPage.Entry(time: texts.moment(entry.at, now: consents.now), what: what, kinds: texts.kinds(entry.kinds))
        }
        let path = consent.map { "/followers/\($0)/ledger" } ?? "/ledger"
        return templates.page(
            LedgerEntriesPage(
                entries: entries, isEmpty: entries.isEmpty && page.unreadable == 0, older: page.next.map { "\(path)?before=\($0)" }), frame,
            title: texts["ledger.title"], help: "followers")
    }
}

extension Texts {
    func ledger(_ entry: LedgerEntry) -> String {
        switch entry.what {
        case .read, .readByGuardian, .readByFriend: filled("ledger.read", ["name": entry.name])
        case .counted(let isCounted, _): filled(isCounted ? "ledger.countedIn" : "ledger.countedOut", ["name": entry.name])
        case .readByLink: self["ledger.readByLink"]
        case .consent(.asked, _): filled("ledger.asked", ["name": entry.name])
        case .consent(.keptBack, _): filled("ledger.keptBack", ["name": entry.name])
        case .consent(.accepted, _): filled("ledger.accepted", ["name": entry.name])
        case .consent(.given, _): filled("ledger.given", ["name": entry.name])
        case .consent(.over(let ending), _): "\(entry.name): \(self.ending(ending))"
        }
    }
}

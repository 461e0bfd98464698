import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Privacy
import Vitals

/// My Followers: who asks, who reads, who may ask, and what they read (CONS-2, CONS-6, CONS-7, CONS-10, CONS-13, DATA-12).
struct FollowersPages: Sendable {
    let consents: ConsentService
    let links: LiveLinks
    let others: OtherFollowers
    /// The hub's address, without a slash at its end.
    let url: @Sendable () -> String
    let templates: Templates

    func routes(_ router: some RouterMethods<HubContext>) {
        router.post("/followers/links/:link/:answer") { request, context in try answerLink(request, context) }
        router.get("/followers") { request, context in
            try page(Frame(request, context), before: before(request), searched: Self.searched(request))
        }
        router.post("/followers/:id/:answer") { request, context in try await answer(request, context) }
        router.post("/followers/unblock") { request, context in try await unblock(request, context) }
        router.get("/followers/:id/ledger") { request, context in
            try ledger(Frame(request, context), ConsentID(try context.parameters.require("id")), before: before(request))
        }
        router.get("/followers/:id/receipt") { request, context in
            try receipt(Frame(request, context), ConsentID(try context.parameters.require("id")))
        }
        router.get("/ledger") { request, context in
            try ledger(Frame(request, context), nil, before: before(request), searched: Self.searched(request))
        }
    }

    /// Where the page before ended; nil for the first.
    private func before(_ request: Request) -> Int64? { request.uri.queryParameters["before"].flatMap { Int64($0) } }

    /// What a form of a search has sent; nil for none.
    static func searched(_ request: Request) -> String? {
        request.uri.queryParameters["q"].map { $0.replacingOccurrences(of: "+", with: " ") }
    }

    /// Whether a search is offered: of a list that one cannot see at a glance, and after a search.
    static func isSearchable(_ count: Int, before: Int64?, next: Int64?, _ searched: String?) -> Bool {
        count > 10 || before != nil || next != nil || searched != nil
    }

    /// The address of what is older in a list, of what a search finds where there was one.
    static func older(_ path: String, _ next: Int64?, _ searched: String?) -> String? {
        guard let next else { return nil }
        let words = searched?.addingPercentEncoding(withAllowedCharacters: .alphanumerics).flatMap { $0.isEmpty ? nil : "&q=\($0)" }
        return "\(path)?before=\(next)\(words ?? "")"
    }

    private func page(
        _ frame: Frame, before: Int64? = nil, searched: String? = nil, problem: ConsentProblem? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .person).account, person = account.id.person
        let page =
            try ConsentSearch(searched, in: consents).map { try $0.followers(of: person, for: account.id, before: before) }
            ?? consents.followers(of: person, for: account.id, before: before)
        let model = FollowersModel(
            consents: page.items,
            blocked: try consents.blockedAskers(of: person, for: account.id), policy: try consents.policy(of: person, for: account.id),
            offers: try consents.offers(of: person, for: account.id), links: try links.list(of: person, now: consents.now),
            now: consents.now)
        var shown = model.model(frame.texts)
        shown.problem = problem.map(frame.texts.problem)
        // What is older, and what a search finds, is of the register alone.
        if before == nil, ConsentSearch(searched, in: consents) == nil { shown.others = try others.list(of: person, frame.texts) }
        shown.hasReaders = !shown.running.isEmpty || !shown.others.isEmpty
        (shown.q, shown.older) = (searched ?? "", Self.older("/followers", page.next, searched))
        shown.hasSearch = Self.isSearchable(page.items.count, before: before, next: page.next, searched)
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

    /// What was said yes to, and by whom, as a file to keep.
    private func receipt(_ frame: Frame, _ id: ConsentID?) throws -> Response {
        let account = try frame.session(as: .person).account
        guard let id, let item = try consents.consent(id, of: account.id.person, for: account.id),
            let json = FHIRRecords.receipt(item, of: account, base: url() + APIController.fhir, now: consents.now)
        else { throw HTTPError(.notFound) }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/fhir+json", .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"consent-\(id.description.prefix(8)).fhir.json\"",
            ], body: .init(byteBuffer: ByteBuffer(bytes: json)))
    }

    private func answerLink(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .person).account
        let id = try context.parameters.require("link"), isDone: Bool
        do {
            switch try context.parameters.require("answer") {
            case "allow": isDone = try links.allow(id, of: account.id.person, by: account, now: consents.now)
            case "end": isDone = try links.end(id, of: account.id.person, by: account, now: consents.now)
            default: throw HTTPError(.notFound)
            }
        } catch ConsentProblem.notYours { throw PageRefusal.notAllowed }
        // The same for another's, and for one that is over.
        guard isDone else { throw HTTPError(.notFound) }
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

    private func ledger(_ frame: Frame, _ consent: ConsentID?, before: Int64?, searched: String? = nil) throws -> Response {
        let account = try frame.session(as: .person).account, texts = frame.texts
        let page =
            try ConsentSearch(searched, in: consents).map { try $0.ledger(of: account.id.person, for: account.id, before: before) }
            ?? consents.ledger(of: account.id.person, for: account.id, consent: consent, before: before)
        let entries = page.entries.map { entry in
            let what = entry.box == nil ? entry.words(texts) : texts.filled("ledger.atBox", ["what": entry.words(texts)])
            return LedgerEntriesPage.Entry(time: texts.moment(entry.at, now: consents.now), what: what, kinds: texts.kinds(entry.kinds))
        }
        let path = consent.map { "/followers/\($0)/ledger" } ?? "/ledger"
        let isSearchable = consent == nil && Self.isSearchable(entries.count, before: before, next: page.next, searched)
        return templates.page(
            LedgerEntriesPage(
                entries: entries, isEmpty: entries.isEmpty && page.unreadable == 0, search: isSearchable ? path : nil, q: searched ?? "",
                older: Self.older(path, page.next, searched)), frame,
            title: texts["ledger.title"], help: "followers")
    }
}

extension LedgerEntry {
    /// What happened, in the reader's words.
    func words(_ texts: Texts) -> String {
        switch what {
        case .read, .readByGuardian, .readByFriend: texts.filled("ledger.read", ["name": readerName])
        case .readByOperator: texts.filled("ledger.readByOperator", ["name": name, "why": purpose])
        case .counted(let isCounted, _): texts.filled(isCounted ? "ledger.countedIn" : "ledger.countedOut", ["name": name])
        case .readByLink: texts["ledger.readByLink"]
        case .parentAdded: texts.filled("ledger.parentAdded", ["name": name])
        case .parentLeft: texts.filled("ledger.parentLeft", ["name": name])
        case .told: texts.filled("ledger.told", ["name": name])
        case .link(.made): texts["ledger.linkMade"]
        case .link(.allowed): texts.filled("ledger.linkAllowed", ["name": name])
        case .link(.ended): texts.filled("ledger.linkEnded", ["name": name])
        case .consent(.asked, _): texts.filled("ledger.asked", ["name": name])
        case .consent(.keptBack, _): texts.filled("ledger.keptBack", ["name": name])
        case .consent(.accepted, _): texts.filled("ledger.accepted", ["name": name])
        case .consent(.given, _): texts.filled("ledger.given", ["name": name])
        case .consent(.over(let ending), _): "\(name): \(texts.ending(ending))"
        }
    }
}

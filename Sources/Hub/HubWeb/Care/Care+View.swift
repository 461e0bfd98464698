import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// People whom somebody looks after: relatives with consent (ACC-11), and one's own minor children (ACC-17).
struct CarePages: Sendable {
    let care: CareService
    let consents: ConsentService
    let factors: FactorService
    let templates: Templates
    /// `URL#fingerprint` of this hub.
    let enrolmentAddress: @Sendable () -> String
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/care") { request, context in try list(Frame(request, context)) }
        router.get("/care/person/:id") { request, context in try page(Frame(request, context), try person(context)) }
        router.post("/care/person/:id/box") { request, context in try box(Frame(request, context), try person(context)) }
        router.post("/care/person/:id/end") { request, context in try end(Frame(request, context), try person(context)) }
        router.post("/care/person/:id/answer/:consent/:answer") { request, context in try await answer(request, context) }
        router.get("/care/person/:id/ledger") { request, context in try ledger(request, Frame(request, context), try person(context)) }
    }

    private func person(_ context: HubContext) throws -> PersonID {
        guard let person = PersonID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        return person
    }

    private func list(_ frame: Frame) throws -> Response {
        let account = try frame.session().account, time = now()
        let people = CareModel(people: try care.list(for: account.id), now: time).model(frame.texts)
        let isPerson = account.roles.contains(.person)
        let waiting =
            !isPerson
            ? []
            : try care.waitingInvitations(of: account.id.person).map { id, offer in
                CarePage.Waiting(id: id, email: offer.email, kinds: frame.texts.kinds(offer.kinds))
            }
        return templates.page(
            CarePage(
                asOf: frame.texts.filled("care.asOf", ["time": frame.texts.instant(time)]), people: people, isEmpty: people.isEmpty,
                isWaiting: !waiting.isEmpty, waiting: waiting, isPerson: isPerson), frame, title: frame.texts["care.title"], help: "care")
    }

    /// - Throws: `PageRefusal.notAllowed`, the same for somebody who is not looked after and for nobody at all.
    private func cared(_ frame: Frame, _ person: PersonID) throws -> (StoredAccount, CaredPerson) {
        let account = try frame.session().account
        guard let cared = try care.cared(person, for: account.id) else { throw PageRefusal.notAllowed }
        return (account, cared)
    }

    /// By which somebody looks after a person.
    private func grants(of person: PersonID, for account: AccountID) throws -> [Grant] {
        try consents.careGrants(of: account).map(\.grant).filter { $0.person == person }
    }

    private func page(
        _ frame: Frame, _ person: PersonID, code: String? = nil, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let (account, cared) = try cared(frame, person), texts = frame.texts, time = now()
        var page = CarePersonPage(
            problem: problem, code: code.map(CommandPart.init),
            person: .init(person: Inline(CareModel(people: [], now: time).entry(cared, texts))),
            asOf: texts.filled("care.asOf", ["time": texts.instant(time)]), isCared: !cared.isWard,
            health: HealthPages.link(to: person, try cared.isWard ? [cared.grant] : grants(of: person, for: account.id), texts),
            ecg: try CareECGPages.link(to: cared, care, for: account.id, texts),
            tracks: try TracksPages.link(
                "/care/person/\(person)", cared.isWard ? [] : grants(of: person, for: account.id).map(\.kinds), texts))
        if cared.isWard {
            let followers = FollowersModel(
                consents: try consents.followers(of: person, for: account.id).items, blocked: [], policy: AccessPolicy(), offers: [],
                links: [], now: time, answers: "/care/person/\(person)/answer"
            ).model(texts)
            let standing = try consents.groupStanding(of: person, for: account.id)
            page.ward = .init(
                open: followers.open, running: followers.running, over: followers.over.filter { $0.again != nil },
                groups: .init(standing, action: "/care/person/\(person)/groups", isWard: true, texts))
        }
        return templates.page(page, frame, title: cared.name, help: "care", status: status)
    }

    private func box(_ frame: Frame, _ person: PersonID) throws -> Response {
        let session = try frame.session()
        _ = try cared(frame, person)
        if let ask = StepUp.required(session, back: "/care/person/\(person)", factors) { return ask }
        guard let code = try care.boxCode(for: person, by: session.account) else { throw PageRefusal.notAllowed }
        return try page(frame, person, code: "trackme-agent enrol '\(enrolmentAddress())' \(code)")
    }

    private func end(_ frame: Frame, _ person: PersonID) throws -> Response {
        guard try care.end(person, by: frame.session().account.id) else { throw PageRefusal.notAllowed }
        return .redirect(to: "/care", type: .normal)
    }

    // MARK: A parent decides

    private func answer(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), person = try person(context), (account, cared) = try cared(frame, person)
        let sent = try await SentForm(request)
        guard let id = ConsentID(try context.parameters.require("consent")),
            let answer = ["accept": ConsentAnswer.accept, "deny": .deny, "revoke": .revoke][try context.parameters.require("answer")]
        else { throw HTTPError(.notFound) }
        guard cared.isWard, try consents.followers(of: person, for: account.id).items.contains(where: { $0.consent.id == id }) else {
            throw PageRefusal.notAllowed
        }
        do { try consents.answer(id, answer, part: sent.consentPart, by: account.id) } catch ConsentProblem.notYours {
            throw PageRefusal.notAllowed
        } catch let problem as ConsentProblem {
            return try page(frame, person, problem: frame.texts.problem(problem), status: .conflict)
        }
        return .redirect(to: "/care/person/\(person)", type: .normal)
    }

    private func ledger(_ request: Request, _ frame: Frame, _ person: PersonID) throws -> Response {
        let (account, cared) = try cared(frame, person), texts = frame.texts
        guard cared.isWard else { throw PageRefusal.notAllowed }
        let searched = FollowersPages.searched(request), path = "/care/person/\(person)/ledger"
        let before = request.uri.queryParameters["before"].flatMap { Int64($0) }
        let page =
            try ConsentSearch(searched, in: consents).map { try $0.ledger(of: person, for: account.id, before: before) }
            ?? consents.ledger(of: person, for: account.id, before: before)
        let entries = page.entries.map { entry in
            LedgerEntriesPage.Entry(
                time: texts.moment(entry.at, now: frame.now), what: entry.words(texts), kinds: texts.kinds(entry.kinds))
        }
        let isSearchable = FollowersPages.isSearchable(entries.count, before: before, next: page.next, searched)
        return templates.page(
            LedgerEntriesPage(
                entries: entries, isEmpty: entries.isEmpty && page.unreadable == 0, search: isSearchable ? path : nil, q: searched ?? "",
                older: FollowersPages.older(path, page.next, searched)), frame, title: texts["ledger.title"], help: "care")
    }
}

struct CarePage: FramedPage {
    static let template = "care"

    /// Somebody who was invited to look, and has not answered.
    struct Waiting: TemplateModel {
        let id: String, email: String, kinds: String
    }

    let asOf: String
    let people: [CareModel.Person]
    let isEmpty: Bool
    let isWaiting: Bool
    let waiting: [Waiting]
    let isPerson: Bool
}

struct CarePersonPage: FramedPage {
    static let template = "carePerson"

    struct Person: TemplateModel {
        let person: Inline<CareModel.Person>
    }

    /// What a parent decides for a child.
    struct Ward: TemplateModel {
        let open: [FollowersPage.Entry]
        let running: [FollowersPage.Entry]
        let over: [FollowersPage.Entry]
        let groups: GroupChoiceModel
    }

    var problem: String?
    var code: CommandPart?
    let person: Person
    let asOf: String
    let isCared: Bool
    /// Where the person's ECG strips are.
    var health: Link?, ecg: Link?
    /// Where they have been.
    var tracks: Link?
    var ward: Ward?
}

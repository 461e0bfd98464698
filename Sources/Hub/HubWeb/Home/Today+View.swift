import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Today: what its reader looks at first, by their roles. An emergency stands above it, as on every page. It works without script.
struct TodayPages: Sendable {
    let accounts: AccountStore
    let day: TodayReader
    let sos: SOSService
    let care: CareService
    let consents: ConsentService
    let hospitals: HospitalService
    let runs: RunServices
    let phones: PhoneService
    let templates: Templates
    /// A day of readings takes its time.
    let reads: ReadPool<AccountID>
    let now: @Sendable () -> Milliseconds

    /// Of those who are looked after, so many are shown here.
    static let peopleMax = 8

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/home") { request, context -> Response in
            let frame = Frame(request, context)
            // Whoever had to log in first goes on to what they wanted.
            if frame.session?.strength == .full, let path = ReturnPath.wanted(request) {
                var response = Response.redirect(to: path, type: .normal)
                response.setCookie(ReturnPath.gone)
                return response
            }
            return try await home(frame, isAsked: request.uri.queryParameters["steps"] == "show")
        }
        router.post("/home/steps") { request, context in
            let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
            if sent["steps"] == "hide" {
                try accounts.firstSteps.hide(from: account, now: now())
            } else {
                try accounts.firstSteps.show(to: account)
            }
            return Response.redirect(to: "/home", type: .normal)
        }
    }

    /// - Parameter isAsked: first steps are wanted, also those that are done or were hidden.
    private func home(_ frame: Frame, isAsked: Bool) async throws -> Response {
        guard let session = frame.session else { return .toLogIn }
        let account = session.account, texts = frame.texts, time = now(), roles = account.roles
        let cared = roles.isDisjoint(with: Navigation.people.roles ?? []) ? [] : try care.list(for: account.id)
        let cards = TodayCards(texts: texts, now: time, zone: texts.zone ?? .gmt)
        var page = HomePage(asOf: texts.filled("care.asOf", ["time": texts.instant(time)]), since: texts.instant(account.created))
        page.people = cards.people(cared.prefix(Self.peopleMax), of: cared.count)
        var waiting = TodayWaiting(frame, cared), known = FirstSteps.Known(cared: !cared.isEmpty)
        if Navigation.mayFollow(account), try !consents.offers(to: account).isEmpty { waiting.add("offer", "/following") }
        if phones.canSend, case .notVerified = try phones.standing(of: account) { waiting.add("phone", "/phone") }
        if roles.contains(.responder) { page.cards.append(cards.duty(try hospitals.membership(of: account), account)) }
        if roles.contains(.person) {
            let view = try sos.views.view(of: account.id.person)
            if view?.choice.prepared != nil { waiting.add("prepared", "/protection") }
            if try sos.restoredSettings.dispute(of: account.id.person) != nil { waiting.add("dispute", "/protection") }
            known.take(view)
            try await own(account, view, cards, &page, &known)
        }
        let organised = try runs.organising.runs(organisedBy: account), mayCreate = runs.organising.organisers.allow(roles)
        if roles.contains(.organiser) || organised.contains(where: { !$0.state(at: time).isOver }) {
            page.cards.append(cards.organised(organised, mayCreate: mayCreate, &known))
        }
        if roles.contains(.organisation) {
            page.cards.append(cards.requests(try consents.history(of: .organisation(OrganisationID(account.id))).items, &known))
        }
        if let organisation = session.membership?.organisation {
            page.cards.append(cards.requests(try consents.history(of: .organisation(OrganisationID(organisation.id))).items, &known))
        }
        if roles.contains(.operator) {
            page.cards.append(cards.toCheck(frame, services: try accounts.services.servicesAwaitingOperator().count))
        }
        if !roles.isDisjoint(with: [.caregiver, .responder]) { known.isTold = try !accounts.pushes.pushDevices(of: account).isEmpty }
        (page.hasWaiting, page.waiting) = (!waiting.items.isEmpty, waiting.items)
        page.steps = FirstSteps(roles: mayCreate ? roles : roles.subtracting([.organiser]), known: known).model(
            texts, isHidden: try accounts.firstSteps.isHidden(for: account), isAsked: isAsked)
        return templates.page(page, frame, title: texts.filled("home.title", ["name": account.name]), help: "home")
    }

    /// What a person's own day says.
    private func own(
        _ account: StoredAccount, _ view: SOSView?, _ cards: TodayCards, _ page: inout HomePage, _ known: inout FirstSteps.Known
    ) async throws {
        let person = account.id.person
        guard let grant = try accounts.consents.authority(over: person).grant(to: account.id, at: cards.now) else { return }
        let boxes = try accounts.agents.agents(of: person), phones = try accounts.devices.devices(of: person).filter(\.isShown)
        known.hasSender = !boxes.isEmpty || !phones.isEmpty
        known.isPhoneAlone = boxes.isEmpty && !phones.isEmpty
        known.isLookedAfter = try accounts.consents.running(of: person).contains { $0.consent.request.scope.asker.isCaregiver }
        let day = day
        do {
            let found = try await reads.run(for: account.id) { try day.read(grant, in: cards.zone) }
            guard let reading = found else { return }
            known.take(reading)
            page.cards += [
                cards.heart(reading), cards.place(reading, of: person), cards.protection(view),
                cards.box(reading, boxes: boxes.map(\.name), phones: phones),
            ]
            page.cards.append(cards.workout(reading.workout))
        } catch is ReadPoolBusy {
            // Everything else is shown: who waits for an answer, and whether somebody is protected.
            page.busy = cards.texts["home.busy"]
            page.cards.append(cards.protection(view))
        }
        let mine = try runs.enrolments.runs(of: person, for: account)
        page.cards.insert(cards.nextRun(mine), at: max(0, page.cards.count - 1))
    }
}

extension StoredDevice {
    /// A phone or detector that the person added and uses.
    var isShown: Bool { revoked == nil && !kind.isHidden }
}

extension Reader {
    /// Somebody who looks after the person.
    fileprivate var isCaregiver: Bool {
        if case .caregiver = self { true } else { false }
    }
}

struct HomePage: FramedPage {
    static let template = "home"

    /// What waits for an answer.
    struct Waiting: TemplateModel {
        let href: String, text: String
    }

    /// A part of the page. Its text, lines and figures have their age; what is old is called old.
    struct Card: TemplateModel {
        let id: String, title: String
        /// Where more of it is, and what the link says.
        let href: String, link: String
        /// What was measured just now; nil for everything that is older.
        var value: String?
        var unit: String?
        var text: String?
        var lines: [CareModel.Line] = []
        /// A curve, or a map.
        var svg: String?
        /// Whose data that is.
        var note: String?
        /// A way.
        var sketch: String?
        var items: [Item] = []
    }

    /// Something of several that leads somewhere.
    struct Item: TemplateModel {
        let href: String, name: String
        var about = ""
    }

    struct Steps: TemplateModel {
        struct Step: TemplateModel {
            let href: String, text: String
            let isDone: Bool
        }

        /// The number that are done.
        let progress: String
        let steps: [Step]
        /// What the button sends, and says.
        let choice: String, button: String
    }

    let asOf: String
    let since: String
    /// The readings of the day could not be looked up just now.
    var busy: String?
    var hasWaiting = false
    var waiting: [Waiting] = []
    var people: [Card] = []
    var cards: [Card] = []
    var steps: Steps?
}

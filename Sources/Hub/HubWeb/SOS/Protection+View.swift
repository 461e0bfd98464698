import Accounts
import Distress
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import SyncProtocol
import Vitals

/// My protection: AutomatedSOS of one person, on their own page and on that of whoever looks after them.
struct ProtectionPages: Sendable {
    let sos: SOSService
    let care: CareService
    let consents: ConsentService
    let service: AccountService
    let accounts: AccountStore
    let templates: Templates
    let map: PlacesMap

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/protection") { request, context in try await page(try own(Frame(request, context))) }
        router.get("/protection/events") { request, context in try events(try own(Frame(request, context)), request) }
        router.post("/protection/on") { request, context in try await turnOn(request, context) }
        router.post("/protection/off") { request, context in
            let place = try own(Frame(request, context))
            try await sos.choices.turnOff(place.person, by: place.reader.id)
            return place.back
        }
        router.post("/protection/limits") { request, context in try await limits(try own(Frame(request, context)), request) }
        router.post("/protection/contacts/:index/up") { request, context in
            let place = try own(Frame(request, context))
            guard let index = Int(try context.parameters.require("index")) else { throw HTTPError(.notFound) }
            try await sos.choices.moveContactUp(index, of: place.person, by: place.reader.id)
            return place.back
        }
        routesOfPreparing(router)
        routesOfHome(router)
        routesOfDispute(router)
        router.post("/protection/place") { request, context in try await here(try own(Frame(request, context)), request) }
        router.post("/protection/contacts/:index/remove") { request, context in
            let place = try own(Frame(request, context))
            guard let index = Int(try context.parameters.require("index")) else { throw HTTPError(.notFound) }
            do { try await sos.choices.removeContact(index, of: place.person, by: place.reader.id) } catch let problem as SOSSettingProblem
            {
                return try await page(place, problem: problem)
            }
            return place.back
        }
        router.post("/protection/press/:button") { request, context in
            let place = try own(Frame(request, context))
            guard let button = SOSAnswer.Pressed.Button(rawValue: try context.parameters.require("button")) else {
                throw HTTPError(.notFound)
            }
            _ = try await sos.presses.press(button, for: place.person)
            return place.back
        }
        router.post("/protection/drill") { request, context in
            let place = try own(Frame(request, context))
            try await sos.drills.run(for: place.person)
            return place.back
        }
        router.post("/protection/rhythm") { request, context in try await rhythm(try own(Frame(request, context)), request) }
        router.post("/protection/reminders") { request, context in try await reminders(try own(Frame(request, context)), request) }
        routesOfInactivity(router)
        router.post("/protection/plan") { request, context in try await drillPlan(try own(Frame(request, context)), request) }
        router.get("/care/person/:id/protection") { request, context in try await page(try cared(request, context)) }
        router.get("/care/person/:id/protection/events") { request, context in try events(try cared(request, context), request) }
        router.post("/care/person/:id/protection/limits") { request, context in try await limits(try cared(request, context), request) }
        router.post("/care/person/:id/protection/plan") { request, context in try await drillPlan(try cared(request, context), request) }
        router.post("/care/person/:id/protection/:act") { request, context in
            let place = try cared(request, context)
            guard let act = SOSHelperAct(rawValue: try context.parameters.require("act")) else { throw HTTPError(.notFound) }
            guard let item = sos.openCase(of: place.person) else { return place.back }
            _ = await sos.helpers.act(act, .account(place.reader.id, name: place.reader.name), on: item.id)
            return place.back
        }
    }

    /// Whose page it is, and who reads it.
    struct Place {
        let frame: Frame
        let reader: StoredAccount
        let person: PersonID
        let name: String
        let base: String
        let isOwn: Bool

        var back: Response { .redirect(to: base, type: .normal) }
    }

    func own(_ frame: Frame) throws -> Place {
        let account = try frame.session(as: .person).account
        return Place(
            frame: frame, reader: account, person: account.id.person, name: account.name, base: "/protection", isOwn: true)
    }

    func cared(_ request: Request, _ context: HubContext) throws -> Place {
        let frame = Frame(request, context), account = try frame.session().account
        guard let person = PersonID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        guard let cared = try care.cared(person, for: account.id) else { throw PageRefusal.notAllowed }
        return Place(
            frame: frame, reader: account, person: person, name: cared.name, base: "/care/person/\(person)/protection", isOwn: false)
    }

    private func events(_ place: Place, _ request: Request) throws -> Response {
        let (reader, person, isOwn) = (place.reader.id, place.person, place.isOwn)
        return SOSEvents.response(sos.pages, place.person) {
            guard request.cookies[Sessions.cookie].flatMap({ try? service.session($0.value) })?.account.id == reader else { return false }
            if isOwn { return true }
            do { return try consents.siteGrant(of: person, to: reader) != nil } catch { return false }
        }
    }

    // MARK: The page

    func page(
        _ place: Place, problem: SOSSettingProblem? = nil, values: [String: String] = [:],
        problems: [(field: String, text: String)] = []
    ) async throws -> Response {
        let texts = place.frame.texts, time = sos.now()
        guard let view = try sos.views.view(of: place.person) else { throw PageRefusal.notAllowed }
        let coming = view.item.flatMap { sos.crews.coming($0, now: time) }.map(ProtectionModel.SOSComing.init)
        let now = ProtectionModel(
            view: view, coming: coming, now: time, isOwn: place.isOwn, name: place.name, base: place.base,
            owner: SOSViews.owner(place.reader.id),
            others: try view.item?.meant.filter { $0 != place.person }.compactMap { try accounts.account(AccountID($0))?.name } ?? [],
            isOK: view.item?.saidOK?.contains(place.person) == true,
            mayEnd: try view.item.map { try sos.addressees.mayEnd($0, place.reader.id) } ?? false,
            lives: try view.item == nil ? nil : accounts.account(AccountID(place.person)).flatMap(texts.lives))
        let isOn = view.isOn
        var page = ProtectionPage(
            problem: try problem.map { try text($0, place, view.choice) }, base: place.base, isOwn: place.isOwn, isOn: isOn,
            now: now.live(texts),
            mapConfig: try map.configuration(texts), home: try home(place), inForce: try inForce(place, view.choice),
            limitsForm: try limitsForm(place, view.choice, values, mayConfirm: problem == .widerNotConfirmed),
            drillForm: try await drillForm(place))
        if isOn { page.inactivityForm = inactivityForm(place, view.choice, values) }
        page.dispute = try dispute(place)
        try prepared(place, view.choice, isOn: isOn, problem, values, problems, &page)
        if place.isOwn { try ownPart(place, view, problem, values, problems, &page) }
        (page.changes, page.cases, page.tests) = try past(place)
        let title = place.isOwn ? texts["protection.title"] : texts.filled("protection.titleOf", ["name": place.name])
        return templates.page(page, place.frame, title: title, help: "protection", status: problem == nil ? .ok : .conflict)
    }

    /// What the person alone sees and changes.
    private func ownPart(
        _ place: Place, _ view: SOSView, _ problem: SOSSettingProblem?, _ values: [String: String],
        _ problems: [(field: String, text: String)], _ page: inout ProtectionPage
    ) throws {
        let texts = place.frame.texts, isOn = view.isOn
        // Where a relative asks for it, the person's yes has that form.
        if !isOn, view.choice.prepared?.turnsOn != true { page.onForm = try turnOnForm(place, values, problem) }
        // Better known before the button than after it.
        if let lack = try sos.reachability.lack(view.choice, of: place.person) {
            if !isOn { page.nobodyToCall = nobodyToCall(lack, texts) }
            page.helpReachesNobody =
                switch lack {
                case .people: texts["protection.helpReachesNobody"]
                case .ways: texts["protection.helpReachesNoContact"]
                case .workingWays: texts["protection.helpWaysFailed"]
                }
        }
        page.reminderForm = reminderForm(place, view.choice)
        if isOn { (page.strictSetters, page.rhythm) = (try strictSetters(place), ProtectionPage.Rhythm(view, texts)) }
        // Those that can be changed here: not what a box alone has.
        page.contacts = contacts(try sos.restoredSettings.dispute(of: place.person)?.hub ?? view.choice)
        page.contactForm = contactForm(place, values, problems)
        let mailsValues = view.choice.mailsValues ?? false
        page.values = .init(
            state: texts[mailsValues ? "protection.valuesOn" : "protection.valuesOff"], tell: mailsValues ? "no" : "yes",
            button: texts[mailsValues ? "protection.valuesNo" : "protection.valuesYes"])
        page.caregivers = try caregivers(place)
        page.hasCaregivers = !page.caregivers.isEmpty
    }

    // MARK: Changes

    /// Where the person's phone is, from the page's script, while a case is open. 204 when it is kept, 409 when there is no case.
    private func here(_ place: Place, _ request: Request) async throws -> Response {
        let sent = try await SentForm(request)
        guard let latitude = Double(sent["latitude"]), let longitude = Double(sent["longitude"]), let time = Milliseconds(sent["time"]),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return Response(status: .badRequest) }
        let error = Double(sent["accuracy"]).map { Int32(min(max(0, $0 * 10), 1e8)) }
        let sample = PositionSample(
            time: time, latitude: Int32(latitude * 1e7), longitude: Int32(longitude * 1e7), horizontalError: error, source: .network)
        return Response(status: await sos.positions.setPlace(sample, of: place.person) ? .noContent : .conflict)
    }

    private func turnOn(_ request: Request, _ context: HubContext) async throws -> Response {
        let place = try own(Frame(request, context)), sent = try await SentForm(request)
        do {
            try await sos.choices.turnOn(
                place.person, consented: sent["consent"] == SOSChoices.consentDocument, strict: Self.strict(sent),
                testWeeks: try Self.testWeeks(sent), by: place.reader.id)
        } catch let problem as SOSSettingProblem {
            return try await page(place, problem: problem, values: sent.fields)
        }
        return place.back
    }

    private func limits(_ place: Place, _ request: Request) async throws -> Response {
        let sent = try await SentForm(request)
        func number(_ name: String) throws(SOSSettingProblem) -> Int? {
            let text = sent[name].trimmingCharacters(in: .whitespaces)
            if text.isEmpty { return nil }
            guard let value = Int(text) else { throw .noNumber }
            return value
        }
        do {
            // What was not touched stays as it is now: somebody else may have changed it since the page was shown.
            let shown = Self.shownLimits(sent["shown"])
            let limits = LimitOverrides(criticalLow: try number("criticalLow"), criticalHigh: try number("criticalHigh"))
            let asksFirst = !sent["asksFirst"].isEmpty, strict = !sent["strict"].isEmpty
            try await sos.choices.setLimits(
                limits == shown?.limits ? nil : limits, asksFirst: asksFirst == shown?.asksFirst ? nil : asksFirst,
                strict: strict == shown?.strict ? nil : strict, isWiderConfirmed: !sent["understood"].isEmpty, of: place.person,
                by: place.reader.id)
        } catch let problem as SOSSettingProblem {
            return try await page(place, problem: problem, values: sent.fields)
        }
        return place.back
    }
}

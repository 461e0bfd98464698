import Accounts
import Distress
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// The page behind the link in a contact's message: it shows buttons, and only their POST does something. It shows what the consent to calls
/// covers, for as long as the case is open, and for some minutes how it ended.
struct SOSContactPages: Sendable {
    let sos: SOSService
    let accounts: AccountStore
    let templates: Templates
    let map: PlacesMap

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/sos/:link") { request, context in try page(request, context) }
        router.get("/sos/:link/events") { request, context in
            let link = try context.parameters.require("link")
            guard let found = sos.helpers.contact(link: link), found.item.isOpen else { return gone(request) }
            return SOSEvents.response(sos.pages, found.item.person) { sos.helpers.contact(link: link)?.item.isOpen == true }
        }
        router.post("/sos/:link/:act") { request, context in
            let link = try context.parameters.require("link")
            if sos.drills.test(link: link) != nil {
                _ = await sos.drills.confirm(link: link)
                return Response.redirect(to: "/sos/\(link)", type: .normal)
            }
            guard let act = SOSHelperAct(rawValue: try context.parameters.require("act")), let found = sos.helpers.contact(link: link)
            else {
                return gone(request)
            }
            let isDone = await sos.helpers.act(act, found.helper, on: found.item.id)
            return isDone ? .redirect(to: "/sos/\(link)", type: .normal) : try page(request, context)
        }
    }

    private func gone(_ request: Request) -> Response { templates.problem("usedLink", Texts.preferred(request), status: .gone) }

    private func page(_ request: Request, _ context: HubContext) throws -> Response {
        let link = try context.parameters.require("link"), frame = Frame(request, context), texts = frame.texts
        if let test = sos.drills.test(link: link) { return try testPage(frame, link, test) }
        guard let (item, helper) = sos.helpers.contact(link: link), item.isOpen else {
            guard let ended = sos.helpers.ended(link: link) else { return gone(request) }
            let text = texts["protection.outcomeForOthers_\(ended.outcome?.name ?? "finished")"]
            return templates.page(SOSContactPage(over: true), frame, title: text, help: "protection", status: .gone)
        }
        let person = try accounts.account(AccountID(item.person)), time = sos.now(), name = sos.name(of: item, person)
        let coming = sos.crews.coming(item, now: time).map(ProtectionModel.SOSComing.init)
        let shown = ProtectionModel.Case(item: item, coming: coming, now: time, isOwn: false, name: name)
        let isMine = item.isOwned(by: helper.owner), mayFinish = helper.hasAuthority || isMine && !item.hasAmbulance
        var page = SOSContactPage(
            link: link, lines: shown.found(texts), points: shown.points(texts).map(\.model),
            saysWhere: isMine && item.someoneThere == nil,
            isFree: item.owner == nil || helper.hasAuthority && !isMine && item.seeksAmbulance, mayFinish: mayFinish, mine: isMine,
            asOf: texts.filled("care.asOf", ["time": texts.instant(time)]), mapConfig: try map.configuration(texts))
        if isMine, !mayFinish { page.cannotFinish = texts.filled("protection.cannotFinish", ["name": name]) }
        if isMine, item.answerOwnerBy != nil { page.asked = texts.filled("protection.asked", ["name": name]) }
        if item.owner != nil { page.owner = texts.filled("protection.owner", ["name": item.ownerName ?? ""]) }
        page.coming = item.crew.map { shown.coming($0, texts) }
        // It may be any of several: no telephone is said to be theirs.
        if let person, item.others == nil { page.phone = texts.phone(person) }
        if let point = PlacesMap.Point(item, name, texts, time) {
            page.way = GeoLink(geo: PlacesMap.geo(point.latitude, point.longitude))
        } else {
            page.noPosition = texts["alarms.noPosition"]
            page.lives = person.flatMap(texts.lives)
        }
        let title = texts.filled("sosContact.title", ["name": name])
        return templates.page(page, frame, title: title, help: "protection")
    }

    /// A test of the way: nothing is to be done but to say that it arrived.
    private func testPage(_ frame: Frame, _ link: String, _ test: (item: SOSCase, helper: SOSHelper)) throws -> Response {
        let name = try accounts.account(AccountID(test.item.person))?.name ?? "", texts = frame.texts
        let isDone = test.item.isConfirmed(by: test.helper)
        let page = SOSContactPage(
            link: link,
            test: .init(text: texts.filled(isDone ? "sosContact.testDone" : "sosContact.testText", ["name": name]), isOpen: !isDone))
        return templates.page(page, frame, title: texts["sosContact.testTitle"], help: "protection")
    }
}

/// What a contact sees: a test of the way, or how a case ended, or the case.
struct SOSContactPage: FramedPage {
    static let template = "sosContact"

    struct Test: TemplateModel {
        let text: String
        let isOpen: Bool
    }

    /// The secret of the address.
    var link = ""
    var test: Test?
    var over = false
    var owner: String?
    var coming: ProtectionModel.Coming?
    var asked: String?
    var lines: [String] = []
    var points: [PlacesMap.Point.Model] = []
    var saysWhere = false
    var noPosition: String?
    var lives: String?
    var phone: PhoneLink?
    var way: GeoLink?
    var isFree = false
    var cannotFinish: String?
    var mayFinish = false
    var mine = false
    var asOf = ""
    var mapConfig = ""
}

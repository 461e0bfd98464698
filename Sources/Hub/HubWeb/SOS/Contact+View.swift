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
            guard let found = sos.contact(link: link), found.item.isOpen else { return gone(request) }
            return SOSEvents.response(sos.pages, found.item.person) { sos.contact(link: link)?.item.isOpen == true }
        }
        router.post("/sos/:link/:act") { request, context in
            let link = try context.parameters.require("link")
            if sos.test(link: link) != nil {
                _ = await sos.confirmTest(link: link)
                return Response.redirect(to: "/sos/\(link)", type: .normal)
            }
            guard let act = SOSService.HelperAct(rawValue: try context.parameters.require("act")), let found = sos.contact(link: link)
            else {
                return gone(request)
            }
            let isDone = await sos.act(act, found.helper, on: found.item.id)
            return isDone ? .redirect(to: "/sos/\(link)", type: .normal) : try page(request, context)
        }
    }

    private func gone(_ request: Request) -> Response { templates.problem("usedLink", Texts.preferred(request), status: .gone) }

    private func page(_ request: Request, _ context: HubContext) throws -> Response {
        let link = try context.parameters.require("link"), frame = Frame(request, context), texts = frame.texts
        if let test = sos.test(link: link) { return try testPage(frame, link, test) }
        guard let (item, helper) = sos.contact(link: link), item.isOpen else {
            guard let ended = sos.ended(link: link) else { return gone(request) }
            let text = texts["protection.outcomeForOthers_\(ended.outcome?.name ?? "finished")"]
            return templates.page("sosContact", frame.model(title: text, help: "protection", ["over": true]), status: .gone)
        }
        let person = try accounts.account(AccountID(item.person)), time = sos.now(), name = sos.name(of: item, person)
        let coming = sos.coming(item, now: time).map(ProtectionModel.SOSComing.init)
        let shown = ProtectionModel.Case(item: item, coming: coming, now: time, isOwn: false, name: name)
        let isMine = item.isOwned(by: helper.owner), mayFinish = helper.hasAuthority || isMine && !item.hasAmbulance
        var model: [String: Any] = [
            "link": link, "lines": shown.found(texts), "points": shown.points(texts).map(\.model), "mine": isMine,
            "isFree": item.owner == nil || helper.hasAuthority && !isMine && item.seeksAmbulance, "mayFinish": mayFinish,
            "saysWhere": isMine && item.someoneThere == nil,
            "mapConfig": try map.configuration(texts), "asOf": texts.filled("care.asOf", ["time": texts.instant(time)]),
        ]
        if isMine, !mayFinish { model["cannotFinish"] = texts.filled("protection.cannotFinish", ["name": name]) }
        if isMine, item.answerOwnerBy != nil { model["asked"] = texts.filled("protection.asked", ["name": name]) }
        if item.owner != nil { model["owner"] = texts.filled("protection.owner", ["name": item.ownerName ?? ""]) }
        if let crew = item.crew { model["coming"] = shown.coming(crew, texts) }
        // It may be any of several: no telephone is said to be theirs.
        if let person, item.others == nil { model["phone"] = texts.phone(person) }
        if let point = PlacesMap.Point(item, name, texts, time) {
            model["way"] = ["geo": PlacesMap.geo(point.latitude, point.longitude)]
        } else {
            model["noPosition"] = texts["alarms.noPosition"]
            if let person { model["lives"] = texts.lives(person) }
        }
        let title = texts.filled("sosContact.title", ["name": name])
        return templates.page("sosContact", frame.model(title: title, help: "protection", model))
    }

    /// A test of the way: nothing is to be done but to say that it arrived.
    private func testPage(_ frame: Frame, _ link: String, _ test: (item: SOSCase, helper: SOSService.Helper)) throws -> Response {
        let name = try accounts.account(AccountID(test.item.person))?.name ?? "", texts = frame.texts
        let isDone = test.item.isConfirmed(by: test.helper)
        let model: [String: Any] = [
            "link": link, "text": texts.filled(isDone ? "sosContact.testDone" : "sosContact.testText", ["name": name]), "isOpen": !isDone,
        ]
        return templates.page(
            "sosContact", frame.model(title: texts["sosContact.testTitle"], help: "protection", ["test": model, "over": false]))
    }
}

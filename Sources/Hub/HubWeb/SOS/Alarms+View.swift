import Accounts
import Distress
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// The responder's page (SOS-12): what is offered, what the crew has, the way there, how far it is.
struct AlarmsPages: Sendable {
    let sos: SOSService
    let service: AccountService
    let accounts: AccountStore
    let templates: Templates
    let map: PlacesMap

    private static let unseen = HTTPField.Name("X-Unseen") ?? .age

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/duty/alarms") { request, context in
            let frame = Frame(request, context), account = try frame.session(as: .responder).account
            // A line that is open says nothing: a phone in a pocket holds it too. The page tells when it renews itself unseen.
            if request.headers[Self.unseen] == nil { await sos.crews.seen(by: account.id) }
            return try page(frame)
        }
        router.get("/duty/alarms/events") { request, context in
            let frame = Frame(request, context), account = try frame.session(as: .responder).account, texts = frame.texts
            let offers: @Sendable () -> [SOSEvents.Offer] = {
                sos.crews.openOffers(to: account.id).map { offer in
                    .init(id: offer.id.description, distance: texts.away(offer.distance, toHome: offer.isToHome))
                }
            }
            return SOSEvents.response(sos.pages, account.id.person, offers: offers) {
                request.cookies[Sessions.cookie].flatMap { try? service.session($0.value) }?.account.id == account.id
            }
        }
        router.post("/duty/alarms/:id/:act") { request, context in
            let frame = Frame(request, context), account = try frame.session(as: .responder).account
            guard let id = IncidentID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
            guard
                sos.crews.shown(to: account.id).contains(where: { $0.item.id == id })
                    || sos.crews.cases(of: account.id).contains(where: { $0.item.id == id })
            else { throw PageRefusal.notAllowed }
            return try await act(try context.parameters.require("act"), id, account, frame)
        }
    }

    private func act(_ act: String, _ id: IncidentID, _ account: StoredAccount, _ frame: Frame) async throws -> Response {
        switch act {
        case "accept":
            switch try await sos.crews.accept(id, by: account) {
            case .yours: break
            case .taken: return try page(frame, problem: frame.texts["alarms.taken"])
            case .gone: return try page(frame, problem: frame.texts["alarms.gone"])
            }
        case "reject": await sos.crews.reject(id, by: account.id)
        case "release", "onTheWay", "there", "done":
            guard await sos.crews.setStatus(SOSCrew.Status(rawValue: act), of: id, by: account.id) else {
                return try page(frame, problem: frame.texts["alarms.gone"])
            }
        default: throw HTTPError(.notFound)
        }
        return .redirect(to: "/duty/alarms", type: .normal)
    }

    private func page(_ frame: Frame, problem: String? = nil) throws -> Response {
        let account = try frame.session(as: .responder).account, texts = frame.texts, time = sos.now()
        let duty = try accounts.care.ownDuty(of: account)
        let entries = AlarmsModel(crew: account.id, place: duty?.place, texts: texts, now: time)
        let shown = try sos.crews.shown(to: account.id).map { found in
            try entries.entry(found, try accounts.account(AccountID(found.item.person))) { sos.name(of: found.item, $0) }
        }
        let devices = try accounts.pushes.pushDevices(of: account)
        let page = AlarmsPage(
            problem: problem, alarms: shown, isNone: shown.isEmpty && duty != nil, isOff: duty == nil, isOn: duty != nil,
            asOf: texts.filled("care.asOf", ["time": texts.instant(time)]), mapConfig: try map.configuration(texts),
            isTold: !devices.isEmpty, pushProblems: texts.pushProblems(devices))
        return templates.page(page, frame, title: texts["alarms.title"], help: "duty", status: problem == nil ? .ok : .conflict)
    }
}

extension Texts {
    /// Browsers to which the last message did not get.
    func pushProblems(_ devices: [StoredPushDevice]) -> [String] {
        devices.filter { $0.problem != nil }.map { filled("alarms.pushProblem", ["device": $0.address.name]) }
    }
}

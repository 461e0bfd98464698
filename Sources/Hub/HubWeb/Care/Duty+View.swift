import Accounts
import Credentials
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// A crew goes on and off duty, with large buttons, and its device tells where it is (ACC-16).
struct DutyPages: Sendable {
    let hospitals: HospitalService
    let pushes: PushStore
    let templates: Templates
    /// The hub's public key for notices, for browsers.
    let pushKey: String
    /// How programs reach the hub.
    let url: @Sendable () -> String
    /// As dispatch has it (`SOSService.now`): a place is as old here as it is there.
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/duty") { request, context in try page(Frame(request, context)) }
        router.post("/duty/on") { request, context in try set(true, Frame(request, context)) }
        router.post("/duty/off") { request, context in try set(false, Frame(request, context)) }
        router.post("/duty/place") { request, context in try await place(request, context) }
        router.post("/duty/tracker") { request, context in try tracker(Frame(request, context)) }
    }

    private func page(
        _ frame: Frame, secret: String? = nil, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .responder).account, texts = frame.texts
        var page = DutyPage(problem: problem)
        if let membership = try hospitals.membership(of: account) {
            let mine = membership.duty.flatMap { $0.account == account.id ? $0 : nil }
            let devices = try pushes.pushDevices(of: account)
            var crew = DutyPage.Crew(
                ambulance: "\(membership.label.name), \(membership.label.plate)", hospital: membership.hospital.name,
                state: texts["duty.off"], isOff: mine == nil, isOn: mine != nil, isTold: !devices.isEmpty,
                told: texts.counted("duty.told", devices.count), pushProblems: texts.pushProblems(devices), pushKey: pushKey)
            if !membership.isHospitalAdmitted { crew.warning = texts["hospitalProblem.notAdmitted"] }
            if let mine {
                crew.state = texts.filled("duty.on", ["time": texts.instant(mine.since)])
                crew.place =
                    mine.place.map { texts.filled("duty.place", ["age": texts.age(max(0, now() - $0.time))]) } ?? texts["duty.noPlace"]
            } else if membership.duty != nil {
                crew.other = texts["duty.other"]
            }
            page.crew = crew
        } else {
            page.isNone = true
        }
        if let secret { page.secret = .init(secret: secret, ownTracks: url() + "/owntracks", osmAnd: url() + "/osmand") }
        return templates.page(page, frame, title: texts["duty.title"], help: "duty", status: status)
    }

    private func set(_ isOn: Bool, _ frame: Frame) throws -> Response {
        do { try hospitals.setDuty(isOn, try frame.session(as: .responder).account) } catch let problem as HospitalService.Problem {
            return try page(frame, problem: frame.texts["hospitalProblem.\(problem)"], status: .conflict)
        }
        return .redirect(to: "/duty", type: .normal)
    }

    private func tracker(_ frame: Frame) throws -> Response {
        let account = try frame.session(as: .responder).account
        do { return try page(frame, secret: hospitals.makeTracker(account).grouped) } catch let problem as HospitalService.Problem {
            return try page(frame, problem: frame.texts["hospitalProblem.\(problem)"], status: .conflict)
        }
    }

    /// The browser's own place: `latitude`, `longitude`, `accuracy` and `time` (UTC milliseconds) as form fields. 204 when it is kept, 409
    /// when the crew is not on duty.
    private func place(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context)
        guard let session = frame.session, session.strength == .full, session.account.roles.contains(.responder) else {
            return Response(status: .forbidden)
        }
        let sent = try await SentForm(request)
        guard let latitude = Double(sent["latitude"]), let longitude = Double(sent["longitude"]), let time = Milliseconds(sent["time"])
        else {
            return Response(status: .badRequest)
        }
        do {
            try hospitals.setPlace(
                CrewPosition(time: time, latitude: latitude, longitude: longitude, accuracy: Double(sent["accuracy"])), of: session.account)
        } catch HospitalService.Problem.badPlace { return Response(status: .badRequest) } catch HospitalService.Problem.offDuty {
            return Response(status: .conflict)
        }
        return Response(status: .noContent)
    }
}

struct DutyPage: FramedPage {
    static let template = "duty"

    struct Crew: TemplateModel {
        let ambulance: String, hospital: String
        var warning: String?
        var state: String
        var other: String?
        let isOff: Bool
        let isOn: Bool
        var place: String?
        let isTold: Bool
        let told: String
        let pushProblems: [String]
        let pushKey: String
    }

    /// For a program that tells where the crew is.
    struct Secret: TemplateModel {
        let secret: String, ownTracks: String, osmAnd: String
    }

    var problem: String?
    /// The account belongs to no crew.
    var isNone = false
    var crew: Crew?
    var secret: Secret?
}

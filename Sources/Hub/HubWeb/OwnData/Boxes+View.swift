import Accounts
import Credentials
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import SyncProtocol
import Vitals

/// What sends a person's data: boxes with our agent, and phones with other programs (EDGE-14, DATA-13).
struct BoxesPages: Sendable {
    let agents: AgentStore
    let thinned: ThinnedStore
    let authenticator: Authenticator
    let reports: BoxConditions
    let settings: BoxSettingsKeeper
    let enrolment: Enrolment
    let devices: Devices
    let factors: FactorService
    let templates: Templates
    /// `URL#fingerprint` of this hub.
    let enrolmentAddress: @Sendable () -> String
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/boxes") { request, context in try page(Frame(request, context)) }
        router.post("/boxes/code") { request, context in try code(Frame(request, context)) }
        router.post("/boxes/:id/revoke") { request, context in try revokeBox(request, context) }
        router.post("/boxes/devices") { request, context in try await addDevice(request, context) }
        router.post("/boxes/devices/:id/revoke") { request, context in try revokeDevice(request, context) }
    }

    private func page(
        _ frame: Frame, code: String? = nil, secret: (device: StoredDevice, secret: String)? = nil, problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .person).account, texts = frame.texts, person = account.id.person
        let thinned = try self.thinned.thinned(of: person)
        func leftOut(_ sender: Int64) -> String {
            thinned[sender].map {
                texts.filled("boxes.thinned", ["count": texts.number($0.samples), "time": texts.instant($0.last)])
            } ?? ""
        }
        let boxes = try agents.agents().filter { $0.agent.people[person] != nil && !$0.agent.revoked }.map { box in
            BoxesPage.Box(
                id: box.agent.id.description, name: box.name, since: texts.instant(box.created),
                facts: facts(of: box.agent.id, for: person, texts), copies: box.copiesSeen == 0 ? "" : texts["boxes.copies"],
                thinned: leftOut(box.agent.row), isShared: box.agent.people.count > 1)
        }
        let phones = try devices.all(of: person).filter { $0.revoked == nil }.map { device in
            BoxesPage.Phone(
                id: String(device.row), name: device.name, kind: texts["deviceKind.\(device.kind)"],
                seen: device.seen.map { texts.filled("boxes.seen", ["time": texts.moment($0, now: now())]) } ?? texts["boxes.neverSeen"],
                problem: device.problem ?? "", thinned: leftOut(device.agent.row))
        }
        let form = FormModel(
            action: "/boxes/devices", button: texts["boxes.addPhone"],
            fields: [
                FormField(name: "deviceName", kind: .text),
                FormField(
                    name: "deviceKind",
                    kind: .choice(StoredDevice.Kind.offered.map { ("\($0)", texts["deviceKind.\($0)"]) })),
            ], problem: problem)
        let kept = try settings.kept(for: person)
        var page = BoxesPage(
            code: code.map(CommandPart.init), hasNoBox: boxes.isEmpty, boxes: boxes,
            hasKept: !kept.isEmpty, kept: kept.map { BoxesPage.Kept($0, texts) }, hasNoPhone: phones.isEmpty, phones: phones,
            form: form.model(texts))
        if let (device, secret) = secret {
            let address = enrolmentAddress().prefix { $0 != "#" }
            let (path, text, label) =
                switch device.kind {
                case .ownTracks: ("/owntracks", "boxes.secretText", "")
                case .osmAnd: ("/osmand", "boxes.secretText", "boxes.identifier")
                // It is no device that anybody adds.
                case .manual: ("/data/entry", "boxes.secretText", "")
                case .imports: ("/data/import", "boxes.secretText", "")
                case .detector: (APIController.flags, "boxes.detectorText", "boxes.detectorSecret")
                }
            page.secret = .init(
                text: texts[text], address: address + path, isOwnTracks: device.kind == .ownTracks, user: String(device.row),
                secret: secret, label: texts.find(label) ?? "", phoneCode: PhoneCode(device, url: address + path, secret: secret, texts))
        }
        return templates.page(page, frame, title: texts["boxes.title"], help: "boxes", status: status)
    }

    /// What the box said of itself, and when. A person sees their own sensors alone.
    private func facts(of box: AgentID, for person: PersonID, _ texts: Texts) -> [Fact] {
        guard let heard = reports.last(of: box) else {
            return [Fact(label: texts["boxes.state"], value: texts["boxes.stateUnknown"])]
        }
        let age = max(0, now() - heard.time), state = age > BoxConditions.silentAfter ? "boxes.stateSilent" : "boxes.stateHeard"
        func battery(_ percent: Int?) -> String? { percent.map { "\(texts.number($0))\u{A0}%" } }
        var facts = [Fact(label: texts["boxes.state"], value: texts.filled(state, ["age": texts.age(age)]))]
        if let battery = battery(heard.report.batteryPercent) { facts.append(Fact(label: texts["boxes.battery"], value: battery)) }
        let sensors = heard.report.sensors.filter { $0.person == person }
        for sensor in sensors {
            let parts = [
                sensor.name ?? texts["boxes.sensorUnnamed"], texts[sensor.isConnected ? "boxes.sensorOn" : "boxes.sensorOff"],
                battery(sensor.batteryPercent),
            ]
            facts.append(Fact(label: texts["boxes.sensor"], value: parts.compactMap(\.self).joined(separator: ", ")))
        }
        if sensors.isEmpty { facts.append(Fact(label: texts["boxes.sensor"], value: texts["boxes.sensorNone"])) }
        return facts + [Fact(label: texts["boxes.version"], value: heard.report.version)]
    }

    private func code(_ frame: Frame) throws -> Response {
        let session = try frame.session(as: .person)
        if let ask = StepUp.required(session, back: "/boxes", factors) { return ask }
        let code = try enrolment.makeCode(for: [session.account.id.person], now: now())
        return try page(frame, code: "trackme-agent enrol '\(enrolmentAddress())' \(code)")
    }

    private func revokeBox(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), person = try frame.session(as: .person).account.id.person
        guard let id = AgentID(try context.parameters.require("id")), let agent = try agents.agent(id),
            agent.people[person] != nil
        else { throw PageRefusal.notAllowed }
        // A gateway that serves others too is not this person's alone to switch off: it goes on without them.
        if agent.people.count > 1 { try agents.leave(id, person) } else { try agents.disconnect(id, person, now: now()) }
        authenticator.forget(id)
        reports.forget(id)
        return .redirect(to: "/boxes", type: .normal)
    }

    private func addDevice(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .person), sent = try await SentForm(request)
        if let ask = StepUp.required(session, back: "/boxes", factors) { return ask }
        guard let kind = StoredDevice.Kind.offered.first(where: { "\($0)" == sent["deviceKind"] }) else { throw HTTPError(.badRequest) }
        do {
            let (device, secret) = try devices.add(sent["deviceName"], kind, of: session.account.id.person, now: now())
            return try page(frame, secret: (device, secret.grouped))
        } catch let problem as Devices.Problem {
            return try page(frame, problem: frame.texts["deviceProblem.\(problem)"], status: .unprocessableContent)
        }
    }

    private func revokeDevice(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), person = try frame.session(as: .person).account.id.person
        guard let row = Int64(try context.parameters.require("id")), try devices.revoke(row, of: person, now: now()) else {
            throw PageRefusal.notAllowed
        }
        return .redirect(to: "/boxes", type: .normal)
    }
}

struct BoxesPage: FramedPage {
    static let template = "boxes"

    struct Box: TemplateModel {
        let id: String, name: String, since: String
        let facts: [Fact]
        let copies: String, thinned: String
        /// Others use it too, and it stays theirs.
        let isShared: Bool
    }

    struct Phone: TemplateModel {
        let id: String, name: String, kind: String, seen: String, problem: String, thinned: String
    }

    /// Of a phone or detector that was just added.
    struct Secret: TemplateModel {
        let text: String, address: String
        let isOwnTracks: Bool
        let user: String, secret: String, label: String
        var phoneCode: PhoneCode?
    }

    var code: CommandPart?
    var secret: Secret?
    let hasNoBox: Bool
    let boxes: [Box]
    let hasKept: Bool
    let kept: [Kept]
    let hasNoPhone: Bool
    let phones: [Phone]
    let form: FormPart
}

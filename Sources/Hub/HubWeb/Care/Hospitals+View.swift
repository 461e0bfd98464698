import Accounts
import Credentials
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// An operator admits hospitals, and a hospital keeps its ambulances (ACC-16).
struct HospitalPages: Sendable {
    let hospitals: HospitalService
    let factors: FactorService
    let templates: Templates
    /// As dispatch has it (`SOSService.now`).
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/hospitals") { request, context in try list(Frame(request, context)) }
        router.post("/operator/hospitals/:id/:decision") { request, context in try decide(request, context) }
        router.get("/hospital") { request, context in try page(Frame(request, context)) }
        router.post("/hospital/ambulances") { request, context in try await add(request, context) }
        router.post("/hospital/ambulances/:id/:act") { request, context in try act(request, context) }
        router.post("/hospital/crews/:id/remove") { request, context -> Response in
            let account = try Frame(request, context).session(as: .organisation).account
            guard let crew = AccountID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
            try allowed { try hospitals.remove(crew: crew, of: account) }
            return .redirect(to: "/hospital", type: .normal)
        }
    }

    private func allowed<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch HospitalService.Problem.notYours { throw PageRefusal.notAllowed }
    }

    // MARK: The operator

    private func list(_ frame: Frame) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts
        let items = try allowed { try hospitals.hospitals(for: account) }.map { item in
            var entry = HospitalsPage.Item(
                id: item.account.id.description, name: item.account.name, email: item.account.email,
                vat: item.account[.vatNumber].isEmpty ? "–" : "\(item.account[.vatCountry]) \(item.account[.vatNumber])",
                proof: item.account[.proof].isEmpty ? "–" : item.account[.proof], since: texts.instant(item.account.created),
                isAdmitted: item.isAdmitted)
            if let admitted = item.admitted, item.isAdmitted {
                entry.state = texts.filled("hospitals.admitted", ["time": texts.instant(admitted)])
            } else if let withdrawn = item.withdrawn {
                entry.state = texts.filled("hospitals.withdrawn", ["time": texts.instant(withdrawn)])
            }
            return entry
        }
        return templates.page(
            HospitalsPage(isEmpty: items.isEmpty, items: items), frame, title: texts["hospitals.title"], help: "hospital")
    }

    private func decide(_ request: Request, _ context: HubContext) throws -> Response {
        let session = try Frame(request, context).session(as: .operator)
        guard let id = AccountID(try context.parameters.require("id")),
            let admit = ["admit": true, "withdraw": false][try context.parameters.require("decision")]
        else { throw HTTPError(.notFound) }
        if let ask = StepUp.required(session, back: "/operator/hospitals", factors) { return ask }
        try allowed { try hospitals.decide(id, admit: admit, by: session.account) }
        return .redirect(to: "/operator/hospitals", type: .normal)
    }

    // MARK: The hospital

    private func page(
        _ frame: Frame, values: [String: String] = [:], code: String? = nil, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let account = try frame.session(as: .organisation).account, texts = frame.texts, time = now()
        let isHospital = try hospitals.isHospital(account)
        let ambulances = try hospitals.ambulances(of: account).map { item in
            HospitalPage.Ambulance(
                id: String(item.row), name: item.label.name, plate: item.label.plate, duty: duty(item, texts, time),
                crews: item.crews.map { .init(id: $0.id.description, name: $0.name, email: $0.email) })
        }
        let form = FormModel(
            action: "/hospital/ambulances", button: texts["hospital.add"],
            fields: [FormField(name: "ambulanceName", kind: .text), FormField(name: "plate", kind: .text)], values: values, problem: problem
        )
        let page = HospitalPage(
            isNoHospital: !isHospital, code: code.map(HospitalPage.Code.init), isEmpty: ambulances.isEmpty, ambulances: ambulances,
            isHospital: isHospital, form: form.model(texts))
        return templates.page(page, frame, title: texts["hospital.title"], help: "hospital", status: status)
    }

    private func duty(_ item: StoredAmbulance, _ texts: Texts, _ time: Milliseconds) -> String {
        guard let duty = item.duty else { return texts["hospital.offDuty"] }
        let name = item.crews.first { $0.id == duty.account }?.name ?? "–"
        let since = texts.filled("hospital.onDuty", ["name": name, "time": texts.instant(duty.since)])
        guard let place = duty.place else { return since + " " + texts["hospital.noPlace"] }
        return since + " " + texts.filled("hospital.place", ["age": texts.age(max(0, time - place.time))])
    }

    private func add(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session(as: .organisation).account, sent = try await SentForm(request)
        do { try hospitals.add(name: sent["ambulanceName"], plate: sent["plate"], of: account) } catch let problem
            as HospitalService.Problem
        {
            let text = frame.texts["hospitalProblem.\(problem)"]
            return try page(frame, values: sent.fields, problem: text, status: problem == .notAdmitted ? .forbidden : .unprocessableContent)
        }
        return .redirect(to: "/hospital", type: .normal)
    }

    private func act(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .organisation)
        guard let row = Int64(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        let act = try context.parameters.require("act")
        guard ["code", "remove"].contains(act) else { throw HTTPError(.notFound) }
        if let ask = StepUp.required(session, back: "/hospital", factors) { return ask }
        do {
            if act == "code" {
                return try page(frame, code: allowed { try hospitals.code(for: row, of: session.account).grouped })
            }
            try allowed { try hospitals.remove(row, of: session.account) }
        } catch let problem as HospitalService.Problem {
            return try page(frame, problem: frame.texts["hospitalProblem.\(problem)"], status: .forbidden)
        }
        return .redirect(to: "/hospital", type: .normal)
    }
}

struct HospitalsPage: FramedPage {
    static let template = "hospitals"

    struct Item: TemplateModel {
        let id: String, name: String, email: String, vat: String, proof: String, since: String
        var state: String?
        let isAdmitted: Bool
    }

    let isEmpty: Bool
    let items: [Item]
}

struct HospitalPage: FramedPage {
    static let template = "hospital"

    struct Code: TemplateModel {
        let code: String
    }

    struct Crew: TemplateModel {
        let id: String, name: String, email: String
    }

    struct Ambulance: TemplateModel {
        let id: String, name: String, plate: String, duty: String
        let crews: [Crew]
    }

    let isNoHospital: Bool
    var code: Code?
    let isEmpty: Bool
    let ambulances: [Ambulance]
    let isHospital: Bool
    let form: FormPart
}

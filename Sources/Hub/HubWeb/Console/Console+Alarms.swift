import Accounts
import Distress
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Open alarms for operators: how old, and who sees to each. Who it is and how they are stands behind a reason that the person reads (OPS-1).
struct ConsoleAlarmPages: Sendable {
    let sos: SOSService
    let looks: EmergencyLooks
    let service: AccountService
    let accounts: AccountStore
    let templates: Templates

    private static let path = "/operator/alarms"
    /// Alarms that are listed; the oldest come first.
    private static let listedMax = 200

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/alarms") { request, context in try list(Frame(request, context)) }
        router.get("/operator/alarms/events") { request, context in
            let account = try Frame(request, context).session(as: .operator).account
            return ConsolePages.events(sos, service, account, request)
        }
        router.get("/operator/alarms/:id") { request, context in
            let frame = Frame(request, context)
            _ = try frame.session(as: .operator)
            return try page(frame, Self.id(context))
        }
        router.post("/operator/alarms/:id/open") { request, context -> Response in
            let frame = Frame(request, context), account = try frame.session(as: .operator).account, sent = try await SentForm(request)
            let id = try Self.id(context)
            do { try looks.begin(id, reason: sent["lookReason"], by: account) } catch EmergencyLooks.Problem.gone {
                throw HTTPError(.notFound)
            } catch EmergencyLooks.Problem.reason(let mistake) {
                return try page(frame, id, values: sent.fields, mistake: mistake)
            }
            return .redirect(to: "\(Self.path)/\(id)", type: .normal)
        }
    }

    private static func id(_ context: HubContext) throws -> IncidentID {
        guard let id = IncidentID(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
        return id
    }

    // MARK: The list

    private func list(_ frame: Frame) throws -> Response {
        _ = try frame.session(as: .operator)
        let texts = frame.texts, time = sos.now(), open = sos.views.openCases()
        let items = open.prefix(Self.listedMax).map { item in
            let (owner, level) = self.owner(item, texts)
            return ConsoleAlarmsPage.Item(
                href: "\(Self.path)/\(item.id)", since: texts.since(item.opened, time), owner: owner, level: level.rawValue,
                calls: texts.counted("console.calls", item.calls.count))
        }
        let hidden = open.count - items.count
        let page = ConsoleAlarmsPage(
            isEmpty: items.isEmpty, items: items, hidden: hidden > 0 ? texts.counted("console.hidden", hidden) : nil,
            asOf: texts.filled("care.asOf", ["time": texts.instant(time)]))
        return templates.page(page, frame, title: texts["console.alarms"], help: "console")
    }

    /// Who sees to it. That is told without a reason: it says nothing of the person.
    private func owner(_ item: SOSCase, _ texts: Texts) -> (text: String, level: StateLevel) {
        if item.owner != nil { return (texts.filled("console.owned", ["name": item.ownerName ?? texts["console.somebody"]]), .good) }
        return item.hasNobody ? (texts["console.nobody"], .bad) : (texts["console.unowned"], .warn)
    }

    // MARK: One of them

    private func page(
        _ frame: Frame, _ id: IncidentID, values: [String: String] = [:], mistake: FieldError? = nil
    ) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts, time = sos.now()
        guard let item = sos.views.openCase(id) else { throw HTTPError(.notFound) }
        let (owner, level) = self.owner(item, texts)
        var page = ConsoleAlarmPage(since: texts.since(item.opened, time), owner: owner, level: level.rawValue)
        if let until = looks.holds(id, for: account) {
            page.look = try look(item, until, texts, time)
        } else {
            page.form = FormModel(
                action: "\(Self.path)/\(id)/open", button: texts["console.look"],
                fields: [FormField(name: "lookReason", kind: .paragraph, hint: texts["console.lookHint"])], values: values,
                problems: mistake.map { [("lookReason", $0)] } ?? []
            ).model(texts)
        }
        return templates.page(
            page, frame, title: texts["console.alarm"], help: "console", status: mistake == nil ? .ok : .unprocessableContent)
    }

    private func look(_ item: SOSCase, _ until: Milliseconds, _ texts: Texts, _ time: Milliseconds) throws -> ConsoleAlarmPage.Look {
        let people = try item.people.compactMap { try accounts.account(AccountID($0)) }
        let names = people.map(\.name).filter { !$0.isEmpty }.joined(separator: ", ")
        let point = PlacesMap.Point(item, names, texts, time)
        return ConsoleAlarmPage.Look(
            name: names.isEmpty ? texts["console.nameless"] : names, phones: people.compactMap(texts.phone),
            findings: item.alarm.abnormalities.map(texts.findingOfOther), place: point.map(\.text) ?? texts["alarms.noPosition"],
            way: point.map { GeoLink(geo: PlacesMap.geo($0.latitude, $0.longitude)) },
            until: texts.filled("console.lookUntil", ["time": texts.instant(until)]))
    }
}

struct ConsoleAlarmsPage: FramedPage {
    static let template = "consoleAlarms"

    struct Item: TemplateModel {
        let href: String, since: String, owner: String, level: String, calls: String
    }

    let isEmpty: Bool
    let items: [Item]
    /// That so many more are open.
    var hidden: String?
    let asOf: String
}

struct ConsoleAlarmPage: FramedPage {
    static let template = "consoleAlarm"

    /// What stands behind a reason.
    struct Look: TemplateModel {
        let name: String
        let phones: [PhoneLink]
        let findings: [String]
        let place: String
        var way: GeoLink?
        let until: String
    }

    let since: String, owner: String, level: String
    var look: Look?
    /// Asks for the reason.
    var form: FormPart?
}

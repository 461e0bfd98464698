import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// An operator plans maintenance, and everybody whose alarms pass here is told (SOS-15).
struct MaintenancePages: Sendable {
    let planned: PlannedMaintenance
    let factors: FactorService
    let templates: Templates
    let now: @Sendable () -> Milliseconds

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/maintenance") { request, context in try page(Frame(request, context)) }
        router.post("/operator/maintenance") { request, context in try await plan(request, context) }
        router.post("/operator/maintenance/:id/cancel") { request, context in
            let session = try Frame(request, context).session(as: .operator)
            guard let id = Int64(try context.parameters.require("id")) else { throw HTTPError(.notFound) }
            if let ask = StepUp.required(session, back: "/operator/maintenance", factors) { return ask }
            do { try planned.cancel(id, by: session.account) } catch PlannedMaintenance.Problem.notYours { throw PageRefusal.notAllowed }
            return .redirect(to: "/operator/maintenance", type: .normal)
        }
    }

    private func page(_ frame: Frame, _ sent: SentForm? = nil, problem: (field: String, text: String)? = nil) throws -> Response {
        let account = try frame.session(as: .operator).account, texts = frame.texts, time = now()
        let items = try planned.list(for: account).map { window -> WindowsPage.Item in
            var item = WindowsPage.Item(
                id: String(window.id),
                text: texts.filled("maintenance.window", ["from": texts.instant(window.begin), "to": texts.instant(window.end)]),
                told: texts.counted("maintenance.announced", window.told), mayCancel: window.isPlanned && window.begin > time)
            if !window.isPlanned {
                item.state = texts["noticeKind.maintenance.cancelled"]
            } else if window.end <= time {
                item.state = texts["maintenance.over"]
            } else if window.begin <= time {
                item.state = texts["maintenance.running"]
            } else if window.begin - time < 48 * 3_600_000 {
                item.state = texts["maintenance.short"]
            }
            return item
        }
        let fields = [
            FormField(
                name: "windowBegin", kind: .instant,
                hint: beginHint(texts)),
            FormField(name: "windowMinutes", kind: .text),
        ]
        let form = FormModel(
            action: "/operator/maintenance", button: texts["maintenance.plan"], fields: fields,
            values: sent?.fields ?? ["windowMinutes": "60"],
            said: [problem].compactMap(\.self))
        return templates.page(
            WindowsPage(isEmpty: items.isEmpty, items: items, form: form.model(texts)), frame, title: texts["maintenance.title"],
            help: "maintenance", status: problem == nil ? .ok : .unprocessableContent)
    }

    private func beginHint(_ texts: Texts) -> String {
        let zone = texts.filled("maintenance.beginHint", ["zone": TimeZone.current.identifier])
        return planned.hours.map { "\(zone) " + texts.filled("maintenance.hours", ["hours": "\($0)"]) } ?? zone
    }

    private func plan(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), session = try frame.session(as: .operator), texts = frame.texts
        let sent = try await SentForm(request)
        if let ask = StepUp.required(session, back: "/operator/maintenance", factors) { return ask }
        do {
            guard let begin = Self.instant(sent["windowBegin"]) else { throw PlannedMaintenance.Problem.badTime }
            try planned.plan(begin: begin, minutes: Int(sent["windowMinutes"]) ?? 0, by: session.account)
        } catch PlannedMaintenance.Problem.badTime {
            return try page(frame, sent, problem: ("windowBegin", texts["maintenance.badTime"]))
        } catch PlannedMaintenance.Problem.badLength {
            return try page(frame, sent, problem: ("windowMinutes", texts["maintenance.badLength"]))
        } catch PlannedMaintenance.Problem.badHours {
            let hours = planned.hours.map { "\($0)" } ?? ""
            return try page(frame, sent, problem: ("windowBegin", texts.filled("maintenance.badHours", ["hours": hours])))
        } catch PlannedMaintenance.Problem.overlaps {
            return try page(frame, sent, problem: ("windowBegin", texts["maintenance.overlaps"]))
        }
        return .redirect(to: "/operator/maintenance", type: .normal)
    }

    /// `YYYY-MM-DDThh:mm` as browsers send it, or with a space, in the hub's time zone.
    static func instant(_ text: String) -> Milliseconds? {
        let text = text.trimmingCharacters(in: .whitespaces)
        let numbers = text.split(whereSeparator: { "-T: ".contains($0) }).compactMap { Int32($0) }
        guard text.utf8.count == 16, numbers.count == 5, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]),
            (0...23).contains(numbers[3]), (0...59).contains(numbers[4])
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (parts.tm_hour, parts.tm_min, parts.tm_isdst) = (numbers[3], numbers[4], -1)
        let seconds = mktime(&parts)
        // The 31st of June is no day.
        guard parts.tm_mday == numbers[2] else { return nil }
        return seconds == -1 ? nil : Milliseconds(seconds) * 1000
    }
}

struct WindowsPage: FramedPage {
    static let template = "windows"

    struct Item: TemplateModel {
        let id: String, text: String
        var state: String?
        let told: String
        let mayCancel: Bool
    }

    let isEmpty: Bool
    let items: [Item]
    let form: FormPart
}

import Distress
import Foundation
import HubServices
import HubStore
import Hummingbird
import Vitals

/// When the person is asked where there is no sign of life (SOS-24): chosen by them, or by somebody who looks after them.
extension ProtectionPages {
    func routesOfInactivity(_ router: some RouterMethods<HubContext>) {
        router.post("/protection/inactivity") { request, context in try await setInactivity(try own(Frame(request, context)), request) }
        router.post("/care/person/:id/protection/inactivity") { request, context in
            try await setInactivity(try cared(request, context), request)
        }
    }

    private static let hours = [2, 3, 4, 6, 8, 10, 12, 16, 24]
    private static let usualNight = (from: 22 * 60, to: 6 * 60)

    /// - Parameter sent: what was refused a moment ago; empty for nothing.
    func inactivityForm(_ place: Place, _ choice: SOSChoice, _ sent: [String: String]) -> ProtectionPage.InactivityForm {
        let texts = place.frame.texts, plan = choice.inactivity
        func time(_ minutes: Int) -> (String, String) { ("\(minutes)", String(format: "%d:%02d", minutes / 60, minutes % 60)) }
        let never = ("", texts["protection.inactivityNever"])
        let fields = [
            FormField(name: "inactiveBy", kind: .choice([never] + stride(from: 360, through: 1200, by: 30).map(time))),
            FormField(
                name: "inactiveHours", kind: .choice([never] + Self.hours.map { ("\($0)", texts.counted("protection.hours", $0)) }),
                hint: texts["protection.inactivityHoursHint"]),
            FormField(name: "nightFrom", kind: .choice([19, 20, 21, 22, 23, 0, 1].map { time($0 * 60) })),
            FormField(name: "nightTo", kind: .choice((4...10).map { time($0 * 60) })),
            FormField(name: "inactiveZone", kind: .text, hint: texts["protection.inactivityZoneHint"]),
        ]
        var values = [
            "inactiveBy": plan?.by.map(String.init) ?? "", "inactiveHours": plan?.hours.map(String.init) ?? "",
            "nightFrom": "\(plan?.nightFrom ?? Self.usualNight.from)", "nightTo": "\(plan?.nightTo ?? Self.usualNight.to)",
        ]
        let zone = texts.zone ?? TimeZone.current
        values["inactiveZone"] = plan?.timeZone ?? zone.identifier
        for field in fields { if let value = sent[field.name] { values[field.name] = value } }
        let form = FormModel(
            action: place.base + "/inactivity", button: texts["protection.inactivitySave"], fields: fields, values: values)
        return .init(
            form: Inline(form.model(texts)),
            about: texts.filled(place.isOwn ? "protection.inactivityText" : "protection.inactivityTextOf", ["name": place.name]),
            state: texts[plan == nil ? "protection.inactivityOff" : "protection.inactivityOn"])
    }

    private func setInactivity(_ place: Place, _ request: Request) async throws -> Response {
        let sent = try await SentForm(request)
        let by = Int(sent["inactiveBy"]), hours = Int(sent["inactiveHours"])
        let plan = InactivityPlan(
            by: by, hours: hours, nightFrom: Int(sent["nightFrom"]) ?? -1, nightTo: Int(sent["nightTo"]) ?? -1,
            timeZone: sent["inactiveZone"].trimmingCharacters(in: .whitespaces))
        do {
            try await sos.inactivity.setPlan(by == nil && hours == nil ? nil : plan, of: place.person, by: place.reader.id)
        } catch let problem as SOSSettingProblem {
            return try await page(place, problem: problem, values: sent.fields)
        }
        return place.back
    }
}

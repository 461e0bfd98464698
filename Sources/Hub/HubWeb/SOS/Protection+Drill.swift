import Distress
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// A test by plan (SOS-19): how often, on which day, at what hour.
extension ProtectionPages {
    /// Weeks between two tests that the page offers; 0 is never.
    private static let weeks = [0, 1, 2, 4, 8, 13, 26]

    func drillForm(_ place: Place) async throws -> ProtectionPage.DrillForm {
        let texts = place.frame.texts, plan = try await sos.drills.plan(of: place.person)
        let options = Self.weekOptions(texts)
        let days = texts["protection.weekdays"].split(separator: " ").map(String.init)
        let fields = [
            FormField(name: "drillWeeks", kind: .choice(options)),
            FormField(name: "drillDay", kind: .choice(days.enumerated().map { ("\($0 + 1)", $1) })),
            FormField(name: "drillHour", kind: .choice((0..<24).map { ("\($0)", "\($0):00") })),
        ]
        let values = [
            "drillWeeks": "\(plan?.everyWeeks ?? 0)", "drillDay": "\(plan?.weekday ?? 1)", "drillHour": "\(plan?.hour ?? 10)",
        ]
        let form = FormModel(action: place.base + "/plan", button: texts["protection.savePlan"], fields: fields, values: values)
        let next = try await sos.drills.next(of: place.person), standing = try sos.drills.standing(of: place.person)
        return .init(
            form: Inline(form.model(texts)),
            overdue: standing.overdueSince.map { texts.filled("protection.drillOverdue", ["time": texts.instant($0)]) },
            missing: plan == nil ? texts["protection.planMissing"] : nil,
            last: standing.passed.map { texts.filled("protection.drillPassed", ["time": texts.instant($0)]) }
                ?? texts["protection.drillNeverPassed"],
            heard: standing.unheardAt.map { texts.filled("protection.drillUnheard", ["time": texts.instant($0)]) }
                ?? (standing.wasHeartHeard == true ? texts["protection.drillHeard"] : nil),
            next: next.map { texts.filled("protection.planNext", ["time": texts.instant($0)]) } ?? texts["protection.planNone"])
    }

    private static func weekOptions(_ texts: Texts) -> [(value: String, text: String)] {
        weeks.map { ("\($0)", $0 == 0 ? texts["protection.planNever"] : texts.counted("protection.planEvery", $0)) }
    }

    /// The same choice where AutomatedSOS is turned on: as it was before, else the usual one.
    func testsPart(_ place: Place, chosen: String?) throws -> TurnOnPart.Tests {
        let texts = place.frame.texts, known = try sos.store.drill(of: place.person)?.plan.everyWeeks
        let offered = known.flatMap { Self.weeks.contains($0) ? $0 : nil } ?? SOSDrills.usualWeeks
        return .init(
            ask: texts["protection.testsAsk"], about: texts["protection.testsAbout"],
            options: Self.weekOptions(texts).map {
                .init(value: $0.value, text: $0.text, isChosen: $0.value == chosen ?? "\(offered)")
            })
    }

    /// What was chosen there; nil of a form without that choice.
    static func testWeeks(_ sent: SentForm) throws -> Int? {
        if sent["testWeeks"].isEmpty { return nil }
        guard let chosen = Int(sent["testWeeks"]), weeks.contains(chosen) else { throw HTTPError(.badRequest) }
        return chosen
    }

    /// When nobody watches: how often the person is told, and when relatives are (SOS-21).
    func reminderForm(_ place: Place, _ choice: SOSChoice) -> FormPart {
        let texts = place.frame.texts, plan = choice.reminders ?? ReminderPlan()
        func choices(_ times: [Milliseconds]) -> FormField.Kind { .choice(times.map { ("\($0 / 60_000)", texts.length($0)) }) }
        let fields = [
            FormField(name: "remindFirst", kind: choices(SOSChoices.remindFirst)),
            FormField(name: "remindEvery", kind: choices(SOSChoices.remindEvery)),
            FormField(name: "relativesAfter", kind: choices(SOSChoices.relativesAfter)),
        ]
        let relatives = choice.relativesAfter ?? SOSChoice.relativesAfterUsual
        let values = [
            "remindFirst": "\(plan.first / 60_000)", "remindEvery": "\(plan.every / 60_000)", "relativesAfter": "\(relatives / 60_000)",
        ]
        return FormModel(action: place.base + "/reminders", button: texts["protection.saveReminders"], fields: fields, values: values)
            .model(texts)
    }

    func reminders(_ place: Place, _ request: Request) async throws -> Response {
        let sent = try await SentForm(request)
        func time(_ name: String) throws -> Milliseconds {
            guard let minutes = Milliseconds(sent[name]), (0...100_000).contains(minutes) else { throw HTTPError(.badRequest) }
            return minutes * 60_000
        }
        let plan = ReminderPlan(first: try time("remindFirst"), every: try time("remindEvery"))
        do {
            try await sos.choices.setReminders(plan, relativesAfter: try time("relativesAfter"), of: place.person, by: place.reader.id)
        } catch is SOSSettingProblem { throw HTTPError(.badRequest) }
        return place.back
    }

    func drillPlan(_ place: Place, _ request: Request) async throws -> Response {
        let sent = try await SentForm(request)
        guard let weeks = Int(sent["drillWeeks"]), let day = Int(sent["drillDay"]), let hour = Int(sent["drillHour"]) else {
            throw HTTPError(.badRequest)
        }
        let plan = weeks == 0 ? nil : SOSDrillPlan(everyWeeks: weeks, weekday: day, hour: hour)
        do { try await sos.drills.setPlan(plan, for: place.person, by: place.reader.id) } catch SOSDrills.Problem.plan {
            throw HTTPError(.badRequest)
        } catch SOSDrills.Problem.notAllowed { throw PageRefusal.notAllowed }
        return place.back
    }
}

extension Texts {
    /// In whole days, hours or minutes.
    func length(_ time: Milliseconds) -> String {
        let minutes = Int(time / 60_000)
        if minutes == 0 { return self["protection.atOnce"] }
        if minutes % 1440 == 0 { return counted("protection.days", minutes / 1440) }
        return minutes % 60 == 0 ? counted("protection.hours", minutes / 60) : counted("protection.minutes", minutes)
    }
}

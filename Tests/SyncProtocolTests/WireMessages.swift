import Distress
import SyncProtocol
import Vitals

/// One message of each kind with something in every field.
enum WireMessages {
    static let person = PersonID(high: 1, low: 2), incident = IncidentID(high: 3, low: 4), now: Milliseconds = 1_795_600_000_000

    static func key(_ kind: DataKind = .heartRate) -> SampleKey {
        SampleKey(stream: StreamID(high: 5, low: 6), sequence: 7, kind: kind, index: 8)
    }

    static let abnormality = Abnormality(
        trigger: .heartRateHigh, tier: .critical, limit: 131, context: .rest, first: Reading(time: now, value: 150, key: key()),
        latest: Reading(time: now + 2000, value: 152, key: key()), worst: 153, count: 3)

    static let alarm: Alarm = {
        var alarm = Alarm(
            id: incident, person: person, provenance: .live, raisedAt: now, abnormalities: [abnormality],
            readings: [Reading(time: now, value: 150, key: key())], history: [HistoryPoint(time: now, heartRate: 80, speed: 120)],
            position: LastPosition(PositionSample(time: now, latitude: 450_000_000, longitude: 90_000_000, horizontalError: 50)))
        alarm.aliases = [IncidentID(high: 9, low: 9)]
        alarm.position?.isAgeUnknown = false
        alarm.wasAsked = true
        return alarm
    }()

    static let origin = SettingsOrigin(hub: HubIncarnation(high: 1, low: 2), version: 3, time: now, by: "Ada")

    static let settings: SOSSettings.Person = {
        let distress = DistressSettings(
            age: 70, personal: PersonalLimits(version: 1, computedAt: now, restingMedian: 60, restingDeviation: 2, days: 9, maximum: 120),
            overrides: LimitOverrides(criticalLow: 41, criticalHigh: 130), strict: true,
            inactivity: InactivityPlan(by: 540, hours: 4, timeZone: "Europe/Rome"))
        var settings = SOSSettings.Person(
            person: person, distress: distress, name: "Ada", birthYear: 1950, language: "en", phone: "+390000000", address: "Via Roma 1",
            contacts: [.init(name: "Berta", phone: "+390000001", language: "it")])
        (settings.reminders, settings.wasTurnedOff, settings.offSince) = (ReminderPlan(), true, now)
        settings.tellsValues = true
        (settings.origin, settings.compared) = (origin, .init(with: origin, isKnown: false))
        settings.atHub = .init(isOn: true, contacts: ["Berta"])
        return settings
    }()

    static let report: SOSReport = {
        var report = SOSReport(
            person: person, boot: BootID(high: 1, low: 1), revision: 9, sentAt: now, provenance: .live, unprotected: [.noSignal, .paused],
            question: Question(id: incident, tier: .critical, trigger: .heartRateHigh, askedAt: now, answerBy: now + 5000),
            warning: Warning(id: incident, abnormality: abnormality, at: now), alarm: alarm, outcome: .finished(Owner("tel:+390000000")),
            owner: Owner("tel:+390000000"),
            calls: [
                .init(
                    channel: .call, recipient: "+390000000", state: .sent, at: now, problem: "no", why: "refused", isDelivered: true)
            ], weaknesses: ["noPosition"])
        report.isPositionOff = true
        report.lastPlace = alarm.position
        report.lastPlace?.isAgeUnknown = true
        (report.holds, report.settings) = (origin, settings)
        report.activity = .init(sign: now, seen: now)
        report.broughtBack = now
        (report.others, report.means, report.answered) = ([PersonID(high: 1, low: 3)], ["text", "hook"], incident)
        return report
    }()

    static let answer: SOSAnswer = {
        var answer = SOSAnswer(
            utc: now, isDurable: true, addresseeReached: true, incident: incident, owner: Owner("room:1"), ownerName: "Room",
            coming: .init(latitude: 450_000_000, longitude: 90_000_000, age: 1000, arrivalIn: 60_000), outcome: .falseAlarm,
            pressed: [.init(button: .ok, number: 5, ago: 1000)], settingsVersion: 3)
        (answer.open, answer.reachesNobody, answer.reachedNobody, answer.told) = (alarm, true, true, ["+390000000"])
        (answer.drill, answer.wantsSettings, answer.asksOwner) = (.init(number: 4), true, true)
        answer.aliveAgo = 60_000
        answer.warned = ["heartPause"]
        answer.elsewhere = "paused"
        answer.pressed[0].bringsBack = true
        answer.flagged = [.init(flag: "fall", key: key(.event))]
        answer.rhythm = .init(ago: 60_000)
        return answer
    }()

    static func checkIn(_ kinds: Set<CheckIn.Kind> = [.position, .heartRate], _ standing: CheckIn.Standing = .open) -> CheckIn {
        CheckIn(
            id: ConsentID(high: 1, low: 7), run: "Run", code: "ABC234", organiser: "Club", purpose: "Who is where", kinds: kinds,
            until: now + 7_200_000, lapses: now, standing: standing)
    }

    static func sync(
        _ cadence: SyncAnswer.Cadence = .arrival, _ reason: SyncAnswer.Refusal.Reason = .range, _ checkIn: CheckIn = checkIn()
    ) -> SyncAnswer {
        SyncAnswer(
            hub: HubIncarnation(high: 1, low: 2), utc: now, cadence: cadence,
            streams: [
                .init(
                    stream: StreamID(high: 3, low: 4), received: [[1, 5]], refused: [.init(sequence: 6, reason: reason, detail: "why")],
                    forked: [7])
            ], questions: 2, checkIns: CheckInList([checkIn]))
    }
}

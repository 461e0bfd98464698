internal import Distress
internal import Logging
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// Reports of AutomatedSOS to the hub, at once and over a way of their own.
@BoxActor
final class SOSReports {
    typealias Answered = @BoxActor (Result<SOSAnswer, SourceProblem>, SOSReport) -> Void

    private let context: BoxContext
    private let choices: BoxChoices
    private let stations: SOSStations
    private let places: LastPlaces
    private let means: LocalMeans
    private let settings: SOSSettingsStore
    private let protection: SOSProtection
    private let hub: any SOSHub
    private let stallDetector: StallDetector
    private let answered: Answered

    /// - Parameter answered: takes what the hub says to a report, or why it says nothing.
    init(
        _ context: BoxContext, _ choices: BoxChoices, _ stations: SOSStations, _ places: LastPlaces, _ means: LocalMeans,
        _ settings: SOSSettingsStore, _ protection: SOSProtection, _ hub: any SOSHub, _ stallDetector: StallDetector,
        answered: @escaping Answered
    ) {
        (self.context, self.choices, self.stations, self.places, self.means) = (context, choices, stations, places, means)
        (self.settings, self.protection, self.hub, self.stallDetector) = (settings, protection, hub, stallDetector)
        self.answered = answered
    }

    func tell(of person: PersonID, isNews: Bool = false) {
        guard let watching = stations.all[person] else { return }
        let now = context.clock.boottime()
        guard let revision = stations.all[person]?.hub.beginReport(isNews: isNews, isOpen: watching.isOpen, at: now) else { return }
        let report = report(of: watching, revision: revision, at: now)
        stations.all[person]?.hub.saidWeaknesses = report.weaknesses
        stallDetector.note(report)
        context.clock.machine.start(priority: .medium) { [weak self, hub] in
            let answer = await hub.report(report)
            await self?.answered(answer, report)
        }
    }

    private func report(of watching: SOSStation, revision: UInt64, at now: Milliseconds) -> SOSReport {
        var alarm = watching.alarm
        let place = alarm.flatMap { places.place(of: $0, watching.person) }, isAgeUnknown = place?.isAgeUnknown == true
        alarm?.position = isAgeUnknown ? nil : place
        var over = alarm == nil ? watching.untold : nil
        // Whoever knows no such word would take it for new.
        if over?.alarm.position?.isAgeUnknown == true { over?.alarm.position = nil }
        var report = SOSReport(
            person: watching.person, boot: context.boot, revision: revision, sentAt: now, provenance: .live,
            unprotected: watching.watch.protection.reasons, detectorDown: isDetectorDown(watching, at: now),
            question: watching.question, warning: watching.warningToTell, alarm: alarm ?? over?.alarm,
            outcome: watching.outcome ?? over?.outcome, owner: watching.owner, calls: watching.calls,
            weaknesses: protection.weaknessesForHub(watching))
        (report.answered, report.broughtBack) = (watching.answered, watching.broughtBack)
        report.activity = watching.activity.map { .init(sign: $0.ownSign, seen: $0.seen) }
        report.lastPlace = isAgeUnknown ? place : nil
        report.isPositionOff = choices[watching.person].kinds.position ? nil : true
        report.others = watching.alarm == nil || watching.others.isEmpty ? nil : watching.others
        report.holds = settings.held.origin(of: watching.person)
        if watching.hub.wantsSettings { report.settings = settings.held.own(watching.person) }
        report.means = means.reported(of: watching)
        return report
    }

    /// Nobody watches here: the box does not keep up, or has nothing to watch with. The hub then watches what else the person sends.
    func isDetectorDown(_ watching: SOSStation, at now: Milliseconds) -> Bool {
        let choices = choices[watching.person]
        return watching.isDetectorDown(at: now) || choices.sensor == nil || !choices.kinds.heartRate
    }
}

internal import Distress
internal import Logging
internal import Monitoring
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// The meaning of the hub's word on AutomatedSOS.
@BoxActor
final class SOSHubAnswers {
    let context: BoxContext
    let stations: SOSStations
    let sos: AutomatedSOS
    let calls: LocalCalls
    let reports: SOSReports
    let settings: SOSSettingsStore
    let publisher: StatusPublisher
    let hub: any SOSHub
    private let presses: HubPresses
    private let drills: SOSDrills
    var isFetchingSettings = false

    init(
        _ context: BoxContext, _ stations: SOSStations, _ sos: AutomatedSOS, _ settings: SOSSettingsStore, _ presses: HubPresses,
        _ drills: SOSDrills, _ publisher: StatusPublisher, _ hub: any SOSHub
    ) {
        (self.context, self.stations, self.sos, self.settings) = (context, stations, sos, settings)
        (calls, reports) = (sos.calls, sos.reports)
        (self.presses, self.drills, self.publisher, self.hub) = (presses, drills, publisher, hub)
    }

    func heard(_ result: Result<SOSAnswer, SourceProblem>, to report: SOSReport) {
        let person = report.person, now = context.clock.boottime()
        stations.all[person]?.hub.inFlight -= 1
        defer { publisher.publish() }
        switch result {
        case .success(let answer): take(answer, to: report, at: now)
        case .failure(let problem):
            guard let before = stations.all[person] else { return }
            if before.hub.problem?.what != problem.what { context.logger.warning("\(problem)") }
            guard stations.all[person]?.failed(problem, to: report, at: now) == true, !before.isHandedOver else { return }
            sos.feed(.otherSide(.unreachable), of: person)
        }
    }

    private func take(_ answer: SOSAnswer, to report: SOSReport, at now: Milliseconds) {
        let person = report.person
        var answer = answer
        // An ending that this version does not know ends nothing: the person or the owner does.
        if answer.outcome == .unknown { answer.outcome = nil }
        // Told once, and not again: also with an answer that was overtaken.
        presses.take(answer.pressed, of: person, at: now)
        if let planned = answer.drill { drills.take(planned, of: person) }
        guard let before = stations.all[person], report.revision > before.hub.toldRevision else { return }
        if before.hub.problem != nil { context.logger.notice("the hub takes alarms from this box again") }
        stations.all[person]?.heard(answer, to: report, at: now)
        ask(about: answer.flagged ?? [], of: person)
        if let ago = answer.aliveAgo { stations.all[person]?.activity?.heard(sign: now - max(0, ago), seen: nil) }
        // Of another case, or of none, it says nothing.
        let isAboutThis = report.alarm.map { $0.id == before.watch.incident.alarm?.id } ?? false
        if isAboutThis {
            hear(told: answer.told ?? [], of: person)
            follow(answer, of: person)
        }
        // Somebody has it at the hub, and decides: that the person is OK is told until they have.
        let isOpenThere = answer.outcome == nil && answer.incident != nil
        if report.outcome != nil, report.outcome == before.untold?.outcome, report.alarm?.id == before.untold?.alarm.id, !isOpenThere {
            stations.all[person]?.untold = nil
        }
        if report.alarm == nil, let open = answer.open {
            adopt(open.shifted(by: now - answer.utc), told: answer.told ?? [], of: person, at: now)
        }
        // What began at the hub is the hub's to call about, as long as it answers and does not say that it has reached nobody.
        if isAboutThis, before.isAdopted, !answer.addresseeReached, answer.reachedNobody == true {
            sos.feed(.otherSide(.nobodyReached, of: report.alarm?.id), of: person)
        } else if isAboutThis, answer.isDurable, answer.addresseeReached || before.isAdopted {
            stations.all[person]?.hub.reached = now
            sos.feed(.otherSide(.addresseeReached, of: report.alarm?.id), of: person)
        } else if stations.all[person]?.isHandedOver != true {
            sos.feed(.otherSide(.reachable), of: person)
        }
        stations.all[person]?.planReport(after: answer, at: now)
        if settings.isBehind(answer, of: person) { fetchSettings() }
        handBack(answer.wantsSettings == true, of: person)
    }

    private func hear(told numbers: [String], of person: PersonID) {
        guard let known = stations.all[person]?.hub.told, !known.isSuperset(of: numbers) else { return }
        stations.all[person]?.hub.told.formUnion(numbers)
        calls.changePlan(of: person)
        stations.keep()
    }

    /// A case that only the hub knew: the person sees here that help is being called and can end it. Where the hub falls silent, or has reached
    /// nobody, the box calls.
    /// - Parameter told: numbers that the hub has told of it.
    private func adopt(_ open: Alarm, told: [String], of person: PersonID, at now: Milliseconds) {
        guard stations.all[person]?.watch.incident.alarm == nil else { return }
        sos.feed(.reported(open), of: person)
        guard let alarm = stations.all[person]?.watch.incident.alarm, alarm.id == open.id else { return }
        context.logger.notice(
            "AutomatedSOS: the hub has a case of this box's person, which is shown here", metadata: ["incident": "\(alarm.id)"])
        stations.all[person]?.adopted = alarm.id
        sos.begin(alarm, of: person)
        stations.all[person]?.hub.reached = now
        hear(told: told, of: person)
        stations.keep()
        reports.tell(of: person, isNews: true)
    }

    /// Who has it, and how it ended, as the hub says.
    private func follow(_ answer: SOSAnswer, of person: PersonID) {
        guard let watching = stations.all[person], let alarm = watching.watch.incident.alarm else { return }
        if let other = answer.incident, other != alarm.id, !alarm.aliases.contains(other) {
            var same = alarm
            same.id = other
            sos.feed(.reported(same), of: person)
            // Not the same after all: a case of before.
            guard stations.all[person]?.watch.incident.alarm?.aliases.contains(other) == true else { return }
        }
        if let owner = answer.owner, watching.hub.owner == nil {
            stations.all[person]?.hub.owner = owner
            sos.feed(.taken(by: owner, of: alarm.id), of: person)
        } else if answer.owner == nil, let owner = watching.hub.owner, answer.outcome == nil {
            stations.all[person]?.hub.owner = nil
            stations.all[person]?.hub.reached = nil
            sos.feed(.released(by: owner, of: alarm.id), of: person)
        }
        switch answer.outcome {
        case .finished(let owner)?: sos.feed(.finished(by: stations.all[person]?.owner ?? owner, of: alarm.id), of: person)
        case .falseAlarm?, .answeredLate?: sos.watch(StateEvent(time: context.clock.boottime(), code: .falseAlarm), of: person)
        case .test?, .unknown?, nil: break
        }
    }

    /// What others reported to the hub, which asks about it: the person may be near this box, and the telephone in another room.
    private func ask(about flagged: [SOSAnswer.Flagged], of person: PersonID) {
        for one in flagged {
            guard let flag = Flag(rawValue: one.flag) else {
                context.logger.warning(
                    "the hub asks about an event that this version does not know: nothing is asked here. Update trackme-agent")
                continue
            }
            // Each answer of the hub says it again: by its key it is taken once.
            sos.feed(.flagged(flag, one.key), of: person)
        }
    }
}

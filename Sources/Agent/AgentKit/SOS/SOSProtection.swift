internal import Alerts
internal import Distress
internal import Logging
internal import Monitoring
internal import Peripherals
internal import SyncProtocol
internal import Vitals

/// Protected or not, and why, in one place (SOS-18): the machine's own reasons, the links around it, and whether anybody could be called.
@BoxActor
final class SOSProtection {
    /// So long it is shown that the box stood still.
    private static let stoodStillShown: Milliseconds = 600_000

    let context: BoxContext
    let stations: SOSStations
    let means: LocalMeans
    private let monitors: PersonMonitors
    private let settings: SOSSettingsStore
    private var sleep = MachineSleep()
    /// When the box came back from standing still.
    private var stoodStill: Milliseconds?

    init(
        _ context: BoxContext, _ stations: SOSStations, _ monitors: PersonMonitors, _ means: LocalMeans, _ settings: SOSSettingsStore
    ) {
        (self.context, self.stations, self.monitors, self.means, self.settings) = (context, stations, monitors, means, settings)
    }

    func take(_ event: SleepEvent, at now: Milliseconds) { sleep.take(event, at: now) }

    func noteStoodStill(at now: Milliseconds) { stoodStill = now }

    func isToStayAwake(_ power: BoxPower) -> Bool {
        sleep.isToStayAwake(isWatching: stations.all.values.contains { $0.settings.distress.isOn }, power: power)
    }

    // MARK: - Why not

    func status(of person: PersonID, _ monitor: PersonMonitor) -> BoxStatus.SOS? {
        guard let watching = stations.all[person] else { return nil }
        let reasons = unprotected(person, watching)
        return BoxStatus.SOS(
            isOn: watching.settings.distress.isOn, isProtected: reasons.isEmpty, reasons: reasons,
            standing: (watching.standing ?? stations.elsewhere(watching)).map(BoxStatus.Unprotected.init),
            elsewhere: stations.elsewhere(watching).map(BoxStatus.Unprotected.init),
            weaknesses: weaknesses(person, watching, monitor), isSilent: context.announcer.problems.isEmpty ? nil : true,
            question: watching.question, alarm: shownCase(of: watching, person),
            contacts: stations.caseSettings(watching).recipients.map(\.contact.name), modem: means.modem.name,
            modemProblem: means.modem.problem ?? means.ways.modem.failure?.what,
            hooks: means.hooks.count, hookProblems: means.hooks.problems,
            hooksProvenFor: means.ways.provenFor(among: means.hooks.names, at: context.wayTime),
            hubAnswered: watching.hub.answered,
            settingsVersion: settings.held.kept.version, dispute: settings.dispute(of: person),
            limits: watching.watch.detector.limits?.text,
            decisions: watching.decisions.suffix(8).map { "\(Reason.clock($0.time)) \($0.text)" }, drill: shownDrill(of: watching),
            rhythmAt: watching.hub.answer?.rhythm.flatMap { told in watching.hub.answered.map { $0 - told.ago } })
    }

    private func unprotected(_ person: PersonID, _ watching: SOSStation) -> [BoxStatus.Unprotected] {
        missing(person, watching) + (watching.isDetectorDown(at: context.clock.boottime()) ? [.detectorDown] : [])
            + (means.canCall(person) ? [] : [.nobodyToCall])
    }

    /// The obstacle that keeps the heart from being watched, by its cause on this box: a strap that was never chosen is none that is silent, and AutomatedSOS
    /// that is off is no heart rate that is.
    private func missing(_ person: PersonID, _ watching: SOSStation) -> [BoxStatus.Unprotected] {
        let why = monitors.link(.sensor, of: person)?.why, isOn = watching.settings.distress.isOn
        var found = watching.watch.protection.reasons.map { absence -> BoxStatus.Unprotected in
            switch absence {
            case .switchedOff where !isOn: .off
            case .noSignal where why == ChainLink.Cause.noSensor.key: .noSensor
            default: BoxStatus.Unprotected(absence)
            }
        }
        if found.contains(.off) {
            if why == ChainLink.Cause.noSensor.key { found.append(.noSensor) }
            if why == ChainLink.Cause.heartRateOff.key { found.append(.switchedOff) }
        }
        return found
    }

    private func weaknesses(_ person: PersonID, _ watching: SOSStation, _ monitor: PersonMonitor) -> [BoxStatus.Weakness] {
        var found: [BoxStatus.Weakness] = []
        let isHeard = stations.isHubHeard(person), hasMeans = means.hasOwnMeans(person)
        if !isHeard, hasMeans { found.append(.noHub) }
        if isHeard, hasMeans, watching.hub.answer?.reachesNobody == true { found.append(.hubReachesNobody) }
        if isHeard, !hasMeans { found.append(.noOwnMeans) }
        let place = monitor.links.first { $0.name == .position }
        if watching.watch.detector.position == nil || place?.condition == .broken { found.append(.noPosition) }
        return found + ownWeaknesses(watching)
    }

    private func ownWeaknesses(_ watching: SOSStation) -> [BoxStatus.Weakness] {
        var found: [BoxStatus.Weakness] = []
        if watching.isSettingsLost { found.append(.settingsLost) }
        if watching.settings.contacts.count > watching.settings.recipients.count { found.append(.contactWithoutNumber) }
        if means.hooks.count > means.ways.proven(among: means.hooks.names, at: context.wayTime).count { found.append(.hooksUntested) }
        if means.modem.name != nil, means.ways.modem.isFailing { found.append(.modemFails) }
        if watching.settings.distress.isOn { found += sleep.weaknesses(at: context.clock.boottime()) }
        if let stoodStill, context.clock.boottime() - stoodStill < Self.stoodStillShown { found.append(.stoodStill) }
        return found
    }

    /// What the hub tells on, by name: not what it knows better itself. nil after a start, as long as the first position is waited for.
    func weaknessesForHub(_ watching: SOSStation) -> [String]? {
        let place = monitors.link(.position, of: watching.person)?.condition
        if place == .unknown { return nil }
        var found: [BoxStatus.Weakness] = []
        if !means.hasOwnMeans(watching.person) { found.append(.noOwnMeans) }
        if place == .broken || place == .off && watching.watch.detector.position == nil { found.append(.noPosition) }
        // The hub knows no more than that no heart rate arrives.
        let isWithoutSensor = monitors.link(.sensor, of: watching.person)?.why == ChainLink.Cause.noSensor.key
        return (found + ownWeaknesses(watching)).map(\.rawValue) + (isWithoutSensor ? ["noSensor"] : [])
    }

    // MARK: - What is told of it

    /// The monitor tells what becomes of the sensor; that nobody could be called is told here.
    func tellProtection() {
        let now = context.clock.boottime()
        for person in stations.people {
            let canCall = means.canCall(person)
            guard stations.all[person]?.isNobodyNews(canCall: canCall, at: now) == true else { continue }
            context.logger.error(
                "not protected: the hub does not answer or has nobody to call, and this box could call nobody by its own means"
            )
            context.say(prompt: "prompt.sos.unprotected")
        }
    }

    /// Said at once, and again (SOS-21).
    func tellReminders(of person: PersonID) {
        let isHeard = stations.isHubHeard(person), now = context.clock.boottime()
        guard let (why, isElsewhere) = stations.all[person]?.nextReminder(isHeard: isHeard, at: now),
            let watching = stations.all[person]
        else { return }
        context.logger.warning("nobody is watched \(isElsewhere ? "at another box of the person" : "here"): \(why.rawValue)")
        sayUnwatched(why, watching, isElsewhere: isElsewhere)
    }

    /// Why nobody is watched, aloud, with the name where several people are looked after.
    func sayUnwatched(_ why: Absence, _ watching: SOSStation, isElsewhere: Bool = false) {
        // A heart rate that was switched off here is brought back here.
        let isOffAtHub = why == .switchedOff && !watching.settings.distress.isOn
        let key = "prompt.sos.\(isElsewhere ? "elsewhere" : "remind").\(isOffAtHub ? "off" : why.rawValue)"
        guard context.identity.persons.count > 1 else { return context.say(prompt: key) }
        context.announcer.prompt("prompt.for", ["name": watching.settings.name, "text": context.announcer.words(key)], key: key)
    }
}

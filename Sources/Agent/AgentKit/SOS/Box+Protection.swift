internal import Alerts
internal import Distress
internal import Logging
internal import Monitoring
internal import Peripherals
internal import SyncProtocol
internal import Vitals

// Protected or not, and why, in one place (SOS-18): the machine's own reasons, the links around it, and whether anybody could be called.
extension Box {
    /// So long it is shown that the box stood still.
    private static let stoodStillShown: Milliseconds = 600_000

    func sosStatus(of person: PersonID, _ monitor: PersonMonitor) -> BoxStatus.SOS? {
        guard let watching = watchings[person] else { return nil }
        let reasons = unprotected(person, watching)
        return BoxStatus.SOS(
            isOn: watching.settings.distress.isOn, isProtected: reasons.isEmpty, reasons: reasons,
            standing: (watching.standing ?? elsewhere(watching)).map(BoxStatus.Unprotected.init),
            elsewhere: elsewhere(watching).map(BoxStatus.Unprotected.init),
            weaknesses: weaknesses(person, watching, monitor), isSilent: parts.announcer.problems.isEmpty ? nil : true,
            question: watching.question, alarm: shownCase(of: watching, person),
            contacts: Self.recipients(of: caseSettings(watching)).map(\.contact.name), modem: modem.name,
            modemProblem: modem.problem ?? ways.modem.failure?.what,
            hooks: hooksGlance.count, hookProblems: hooksGlance.problems,
            hooksProvenFor: ways.provenFor(among: hooksGlance.names, at: wayTime),
            hubAnswered: watching.hub.answered,
            settingsVersion: heldSettings.kept.version, dispute: dispute(of: person),
            limits: watching.watch.detector.limits?.text,
            decisions: watching.decisions.suffix(8).map { "\(Reason.clock($0.time)) \($0.text)" }, drill: shownDrill(of: watching),
            rhythmAt: watching.hub.answer?.rhythm.flatMap { told in watching.hub.answered.map { $0 - told.ago } })
    }

    private func unprotected(_ person: PersonID, _ watching: SOSStation) -> [BoxStatus.Unprotected] {
        watching.watch.protection.reasons.map(BoxStatus.Unprotected.init)
            + (watching.isDetectorDown(at: clock.boottime()) ? [.detectorDown] : []) + (canCall(person) ? [] : [.nobodyToCall])
    }

    private func weaknesses(_ person: PersonID, _ watching: SOSStation, _ monitor: PersonMonitor) -> [BoxStatus.Weakness] {
        var found: [BoxStatus.Weakness] = []
        let isHeard = isHubHeard(person), hasMeans = hasOwnMeans(person)
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
        if watching.settings.contacts.count > Self.recipients(of: watching.settings).count { found.append(.contactWithoutNumber) }
        if hooksGlance.count > ways.proven(among: hooksGlance.names, at: wayTime).count { found.append(.hooksUntested) }
        if modem.name != nil, ways.modem.isFailing { found.append(.modemFails) }
        if watching.settings.distress.isOn { found += sleep.weaknesses(at: clock.boottime()) }
        if let stoodStill, clock.boottime() - stoodStill < Self.stoodStillShown { found.append(.stoodStill) }
        return found
    }

    /// What the hub tells on, by name: not what it knows better itself. nil after a start, as long as the first position is waited for.
    func weaknessesForHub(_ watching: SOSStation) -> [String]? {
        let place = monitors[watching.person]?.links.first { $0.name == .position }?.condition
        if place == .unknown { return nil }
        var found: [BoxStatus.Weakness] = []
        if !hasOwnMeans(watching.person) { found.append(.noOwnMeans) }
        if place == .broken || place == .off && watching.watch.detector.position == nil { found.append(.noPosition) }
        return (found + ownWeaknesses(watching)).map(\.rawValue)
    }

    /// The monitor tells what becomes of the sensor; that nobody could be called is told here.
    func tellProtection() {
        let now = clock.boottime()
        for person in watchings.keys.sorted() {
            let canCall = canCall(person)
            guard watchings[person]?.isNobodyNews(canCall: canCall, at: now) == true else { continue }
            logger.error("not protected: the hub does not answer or has nobody to call, and this box could call nobody by its own means")
            say(prompt: "prompt.sos.unprotected")
        }
    }

    // MARK: - What keeps the person from being watched, and lasts until somebody ends it

    /// What keeps the person from being watched, at another of their boxes.
    func elsewhere(_ watching: SOSStation) -> Absence? {
        watching.elsewhere(isHeard: isHubHeard(watching.person), at: clock.boottime())
    }

    /// Said at once, and again (SOS-21).
    func tellReminders(of person: PersonID) {
        let isHeard = isHubHeard(person), now = clock.boottime()
        guard let (why, isElsewhere) = watchings[person]?.nextReminder(isHeard: isHeard, at: now),
            let watching = watchings[person]
        else { return }
        logger.warning("nobody is watched \(isElsewhere ? "at another box of the person" : "here"): \(why.rawValue)")
        sayUnwatched(why, watching, isElsewhere: isElsewhere)
    }

    /// Why nobody is watched, aloud, with the name where several people are looked after.
    func sayUnwatched(_ why: Absence, _ watching: SOSStation, isElsewhere: Bool = false) {
        // A heart rate that was switched off here is brought back here.
        let isOffAtHub = why == .switchedOff && !watching.settings.distress.isOn
        let key = "prompt.sos.\(isElsewhere ? "elsewhere" : "remind").\(isOffAtHub ? "off" : why.rawValue)"
        guard identity.persons.count > 1 else { return say(prompt: key) }
        parts.announcer.prompt("prompt.for", ["name": watching.settings.name, "text": parts.announcer.words(key)], key: key)
    }

    // MARK: - What is shown

    private func shownCase(of watching: SOSStation, _ person: PersonID) -> BoxStatus.Case? {
        // Where AutomatedSOS is off nothing is silent, as nothing is watched.
        let answered = watching.settings.distress.isOn ? watching.answered(at: clock.boottime()) : nil
        guard let alarm = watching.alarm ?? answered?.alarm else { return nil }
        let phase: BoxStatus.Case.Phase =
            switch watching.watch.incident.state {
            case .taken: .taken
            case .waiting: .over
            case .raised: .raised
            case .delivering where watching.isHandedOver:
                watching.isAdopted && watching.hub.answer?.addresseeReached != true ? .atHub : .handedOver
            case .delivering: .calling
            case .calm, .suspecting: .answered
            }
        let isWithoutHelp = phase == .raised || phase == .calling
        return BoxStatus.Case(
            id: alarm.id, phase: phase,
            trigger: (alarm.abnormalities.first { $0.trigger != .help } ?? alarm.abnormalities.first)?.trigger ?? .help,
            raisedAt: alarm.raisedAt, owner: ownerName(watching), coming: watching.hub.answer?.coming, comingAt: watching.hub.answered,
            outcome: watching.outcome ?? answered?.outcome, calls: named(watching.calls, watching),
            reachesNobody: isWithoutHelp && !canCall(person), isNobodySetUp: isWithoutHelp && isNobodySetUp(person) ? true : nil,
            others: watching.others.isEmpty ? nil : watching.others.compactMap { watchings[$0]?.settings.name },
            silentUntil: phase == .answered ? answered.map { $0.at + DistressConstants.silence } : nil)
    }

    func ownerName(_ watching: SOSStation) -> String? {
        guard let owner = watching.owner else { return nil }
        let contact = caseSettings(watching).contacts.first { Owner(contact: $0) == owner }
        return contact?.name ?? watching.hub.answer?.ownerName ?? ""
    }

    private func shownDrill(of watching: SOSStation) -> BoxStatus.Drill? {
        guard var drill = watching.drill else { return nil }
        drill.calls = named(drill.calls, watching)
        return drill
    }

    /// By their names: numbers are nobody's business on a page.
    private func named(_ calls: [SOSReport.LocalCall], _ watching: SOSStation) -> [SOSReport.LocalCall] {
        calls.map { call in
            var call = call
            call.recipient = caseSettings(watching).contacts.first { $0.phone == call.recipient }?.name ?? call.recipient
            return call
        }
    }
}

internal import Distress
internal import Logging
internal import Monitoring
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

// AutomatedSOS and the hub: what it is told, at once and over a way of its own, and what its word means.
extension Box {
    /// While nothing is open the hub hears so often that somebody watches here, and the box that somebody would help.
    static let sosEvery: Milliseconds = 30_000
    /// Without an answer it is told again: while something is open, and otherwise.
    static let sosAgain: Milliseconds = 1000, sosAgainCalm: Milliseconds = 10_000
    /// A hub that was heard so long ago is not counted upon: a missed report, and the time that a request takes.
    static let sosHeardMax: Milliseconds = 40_000
    /// Said that somebody was reached, and then nothing for so long: the box calls by itself.
    static let handedOverMax: Milliseconds = 10_000
    private static let inFlightMax = 4

    // MARK: - Telling

    func tellHub(of person: PersonID, isNews: Bool = false) {
        guard let watching = watchings[person] else { return }
        guard watching.hub.inFlight < Self.inFlightMax else {
            if isNews { watchings[person]?.hub.isOwed = true }
            return
        }
        let now = clock.boottime(), isNews = isNews || watching.hub.isOwed
        let revision = max(watching.hub.revision + 1, UInt64(clamping: now))
        watchings[person]?.hub.revision = revision
        if isNews { watchings[person]?.hub.newsRevision = revision }
        watchings[person]?.hub.isOwed = false
        watchings[person]?.hub.inFlight += 1
        watchings[person]?.hub.sent = now
        watchings[person]?.hub.nextAt = now + (watching.isOpen ? 2000 : Self.sosEvery)
        let report = report(of: watching, revision: revision, at: now), hub = parts.sos.hub
        watchings[person]?.hub.saidWeaknesses = report.weaknesses
        detectorGuard.note(report)
        clock.machine.start(priority: .medium) { [weak self] in
            let answer = await hub.report(report)
            await self?.heard(answer, to: report)
        }
    }

    private func report(of watching: SOSStation, revision: UInt64, at now: Milliseconds) -> SOSReport {
        var alarm = watching.alarm
        let place = alarm.flatMap { self.place(of: $0, watching.person) }, isAgeUnknown = place?.isAgeUnknown == true
        alarm?.position = isAgeUnknown ? nil : place
        var over = alarm == nil ? watching.untold : nil
        // Whoever knows no such word would take it for new.
        if over?.alarm.position?.isAgeUnknown == true { over?.alarm.position = nil }
        var report = SOSReport(
            person: watching.person, boot: boot, revision: revision, sentAt: now, provenance: .live,
            unprotected: watching.watch.protection.reasons, detectorDown: isDetectorDown(watching, at: now),
            question: watching.question, warning: watching.warningToTell, alarm: alarm ?? over?.alarm,
            outcome: watching.outcome ?? over?.outcome, owner: watching.owner, calls: watching.calls,
            weaknesses: weaknessesForHub(watching))
        (report.answered, report.broughtBack) = (watching.answered, watching.broughtBack)
        report.activity = watching.activity.map { .init(sign: $0.ownSign, seen: $0.seen) }
        report.lastPlace = isAgeUnknown ? place : nil
        report.isPositionOff = settings[watching.person].kinds.position ? nil : true
        report.others = watching.alarm == nil || watching.others.isEmpty ? nil : watching.others
        report.holds = heldSettings.origin(of: watching.person)
        if watching.hub.wantsSettings { report.settings = heldSettings.own(watching.person) }
        report.means = means(watching)
        return report
    }

    /// Nobody watches here: the box does not keep up, or has nothing to watch with. The hub then watches what else the person sends.
    private func isDetectorDown(_ watching: SOSStation, at now: Milliseconds) -> Bool {
        let choices = settings[watching.person]
        return watching.isDetectorDown(at: now) || choices.sensor == nil || !choices.kinds.heartRate
    }

    /// With each tick of the box.
    func tellHubWhatIsDue() {
        let now = clock.boottime()
        holdOwners(at: now)
        for person in watchings.keys.sorted() {
            guard let watching = watchings[person] else { continue }
            let hub = watching.hub, isDown = isDetectorDown(watching, at: now)
            if hub.saidDown != isDown {
                watchings[person]?.hub.saidDown = isDown
                if isDown { logger.notice("AutomatedSOS: this box does not watch: the hub is asked to") }
                tellHub(of: person, isNews: true)
                continue
            }
            // A link that breaks, or is whole again, does not wait for the next report.
            let isOther = hub.sent != nil && hub.saidWeaknesses != weaknessesForHub(watching)
            if hub.isOwed || isOther || (now >= hub.nextAt && (hub.inFlight == 0 || watching.isOpen)) { tellHub(of: person) }
            // What the hub said holds for a while, and not for ever.
            if watching.isHandedOver, now - (hub.reached ?? now) > Self.handedOverMax { feed(.otherSide(.unreachable), of: person) }
        }
    }

    // MARK: - Hearing

    func heard(_ result: Result<SOSAnswer, SourceProblem>, to report: SOSReport) {
        let person = report.person, now = clock.boottime()
        watchings[person]?.hub.inFlight -= 1
        defer { publish() }
        switch result {
        case .success(let answer): take(answer, to: report, at: now)
        case .failure(let problem):
            guard let watching = watchings[person] else { return }
            if watching.hub.problem?.what != problem.what { logger.warning("\(problem)") }
            // Another request got through after this one had left.
            if let answered = watching.hub.answered, answered > report.sentAt { return }
            watchings[person]?.hub.problem = problem
            watchings[person]?.hub.nextAt = now + (watching.isOpen || watching.owesHub ? Self.sosAgain : Self.sosAgainCalm)
            if !watching.isHandedOver { feed(.otherSide(.unreachable), of: person) }
        }
    }

    private func take(_ answer: SOSAnswer, to report: SOSReport, at now: Milliseconds) {
        let person = report.person
        var answer = answer
        // An ending that this version does not know ends nothing: the person or the owner does.
        if answer.outcome == .unknown { answer.outcome = nil }
        // Told once, and not again: also with an answer that was overtaken.
        take(answer.pressed, of: person, at: now)
        if let planned = answer.drill { take(planned, of: person) }
        guard let before = watchings[person], report.revision > before.hub.toldRevision else { return }
        if before.hub.problem != nil { logger.notice("the hub takes alarms from this box again") }
        watchings[person]?.hub.toldRevision = report.revision
        watchings[person]?.heard(report.warning, isDurable: answer.isDurable)
        watchings[person]?.heardBroughtBack(in: report)
        watchings[person]?.hub.answered = now
        watchings[person]?.hub.answer = answer
        watchings[person]?.hub.problem = nil
        ask(about: answer.flagged ?? [], of: person)
        if let ago = answer.aliveAgo { watchings[person]?.activity?.heard(sign: now - max(0, ago), seen: nil) }
        // Of another case, or of none, it says nothing.
        let isAboutThis = report.alarm.map { $0.id == before.watch.incident.alarm?.id } ?? false
        if isAboutThis {
            hear(told: answer.told ?? [], of: person)
            follow(answer, of: person)
        }
        // Somebody has it at the hub, and decides: that the person is OK is told until they have.
        let isOpenThere = answer.outcome == nil && answer.incident != nil
        if report.outcome != nil, report.outcome == before.untold?.outcome, report.alarm?.id == before.untold?.alarm.id, !isOpenThere {
            watchings[person]?.untold = nil
        }
        if report.alarm == nil, let open = answer.open {
            adopt(open.shifted(by: now - answer.utc), told: answer.told ?? [], of: person, at: now)
        }
        // What began at the hub is the hub's to call about, as long as it answers and does not say that it has reached nobody.
        if isAboutThis, before.isAdopted, !answer.addresseeReached, answer.reachedNobody == true {
            feed(.otherSide(.nobodyReached, of: report.alarm?.id), of: person)
        } else if isAboutThis, answer.isDurable, answer.addresseeReached || before.isAdopted {
            watchings[person]?.hub.reached = now
            feed(.otherSide(.addresseeReached, of: report.alarm?.id), of: person)
        } else if watchings[person]?.isHandedOver != true {
            feed(.otherSide(.reachable), of: person)
        }
        let isOpen = watchings[person]?.isOpen == true
        let pause = isOpen ? min(max(answer.repeatAfter, 500), 5000) : watchings[person]?.owesHub == true ? Self.sosAgain : Self.sosEvery
        watchings[person]?.hub.nextAt = now + pause
        // A restored hub may have come to the same version by other changes: whether it knows what is held here counts as well.
        let isDispute = answer.wantsSettings != nil, isNews = isDispute != (heldSettings.other(person) != nil)
        if answer.settingsVersion != heldSettings.kept.version || areSettingsOld || isNews { fetchSOSSettings() }
        handBack(answer.wantsSettings == true, of: person)
    }

    private func hear(told numbers: [String], of person: PersonID) {
        guard let known = watchings[person]?.hub.told, !known.isSuperset(of: numbers) else { return }
        watchings[person]?.hub.told.formUnion(numbers)
        changePlan(of: person)
        keepSOS()
    }

    /// A case that only the hub knew: the person sees here that help is being called and can end it. Where the hub falls silent, or has reached
    /// nobody, the box calls.
    /// - Parameter told: numbers that the hub has told of it.
    private func adopt(_ open: Alarm, told: [String], of person: PersonID, at now: Milliseconds) {
        guard watchings[person]?.watch.incident.alarm == nil else { return }
        feed(.reported(open), of: person)
        guard let alarm = watchings[person]?.watch.incident.alarm, alarm.id == open.id else { return }
        logger.notice("AutomatedSOS: the hub has a case of this box's person, which is shown here", metadata: ["incident": "\(alarm.id)"])
        watchings[person]?.adopted = alarm.id
        begin(alarm, of: person)
        watchings[person]?.hub.reached = now
        hear(told: told, of: person)
        keepSOS()
        tellHub(of: person, isNews: true)
    }

    func take(_ pressed: [SOSAnswer.Pressed], of person: PersonID, at now: Milliseconds) {
        for press in pressed.sorted(by: { $0.number < $1.number }) {
            guard watchings[person]?.hub.isNew(press.number) == true else { continue }
            guard let code = press.button.code else {
                logger.warning(
                    "somebody pressed a button of the hub that this version does not know: nothing is done. Update trackme-agent")
                continue
            }
            logger.notice("the person pressed \(press.button.rawValue) on a page of the hub, or at another of their boxes")
            let event = StateEvent(time: now - max(0, press.ago), code: code)
            // Asked for before the last case was over, and on its way since: it was about that one.
            if press.button == .help, let over = watchings[person]?.watch.incident.over, event.time <= over.at { continue }
            if watchings[person]?.isBroughtBack(by: press, at: now) == true, bringBack([person]) { say(prompt: "prompt.reactivate") }
            feed(.state(event, SOSAnswer.Pressed.key(of: person, number: press.number)), of: person)
        }
    }

    /// Who has it, and how it ended, as the hub says.
    private func follow(_ answer: SOSAnswer, of person: PersonID) {
        guard let watching = watchings[person], let alarm = watching.watch.incident.alarm else { return }
        if let other = answer.incident, other != alarm.id, !alarm.aliases.contains(other) {
            var same = alarm
            same.id = other
            feed(.reported(same), of: person)
            // Not the same after all: a case of before.
            guard watchings[person]?.watch.incident.alarm?.aliases.contains(other) == true else { return }
        }
        if let owner = answer.owner, watching.hub.owner == nil {
            watchings[person]?.hub.owner = owner
            feed(.taken(by: owner, of: alarm.id), of: person)
        } else if answer.owner == nil, let owner = watching.hub.owner, answer.outcome == nil {
            watchings[person]?.hub.owner = nil
            watchings[person]?.hub.reached = nil
            feed(.released(by: owner, of: alarm.id), of: person)
        }
        switch answer.outcome {
        case .finished(let owner)?: feed(.finished(by: watchings[person]?.owner ?? owner, of: alarm.id), of: person)
        case .falseAlarm?, .answeredLate?: watch(StateEvent(time: clock.boottime(), code: .falseAlarm), of: person)
        case .test?, .unknown?, nil: break
        }
    }

    /// It answered a moment ago.
    func isHubHeard(_ person: PersonID) -> Bool {
        guard let hub = watchings[person]?.hub, hub.problem == nil, let answered = hub.answered else { return false }
        return clock.boottime() - answered <= Self.sosHeardMax
    }
}

extension SOSStation {
    /// There is something that the hub has not confirmed.
    var owesHub: Bool { hub.toldRevision < hub.newsRevision || hub.isOwed }
}

extension SOSAnswer.Pressed.Button {
    /// nil for a button that this version does not know.
    fileprivate var code: StateEvent.Code? {
        switch self {
        case .ok: .ok
        case .help: .help
        case .falseAlarm: .falseAlarm
        case .reactivate: .reactivated
        case .unknown: nil
        }
    }
}

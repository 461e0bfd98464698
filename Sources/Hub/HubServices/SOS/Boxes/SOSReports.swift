import Accounts
import Distress
import EmergencyDispatch
import HubStore
import Logging
public import SyncProtocol
import Vitals

/// Reports of boxes, and the answers to them (docs/decisions/0009).
public struct SOSReports: SOSSubject {
    let sos: SOSService

    /// While a case is open a box reports again after this.
    static let repeatOpen: Milliseconds = 2000
    static let repeatCalm: Milliseconds = 60_000

    /// Takes what a box tells (docs/decisions/0009). The answer comes after the commit; where nothing can be stored it says so.
    /// - Throws: `ErrorAnswer` for a person who is not the box's.
    public func take(_ report: SOSReport, from session: Authenticator.Session, isOld: Bool = false) async throws -> SOSAnswer {
        let agent = session.agent
        var report = report
        // An ending that this hub does not know ends nothing.
        if report.outcome == .unknown { report.outcome = nil }
        guard agent.people[report.person] != nil, try sos.prepare(report.person) else {
            throw ErrorAnswer(error: "not_bound", description: "This box is not enrolled for person \(report.person).")
        }
        report.others = report.others.map { others in others.filter { $0 != report.person && agent.people[$0] != nil } }
        for other in report.others ?? [] { _ = try? sos.prepare(other) }
        let isUnknown = isUnknownAlarm(report, of: agent.id.description)
        let work = sos.state.withLock { [report] in take(report, agent.id.description, isUnknown, isOld: isOld, &$0) }
        detection.updateWatch(of: report.person)
        var isDurable = await sos.finish(work ?? SOSWork()) && work?.isLeftOpen != true
        if report.isDrill, !report.calls.isEmpty { isDurable = await drills.takeEnd(report, from: agent.id.description) && isDurable }
        let wantsSettings = await restoredSettings.takeHeld(report, from: agent)
        var answer = answer(
            to: report, of: agent.id.description, isDurable: isDurable, version: try boxSettings.version(of: Array(agent.people.keys)))
        answer.wantsSettings = wantsSettings
        return answer
    }

    /// Whether nobody here has ever heard of the alarm that is open in a report. Where that cannot be read it counts as unknown: a case too
    /// many is closed by a press, one too few by nobody.
    private func isUnknownAlarm(_ report: SOSReport, of agent: String) -> Bool {
        guard let alarm = report.alarm, report.isLive, report.outcome == nil,
            sos.state.withLock({ $0.entries[report.person]?.state.boxes[agent]?.earlier.contains(report.boot) }) == true
        else { return false }
        return ((try? store.incident(alarm.id)) ?? nil) == nil
    }

    /// nil for a report that is older than one that was taken.
    private func take(_ report: SOSReport, _ agent: String, _ isUnknown: Bool, isOld: Bool, _ state: inout State) -> SOSWork? {
        sos.catchUp(&state)
        guard var entry = state.entries[report.person] else { return nil }
        guard report.isLive else {
            // Nobody is called, and it says nothing of who is watched (design rule 11).
            if let alarm = report.alarm { takeTest(alarm.shifted(by: now() - report.sentAt)) }
            if report.isDrill { entry.noteDrill(by: agent) }
            sos.store(report.person, &entry, [], &state)
            return SOSWork(topics: [report.person])
        }
        let known = entry.state.boxes[agent]
        let mayHaveWaited = state.listening.mayHaveWaited(
            report.boot, isNew: known?.boot != report.boot, sentAt: report.sentAt, at: now())
        guard var box = Self.box(report, known, now: now()) else { return takeLate(report, known, isUnknown, &state) }
        box.isOld = isOld ? true : nil
        entry.state.boxes[agent] = box
        // That there is this box is known after a restart: its silence is told then, too. What it says of a case is kept with it, so that an
        // older word stays older over a restart.
        if known == nil || report.alarm != nil || known?.hadMeans == nil && box.hadMeans != nil { entry.isDirty = true }
        let alarm = report.alarm?.shifted(by: box.offset ?? now() - report.sentAt)
        entry.noteSigns(of: report, agent)
        if mayHaveWaited, report.outcome == nil, let alarm, isLeftOpen(alarm, of: box, entry, missed: state.listening.missed) {
            state.entries[report.person] = entry
            var work = SOSWork(topics: [report.person])
            work.isLeftOpen = true
            return work
        }
        if var warning = report.warning {
            warning.at += box.offset ?? now() - report.sentAt
            take(warning, &entry, &state)
        }
        if let alarm { join(alarm, of: box, after: known?.alarm, &entry, &state) }
        passOnReactivation(report, of: agent, known, &entry)
        let broughtBack = entry.bringBack(by: report, known, at: now())
        state.entries[report.person] = entry
        var events = alarm.map { take($0, of: report, &entry, &state) } ?? []
        if let broughtBack { events.append((broughtBack, now())) }
        // What the hub asks about a fall, its boxes ask as well.
        if let answered = report.answered, answered == entry.asked?.id { events.append((report.said.pressed(.ok, at: now()), now())) }
        if isReactivated(report, of: agent, known, entry) { events.append((report.said.pressed(.reactivated, at: now()), now())) }
        var work = sos.handle(events, of: report.person, &state)
        // A phone whose page is closed is asked, too: its person may be in another room than the box.
        let isAskedHere = box.question?.id == entry.asked?.id
        if let question = box.question, known?.question?.id != question.id, !isAskedHere { work.questions.append(report.person) }
        if let alarm { work.add(goOn(alarm, of: report, &state)) }
        note(report, offset: box.offset ?? now() - report.sentAt, &state)
        work.topics.insert(report.person)
        return work
    }

    /// Once, whichever box tells it.
    private func take(_ warning: Warning, _ entry: inout SOSEntry, _ state: inout State) {
        let before = entry.state.toldWarnings
        entry.state.owe(warning, entry.choice, isConsented: entry.isConsented, now: now())
        guard entry.state.toldWarnings != before else { return }
        entry.isDirty = true
        state.owing.insert(entry.state.watch.incident.person)
    }

    /// What the box did by itself stands in the case.
    /// - Parameter offset: what to add to the box's times to have them on the hub's clock.
    private func note(_ report: SOSReport, offset: Milliseconds, _ state: inout State) {
        guard let id = state.entries[report.person]?.open else { return }
        if let others = report.others { _ = sos.dispatch(.box(.others(others)), to: id, &state) }
        guard !report.calls.isEmpty, let owner = state.cases[id].map(\.owner) else { return }
        let yes = report.calls.last { $0.state == .acknowledged && Owner("tel:\($0.recipient)") == owner }
        let told = report.calls.filter { [.text, .call].contains($0.channel) && [.sent, .acknowledged].contains($0.state) }
        _ = sos.dispatch(
            .box(
                .tried(
                    report.tries, told: told.map(\.recipient),
                    yes: yes.map { .init(owner: Owner("tel:\($0.recipient)"), at: $0.at + offset) })), to: id, &state)
    }

    /// Of a boot that is over, or overtaken. Everything that it says was said again since, but for an alarm that nobody ever heard of.
    private func takeLate(_ report: SOSReport, _ known: SOSWatchState.Box?, _ isUnknown: Bool, _ state: inout State) -> SOSWork? {
        guard isUnknown, report.boot != known?.boot, let alarm = report.alarm, let entry = state.entries[report.person],
            matcher(entry, state).isNew(alarm, isKept: state.cases[alarm.id] != nil)
        else { return nil }
        logger.critical("an alarm of a boot that is over was never heard of, and counts", metadata: ["incident": "\(alarm.id)"])
        return sos.handle([(.reported(alarm.shifted(by: now() - report.sentAt)), now())], of: report.person, &state)
    }

    /// Test everywhere: nobody is called (design rule 11). A real case under the same name stays what it is, also one that is over.
    private func takeTest(_ alarm: Alarm) {
        var item = SOSCase(alarm, isTest: true, opened: now())
        item.end(.test, now: now())
        writer.record(item)
    }

    /// The state of a box from here on; nil when the report is late.
    private static func box(_ report: SOSReport, _ known: SOSWatchState.Box?, now: Milliseconds) -> SOSWatchState.Box? {
        var box = known ?? .init(boot: report.boot, revision: 0, received: now, unprotected: [], isDetectorDown: false)
        if box.boot != report.boot {
            guard !box.earlier.contains(report.boot) else { return nil }
            box.earlier = (box.earlier + [box.boot]).suffix(SOSWatchState.Box.earlierMax)
            (box.boot, box.offset, box.steps, box.broughtBack) = (report.boot, nil, nil, nil)
        } else if known != nil, report.revision <= box.revision {
            return nil
        }
        (box.revision, box.received, box.unprotected) = (report.revision, now, report.unprotected)
        (box.isDetectorDown, box.question) = (report.detectorDown, report.question)
        box.weaknesses = report.weaknesses.map { said in (SOSChain.shownWeaknesses + [SOSChain.noSensor]).filter(said.contains) }
        box.noteClocks(sentAt: report.sentAt, now: now)
        box.alarm = report.alarm?.id ?? box.alarm
        box.isPositionOff = report.isPositionOff
        box.holds = report.holds
        box.broughtBack = report.broughtBack ?? box.broughtBack
        box.means = report.means.map { Array($0.filter(["text", "call", "hook"].contains).prefix(3)) }
        if box.means?.contains(where: { $0 != "hook" }) == true { box.hadMeans = now }
        return box
    }

    private func answer(to report: SOSReport, of agent: String, isDurable: Bool, version: Int) -> SOSAnswer {
        let time = now()
        let (entry, item) = sos.state.withLock { state in
            let entry = state.entries[report.person]
            return (entry, entry?.open.flatMap { state.cases[$0] })
        }
        let isTest = !report.isLive
        var answer = SOSAnswer(
            utc: time, isDurable: isDurable, addresseeReached: !isTest && item?.isReached(at: time) ?? false,
            incident: isTest ? report.alarm?.id : item?.id, owner: item?.owner, ownerName: item?.ownerName,
            repeatAfter: item == nil && report.alarm == nil ? Self.repeatCalm : Self.repeatOpen, settingsVersion: version)
        // Said once it is known.
        answer.reachesNobody = entry.flatMap { $0.addresseesSeen > .min / 2 ? $0.hubReachesNobody : nil }
        // Of a warning that comes before anybody looked, it is said at once: the box may be the only one that can tell it.
        let warned = entry.flatMap { $0.warned ?? (report.warning == nil ? nil : try? reachability.warned(of: report.person, $0.choice)) }
        // Where relatives or other contacts hear of it, a contact whom this box alone can text hears it from the box.
        let isTexting = report.means?.contains("text") == true
        let isLeft = isTexting && entry.map { $0.isConsented && outlets.leavesToBox($0.choice.contacts) } ?? false
        answer.warned = warned?.but(leftToBox: isLeft).map(\.rawValue)
        if !isTest { answer.told = item?.toldNumbers }
        if !isTest { answer.reachedNobody = item?.reachedNobody(at: time) }
        answer.asksOwner = item.flatMap(owners.isAsked)
        answer.coming = item.flatMap { crews.coming($0, now: time) }
        // One that is held waits for a box that knows it, and not for one that hears of it here.
        if !isTest, report.alarm == nil, let item, !item.isHeld(at: time) {
            answer.open = item.alarm
            answer.open?.history = []
            // A box of 0.3.0 would take it for one of its time.
            if item.alarm.position?.isAgeUnknown == true { answer.open?.position = nil }
        }
        if isTest, report.alarm != nil { answer.outcome = .test }
        if item == nil, !isTest, let alarm = report.alarm {
            if let last = entry?.state.last, last.isAbout(alarm) {
                (answer.incident, answer.outcome) = (last.id, last.outcome)
            } else if let known = (try? store.incident(alarm.id)) ?? nil, !known.isTest, let outcome = known.outcome {
                // Another case came in between.
                (answer.incident, answer.outcome) = (known.id, outcome)
            }
        }
        answer.aliveAgo = isTest ? nil : entry?.state.sign(notOf: agent).map { max(0, time - $0) }
        answer.flagged = isTest ? nil : entry.flatMap(\.flagged)
        answer.rhythm = entry.flatMap { $0.rhythmToShow(at: time) }
        answer.drill = isTest ? nil : entry?.state.boxDrill?.isOpen(for: agent, at: time)
        answer.elsewhere = isTest ? nil : entry?.elsewhere(notOf: agent, at: time)?.rawValue
        answer.pressed = (entry?.state.presses ?? []).filter { time - $0.at < SOSTimings.pressLifetime }.compactMap { $0.pressed(at: time) }
        return answer
    }
}

extension SOSReport {
    var tries: [SOSBoxTry] {
        calls.suffix(32).map { call in
            SOSBoxTry(
                channel: call.channel.rawValue, recipient: call.recipient, state: call.state.rawValue, isDelivered: call.isDelivered,
                why: call.why, problem: call.problem.map { String($0.prefix(200)) })
        }
    }

    /// All three say so: whatever contradicts calls nobody.
    var isLive: Bool { provenance == .live && !isDrill && alarm?.isTest != true }
}

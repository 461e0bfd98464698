import Distress
import EmergencyDispatch
import HubStore
import Logging
import SyncProtocol
import Vitals

/// What a box tells of a case: that it is open, how it ended, that the person watches again. All under the lock.
extension SOSReports {
    /// What follows from the alarm in a report, which is on the hub's clock.
    func take(_ alarm: Alarm, of report: SOSReport, _ entry: inout SOSEntry, _ state: inout State) -> [(DistressEvent, Milliseconds)] {
        if let outcome = report.outcome { return takeEnd(outcome, of: alarm, report, &entry, &state) }
        guard entry.state.last?.isAbout(alarm) != true else { return [] }
        let reported: [(DistressEvent, Milliseconds)] = [(.reported(alarm), now())]
        // What the hub said of crews and helpers comes back to it late: whoever gave it back is not the owner again.
        let gone = entry.open.flatMap { state.cases[$0]?.goneOwner }
        if let open = entry.open { sos.decide(.box(.named(report.owner)), in: open, &state) }
        guard let owner = report.owner, owner != gone, !owner.isKnownHere, entry.open.flatMap({ state.cases[$0]?.owner }) == nil else {
            return reported
        }
        return reported + [(.taken(by: owner, of: alarm.id), now())]
    }

    private func takeEnd(
        _ outcome: Outcome, of alarm: Alarm, _ report: SOSReport, _ entry: inout SOSEntry, _ state: inout State
    ) -> [(DistressEvent, Milliseconds)] {
        let open = entry.open.flatMap { state.cases[$0] }, isSame = open.map { isSameEpisode(alarm, $0, entry) } ?? false
        guard isSame || open.map({ $0.id == alarm.id || $0.alarm.goes(by: alarm.id) }) ?? false else {
            if open == nil, outcome == .falseAlarm, isFinished(alarm, entry) { return [(report.pressed(.falseAlarm, at: now()), now())] }
            takeOver(alarm, outcome, &entry, &state)
            return []
        }
        let reported: [(DistressEvent, Milliseconds)] = isSame ? [(.reported(alarm), now())] : []
        switch outcome {
        case .falseAlarm: return reported + [(report.pressed(.falseAlarm, at: now()), now())]
        case .answeredLate:
            // The box says it with each report. It is heard once for each who has the case, and ends it when it was given back.
            let key = SampleKey(
                stream: StreamID(high: alarm.id.high, low: alarm.id.low), sequence: UInt64(clamping: open?.rounds ?? 0), kind: .event,
                index: UInt32(StateEvent.Code.ok.rawValue))
            return reported + [(.state(StateEvent(time: now(), code: .ok), key), now())]
        case .finished(let owner): return reported + [(.finished(by: owner, of: alarm.id), now())]
        case .test, .unknown: return reported
        }
    }

    /// Whether the case that is over is this alarm's, ended by who had it: that it was a false alarm is then news. A box says it of its own
    /// accord where the person had answered late.
    private func isFinished(_ alarm: Alarm, _ entry: SOSEntry) -> Bool {
        guard case .waiting(let closed) = entry.state.watch.incident.state, case .finished = closed.outcome else { return false }
        return closed.alarm.goes(by: alarm.id) || alarm.goes(by: closed.alarm.id)
    }

    /// The box is the authority: it watches again, and so does the hub. Not by the word of another box that knows nothing of the case.
    func isReactivated(_ report: SOSReport, of agent: String, _ known: SOSWatchState.Box?, _ entry: SOSEntry) -> Bool {
        let time = now()
        guard case .waiting = entry.state.watch.incident.state, report.alarm == nil || report.outcome != nil, report.revision > 0,
            !report.unprotected.contains(.waitingForReactivation)
        else { return false }
        // It waited, and does no more: the person pressed there, which holds for their other boxes as well.
        if known?.unprotected.contains(.waitingForReactivation) == true { return true }
        let othersWait = entry.state.boxes.contains {
            $0.key != agent && time - $0.value.received < SOSTimings.boxSilentAfter
                && $0.value.unprotected.contains(.waitingForReactivation)
        }
        // A box that knows how the case ended and watches is right: nobody had taken it, as far as it heard. One that had seen nothing of the
        // case does not take back what the person just said.
        let knowsEnd = report.outcome != nil && report.alarm.map { entry.state.last?.isAbout($0) ?? false } ?? false
        return !othersWait && (knowsEnd || entry.state.last.map { time - $0.at > SOSTimings.quietTime } ?? true)
    }

    /// One press reactivates all boxes of the person (SOS-21): those that wait still get it as a press, also one that was offline meanwhile.
    func passOnReactivation(_ report: SOSReport, of agent: String, _ known: SOSWatchState.Box?, _ entry: inout SOSEntry) {
        let time = now(), waits = report.unprotected.contains(.waitingForReactivation)
        let isNoCase = report.alarm == nil || report.outcome != nil
        if !waits, isNoCase, known?.unprotected.contains(.waitingForReactivation) == true { entry.state.reactivated = time }
        // A box of release 0.3.0 waits also where nobody had taken the case. It would ask again at once: its silence ends with its waiting.
        let isOurs = waits && report.owner == nil && entry.open == nil && !entry.state.watch.incident.isWaiting
        if isOurs, let last = entry.state.last, report.alarm.map(last.isAbout) ?? false,
            [.answeredLate, .falseAlarm].contains(last.outcome),
            last.at > entry.state.reactivated ?? 0, time - last.at >= SOSTimings.quietTime
        {
            entry.state.reactivated = time
        }
        guard let reactivated = entry.state.reactivated, let last = entry.state.last, last.at <= reactivated, entry.open == nil else {
            return
        }
        let others = entry.state.boxes.values.contains { $0.unprotected.contains(.waitingForReactivation) }
        let isOwed = waits ? report.alarm.map(last.isAbout) ?? false : others && reactivated == time
        let isOnItsWay = entry.state.presses.contains {
            $0.button == SOSAnswer.Pressed.Button.reactivate.rawValue && $0.at >= reactivated && time - $0.at < SOSTimings.pressLifetime
        }
        guard isOwed, !isOnItsWay else { return }
        entry.state.note(.reactivate, at: time)
        entry.isDirty = true
    }

    /// Where the person is by the box's word; and a case that was held until a box speaks goes on.
    func goOn(_ alarm: Alarm, of report: SOSReport, _ state: inout State) -> SOSWork {
        var work = SOSWork()
        if let position = alarm.position ?? place(of: report), report.outcome == nil {
            work.add(positions.moved(report.person, to: position, &state))
        }
        if let open = state.entries[report.person]?.open { work.add(sos.dispatch(.box(.spoke), to: open, &state)) }
        return work
    }

    /// A position of unknown age, on the hub's clock.
    private func place(of report: SOSReport) -> LastPosition? {
        guard var place = report.lastPlace else { return nil }
        (place.time, place.isAgeUnknown) = (place.time + now() - report.sentAt, true)
        return place
    }

    // MARK: Two names of one episode

    /// Box and hub may see one episode under two names, and the hub's case be over before it hears the box's: that is no second one. It stands
    /// in the log and in the case, as nobody is called for it.
    /// - Parameter earlier: what the box reported before this. Where that was the case, this is a new one.
    func join(_ alarm: Alarm, of box: SOSWatchState.Box, after earlier: IncidentID?, _ entry: inout SOSEntry, _ state: inout State) {
        guard entry.open == nil, let last = entry.state.last, !last.isAbout(alarm), last.covers(alarm, steps: box.steps ?? []),
            !(earlier.map(last.isCalled) ?? false)
        else { return }
        let names = (last.aliases ?? []) + [alarm.id]
        entry.state.last?.aliases = Array(names.suffix(Self.namesMax))
        entry.isDirty = true
        logger.warning(
            "a box's alarm counts as the case that is over: nobody is called for it",
            metadata: ["alarm": "\(alarm.id)", "incident": "\(last.id)"])
        let joined = SOSCase.Joined(id: alarm.id, raisedAt: alarm.raisedAt, at: now())
        if state.cases[last.id] != nil {
            _ = sos.dispatch(.box(.joined(joined)), to: last.id, &state)
        } else {
            writer.join(joined, to: last.id, of: alarm.person)
        }
    }

    private static let namesMax = 32

    /// Whether what ended at the box is what is still open here under another name: both began together, and nobody asked for help since.
    /// Behind a step of the hub's clock the box's times are by the new one, and the case's by the old one.
    private func isSameEpisode(_ alarm: Alarm, _ open: SOSCase, _ entry: SOSEntry) -> Bool {
        guard !open.alarm.goes(by: alarm.id) else { return false }
        return Set([0, open.stepped ?? 0]).contains { step in
            abs(open.alarm.raisedAt + step - alarm.raisedAt) <= Self.togetherMax
                && !entry.state.presses.contains { $0.button == "help" && $0.at + step > alarm.raisedAt + Self.togetherMax }
        }
    }

    private static let togetherMax: Milliseconds = 60_000

    /// The hub hears of a case when it is over: it is kept, and nobody is called.
    private func takeOver(_ alarm: Alarm, _ outcome: Outcome, _ entry: inout SOSEntry, _ state: inout State) {
        guard entry.state.last?.isAbout(alarm) != true, state.cases[alarm.id] == nil else { return }
        var item = SOSCase(alarm, isTest: outcome == .test, opened: alarm.raisedAt)
        item.end(outcome, now: now())
        entry.state.last = .init(id: alarm.id, outcome: outcome, at: now(), opened: alarm.raisedAt, aliases: alarm.aliases)
        state.entries[alarm.person]?.state.last = entry.state.last
        writer.record(item)
        writer.add(item.person, state: entry.state, cases: [])
    }
}

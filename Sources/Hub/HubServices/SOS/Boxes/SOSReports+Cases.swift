import Distress
import EmergencyDispatch
import HubStore
import Logging
import SyncProtocol
import Vitals

/// A box's report of a case: that it is open, how it ended, that the person watches again. All under the lock.
extension SOSReports {
    /// The facts that decide which case of a person a report is about.
    func matcher(_ entry: SOSEntry, _ state: State) -> ReportMatcher {
        ReportMatcher(
            open: entry.open.flatMap { state.cases[$0] }, last: entry.state.last, incident: entry.state.watch.incident,
            helpAt: entry.state.presses.filter { $0.button == SOSAnswer.Pressed.Button.help.rawValue }.map(\.at))
    }

    /// Consequences for the person's detector of the alarm in a report, which is on the hub's clock.
    func take(_ alarm: Alarm, of report: SOSReport, _ entry: inout SOSEntry, _ state: inout State) -> [(DistressEvent, Milliseconds)] {
        var matcher = matcher(entry, state), events: [(DistressEvent, Milliseconds)] = []
        for effect in matcher.handle(alarm, of: report.said, isKept: state.cases[alarm.id] != nil, at: now()) {
            switch effect {
            case .inform(let event): if let open = entry.open { sos.decide(.box(event), in: open, &state) }
            case .tell(let event): events.append((event, now()))
            case .keep(let item):
                entry.state.last = matcher.last
                state.entries[alarm.person]?.state.last = matcher.last
                writer.record(item)
                writer.add(item.person, state: entry.state, cases: [])
            }
        }
        return events
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

    /// Whether it cannot be said yet if an alarm is a new one, or another name of the case that is over: it was raised behind that case's end only
    /// if its report did not wait while this hub stood still. The box's next reports tell within seconds, and it goes on by itself meanwhile.
    /// - Parameter missed: how long the hub stood still.
    func isLeftOpen(_ alarm: Alarm, of box: SOSWatchState.Box, _ entry: SOSEntry, missed: Milliseconds) -> Bool {
        guard entry.open == nil, let last = entry.state.last, !last.isAbout(alarm), !last.covers(alarm, steps: box.steps ?? []),
            last.at < alarm.raisedAt, alarm.raisedAt - missed <= last.at
        else { return false }
        logger.notice("an alarm of a box that was never heard before is decided about when its clock is known: this hub stood still")
        return true
    }

    /// An alarm that counts as the case that is over stands in the log and in that case, as nobody is called for it.
    /// - Parameter earlier: what the box reported before this.
    func join(_ alarm: Alarm, of box: SOSWatchState.Box, after earlier: IncidentID?, _ entry: inout SOSEntry, _ state: inout State) {
        var matcher = matcher(entry, state)
        guard let (id, what) = matcher.join(alarm, after: earlier, steps: box.steps ?? [], at: now()) else { return }
        (entry.state.last, entry.isDirty) = (matcher.last, true)
        logger.warning(
            "a box's alarm counts as the case that is over: nobody is called for it",
            metadata: ["alarm": "\(alarm.id)", "incident": "\(id)"])
        if state.cases[id] != nil {
            _ = sos.dispatch(.box(.joined(what)), to: id, &state)
        } else {
            writer.join(what, to: id, of: alarm.person)
        }
    }
}

extension SOSReport {
    /// What decides on which case it is about needs of it.
    var said: BoxReport { BoxReport(boot: boot, revision: revision, outcome: outcome, owner: owner) }
}

import Distress
import EmergencyDispatch
import HubStore
import Logging
import Seams
import Vitals

/// Goes on where a hub that stopped had been, and lets go of whoever is gone.
struct SOSResumption: SOSSubject {
    let sos: SOSService

    /// A case at which nothing was done for so long is not called about at once: a box may know how it ended.
    static let quietMax: Milliseconds = 15 * 60_000
    /// So long a box has to say it; then the calls go on, as updates that say how old the case is.
    static let hold: Milliseconds = 120_000
    /// Older than this, and nobody's, it is of a restored backup: unless a box says otherwise it is closed, and those who look after the person
    /// are told.
    static let forgottenAfter: Milliseconds = 12 * 3_600_000

    /// Reads what was stored, before anything else happens.
    func resume() throws {
        let (states, cases, problems) = try store.everything()
        for problem in problems { logger.critical("SOS: not readable, and left where it is", metadata: ["what": "\(problem)"]) }
        continueTime(of: states.values, cases)
        let people = Set(states.keys).union(cases.map(\.person)).union(try store.peopleWatched())
        let time = now()
        var resumed = State()
        for person in people {
            let own = cases.filter { $0.person == person }, open = own.first { $0.isOpen && !$0.isTest }
            guard var entry = fresh(person, isNeeded: open != nil || states[person] != nil) else { continue }
            if let known = states[person] { entry.state = known }
            for var item in own {
                _ = item.handle(.hub(.restarted), at: time)
                resumed.cases[item.id] = item
            }
            if let open = reconcile(&entry, open.flatMap { resumed.cases[$0.id] }, now: time) { resumed.cases[open.id] = open }
            if entry.state.owed?.isEmpty == false { resumed.owing.insert(person) }
            if entry.state.watch.nextDeadline != nil { resumed.waiting.insert(person) }
            resumed.entries[person] = entry
        }
        resumed.listening = SOSListening(since: time, ticks: clock.ticks)
        sos.state.withLock { [resumed] in $0 = resumed }
        try resumeEnds()
        for person in people { detection.updateWatch(of: person) }
    }

    /// Farther ahead of the hub's clock than this no stored time is believed.
    private static let aheadMax: Milliseconds = 86_400_000

    /// A clock that was set back before the restart: the time of alarms goes on from what stands in the cases, which would be of the future.
    private func continueTime(of states: some Sequence<SOSWatchState>, _ cases: [SOSCase]) {
        let times =
            cases.filter(\.isOpen).map(\.touched) + states.flatMap { $0.boxes.values.map(\.received) } + states.compactMap { $0.last?.at }
        let time = now()
        guard let newest = times.filter({ $0 - time <= Self.aheadMax }).max(), newest > time else { return }
        clock.goOn(from: newest)
        logger.critical("the hub's clock was set back: alarms go on by the time before", metadata: ["milliseconds": "\(newest - time)"])
    }

    /// Where the accounts cannot be read, a case goes on with what is known without them.
    private func fresh(_ person: PersonID, isNeeded: Bool) -> SOSEntry? {
        do { return try sos.entry(of: person) } catch {
            logger.critical(
                "somebody's account cannot be read; what is open goes on", metadata: ["person": "\(person)", "error": "\(error)"])
        }
        guard isNeeded else { return nil }
        let watch = DistressWatch(person: person, provenance: .live, side: .hub, settings: DistressSettings(), at: now())
        let (choice, isConsented) = (try? sos.chosen(person)) ?? (SOSChoice(), false)
        return SOSEntry(state: SOSWatchState(watch: watch), choice: choice, isConsented: isConsented)
    }

    /// Detector and case say the same, also when one of them was stored without the other, or by another version of this program.
    /// - Returns: the case that is open.
    private func reconcile(_ entry: inout SOSEntry, _ stored: SOSCase?, now: Milliseconds) -> SOSCase? {
        guard var item = stored else {
            guard let alarm = entry.state.watch.incident.alarm else { return nil }
            if let known = try? store.incident(alarm.id), !known.isOpen {
                _ = entry.state.watch.handle(.finished(by: .hub, of: alarm.id, withAuthority: true), at: now)
                return nil
            }
            var made = SOSCase(alarm, isTest: false, opened: now)
            if case .taken(let taken) = entry.state.watch.incident.state { made.owner = taken.owner }
            (entry.open, entry.isDirty) = (made.id, true)
            return made
        }
        entry.open = item.id
        if case .waiting(let closed) = entry.state.watch.incident.state, closed.alarm.id == item.id || item.alarm.goes(by: closed.alarm.id)
        {
            _ = item.handle(.detector(.wasOver(closed.outcome)), at: now)
            entry.open = nil
            writer.add(item.person, state: entry.state, cases: [item])
            return item
        }
        if entry.state.watch.incident.hasClosed(item.id) {
            // The person had answered before anybody took it, and the case was not stored with that.
            let outcome = entry.state.watch.incident.answered?.outcome ?? .answeredLate
            _ = item.handle(.detector(.wasOver(outcome)), at: now)
            entry.open = nil
            writer.add(item.person, state: entry.state, cases: [item])
            return item
        }
        if entry.state.watch.incident.alarm?.goes(by: item.id) != true {
            _ = entry.state.watch.handle(.reported(item.alarm), at: now)
            entry.isDirty = true
        }
        if let owner = item.owner {
            _ = entry.state.watch.handle(.taken(by: owner, of: item.id), at: now)
        } else if case .taken(let taken) = entry.state.watch.incident.state {
            // The answer to whoever took it waited for a commit that did not come.
            _ = entry.state.watch.handle(.released(by: taken.owner, of: item.id), at: now)
        }
        if item.owner == nil, now - item.touched > Self.quietMax {
            _ = item.handle(.hub(.held(until: now + Self.hold)), at: now)
            entry.state.owe(.sosQuestion, ["person": entry.account?.name ?? ""], isForPerson: true, isForCaregivers: false, now: now)
            logger.critical(
                "an open case was not looked at for long: its boxes are waited for before anybody is called",
                metadata: ["incident": "\(item.id)", "milliseconds": "\(now - item.touched)"])
        }
        return item
    }

    /// Nobody is called for a case of another day; the person is watched again.
    private func forget(_ stored: SOSCase, _ entry: inout SOSEntry, now: Milliseconds) -> SOSCase {
        var item = stored
        _ = item.handle(.hub(.forgot), at: now)
        let settings = DistressSettings(of: entry.choice, isConsented: entry.isConsented, account: entry.account, now: now)
        entry.state.watch = DistressWatch(person: item.person, provenance: .live, side: .hub, settings: settings, at: now)
        (entry.open, entry.isDirty) = (nil, true)
        entry.state.owe(.sosOver, ["person": entry.account?.name ?? "", "owner": ""], isForPerson: true, isForCaregivers: true, now: now)
        logger.critical(
            "an open case of another day was closed, and nobody was called: it is of a restored backup, or this hub was down for long",
            metadata: ["incident": "\(item.id)", "person": "\(item.person)"])
        writer.add(item.person, state: entry.state, cases: [item])
        return item
    }

    /// Cases that are over, and tests, as pages show them.
    private func resumeEnds() throws {
        let ended = try store.casesEnded(since: now() - SOSTimings.endShown)
        let tests = try store.tests(since: now() - SOSDrills.testShown).filter { !$0.links.isEmpty || !$0.calls.isEmpty }
        sos.state.withLock { state in
            for item in ended { state.ended[item.id] = item }
            for item in tests where state.cases[item.id] == nil { state.tests[item.id] = item }
        }
    }

    /// Cases whose first round did not begin, and those that were held long enough.
    func takeUp() {
        let time = now()
        let ids = sos.state.withLock { state in
            state.cases.values.filter { $0.isOpen && $0.owner == nil && $0.heldUntil.map { $0 <= time } ?? false }.map(\.id)
        }
        for id in ids where !isForgotten(id, now: time) {
            if !sos.dispatch(.hub(.holdIsOver), to: id).rounds.isEmpty { sos.beginRound(id) }
        }
    }

    /// Closes a case that was held and is of another day. A clock that was a day ahead at the start has been set right by then, and closes none.
    private func isForgotten(_ id: IncidentID, now time: Milliseconds) -> Bool {
        sos.state.withLock { state in
            guard let item = state.cases[id], time - clock.lead - item.touched > Self.forgottenAfter, var entry = state.entries[item.person]
            else { return false }
            state.settle(forget(item, &entry, now: time))
            state.entries[item.person] = entry
            state.owing.insert(item.person)
            return true
        }
    }

    /// A deleted person: what is open ends, whoever was called hears that, and nothing of them stays in memory.
    func forget(_ person: PersonID) {
        let time = now()
        let work = sos.state.withLock { state -> SOSWork in
            var work = SOSWork()
            if let id = state.entries[person]?.open, let open = state.cases[id] {
                work = sos.handle([(.finished(by: .hub, of: open.alarm.id, withAuthority: true), time)], of: person, &state)
            }
            state.entries[person] = nil
            state.waiting.remove(person)
            state.owing.remove(person)
            return work
        }
        bus.watchForSOS(person, false)
        machine.start { [self] in
            await sos.finish(work)
            sending.sendDue()
        }
    }
}

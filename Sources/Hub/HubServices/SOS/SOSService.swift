import Accounts
import Alerts
import Distress
import EmergencyDispatch
public import HubStore
public import Logging
import Privacy
import Seams
import SyncProtocol
public import Vitals

/// AutomatedSOS in the hub: takes what boxes report, watches where no box does, and sees to it that somebody comes.
///
/// Decisions are values (``Distress/DistressWatch``, ``EmergencyDispatch/SOSCase``) changed under one lock, without I/O; they act at once, and are made
/// durable beside that (design rule 7). What was decided and not done stands in the case, with the time when it is due: a hub that was killed
/// goes on with it. Here is the lock, and all that decides and stores; each subject has a type of its own (``SOSSubject``).
public final class SOSService: Sendable {
    /// The store of cases, choices and consents.
    public let store: SOSStore
    /// Wakes pages.
    public let pages: SOSBus
    let crewIndex: CrewIndex
    let accounts: AccountStore
    let detectionReader: DetectionReader
    let emergencyReader: EmergencyReader
    let bus: LiveBus
    let outlets: SOSOutlets
    let logger: Logger
    /// The time of all that stands in a case, UTC milliseconds: it goes on where the hub's clock is set back, so pages count by it too.
    public let now: @Sendable () -> Milliseconds
    /// The clock that ``now`` reads.
    let clock: MonotonicUTC
    let writer: SOSWriter
    /// That the looks go on.
    let pulse: SOSPulse
    /// Notices are rows in the database of the accounts: a disk that hangs holds up no alarm (design rule 7).
    let notices: WorkQueue
    /// The ledger of recipients, for the people concerned.
    let toldLedger: SOSToldLedger
    let state = BargingMutex(State())

    var machine: Machine { accounts.machine }
    var randomness: Randomness { machine.randomness }
    /// The known state of the ways out.
    public var ways: WayMonitor { outlets.ways }

    /// Goes on with what is stored; nothing is looked at before ``run()``.
    /// - Throws: what keeps the stored cases from being read.
    public init(
        store: SOSStore, accounts: AccountStore, detection: DetectionReader, emergency: EmergencyReader, bus: LiveBus, crews: CrewIndex,
        outlets: SOSOutlets, logger: Logger, time: MonotonicUTC
    ) throws {
        (self.store, self.accounts, self.bus) = (store, accounts, bus)
        (detectionReader, emergencyReader) = (detection, emergency)
        (crewIndex, self.outlets, self.logger, now) = (crews, outlets, logger, { time.now })
        let machine = accounts.machine
        (clock, pages) = (time, SOSBus(machine: machine))
        (pulse, notices) = (SOSPulse(clock: MonotonicUTC.bootClock(of: machine)), BlockingQueue.sosNotices.made(on: machine))
        writer = SOSWriter(on: machine, logger: logger) { try store.save($0) }
        toldLedger = SOSToldLedger(accounts, logger: logger)
        try resumption.resume()
        store.tellErased { [weak self] in self?.resumption.forget($0) }
        crews.tell { [weak self] in self?.crews.moved($0) }
        for room in outlets.rooms { ways.add(.room(room)) }
        if let voice = outlets.voice { ways.add(.voice(voice)) }
        ways.observe { [weak self] _ in self?.reachability.forgetReach() }
        ways.observeRecipients { [weak self] in self?.reachability.forgetReach(of: $1, by: $0) }
        accounts.listenToProfiles { [weak self] person in self?.machine.start { [weak self] in await self?.choices.profileChanged(person) }
        }
    }

    // MARK: Deciding

    /// Tells a person's watch what happened and does what follows. Under the lock.
    func handle(_ events: [(event: DistressEvent, at: Milliseconds)], of person: PersonID, _ state: inout State) -> SOSWork {
        catchUp(&state)
        var work = SOSWork()
        guard var entry = state.entries[person] else { return work }
        var changed: Set<IncidentID> = []
        for (event, at) in events {
            for effect in entry.state.watch.handle(event, at: at) {
                entry.isDirty = true
                take(effect, &entry, &state, &work, &changed)
            }
        }
        if entry.state.watch.nextDeadline == nil { state.waiting.remove(person) } else { state.waiting.insert(person) }
        store(person, &entry, changed, &state)
        return work
    }

    /// Hands the newest on to be stored. Under the lock, so that the order is that of the decisions.
    func store(_ person: PersonID, _ entry: inout SOSEntry, _ changed: Set<IncidentID>, _ state: inout State) {
        let cases = changed.compactMap { state.cases[$0] }
        if !cases.isEmpty { entry.isDirty = true }
        let isUrgent = !cases.isEmpty || entry.isDirty
        if isUrgent { writer.add(person, state: entry.state, cases: cases) }
        entry.isDirty = false
        for item in cases where !item.isOpen && item.due == nil { state.settle(item) }
        state.entries[person] = entry
    }

    private func take(
        _ effect: DistressEffect, _ entry: inout SOSEntry, _ state: inout State, _ work: inout SOSWork, _ changed: inout Set<IncidentID>
    ) {
        let time = now()
        switch effect {
        case .deliver(let delivery):
            let id: IncidentID
            if let open = entry.open, state.cases[open] != nil {
                id = open
                decide(.detector(.alarm(delivery.alarm)), in: id, &state)
            } else {
                let item = SOSCase(delivery.alarm, isTest: false, opened: time)
                (id, entry.open, state.cases[item.id]) = (item.id, item.id, item)
            }
            changed.insert(id)
            if state.handingOver != id { work.rounds.append(id) }
            work.topics.insert(delivery.alarm.person)
        case .tell(let announcement): take(announcement, &entry, &state, &work, &changed)
        case .test(let alarm):
            var item = SOSCase(alarm, isTest: true, opened: time)
            item.end(.test, now: time)
            writer.record(item)
            work.topics.insert(alarm.person)
        case .warn(let warning):
            entry.state.owe(warning, entry.choice, isConsented: entry.isConsented, now: time)
            state.owing.insert(entry.state.watch.incident.person)
        case .ask:
            work.questions.append(entry.state.watch.incident.person)
            work.topics.insert(entry.state.watch.incident.person)
        case .withdraw, .protection: work.topics.insert(entry.state.watch.incident.person)
        case .sameEpisode:
            guard let open = entry.open, let alarm = entry.state.watch.incident.alarm else { break }
            decide(.detector(.alarm(alarm)), in: open, &state)
            changed.insert(open)
        case .report(let alarm):
            guard let id = entry.open, decide(.detector(.help(alarm)), in: id, &state).contains(.plan) else { break }
            changed.insert(id)
            work.rounds.append(id)
        case .decided: break
        }
    }

    private func take(
        _ announcement: Announcement, _ entry: inout SOSEntry, _ state: inout State, _ work: inout SOSWork, _ changed: inout Set<IncidentID>
    ) {
        let time = now()
        if case .refused(_, _, let has) = announcement { work.refusedBy = has }
        guard let id = entry.open, let item = state.cases[id] else {
            if case .over(let alarm, let outcome) = announcement { correct(alarm, outcome, &entry, &state, &work, &changed) }
            return
        }
        // Of one who answered the box the number alone is known.
        var name: String?
        if case .taken(_, let owner) = announcement {
            name = entry.choice.contacts.first { $0.phone.map { owner.id == "tel:\($0)" } ?? false }?.name
        }
        let isHandedOver = state.handingOver == id
        let effects = decide(
            .detector(
                .announced(announcement, name: name, isHandedOver: isHandedOver, roomsWithoutNews: outlets.roomsWithoutNews)),
            in: id, &state)
        changed.insert(id)
        for effect in effects {
            switch effect {
            case .show: work.topics.insert(item.person)
            case .showCrews(let crews): work.crews.formUnion(crews)
            case .over(let outcome):
                if let ended = state.cases[id] { state.keepEnd(of: ended, now: time) }
                entry.open = nil
                entry.state.last = .init(
                    id: id, outcome: outcome, at: time, opened: item.opened, aliases: state.cases[id]?.alarm.aliases ?? [])
                // A box that hears of it only now is not to ask for help again.
                entry.state.presses.removeAll { $0.button == SOSAnswer.Pressed.Button.help.rawValue && $0.at <= time }
            default: break
            }
        }
    }

    /// A false alarm that is reported behind the end: whoever was on the way, and whoever was told, hears it as long as the end is shown.
    private func correct(
        _ alarm: Alarm, _ outcome: Outcome, _ entry: inout SOSEntry, _ state: inout State, _ work: inout SOSWork,
        _ changed: inout Set<IncidentID>
    ) {
        let time = now(), before = entry.state.last
        entry.state.last = .init(id: alarm.id, outcome: outcome, at: time, opened: alarm.raisedAt, aliases: alarm.aliases)
        work.topics.insert(alarm.person)
        let id = before.flatMap { $0.isAbout(alarm) ? $0.id : nil } ?? alarm.id
        guard var item = state.cases[id] ?? state.ended[id] else { return }
        let effects = item.handle(.detector(.corrected(outcome)), at: time)
        guard effects.first == .store else { return }
        state.cases[id] = item
        if state.ended[id] != nil { state.ended[id] = item }
        changed.insert(id)
        for case .showCrews(let crews) in effects { work.crews.formUnion(crews) }
    }

    // MARK: What is done without the lock

    /// Does what decisions left, makes them durable, and wakes pages. Returns whether all is on the disk.
    @discardableResult
    func finish(_ work: SOSWork) async -> Bool {
        await act(work)
        return await keep(work)
    }

    /// Carries out the part of a decision that waits for no disk.
    func act(_ work: SOSWork) async {
        for topic in work.topics { pages.changed(topic) }
        for crew in work.crews { pages.changed(crew.person) }
        let questions = work.questions
        if !questions.isEmpty { notices.async { [self] in for person in questions { sending.tell(person, .sosQuestion, [:]) } } }
        await beginRounds(work.rounds)
    }

    /// Waits for the disk, and then looks where the people are. Returns whether all is on it.
    @discardableResult
    func keep(_ work: SOSWork) async -> Bool {
        let isDurable = await writer.flush()
        for id in work.rounds {
            guard let person = state.withLock({ $0.cases[id]?.person }) else { continue }
            detection.updateWatch(of: person)
            positions.find(of: person)
        }
        return isDurable
    }

    /// Many begin side by side: first each is offered, then is read whom else to tell, and each of these readings waits for the others.
    /// Before pages, of which thousands may ask at the same moment.
    private func beginRounds(_ rounds: [IncidentID]) async {
        let steps: [@Sendable (IncidentID) -> Void] = [offerFirst, beginRound]
        for step in steps {
            await withTaskGroup(of: Void.self) { group in
                for id in rounds { group.addTask(priority: .high) { step(id) } }
            }
        }
    }

    /// Crews hear of it before it is read whom else to tell.
    private func offerFirst(_ id: IncidentID) {
        state.withLock { state in
            let isConsented = state.cases[id].flatMap { state.entries[$0.person]?.isConsented } ?? false
            _ = dispatch(.hub(.began(isConsented: isConsented)), to: id, &state)
        }
        crews.search(id)
    }

    /// Whom else to tell of a case is read, and they are told.
    func beginRound(_ id: IncidentID) {
        guard let item = state.withLock({ $0.cases[id] }), item.heldUntil == nil else { return }
        offerFirst(id)
        dispatch(.hub(.planned(addressees.plan(for: item).withLinks(of: addressees))), to: id)
        crews.search(id)
        sending.sendDue(of: id)
    }

    /// Cases of which a hub that was killed had not told anybody.
    func beginUnbegun() {
        let ids = state.withLock { $0.cases.values.filter { $0.isOpen && !$0.isTest && $0.rounds == 0 }.map(\.id) }
        for id in ids { beginRound(id) }
    }
}

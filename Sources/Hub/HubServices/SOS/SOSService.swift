import Accounts
import Alerts
public import Distress
public import HubStore
public import Logging
import Privacy
import Seams
import SyncProtocol
import Synchronization
public import Vitals

/// AutomatedSOS in the hub: takes what boxes report, watches where no box does, and sees to it that somebody comes.
///
/// Decisions are values (``Distress/DistressWatch``, ``EmergencyDispatch/SOSCase``) changed under one lock, without I/O; they act at once, and are made
/// durable beside that (design rule 7). What was decided and not done stands in the case, with the time when it is due: a hub that was killed
/// goes on with it.
public final class SOSService: Sendable {
    /// One person.
    struct Entry {
        var state: SOSWatchState
        var open: IncidentID?
        var choice: SOSChoice
        var isConsented: Bool
        /// Who it is, as the accounts said last: where those cannot be read, whoever is called hears a name all the same.
        var account: StoredAccount?
        var reloads = Reloads()
        /// Changed since it was stored last.
        var isDirty = false
        /// When the rhythm of senders was stored last.
        var sendersStored: Milliseconds = .min / 2
        /// Nobody would hear of an alarm, as it was looked at last, and when that was.
        var reachesNobody = false
        /// There is somebody, and every way to them has failed: these.
        var failedWays: Set<Way> = []
        /// The hub itself reaches nobody; a box may.
        var hubReachesNobody = false
        /// Of which warnings somebody hears by the hub; nil: not looked at yet.
        var warned: [Trigger]?
        var addresseesSeen: Milliseconds = .min / 2
        /// Of what arrived before this, only calls for help and flagged events count: nobody watched this person.
        var watchedSince: Milliseconds = .min
        /// When the person was told last of a flagged event about which nobody was asked.
        var unheardTold: Milliseconds = .min / 2
    }

    struct State {
        var entries: [PersonID: Entry] = [:]
        /// Open, or with something still to be sent.
        var cases = SOSCases()
        /// Messages that are due or on their way.
        var queue = SendQueue()
        /// Messages on their way, notices apart.
        var sending: Int { queue.sending }
        /// People whose watch waits for a time.
        var waiting: Set<PersonID> = []
        /// Real cases that ended since ``SOSService/endShown``.
        var ended: [IncidentID: SOSCase] = [:]
        /// People to whom, or to whose caregivers, notices are owed.
        var owing: Set<PersonID> = []
        /// Crews that have a case: when their pages or their places were seen last.
        var crewsSeen: [AccountID: Milliseconds] = [:]
        /// Planned tests that were begun by this process.
        var drilled: Set<IncidentID> = []
        /// Crews to be notified of their offers, each once.
        var crewsToTell: Set<OfferKey> = []
        /// A case that goes from a helper to a crew or a control room, while that is decided.
        var handingOver: IncidentID?
        /// Tests of the last day, whose recipients may still say that they arrived.
        var tests: [IncidentID: SOSCase] = [:]
        /// Somebody tells what is owed.
        var isTelling = false
        /// When this hub listened.
        var listening = SOSListening(since: .min / 2, ticks: nil)
        /// What looks left to be kept while an earlier one is still being kept.
        var unkept = Work()
        var isKeeping = false
    }

    struct OfferKey: Hashable {
        let incident: IncidentID
        let crew: AccountID
    }

    /// What a decision leaves to be done without the lock.
    struct Work {
        /// Cases whose plan is to be read.
        var rounds: [IncidentID] = []
        var questions: [PersonID] = []
        var topics: Set<SOSBus.Topic> = []
        /// Crews whose case is over, taken by others or withdrawn.
        var crews: Set<AccountID> = []
        /// Who had it already.
        var refusedBy: Owner?
        /// Why a case did not take an act.
        var refusal: DispatchEffect.Refusal?
        /// Cases for which crews are looked for at once, and of which it is sent what is due.
        var searches: [IncidentID] = [], sends: Set<IncidentID> = []
        /// Of one case: how many crews are missing, and who is not asked; the message that leaves; crews to notify, none for those that are due.
        var find: (missing: Int, excluded: Set<AccountID>)?, call: SOSCall?, notified: [AccountID]?
        /// Whoever had it gave no answer.
        var lostOwner = false
    }

    public let store: SOSStore
    public let pages: SOSBus
    public let crews: CrewIndex
    let accounts: AccountStore
    let series: SeriesStore
    let bus: LiveBus
    let outlets: SOSOutlets
    let logger: Logger
    /// The time of all that stands in a case, UTC milliseconds: it goes on where the hub's clock is set back, so pages count by it too.
    public let now: @Sendable () -> Milliseconds
    /// What ``now`` reads.
    let clock: MonotonicUTC
    let writer: SOSWriter
    /// That the looks go on.
    let pulse: SOSPulse
    /// Notices are rows in the database of the accounts: a disk that hangs holds up no alarm (design rule 7).
    let notices: WorkQueue
    let state = Mutex(State())

    public init(
        store: SOSStore, accounts: AccountStore, series: SeriesStore, bus: LiveBus, crews: CrewIndex, outlets: SOSOutlets, logger: Logger,
        time: MonotonicUTC
    ) throws {
        (self.store, self.accounts, self.series, self.bus) = (store, accounts, series, bus)
        (self.crews, self.outlets, self.logger, now) = (crews, outlets, logger, { time.now })
        let machine = accounts.machine
        (clock, pages) = (time, SOSBus(machine: machine))
        (pulse, notices) = (SOSPulse(clock: MonotonicUTC.bootClock(of: machine)), BlockingQueue.sosNotices.made(on: machine))
        writer = SOSWriter(on: machine, logger: logger) { try store.save($0) }
        try resume()
        store.tellErased { [weak self] in self?.forget($0) }
        crews.tell { [weak self] in self?.moved($0) }
        for room in outlets.rooms { ways.add(.room(room)) }
        if let voice = outlets.voice { ways.add(.voice(voice)) }
        ways.observe { [weak self] _ in self?.waysChanged() }
        accounts.listenToProfiles { [weak self] person in self?.machine.start { [weak self] in await self?.profileChanged(person) } }
    }

    // MARK: People

    /// nil for somebody unknown or deleted.
    func entry(of person: PersonID) throws -> Entry? {
        guard try accounts.row(of: person) != nil, try !accounts.isDeleted(person) else { return nil }
        let (choice, isConsented) = try chosen(person)
        let account = try accounts.account(AccountID(person))
        let settings = Self.settings(choice, isConsented, account, now: now())
        var state = SOSWatchState(watch: DistressWatch(person: person, provenance: .live, side: .hub, settings: settings, at: now()))
        state.journal = series.newestArrival
        return Entry(state: state, choice: choice, isConsented: isConsented, account: account)
    }

    public static func settings(_ choice: SOSChoice, _ isConsented: Bool, _ account: StoredAccount?, now: Milliseconds) -> DistressSettings
    {
        let today = CalendarDate(utc: now)
        let born = account.flatMap { try? DateOfBirth($0[.dateOfBirth], today: today) }
        return DistressSettings(
            isOn: choice.isOn && isConsented, asksFirst: choice.asksFirst, age: born?.age(on: today), personal: choice.personal,
            overrides: choice.overrides, strict: choice.strict, inactivity: choice.inactivity)
    }

    /// Has an entry of the person in memory, which begins with what waits to be merged: that may be a call for help. False for nobody.
    func prepare(_ person: PersonID) throws -> Bool {
        if state.withLock({ $0.entries[person] != nil }) { return true }
        guard var entry = try entry(of: person) else { return false }
        (entry.state.journal, entry.watchedSince) = (0, now())
        state.withLock { [entry] state in if state.entries[person] == nil { state.entries[person] = entry } }
        return true
    }

    /// What the person chose, or consented to, or their age changed.
    func reload(_ person: PersonID) async throws {
        guard try prepare(person) else { return }
        let number = state.withLock { $0.entries[person]?.reloads.begin() ?? 0 }
        let (choice, isConsented) = try chosen(person), account = try accounts.account(AccountID(person))
        let settings = Self.settings(choice, isConsented, account, now: now())
        let work = state.withLock { state in
            guard state.entries[person]?.reloads.end(number) == true else { return Work() }
            state.entries[person]?.choice = choice
            state.entries[person]?.account = account
            state.entries[person]?.isConsented = isConsented
            state.entries[person]?.addresseesSeen = .min / 2
            return handle([(.settings(settings), now())], of: person, &state)
        }
        lookAtDetection(of: person)
        await finish(work)
    }

    // MARK: Deciding

    /// Tells a person's watch what happened and does what follows. Under the lock.
    func handle(_ events: [(event: DistressEvent, at: Milliseconds)], of person: PersonID, _ state: inout State) -> Work {
        catchUp(&state)
        var work = Work()
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
    func store(_ person: PersonID, _ entry: inout Entry, _ changed: Set<IncidentID>, _ state: inout State) {
        let cases = changed.compactMap { state.cases[$0] }
        if !cases.isEmpty { entry.isDirty = true }
        let isUrgent = !cases.isEmpty || entry.isDirty
        if isUrgent { writer.add(person, state: entry.state, cases: cases) }
        entry.isDirty = false
        for item in cases where !item.isOpen && item.due == nil { state.settle(item) }
        state.entries[person] = entry
    }

    private func take(
        _ effect: DistressEffect, _ entry: inout Entry, _ state: inout State, _ work: inout Work, _ changed: inout Set<IncidentID>
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
        _ announcement: Announcement, _ entry: inout Entry, _ state: inout State, _ work: inout Work, _ changed: inout Set<IncidentID>
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

    // MARK: What is done without the lock

    /// Does what decisions left, makes them durable, and wakes pages. Returns whether all is on the disk.
    @discardableResult
    func finish(_ work: Work) async -> Bool {
        await act(work)
        return await keep(work)
    }

    /// What waits for no disk.
    func act(_ work: Work) async {
        for topic in work.topics { pages.changed(topic) }
        for crew in work.crews { pages.changed(crew.person) }
        let questions = work.questions
        if !questions.isEmpty { notices.async { [self] in for person in questions { tell(person, .sosQuestion, [:]) } } }
        await beginRounds(work.rounds)
    }

    @discardableResult
    func keep(_ work: Work) async -> Bool {
        let isDurable = await writer.flush()
        for id in work.rounds {
            guard let person = state.withLock({ $0.cases[id]?.person }) else { continue }
            lookAtDetection(of: person)
            lookForPosition(of: person)
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
        search(id)
    }

    func beginRound(_ id: IncidentID) {
        guard let item = state.withLock({ $0.cases[id] }), item.heldUntil == nil else { return }
        offerFirst(id)
        dispatch(.hub(.planned(plan(for: item).withLinks(of: self))), to: id)
        search(id)
        sendDue(of: id)
    }
}

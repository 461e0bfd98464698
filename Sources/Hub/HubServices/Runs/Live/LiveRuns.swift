public import HubStore
public import Logging
import NIOCore
import Privacy
import Runs
public import ServiceLifecycle
import Synchronization
public import Vitals

/// Runs while they go on: once a second who is where, for those who watch; and the results when a run is over (docs/runs-live.md).
///
/// What is stored is handed on after its commit; what a restart, a full queue or a dead spot left out is read from the store.
public final class LiveRuns: Sendable {
    let store: RunsStore
    let accounts: AccountStore
    let series: SeriesReader
    private let bus: LiveBus
    private let logger: Logger
    private let time: MonotonicUTC
    private let state = Mutex<[RunID: RunLive]>([:])
    private let audiences = Mutex<[RunID: Audiences]>([:])
    /// Of which it was told that their course is gone.
    private let withoutCourse = Mutex<Set<RunID>>([])
    /// Neither requests nor the ranking of now wait for the other's disk.
    private let loops: SecondTicker
    /// The number of people who watch, by address and in all; and apart from them who is logged in, so that strangers take nobody's own place.
    public let places: RunPlaces, ownPlaces = RunPlaces()
    let texts = RunDocumentCache()

    private struct Audiences {
        let open = RunAudience(), people = RunAudience()
        var mine: [Int64: RunAudience] = [:]

        var isEmpty: Bool { open.isEmpty && people.isEmpty && mine.values.allSatisfy(\.isEmpty) }

        func end(_ last: ByteBuffer?) {
            for audience in [open, people] + mine.values { audience.end(last) }
        }
    }

    public init(
        store: RunsStore, accounts: AccountStore, series: SeriesReader, bus: LiveBus, logger: Logger, time: MonotonicUTC,
        places: RunPlaces = RunPlaces()
    ) {
        (self.store, self.accounts, self.series, self.bus) = (store, accounts, series, bus)
        (self.logger, self.time, self.places) = (logger, time, places)
        loops = SecondTicker("runs", on: accounts.machine)
    }

    public var now: Milliseconds { time.now }

    static let endEvent = ByteBuffer(string: "event: end\ndata: {}\n\n")

    // MARK: Watching

    /// The updates for everybody who watches. It ends with the run.
    /// - Parameter address: the reader's, for the bound.
    public func watch(_ run: StoredRun, from address: String) throws(RunBusy) -> RunReader {
        let reader = try join(run.id, places, address, asAnybody: run.plan.isPublic) { $0.open }
        if run.state(at: now).isOver { reader.end(Self.endEvent) }
        return reader
    }

    /// Everybody, for the organiser: the caller looks that it is.
    public func watchPeople(_ run: StoredRun, from address: String) throws(RunBusy) -> RunReader {
        try join(run.id, ownPlaces, address) { $0.people }
    }

    /// Somebody's own row: the caller looks who asks.
    public func watch(_ enrolment: StoredEnrolment, from address: String) throws(RunBusy) -> RunReader {
        try join(enrolment.run, ownPlaces, address) { audiences in
            if let known = audiences.mine[enrolment.row] { return known }
            let new = RunAudience()
            audiences.mine[enrolment.row] = new
            return new
        }
    }

    /// Under the lock: an audience without anybody is forgotten.
    private func join(
        _ run: RunID, _ places: RunPlaces, _ address: String, asAnybody: Bool = false, _ pick: (inout Audiences) -> RunAudience
    ) throws(RunBusy) -> RunReader {
        try audiences.withLock { all throws(RunBusy) in
            try pick(&all[run, default: Audiences()]).join(places, address, asAnybody: asAnybody)
        }
    }

    /// Ends all streams: the hub stops.
    public func close() {
        for audiences in audiences.withLock({ Array($0.values) }) { audiences.end(nil) }
    }

    // MARK: Each second

    /// The work of a second.
    func tick() {
        let now = now, letters = bus.runs.take()
        do {
            let watched = audiences.withLock { all in
                all = all.filter { !$0.value.isEmpty }
                return all
            }
            let (current, unreadable) = try runs(watched.keys, now: now)
            // Made one by invitation: whoever may, comes again and says who they are.
            for (id, audiences) in watched where current[id]?.plan.isPublic == false { audiences.open.endAnybody() }
            state.withLock { lives in
                lives = lives.filter { current[$0.key] != nil }
                for (id, run) in current { refresh(id, run, &lives, now: now) }
                // No view of the dictionary is held while its values change: they would all be copied.
                let ids = Array(lives.keys)
                for letter in letters.letters {
                    for id in ids where lives[id]?.holds(letter.person) == true {
                        lives[id]?.take(letter.update, of: letter.person, now: now)
                    }
                }
                for person in letters.lost {
                    for id in ids { lives[id]?.lost(person, now: now) }
                }
                hear(lives, watched)
                for (id, audiences) in watched { tell(id, audiences, &lives, now: now) }
            }
            for (id, audiences) in watched where current[id] == nil {
                // That a run is over is told of none that does not open: whoever watches comes again.
                audiences.end(unreadable.contains(id) ? nil : Self.endEvent)
            }
        } catch {
            logger.error("the runs that go on cannot be read; it is tried again in a second", metadata: ["error": "\(error)"])
            // The samples that came are in the store.
            state.withLock { lives in
                for person in Set(letters.letters.map(\.person)).union(letters.lost) {
                    for id in Array(lives.keys) { lives[id]?.lost(person, now: now) }
                }
            }
        }
    }

    /// Those that go on or have ended lately, and coming ones that somebody watches already; and those watched ones that do not open.
    private func runs(_ watched: some Sequence<RunID>, now: Milliseconds) throws -> ([RunID: StoredRun], unreadable: Set<RunID>) {
        var runs = Dictionary(try store.current(now: now, late: RunLive.late).map { ($0.id, $0) }) { $1 }
        var unreadable: Set<RunID> = []
        for id in watched where runs[id] == nil {
            guard let run = try store.readable(id) else {
                unreadable.insert(id)
                continue
            }
            if run.state == .scheduled { runs[id] = run }
        }
        return (runs, unreadable)
    }

    private struct CourseGone: Error, CustomStringConvertible {
        var description: String { "its course is gone: restore it from the backup" }
    }

    private func refresh(_ id: RunID, _ run: StoredRun, _ lives: inout [RunID: RunLive], now: Milliseconds) {
        do {
            // Until it starts its course may change, and with its start the gun.
            if lives[id].map({ $0.run.revision != run.revision && $0.run.state == .scheduled }) ?? true {
                guard let plan = try store.course(of: id) else {
                    lives[id] = nil
                    // Each second it is looked for again.
                    guard withoutCourse.withLock({ $0.insert(id).inserted }) else { return }
                    throw CourseGone()
                }
                lives[id] = RunLive(run, course: try Course(plan), after: lives[id], now: now)
            }
            try lives[id]?.refresh(run, store.enrolments, accounts, now: now)
        } catch {
            logger.error(
                "who takes part in a run cannot be read; nothing of it is shown, and it is tried again in a second",
                metadata: ["run": "\(run.code)", "error": "\(error)"])
            // Nobody is shown by what may be taken back (design rule 10).
            lives[id] = nil
        }
    }

    /// Says whose data is to be handed on, and whose boxes shall send on arrival.
    private func hear(_ lives: [RunID: RunLive], _ watched: [RunID: Audiences]) {
        var people: [PersonID: Bool] = [:]
        for (id, live) in lives {
            let isWatched = watched[id] != nil && !live.isOver
            for person in live.everybody { people[person] = isWatched || people[person] == true }
        }
        bus.runs.set(people)
    }

    private func tell(_ id: RunID, _ audiences: Audiences, _ lives: inout [RunID: RunLive], now: Milliseconds) {
        guard let isOver = lives[id]?.isOver else { return }
        let isOpen = !audiences.open.isEmpty, isPeople = !audiences.people.isEmpty
        do {
            // Written down before anything is told.
            if let grants = lives[id]?.toRecord(forOrganiser: isPeople, forAll: isOpen && !isOver), !grants.isEmpty {
                try accounts.runConsents.recordReads(grants, now: now)
                lives[id]?.recorded(grants)
            }
        } catch {
            logger.error("who reads of a run cannot be written down; nobody is told anything", metadata: ["error": "\(error)"])
            lives[id] = nil
            return
        }
        if isOpen {
            if isOver {
                audiences.open.end(Self.endEvent)
            } else {
                let delta = lives[id]?.publicEvent(now: now)
                audiences.open.send(delta) { lives[id]?.snapshot(now: now) ?? ByteBuffer() }
            }
        }
        guard let live = lives[id] else { return }
        if isPeople { audiences.people.send(live.peopleEvent(now: now)) }
        guard !audiences.mine.isEmpty else { return }
        let rows = Dictionary(live.organiserRows(now: now).map { ($0.runner.enrolment.row, $0) }) { $1 }
        for (row, audience) in audiences.mine where !audience.isEmpty {
            if let item = rows[row] { audience.send(live.ownEvent(item, now: now)) }
        }
    }

    // MARK: Reading the store

    /// Reads one runner from the store, or keeps what results are due. False when nothing is to be done.
    func readNext() -> Bool {
        let now = now
        let job = state.withLock { lives -> RunLive.Job? in
            // Runs that go on first: somebody may be watching.
            for id in lives.keys.sorted(by: { lives[$0]?.isOver == false && lives[$1]?.isOver == true }) {
                if let job = lives[id]?.nextJob(now: now) { return job }
            }
            return nil
        }
        guard let job else { return keepResults() }
        var reading: RunReading?
        do { reading = try read(job, now: now) } catch {
            logger.error("a runner's positions cannot be read; it is tried again", metadata: ["error": "\(error)"])
            state.withLock { lives in lives[job.run]?.retry(job.row, at: now + 10_000) }
            return true
        }
        state.withLock { lives in lives[job.run]?.finish(job, reading, now: now) }
        return true
    }

    /// nil when nothing may be read any more.
    private func read(_ job: RunLive.Job, now: Milliseconds) throws -> RunReading? {
        func stored(_ provenances: Set<Provenance>) throws -> Reading? {
            try series.read(job.grant, from: job.window.lowerBound, to: job.window.upperBound, of: provenances, now: now)
        }
        guard var found = try stored(job.provenances) else { return nil }
        var isTest = false
        if found.positions.isEmpty, job.provenances != Set(Provenance.allCases) {
            guard let played = try stored(Set(Provenance.allCases).subtracting(job.provenances)) else { return nil }
            if !played.positions.isEmpty { (found, isTest) = (played, true) }
        }
        if found.heartRates.isEmpty, let grant = job.heartRate, !job.grant.kinds.contains(.heartRate) {
            found.heartRates =
                try series.read(grant, from: job.window.lowerBound, to: job.window.upperBound, of: job.provenances, now: now)?.heartRates
                ?? []
        }
        var matcher = Matcher(course: job.course, gun: job.gun, rules: job.rules)
        matcher.insert(found.positions)
        var summary: HeartSummary?
        if job.isOver, job.grant.kinds.contains(.heartRate), let progress = matcher.progress, let start = progress.start {
            let end = max(progress.finish?.time ?? progress.time, start.time)
            let body = try accounts.account(AccountID(job.grant.person)).flatMap { EnrolmentService.body(of: $0, at: job.plan) }
            summary = HeartSummary(found.heartRates, in: start.time...end, body: body)
        }
        return RunReading(
            matcher: matcher, isTest: isTest, beats: Array(found.heartRates.suffix(Int(EnrolmentChoices.delayMax / 1000))), summary: summary
        )
    }

    /// Keeps the results of the next run for which they are due. False when there is none.
    private func keepResults() -> Bool {
        let now = now
        let due = state.withLock { lives -> (StoredRun, RunLive.DueResults, [Grant], Bool)? in
            for id in Array(lives.keys) {
                guard let due = lives[id]?.takeResults(now: now), let live = lives[id] else { continue }
                return (live.run, due, live.toRecord(forOrganiser: true, forAll: true), live.isOver)
            }
            return nil
        }
        guard let (run, due, grants, isOver) = due else { return false }
        do {
            try accounts.runConsents.recordReads(grants, now: now)
            state.withLock { $0[run.id]?.recorded(grants) }
            try store.results.keepResults(due.results, of: run.id, unread: due.unread, isOver: isOver)
        } catch {
            logger.error("the results of a run cannot be kept; it is tried again", metadata: ["run": "\(run.code)", "error": "\(error)"])
            state.withLock { $0[run.id]?.resultsFailed(now: now) }
        }
        return true
    }

    /// The public view of a run now, in its order, with the public names.
    func publicRows(of run: RunID) -> (rows: [PublicSheet.Row], names: [Int: String]) {
        let now = now
        return state.withLock { lives in lives[run].map { ($0.publicRows(now: now), $0.names) } ?? ([], [:]) }
    }

    /// For tests: a run as it is known now.
    func live(_ run: RunID) -> RunLive? { state.withLock { $0[run] } }
}

extension LiveRuns: Service {
    public func run() async throws {
        await loops.run(tick: { self.tick() }, readNext: { self.readNext() })
        close()
    }
}

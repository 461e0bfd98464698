import HubStore
import NIOCore
import Privacy
import Runs
import Vitals

/// A run that goes on, or has ended lately: who takes part, where they are, and what is told of it. A value: time and what the stores say
/// are handed in.
struct RunLive: Sendable {
    private(set) var run: StoredRun
    let course: Course
    let rules: MatchRules
    private(set) var runners: [LiveRunner] = []
    private var rows: [Int64: Int] = [:]
    private var people: [PersonID: Int] = [:]
    /// Public ones, by bib number.
    private(set) var names: [Int: String] = [:]
    private var seen = EnrolmentsSeen()
    /// The number of enrolments that do not open any more: nobody knows who, and where, these runners are.
    var damaged: Int { seen.damaged.count }
    private var sheet = PublicSheet()
    private var turn = 0, quietTurns = 0
    private(set) var isOver: Bool
    /// Something of the results is to be kept, not before this (UTC milliseconds).
    private(set) var resultsDue: Milliseconds?
    /// When it was over and something of the results became due first, UTC milliseconds.
    private var dueSince: Milliseconds?
    /// While it goes on: who is through, by row, with the time of the finish that was kept. nil to work it out again.
    private var through: [Int64: Milliseconds]? = [:]

    /// Before the start, milliseconds: who waits at the line is seen to cross it.
    static let before: Milliseconds = 30 * 60_000
    /// Late data is waited for so long after the end, milliseconds: a day (RUN-14).
    static let late: Milliseconds = 86_400_000
    /// Data that came late is worked in when nothing came for so long, milliseconds.
    static let settles: Milliseconds = 10_000
    /// Results are kept so long after they became due, milliseconds, also when somebody's data still comes: those of all do not wait for one.
    static let resultsMax: Milliseconds = 60_000
    /// Samples of no replay and no drill (design rule 11). A file that somebody imports is data that comes late.
    static let counting: Set<Provenance> = [.live, .import]
    /// A sign of life after so many seconds in which nothing is new.
    static let quietMax = 5

    /// - Parameter old: the same run before it was changed: its readers go on.
    init(_ run: StoredRun, course: Course, after old: RunLive? = nil, now: Milliseconds) {
        (self.run, self.course) = (run, course)
        rules = run.plan.rehearsal.map { MatchRules(speed: $0) } ?? MatchRules()
        isOver = run.state(at: now).isOver
        if isOver { makeDue(now, now: now) }
        if let old { (sheet, turn) = (old.sheet, old.turn) }
    }

    private var isRehearsal: Bool { run.plan.rehearsal != nil }
    var ends: Milliseconds { run.ended ?? run.plan.ends }
    /// Samples that count in this run.
    private var provenances: Set<Provenance> { isRehearsal ? Set(Provenance.allCases) : Self.counting }

    private func gun(_ wave: Int) -> Milliseconds {
        let waves = run.plan.waves
        return waves.indices.contains(wave) ? waves[wave].gun : min(run.began ?? .max, run.plan.starts)
    }

    /// The readable part of a runner's data: of this run, and of the time for which they said so.
    private func window(_ runner: LiveRunner) -> ClosedRange<Milliseconds>? {
        guard let access = runner.grants.access, runner.grants.own != nil || runner.grants.position != nil else { return nil }
        let from = max(access.since, min(run.began ?? .max, run.plan.starts) - Self.before), to = min(access.until ?? .max, ends)
        return from <= to ? from...to : nil
    }

    // MARK: Who takes part

    /// Takes in what changed of the run, of its list and of what may be read.
    mutating func refresh(_ current: StoredRun, _ enrolments: EnrolmentStore, _ accounts: AccountStore, now: Milliseconds) throws {
        run = current
        let list = try enrolments.enrolments(in: run.id, &seen).filter { $0.state == .checkedIn }
        let isSame = list.count == runners.count && zip(list, runners).allSatisfy { $0.row == $1.enrolment.row }
        // Who was brought back, and what the organiser says of somebody, changes the results.
        let isOther = list.contains { new in rows[new.row].map { runners[$0].enrolment.entry != new.entry } ?? !runners.isEmpty }
        if isSame {
            for (index, enrolment) in list.enumerated() { runners[index].enrolment = enrolment }
        } else {
            runners = try list.map { enrolment in
                if let index = rows[enrolment.row] {
                    var runner = runners[index]
                    runner.enrolment = enrolment
                    return runner
                }
                var runner = LiveRunner(enrolment, gun: gun(enrolment.choices.wave))
                runner.name = try accounts.person(enrolment.person)?.name ?? ""
                return runner
            }
            rows = Dictionary(uniqueKeysWithValues: runners.enumerated().map { ($1.enrolment.row, $0) })
            people = Dictionary(runners.enumerated().map { ($1.enrolment.person, $0) }) { $1 }
        }
        names = Dictionary(runners.map { ($0.bib, $0.enrolment.choices.publicName) }) { $1 }
        if !isOver, run.state(at: now).isOver { end(now) }
        if isOther { if isOver { makeDue(now, now: now) } else { through = nil } }
        try look(accounts, now: now)
    }

    /// Looks again what may be read of each.
    private mutating func look(_ accounts: AccountStore, now: Milliseconds) throws {
        let grants = try accounts.runConsents.runGrants(
            by: runners.map { .init(checkIn: $0.enrolment.checkIn, publicHeartRate: $0.enrolment.publicHeartRate) }, to: run.organiser,
            now: now)
        for (index, new) in grants.enumerated() where new != runners[index].grants {
            let old = runners[index].grants
            runners[index].grants = new
            if new.own == nil, new.position == nil {
                runners[index].forget()
            } else if new.access?.since != old.access?.since {
                runners[index].read(at: now)
            }
            // By a heart rate that may be seen no more nothing is known.
            if new.own?.kinds.contains(.heartRate) != true, new.heartRate == nil { runners[index].beats = [] }
        }
    }

    /// Everything is read once more: results come from the store alone, whoever watched.
    private mutating func end(_ now: Milliseconds) {
        isOver = true
        (resultsDue, dueSince) = (now, now)
        for index in runners.indices { runners[index].read(at: now) }
    }

    private mutating func makeDue(_ time: Milliseconds, now: Milliseconds) {
        resultsDue = max(resultsDue ?? time, time)
        dueSince = dueSince ?? now
    }

    // MARK: What comes

    func holds(_ person: PersonID) -> Bool { people[person] != nil }
    var everybody: Dictionary<PersonID, Int>.Keys { people.keys }

    mutating func take(_ update: LiveUpdate, of person: PersonID, now: Milliseconds) {
        guard let index = people[person], let window = window(runners[index]) else { return }
        if isOver { return late(index, update.samples, window, now: now) }
        if !provenances.contains(update.provenance) {
            // Shown to the organiser as what it is, as long as there is nothing real.
            guard runners[index].isTest || runners[index].progress == nil else { return }
            runners[index].isTest = true
        } else if runners[index].isTest {
            runners[index].isTest = false
            (runners[index].matcher, runners[index].progress) = (nil, nil)
            return runners[index].read(at: now)
        }
        runners[index].take(update.samples, in: window, now: now)
    }

    private mutating func late(_ index: Int, _ samples: SampleSet, _ window: ClosedRange<Milliseconds>, now: Milliseconds) {
        guard
            samples.positions.contains(where: { window.contains($0.time) })
                || samples.heartRates.contains(where: { window.contains($0.time) })
        else { return }
        if runners[index].reading == .done { runners[index].read(at: now + Self.settles) }
        if case .running = runners[index].reading { runners[index].read(at: now) }
        makeDue(now + Self.settles, now: now)
    }

    /// Something of a person was left out.
    mutating func lost(_ person: PersonID, now: Milliseconds) {
        guard let index = people[person] else { return }
        runners[index].read(at: now)
        if isOver { makeDue(now, now: now) }
    }

    // MARK: Reading the store

    /// The reading to make of one runner.
    struct Job: Sendable {
        let run: RunID
        let plan: RunPlan
        let row: Int64
        let grant: Grant
        let heartRate: Grant?
        let window: ClosedRange<Milliseconds>
        let course: Course, gun: Milliseconds, rules: MatchRules
        let provenances: Set<Provenance>
        let isOver: Bool
    }

    /// The next runner who is to be read.
    mutating func nextJob(now: Milliseconds) -> Job? {
        for index in runners.indices {
            guard case .due(let due) = runners[index].reading, due <= now else { continue }
            guard let window = window(runners[index]), let grant = runners[index].grants.own ?? runners[index].grants.position else {
                // Nothing may be read: that is all there is.
                (runners[index].reading, runners[index].wasRead, runners[index].hasFailed) = (.done, true, false)
                continue
            }
            runners[index].reading = .running(again: false)
            return Job(
                run: run.id, plan: run.plan, row: runners[index].enrolment.row, grant: grant, heartRate: runners[index].grants.heartRate,
                window: window,
                course: course, gun: runners[index].gun, rules: rules, provenances: provenances, isOver: isOver)
        }
        return nil
    }

    /// - Parameter reading: nil when nothing may be read any more.
    mutating func finish(_ job: Job, _ reading: RunReading?, now: Milliseconds) {
        guard let index = rows[job.row], case .running = runners[index].reading else { return }
        guard let reading else { return runners[index].forget() }
        // The run ended meanwhile: what is worked out is not the end.
        if job.isOver != isOver { runners[index].reading = .running(again: true) }
        runners[index].take(reading, isOver: isOver, now: now)
        if isOver, case .due = runners[index].reading { runners[index].read(at: now) }
        // The others' results were kept without it.
        if isOver, resultsDue == nil { makeDue(now, now: now) }
    }

    mutating func retry(_ row: Int64, at time: Milliseconds) {
        if let index = rows[row] { (runners[index].reading, runners[index].hasFailed) = (.due(time), true) }
    }

    /// Whether the results can be worked out: all is read, or waited for long enough with something known of everybody.
    private func isReady(_ now: Milliseconds) -> Bool {
        if let due = resultsDue, due <= now, runners.allSatisfy({ $0.reading == .done }) { return true }
        return dueSince.map { now - $0 >= Self.resultsMax } ?? false && runners.allSatisfy(\.wasTried)
    }

    // MARK: Who is written down as a reader

    /// Grants by which readers read for the first time: the same until they are ``recorded(_:)``.
    func toRecord(forOrganiser: Bool, forAll: Bool) -> [Grant] {
        runners.flatMap { runner -> [Grant] in
            let own = forOrganiser && !runner.isRecordedForOrganiser ? runner.grants.own : nil
            guard forAll, !runner.isRecordedForAll, let open = runner.grants.position else { return [own].compactMap(\.self) }
            return [own, open, runner.grants.heartRate].compactMap(\.self)
        }
    }

    /// These are written down, and not before: what was only taken up to be written would be told by the next second without it.
    mutating func recorded(_ grants: [Grant]) {
        let written = Set(grants)
        for index in runners.indices {
            if let own = runners[index].grants.own, written.contains(own) { runners[index].isRecordedForOrganiser = true }
            if let open = runners[index].grants.position, written.contains(open) { runners[index].isRecordedForAll = true }
        }
    }

    // MARK: What is told

    /// The update of this second for spectators: a delta, and how to make a snapshot instead.
    mutating func publicEvent(now: Milliseconds) -> ByteBuffer? {
        turn += 1
        let names = names
        if let delta = sheet.delta(publicRows(now: now), naming: { names[$0] ?? "" }, at: now, turn: turn) {
            quietTurns = 0
            return delta
        }
        quietTurns += 1
        guard quietTurns >= Self.quietMax else { return nil }
        quietTurns = 0
        return sheet.quiet(at: now)
    }

    func snapshot(now: Milliseconds) -> ByteBuffer { sheet.snapshot(at: now, state: "\(run.state(at: now))") }

    /// Everybody who is public and was read, as the public knows them, in the order that follows from that.
    func publicRows(now: Milliseconds) -> [PublicSheet.Row] {
        var shown: [Int: (runner: LiveRunner, progress: Progress?)] = [:]
        let contestants = runners.compactMap { runner -> Contestant? in
            guard runner.grants.position != nil, runner.wasRead, !runner.isTest else { return nil }
            let progress = runner.progress.flatMap { runner.view.shown($0, on: course, at: now) }
            shown[runner.bib] = (runner, progress)
            return Contestant(bib: runner.bib, status: runner.enrolment.entry, progress: progress)
        }
        return Ranking.rows(contestants, by: .gun, now: now).compactMap { row in
            guard let (runner, progress) = shown[row.bib] else { return nil }
            var told = PublicSheet.Row(bib: row.bib, group: row.group.index)
            told.place = row.place ?? 0
            told.metres = Int(row.metres.rounded())
            told.pace = row.group == .running ? progress?.pace ?? 0 : 0
            told.gap = row.gapToFirst.map { Int((max($0, 0) + 500) / 1000) } ?? -1
            if runner.grants.heartRate != nil { told.heartRate = runner.heartRate(at: now - runner.view.delay) ?? 0 }
            told.seen = progress?.time ?? 0
            if let progress, progress.state == .offCourse, progress.finish == nil, runner.view.delay == 0,
                runner.view.shows(progress.position)
            {
                told.spot = .init(latitude: progress.position.latitude / 100, longitude: progress.position.longitude / 100)
            }
            return told
        }
    }

    /// Everybody, as far as each let the organiser read. Who is only played stands behind, without a place.
    func organiserRows(now: Milliseconds) -> [(row: RankingRow, runner: LiveRunner)] {
        let byBib = Dictionary(runners.map { ($0.bib, $0) }) { $1 }
        func rows(_ some: [LiveRunner]) -> [(row: RankingRow, runner: LiveRunner)] {
            Ranking.rows(some.map { contestant($0) }, by: .gun, now: now).compactMap { row in byBib[row.bib].map { (row, $0) } }
        }
        let played = rows(runners.filter(\.isTest)).map { item in
            var row = item.row
            (row.place, row.gapToFirst) = (nil, nil)
            return (row: row, runner: item.runner)
        }
        return rows(runners.filter { !$0.isTest }) + played
    }

    func contestant(_ runner: LiveRunner) -> Contestant {
        Contestant(
            bib: runner.bib, category: run.plan.category(wave: runner.enrolment.choices.wave), status: runner.enrolment.entry,
            progress: runner.grants.own == nil ? nil : runner.progress)
    }

    func runner(_ row: Int64) -> LiveRunner? { rows[row].map { runners[$0] } }

    // MARK: Results

    /// Results that are due.
    struct DueResults: Sendable {
        let results: [RunResult]
        /// ``StoredEnrolment/row`` of who could not be read, or whose enrolment does not open: what was kept of them stays.
        let unread: Set<Int64>
    }

    /// The results, when they are due and all is read.
    mutating func takeResults(now: Milliseconds) -> DueResults? {
        guard isOver else { return takeFinishers(now: now) }
        // Without an organiser nobody's data may be read for them any more: what was kept stays.
        guard run.state != .cancelled, run.organiser != nil, resultsDue != nil, !runners.isEmpty, isReady(now) else { return nil }
        (resultsDue, dueSince) = (nil, nil)
        // Who stands where at the end does not depend on when that is asked.
        return results(of: counting, now: ends)
    }

    /// Of who is through while others are under way, whenever that changes: before the end it may change with what comes late. Whose place is
    /// told later by their own choice waits for it.
    private mutating func takeFinishers(now: Milliseconds) -> DueResults? {
        guard run.state(at: now) == .live, run.organiser != nil, resultsDue.map({ $0 <= now }) ?? true,
            runners.allSatisfy(\.wasTried)
        else { return nil }
        let done = counting.compactMap { runner in
            runner.progress?.finish.flatMap { $0.time + runner.view.delay <= now ? (runner.enrolment.row, $0.time) : nil }
        }
        let finishes = Dictionary(done) { $1 }
        guard finishes != through else { return nil }
        (through, resultsDue) = (finishes, now + Self.settles)
        return results(of: counting.filter { finishes[$0.enrolment.row] != nil }, now: now)
    }

    /// Of somebody who was never read it is not known that they did not start.
    private var counting: [LiveRunner] { runners.filter { !$0.isTest && $0.grants.own != nil && $0.wasRead } }

    private func results(of some: [LiveRunner], now: Milliseconds) -> DueResults {
        let byBib = Dictionary(some.map { ($0.bib, $0) }) { $1 }
        let hearts = byBib.compactMapValues(\.summary)
        let all = Results.results(some.map { contestant($0) }, on: course, by: .gun, now: now, hearts: hearts)
        let results = all.compactMap { result -> RunResult? in
            guard let runner = byBib[result.bib] else { return nil }
            return RunResult(result, trail: runner.progress?.replayLine() ?? [], of: runner.enrolment)
        }
        let unread = runners.filter { !$0.wasRead && $0.grants.own != nil }.map(\.enrolment.row)
        return DueResults(results: results, unread: seen.damaged.union(unread))
    }

    /// They could not be kept.
    mutating func resultsFailed(now: Milliseconds) {
        through = nil
        if isOver { makeDue(now + Self.settles, now: now) } else { resultsDue = now + Self.settles }
    }
}

extension RankingRow.Group {
    var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Progress {
    /// Whole seconds a kilometre, over the last minute; nil for who stands.
    var pace: Int? {
        guard let speed = speed(), speed >= 0.3 else { return nil }
        return Int((1000 / speed).rounded())
    }
}

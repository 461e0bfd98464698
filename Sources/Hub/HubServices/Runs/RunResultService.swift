public import HubStore
public import Privacy
public import Runs
import Synchronization
public import Vitals

/// One line of a run's results as one reader may see it (RUN-10). What is not theirs to see is not in it.
public struct ShownResult: Sendable, Hashable {
    /// nil where the account was deleted, or took back what let it be read: place and time are nobody's.
    public var bib: Int?
    /// The runner's public name, for the organiser as the account has it; empty for none.
    public var name: String
    public var group: RankingRow.Group
    public var place: Int?
    /// Milliseconds from the gun to the finish; nil for who is not through.
    public var time: Milliseconds?
    /// Times, splits and heart rate, as far as they may be seen.
    public var result: RunnerResult?
    /// The owner: for "that is you" and for friends, never to be shown.
    public var person: PersonID?
    /// The fields that the runner lets everybody see.
    public var published: Set<PublishedResult>
}

/// All results of a run for one kind of reader.
public struct ShownResults: Sendable, Hashable {
    /// In their order: those with a place first.
    public var lines: [ShownResult]
    /// Runners who have a place and show no time.
    public var hidden: Int
    /// The number that have a place.
    public var ranked: Int
}

/// Start lists, standings, results and tracks, each as far as its reader may see it.
public final class RunResultService: Sendable {
    let runsStore: RunsStore
    let enrolments: EnrolmentStore
    let store: RunResultStore
    let friendships: FriendStore
    let accounts: AccountStore
    let time: MonotonicUTC
    /// Results as everybody sees them.
    let openResults = Mutex(OfRuns<KnownStandings>())

    init(_ runs: RunsStore, accounts: AccountStore, time: MonotonicUTC) {
        (runsStore, enrolments, store, friendships) = (runs, runs.enrolments, runs.results, runs.friends)
        (self.accounts, self.time) = (accounts, time)
    }

    var now: Milliseconds { time.now }

    // MARK: The start list

    /// Somebody on a start list, for the organiser.
    public struct Participant: Sendable {
        public let enrolment: StoredEnrolment
        /// As the account has it.
        public let name: String
        /// The organiser's grant, and its beginning; nil before the check-in, when it was taken back (RUN-18), and for a run that was
        /// called off.
        public let health: (grant: Grant, access: Consent.Access)?
    }

    /// Everybody who enrolled, in that order; bib numbers count up with it.
    public func participants(in id: RunID, for account: StoredAccount) throws -> [Participant] {
        try startList(of: id, for: account).participants
    }

    /// The same, and how many enrolments do not open any more, so that the organiser knows that somebody is missing there.
    public func startList(of id: RunID, for account: StoredAccount) throws -> (participants: [Participant], damaged: Int) {
        let run = try runsStore.own(id, account), now = now
        var seen = EnrolmentsSeen()
        let participants = try enrolments.enrolments(in: id, &seen).compactMap { enrolment -> Participant? in
            guard let person = try accounts.person(enrolment.person) else { return nil }
            let health = try accounts.runConsents.organiserGrant(enrolment, run, now: now)
            return Participant(enrolment: enrolment, name: person.name, health: health)
        }
        return (participants, seen.damaged.count)
    }

    /// Says how it ended for somebody: gave up, was disqualified, did not start.
    /// - Throws: ``RunProblem/unknown``.
    public func setEntry(_ entry: EntryStatus, bib: Int, in id: RunID, by account: StoredAccount) throws {
        let run = try runsStore.own(id, account)
        guard [.live, .finished].contains(run.state(at: now)) else { throw RunProblem.state(run.state(at: now)) }
        guard try enrolments.setEntry(entry, bib: bib, in: run) else { throw RunProblem.unknown }
    }

    /// The public's grant of somebody's data: the position of who checked in, and the heart rate of who agreed to that.
    public func publicGrants(_ enrolment: StoredEnrolment) throws -> [Grant] {
        guard enrolment.state == .checkedIn, let run = try runsStore.run(enrolment.run), run.state != .cancelled else { return [] }
        return try [enrolment.checkIn, enrolment.publicHeartRate].compactMap {
            try $0.flatMap { try accounts.runConsents.runPublicGrant(by: $0, now: now) }
        }
    }

    /// The consents of a run that was called off end as those of one that is over, by which is read for 30 days. Of this one nobody has
    /// results, tracks or heart rates any more. Looked up anew: whoever asks may have waited since they read the run.
    /// - Throws: ``RunProblem/state(_:)``.
    public func checkNotCalledOff(_ run: StoredRun) throws {
        guard try !runsStore.isCalledOff(run.id) else { throw RunProblem.state(.cancelled) }
    }

    // MARK: Results

    /// The reader of results.
    public enum Reader: Sendable, Hashable {
        /// The fields that the runners published, and nothing else.
        case everybody
        /// Everybody, with what each agreed to at check-in, and what is public.
        case organiser
        /// All of one's own (and of whom one decides for), and of others what everybody sees.
        case own(Set<PersonID>)
    }

    /// The results of a run. The caller has asked ``RunFinder/run(code:for:people:)`` whether the run is shown, and whether an organiser is
    /// one.
    /// - Throws: ``RunProblem/state(_:)`` for a run that was called off.
    public func results(of run: StoredRun, for reader: Reader) throws -> ShownResults {
        try checkNotCalledOff(run)
        let lines: [ShownResult] =
            switch reader {
            case .everybody: try openStandings(of: run).map(ShownResult.init)
            case .own(let people): try own(openStandings(of: run), people, run)
            case .organiser: try organisers(run)
            }
        let isHidden = { (line: ShownResult) in reader != .organiser && line.time == nil && line.group == .finished }
        // Who started and is not through has no time to publish: their row tells that they were there, and is theirs to show or not.
        let isShown = { (line: ShownResult) in
            reader == .organiser
                || (line.bib == nil ? line.place != nil : line.time != nil || line.published.contains(.time) || line.isOwn(reader))
        }
        return ShownResults(
            lines: lines.filter { !isHidden($0) && isShown($0) }, hidden: lines.count(where: isHidden),
            ranked: lines.count { $0.place != nil })
    }

    private func own(_ standings: [PublicResult], _ people: Set<PersonID>, _ run: StoredRun) throws -> [ShownResult] {
        guard standings.contains(where: { $0.person.map(people.contains) ?? false }) else { return standings.map(ShownResult.init) }
        let kept = Self.kept(try store.results(of: run.id))
        return standings.map { standing in
            var line = ShownResult(standing)
            if let person = standing.person, people.contains(person), let own = kept[person] {
                (line.time, line.result) = (own.time, own.result)
            }
            return line
        }
    }

    /// The organiser has everybody's place and time. The rest is the runner's to give: by the check-in, or to everybody.
    private func organisers(_ run: StoredRun) throws -> [ShownResult] {
        let results = try store.results(of: run.id), kept = Self.kept(results), now = now
        let listed = Dictionary(try enrolments.enrolments(in: run.id).map { ($0.person, $0) }) { first, _ in first }
        return try standings(of: run, results).map { standing in
            var line = ShownResult(standing)
            guard let person = standing.person, let own = kept[person], let enrolment = listed[person] else { return line }
            line.name = try accounts.person(person)?.name ?? line.name
            line.time = own.time
            let grant = try accounts.runConsents.organiserGrant(enrolment, run, now: now)?.grant
            guard let grant, var result = own.result else { return line }
            // Energy was worked out of what the account says about the body, to which no check-in agrees.
            if !grant.kinds.contains(.heartRate) { result.heart = standing.result?.heart }
            if !standing.published.contains(.energy) { result.heart?.energy = nil }
            line.result = result
            return line
        }
    }

    private static func kept(_ results: [RunResult]) -> [PersonID: RunResult] {
        Dictionary(results.compactMap { kept in kept.person.map { ($0, kept) } }, uniquingKeysWith: { first, _ in first })
    }

    /// A person's friends who let everybody see their result of a run, with names as their accounts have them (RUN-10, RUN-19).
    public func friends(of person: PersonID, among shown: ShownResults) throws -> [(name: String, result: ShownResult)] {
        let friends = Set(try friendships.friends(of: person))
        return try shown.lines.compactMap { line in
            guard let other = line.person, friends.contains(other), line.published.contains(.time),
                let name = try accounts.person(other)?.name
            else { return nil }
            return (name, line)
        }
    }

    // MARK: Tracks

    /// A track that somebody may have: by which grant, between which instants (UTC milliseconds), and what of it.
    public struct ShownTrack: Sendable {
        public let bib: Int
        public let name: String
        public let grant: Grant
        public let span: ClosedRange<Milliseconds>
        /// nil for all of it.
        public let view: PublicView?
    }

    /// The track that a runner lets everybody see, from the start to the own finish, without the surroundings of the home; nil for none.
    /// - Throws: ``RunProblem/state(_:)`` for a run that was called off.
    public func publicTrack(bib: Int, in run: StoredRun) throws -> ShownTrack? {
        try checkNotCalledOff(run)
        guard let standing = try openStandings(of: run).first(where: { $0.bib == bib }), standing.published.contains(.track),
            let person = standing.person, let enrolment = try enrolments.enrolment(of: person, in: run.id),
            enrolment.choices.published.contains(.track),
            let grant = try publicGrants(enrolment).first(where: { $0.kinds.contains(.position) }),
            let result = try store.results(of: person).first(where: { $0.run == run.id })?.result.result,
            let span = Self.span(
                max(result.start?.time ?? 0, run.began ?? run.plan.starts), min(result.finish?.time ?? .max, run.ended ?? run.plan.ends))
        else { return nil }
        let view = PublicView(zones: [enrolment.choices.home].compactMap(\.self), delay: enrolment.choices.delay)
        return ShownTrack(bib: bib, name: standing.name, grant: grant, span: span, view: view)
    }

    /// Every track that the organiser may have: of whoever checked in and has not taken that back, what was recorded from then on, during the run.
    /// - Throws: ``RunProblem/unknown`` for another account, ``RunProblem/state(_:)`` for a run that was called off.
    public func tracks(of run: StoredRun, for account: StoredAccount) throws -> [ShownTrack] {
        let participants = try participants(in: run.id, for: account)
        try checkNotCalledOff(run)
        return participants.compactMap { participant in
            guard let (grant, access) = participant.health, grant.kinds.contains(.position),
                let span = Self.span(
                    max(access.since, run.began ?? run.plan.starts), min(access.until ?? .max, run.ended ?? run.plan.ends))
            else { return nil }
            return ShownTrack(bib: participant.enrolment.bib, name: participant.name, grant: grant, span: span, view: nil)
        }
    }

    private static func span(_ from: Milliseconds, _ to: Milliseconds) -> ClosedRange<Milliseconds>? { from <= to ? from...to : nil }
}

extension ShownResult {
    fileprivate init(_ standing: PublicResult) {
        self.init(
            bib: standing.bib, name: standing.name, group: standing.group, place: standing.place, time: standing.time,
            result: standing.result, person: standing.person, published: standing.published)
    }

    /// Whether it is the reader's own.
    public func isOwn(_ reader: RunResultService.Reader) -> Bool {
        guard case .own(let people) = reader, let person else { return false }
        return people.contains(person)
    }
}

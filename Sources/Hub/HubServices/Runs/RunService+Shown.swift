public import HubStore
public import Privacy
public import Runs
public import Vitals

/// One line of a run's results as one reader may see it (RUN-10). What is not theirs to see is not in it.
public struct ShownResult: Sendable, Hashable {
    /// nil where the account was deleted, or took back what let it be read: place and time are nobody's.
    public var bib: Int?
    /// What the runner calls themself in public, for the organiser as the account has it; empty for none.
    public var name: String
    public var group: RankingRow.Group
    public var place: Int?
    /// Milliseconds from the gun to the finish; nil for who is not through.
    public var time: Milliseconds?
    /// Times, splits and heart rate, as far as they may be seen.
    public var result: RunnerResult?
    /// Whose it is: for "that is you" and for friends, never to be shown.
    public var person: PersonID?
    /// What the runner lets everybody see.
    public var published: Set<PublishedResult>
}

/// All results of a run for one kind of reader.
public struct ShownResults: Sendable, Hashable {
    /// In their order: those with a place first.
    public var lines: [ShownResult]
    /// Who has a place and shows no time.
    public var hidden: Int
    /// How many have a place.
    public var ranked: Int
}

extension RunService {
    /// Who looks at results.
    public enum ResultReader: Sendable, Hashable {
        /// What the runners published, and nothing else.
        case everybody
        /// Everybody, with what each agreed to at check-in, and what is public.
        case organiser
        /// All of one's own (and of whom one decides for), and of others what everybody sees.
        case own(Set<PersonID>)
    }

    /// The results of a run. The caller has asked ``run(code:for:people:)`` whether the run is shown, and whether an organiser is one.
    /// - Throws: ``RunProblem/state(_:)`` for a run that was called off.
    public func results(of run: StoredRun, for reader: ResultReader) throws -> ShownResults {
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
        let kept = Self.kept(try store.results.results(of: run.id))
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
        let results = try store.results.results(of: run.id), kept = Self.kept(results), now = now
        let enrolments = Dictionary(try store.enrolments.enrolments(in: run.id).map { ($0.person, $0) }) { first, _ in first }
        return try standings(of: run, results).map { standing in
            var line = ShownResult(standing)
            guard let person = standing.person, let own = kept[person], let enrolment = enrolments[person] else { return line }
            line.name = try accounts.person(person)?.name ?? line.name
            line.time = own.time
            guard let grant = try organiserGrant(enrolment, run, now: now)?.grant, var result = own.result else { return line }
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
        let friends = Set(try store.friends.friends(of: person))
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
            let person = standing.person, let enrolment = try store.enrolments.enrolment(of: person, in: run.id),
            enrolment.choices.published.contains(.track),
            let grant = try publicGrants(enrolment).first(where: { $0.kinds.contains(.position) }),
            let result = try store.results.results(of: person).first(where: { $0.run == run.id })?.result.result,
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
    public func isOwn(_ reader: RunService.ResultReader) -> Bool {
        guard case .own(let people) = reader, let person else { return false }
        return people.contains(person)
    }
}

public import HubStore
public import Runs
import Synchronization
public import Vitals

/// One line of a run's results, as everybody may read it.
public struct PublicResult: Sendable, Hashable {
    /// nil for somebody whose account was deleted, or who took their check-in back: a place, and nobody's.
    public let bib: Int?
    /// As the runner published it; empty for the bib alone.
    public let name: String
    public let group: RankingRow.Group
    public let place: Int?
    /// Milliseconds from the gun to the finish; nil where it is not published.
    public let time: Milliseconds?
    public let published: Set<PublishedResult>
    /// The published part: splits without ``PublishedResult/splits``, start and finish without ``PublishedResult/time`` and the heart rate
    /// without ``PublishedResult/heartRate`` are not in it. nil where nothing is.
    public let result: RunnerResult?
    /// The owner: for "that is you" and for friends, never to be shown.
    public let person: PersonID?
}

extension RunResultService {
    /// A result with what its runner chose.
    struct Published: Sendable {
        let bib: Int
        let choices: EnrolmentChoices
        let kept: RunResult
    }

    /// The results for everybody.
    struct KnownStandings: Sendable {
        let run: StoredRun
        let made: Milliseconds
        let standings: [PublicResult]
    }

    /// A run's results with what each runner publishes: those with a place first, in their order. While the run goes on, of who is through;
    /// none of one that was called off.
    public func standings(of run: StoredRun) throws -> [PublicResult] { try standings(of: run, store.results(of: run.id)) }

    func standings(of run: StoredRun, _ results: [RunResult]) throws -> [PublicResult] {
        guard try !runsStore.isCalledOff(run.id) else { return [] }
        let now = now,
            published = try Dictionary(Self.published(run, results, enrolments, accounts).map { ($0.kept.enrolment, $0) }) { $1 }
        return results.map { kept in
            guard let item = published[kept.enrolment] else { return PublicResult(nobodys: kept) }
            // Whoever is shown later by their own choice has their result shown later too.
            let delay = item.choices.delay, through = kept.result?.finish?.time ?? run.ended ?? run.plan.ends
            return PublicResult(item, isWithheld: delay > 0 && through + delay > now)
        }
    }

    /// The same for whoever asks, worked out once a second: what is taken back is gone by then (design rule 10).
    func openStandings(of run: StoredRun) throws -> [PublicResult] {
        if let known = knownStandings(of: run) { return known }
        let made = now, standings = try standings(of: run)
        openResults.withLock { $0[run.id] = KnownStandings(run: run, made: made, standings: standings) }
        return standings
    }

    private func knownStandings(of run: StoredRun) -> [PublicResult]? {
        let known = openResults.withLock { $0[run.id] }, now = now
        return known.flatMap { $0.run == run && (0..<1000).contains(now - $0.made) ? $0.standings : nil }
    }

    /// Whether what everybody may see of the results was just worked out.
    public func isKnown(_ run: StoredRun) -> Bool { knownStandings(of: run) != nil }

    /// All whose results are somebody's: not of who was deleted, or took back what let them be read.
    static func published(
        _ run: StoredRun, _ results: [RunResult], _ store: EnrolmentStore, _ accounts: AccountStore
    ) throws -> [Published] {
        let enrolments = try Dictionary(store.enrolments(in: run.id).map { ($0.row, $0) }) { $1 }
        let gone = try accounts.runConsents.takenBack(enrolments.values.compactMap(\.checkIn))
        return results.compactMap { kept in
            guard kept.person != nil, let enrolment = enrolments[kept.enrolment], let consent = enrolment.checkIn, !gone.contains(consent)
            else { return nil }
            return Published(bib: enrolment.bib, choices: enrolment.choices, kept: kept)
        }
    }
}

extension PublicResult {
    fileprivate init(nobodys kept: RunResult) {
        (bib, name, group, place, time) = (nil, "", kept.group, kept.place, kept.time)
        (published, result, person) = ([], nil, nil)
    }

    /// - Parameter isWithheld: nothing of it is published yet.
    fileprivate init(_ item: RunResultService.Published, isWithheld: Bool) {
        let choices = item.choices, kept = item.kept, published = isWithheld ? [] : choices.published
        (bib, name, group, place) = (item.bib, choices.publicName, kept.group, kept.place)
        (self.published, person) = (published, kept.person)
        time = published.contains(.time) ? kept.time : nil
        guard var shown = kept.result, !published.isDisjoint(with: [.time, .splits, .heartRate, .energy]) else {
            result = nil
            return
        }
        if !published.contains(.time) {
            (shown.start, shown.finish, shown.gunTime, shown.netTime, shown.secondsPerKilometre) = (nil, nil, nil, nil, nil)
        }
        if !published.contains(.splits) { shown.splits = [] }
        if !published.contains(.track) { shown.stretches = [] }
        if !published.contains(.heartRate) { shown.heart = nil }
        if !published.contains(.energy) { shown.heart?.energy = nil }
        // How far somebody came who did not get to the finish may tell where they live.
        if choices.home != nil, shown.finish == nil, kept.group != .finished {
            (shown.metres, shown.missedMetres, shown.secondsPerKilometre) = (0, 0, nil)
            (shown.splits, shown.stretches) = ([], [])
        }
        result = shown
    }
}

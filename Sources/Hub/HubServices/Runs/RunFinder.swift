import Credentials
public import HubStore
public import Runs
public import Vitals

/// Finding runs (RUN-3), without an account, and notice of those near one's place (RUN-12).
public struct RunFinder: Sendable {
    let store: RunsStore
    let wishes: NearbyStore
    let accounts: AccountStore
    let time: MonotonicUTC

    var now: Milliseconds { time.now }

    /// A run near a place.
    public struct NearbyRun: Sendable {
        public let run: StoredRun
        /// Metres from the place to the nearest side of what the course covers; 0 within.
        public let metres: Int
    }

    /// The largest number of characters, and of words, of a stranger's search.
    public static let queryMax = 100
    static let wordsMax = 8
    /// Metres: 100 km.
    public static let nearbyMax = 100_000

    /// Public runs that are not over, the next first.
    public func upcoming(count: Int = 100) throws -> [StoredRun] { try store.upcoming(from: now, count: min(max(count, 1), 200)) }

    /// The run with this code, as far as an account may see it: public ones everybody, others who organises them, is invited or enrolled.
    /// - Parameters:
    ///   - typed: in either case, with blanks and hyphens wherever.
    ///   - people: for whom the account decides.
    public func run(code typed: String, for account: StoredAccount? = nil, people: [PersonID] = []) throws -> StoredRun? {
        guard let code = ShortCode(typed: typed, length: OrganiserService.codeLength), let run = try store.run(code: code.text)
        else { return nil }
        return try isShown(run, to: account, people) ? run : nil
    }

    /// Its course, as far as the run is shown.
    public func course(of run: StoredRun) throws -> CoursePlan? { try store.course(of: run.id) }

    /// Public runs by identifier, or by words of name and place; empty when nothing is found.
    public func find(_ query: String) throws -> [StoredRun] {
        let query = RunText.line(String(query.prefix(Self.queryMax)))
        var found = try run(code: query).map { [$0] } ?? []
        let words = RunText.folded(query).split(separator: " ").prefix(Self.wordsMax).map(String.init)
        for run in try store.search(words, now: now) where !found.contains(where: { $0.id == run.id }) { found.append(run) }
        return found
    }

    /// Public runs that are not over near a place, the nearest first.
    /// - Parameter metres: up to ``nearbyMax``.
    public func nearby(_ place: CoursePoint, within metres: Int) throws -> [NearbyRun] {
        guard place.isValid else { return [] }
        let within = Double(min(max(metres, 0), Self.nearbyMax))
        let here = RunArea(south: place.latitude, west: place.longitude, north: place.latitude, east: place.longitude)
        return try store.runs(in: here.wider(metres: within), from: now)
            .map { NearbyRun(run: $0, metres: Int($0.area.distance(to: place))) }
            .filter { Double($0.metres) <= within }.sorted { ($0.metres, $0.run.plan.starts) < ($1.metres, $1.run.plan.starts) }
    }

    private func isShown(_ run: StoredRun, to account: StoredAccount?, _ people: [PersonID]) throws -> Bool {
        if let account, account.id == run.organiser { return true }
        if run.state == .draft { return false }
        if run.plan.isPublic { return true }
        guard let account else { return false }
        for person in people + [account.id.person] {
            if try store.invitations.isInvited(person, to: run) || store.enrolments.enrolment(of: person, in: run.id) != nil { return true }
        }
        return false
    }
}

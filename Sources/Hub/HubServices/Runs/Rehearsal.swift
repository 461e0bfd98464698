import Accounts
import Exchange
import Foundation
public import HubStore
public import Runs
import Seams
public import Vitals

/// A run of made-up people, for demonstrations and load tests. Everything but their accounts is done by them through the services, with the rules
/// of every run; nobody gets a letter, because none of them has an address.
public struct Rehearsal: Sendable {
    /// Of one rehearsal.
    public static let runnersMax = 10_000
    /// The part before the name of such a run.
    public static let mark = "Rehearsal: "
    /// The prefix of the user names of made-up people.
    static let userNames = "rehearsal."
    /// Metres a second: whoever is slower is not through at the end.
    private static let slowest = 1.3
    /// The most that is done beside a running hub for somebody whom it asks at the same moment.
    private static let passes = 5
    private static let batch = 200

    private let accounts: AccountStore
    private let organising: OrganiserService
    private let enrolments: EnrolmentService
    private let checkIns: CheckInService
    private let tell: @Sendable (String) -> Void

    /// - Parameter tell: how far it is, for the terminal.
    public init(accounts: AccountStore, runs: RunServices, tell: @escaping @Sendable (String) -> Void) {
        (organising, enrolments, checkIns) = (runs.organising, runs.enrolments, runs.checkIns)
        (self.accounts, self.tell) = (accounts, tell)
    }

    /// Why there is none, and what to do.
    public struct Problem: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// A run that only waits for its start, as the fleet's state file has it.
    public struct Staged: Encodable, Sendable {
        public struct Runner: Encodable, Sendable {
            public var person: PersonID
            public var bib: Int
        }

        public var code: String
        /// UTC milliseconds.
        public var starts: Milliseconds, ends: Milliseconds
        public var isRehearsal = true
        public var runners: [Runner]
        /// Latitude and longitude in 1e-7 degrees, by turns.
        public var points: [Int32]
        public var laps: Int
    }

    /// Whether an account is an invention: by its user name, which is nobody's address.
    static func isMadeUp(_ account: StoredAccount) -> Bool { account.email.hasPrefix(userNames) && !account.hasMail }

    /// The number of people and accounts of a hub that are real.
    public static func realOnes(in accounts: AccountStore) throws -> Int {
        var madeUp: Set<PersonID> = [], real: Set<PersonID> = []
        for account in try accounts.confirmedAccounts() {
            if isMadeUp(account) { madeUp.insert(account.id.person) } else { real.insert(account.id.person) }
        }
        return try real.union(accounts.people().map(\.id)).subtracting(madeUp).count
    }

    /// The longest line of a GPX file.
    public static func course(gpx bytes: [UInt8], laps: Int) throws -> CoursePlan {
        let file: GPXFile
        do { file = try GPXFile(bytes) } catch { throw Problem(description: "The course is no GPX file that can be read: \(error).") }
        guard let line = (file.tracks + file.routes).max(by: { $0.count < $1.count }) else {
            throw Problem(description: "The course holds neither a track nor a route.")
        }
        return CoursePlan(points: line.map { CoursePoint(latitude: $0.latitude, longitude: $0.longitude) }, laps: laps)
    }

    // MARK: Setting the stage

    /// Makes the people and the run, enrols them and checks them in.
    /// - Parameters:
    ///   - runners: 1 to ``runnersMax``.
    ///   - startsIn: milliseconds from the moment when the people are there.
    ///   - password: the hash of what organiser and runners log in with.
    public func stage(
        _ course: CoursePlan, name: String, runners: Int, startsIn: Milliseconds, password: String
    ) async throws -> (run: Staged, organiser: String) {
        guard (1...Self.runnersMax).contains(runners) else {
            throw Problem(description: "Runners: 1 to \(Self.runnersMax), not \(runners).")
        }
        let length: Double
        do { length = try Course(course, obstacles: organising.obstacles.near(course)).length } catch {
            throw Problem(description: "This course cannot be run: \(error.problems.map(\.code.rawValue).joined(separator: ", ")).")
        }
        let batch = newBatch()
        let organiser = try account("\(batch).organiser", [.organiser], ("Rehearsal", "Organiser"), password)
        var people: [StoredAccount] = []
        for number in 1...runners {
            people.append(try account("\(batch).\(number)", [.person], Self.name(number), password))
            if number.isMultiple(of: Self.batch) { tell("\(number) of \(runners) people are there") }
        }
        let starts = organising.now + startsIn
        let plan = RunPlan(
            name: Self.mark + name, purpose: "Made-up people, to try out the hub: nobody runs.", place: "Rehearsal", timeZone: "UTC",
            starts: starts, ends: starts + Milliseconds(length / Self.slowest * 1000) + 30 * 60_000, closes: starts, most: runners,
            isPublic: true, rehearsal: 1)
        let run: StoredRun
        do {
            run = try organising.publish(
                organising.create(plan, course: course, accepted: OrganiserService.disclaimerVersion, by: organiser).id, by: organiser)
        } catch let problem as RunProblem { throw Problem(description: "The hub does not take this run: \(problem).") }
        let bibs = try await enrol(people, in: run)
        try checkIn(people, to: run)
        let staged = Staged(
            code: run.code, starts: starts, ends: plan.ends,
            runners: people.compactMap { account in bibs[account.id.person].map { Staged.Runner(person: account.id.person, bib: $0) } },
            points: course.points.flatMap { [$0.latitude, $0.longitude] }, laps: course.laps)
        return (staged, organiser.email)
    }

    /// The prefix of the user names of people who are made up together.
    func newBatch() -> String { Self.userNames + String(accounts.randomness.id(PersonID.self).description.prefix(8)).lowercased() }

    /// - Parameter profile: what the account says beside name and user name.
    func account(
        _ name: String, _ roles: Set<Role>, _ called: (first: String, last: String), _ password: String,
        profile: [Field: String] = [.dateOfBirth: "1990-05-01"]
    ) throws -> StoredAccount {
        let details = profile.merging([.email: name, .firstName: called.first, .lastName: called.last]) { $1 }
        let new = NewAccount(
            roles: roles, details: Dictionary(uniqueKeysWithValues: details.map { ($0.rawValue, $1) }), canonicalEmail: name,
            canonicalIdentifier: nil, password: password, language: "en", accepted: [:])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: organising.now) else {
            throw Problem(description: "The user name \(name) is taken: try again.")
        }
        return account
    }

    /// Many at once share a commit, as on a morning when enrolment opens.
    private func enrol(_ people: [StoredAccount], in run: StoredRun) async throws -> [PersonID: Int] {
        try await withThrowingTaskGroup(of: (PersonID, Int).self) { tasks in
            var bibs: [PersonID: Int] = [:]
            for (number, account) in people.enumerated() {
                if number >= Self.batch, let (person, bib) = try await tasks.next() { bibs[person] = bib }
                let choices = EnrolmentChoices(publicName: account.name, published: Set(PublishedResult.allCases))
                tasks.addTask { [enrolments] in
                    (account.id.person, try await enrolments.enrol(account.id.person, in: run.id, choices, by: account).bib)
                }
            }
            for try await (person, bib) in tasks { bibs[person] = bib }
            return bibs
        }
    }

    /// A hub that runs beside asks the same people at the same time; whoever fell between the two is checked in again.
    private func checkIn(_ people: [StoredAccount], to run: StoredRun) throws {
        var missing = people
        for pass in 1...Self.passes {
            for (number, account) in missing.enumerated() {
                // Two of three let everybody see the heart rate.
                do {
                    _ = try checkIns.checkIn(
                        account.id.person, to: run.id, publicHeartRate: !number.isMultiple(of: 3) || pass > 1, by: account)
                } catch CheckInService.Refusal.started {
                    throw Problem(
                        description: "The run began before everybody was checked in (\(number) of \(missing.count)): let it start later.")
                }
                if (number + 1).isMultiple(of: Self.batch) { tell("\(number + 1) of \(missing.count) are checked in") }
            }
            missing = try missing.filter { try checkIns.checkIn(of: $0.id.person, to: run.id).since == nil }
            if missing.isEmpty { return }
            tell("\(missing.count) are asked by the running hub at the same time: once more")
        }
        throw Problem(description: "\(missing.count) people could not be checked in. Stop the hub, and try again.")
    }

    private static let firstNames = [
        "Ada", "Bruno", "Chiara", "Dario", "Elena", "Fabio", "Giulia", "Hugo", "Irene", "Jonas", "Katia", "Luca", "Marta", "Nils", "Olga",
        "Paolo", "Rosa", "Sven", "Tina", "Ugo", "Vera", "Walter", "Ylva", "Zeno",
    ]

    /// Each with another initial, then with two: nobody is called as somebody else of a rehearsal's first 600.
    static func name(_ number: Int) -> (first: String, last: String) {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), turn = (number - 1) / firstNames.count
        let initials =
            turn < letters.count ? "\(letters[turn])." : "\(letters[turn / letters.count % letters.count])\(letters[turn % letters.count])."
        return (firstNames[(number - 1) % firstNames.count], initials)
    }
}

import Accounts
public import HubStore
public import Runs
public import Vitals

/// The people of a demonstration: somebody who trains, a relative who looks after them, and a run that is coming. Everything but their accounts is
/// done by them through the services. None of them has an address: nobody gets a letter or a call.
public struct Demonstration: Sendable {
    /// Its people, as a hub's directory keeps them.
    public struct People: Codable, Sendable, Hashable {
        public var person: PersonID
        public var relative: AccountID
        public var organiser: AccountID
        /// The password of all of them, to be shown to the hub's operator.
        public var password: String
    }

    /// Days until the run that is coming.
    private static let ahead: Milliseconds = 7
    private static let day: Milliseconds = 86_400_000

    private let accounts: AccountStore
    private let consents: ConsentService
    private let runs: RunServices
    private let rehearsal: Rehearsal

    public init(accounts: AccountStore, consents: ConsentService, runs: RunServices) {
        (self.accounts, self.consents, self.runs) = (accounts, consents, runs)
        rehearsal = Rehearsal(accounts: accounts, runs: runs) { _ in }
    }

    /// Makes the people.
    /// - Parameters:
    ///   - password: what they log in with.
    ///   - hash: of it.
    ///   - purpose: of the relative's consent, in words.
    public func stage(password: String, hash: String, purpose: String) throws -> People {
        let batch = rehearsal.newBatch()
        let person = try rehearsal.account(
            "\(batch).demo", [.person], ("Marta", "Verdi"), hash,
            profile: [.dateOfBirth: "1990-05-01", .gender: Gender.female.rawValue, .residence: "Milano", .weight: "65"])
        let relative = try rehearsal.account("\(batch).relative", [.caregiver], ("Paolo", "Verdi"), hash)
        let organiser = try rehearsal.account("\(batch).organiser", [.organiser], ("Demo", "Organiser"), hash)
        let kinds = Set(DataKind.allCases.filter { $0.entry.uses.contains(.asked) })
        try consents.give(toCaregiver: relative, kinds: kinds, purpose: purpose, of: person.id.person, by: person.id)
        return People(person: person.id.person, relative: relative.id, organiser: organiser.id, password: password)
    }

    /// Sees to it that the person takes part in a run that is coming, next week where there is none.
    /// - Throws: ``Rehearsal/Problem`` for a course that cannot be run.
    public func enrol(_ people: People, on course: CoursePlan) async throws {
        guard let person = try accounts.account(AccountID(people.person)), let organiser = try accounts.account(people.organiser) else {
            throw Rehearsal.Problem(description: "The people of the demonstration were deleted: use another directory.")
        }
        let now = consents.now
        guard try !runs.enrolments.runs(of: people.person, for: person).contains(where: { $0.starts > now }) else { return }
        let hour: Milliseconds = 3_600_000, starts = (now + Self.ahead * Self.day) / hour * hour
        let plan = RunPlan(
            name: "Canal run", purpose: "A run of the demonstration: nobody runs.", place: "Milano", timeZone: "Europe/Rome",
            starts: starts, ends: starts + 2 * hour, closes: starts, most: 100, isPublic: true)
        do {
            let draft = try runs.organising.create(plan, course: course, accepted: OrganiserService.disclaimerVersion, by: organiser)
            let run = try runs.organising.publish(draft.id, by: organiser)
            _ = try await runs.enrolments.enrol(
                people.person, in: run.id, EnrolmentChoices(publicName: person.name, published: Set(PublishedResult.allCases)), by: person)
        } catch let problem as RunProblem {
            throw Rehearsal.Problem(description: "The hub does not take the run of the demonstration: \(problem).")
        }
    }
}

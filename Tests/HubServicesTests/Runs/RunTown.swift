import Accounts
import Foundation
import Logging
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// An organiser, runners and their hub, all made up, with a clock that is set by hand and no page.
struct RunTown {
    let hub: ServicesFixture
    let store: RunsStore
    let runs: RunServices
    let consents: ConsentService
    let timers: TimerService
    let audit: AuditLog
    let deletion: Deletion
    let organiser: StoredAccount
    let ada: StoredAccount
    let time: MonotonicUTC
    /// Of the runs.
    let logger: Logger

    var clock: ManualClock { hub.clock }
    var now: Milliseconds { hub.clock.now }

    /// - Parameter logger: of the runs; nil for none.
    init(logger: Logger? = nil) throws {
        let hub = try ServicesFixture()
        try self.init(
            hub, Self.account("club@example.org", [.organiser], hub), Self.account("ada@example.org", [.person], hub, name: "Ada"),
            logger: logger)
    }

    private init(_ hub: ServicesFixture, _ organiser: StoredAccount, _ ada: StoredAccount, logger told: Logger? = nil) throws {
        (self.hub, self.organiser, self.ada) = (hub, organiser, ada)
        let files = try HubDirectory(hub.directory.url), clock = hub.clock
        time = MonotonicUTC { clock.now }
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        logger = told ?? quiet
        store = try RunsStore(files, keys: hub.accounts.keys)
        consents = ConsentService(accounts: hub.accounts, series: hub.series.reader, strips: ECGStore(hub.series), bus: hub.bus, time: time)
        timers = TimerService(store: hub.accounts.timers, handlers: consents.timers, logger: quiet, time: time)
        audit = try AuditLog(files, accounts: hub.accounts, environment: [:])
        deletion = Deletion(accounts: hub.accounts, series: hub.series, audit: audit, runs: store, logger: quiet)
        let letters = UnsubscribeLinks(accounts: hub.accounts)
        runs = RunServices(
            store: store, accounts: hub.accounts, series: hub.series.reader, consents: consents, audit: audit,
            words: .init(
                site: { "https://hub.example:8443" },
                purpose: { part, name, code, language in "[\(language)] " + RunServices.Words.english(part, name, code, language) },
                stop: { "https://hub.example/no-letters/" + letters.token($0) }),
            logger: logger, time: time)
    }

    // MARK: Services

    var organising: OrganiserService { runs.organising }
    var invitations: RunInvitationService { runs.invitations }
    var finder: RunFinder { runs.finder }
    var enrolments: EnrolmentService { runs.enrolments }
    var checkIns: CheckInService { runs.checkIns }
    var results: RunResultService { runs.results }
    var workouts: WorkoutService { runs.workouts }

    func liveRuns(places: RunPlaces = RunPlaces()) -> LiveRuns {
        LiveRuns(
            store: store, accounts: hub.accounts, series: hub.series.reader, bus: hub.bus, logger: logger, time: time, places: places)
    }

    func liveWorkouts() -> LiveWorkouts {
        LiveWorkouts(
            store: store.workouts, accounts: hub.accounts, series: hub.series.reader, bus: hub.bus, logger: logger, time: time,
            places: RunPlaces())
    }

    /// The same hub after a stop and a start: what was only in memory is gone, and nobody holds a lease.
    func restarted() throws -> RunTown {
        let again = try RunTown(ServicesFixture(hub.directory, person: hub.person, clock: clock), organiser, ada)
        try again.store.timers.releaseTimers()
        try again.hub.accounts.timers.releaseTimers()
        return again
    }

    static func account(
        _ email: String, _ roles: Set<Role>, _ hub: ServicesFixture, name: String = "Made", born: String = "1990-05-01"
    ) throws -> StoredAccount {
        let new = NewAccount(
            roles: roles,
            details: ["email": email, "firstName": name, "lastName": "Up", "dateOfBirth": born, "taxIdentifier": "RSSMRA85T10A562S"],
            canonicalEmail: email, canonicalIdentifier: nil, password: "", language: "en", accepted: [:])
        guard case .added(let account) = try hub.accounts.addConfirmedAccount(new, now: 0) else { throw CocoaError(.fileWriteFileExists) }
        return account
    }

    func runner(_ name: String, born: String = "1990-05-01") throws -> StoredAccount {
        try Self.account("\(name.lowercased())@example.org", [.person], hub, name: name, born: born)
    }

    // MARK: Runs

    /// A square of 4 km around a place.
    static func course(latitude: Int32 = 454_000_000, longitude: Int32 = 90_000_000) -> CoursePlan {
        let side: Int32 = 90_000
        func piece(_ from: (Int32, Int32), _ to: (Int32, Int32)) -> [CoursePoint] {
            (0..<10).map { step in
                CoursePoint(
                    latitude: latitude + from.0 + (to.0 - from.0) / 10 * step, longitude: longitude + from.1 + (to.1 - from.1) / 10 * step)
            }
        }
        let corners = [(0, 0), (side, 0), (side, side), (0, side)] as [(Int32, Int32)]
        let points = (0..<4).flatMap { piece(corners[$0], corners[($0 + 1) % 4]) }
        return CoursePlan(points: points + [CoursePoint(latitude: latitude, longitude: longitude)])
    }

    /// Tomorrow, for two hours.
    func plan(
        _ name: String = "Città alta 4 km", in wait: Milliseconds = day, lasting: Milliseconds = 2 * hour, most: Int = 100,
        isPublic: Bool = true
    ) -> RunPlan {
        let starts = now + wait
        return RunPlan(
            name: name, purpose: "For the fun of it", place: "Bergamo", timeZone: "Europe/Rome", starts: starts, ends: starts + lasting,
            closes: starts - hour, most: most, isPublic: isPublic)
    }

    func draft(_ plan: RunPlan? = nil, course: CoursePlan = course()) throws -> StoredRun {
        try runs.organising.create(plan ?? self.plan(), course: course, accepted: OrganiserService.disclaimerVersion, by: organiser)
    }

    func published(_ plan: RunPlan? = nil, course: CoursePlan = course()) throws -> StoredRun {
        try runs.organising.publish(draft(plan, course: course).id, by: organiser)
    }

    @discardableResult
    func enrol(_ account: StoredAccount, in run: StoredRun, _ choices: EnrolmentChoices = .init()) async throws -> StoredEnrolment {
        try await runs.enrolments.enrol(account.id.person, in: run.id, choices, by: account)
    }

    func refusal(_ act: () async throws -> Void) async throws -> EnrolmentRefusal? {
        do {
            try await act()
            return nil
        } catch let refusal as EnrolmentRefusal { return refusal }
    }

    func state(_ run: StoredRun) throws -> RunState { try #require(try store.run(run.id)).state }

    /// Does all that is due, of consents too.
    func settle() async throws {
        while try await runs.timers.fire() > 0 {}
        while try await timers.fire() > 0 {}
    }

    func advance(to time: Milliseconds) async throws {
        clock.advance(time - now)
        try await settle()
    }

    /// The notices of an account, the newest first, by kind.
    func told(_ account: StoredAccount) throws -> [NoticeKind] { try hub.accounts.notices.notices(of: account).compactMap(\.kind) }

    func notice(_ kind: NoticeKind, to account: StoredAccount) throws -> [String: String]? {
        try hub.accounts.notices.notices(of: account).first { $0.kind == kind }?.arguments
    }

    /// The box of somebody sends a position of now.
    func position(of account: StoredAccount, at time: Milliseconds? = nil) async throws {
        if let time, time > now { try await advance(to: time) }
        let box = try await hub.enrol([account.id.person])
        _ = try await hub.send(
            [hub.segment(1, stream: .random(), person: account.id.person, time: now)], token: box.token)
    }

    func checkedIn(_ account: StoredAccount, to run: StoredRun, publicHeartRate: Bool = false) async throws {
        _ = try runs.checkIns.checkIn(account.id.person, to: run.id, publicHeartRate: publicHeartRate, by: account)
        clock.advance(1)
        try await position(of: account)
    }
}

func runProblem(_ act: () throws -> Void) throws -> RunProblem? {
    do {
        try act()
        return nil
    } catch let problem as RunProblem { return problem }
}

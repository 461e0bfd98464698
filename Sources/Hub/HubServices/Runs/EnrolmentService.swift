import Accounts
import Foundation
public import HubStore
import Privacy
public import Runs
public import Vitals

/// Taking part (RUN-4): the list, what each chooses, and everybody's own runs.
public struct EnrolmentService: Sendable {
    let runsStore: RunsStore
    let store: EnrolmentStore
    let workouts: WorkoutStore
    let feeds: CalendarFeedStore
    let accounts: AccountStore
    let consents: ConsentService
    let site: @Sendable () -> String
    let time: MonotonicUTC
    let enrolling: EnrolmentQueue

    init(
        _ runs: RunsStore, accounts: AccountStore, consents: ConsentService, site: @escaping @Sendable () -> String, time: MonotonicUTC
    ) {
        (runsStore, store, workouts, feeds) = (runs, runs.enrolments, runs.workouts, runs.feeds)
        (self.accounts, self.consents, self.site, self.time) = (accounts, consents, site, time)
        enrolling = EnrolmentQueue(on: accounts.machine) { try runs.enrolments.enrol($0, now: time.now) }
    }

    var now: Milliseconds { time.now }

    /// Enrols a person.
    /// - Parameter account: the person's own, or for a minor a parent's.
    /// - Throws: ``HubStore/EnrolmentRefusal``, or what the store throws.
    public func enrol(
        _ person: PersonID, in id: RunID, _ choices: EnrolmentChoices = EnrolmentChoices(), by account: StoredAccount
    ) async throws -> StoredEnrolment {
        let now = now
        guard try accounts.consents.authority(over: person).mayAnswer(account.id, at: now), account.confirmed != nil,
            let runner = try accounts.account(AccountID(person)), runner.roles.contains(.person)
        else { throw EnrolmentRefusal.notYours }
        guard let run = try runsStore.run(id), run.state != .draft else { throw EnrolmentRefusal.unknown }
        let choices = try checked(choices, of: runner, in: run), wish = EnrolmentStore.Enrolling(run: id, person: person, choices: choices)
        // Refusals that need no waiting in the line of all others, and without telling a child's age before it matters.
        if let refusal = try store.refusal(wish, now: now) { throw refusal }
        if let youngest = run.plan.youngest, Self.age(of: runner, at: run.plan) ?? 0 < youngest {
            throw EnrolmentRefusal.tooYoung(years: youngest)
        }
        return try await enrolling.enrol(wish).get()
    }

    /// Off the list, by whoever decides for the person: before the start, or dropped out. What the organiser could read is read by nobody from here on.
    /// - Throws: ``HubStore/EnrolmentRefusal``.
    public func withdraw(_ person: PersonID, from id: RunID, by account: StoredAccount) throws {
        let enrolment = try enrolment(of: person, in: id, by: account)
        guard let run = try runsStore.run(id) else { throw EnrolmentRefusal.unknown }
        switch run.state(at: now) {
        case .finished: throw EnrolmentRefusal.finished
        case .cancelled: throw EnrolmentRefusal.cancelled
        case .draft, .scheduled, .live: break
        }
        guard enrolment.state.isOnList else { throw EnrolmentRefusal.notEnrolled }
        // First: killed in between, somebody without a check-in is on the list, and not somebody off the list who is watched.
        if let organiser = run.organiser {
            for consent in [enrolment.publicHeartRate, enrolment.checkIn].compactMap(\.self) {
                try consents.takeBack(consent, of: organiser, by: account.id)
            }
        }
        _ = try store.withdraw(person, from: id, now: now).get()
    }

    /// Changes name, wave, home zone, delay, and what is published. Name and wave are fixed when it has begun.
    /// - Throws: ``HubStore/EnrolmentRefusal``.
    public func choose(_ choices: EnrolmentChoices, of person: PersonID, in id: RunID, by account: StoredAccount) throws -> StoredEnrolment
    {
        let old = try enrolment(of: person, in: id, by: account)
        guard let run = try runsStore.run(id), let runner = try accounts.account(AccountID(person)) else { throw EnrolmentRefusal.unknown }
        var choices = try checked(choices, of: runner, in: run)
        if ![.draft, .scheduled].contains(run.state(at: now)) {
            (choices.publicName, choices.wave) = (old.choices.publicName, old.choices.wave)
        }
        guard let changed = try store.setChoices(choices, of: person, in: id) else { throw EnrolmentRefusal.notEnrolled }
        return changed
    }

    func enrolment(of person: PersonID, in id: RunID, by account: StoredAccount) throws -> StoredEnrolment {
        try accounts.checkDecides(account, person, now: now)
        guard let enrolment = try store.enrolment(of: person, in: id) else { throw EnrolmentRefusal.notEnrolled }
        return enrolment
    }

    private func checked(_ choices: EnrolmentChoices, of runner: StoredAccount, in run: StoredRun) throws -> EnrolmentChoices {
        var choices = choices
        choices.publicName = RunText.line(choices.publicName)
        let name = choices.publicName
        guard name.count <= EnrolmentChoices.nameMax else { throw EnrolmentRefusal.choices(.nameTooLong) }
        let known = [runner.email, runner[.taxIdentifier], runner[.phone]].map(Self.bare).filter { !$0.isEmpty }
        guard !name.contains("@"), !known.contains(Self.bare(name)) else { throw EnrolmentRefusal.choices(.nameTellsTooMuch) }
        guard choices.wave == 0 || run.plan.waves.indices.contains(choices.wave) else { throw EnrolmentRefusal.choices(.noSuchWave) }
        guard (0...EnrolmentChoices.delayMax).contains(choices.delay) else { throw EnrolmentRefusal.choices(.delay) }
        if let home = choices.home {
            guard EnrolmentChoices.homeRadii.contains(home.radius), home.centre.isValid else { throw EnrolmentRefusal.choices(.homeRadius) }
        }
        return choices
    }

    /// Letters and digits alone: blanks and hyphens make no other number.
    private static func bare(_ text: String) -> String { RunText.folded(text).filter { $0.isLetter || $0.isNumber } }

    /// Years on the day of the start, where the run is; nil where the date of birth is not known.
    static func age(of runner: StoredAccount, at plan: RunPlan) -> Int? {
        guard let born = CalendarDate(runner[.dateOfBirth]), let zone = RunText.zone(plan.timeZone) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let day = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: Double(plan.starts) / 1000))
        guard let year = day.year, let month = day.month, let date = day.day else { return nil }
        return year - born.year - ((month, date) < (born.month, born.day) ? 1 : 0)
    }

    /// The personal data for the energy of a run; nil where the account does not say it all, and for whom no formula is known.
    static func body(of runner: StoredAccount, at plan: RunPlan) -> Body? {
        guard let weight = try? BodyWeight(runner[.weight]), let age = age(of: runner, at: plan), let gender = try? Gender(runner[.gender]),
            gender != .other
        else { return nil }
        return Body(weight: Double(weight.kilograms), age: Double(age), isFemale: gender == .female)
    }

    // MARK: One's own runs

    /// A run that somebody takes or took part in.
    public struct MyRun: Sendable {
        public let run: StoredRun
        public let enrolment: StoredEnrolment
        public let state: RunState
        /// When the wave starts, or started.
        public let starts: Milliseconds
    }

    /// A person's runs, past and coming, the newest start first.
    /// - Parameter account: whoever decides for the person.
    public func runs(of person: PersonID, for account: StoredAccount) throws -> [MyRun] {
        guard try accounts.consents.authority(over: person).grant(to: account.id, at: now) != nil else { throw EnrolmentRefusal.notYours }
        return try store.enrolments(of: person).map(mine)
    }

    /// One of them.
    public func run(_ id: RunID, of person: PersonID, for account: StoredAccount) throws -> MyRun {
        let enrolment = try enrolment(of: person, in: id, by: account)
        guard let run = try runsStore.run(id) else { throw EnrolmentRefusal.unknown }
        return mine(enrolment, run)
    }

    private func mine(_ enrolment: StoredEnrolment, _ run: StoredRun) -> MyRun {
        let waves = run.plan.waves, wave = enrolment.choices.wave
        return MyRun(
            run: run, enrolment: enrolment, state: run.state(at: now),
            starts: waves.indices.contains(wave) ? waves[wave].gun : run.plan.starts)
    }

    /// A home zone for a place, whose middle is not the home. The same home has the same zone in each run: several would give it away.
    public func homeZone(around home: CoursePoint, radius: Double, of person: PersonID) throws -> HomeZone {
        let known = try knownHomes(of: person)
        if let same = known.first(where: { $0.radius == radius && $0.centre.distance(to: home) <= radius / 2 }) { return same }
        var generator = accounts.randomness
        return HomeZone.around(home, radius: radius, using: &generator)
    }

    /// Zones that somebody chose for runs and workouts, the newest workout's first.
    public func knownHomes(of person: PersonID) throws -> [HomeZone] {
        try workouts.workouts(of: person).compactMap(\.content.home)
            + store.enrolments(of: person).compactMap(\.enrolment.choices.home)
    }
}

extension AccountStore {
    /// - Throws: ``HubStore/EnrolmentRefusal/notYours`` where another account decides for somebody.
    func checkDecides(_ account: StoredAccount, _ person: PersonID, now: Milliseconds) throws {
        guard try consents.authority(over: person).mayAnswer(account.id, at: now) else { throw EnrolmentRefusal.notYours }
    }
}

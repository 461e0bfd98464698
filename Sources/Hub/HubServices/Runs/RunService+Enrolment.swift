import Accounts
import Foundation
public import HubStore
public import Privacy
public import Runs
public import Vitals

/// Taking part (RUN-4).
extension RunService {
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
        guard let run = try store.run(id), run.state != .draft else { throw EnrolmentRefusal.unknown }
        let choices = try checked(choices, of: runner, in: run), wish = EnrolmentStore.Enrolling(run: id, person: person, choices: choices)
        // What can be said without waiting in the line of all others, and without telling a child's age before it matters.
        if let refusal = try store.enrolments.refusal(wish, now: now) { throw refusal }
        if let youngest = run.plan.youngest, Self.age(of: runner, at: run.plan) ?? 0 < youngest {
            throw EnrolmentRefusal.tooYoung(years: youngest)
        }
        return try await enrolling.enrol(wish).get()
    }

    /// Off the list, by whoever decides for the person: before the start, or dropped out. What the organiser could read is read by nobody from here on.
    /// - Throws: ``HubStore/EnrolmentRefusal``.
    public func withdraw(_ person: PersonID, from id: RunID, by account: StoredAccount) throws {
        let enrolment = try enrolment(of: person, in: id, by: account)
        guard let run = try store.run(id) else { throw EnrolmentRefusal.unknown }
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
        _ = try store.enrolments.withdraw(person, from: id, now: now).get()
    }

    /// Changes name, wave, home zone, delay, and what is published. Name and wave are fixed when it has begun.
    /// - Throws: ``HubStore/EnrolmentRefusal``.
    public func choose(_ choices: EnrolmentChoices, of person: PersonID, in id: RunID, by account: StoredAccount) throws -> StoredEnrolment
    {
        let old = try enrolment(of: person, in: id, by: account)
        guard let run = try store.run(id), let runner = try accounts.account(AccountID(person)) else { throw EnrolmentRefusal.unknown }
        var choices = try checked(choices, of: runner, in: run)
        if ![.draft, .scheduled].contains(run.state(at: now)) {
            (choices.publicName, choices.wave) = (old.choices.publicName, old.choices.wave)
        }
        guard let changed = try store.enrolments.setChoices(choices, of: person, in: id) else { throw EnrolmentRefusal.notEnrolled }
        return changed
    }

    func enrolment(of person: PersonID, in id: RunID, by account: StoredAccount) throws -> StoredEnrolment {
        guard try accounts.consents.authority(over: person).mayAnswer(account.id, at: now) else { throw EnrolmentRefusal.notYours }
        guard let enrolment = try store.enrolments.enrolment(of: person, in: id) else { throw EnrolmentRefusal.notEnrolled }
        return enrolment
    }

    private func checked(_ choices: EnrolmentChoices, of runner: StoredAccount, in run: StoredRun) throws -> EnrolmentChoices {
        var choices = choices
        choices.publicName = Self.line(choices.publicName)
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
    private static func bare(_ text: String) -> String { folded(text).filter { $0.isLetter || $0.isNumber } }

    /// Years on the day of the start, where the run is; nil where the date of birth is not known.
    static func age(of runner: StoredAccount, at plan: RunPlan) -> Int? {
        guard let born = CalendarDate(runner[.dateOfBirth]), let zone = zone(plan.timeZone) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let day = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: Double(plan.starts) / 1000))
        guard let year = day.year, let month = day.month, let date = day.day else { return nil }
        return year - born.year - ((month, date) < (born.month, born.day) ? 1 : 0)
    }

    /// What the energy of a run is worked out with; nil where the account does not say it all, and for whom no formula is known.
    static func body(of runner: StoredAccount, at plan: RunPlan) -> Body? {
        guard let weight = try? BodyWeight(runner[.weight]), let age = age(of: runner, at: plan), let gender = try? Gender(runner[.gender]),
            gender != .other
        else { return nil }
        return Body(weight: Double(weight.kilograms), age: Double(age), isFemale: gender == .female)
    }

    // MARK: My runs

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
        return try store.enrolments.enrolments(of: person).map(mine)
    }

    /// One of them.
    public func run(_ id: RunID, of person: PersonID, for account: StoredAccount) throws -> MyRun {
        let enrolment = try enrolment(of: person, in: id, by: account)
        guard let run = try store.run(id) else { throw EnrolmentRefusal.unknown }
        return mine(enrolment, run)
    }

    private func mine(_ enrolment: StoredEnrolment, _ run: StoredRun) -> MyRun {
        let waves = run.plan.waves, wave = enrolment.choices.wave
        return MyRun(
            run: run, enrolment: enrolment, state: run.state(at: now),
            starts: waves.indices.contains(wave) ? waves[wave].gun : run.plan.starts)
    }

    // MARK: The organiser's list

    /// Somebody on a start list, for the organiser.
    public struct Participant: Sendable {
        public let enrolment: StoredEnrolment
        /// As the account has it.
        public let name: String
        /// What the organiser may read, and since when; nil before the check-in, when it was taken back (RUN-18), and for a run that was
        /// called off.
        public let health: (grant: Grant, access: Consent.Access)?
    }

    /// Everybody who enrolled, in that order; bib numbers count up with it.
    public func participants(in id: RunID, for account: StoredAccount) throws -> [Participant] {
        try startList(of: id, for: account).participants
    }

    /// The same, and how many enrolments do not open any more, so that the organiser knows that somebody is missing there.
    public func startList(of id: RunID, for account: StoredAccount) throws -> (participants: [Participant], damaged: Int) {
        let run = try own(id, account), now = now
        var seen = EnrolmentsSeen()
        let participants = try store.enrolments.enrolments(in: id, &seen).compactMap { enrolment -> Participant? in
            guard let person = try accounts.person(enrolment.person) else { return nil }
            return Participant(enrolment: enrolment, name: person.name, health: try organiserGrant(enrolment, run, now: now))
        }
        return (participants, seen.damaged.count)
    }

    /// Says how it ended for somebody: gave up, was disqualified, did not start.
    /// - Throws: ``RunProblem/unknown``.
    public func setEntry(_ entry: EntryStatus, bib: Int, in id: RunID, by account: StoredAccount) throws {
        let run = try own(id, account)
        guard [.live, .finished].contains(run.state(at: now)) else { throw RunProblem.state(run.state(at: now)) }
        guard try store.enrolments.setEntry(entry, bib: bib, in: run) else { throw RunProblem.unknown }
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
        try store.workouts.workouts(of: person).compactMap(\.content.home)
            + store.enrolments.enrolments(of: person).compactMap(\.enrolment.choices.home)
    }

    /// What a run's organiser reads of somebody: of a checked-in runner alone, by their consent, which is looked up again with each read;
    /// nothing of a run that was called off.
    func organiserGrant(_ enrolment: StoredEnrolment, _ run: StoredRun, now: Milliseconds) throws -> (grant: Grant, access: Consent.Access)?
    {
        guard run.state != .cancelled, let organiser = run.organiser, let consent = enrolment.checkIn, enrolment.state != .withdrawn else {
            return nil
        }
        return try accounts.runConsents.runGrant(by: consent, to: organiser, now: now)
    }

    /// What everybody who watches reads of somebody: the position of who checked in, and the heart rate of who agreed to that.
    public func publicGrants(_ enrolment: StoredEnrolment) throws -> [Grant] {
        guard enrolment.state == .checkedIn, let run = try store.run(enrolment.run), run.state != .cancelled else { return [] }
        return try [enrolment.checkIn, enrolment.publicHeartRate].compactMap {
            try $0.flatMap { try accounts.runConsents.runPublicGrant(by: $0, now: now) }
        }
    }
}

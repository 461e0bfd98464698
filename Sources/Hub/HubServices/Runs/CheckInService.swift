public import HubStore
import Logging
import Privacy
public import Vitals

/// The two questions of a check-in.
public enum CheckInPart: String, Sendable, Hashable, CaseIterable {
    case organiser, publicHeartRate

    var kinds: Set<DataKind> { self == .organiser ? [.position, .heartRate] : [.heartRate] }
}

/// Checking in on the day (RUN-5), and who is on the list at the start.
public struct CheckInService: Sendable {
    let runsStore: RunsStore
    let store: EnrolmentStore
    let timers: RunTimerStore
    let accounts: AccountStore
    let series: SeriesReader
    let consents: ConsentService
    let audit: AuditLog
    let purpose: @Sendable (_ of: CheckInPart, _ name: String, _ code: String, _ language: String) -> String
    let logger: Logger
    let time: MonotonicUTC

    var now: Milliseconds { time.now }

    /// Why somebody cannot check in.
    public enum Refusal: Error, Sendable, Hashable {
        case unknown, notEnrolled, notYours
        /// It begins then, UTC milliseconds.
        case tooEarly(Milliseconds)
        case started, finished, cancelled
    }

    /// How far somebody's check-in is.
    public struct CheckIn: Sendable, Hashable {
        /// Let the organiser read, since then (UTC milliseconds).
        public let since: Milliseconds?
        public let isHeartRatePublic: Bool
        /// Of the newest position, UTC milliseconds; nil for none within ``positionAge``. Without one they are taken off the list at the start.
        public let position: Milliseconds?
    }

    /// A position counts for the start when it is no older than this, milliseconds: 30 minutes.
    public static let positionAge: Milliseconds = 30 * 60_000
    /// Positions of who was taken off the list for want of them are waited for so long after the end, milliseconds: a day.
    static let lateMax: Milliseconds = 86_400_000

    /// Checks a person in with one tap, whether or not the question reached them.
    /// - Parameters:
    ///   - publicHeartRate: whether everybody who watches sees the heart rate.
    ///   - account: the person's own, or for a minor a parent's.
    /// - Throws: ``Refusal``.
    public func checkIn(_ person: PersonID, to id: RunID, publicHeartRate: Bool, by account: StoredAccount) throws -> CheckIn {
        let now = now
        guard try accounts.consents.authority(over: person).mayAnswer(account.id, at: now) else { throw Refusal.notYours }
        guard let run = try runsStore.run(id), let organiser = run.organiser else { throw Refusal.unknown }
        let known = try store.enrolment(of: person, in: id)
        guard let enrolment = known, enrolment.state == .enrolled else { throw Refusal.notEnrolled }
        switch run.state(at: now) {
        case .draft: throw Refusal.unknown
        case .live: throw Refusal.started
        case .finished: throw Refusal.finished
        case .cancelled: throw Refusal.cancelled
        case .scheduled: break
        }
        guard now >= run.checkInOpens else { throw Refusal.tooEarly(run.checkInOpens) }
        func question(_ part: CheckInPart) -> ConsentService.CheckInQuestion {
            self.question(part, run, enrolment, organiser, account.language)
        }
        let asked = enrolment.isAsked(for: run) ? (enrolment.checkIn, enrolment.publicHeartRate) : (nil, nil)
        if !enrolment.isAsked(for: run) { try end(enrolment, by: organiser) }
        let own = try consents.checkIn(question(.organiser), asked: asked.0, of: person, by: account.id)
        var open = asked.1
        if publicHeartRate {
            open = try consents.checkIn(question(.publicHeartRate), asked: open, of: person, by: account.id)
        } else if let asked = open {
            try consents.takeBack(asked, of: organiser, by: account.id)
        }
        try store.asked(enrolment, checkIn: own, publicHeartRate: open, for: run)
        return try checkIn(of: person, to: id)
    }

    /// How far it is, for the person's page and box; nothing for a run that was called off.
    public func checkIn(of person: PersonID, to id: RunID) throws -> CheckIn {
        guard let run = try runsStore.run(id) else { throw Refusal.notEnrolled }
        guard let enrolment = try store.enrolment(of: person, in: id) else { throw Refusal.notEnrolled }
        guard run.state != .cancelled else { return CheckIn(since: nil, isHeartRatePublic: false, position: nil) }
        let now = now, own = try accounts.runConsents.organiserGrant(enrolment, run, now: now)
        let isPublic = try enrolment.publicHeartRate.flatMap { try accounts.runConsents.runPublicGrant(by: $0, now: now) } != nil
        return CheckIn(since: own?.access.since, isHeartRatePublic: isPublic, position: try position(enrolment, now: now))
    }

    private func question(
        _ part: CheckInPart, _ run: StoredRun, _ enrolment: StoredEnrolment, _ organiser: AccountID, _ language: String
    ) -> ConsentService.CheckInQuestion {
        ConsentService.CheckInQuestion(
            organiser: organiser, kinds: part.kinds, purpose: purpose(part, run.plan.name, run.code, language),
            starts: run.plan.starts, ends: run.plan.ends, label: "\(run.code) \(enrolment.bib)")
    }

    /// The newest position that somebody who checked in lets everybody see; nil for none lately.
    private func position(_ enrolment: StoredEnrolment, now: Milliseconds) throws -> Milliseconds? {
        try enrolment.checkIn.flatMap { try series.checkInPosition($0, accounts, now: now) }
    }

    // MARK: What is due

    /// Enrolled people who are asked before the next look.
    static let askBatch = 50
    private static let decideBatch = 200

    /// Asks the next ones.
    func askToCheckIn(_ run: StoredRun) throws {
        let isToCome = run.state(at: now) == .scheduled, opens = run.checkInOpens
        guard isToCome, let organiser = run.organiser else { return try timers.setTimer(.checkIn, of: run, due: nil) }
        guard now >= opens else { return try timers.setTimer(.checkIn, of: run, due: opens) }
        let next = try store.toAsk(run, count: Self.askBatch)
        for enrolment in next {
            // Whoever decides reads it; a minor's parents have the notice in their own language, and the question in one.
            let authority = try accounts.consents.authority(over: enrolment.person)
            let deciding = authority.isMinor(at: now) ? authority.guardians.min() : authority.account
            let decider = try deciding.flatMap { try accounts.account($0) }
            let language = decider?.language ?? "en"
            let asked = try consents.ask(question(.organiser, run, enrolment, organiser, language), of: enrolment.person)
            let open = try consents.ask(question(.publicHeartRate, run, enrolment, organiser, language), of: enrolment.person)
            try store.asked(enrolment, checkIn: asked, publicHeartRate: open, for: run)
        }
        // Who is left when nobody can be asked cannot be read: that is looked at again, and not all the time.
        _ = try store.endAsking(run, again: next.isEmpty ? now + 60_000 : now)
    }

    /// Says who is on the list and who is not, then starts the run. Killed in between it goes on where it was.
    func start(_ run: StoredRun) throws -> StoredRun? {
        var after: Int64 = 0
        while true {
            let part = try store.enrolments(in: run.id, [.enrolled], after: after, count: Self.decideBatch)
            guard let last = part.last else {
                let damaged = try store.dropUnreadable(of: run, now: now)
                if damaged == 0 { break }
                logger.error(
                    "enrolments cannot be read; they are not on the list", metadata: ["run": "\(run.code)", "count": "\(damaged)"])
                continue
            }
            after = last.row
            try store.decide(
                part.map { one in (one, known(run, otherwise: .noPosition) { try standing(one, run) }) }, in: run, now: now)
        }
        guard let live = try runsStore.move(run.id, to: .live, now: min(now, run.plan.starts)) else { return nil }
        if try !store.enrolments(in: run.id, [.noPosition], count: 1).isEmpty {
            try timers.setTimer(.bringBack, of: live, due: now + 60_000)
        }
        return live
    }

    /// The known state of one runner. By what of theirs cannot be read the run is not held up for everybody.
    private func known<Value>(_ run: StoredRun, otherwise: Value, _ look: () throws -> Value) -> Value {
        do { return try look() } catch {
            // An error's text may name somebody.
            logger.error(
                "what a runner let be read cannot be looked up; they count as without a position",
                metadata: ["run": "\(run.code)", "error": "\(Swift.type(of: error))"])
            return otherwise
        }
    }

    private func standing(_ enrolment: StoredEnrolment, _ run: StoredRun) throws -> EnrolmentState {
        guard enrolment.isAsked(for: run), let access = try accounts.runConsents.organiserGrant(enrolment, run, now: now)?.access
        else { return .notCheckedIn }
        return try hasPosition(enrolment, run, since: access.since) ? .checkedIn : .noPosition
    }

    /// Whether one came that was recorded behind the check-in, not long before the start, and before the end; whatever else came since.
    private func hasPosition(_ enrolment: StoredEnrolment, _ run: StoredRun, since: Milliseconds) throws -> Bool {
        let now = now, from = max(since, min(run.began ?? now, run.plan.starts) - Self.positionAge), to = run.ended ?? run.plan.ends
        guard from <= to, let consent = enrolment.checkIn, let grant = try accounts.runConsents.runPublicGrant(by: consent, now: now) else {
            return false
        }
        return try series.read(grant, from: from, to: to, now: now)?.positions.isEmpty == false
    }

    /// Who was taken off the list for want of a position, and has one by now, is on it again: a box in a cellar loses nobody their run.
    func bringBack(_ run: StoredRun) throws {
        let missing = try store.enrolments(in: run.id, [.noPosition])
        let isOver = run.state == .cancelled || now > run.plan.ends + Self.lateMax
        guard !missing.isEmpty, !isOver else { return try timers.setTimer(.bringBack, of: run, due: nil) }
        let back = missing.filter { enrolment in
            known(run, otherwise: false) {
                guard let access = try accounts.runConsents.organiserGrant(enrolment, run, now: now)?.access else { return false }
                return try hasPosition(enrolment, run, since: access.since)
            }
        }
        try store.decide(back.map { ($0, .checkedIn) }, in: run, now: now)
        try timers.setTimer(.bringBack, of: run, due: now + 60_000)
    }

    private func end(_ enrolment: StoredEnrolment, by organiser: AccountID) throws {
        for consent in [enrolment.publicHeartRate, enrolment.checkIn].compactMap(\.self) {
            try consents.end(consent, by: .organiser(organiser))
        }
    }

    /// Ends the next consents of a run that is over before its time, and of times that are not the run's any more.
    func endConsents(_ run: StoredRun) throws {
        let next = run.organiser == nil ? [] : try store.toEnd(run, count: Self.askBatch)
        guard let organiser = run.organiser, !next.isEmpty else { return try timers.setTimer(.endConsents, of: run, due: nil) }
        for enrolment in next { try end(enrolment, by: organiser) }
        try store.consentsEnded(next, of: run)
        // New times are asked for anew.
        if run.state == .scheduled { try timers.setTimer(.checkIn, of: run, due: max(now, run.checkInOpens)) }
        try timers.setTimer(.endConsents, of: run, due: now)
    }
}

extension RunConsentStore {
    /// The grant of a run's organiser: of a checked-in runner alone, by their consent, which is looked up again with each read;
    /// nothing of a run that was called off.
    func organiserGrant(_ enrolment: StoredEnrolment, _ run: StoredRun, now: Milliseconds) throws -> (grant: Grant, access: Consent.Access)?
    {
        guard run.state != .cancelled, let organiser = run.organiser, let consent = enrolment.checkIn, enrolment.state != .withdrawn else {
            return nil
        }
        return try runGrant(by: consent, to: organiser, now: now)
    }
}

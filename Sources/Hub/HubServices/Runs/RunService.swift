public import Accounts
import Credentials
import Foundation
public import HubStore
public import Logging
import Privacy
public import Runs
import Synchronization
public import Vitals

/// Track4Run without its live part: organising, enrolling, checking in. Behaviour without HTTP; time is handed in.
///
/// What a run does by itself (check-in, start, end, telling people) are rows with due times, which ``run()`` works at; what others see
/// never waits for that: ``HubStore/StoredRun/state(at:)``.
public final class RunService: Sendable {
    public let store: RunsStore
    let accounts: AccountStore
    let series: SeriesStore
    let consents: ConsentService
    let audit: AuditLog
    let words: Words
    let obstacles: @Sendable (CoursePlan) -> [Obstacle]
    let logger: Logger
    let time: MonotonicUTC
    let enrolling: EnrolmentQueue
    /// Results as everybody sees them.
    let openResults = Mutex(OfRuns<KnownStandings>())

    /// What the service cannot say by itself.
    public struct Words: Sendable {
        /// The address of the site, without a slash at its end.
        public var site: @Sendable () -> String
        /// What a check-in is for, in a language: `checkIn` or `publicHeartRate` of a run by name and code.
        public var purpose: @Sendable (_ of: CheckInPart, _ name: String, _ code: String, _ language: String) -> String
        /// The link to no more letters for an address.
        public var stop: @Sendable (EmailAddress) -> String

        public init(
            site: @escaping @Sendable () -> String,
            purpose: @escaping @Sendable (CheckInPart, String, String, String) -> String = Words.english,
            stop: @escaping @Sendable (EmailAddress) -> String
        ) { (self.site, self.purpose, self.stop) = (site, purpose, stop) }

        /// The purposes, in English.
        public static let english: @Sendable (CheckInPart, String, String, String) -> String = { part, name, code, _ in
            switch part {
            case .organiser: "Run \(name) (\(code)): the organiser sees where you are and your heart rate until it ends"
            case .publicHeartRate: "Run \(name) (\(code)): everybody who watches sees your heart rate until it ends"
            }
        }
    }

    /// The two questions of a check-in.
    public enum CheckInPart: String, Sendable, Hashable, CaseIterable {
        case organiser, publicHeartRate

        var kinds: Set<DataKind> { self == .organiser ? [.position, .heartRate] : [.heartRate] }
    }

    public static let nameMax = 100, purposeMax = 2000, mostMax = 50_000, wavesMax = 50, messageMax = 1000
    /// Milliseconds: two years.
    public static let aheadMax: Milliseconds = 731 * 86_400_000
    public static let documentMax = 5 << 20
    public static let messagesDailyMax = 20, invitationsDailyMax = 300
    /// The document that organisers accept, and its version.
    public static let disclaimer = "runDisclaimer", disclaimerVersion = "2026-11"
    static let codeLength = 6

    public init(
        store: RunsStore, accounts: AccountStore, series: SeriesStore, consents: ConsentService, audit: AuditLog, words: Words,
        obstacles: @escaping @Sendable (CoursePlan) -> [Obstacle] = { _ in [] }, logger: Logger, time: MonotonicUTC
    ) {
        (self.store, self.accounts, self.series, self.consents, self.audit) = (store, accounts, series, consents, audit)
        (self.words, self.obstacles, self.logger, self.time) = (words, obstacles, logger, time)
        enrolling = EnrolmentQueue(on: accounts.machine) { try store.enrolments.enrol($0, now: time.now) }
        store.tellDamaged { row in
            logger.error("\(row.text); restore it from the backup", metadata: row.metadata)
        }
    }

    public var now: Milliseconds { time.now }

    // MARK: Organising

    /// Makes a draft, which its organiser alone sees until ``publish(_:by:)``.
    /// - Parameters:
    ///   - accepted: the version of the disclaimer that was ticked.
    ///   - isChecked: ``faults(_:course:of:)`` found nothing wrong with this course, which is not held against the map again.
    /// - Throws: ``RunProblem``.
    public func create(
        _ plan: RunPlan, course: CoursePlan, accepted: String?, isChecked: Bool = false, by account: StoredAccount
    ) throws -> StoredRun {
        guard account.confirmed != nil, account.roles.contains(.organiser) else { throw RunProblem.notAnOrganiser }
        guard accepted == Self.disclaimerVersion else { throw RunProblem.disclaimer }
        let plan = plan.cleaned, now = now
        let faults = plan.faults(now: now) + (isChecked ? [] : courseFaults(course))
        guard faults.isEmpty, let area = RunArea(course.points) else { throw RunProblem.faults(faults) }
        try accounts.accept(Self.disclaimer, version: Self.disclaimerVersion, by: account, now: now)
        while true {
            let code = ShortCode.random(length: Self.codeLength, using: accounts.randomness).text
            switch try store.add(plan, course: course, area: area, search: Self.search(plan), code: code, by: account.id, now: now) {
            case .added(let run): return run
            case .tooMany: throw RunProblem.tooMany
            case .codeTaken: continue
            }
        }
    }

    /// Changes a run until it starts; who is enrolled is told what changed (RUN-17).
    /// - Parameters:
    ///   - course: nil keeps the one there is.
    ///   - revision: what the organiser saw.
    ///   - isChecked: as of ``create(_:course:accepted:isChecked:by:)``.
    /// - Throws: ``RunProblem``.
    public func edit(
        _ id: RunID, revision: Int, _ plan: RunPlan, course: CoursePlan? = nil, isChecked: Bool = false, by account: StoredAccount
    ) throws -> StoredRun {
        let old = try own(id, account), plan = plan.cleaned, now = now
        guard [.draft, .scheduled].contains(old.state(at: now)) else { throw RunProblem.state(old.state(at: now)) }
        let isOther = try course.map { try $0 != store.course(of: id) } ?? false
        let faults = plan.faults(enrolled: old.enrolled, now: now) + (isChecked ? [] : course.map(courseFaults) ?? [])
        guard faults.isEmpty else { throw RunProblem.faults(faults) }
        let changes = RunChange.between(old.plan, plan, isOtherCourse: isOther)
        var told: [String: String] = [:]
        if !changes.isEmpty {
            told["changes"] = changes.map(\.rawValue).joined(separator: ",")
            if changes.contains(.times) { (told["from"], told["until"]) = (String(plan.starts), String(plan.ends)) }
        }
        let changed = try store.change(
            id, revision: revision, to: plan, course: isOther ? course : nil, area: course.flatMap { RunArea($0.points) } ?? old.area,
            search: Self.search(plan), told: told, now: now)
        guard let changed else {
            let state = try store.run(id)?.state(at: self.now) ?? .cancelled
            throw [.draft, .scheduled].contains(state) ? RunProblem.changedMeanwhile : RunProblem.state(state)
        }
        return changed
    }

    /// From now on people find it and enrol.
    public func publish(_ id: RunID, by account: StoredAccount) throws -> StoredRun {
        let draft = try own(id, account), now = now
        guard draft.state == .draft else { throw RunProblem.state(draft.state(at: now)) }
        let faults = draft.plan.faults(now: now)
        guard faults.isEmpty else { throw RunProblem.faults(faults) }
        guard let run = try store.publish(id, now: now) else { throw RunProblem.changedMeanwhile }
        try audit.append(.runPublished, by: account.id, on: AccountID(high: id.high, low: id.low), now: now)
        return run
    }

    /// Calls it off, also on the way; everybody enrolled is told, and nobody reads anything any more (``checkNotCalledOff(_:)``).
    public func cancel(_ id: RunID, reason: String, by account: StoredAccount) throws -> StoredRun {
        let run = try own(id, account), now = now
        guard !run.state(at: now).isOver, let cancelled = try store.move(id, to: .cancelled, ["reason": Self.line(reason)], now: now) else {
            throw RunProblem.state(run.state(at: now))
        }
        try audit.append(.runCancelled, by: account.id, on: AccountID(high: id.high, low: id.low), now: now)
        return cancelled
    }

    /// Starts it before its time, from the opening of the check-in on.
    public func begin(_ id: RunID, by account: StoredAccount) throws -> StoredRun {
        let run = try own(id, account), now = now
        guard run.state(at: now) == .scheduled else { throw RunProblem.state(run.state(at: now)) }
        guard now >= run.checkInOpens else { throw RunProblem.tooEarly(run.checkInOpens) }
        guard let live = try start(run) else { throw RunProblem.changedMeanwhile }
        return live
    }

    /// Ends it before its time: consents end with it.
    public func finish(_ id: RunID, by account: StoredAccount) throws -> StoredRun {
        let run = try own(id, account), now = now
        guard run.state(at: now) == .live else { throw RunProblem.state(run.state(at: now)) }
        // By time it is live, and its timer was late.
        if run.state == .scheduled { _ = try start(run) }
        guard let over = try store.move(id, to: .finished, now: now) else { throw RunProblem.changedMeanwhile }
        return over
    }

    /// Other runs near this one at the same time, and what else an organiser should look at.
    public func warnings(_ plan: RunPlan, course: CoursePlan, but run: RunID? = nil) throws -> [RunWarning] {
        guard let area = RunArea(course.points) else { return [] }
        return try store.conflicts(with: area.wider(metres: 500), from: plan.starts, to: plan.ends, but: run).map {
            .conflict(code: $0.plan.isPublic ? $0.code : nil, starts: $0.plan.starts, ends: $0.plan.ends)
        }
    }

    /// Keeps the document by which an authority permits the run; nil removes it.
    public func setDocument(_ document: RunsStore.Document?, of id: RunID, by account: StoredAccount) throws {
        let run = try own(id, account)
        guard var document else { return try store.setDocument(nil, of: run) }
        guard (1...Self.documentMax).contains(document.bytes.count) else { throw RunProblem.document(.size) }
        guard let type = Self.type(document.bytes) else { throw RunProblem.document(.type) }
        (document.type, document.name) = (type, String(Self.line(document.name).prefix(Self.nameMax)))
        try store.setDocument(document, of: run)
    }

    /// For the organiser, and for operators.
    public func document(of id: RunID, for account: StoredAccount) throws -> RunsStore.Document? {
        guard let run = try store.run(id), account.id == run.organiser || account.roles.contains(.operator) else {
            throw RunProblem.unknown
        }
        return try store.document(of: run)
    }

    /// Writes to everybody on the list.
    public func message(_ text: String, to id: RunID, by account: StoredAccount) throws {
        let run = try own(id, account), text = Self.text(text)
        guard !text.isEmpty, text.count <= Self.messageMax else { throw RunProblem.message }
        guard run.state != .draft, run.state != .cancelled else { throw RunProblem.state(run.state) }
        guard try store.notices.addMessage(text, to: run, daily: Self.messagesDailyMax, now: now) else {
            throw RunProblem.dailyLimit(Self.messagesDailyMax)
        }
    }

    /// The consents of a run that was called off end as those of one that is over, by which is read for 30 days. Of this one nobody has
    /// results, tracks or heart rates any more. Looked up anew: whoever asks may have waited since they read the run.
    /// - Throws: ``RunProblem/state(_:)``.
    public func checkNotCalledOff(_ run: StoredRun) throws {
        guard try !store.isCalledOff(run.id) else { throw RunProblem.state(.cancelled) }
    }

    func own(_ id: RunID, _ account: StoredAccount) throws -> StoredRun {
        guard let run = try store.run(id), run.organiser == account.id else { throw RunProblem.unknown }
        return run
    }

    func courseFaults(_ course: CoursePlan) -> [RunFault] {
        let problems = course.problems(with: obstacles(course))
        return problems.isEmpty ? [] : [.course(problems)]
    }
}

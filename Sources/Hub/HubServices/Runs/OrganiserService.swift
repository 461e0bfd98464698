public import Accounts
import Credentials
public import HubStore
public import Runs
public import Vitals

/// Organisers who may make runs (ACC-3), with their accounts.
public enum RunOrganisers: String, Sendable, CaseIterable {
    /// Persons, relatives, organisations, and accounts for organising alone.
    case all
    /// Organisations alone. Runs that others made before stay with them.
    case organisations

    /// The roles of accounts that can have runs at all.
    public static let roles: Set<Role> = [.person, .organisation, .organiser, .caregiver]

    /// Whether an account with these roles makes new runs.
    public func allow(_ roles: Set<Role>) -> Bool {
        switch self {
        case .all: !roles.isDisjoint(with: Self.roles)
        case .organisations: roles.contains(.organisation)
        }
    }
}

/// Organising runs (RUN-1, RUN-2, RUN-6, RUN-17): drafts, changes, start and end, documents, messages.
public struct OrganiserService: Sendable {
    let store: RunsStore
    let notices: RunNoticeStore
    let accounts: AccountStore
    let audit: AuditLog
    let checkIns: CheckInService
    let obstacles: CourseMap
    /// Organisers who may make runs.
    public let organisers: RunOrganisers
    /// Runs that an operator looks at before they are published.
    public let operators: RunChecks
    let time: MonotonicUTC

    public static let nameMax = 100, purposeMax = 2000, mostMax = 50_000, wavesMax = 50, messageMax = 1000
    /// Milliseconds: two years.
    public static let aheadMax: Milliseconds = 731 * 86_400_000
    public static let documentMax = 5 << 20
    public static let messagesDailyMax = 20
    /// The document that organisers accept, and its version.
    public static let disclaimer = "runDisclaimer", disclaimerVersion = "2026-11"
    static let codeLength = 6

    var now: Milliseconds { time.now }

    /// Makes a draft, which its organiser alone sees until ``publish(_:by:)``.
    /// - Parameters:
    ///   - accepted: the version of the disclaimer that was ticked.
    ///   - isChecked: ``faults(_:course:of:)`` found nothing wrong with this course, which is not held against the map again.
    /// - Throws: ``RunProblem``.
    public func create(
        _ plan: RunPlan, course: CoursePlan, accepted: String?, isChecked: Bool = false, by account: StoredAccount
    ) throws -> StoredRun {
        guard account.confirmed != nil, organisers.allow(account.roles) else { throw RunProblem.notAnOrganiser }
        guard accepted == Self.disclaimerVersion else { throw RunProblem.disclaimer }
        let plan = plan.cleaned, now = now
        let faults = plan.faults(now: now) + (isChecked ? [] : courseFaults(course))
        guard faults.isEmpty, let area = RunArea(course.points) else { throw RunProblem.faults(faults) }
        try accounts.acceptances.accept(Self.disclaimer, version: Self.disclaimerVersion, by: account, now: now)
        while true {
            let code = ShortCode.random(length: Self.codeLength, using: accounts.randomness).text
            switch try store.add(plan, course: course, area: area, search: RunText.search(plan), code: code, by: account.id, now: now) {
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
        let old = try store.own(id, account), plan = plan.cleaned, now = now
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
            search: RunText.search(plan), told: told, now: now)
        guard let changed else {
            let state = try store.run(id)?.state(at: self.now) ?? .cancelled
            throw [.draft, .scheduled].contains(state) ? RunProblem.changedMeanwhile : RunProblem.state(state)
        }
        return changed
    }

    /// From now on people find it and enrol; or it waits for an operator, and stays a draft (``RunChecks``).
    public func publish(_ id: RunID, by account: StoredAccount) throws -> StoredRun {
        let draft = try store.own(id, account), now = now
        guard draft.state == .draft else { throw RunProblem.state(draft.state(at: now)) }
        let faults = draft.plan.faults(now: now)
        guard faults.isEmpty else { throw RunProblem.faults(faults) }
        if try operators.holdsBack(draft, of: account.id) {
            try operators.ask(about: draft, of: account)
            return draft
        }
        guard let run = try store.publish(id, now: now) else { throw RunProblem.changedMeanwhile }
        try audit.append(.runPublished, by: account.id, on: AccountID(high: id.high, low: id.low), now: now)
        return run
    }

    /// Calls it off, also on the way; everybody enrolled is told, and nobody reads anything any more
    /// (``RunResultService/checkNotCalledOff(_:)``).
    public func cancel(_ id: RunID, reason: String, by account: StoredAccount) throws -> StoredRun {
        let run = try store.own(id, account), now = now
        guard !run.state(at: now).isOver,
            let cancelled = try store.move(id, to: .cancelled, ["reason": RunText.line(reason)], now: now)
        else { throw RunProblem.state(run.state(at: now)) }
        try audit.append(.runCancelled, by: account.id, on: AccountID(high: id.high, low: id.low), now: now)
        return cancelled
    }

    /// Starts it before its time, from the opening of the check-in on.
    public func begin(_ id: RunID, by account: StoredAccount) throws -> StoredRun {
        let run = try store.own(id, account), now = now
        guard run.state(at: now) == .scheduled else { throw RunProblem.state(run.state(at: now)) }
        guard now >= run.checkInOpens else { throw RunProblem.tooEarly(run.checkInOpens) }
        guard let live = try checkIns.start(run) else { throw RunProblem.changedMeanwhile }
        return live
    }

    /// So long after it a start by hand can be taken back, milliseconds: a minute.
    public static let takeBackMax: Milliseconds = 60_000

    /// Whether its start can be taken back now: it was started before its time, less than ``takeBackMax`` ago.
    public func mayTakeBackStart(of run: StoredRun) -> Bool {
        let now = now
        guard run.state == .live, now < run.plan.starts, let began = run.began else { return false }
        return now < began + Self.takeBackMax
    }

    /// Takes back a start that was a mistake: it starts as planned, who is enrolled is on the list, and everybody is told.
    /// - Throws: ``RunProblem``.
    public func takeBackStart(of id: RunID, by account: StoredAccount) throws -> StoredRun {
        let run = try store.own(id, account)
        guard mayTakeBackStart(of: run) else { throw RunProblem.startStands }
        let told = ["changes": "startTakenBack", "from": String(run.plan.starts), "until": String(run.plan.ends)]
        guard let scheduled = try store.takeBackStart(of: id, told: told, now: now) else { throw RunProblem.startStands }
        return scheduled
    }

    /// Ends it before its time: consents end with it.
    public func finish(_ id: RunID, by account: StoredAccount) throws -> StoredRun {
        let run = try store.own(id, account), now = now
        guard run.state(at: now) == .live else { throw RunProblem.state(run.state(at: now)) }
        // By time it is live, and its timer was late.
        if run.state == .scheduled { _ = try checkIns.start(run) }
        guard let over = try store.move(id, to: .finished, now: now) else { throw RunProblem.changedMeanwhile }
        return over
    }

    /// Other runs near this one at the same time, and what else an organiser should look at.
    public func warnings(_ plan: RunPlan, course: CoursePlan, but run: RunID? = nil) throws -> [RunWarning] {
        guard let area = RunArea(course.points) else { return [] }
        let others = try store.conflicts(with: area.wider(metres: 500), from: plan.starts, to: plan.ends, but: run)
        let conflicts = others.map {
            RunWarning.conflict(code: $0.plan.isPublic ? $0.code : nil, starts: $0.plan.starts, ends: $0.plan.ends)
        }
        return conflicts + (obstacles.covers(course) ? [] : [.notHeldAgainstMap])
    }

    /// Keeps the document by which an authority permits the run; nil removes it.
    public func setDocument(_ document: RunsStore.Document?, of id: RunID, by account: StoredAccount) throws {
        let run = try store.own(id, account)
        guard var document else { return try store.setDocument(nil, of: run) }
        guard (1...Self.documentMax).contains(document.bytes.count) else { throw RunProblem.document(.size) }
        guard let type = Self.type(document.bytes) else { throw RunProblem.document(.type) }
        (document.type, document.name) = (type, String(RunText.line(document.name).prefix(Self.nameMax)))
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
        let run = try store.own(id, account), text = RunText.text(text)
        guard !text.isEmpty, text.count <= Self.messageMax else { throw RunProblem.message }
        guard run.state != .draft, run.state != .cancelled else { throw RunProblem.state(run.state) }
        guard try notices.addMessage(text, to: run, daily: Self.messagesDailyMax, now: now) else {
            throw RunProblem.dailyLimit(Self.messagesDailyMax)
        }
    }

    /// All that is wrong with a run as an organiser means it, for a form that shows everything at once.
    /// - Parameters:
    ///   - course: nil where the one there is stays.
    ///   - run: the one that is edited.
    public func faults(_ plan: RunPlan, course: CoursePlan?, of run: StoredRun? = nil) -> [RunFault] {
        plan.cleaned.faults(enrolled: run?.enrolled ?? 0, now: now) + (course.map(courseFaults) ?? [])
    }

    private func courseFaults(_ course: CoursePlan) -> [RunFault] {
        let problems = course.problems(with: obstacles.near(course))
        return problems.isEmpty ? [] : [.course(problems)]
    }

    /// An organiser's own runs, past and coming.
    public func runs(organisedBy account: StoredAccount, before: Milliseconds = .max) throws -> [StoredRun] {
        try store.runs(of: account.id, before: before)
    }

    /// A media type by a file's first bytes; nil for what is not taken.
    private static func type(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: Array("%PDF-".utf8)) { return "application/pdf" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        return bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) ? "image/png" : nil
    }
}

extension RunsStore {
    /// - Throws: ``RunProblem/unknown`` for another account's run, as for none.
    func own(_ id: RunID, _ account: StoredAccount) throws -> StoredRun {
        guard let run = try run(id), run.organiser == account.id else { throw RunProblem.unknown }
        return run
    }
}

import Accounts
import Database
import Foundation
public import Privacy
import Vitals

/// The outcome of an event.
public struct ConsentOutcome: Sendable, Hashable {
    public let consent: Consent
    /// Access ended: streams that read by it must close.
    public internal(set) var cut = false
    /// Access began: the first delivery follows (CONS-4).
    public internal(set) var opened = false
    /// It was not done. What was due by time is committed all the same.
    public internal(set) var refused: ConsentProblem?

    init(_ consent: Consent) { self.consent = consent }
}

extension ConsentStore {
    /// Runs what a consent wants done, within the transaction that stores the consent: a notice is never lost, and never sent for what
    /// did not happen. Mails and messages wait in their outboxes and leave after the commit.
    /// - Parameter box: at which the person answered; nil for every other way.
    func run(
        _ effects: [ConsentEffect], of stored: StoredConsent, at box: AgentID? = nil, now: Milliseconds, _ db: Connection
    ) throws -> ConsentOutcome {
        let consent = stored.consent, scope = consent.request.scope
        var outcome = ConsentOutcome(consent)
        let asker = try accounts.account(scope.asker.account, db)
        let isCut = effects.contains { if case .cutAccess = $0 { true } else { false } }
        let isGiven = effects.contains { if case .record(let entry) = $0 { entry.what == .given } else { false } }
        for effect in effects {
            switch effect {
            case .cutAccess:
                outcome.cut = true
                try reminders.set(of: consent, now: now, db)
                try webhooks.endWebhookFeeds(of: consent.id, to: scope.asker, now: now, db)
            case .openAccess:
                outcome.opened = true
                try reminders.set(of: consent, now: now, db)
                if scope.asker.isCaregiver, let asker { try care.makeCaregiver(asker, db) }
            case .askOperator: try tellOperators(about: consent, asker: asker, now: now, db)
            case .timer(let due): try timers.setTimer(.consentDeadline, consent.id.bytes, due: due, db)
            // A run tells of its end itself, and of whom it took off the list.
            case .notifyPerson(.over) where scope.asker.isOrganiser: continue
            case .notifyPerson(let notice):
                var arguments = ConsentMail.arguments(consent, asker: asker)
                if case .over(let ending) = notice { arguments["ending"] = ending.rawValue }
                try tellDeciders(notice == .asked ? .asked : .over, arguments, of: consent, now: now, db)
            case .tellAsker(let shown):
                guard let asker, let state = ConsentMail.state(shown.state, given: isGiven) else { continue }
                // The end of access is told with it.
                if !isCut {
                    try webhooks.tell("answered", of: consent.id, state: isGiven ? "accepted" : state, to: scope.asker, now: now, db)
                }
                var arguments = ConsentMail.arguments(consent, asker: asker)
                (arguments["state"], arguments["whom"]) = (state, stored.label)
                guard let kind = ConsentMail.kind(scope, given: isGiven) else { continue }
                try notices.addNotice(kind, arguments, to: asker, now: now, db)
            case .invite: try invitations.invite(to: stored, asker: asker, now: now, db)
            case .countDenial: try countDenial(consent, asker: asker, now: now, db)
            case .clearDenials:
                guard let person = consent.person else { continue }
                var standing = try askers.standing(of: scope.asker, with: person, db)
                standing.accepted()
                try askers.setStanding(standing, of: scope.asker, with: person, db)
            case .record(let entry):
                guard let person = consent.person ?? consent.silenced else { continue }
                try ledger.record(entry, consent, of: person, name: askers.name(of: scope, db), at: entry.by == nil ? nil : box, db)
            case .refuse(let problem): outcome.refused = problem
            }
        }
        return outcome
    }

    private func countDenial(_ consent: Consent, asker: StoredAccount?, now: Milliseconds, _ db: Connection) throws {
        guard let person = consent.person, try keys.key(of: person) != nil else { return }
        let reader = consent.request.scope.asker
        var standing = try askers.standing(of: reader, with: person, db)
        let isBlockedNow = standing.denied(consent.parameters)
        try askers.setStanding(standing, of: reader, with: person, db)
        if isBlockedNow {
            try tellDeciders(.blocked, ConsentMail.arguments(consent, asker: asker), of: consent, now: now, db)
        }
    }

    private func tellDeciders(
        _ kind: NoticeKind, _ arguments: [String: String], of consent: Consent, now: Milliseconds, _ db: Connection
    ) throws {
        guard let person = consent.person else { return }
        let authority = try authority(over: person, db)
        let deciders = authority.isMinor(at: now) ? authority.guardians.sorted() : authority.account.map { [$0] } ?? []
        for decider in deciders {
            guard let account = try accounts.account(decider, db) else { continue }
            // A parent answers on another page.
            try notices.addNotice(authority.isMinor(at: now) ? kind.ofWard : kind, arguments, to: account, now: now, db)
        }
    }

    /// What goes on without an end, since so long.
    func tellOfRunning(_ consent: Consent, since: Milliseconds, now: Milliseconds, _ db: Connection) throws {
        var arguments = ConsentMail.arguments(consent, asker: try accounts.account(consent.request.scope.asker.account, db))
        arguments["begin"] = String(since)
        try tellDeciders(.reminded, arguments, of: consent, now: now, db)
    }

    private func tellOperators(about consent: Consent, asker: StoredAccount?, now: Milliseconds, _ db: Connection) throws {
        for account in try accounts.operators(db) {
            try notices.addNotice(.check, ConsentMail.arguments(consent, asker: asker), to: account, now: now, db)
        }
    }
}

/// The contents of the mails about consents.
enum ConsentMail {
    /// The mail that tells an asker; nil for who did it: a named reader takes what is offered. A service that thousands add and remove tells
    /// its organisation by the list.
    static func kind(_ scope: ConsentScope, given: Bool) -> NoticeKind? {
        if case .named = scope.asker { return given ? nil : .offerOver }
        if scope.asker.isCaregiver { return .careAnswered }
        // Thousands of runners: the organiser's list shows who checked in.
        if scope.asker.isOrganiser { return nil }
        return scope.service == nil ? .answered : nil
    }

    /// `consent`, `asker` (name), `purpose`, `kinds` (`heartRate,position`), `term` (`once`, `untilRevoked`, `lasting` or `until`), `until`
    /// or `lasting` (milliseconds) beside it, and `expires` (UTC milliseconds) while there is something to answer.
    static func arguments(_ consent: Consent, asker: StoredAccount?) -> [String: String] {
        let scope = consent.request.scope
        var arguments = [
            "consent": consent.id.description, "asker": asker?.name ?? "", "purpose": scope.purpose,
            "kinds": DataKind.allCases.filter(scope.kinds.contains).map { "\($0)" }.joined(separator: ","),
        ]
        switch scope.term {
        case .once: arguments["term"] = "once"
        case .untilRevoked: arguments["term"] = "untilRevoked"
        case .lasting(let duration): (arguments["term"], arguments["lasting"]) = ("lasting", String(duration))
        case .until(let end): (arguments["term"], arguments["until"]) = ("until", String(end))
        }
        if case .pending(let question) = consent.state { arguments["expires"] = String(question.expires) }
        return arguments
    }

    /// The text of the asker's mail; nil for what the asker did or sees at once.
    static func state(_ state: ShownToAsker.State, given: Bool) -> String? {
        switch state {
        case .awaitingOperator, .pending, .over(.withdrawn, _), .over(.endedByAsker, _), .over(.fulfilled, _): nil
        case .accepted: given ? "given" : "accepted"
        case .over(let ending, _): ending.rawValue
        }
    }
}

extension Consent {
    /// The person from whom the hub keeps the question.
    fileprivate var silenced: PersonID? {
        switch reach {
        case .nobody(.blocked(let person)), .nobody(.policy(let person)), .nobody(.repeated(let person)): person
        case .nobody(.unknown), .person, nil: nil
        }
    }
}

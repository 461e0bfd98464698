import Database
import Foundation
import Privacy
public import Vitals

/// Once a year a person is reminded of each reader whose consent has no end.
public struct ConsentReminderStore: SubjectStore {
    let accounts: AccountStore

    /// From a yes to the first reminder, and from each to the next: 365 days.
    public static let reminderEvery: Milliseconds = 365 * 86_400_000
    /// Consents of before that get their timer with one look, at most.
    static let remindersMax = 1000

    /// Sets the timer of a consent that was just accepted, and removes that of one that is over. What a run or a service of the hub's own reads is
    /// told elsewhere.
    func set(of consent: Consent, now: Milliseconds, _ db: Connection) throws {
        guard case .accepted(let access) = consent.state else {
            return try accounts.timers.setTimer(.consentReminder, consent.id.bytes, due: nil, db)
        }
        guard access.until == nil, consent.isReminded else { return }
        try accounts.timers.setTimer(.consentReminder, consent.id.bytes, due: now + Self.reminderEvery, db)
    }

    /// Tells who decides for the person that this goes on, and comes again after a year.
    public func remind(of id: ConsentID, now: Milliseconds) throws {
        try pool.write { db in
            guard let consent = try accounts.consents.unlessDamaged(id, db), case .accepted(let access) = consent.state, access.until == nil
            else {
                return try accounts.timers.setTimer(.consentReminder, id.bytes, due: nil, db)
            }
            if consent.isReminded { try accounts.consents.tellOfRunning(consent, since: access.since, now: now, db) }
            try accounts.timers.setTimer(.consentReminder, id.bytes, due: now + Self.reminderEvery, db)
        }
    }

    /// Gives their timer to consents that were accepted before there were any; called once a day.
    public func setMissing(now: Milliseconds) throws {
        let missing = try pool.read { db in
            try db.fetchAll(
                Data.self,
                sql: """
                    SELECT consent FROM consent WHERE state < 3 AND state = 2
                    AND NOT EXISTS(SELECT 1 FROM timer WHERE kind = ? AND subject = consent.consent)
                    AND NOT EXISTS(SELECT 1 FROM timer WHERE kind = ? AND subject = consent.consent) LIMIT ?
                    """,
                arguments: [TimerKind.consentDeadline.rawValue, TimerKind.consentReminder.rawValue, Self.remindersMax])
        }
        guard !missing.isEmpty else { return }
        try pool.write { db in
            for id in missing { try accounts.timers.setTimer(.consentReminder, Array(id), due: now + Self.reminderEvery, db) }
        }
    }
}

extension ConsentStore {
    public var reminders: ConsentReminderStore { ConsentReminderStore(accounts: accounts) }
}

extension Consent {
    fileprivate var isReminded: Bool {
        if case .organiser = request.scope.asker { return false }
        return request.scope.service.flatMap { BuiltInService($0) } == nil
    }
}

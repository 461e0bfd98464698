import Database
import Foundation
public import Privacy
public import Vitals

/// Check-ins as the box of one person shows and answers them (RUN-5).
extension RunConsentStore {
    /// Of one person, at most.
    public static let boxCheckInsMax = 16

    /// What a person let the organisers of runs read, and what these ask, the newest first. Questions are left out for who wants to be told of none
    /// on the box.
    public func checkIns(of person: PersonID) throws -> [PersonConsent] {
        try pool.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT \(ConsentStore.consentColumns) FROM consent WHERE person = ?1 AND state IN (1, 2) AND substr(asker, 1, 1) = ?5
                        AND (state = 2 OR NOT EXISTS(
                            SELECT 1 FROM notice_choice JOIN account ON account.id = notice_choice.account
                            WHERE account.account = ?1 AND kind = ?2 AND ways & ?3 = 0))
                    ORDER BY id DESC LIMIT ?4
                    """)
            return try statement.fetchAll(
                arguments: [Data(person.bytes), NoticeKind.asked.rawValue, NoticeWays.box.rawValue, Self.boxCheckInsMax, Data([2])]
            ).compactMap(consents.listedConsent).map { stored in
                PersonConsent(consent: stored.consent, name: try consents.askers.name(of: stored.consent.request.scope, db), lastRead: nil)
            }
        }
    }

    /// One of them, whatever became of it; nil for another's, and for what is no run's.
    public func checkIn(_ id: ConsentID, of person: PersonID) throws -> Consent? {
        try pool.read { db in
            guard let consent = try consents.consent(id, db)?.consent, consent.person == person, consent.request.scope.asker.isOrganiser
            else {
                return nil
            }
            return consent
        }
    }

    /// The person's own answer to a check-in, given at their box: as ``answerConsent(_:_:by:now:)``, with a line in the ledger that says so, and one
    /// in the audit log, in the same transaction.
    public func answerCheckIn(
        _ id: ConsentID, _ answer: ConsentAnswer, by account: AccountID, at box: AgentID, audit: AuditLog, now: Milliseconds
    ) throws -> ConsentOutcome {
        try consents.answerConsent(id, answer, by: account, at: box, now: now) { db in
            _ = try audit.insert(
                answer == .accept ? .acceptedAtBox : .refusedAtBox, by: account, on: AccountID(high: box.high, low: box.low), now: now, db)
        }
    }
}

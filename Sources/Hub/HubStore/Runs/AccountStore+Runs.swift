public import Accounts
import Database
import Foundation
public import Privacy
public import Vitals

extension RunConsentStore {
    /// Tells people something, and of minors those who decide for them, with one commit.
    public func tell(
        _ kind: NoticeKind, _ arguments: [String: String], people: [PersonID], and others: [AccountID] = [], now: Milliseconds
    ) throws {
        guard !people.isEmpty || !others.isEmpty else { return }
        try pool.write { db in
            var told = others
            for person in people {
                let authority = try consents.authority(over: person, db)
                told += authority.isMinor(at: now) ? authority.guardians.sorted() : authority.account.map { [$0] } ?? []
            }
            // An organiser who runs with them reads it once.
            var seen: Set<AccountID> = []
            for id in told where seen.insert(id).inserted {
                guard let account = try accounts.account(id, db) else { continue }
                try notices.addNotice(kind, arguments, to: account, now: now, db)
            }
        }
    }

    /// Tells people of a run near their place, and of minors those who decide for them, with one commit. Who has a notice of that run has it:
    /// done again after a stop in between it tells nobody twice.
    /// - Parameter code: of the run; it stands in the notice as `code`.
    public func tellNearby(_ arguments: [String: String], code: String, people: [PersonID], now: Milliseconds) throws {
        try pool.write { db in
            for person in people {
                let authority = try consents.authority(over: person, db)
                let told = authority.isMinor(at: now) ? authority.guardians.sorted() : authority.account.map { [$0] } ?? []
                for id in told {
                    guard let account = try accounts.account(id, db) else { continue }
                    let known = try db.fetchAll(
                        sql: "SELECT * FROM notice WHERE account = ? AND kind = ?",
                        arguments: [account.row, NoticeKind.runNearby.rawValue]
                    ).contains { try notices.listedNotice($0, of: account)?.arguments["code"] == code }
                    if !known { try notices.addNotice(.runNearby, arguments.merging(["code": code]) { $1 }, to: account, now: now, db) }
                }
            }
        }
    }

    /// The grant of a check-in to a run's organiser, also after the run; nil for nothing. It says since when, and until when, UTC milliseconds.
    public func runGrant(by id: ConsentID, to organiser: AccountID, now: Milliseconds) throws -> (grant: Grant, access: Consent.Access)? {
        try pool.read { db in
            guard let consent = try consents.cachedConsent(id, db), let grant = consent.runGrant(to: .organiser(organiser), at: now),
                let access = consent.runAccess(at: now)
            else { return nil }
            return (grant, access)
        }
    }

    /// The public's grant of a check-in, or of the consent to a public heart rate; nil for nothing.
    public func runPublicGrant(by id: ConsentID, now: Milliseconds) throws -> Grant? {
        try pool.read { try consents.cachedConsent(id, $0)?.runPublicGrant(at: now) }
    }

    /// Mails an invitation that a run's organiser asked for. Nobody learns who refuses letters, or has an account.
    public func mailRunInvitation(_ arguments: [String: String], to email: EmailAddress, by organiser: StoredAccount, now: Milliseconds)
        throws
    {
        try pool.write { db in
            let whom = accounts.index("email", email.canonical)
            if try deferredWork.refusesLetters(whom, db), try accounts.account(withAddress: whom, db) == nil { return }
            try notices.addMail(
                "run.invited", arguments.merging([NoticeStore.deliverTo: email.address]) { $1 }, to: organiser, now: now, db)
        }
    }
}

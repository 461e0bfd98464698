public import Accounts
import Database
import Foundation
public import Privacy
public import Vitals

extension AccountStore {
    /// Tells people something, and of minors those who decide for them, with one commit.
    public func tell(
        _ kind: NoticeKind, _ arguments: [String: String], people: [PersonID], and accounts: [AccountID] = [], now: Milliseconds
    ) throws {
        guard !people.isEmpty || !accounts.isEmpty else { return }
        try pool.write { db in
            var told = accounts
            for person in people {
                let authority = try authority(over: person, db)
                told += authority.isMinor(at: now) ? authority.guardians.sorted() : authority.account.map { [$0] } ?? []
            }
            // An organiser who runs with them reads it once.
            var seen: Set<AccountID> = []
            for id in told where seen.insert(id).inserted {
                guard let account = try account(id, db) else { continue }
                try addNotice(kind, arguments, to: account, now: now, db)
            }
        }
    }

    /// Tells people of a run near their place, and of minors those who decide for them, with one commit. Who has a notice of that run has it:
    /// done again after a stop in between it tells nobody twice.
    /// - Parameter code: of the run; it stands in the notice as `code`.
    public func tellNearby(_ arguments: [String: String], code: String, people: [PersonID], now: Milliseconds) throws {
        try pool.write { db in
            for person in people {
                let authority = try authority(over: person, db)
                let told = authority.isMinor(at: now) ? authority.guardians.sorted() : authority.account.map { [$0] } ?? []
                for id in told {
                    guard let account = try account(id, db) else { continue }
                    let known = try db.fetchAll(
                        sql: "SELECT * FROM notice WHERE account = ? AND kind = ?",
                        arguments: [account.row, NoticeKind.runNearby.rawValue]
                    ).contains { try storedNotice($0, of: account)?.arguments["code"] == code }
                    if !known { try addNotice(.runNearby, arguments.merging(["code": code]) { $1 }, to: account, now: now, db) }
                }
            }
        }
    }

    /// What a check-in lets a run's organiser read, also after the run; nil for nothing. It says since when, and until when, UTC milliseconds.
    public func runGrant(by id: ConsentID, to organiser: AccountID, now: Milliseconds) throws -> (grant: Grant, access: Consent.Access)? {
        try pool.read { db in
            guard let consent = try cachedConsent(id, db), let grant = consent.runGrant(to: .organiser(organiser), at: now),
                let access = consent.runAccess(at: now)
            else { return nil }
            return (grant, access)
        }
    }

    /// What a check-in, or the consent to a public heart rate, lets everybody read; nil for nothing.
    public func runPublicGrant(by id: ConsentID, now: Milliseconds) throws -> Grant? {
        try pool.read { try cachedConsent(id, $0)?.runPublicGrant(at: now) }
    }

    /// Mails an invitation that a run's organiser asked for. Nobody learns who refuses letters, or has an account.
    public func mailRunInvitation(_ arguments: [String: String], to email: EmailAddress, by organiser: StoredAccount, now: Milliseconds)
        throws
    {
        try pool.write { db in
            let whom = index("email", email.canonical)
            if try refusesLetters(whom, db), try account(withAddress: whom, db) == nil { return }
            try addMail(
                "run.invited", arguments.merging([Self.deliverTo: email.address]) { $1 }, to: organiser, now: now, db)
        }
    }
}

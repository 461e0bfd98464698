import Accounts
import Database
import Foundation
import Privacy
public import Vitals

extension Migration {
    /// Organisations that an operator suspended; when an approval was given, for those of before when its request was made.
    static let suspensions = Migration(
        name: "27 suspended organisations, the age of approvals",
        sql: """
            CREATE TABLE suspension(account INTEGER PRIMARY KEY REFERENCES account ON DELETE CASCADE, since INTEGER NOT NULL);
            ALTER TABLE approval ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
            UPDATE approval SET made = coalesce((SELECT created FROM consent WHERE consent.consent = approval.consent), 0);
            """)
}

/// An organisation as an operator looks after it (ACC-20).
public struct OverseenOrganisation: Sendable, Hashable {
    public let account: StoredAccount
    /// Since when it is suspended, UTC milliseconds; nil where it is not.
    public let suspended: Milliseconds?
    /// Kinds of requests that leave without a look.
    public let approvals: Int
}

extension OrganisationStore {
    /// Organisations that one look finds, at most.
    public static let overseenMax = 200

    /// Confirmed organisations, in the order in which they came.
    /// - Parameter row: that of the last one that was seen.
    public func overseen(after row: Int64 = 0, now: Milliseconds) throws -> [OverseenOrganisation] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT * FROM account WHERE id > ? AND confirmed IS NOT NULL AND roles & 2 <> 0 ORDER BY id LIMIT ?",
                arguments: [row, Self.overseenMax]
            ).compactMap { row in
                guard let account = try accounts.listed(row) else { return nil }
                let since = try db.fetchOne(
                    Milliseconds.self, sql: "SELECT since FROM suspension WHERE account = ?", arguments: [account.row])
                let approvals = try db.fetchOne(
                    Int.self,
                    sql: """
                        SELECT (SELECT count(*) FROM approval WHERE asker = ?1 AND made > ?2)
                            + (SELECT count(*) FROM group_approval WHERE account = ?3 AND made > ?2)
                        """,
                    arguments: [Reader.organisation(OrganisationID(account.id)).key, now - Self.approvalLifetime, account.row])
                return OverseenOrganisation(account: account, suspended: since, approvals: approvals ?? 0)
            }
        }
    }

    /// Suspends an organisation, or lets it go on: while it is suspended it reads nothing by any consent, gets no window about a group, its services
    /// send nothing back, and each of its requests waits for an operator. Its consents stay. It is told by mail.
    /// - Returns: false where it was so already, and for an account that is no confirmed organisation.
    public func setSuspended(_ isSuspended: Bool, _ id: AccountID, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            guard let row = try Self.organisation(id, db) else { return false }
            if isSuspended {
                try db.execute(
                    sql: "INSERT INTO suspension(account, since) VALUES(?, ?) ON CONFLICT(account) DO NOTHING", arguments: [row, now])
            } else {
                try db.execute(sql: "DELETE FROM suspension WHERE account = ?", arguments: [row])
            }
            guard db.changesCount > 0 else { return false }
            try tellOwner(isSuspended ? "organisation.suspended" : "organisation.restored", [:], of: row, now: now, db)
            return true
        }
    }

    /// Takes all approvals of an organisation back: the next request of each kind is looked at again. What has left, runs on.
    /// - Returns: false where there were none.
    public func takeBackApprovals(of id: AccountID) throws -> Bool {
        try pool.write { db in
            guard let row = try Self.organisation(id, db) else { return false }
            let ofGroups = try consents.groupRequests.forgetApprovals(of: row, db)
            return try consents.askers.forgetApprovals(of: OrganisationID(id), db) || ofGroups
        }
    }

    /// Lets an organisation have the name that it wants, or not. With it approvals lapse: people read another name in the next request. It is told by
    /// mail.
    /// - Parameter seen: the name that the operator looked at.
    /// - Returns: false where it wants no such name (any more).
    public func decideName(_ id: AccountID, seen: String, isAccepted: Bool, now: Milliseconds) throws -> Bool {
        guard let account = try accounts.account(id), account.roles.contains(.organisation), let name = account.waitingName, name == seen
        else { return false }
        var details = account.details
        details[StoredAccount.waitingNameKey] = nil
        if isAccepted { details[Field.organisationName.rawValue] = name }
        try accounts.setDetails(details, of: account, now: now)
        try notices.addMail(
            isAccepted ? "organisation.nameAccepted" : "organisation.nameRefused", ["newName": name], to: account, now: now)
        return true
    }

    /// An approval holds for a year, milliseconds: then an operator looks at the next request of its kind again.
    public static let approvalLifetime: Milliseconds = 366 * 86_400_000

    /// Whether an operator suspended an organisation.
    public func isSuspended(_ organisation: OrganisationID) throws -> Bool {
        try pool.read { try isSuspended(.organisation(organisation), $0) }
    }

    /// Whether an operator suspended who reads.
    func isSuspended(_ reader: Reader, _ db: Connection) throws -> Bool {
        guard case .organisation = reader else { return false }
        let statement = try db.cachedStatement(
            sql: "SELECT 1 FROM account JOIN suspension ON suspension.account = account.id WHERE account.account = ?")
        return try statement.fetchOne(Bool.self, arguments: [Data(reader.account.bytes)]) != nil
    }
}

import Database
import Foundation
public import Vitals

/// Invitations to runs, and who was let in by one.
public struct RunInvitationStore: RunSubjectStore {
    let runs: RunsStore
}

extension RunInvitationStore {
    /// An invitation: by mail for one, or a link for some.
    public struct Invitation: Sendable, Hashable, Codable {
        /// To whom it was mailed; nil for a link that the organiser hands on.
        public var email: String?

        public init(email: String?) { self.email = email }
    }

    /// An invitation that can still be taken, for its organiser's list.
    public struct WaitingInvitation: Sendable, Hashable {
        /// Among those of its run.
        public let number: Int
        public let invitation: Invitation
        /// The number of people who can take it.
        public let left: Int
        /// UTC milliseconds.
        public let expires: Milliseconds
    }

    /// Keeps one. False when the organiser made `daily` within 24 hours.
    public func addInvitation(
        _ invitation: Invitation, hash: [UInt8], uses: Int, expires: Milliseconds, to run: StoredRun, daily: Int, now: Milliseconds
    ) throws -> Bool {
        try pool.write { db in
            let made = try db.fetchOne(
                Int.self,
                sql: """
                    SELECT count(*) FROM invitation JOIN run ON run.id = invitation.run
                    WHERE organiser = (SELECT organiser FROM run WHERE id = ?) AND invitation.created > ?
                    """, arguments: [run.row, now - 86_400_000])
            guard made ?? 0 < daily else { return false }
            let number = (try db.fetchOne(Int.self, sql: "SELECT max(number) FROM invitation WHERE run = ?", arguments: [run.row]) ?? 0) + 1
            let sealed = try seal(invitation, of: run.id.sealed, .runInvitation, (UInt64(number), 0))
            try db.execute(
                sql: "INSERT INTO invitation(hash, run, number, uses, created, expires, envelope) VALUES(?, ?, ?, ?, ?, ?, ?)",
                arguments: [Data(hash), run.row, number, uses, now, expires, sealed])
            return true
        }
    }

    /// The run that a link leads to; nil when it does not work (any more).
    public func run(invitedBy hash: [UInt8], now: Milliseconds) throws -> StoredRun? {
        try pool.read { db in
            try db.fetchOne(
                sql: """
                    SELECT \(RunsStore.columns) FROM run JOIN invitation ON invitation.run = run.id WHERE hash = ? AND uses > 0 AND expires > ?
                    """, arguments: [Data(hash), now]
            ).flatMap(runs.stored)
        }
    }

    /// Lets a person in by a link. Who was let in before uses up nothing. nil when the link does not work (any more).
    public func redeem(_ hash: [UInt8], for person: PersonID, now: Milliseconds) throws -> StoredRun? {
        try pool.write { db in
            let row = try db.fetchOne(
                sql: "SELECT \(RunsStore.columns), hash FROM run JOIN invitation ON invitation.run = run.id WHERE hash = ? AND expires > ?",
                arguments: [Data(hash), now])
            guard let run = try row.flatMap(runs.stored) else { return nil }
            if try isInvited(run.row, Data(person.bytes), db) { return run }
            try db.execute(sql: "UPDATE invitation SET uses = uses - 1 WHERE hash = ? AND uses > 0", arguments: [Data(hash)])
            guard db.changesCount == 1 else { return nil }
            try db.execute(
                sql: "INSERT INTO invited(run, person, time) VALUES(?, ?, ?)", arguments: [run.row, Data(person.bytes), now])
            return run
        }
    }

    public func invitations(to run: StoredRun, now: Milliseconds) throws -> [WaitingInvitation] {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: "SELECT number, uses, expires, envelope FROM invitation WHERE run = ? AND uses > 0 AND expires > ? ORDER BY number",
                arguments: [run.row, now])
            return try rows.compactMap { row in
                let number: Int = row[0]
                return try unlessDamaged(.runInvitation, "\(run.code) \(number)") {
                    try open(Invitation.self, row[3], of: run.id.sealed, .runInvitation, (UInt64(number), 0))
                }.map { WaitingInvitation(number: number, invitation: $0, left: row[1], expires: row[2]) }
            }
        }
    }

    /// Its link works no more; who took it stays invited.
    public func revokeInvitation(_ number: Int, to run: StoredRun) throws {
        try pool.write {
            try $0.execute(sql: "UPDATE invitation SET uses = 0 WHERE run = ? AND number = ?", arguments: [run.row, number])
        }
    }

    func isInvited(_ run: Int64, _ person: Data, _ db: Connection) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM invited WHERE run = ? AND person = ?")
        return try statement.fetchOne(Bool.self, arguments: [run, person]) != nil
    }

    public func isInvited(_ person: PersonID, to run: StoredRun) throws -> Bool {
        try pool.read { try isInvited(run.row, Data(person.bytes), $0) }
    }
}

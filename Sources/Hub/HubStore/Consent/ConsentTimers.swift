import Accounts
import Database
import Foundation
public import Seams
public import Vitals

/// Work that is done when its time has come (design rule 9): rows, so that a hub that was down does it late, and never forgets it.
public enum TimerKind: Int64, Sendable, Hashable, CaseIterable {
    /// A consent's deadline has passed; the subject is the consent.
    case consentDeadline = 1
    /// The recipient of a request is to be found out, apart from the request itself; the subject is the consent.
    case consentReach = 2
    /// The recipient of an offer to read is to be found out, apart from the offer itself; the subject is the offer.
    case offerReach = 40
    /// A request about a group is looked at: windows that closed, or the end of its time; the subject is the request.
    case groupRequest = 41
    /// A minor becomes of age; the subject is the person.
    case majority = 43
    /// The address of an account is replaced; the subject is the account.
    case addressChange = 44
    /// People are told of planned maintenance; the subject is the window and which announcement it is.
    case maintenance = 60
    /// A profile was changed, and the person's boxes are to hear of it; the subject is the person.
    case profileChanged = 61
    /// A person is reminded of a consent without an end; the subject is the consent.
    case consentReminder = 62
    /// PayPal is asked what became of a payment; the subject is the payment.
    case payment = 63
    /// The end of what was paid for comes nearer; the subject is the account.
    case entitlement = 64
}

/// A timer that is due.
public struct StoredTimer: Sendable, Hashable {
    public let kind: TimerKind
    /// 16 bytes that name what it is about.
    public let subject: [UInt8]
    /// UTC milliseconds.
    public let due: Milliseconds
    /// The work that set it; nil where that had no name.
    public let trace: LogTrace?
}

/// A name of work as a column holds it.
struct StoredTrace {
    /// nil for none.
    let column: Int64?

    /// That of the work that is done now.
    static var current: StoredTrace { StoredTrace(column: LogTrace.current.map { Int64(bitPattern: $0.number) }) }

    var trace: LogTrace? { column.map { LogTrace(UInt64(bitPattern: $0)) } }
}

extension TimerStore {
    /// The request that set a timer, for the log: one finds what became of it hours later.
    static let traces = Migration(name: "33 traces of timers", sql: "ALTER TABLE timer ADD COLUMN trace INTEGER;")

    /// Timers that are due, the oldest first. They come again after `lease` milliseconds as long as nobody removes or moves them.
    public func dueTimers(_ count: Int, lease: Milliseconds, now: Milliseconds) throws -> [StoredTimer] {
        let isAny = try pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM timer WHERE due <= ? AND lease <= ? LIMIT 1")
            return try statement.fetchOne(Bool.self, arguments: [now, now]) != nil
        }
        // Asked each second: mostly there is nothing to write.
        guard isAny else { return [] }
        return try pool.write { db in
            let rows = try db.fetchAll(
                sql: "SELECT kind, subject, due, trace FROM timer WHERE due <= ? AND lease <= ? ORDER BY due LIMIT ?",
                arguments: [now, now, count])
            return try rows.compactMap { row in
                try db.execute(
                    sql: "UPDATE timer SET lease = ? WHERE kind = ? AND subject = ?",
                    arguments: [now + lease, row[0] as Int64, row[1] as Data])
                // A newer hub's kind waits for that hub.
                guard let kind = TimerKind(rawValue: row[0]) else { return nil }
                return StoredTimer(kind: kind, subject: Array(row[1] as Data), due: row[2], trace: StoredTrace(column: row[3]).trace)
            }
        }
    }

    /// Nobody works at a timer any more: for the start of a hub, which is alone in its directory.
    public func releaseTimers() throws {
        try pool.write { try $0.execute(sql: "UPDATE timer SET lease = 0 WHERE lease <> 0") }
    }

    /// The number of timers that are late by more than `by` milliseconds: for the operator.
    public func lateTimers(by late: Milliseconds, now: Milliseconds) throws -> Int {
        try pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM timer WHERE due <= ?", arguments: [now - late]) ?? 0 }
    }

    /// So long whoever changed a profile has to tell it on, before the timer does. A hub that is killed meanwhile owes it still.
    static let profileGrace: Milliseconds = 5000

    func owe(profileOf account: StoredAccount, now: Milliseconds, _ db: Connection) throws {
        guard account.roles.contains(.person) else { return }
        let person = account.id.person, owed = try profileOwed(person, db)
        // Each change owes by an instant of its own: that an earlier one was told settles no later one.
        try setTimer(.profileChanged, Array(person.bytes), due: max(now + Self.profileGrace, (owed ?? .min / 2) + 1), db)
    }

    /// By when the person's boxes are to hear of the changed profile; nil where they have.
    public func profileOwed(_ person: PersonID) throws -> Milliseconds? {
        try pool.read { try profileOwed(person, $0) }
    }

    private func profileOwed(_ person: PersonID, _ db: Connection) throws -> Milliseconds? {
        try db.fetchOne(
            Milliseconds.self, sql: "SELECT due FROM timer WHERE kind = ? AND subject = ?",
            arguments: [TimerKind.profileChanged.rawValue, Data(person.bytes)])
    }

    /// The person's boxes will hear of the profile as it was when this much was owed: a later change is owed still.
    public func profileIsTold(_ person: PersonID, owed due: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM timer WHERE kind = ? AND subject = ? AND due = ?",
                arguments: [TimerKind.profileChanged.rawValue, Data(person.bytes), due])
        }
    }

    /// One timer of a kind and subject: a new instant replaces the old one, nil removes it.
    func setTimer(_ kind: TimerKind, _ subject: [UInt8], due: Milliseconds?, _ db: Connection) throws {
        guard let due else {
            try db.execute(sql: "DELETE FROM timer WHERE kind = ? AND subject = ?", arguments: [kind.rawValue, Data(subject)])
            return
        }
        try db.execute(
            sql: """
                INSERT INTO timer(kind, subject, due, trace) VALUES(?, ?, ?, ?)
                ON CONFLICT(kind, subject) DO UPDATE SET due = excluded.due, lease = 0, trace = excluded.trace
                """,
            arguments: [kind.rawValue, Data(subject), due, StoredTrace.current.column])
    }
}

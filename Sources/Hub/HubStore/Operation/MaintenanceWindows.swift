import Database
import Foundation
public import Vitals

extension Migration {
    /// `told` is what of an announcement is done: up to which account, and how many were told.
    static let maintenance = Migration(
        name: "12 maintenance windows",
        sql: """
            CREATE TABLE maintenance(id INTEGER PRIMARY KEY AUTOINCREMENT, begin INTEGER NOT NULL, end INTEGER NOT NULL,
                planned INTEGER NOT NULL, cancelled INTEGER);
            CREATE TABLE maintenance_told(window INTEGER NOT NULL REFERENCES maintenance, step INTEGER NOT NULL, upto BLOB,
                count INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(window, step)) WITHOUT ROWID;
            """)

    /// `end` and `window` are words of PostgreSQL's language.
    static let renamedColumns = Migration(
        name: "15 columns with names that every engine takes",
        sql: """
            ALTER TABLE maintenance RENAME COLUMN end TO ends;
            ALTER TABLE maintenance_told RENAME COLUMN window TO maintenance;
            """)

    /// What is swept and what is looked for, in indexes: nothing reads the whole of a table that grows.
    static let sweptRows = Migration(
        name: "16 indexes of what is swept",
        sql: """
            CREATE INDEX assertion_expires ON assertion(expires);
            CREATE INDEX session_expires ON session(expires);
            CREATE INDEX mail_link_expires ON mail_link(expires);
            CREATE INDEX notice_created ON notice(created);
            CREATE INDEX invited_time ON invited(time);
            CREATE INDEX agent_person_person ON agent_person(person);
            CREATE INDEX account_operator ON account(id) WHERE roles & 16 <> 0 AND confirmed IS NOT NULL;
            CREATE INDEX account_unconfirmed ON account(created) WHERE confirmed IS NULL;
            """)
}

/// A time in which the operator has the hub down (SOS-15). Times are UTC milliseconds.
public struct MaintenanceWindow: Sendable, Hashable {
    public let id: Int64
    public let begin: Milliseconds
    public let end: Milliseconds
    public let cancelled: Milliseconds?
    /// The number of announcements that went out.
    public let told: Int

    public var isPlanned: Bool { cancelled == nil }
}

/// When people hear of a window.
public enum MaintenanceStep: UInt8, Sendable, Hashable, CaseIterable {
    case planned = 0
    case twoDays = 1
    case oneHour = 2
    case cancelled = 3

    /// Milliseconds before the begin; nil: at once.
    public var ahead: Milliseconds? {
        switch self {
        case .planned, .cancelled: nil
        case .twoDays: 48 * 3_600_000
        case .oneHour: 3_600_000
        }
    }
}

extension MaintenanceStore {
    /// Plans a window, with the timers of its announcements; nil where another one is at that time.
    public func planMaintenance(begin: Milliseconds, end: Milliseconds, now: Milliseconds) throws -> Int64? {
        try pool.write { db in
            let isTaken = try db.fetchOne(
                Bool.self, sql: "SELECT 1 FROM maintenance WHERE cancelled IS NULL AND begin < ? AND ends > ?", arguments: [end, begin])
            guard isTaken == nil else { return nil }
            let id = try db.insert(
                sql: "INSERT INTO maintenance(begin, ends, planned) VALUES(?, ?, ?) RETURNING id", arguments: [begin, end, now])
            for step in [MaintenanceStep.planned, .twoDays, .oneHour] {
                let due = step.ahead.map { begin - $0 } ?? now
                // What would be told with the planning itself is not told twice.
                if step == .planned || due > now { try timers.setTimer(.maintenance, Self.subject(id, step), due: due, db) }
            }
            return id
        }
    }

    /// Everybody who heard of it hears that it does not take place. False where it began already, or there is none.
    public func cancelMaintenance(_ id: Int64, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE maintenance SET cancelled = ? WHERE id = ? AND cancelled IS NULL AND begin > ?", arguments: [now, id, now])
            guard db.changesCount == 1 else { return false }
            for step in MaintenanceStep.allCases { try timers.setTimer(.maintenance, Self.subject(id, step), due: nil, db) }
            try timers.setTimer(.maintenance, Self.subject(id, .cancelled), due: now, db)
            return true
        }
    }

    /// Those that are not over since long, by their begin.
    public func maintenance(endingAfter: Milliseconds) throws -> [MaintenanceWindow] {
        try pool.read { db in
            try db.fetchAll(sql: "\(Self.windows) WHERE ends > ? ORDER BY begin LIMIT 100", arguments: [endingAfter]).map(Self.window)
        }
    }

    private static let windows = """
        SELECT id, begin, ends, cancelled,
            (SELECT coalesce(sum(count), 0) FROM maintenance_told WHERE maintenance_told.maintenance = maintenance.id) FROM maintenance
        """

    private static func window(_ row: Row) -> MaintenanceWindow {
        MaintenanceWindow(id: row[0], begin: row[1], end: row[2], cancelled: row[3], told: row[4])
    }

    /// Tells the next accounts in the order of their identifiers, in one transaction with how far it got.
    /// - Returns: false when nobody is left: then the timer is gone.
    func tellMaintenance(_ window: MaintenanceWindow, _ step: MaintenanceStep, at most: Int, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            let upto = try db.fetchOne(
                Data.self, sql: "SELECT upto FROM maintenance_told WHERE maintenance = ? AND step = ?",
                arguments: [window.id, step.rawValue])
            let next = try db.fetchAll(
                Data.self, sql: "SELECT account FROM account WHERE account > ? AND confirmed IS NOT NULL ORDER BY account LIMIT ?",
                arguments: [upto ?? Data(), most])
            var count = 0
            for id in next.compactMap({ AccountID(bytes: $0) }) {
                guard let account = try accounts.account(id, db) else { continue }
                let kind: NoticeKind = step == .cancelled ? .maintenanceCancelled : .maintenancePlanned
                try notices.addNotice(kind, ["begin": "\(window.begin)", "end": "\(window.end)"], to: account, now: now, db)
                count += 1
            }
            if let last = next.last {
                try db.execute(
                    sql: """
                        INSERT INTO maintenance_told(maintenance, step, upto, count) VALUES(?1, ?2, ?3, ?4)
                        ON CONFLICT(maintenance, step) DO UPDATE SET upto = excluded.upto, count = maintenance_told.count + excluded.count
                        """, arguments: [window.id, step.rawValue, last, count])
            }
            guard next.count < most else { return true }
            try timers.setTimer(.maintenance, Self.subject(window.id, step), due: nil, db)
            return false
        }
    }

    /// Tells some of everybody with an account of a window; see ``tellMaintenance(_:_:at:now:)``.
    public func announceMaintenance(_ window: MaintenanceWindow, _ step: MaintenanceStep, now: Milliseconds) throws -> Bool {
        try tellMaintenance(window, step, at: Self.maintenanceSlice, now: now)
    }

    /// The timer of a step that is not needed any more.
    public func dropMaintenance(_ subject: [UInt8]) throws { try pool.write { try timers.setTimer(.maintenance, subject, due: nil, $0) } }

    /// Notices in one transaction: design rule 9 gives it 50 ms.
    private static let maintenanceSlice = 50

    static func subject(_ id: Int64, _ step: MaintenanceStep) -> [UInt8] {
        [UInt8](repeating: 0, count: 7) + [step.rawValue] + (0..<8).map { UInt8(truncatingIfNeeded: id >> (56 - 8 * Int64($0))) }
    }

    /// The subject of a timer.
    public func maintenance(of subject: [UInt8]) throws -> (window: MaintenanceWindow, step: MaintenanceStep)? {
        guard subject.count == 16, let step = MaintenanceStep(rawValue: subject[7]) else { return nil }
        let id = subject[8...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return try pool.read { db in
            try db.fetchOne(sql: "\(Self.windows) WHERE id = ?", arguments: [id]).map { (Self.window($0), step) }
        }
    }
}

import Database
public import Foundation
public import Vitals

/// When the way of an alarm is tested without anybody asking (SOS-19): every so many weeks, on a day, at an hour, where the person lives.
public struct SOSDrillPlan: Sendable, Hashable, Codable {
    /// 1 to 26.
    public var everyWeeks: Int
    /// 1 is Monday, 7 is Sunday (ISO 8601).
    public var weekday: Int
    /// 0 to 23, by the clocks of ``timeZone``.
    public var hour: Int
    /// IANA: `Europe/Rome`. The hub's own unless it is given.
    public var timeZone: String

    public static let weeks = 1...26, weekdays = 1...7, hours = 0...23

    public init(everyWeeks: Int, weekday: Int, hour: Int, timeZone: String = TimeZone.current.identifier) {
        (self.everyWeeks, self.weekday, self.hour, self.timeZone) = (everyWeeks, weekday, hour, timeZone)
    }

    public var isValid: Bool {
        Self.weeks.contains(everyWeeks) && Self.weekdays.contains(weekday) && Self.hours.contains(hour)
            && TimeZone(identifier: timeZone) != nil
    }

    private var calendar: Calendar? {
        guard isValid, let zone = TimeZone(identifier: timeZone) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        return calendar
    }

    /// The first time after `time`, UTC milliseconds; nil for a plan that is not valid.
    public func first(after time: Milliseconds) -> Milliseconds? {
        let parts = DateComponents(hour: hour, minute: 0, second: 0, weekday: weekday % 7 + 1)
        let start = Date(timeIntervalSince1970: Double(time) / 1000)
        return calendar?.nextDate(after: start, matching: parts, matchingPolicy: .nextTime).map {
            Milliseconds($0.timeIntervalSince1970 * 1000)
        }
    }

    /// The last time of the plan until `time`.
    fileprivate func hour(before time: Milliseconds) -> Milliseconds? {
        let parts = DateComponents(hour: hour, minute: 0, second: 0, weekday: weekday % 7 + 1)
        let end = Date(timeIntervalSince1970: Double(time + 1) / 1000)
        return calendar?.nextDate(after: end, matching: parts, matchingPolicy: .nextTime, direction: .backward).map {
            Milliseconds($0.timeIntervalSince1970 * 1000)
        }
    }

    /// The next one after the one at `due`, later than `now`: what was missed is not made up for.
    public func next(after due: Milliseconds, now: Milliseconds) -> Milliseconds? {
        guard let calendar else { return nil }
        var date = Date(timeIntervalSince1970: Double(due) / 1000)
        let end = Date(timeIntervalSince1970: Double(now) / 1000)
        for _ in 0..<10_000 {
            guard let next = calendar.date(byAdding: .day, value: 7 * everyWeeks, to: date) else { return nil }
            date = next
            if date > end { return Milliseconds(date.timeIntervalSince1970 * 1000) }
        }
        return first(after: now)
    }
}

/// Many choose the same hour: each person has a place of their own within it, always the same, so that their tests are spread.
extension SOSDrillPlan {
    /// The last place of an hour, so that a test is over when the hour is, milliseconds.
    static let spread: Milliseconds = 3_300_000

    static func offset(for person: PersonID) -> Milliseconds { Milliseconds(person.low % UInt64(spread)) }

    /// The first test of a person after `time`, UTC milliseconds; nil for a plan that is not valid.
    public func first(after time: Milliseconds, for person: PersonID) -> Milliseconds? {
        let offset = Self.offset(for: person)
        return first(after: time - offset).map { $0 + offset }
    }

    /// The test of a person behind the one at `due`, later than `now`.
    public func next(after due: Milliseconds, for person: PersonID, now: Milliseconds) -> Milliseconds? {
        let offset = Self.offset(for: person)
        return next(after: place(of: due, for: person) - offset, now: now - offset).map { $0 + offset }
    }

    /// The person's place in the hour of a timer that may stand at the full hour, as older hubs set it, or later, where it waited.
    public func place(of due: Milliseconds, for person: PersonID) -> Milliseconds {
        let offset = Self.offset(for: person)
        for hour in [due - offset, due] where first(after: hour - 1) == hour { return hour + offset }
        return hour(before: due).map { $0 + offset } ?? due
    }
}

/// A plan with its timer.
public struct SOSPlannedDrill: Sendable, Hashable {
    public let person: PersonID
    public let plan: SOSDrillPlan
    /// UTC milliseconds.
    public let due: Milliseconds
}

extension SOSStore {
    /// Sets the plan and its timer, or with nil takes both away, and writes down who did it.
    public func setDrillPlan(
        _ plan: SOSDrillPlan?, due: Milliseconds, of person: PersonID, by account: AccountID, now: Milliseconds
    ) throws {
        let what = plan.map { "drill: \($0.everyWeeks) w, \($0.weekday), \($0.hour):00 \($0.timeZone)" } ?? "drill: -"
        try pool.write { db in
            let id = Data(person.bytes)
            if let plan {
                try db.execute(
                    sql: """
                        INSERT INTO drill(person, due, envelope) VALUES(?, ?, ?)
                        ON CONFLICT(person) DO UPDATE SET due = excluded.due, envelope = excluded.envelope
                        """,
                    arguments: [id, due, try seal(plan, of: person, .sosDrill)])
            } else {
                try db.execute(sql: "DELETE FROM drill WHERE person = ?", arguments: [id])
                guard db.changesCount > 0 else { return }
            }
            try db.execute(
                sql: "INSERT INTO change(person, time, envelope) VALUES(?, ?, ?)",
                arguments: [id, now, try seal(SOSChange(time: now, by: account, what: [what]), of: person, .sosChange)])
        }
    }

    public func drill(of person: PersonID) throws -> SOSPlannedDrill? {
        try pool.read { db in
            try db.fetchOne(sql: "SELECT person, due, envelope FROM drill WHERE person = ?", arguments: [Data(person.bytes)])
                .flatMap(planned)
        }
    }

    /// Timers that are due, the oldest first. One that cannot be read is told, and takes no other one's turn.
    public func drillsDue(_ max: Int, now: Milliseconds) throws -> [SOSPlannedDrill] {
        try pool.read { db in
            let rows = try db.fetchCursor(sql: "SELECT person, due, envelope FROM drill WHERE due <= ? ORDER BY due", arguments: [now])
            var due: [SOSPlannedDrill] = []
            while due.count < max, let row = try rows.next() {
                let person = PersonID(bytes: row[0] as Data)
                if let drill = try unlessDamaged(.sosDrill, person?.description ?? "?", { try planned(row) }) { due.append(drill) }
            }
            return due
        }
    }

    /// Sets a timer on, unless the plan was changed meanwhile.
    public func moveDrill(_ drill: SOSPlannedDrill, to due: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE drill SET due = ? WHERE person = ? AND due = ?", arguments: [due, Data(drill.person.bytes), drill.due])
        }
    }

    private func planned(_ row: Row) throws -> SOSPlannedDrill? {
        guard let person = PersonID(bytes: row[0] as Data), let plan = try open(SOSDrillPlan.self, row[2], of: person, .sosDrill) else {
            return nil
        }
        return SOSPlannedDrill(person: person, plan: plan, due: row[1])
    }
}

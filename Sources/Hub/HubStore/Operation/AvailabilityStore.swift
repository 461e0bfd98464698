import Database
public import Seams
public import Vitals

/// What availability is measured of.
public enum MeasuredService: UInt8, Sendable, Hashable, CaseIterable {
    case data4Help = 1
    case automatedSOS = 2
    case track4Run = 3
}

/// A time in which a service was not there. Times are UTC milliseconds.
public struct Outage: Sendable, Hashable {
    public enum Kind: UInt8, Sendable, Hashable {
        case unplanned = 0
        /// In a window of maintenance that was announced 48 hours ahead.
        case planned = 1
        /// The hub's clock was set: what was meanwhile is not known.
        case unmeasured = 2
    }

    public let service: MeasuredService
    public let begin: Milliseconds
    public let end: Milliseconds
    public let kind: Kind

    public init(service: MeasuredService, begin: Milliseconds, end: Milliseconds, kind: Kind) {
        (self.service, self.begin, self.end, self.kind) = (service, begin, end, kind)
    }
}

/// Since when and until when a service was measured, and when it was not there. A hub that is down writes nothing: the silence is the outage.
public struct AvailabilityStore: SubjectStore {
    let accounts: AccountStore

    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }

    static let migration = Migration(
        name: "36 measured availability",
        sql: """
            CREATE TABLE measured(service INTEGER PRIMARY KEY, since INTEGER NOT NULL, upto INTEGER NOT NULL);
            CREATE TABLE outage(service INTEGER NOT NULL, begin INTEGER NOT NULL, ends INTEGER NOT NULL, kind INTEGER NOT NULL,
                PRIMARY KEY(service, begin)) WITHOUT ROWID;
            """)

    /// Notes how the services are. What lies between two notes was as the second one says.
    /// - Parameters:
    ///   - down: those that are not there.
    ///   - now: UTC milliseconds.
    ///   - silence: a longer time without a note is an outage of all.
    ///   - elapsed: what a clock that nobody sets says of the time since the last note; nil for the first one of a hub.
    public func note(
        down: Set<MeasuredService>, at now: Milliseconds, silence: Milliseconds, elapsed: Milliseconds?
    ) throws {
        try pool.write { db in
            for service in MeasuredService.allCases {
                let upto = try db.fetchOne(
                    Milliseconds.self, sql: "SELECT upto FROM measured WHERE service = ?", arguments: [service.rawValue])
                guard let upto else {
                    try db.execute(
                        sql: "INSERT INTO measured(service, since, upto) VALUES(?, ?, ?)", arguments: [service.rawValue, now, now])
                    continue
                }
                // A clock that was set back: measured again from where it was.
                guard now > upto else { continue }
                let isSet = elapsed.map { now - upto > $0 + silence } ?? false
                if isSet {
                    try add(Outage(service: service, begin: upto, end: now, kind: .unmeasured), db)
                } else if now - upto > silence || down.contains(service) {
                    for outage in try split(service, upto, now, db) { try add(outage, db) }
                }
                try db.execute(sql: "UPDATE measured SET upto = ? WHERE service = ?", arguments: [now, service.rawValue])
            }
        }
    }

    /// What of an outage was announced.
    private func split(_ service: MeasuredService, _ begin: Milliseconds, _ end: Milliseconds, _ db: Connection) throws -> [Outage] {
        let windows = try db.fetchAll(
            sql: """
                SELECT begin, ends FROM maintenance WHERE cancelled IS NULL AND begin - planned >= ? AND begin < ? AND ends > ?
                ORDER BY begin
                """, arguments: [MaintenanceStep.twoDays.ahead ?? 0, end, begin]
        ).map { row in (begin: row[0] as Milliseconds, end: row[1] as Milliseconds) }
        var outages: [Outage] = [], time = begin
        for window in windows {
            let (from, to) = (max(window.begin, time), min(window.end, end))
            guard from < to else { continue }
            if from > time { outages.append(Outage(service: service, begin: time, end: from, kind: .unplanned)) }
            outages.append(Outage(service: service, begin: from, end: to, kind: .planned))
            time = to
        }
        if time < end { outages.append(Outage(service: service, begin: time, end: end, kind: .unplanned)) }
        return outages
    }

    /// One that goes on becomes longer.
    private func add(_ outage: Outage, _ db: Connection) throws {
        let last = try db.fetchOne(
            sql: "SELECT begin, ends, kind FROM outage WHERE service = ? AND begin < ? ORDER BY begin DESC LIMIT 1",
            arguments: [outage.service.rawValue, outage.end])
        if let last, last[1] as Milliseconds == outage.begin, last[2] as UInt8 == outage.kind.rawValue {
            try db.execute(
                sql: "UPDATE outage SET ends = ? WHERE service = ? AND begin = ?",
                arguments: [outage.end, outage.service.rawValue, last[0] as Milliseconds])
        } else {
            try db.execute(
                sql: """
                    INSERT INTO outage(service, begin, ends, kind) VALUES(?, ?, ?, ?)
                    ON CONFLICT(service, begin) DO UPDATE SET ends = excluded.ends, kind = excluded.kind
                    """, arguments: [outage.service.rawValue, outage.begin, outage.end, outage.kind.rawValue])
        }
    }

    /// Since when and until when a service was measured, UTC milliseconds; nil before the first note.
    public func measured(_ service: MeasuredService) throws -> ClosedRange<Milliseconds>? {
        try pool.read { db in
            try db.fetchOne(sql: "SELECT since, upto FROM measured WHERE service = ?", arguments: [service.rawValue])
                .map { row in (row[0] as Milliseconds)...max(row[0] as Milliseconds, row[1] as Milliseconds) }
        }
    }

    /// The outages of a service that began at a time or later, by their begin.
    public func outages(of service: MeasuredService, since: Milliseconds) throws -> [Outage] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT begin, ends, kind FROM outage WHERE service = ? AND begin >= ? ORDER BY begin",
                arguments: [service.rawValue, since]
            ).compactMap { row in
                Outage.Kind(rawValue: row[2]).map { Outage(service: service, begin: row[0], end: row[1], kind: $0) }
            }
        }
    }

    /// Forgets outages that ended before a time, and begins the measured time there.
    public func forget(before: Milliseconds) throws {
        try pool.write { db in
            for service in MeasuredService.allCases {
                try db.execute(
                    sql: "DELETE FROM outage WHERE service = ? AND begin < ? AND ends <= ?",
                    arguments: [service.rawValue, before, before])
                try db.execute(
                    sql: "UPDATE measured SET since = ? WHERE service = ? AND since < ?", arguments: [before, service.rawValue, before])
            }
        }
    }
}

extension AccountStore {
    public var availability: AvailabilityStore { AvailabilityStore(accounts: self) }
}

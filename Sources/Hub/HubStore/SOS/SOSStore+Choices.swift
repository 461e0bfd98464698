import Database
public import Distress
import Foundation
import Synchronization
public import Vitals

extension SOSStore {
    /// A person's choice; the default for one who chose nothing.
    public func choice(of person: PersonID) throws -> SOSChoice { try pool.read { try choice(of: person, $0) } }

    private func choice(of person: PersonID, _ db: Connection) throws -> SOSChoice {
        let row = try db.fetchOne(sql: "SELECT envelope FROM choice WHERE person = ?", arguments: [Data(person.bytes)])
        return try row.flatMap { try open(SOSChoice.self, $0[0], of: person, .sosChoice) } ?? SOSChoice()
    }

    /// Everybody who turned it on.
    public func peopleWatched() throws -> [PersonID] {
        try pool.read { try $0.fetchAll(Data.self, sql: "SELECT person FROM choice WHERE is_on = 1").compactMap { PersonID(bytes: $0) } }
    }

    /// Changes what a person chose, and writes down who did it.
    /// - Parameter change: reads what holds and changes it; what it says was changed is logged.
    /// - Returns: what holds now, with a version of its own.
    @discardableResult
    public func change(
        _ person: PersonID, by account: AccountID?, now: Milliseconds, _ change: (inout SOSChoice) throws -> [String]
    ) throws -> SOSChoice {
        let changed = try pool.write { db in
            let old = try choice(of: person, db)
            var choice = old
            let what = try change(&choice)
            guard choice != old else { return old }
            // One count for everybody: a box with several people has one version.
            choice.version = (try db.fetchOne(Int.self, sql: "SELECT max(version) FROM choice") ?? 0) + 1
            choice.life = life
            if account != nil { (choice.changedAt, choice.changedBy) = (now, account) }
            try db.execute(
                sql: """
                    INSERT INTO choice(person, version, is_on, envelope) VALUES(?, ?, ?, ?)
                    ON CONFLICT(person) DO UPDATE SET version = excluded.version, is_on = excluded.is_on, envelope = excluded.envelope
                    """,
                arguments: [Data(person.bytes), choice.version, choice.inForce.isOn, try seal(choice, of: person, .sosChoice)])
            try db.execute(
                sql: """
                    INSERT INTO life(incarnation, version) VALUES(?, ?)
                    ON CONFLICT(incarnation) DO UPDATE SET version = excluded.version
                    """, arguments: [Data(life.bytes), choice.version])
            if let account, !what.isEmpty {
                let sealed = try seal(SOSChange(time: now, by: account, what: what), of: person, .sosChange)
                try db.execute(
                    sql: "INSERT INTO change(person, time, envelope) VALUES(?, ?, ?)", arguments: [Data(person.bytes), now, sealed])
            }
            return choice
        }
        if changed.life == life { lives.withLock { $0.last[life] = max($0.last[life] ?? 0, changed.version) } }
        return changed
    }

    // MARK: Lives of the hub

    static func lives(_ db: Connection) throws -> (last: [HubIncarnation: Int], first: HubIncarnation?) {
        let rows = try db.fetchAll(sql: "SELECT incarnation, version FROM life ORDER BY id")
        let all = rows.compactMap { row in HubIncarnation(bytes: row[0] as Data).map { ($0, row[1] as Int) } }
        return (Dictionary(all, uniquingKeysWith: max), all.first?.0)
    }

    /// Which change a person's choices are.
    public func origin(of choice: SOSChoice, by name: String?) -> SettingsOrigin {
        SettingsOrigin(hub: choice.life ?? lives.withLock { $0.first }, version: choice.version, time: choice.changedAt, by: name)
    }

    /// Whether a change that a box holds is part of this database's history, or was decided about. What is not, was lost when a backup was restored.
    /// - Parameters:
    ///   - choice: the person's.
    ///   - versionOfBox: the highest version of all people of the box: what it has of release 0.3.0 counts by that.
    public func knows(_ origin: SettingsOrigin, _ choice: SOSChoice, versionOfBox: Int) -> Bool {
        if origin.version <= 0 || choice.accepted?.contains(where: { $0.covers(origin) }) == true { return true }
        if choice.copies?.contains(where: { $0.origin.covers(origin) }) == true { return false }
        guard let hub = origin.hub else { return origin.version <= versionOfBox }
        guard let last = lives.withLock({ $0.last[hub] }) else { return false }
        return origin.version <= min(last, choice.version)
    }

    /// The changes with their actors, the newest first.
    public func changes(of person: PersonID, count: Int = 50) throws -> [SOSChange] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT id, envelope FROM change WHERE person = ? ORDER BY id DESC LIMIT ?", arguments: [Data(person.bytes), count]
            ).compactMap { row in
                try unlessDamaged(.sosChange, row[0] as Int64) { try open(SOSChange.self, row[1], of: person, .sosChange) }
            }
        }
    }

    // MARK: Consent to calls

    /// The consent that runs; nil for none.
    public func consent(of person: PersonID) throws -> SOSConsent? {
        try pool.read { db in
            let row = try db.fetchOne(
                sql: "SELECT giver, document, given FROM consent WHERE person = ? AND ended IS NULL", arguments: [Data(person.bytes)])
            guard let row, let giver = AccountID(bytes: row[0] as Data) else { return nil }
            return SOSConsent(giver: giver, document: row[1], given: row[2])
        }
    }

    /// Gives it, or with nil ends it. Records are kept.
    public func setConsent(_ consent: SOSConsent?, of person: PersonID, now: Milliseconds) throws {
        try pool.write { db in
            let id = Data(person.bytes)
            try db.execute(sql: "UPDATE consent SET ended = ? WHERE person = ? AND ended IS NULL", arguments: [now, id])
            guard let consent else { return }
            try db.execute(
                sql: "INSERT INTO consent(person, giver, document, given) VALUES(?, ?, ?, ?)",
                arguments: [id, Data(consent.giver.bytes), consent.document, consent.given])
        }
    }
}

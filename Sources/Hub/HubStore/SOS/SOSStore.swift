import Database
public import Distress
@_exported public import EmergencyDispatch
import Foundation
import Seams
import Synchronization
public import Vitals

/// AutomatedSOS's data in the hub, in a database of its own (see ``Migration/sos``). Everything that tells of somebody is sealed with their
/// key: a deleted person's cases cannot be read, in no backup either.
public final class SOSStore: Sendable, SealingStore {
    let pool: DatabasePool
    let keys: KeyStore
    /// The life of the hub that this process is. A restored copy is opened by another process: what that changes never looks like a change that was
    /// lost with the restore.
    let life: HubIncarnation
    /// The highest version that each life of the hub gave, as far as this database knows; and the life of what release 0.3.0 stored.
    let lives: Mutex<(last: [HubIncarnation: Int], first: HubIncarnation?)>
    private let erased = Mutex<(@Sendable (PersonID) -> Void)?>(nil)

    /// Has somebody told when a deleted person's rows are gone.
    public func tellErased(_ tell: @escaping @Sendable (PersonID) -> Void) { erased.withLock { $0 = tell } }

    public init(_ directory: HubDirectory, keys: KeyStore) throws {
        (self.keys, life) = (keys, keys.machine.randomness.id())
        pool = try directory.open("sos", pageSize: 4096, migrations: Migration.sos)
        lives = Mutex(try pool.read(Self.lives))
    }

    // MARK: Cases

    /// The changes of one decision about one person: stored together or not at all.
    public struct Change: Sendable {
        public var person: PersonID
        public var state: SOSWatchState?
        public var incident: SOSCase?
        /// Only where there is none of this name yet: a test, or what is told behind the end, replaces no record of a real case.
        public var isOnlyNew: Bool
        /// What belongs to a case that is stored: nothing else of that changes.
        public var joined: (to: IncidentID, what: SOSCase.Joined)?

        public init(
            person: PersonID, state: SOSWatchState? = nil, incident: SOSCase? = nil, isOnlyNew: Bool = false,
            joined: (IncidentID, SOSCase.Joined)? = nil
        ) {
            (self.person, self.state, self.incident, self.isOnlyNew) = (person, state, incident, isOnlyNew)
            self.joined = joined
        }
    }

    /// Stores many people's changes with one commit. Somebody whose key is gone is left out; when it throws, nothing is stored.
    public func save(_ changes: [Change]) throws {
        try pool.write { db in
            for change in changes where try keys.key(of: change.person) != nil {
                if let state = change.state { try save(state, of: change.person, db) }
                if let incident = change.incident, try !(change.isOnlyNew && isKnown(incident.id, db)) { try save(incident, db) }
                if let joined = change.joined, var incident = try incident(joined.to, db) {
                    incident.join(joined.what)
                    try save(incident, db)
                }
            }
        }
    }

    private func save(_ state: SOSWatchState, of person: PersonID, _ db: Connection) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO watch(person, journal, envelope) VALUES(?, ?, ?)
                ON CONFLICT(person) DO UPDATE SET journal = excluded.journal, envelope = excluded.envelope
                """
        ).execute(
            arguments: [Data(person.bytes), state.journal, try seal(state, of: person, .sosWatch)])
        if let last = state.last { try save(last.aliases ?? [], of: last.id, person, db) }
    }

    private func save(_ aliases: [IncidentID], of id: IncidentID, _ person: PersonID, _ db: Connection) throws {
        let alias = try db.cachedStatement(sql: "INSERT INTO alias(alias, incident, person) VALUES(?, ?, ?) ON CONFLICT DO NOTHING")
        for other in aliases { try alias.execute(arguments: [Data(other.bytes), Data(id.bytes), Data(person.bytes)]) }
    }

    private func isKnown(_ id: IncidentID, _ db: Connection) throws -> Bool {
        try db.fetchOne(
            Bool.self, sql: "SELECT 1 FROM incident WHERE incident = ?1 UNION ALL SELECT 1 FROM alias WHERE alias = ?1",
            arguments: [Data(id.bytes)]) != nil
    }

    private func save(_ incident: SOSCase, _ db: Connection) throws {
        let id = Data(incident.id.bytes), person = Data(incident.person.bytes)
        let sealed = try seal(incident, of: incident.person, .sosCase, (incident.id.high, incident.id.low))
        let isOpen = incident.isOpen && !incident.isTest
        try db.cachedStatement(
            sql: """
                INSERT INTO incident(incident, person, opened, is_open, due, envelope) VALUES(?, ?, ?, ?, ?, ?)
                ON CONFLICT(incident) DO UPDATE SET is_open = excluded.is_open, due = excluded.due, envelope = excluded.envelope
                """
        ).execute(arguments: [id, person, incident.opened, isOpen, incident.due, sealed])
        try save(incident.alarm.aliases, of: incident.id, incident.person, db)
    }

    /// Cases at which something is still to be done, and every state: for the start of a hub. What cannot be read does not keep the rest, and is told.
    public func everything() throws -> (states: [PersonID: SOSWatchState], cases: [SOSCase], problems: [String]) {
        try pool.read { db in
            var states: [PersonID: SOSWatchState] = [:], cases: [SOSCase] = [], problems: [String] = []
            for row in try db.fetchAll(sql: "SELECT person, envelope FROM watch") {
                guard let person = PersonID(bytes: row[0] as Data) else { continue }
                do { states[person] = try open(SOSWatchState.self, row[1], of: person, .sosWatch) } catch {
                    problems.append("the state of detection of person \(person): \(error)")
                    // What another version stored: a case or a question that is open goes on.
                    if let kept = try? open(SOSWatchState.Kept.self, row[1], of: person, .sosWatch) { states[person] = kept.state }
                }
                if let unread = states[person]?.watch.unread, !unread.isEmpty {
                    problems.append("of the state of detection of person \(person): \(unread.joined(separator: ", ")), which begins anew")
                }
            }
            let rows = try db.fetchAll(
                sql: "SELECT person, incident, envelope FROM incident WHERE is_open = 1 OR due IS NOT NULL ORDER BY id")
            for row in rows {
                do { if let item = try opened(row) { cases.append(item) } } catch {
                    problems.append("a case of person \(PersonID(bytes: row[0] as Data)?.description ?? "?"): \(error)")
                }
            }
            return (states, cases, problems)
        }
    }

    /// The newest cases of a person, also those that are over.
    public func cases(of person: PersonID, count: Int = 50) throws -> [SOSCase] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT person, incident, envelope FROM incident WHERE person = ? ORDER BY id DESC LIMIT ?",
                arguments: [Data(person.bytes), count]
            ).compactMap(listed)
        }
    }

    /// The case that goes by this name, or by it as an alias.
    public func incident(_ id: IncidentID) throws -> SOSCase? { try pool.read { try incident(id, $0) } }

    private func incident(_ id: IncidentID, _ db: Connection) throws -> SOSCase? {
        try db.fetchOne(
            sql: """
                SELECT person, incident, envelope FROM incident
                WHERE incident = ?1 OR incident = (SELECT incident FROM alias WHERE alias = ?1)
                """, arguments: [Data(id.bytes)]
        ).flatMap(opened)
    }

    /// The numbers of all cases, and of open ones: for the operator and tests.
    public func counts() throws -> (all: Int, open: Int) {
        try pool.read { db in
            (
                try db.fetchOne(Int.self, sql: "SELECT count(*) FROM incident") ?? 0,
                try db.fetchOne(Int.self, sql: "SELECT count(*) FROM incident WHERE is_open = 1") ?? 0
            )
        }
    }

    /// For lists: nil also for one that does not open, which is told.
    func listed(_ row: Row) throws -> SOSCase? {
        try unlessDamaged(.sosCase, IncidentID(bytes: row[1] as Data)?.description ?? "?") { try opened(row) }
    }

    func opened(_ row: Row) throws -> SOSCase? {
        guard let person = PersonID(bytes: row[0] as Data), let id = IncidentID(bytes: row[1] as Data) else { return nil }
        do { return try open(SOSCase.self, row[2], of: person, .sosCase, (id.high, id.low)) } catch let error as DecodingError {
            // What another version stored: the alarm is called about, whoever was told before.
            guard let kept = try? open(SalvagedCase.self, row[2], of: person, .sosCase, (id.high, id.low)) else { throw error }
            return kept.item
        }
    }

    // MARK: Deletion

    /// People whose key was destroyed and of whom rows are left.
    public func deletedWithRows() throws -> [PersonID] {
        try pool.read { db in
            try Self.tables.reduce(into: Set<PersonID>()) { found, table in
                for row in try db.fetchAll(Data.self, sql: "SELECT DISTINCT person FROM \(table)") {
                    if let person = PersonID(bytes: row), try keys.isDeleted(person) { found.insert(person) }
                }
            }.sorted()
        }
    }

    public func erase(_ person: PersonID) throws {
        guard try keys.isDeleted(person) else { return }
        try pool.write { db in
            for table in Self.tables { try db.execute(sql: "DELETE FROM \(table) WHERE person = ?", arguments: [Data(person.bytes)]) }
        }
        erased.withLock(\.self)?(person)
    }

    static let tables = ["choice", "change", "consent", "incident", "alias", "watch", "drill"]
}

import Crypto
import Database
import Foundation
public import Privacy
public import Seams
import Synchronization
public import Vitals

/// People, links and the hub's own identity. Agents and tokens are in its extension.
public final class AccountStore: Sendable, SealingStore {
    let pool: DatabasePool
    let keys: KeyStore
    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }
    public var randomness: Randomness { keys.machine.randomness }
    /// Changes with each new or restored database.
    public let incarnation: HubIncarnation
    let blindIndexKey: SymmetricKey
    /// Keys of sign-ups that came to nothing, for ``forgetUnconfirmedAccounts(before:now:)``: nothing was stored with them that remains.
    let abandonedKeys = Mutex<Set<PersonID>>([])
    private let profileListeners = Mutex<[@Sendable (PersonID) -> Void]>([])
    private let personRows = Mutex<[PersonID: Int64]>([:])
    let consentCache = ConsentCache()
    let pseudonymCache = PseudonymCache()
    let recordedReads = RecordedReads()

    /// Has somebody told of each profile that was changed, its language included, after the commit.
    public func listenToProfiles(_ listener: @escaping @Sendable (PersonID) -> Void) { profileListeners.withLock { $0.append(listener) } }

    func tellProfileChanged(_ person: PersonID) { for listener in profileListeners.withLock({ $0 }) { listener(person) } }

    public init(_ directory: HubDirectory, keys: KeyStore) throws {
        self.keys = keys
        blindIndexKey = SymmetricKey(data: keys.derived("blind index"))
        pool = try directory.open("accounts", pageSize: 4096, migrations: Migration.accounts)
        try pool.overwriteDeleted()
        incarnation = try pool.write { db in
            let made = keys.machine.randomness.id(HubIncarnation.self)
            try db.execute(
                sql: "INSERT INTO meta(key, value) VALUES('incarnation', ?) ON CONFLICT DO NOTHING", arguments: [Data(made.bytes)])
            let bytes = try db.fetchOne(Data.self, sql: "SELECT value FROM meta WHERE key = 'incarnation'")
            return bytes.flatMap { HubIncarnation(bytes: $0) } ?? made
        }
    }

    /// A secret of this hub that is made with its database: `name` tells what for.
    public func secret(_ name: String) throws -> [UInt8] {
        try pool.write { db in
            let made = Data(randomness.bytes(32))
            try db.execute(sql: "INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT DO NOTHING", arguments: [name, made])
            return Array(try db.fetchOne(Data.self, sql: "SELECT value FROM meta WHERE key = ?", arguments: [name]) ?? made)
        }
    }

    /// What stands under a name since it was first asked for; `value` from now on where nothing does.
    public func known(_ name: String, _ value: [UInt8]) throws -> [UInt8] {
        try pool.write { db in
            try db.execute(sql: "INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT DO NOTHING", arguments: [name, Data(value)])
            return Array(try db.fetchOne(Data.self, sql: "SELECT value FROM meta WHERE key = ?", arguments: [name]) ?? Data(value))
        }
    }

    /// See ``KeyStore/derived(_:)``.
    public func derivedKey(_ use: String) -> [UInt8] { keys.derived(use) }

    // MARK: People

    public struct Person: Sendable, Hashable {
        public let id: PersonID
        public let name: String
        public let created: Milliseconds
    }

    /// Makes a person. Accounts with log-in come on top of this.
    /// - Parameter name: what readers see; 1 to 100 characters.
    public func addPerson(name: String, now: Milliseconds) throws -> Person {
        let person = randomness.id(PersonID.self)
        try pool.write { try insertPerson(person, name: name, now: now, $0) }
        return Person(id: person, name: name, created: now)
    }

    func insertPerson(_ person: PersonID, name: String, now: Milliseconds, _ db: Connection) throws {
        try db.execute(
            sql: "INSERT INTO person(person, name, created) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [Data(person.bytes), try sealedName(name, of: person), now])
    }

    func renamePerson(_ person: PersonID, name: String, _ db: Connection) throws {
        try db.execute(
            sql: "UPDATE person SET name = ? WHERE person = ?", arguments: [try sealedName(name, of: person), Data(person.bytes)])
    }

    private func sealedName(_ name: String, of person: PersonID) throws -> Data {
        guard let key = try keys.key(of: person) else { throw HubStoreError.unknownPerson(person.description) }
        return Data(try Envelope.seal(Array(name.utf8), with: key, at: .init(person: person, table: .name, row: (0, 0))))
    }

    public func people() throws -> [Person] {
        try pool.read { db in
            try db.fetchAll(sql: "SELECT person, name, created FROM person ORDER BY id").compactMap(person)
        }
    }

    /// The person with this identifier; nil when there is none.
    public func person(_ id: PersonID) throws -> Person? {
        try pool.read { db in
            try db.fetchOne(sql: "SELECT person, name, created FROM person WHERE person = ?", arguments: [Data(id.bytes)])
                .flatMap(person)
        }
    }

    private func person(_ row: Row) throws -> Person? {
        guard let id = PersonID(bytes: row[0] as Data), let key = try keys.key(of: id) else { return nil }
        let name = try Envelope.open(row[1] as Data, with: key, at: .init(person: id, table: .name, row: (0, 0)))
        return Person(id: id, name: String(decoding: name, as: UTF8.self), created: row[2])
    }

    /// The number under which the series keep this person; nil for an unknown one.
    public func row(of person: PersonID) throws -> Int64? {
        if let row = personRows.withLock({ $0[person] }) { return row }
        // Also called within `reading`.
        let row = try pool.readWithinRead {
            try $0.fetchOne(Int64.self, sql: "SELECT id FROM person WHERE person = ?", arguments: [Data(person.bytes)])
        }
        if let row { personRows.withLock { $0[person] = row } }
        return row
    }

    func people(rows: some Sequence<Int64>) throws -> [Int64: PersonID] {
        try pool.read { db in
            var people: [Int64: PersonID] = [:]
            let statement = try db.cachedStatement(sql: "SELECT person FROM person WHERE id = ?")
            for row in rows {
                if let bytes = try statement.fetchOne(Data.self, arguments: [row]), let id = PersonID(bytes: bytes) { people[row] = id }
            }
            return people
        }
    }

    /// Runs `body` in a transaction in which the grant holds; nil when it does not hold any more (design rule 10).
    public func reading<Value>(_ grant: Grant, now: Milliseconds, _ body: () throws -> Value) throws -> Value? {
        switch grant.ground {
        case .system: return try body()
        // Upheld by the store of cases alone: see `EmergencyReader`.
        case .sos, .sosLastPosition: return nil
        // Upheld by the store of runs alone, and no series is read by it: see `WorkoutStore.workoutGrant(of:to:)`.
        case .friend: return nil
        case .own, .guardian, .caregiver, .consent, .named, .delivered, .run, .runPublic:
            return try pool.read { try consents.upholds(grant, now: now, $0) ? try body() : nil }
        case .link(let hash):
            return try pool.read { db in
                guard let session = try LinkStore.linkSession(hash: Data(hash), db), session.grant(at: now) == grant else { return nil }
                return try body()
            }
        }
    }
}

/// Secrets that are shown once and kept as a hash: 128 random bits need no slow hash.
enum Secret {
    static func make(_ randomness: Randomness) -> String { randomness.id(StreamID.self).description }
    static func hash(_ secret: String) -> Data { Data(SHA256.hash(data: Data(secret.utf8))) }
}

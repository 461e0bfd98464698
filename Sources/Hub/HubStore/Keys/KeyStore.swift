import Crypto
import Database
public import Foundation
public import Seams
import Synchronization
import Vitals

/// The keys of the persons, each wrapped by the hub's master key, in a database of their own: destroying a row is deleting the data,
/// in backups too. Its backup is its latest state only.
public final class KeyStore: Sendable {
    let pool: DatabasePool
    let master: MasterKey
    /// The machine that the hub was built on: the other stores take theirs from here.
    let machine: Machine
    private let cache = Mutex(Cache())
    /// Rows of all stores over these keys that do not open.
    public let unreadable = UnreadableRows()

    private struct Cache {
        var keys: [PersonID: PersonKey] = [:]
        /// Whose key was destroyed, or is being destroyed: a thread that read it a moment ago must not keep it.
        var destroyed: Set<PersonID> = []
        /// The state of the file that `keys` was read from; another process may change it.
        var version = -1
    }

    /// The name of the master key's file in the hub's directory.
    public static let masterKeyFile = "master.key"
    /// The name under which systemd hands the master key to the service (`LoadCredential=`).
    public static let masterKeyCredential = "trackme-master-key"

    /// Opens the store. The master key comes from the systemd credential where there is one, else from the file, which is made with
    /// the first start.
    /// - Parameter machine: also of the stores over this one.
    public init(
        _ directory: HubDirectory, environment: [String: String] = ProcessInfo.processInfo.environment, machine: Machine = .system
    ) throws {
        self.machine = machine
        pool = try directory.open("keys", pageSize: 4096, migrations: Migration.keys)
        // What is deleted here is overwritten, not only unlinked.
        try pool.overwriteDeleted()
        master = try MasterKey.open(directory, pool, environment: environment, machine)
        if master.wrappedRoot == nil { try checkOneKey() }
    }

    /// Without a wrapped root only a person's key shows whether the master key is theirs: new people would get keys of a wrong one.
    private func checkOneKey() throws {
        guard let row = try pool.read({ try $0.fetchOne(sql: "SELECT person, key, wrapped FROM person_key LIMIT 1") }),
            let person = PersonID(bytes: row[0] as Data)
        else { return }
        do { _ = try unwrap(row[2] as Data, number: UInt32(truncatingIfNeeded: row[1] as Int64), of: person) } catch {
            throw HubStoreError.masterKey(
                path: master.path,
                reason:
                    "the keys are wrapped with another one; this key and keys.sqlite have to be of the same time, before or after a change")
        }
    }

    /// A key of the hub for one use, made of the first master key: it stands in no database and in no backup.
    public func derived(_ use: String) -> [UInt8] {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: master.root, info: Data("trackme \(use)".utf8), outputByteCount: 32).withUnsafeBytes {
            Array($0)
        }
    }

    /// The key for sealing; made when the person has none. Nil when the person was deleted.
    func key(of person: PersonID) throws -> PersonKey? {
        let (known, version) = cache.withLock { ($0.keys[person], $0.version) }
        if let known { return known }
        let key: PersonKey? = try pool.write { db in
            let id = Data(person.bytes)
            if try db.fetchOne(Bool.self, sql: "SELECT 1 FROM deleted WHERE person = ?", arguments: [id]) == true { return nil }
            if let row = try db.fetchOne(
                sql: "SELECT key, wrapped FROM person_key WHERE person = ? ORDER BY key DESC LIMIT 1", arguments: [id])
            {
                return try unwrap(row[1] as Data, number: UInt32(truncatingIfNeeded: row[0] as Int64), of: person)
            }
            let key = PersonKey(number: 1, key: SymmetricKey(data: machine.randomness.bytes(32)))
            try checkMaster(db)
            try db.execute(
                sql: "INSERT INTO person_key(person, key, wrapped) VALUES(?, ?, ?)",
                arguments: [id, key.number, try wrap(key, of: person, with: master.key)])
            return key
        }
        guard let key else { return nil }
        return cache.withLock { cache in
            guard !cache.destroyed.contains(person) else { return nil }
            if cache.version == version { cache.keys[person] = key }
            return key
        }
    }

    // MARK: Deletion

    /// Destroys a person's key and lists the person as deleted, in one transaction: this is the deletion, all that comes after it only
    /// makes room. The old bytes leave the file and its log as well.
    /// - Returns: false when the person was listed already.
    func destroy(_ person: PersonID, now: Milliseconds) throws -> Bool {
        cache.withLock { cache in
            cache.keys[person] = nil
            cache.destroyed.insert(person)
        }
        do {
            let isNew = try pool.write { db in
                let id = Data(person.bytes)
                try db.execute(sql: "INSERT INTO deleted(person, deleted) VALUES(?, ?) ON CONFLICT DO NOTHING", arguments: [id, now])
                let isNew = db.changesCount == 1
                try db.execute(sql: "DELETE FROM person_key WHERE person = ?", arguments: [id])
                try db.execute(sql: "DELETE FROM deleted_part WHERE person = ?", arguments: [id])
                return isNew
            }
            try scrub()
            return isNew
        } catch {
            // Not destroyed: the person must not be told so, and their data must go on being readable.
            if try isDeleted(person) == false { cache.withLock { _ = $0.destroyed.remove(person) } }
            throw error
        }
    }

    /// The write-ahead log still holds the page with the wrapped key: it is emptied. Where another process is just reading, that one does it (``refresh()``).
    func scrub() throws { try pool.truncateLog() }

    func isDeleted(_ person: PersonID) throws -> Bool {
        try pool.read { db in
            try db.fetchOne(Bool.self, sql: "SELECT 1 FROM deleted WHERE person = ?", arguments: [Data(person.bytes)]) ?? false
        }
    }

    /// Everybody who was deleted, since when.
    func deleted() throws -> [PersonID: Milliseconds] {
        try pool.read { db in
            try db.fetchAll(sql: "SELECT person, deleted FROM deleted").reduce(into: [:]) { people, row in
                if let person = PersonID(bytes: row[0] as Data) { people[person] = row[1] }
            }
        }
    }

    /// People whose key is there.
    func peopleWithKey() throws -> Set<PersonID> {
        try pool.read { db in
            try Set(db.fetchAll(Data.self, sql: "SELECT DISTINCT person FROM person_key").compactMap { PersonID(bytes: $0) })
        }
    }

    /// Forgets what is kept in memory when another process changed the keys (`trackme-hub person delete`); true when one did.
    func refresh() throws -> Bool {
        let version = try pool.dataVersion()
        let isChanged = cache.withLock { cache in
            guard cache.version != version else { return false }
            cache.keys = [:]
            return true
        }
        guard isChanged else { return false }
        // That process may not have got the log emptied while this one had it open. Until it is, this is tried again.
        try scrub()
        cache.withLock { cache in
            cache.keys = [:]
            cache.version = version
        }
        return true
    }

    func unwrap(_ wrapped: Data, number: UInt32, of person: PersonID) throws -> PersonKey {
        do {
            let box = try AES.GCM.SealedBox(combined: wrapped)
            return PersonKey(
                number: number,
                key: SymmetricKey(data: try AES.GCM.open(box, using: master.key, authenticating: authenticated(person, number))))
        } catch {
            throw HubStoreError.wrongKey(what: "The key of person \(person)")
        }
    }

    func wrap(_ key: PersonKey, of person: PersonID, with master: SymmetricKey) throws -> Data? {
        try AES.GCM.seal(key.key.withUnsafeBytes { Data($0) }, using: master, authenticating: authenticated(person, key.number)).combined
    }

    private func authenticated(_ person: PersonID, _ number: UInt32) -> [UInt8] {
        var bytes = Array("trackme person key".utf8) + person.bytes
        bytes.appendLittleEndian(number)
        return bytes
    }
}

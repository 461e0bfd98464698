import Crypto
import Database
public import Foundation
public import Seams
import Vitals

extension KeyStore {
    /// Where a change of the master key can be interrupted.
    enum RotationStep: CaseIterable { case keyWritten, rewrapped, done }

    /// The result of changing the master key.
    public struct Rotation: Sendable, Hashable {
        /// Keys of persons that were wrapped anew.
        public let keys: Int
        /// The file with the key that counts now.
        public let keyFile: String
        /// Whether the operator has to put that file in the place of the credential.
        public let mustBeMoved: Bool
    }

    /// Wraps the keys of all persons with a new master key. Only for a hub that is stopped, whose directory the caller has locked.
    ///
    /// The new key lies on the disk before anything is wrapped with it, and all is wrapped in one transaction: whenever this is killed, the next
    /// start reads everything, with the old key or the new one.
    /// - Parameter newKeyFile: 64 hexadecimal digits; needed where systemd hands out the master key, since that file is not the hub's to write.
    ///   Otherwise a new key is made.
    /// - Parameter record: keeps a record of the change, with the store as it is before it: after it a credential does not open it yet.
    /// - Throws: `HubStoreError`.
    public static func rotateMasterKey(
        _ directory: HubDirectory, newKeyFile: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment,
        machine: Machine = .system, record: (KeyStore) throws -> Void
    ) throws -> Rotation {
        try rotateMasterKey(directory, newKeyFile: newKeyFile, environment: environment, machine: machine, record: record) { _ in }
    }

    static func rotateMasterKey(
        _ directory: HubDirectory, newKeyFile: String?, environment: [String: String], machine: Machine = .system,
        record: (KeyStore) throws -> Void, at step: (RotationStep) throws -> Void
    ) throws -> Rotation {
        let store = try KeyStore(directory, environment: environment, machine: machine), old = store.master
        guard old.isCredential == (newKeyFile != nil) else {
            throw HubStoreError.masterKey(
                path: old.path,
                reason: old.isCredential
                    ? "systemd hands it out: put a new key of 64 hexadecimal digits into a file, and give that with --new-key"
                    : "it is the hub's own file: leave --new-key out, and the hub makes the new key")
        }
        let new = try newKeyFile.map { try readNew($0, insteadOf: old.key, machine) } ?? old.makeNext(machine)
        try step(.keyWritten)
        try record(store)
        let count = try store.rewrap(with: new)
        try step(.rewrapped)
        if !old.isCredential { try MasterKey.putInPlace(old.path, machine) }
        try step(.done)
        return Rotation(keys: count, keyFile: newKeyFile ?? old.path, mustBeMoved: old.isCredential)
    }

    /// A new key that the operator made, which is on the disk after this.
    private static func readNew(_ path: String, insteadOf old: SymmetricKey, _ machine: Machine) throws -> SymmetricKey {
        let new = try MasterKey.read(path, machine)
        guard new != old else { throw HubStoreError.masterKey(path: path, reason: "it is the key that is in use: make a new one") }
        do { try machine.files.sync(path) } catch { throw HubStoreError.masterKey(path: path, reason: error.reason) }
        return new
    }

    private static let rowsAtOnce = 1000

    private func rewrap(with new: SymmetricKey) throws -> Int {
        let root = try master.wrapRoot(with: new)
        let count = try pool.write { db in
            try checkMaster(db)
            var count = 0, last = (person: Data(), key: Int64.min)
            while true {
                let rows = try db.fetchAll(
                    sql: "SELECT person, key, wrapped FROM person_key WHERE (person, key) > (?, ?) ORDER BY person, key LIMIT ?",
                    arguments: [last.person, last.key, Self.rowsAtOnce])
                for row in rows {
                    last = (row[0], row[1])
                    guard let person = PersonID(bytes: last.person) else { continue }
                    let key = try unwrap(row[2] as Data, number: UInt32(truncatingIfNeeded: last.key), of: person)
                    try db.execute(
                        sql: "UPDATE person_key SET wrapped = ? WHERE person = ? AND key = ?",
                        arguments: [try wrap(key, of: person, with: new), last.person, last.key])
                }
                count += rows.count
                if rows.count < Self.rowsAtOnce { break }
            }
            try db.execute(
                sql: "INSERT INTO root(id, wrapped) VALUES(1, ?) ON CONFLICT(id) DO UPDATE SET wrapped = excluded.wrapped",
                arguments: [root])
            return count
        }
        // What was wrapped with the old key leaves the log as well.
        try scrub()
        return count
    }

    /// - Throws: when the master key was changed since this store was opened: what it wraps now could never be read again.
    func checkMaster(_ db: Connection) throws {
        guard try db.fetchOne(Data.self, sql: "SELECT wrapped FROM root") == master.wrappedRoot else {
            throw HubStoreError.masterKey(path: master.path, reason: "it was changed just now; try again")
        }
    }
}

extension Migration {
    /// The root of the keys for one use, wrapped by the master key, once that is not the first one any more.
    static let rootKey = Migration(
        name: "3 root key", sql: "CREATE TABLE root(id INTEGER PRIMARY KEY CHECK(id = 1), wrapped BLOB NOT NULL);")
}

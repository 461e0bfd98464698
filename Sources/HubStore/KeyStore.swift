import Crypto
public import Foundation
import GRDB
import Synchronization
import Vitals

/// The keys of the persons, each wrapped by the hub's master key, in a database of their own: destroying a row is deleting the data,
/// in backups too. Its backup is its latest state only.
public final class KeyStore: Sendable {
    private let pool: DatabasePool
    private let master: SymmetricKey
    private let cache = Mutex<[PersonID: PersonKey]>([:])

    /// The name of the master key's file in the hub's directory.
    public static let masterKeyFile = "master.key"
    /// The name under which systemd hands the master key to the service (`LoadCredential=`).
    public static let masterKeyCredential = "trackme-master-key"

    /// Opens the store. The master key comes from the systemd credential where there is one, else from the file, which is made with
    /// the first start.
    public init(_ directory: HubDirectory, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        pool = try directory.open("keys", pageSize: 4096, migrations: Migration.keys)
        let credential = environment["CREDENTIALS_DIRECTORY"].map { $0 + "/" + Self.masterKeyCredential }
        if let credential, FileManager.default.fileExists(atPath: credential) {
            master = try Self.readMasterKey(credential)
        } else {
            master = try Self.readOrMakeMasterKey(directory.path(Self.masterKeyFile))
        }
    }

    private static func readMasterKey(_ path: String) throws -> SymmetricKey {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw HubStoreError.masterKey(path: path, reason: "it cannot be read")
        }
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Hexadecimal.bytes(text), bytes.count == 32 else {
            throw HubStoreError.masterKey(path: path, reason: "it does not hold 64 hexadecimal digits")
        }
        return SymmetricKey(data: bytes)
    }

    private static func readOrMakeMasterKey(_ path: String) throws -> SymmetricKey {
        let made = SymmetricKey(size: .bits256).withUnsafeBytes { Hexadecimal.string($0) + "\n" }
        // Two processes may start at once: whoever creates the file first decides.
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        if file >= 0 {
            let written = made.utf8.withContiguousStorageIfAvailable { write(file, $0.baseAddress, $0.count) } ?? -1
            let synced = fsync(file)
            close(file)
            guard written == made.utf8.count, synced == 0 else {
                unlink(path)
                throw HubStoreError.masterKey(path: path, reason: "it could not be written: \(String(cString: strerror(errno)))")
            }
        } else if errno != EEXIST {
            throw HubStoreError.masterKey(path: path, reason: String(cString: strerror(errno)))
        }
        return try readMasterKey(path)
    }

    /// The key for sealing; made when the person has none. Nil when the person was deleted.
    func key(of person: PersonID) throws -> PersonKey? {
        if let key = cache.withLock({ $0[person] }) { return key }
        let key: PersonKey? = try pool.write { db in
            let id = Data(person.bytes)
            if try Bool.fetchOne(db, sql: "SELECT 1 FROM deleted WHERE person = ?", arguments: [id]) == true { return nil }
            if let row = try Row.fetchOne(
                db, sql: "SELECT key, wrapped FROM person_key WHERE person = ? ORDER BY key DESC LIMIT 1", arguments: [id])
            {
                return try unwrap(row[1] as Data, number: UInt32(truncatingIfNeeded: row[0] as Int64), of: person)
            }
            let key = PersonKey(number: 1, key: SymmetricKey(size: .bits256))
            let wrapped = try AES.GCM.seal(
                key.key.withUnsafeBytes { Data($0) }, using: master, authenticating: authenticated(person, key.number))
            try db.execute(
                sql: "INSERT INTO person_key(person, key, wrapped) VALUES(?, ?, ?)", arguments: [id, key.number, wrapped.combined])
            return key
        }
        if let key { cache.withLock { $0[person] = key } }
        return key
    }

    private func unwrap(_ wrapped: Data, number: UInt32, of person: PersonID) throws -> PersonKey {
        do {
            let box = try AES.GCM.SealedBox(combined: wrapped)
            return PersonKey(
                number: number,
                key: SymmetricKey(data: try AES.GCM.open(box, using: master, authenticating: authenticated(person, number))))
        } catch {
            throw HubStoreError.wrongKey(what: "The key of person \(person)")
        }
    }

    private func authenticated(_ person: PersonID, _ number: UInt32) -> [UInt8] {
        var bytes = Array("trackme person key".utf8) + person.bytes
        bytes.appendLittleEndian(number)
        return bytes
    }
}

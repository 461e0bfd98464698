import Crypto
import Database
import Foundation
import Seams
import Vitals

/// The key that wraps all others, and the root of the keys for one use.
///
/// The root is the first master key. It stays when the master key changes, wrapped by the new one: no password would fit any more without the
/// pepper that is made of it, and nobody would be found by a tax identifier.
struct MasterKey: Sendable {
    let key: SymmetricKey
    let root: SymmetricKey
    /// As the database has it; nil while the master key is the root itself.
    let wrappedRoot: Data?
    /// The file that it was read from.
    let path: String
    let isCredential: Bool

    private static let rootText = Array("trackme root key".utf8)

    /// Reads the master key: the systemd credential where there is one, else the file, which is made with the first start.
    static func open(
        _ directory: HubDirectory, _ pool: DatabasePool, environment: [String: String], _ machine: Machine
    ) throws -> MasterKey {
        let (wrapped, isNew) = try pool.read { db in
            (
                try db.fetchOne(Data.self, sql: "SELECT wrapped FROM root"),
                try db.fetchOne(Bool.self, sql: "SELECT NOT EXISTS(SELECT 1 FROM person_key)") ?? false
            )
        }
        let credential = environment["CREDENTIALS_DIRECTORY"].map { $0 + "/" + KeyStore.masterKeyCredential }
        if let credential, machine.files.exists(credential) {
            return try MasterKey(read(credential, machine), wrapped, path: credential, isCredential: true)
        }
        let path = directory.path(KeyStore.masterKeyFile)
        if isNew, wrapped == nil {
            do { try KeyFile.makeIfMissing(path, machine.randomness.bytes(32), machine) } catch {
                throw HubStoreError.masterKey(path: path, reason: error.reason)
            }
        }
        // Killed between the commit and the new name of the file: the new key is the one that opens the root.
        if let wrapped, machine.files.exists(next(path)),
            let master = try? MasterKey(read(next(path), machine), wrapped, path: path, isCredential: false)
        {
            try putInPlace(path, machine)
            return master
        }
        return try MasterKey(read(path, machine), wrapped, path: path, isCredential: false)
    }

    private init(_ key: SymmetricKey, _ wrapped: Data?, path: String, isCredential: Bool) throws {
        (self.key, wrappedRoot, self.path, self.isCredential) = (key, wrapped, path, isCredential)
        guard let wrapped else {
            root = key
            return
        }
        do {
            let box = try AES.GCM.SealedBox(combined: wrapped)
            root = SymmetricKey(data: try AES.GCM.open(box, using: key, authenticating: Self.rootText))
        } catch {
            throw HubStoreError.masterKey(
                path: path, reason: "the keys are wrapped with another one; after a change of the master key it is the new one that counts")
        }
    }

    static func read(_ path: String, _ machine: Machine) throws -> SymmetricKey {
        guard let bytes = KeyFile.read(path, machine) else { throw HubStoreError.masterKey(path: path, reason: "it cannot be read") }
        guard bytes.count == 32 else { throw HubStoreError.masterKey(path: path, reason: "it does not hold 64 hexadecimal digits") }
        return SymmetricKey(data: bytes)
    }

    // MARK: A new one

    private static func next(_ path: String) -> String { path + ".next" }

    /// Lays a new key beside the file in use.
    func makeNext(_ machine: Machine) throws -> SymmetricKey {
        let made = machine.randomness.bytes(32), next = Self.next(path)
        do { try KeyFile.replace(next, made, machine) } catch {
            throw HubStoreError.masterKey(path: next, reason: error.reason)
        }
        return SymmetricKey(data: made)
    }

    func wrapRoot(with new: SymmetricKey) throws -> Data {
        let box = try AES.GCM.seal(root.withUnsafeBytes { Data($0) }, using: new, authenticating: Self.rootText)
        return box.whole
    }

    /// Gives the new key the name of the old one, which is gone with that.
    static func putInPlace(_ path: String, _ machine: Machine) throws {
        do { try machine.files.move(next(path), to: path) } catch {
            // Another command may have done it just now.
            guard error.code == ENOENT else { throw HubStoreError.masterKey(path: path, reason: error.reason) }
        }
    }
}

extension AES.GCM.SealedBox {
    /// Nonce, text and tag; a nonce of the usual length always gives it.
    fileprivate var whole: Data { combined ?? Data(nonce) + ciphertext + tag }
}

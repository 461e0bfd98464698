import Crypto
import Database
public import Foundation
public import Seams
import Vitals

/// What a backup has to do with keys.
public struct BackupKeys: Sendable {
    private let directory: HubDirectory

    public init(_ directory: HubDirectory) { self.directory = directory }

    /// Changes when somebody is deleted, or a part of somebody's data, and when the master key changes: then a copy of `keys.sqlite` that was made
    /// before must not stay. New people do not change it.
    public func mark() throws -> String {
        let pool = try directory.open("keys", pageSize: 4096, migrations: [])
        return try pool.read { db in
            let people = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM deleted") ?? 0
            let parts = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM deleted_part") ?? 0
            let root = try db.fetchOne(Data.self, sql: "SELECT wrapped FROM root") ?? Data()
            return "\(people) \(parts) \(Hexadecimal.string(SHA256.hash(data: root)))"
        }
    }

    /// Shows that a text is of a hub with this master key: everybody who knows a recipient can encrypt something to it.
    public func tag(
        of text: [UInt8], environment: [String: String] = ProcessInfo.processInfo.environment, machine: Machine = .system
    ) throws -> [UInt8] {
        let keys = try KeyStore(directory, environment: environment, machine: machine)
        let key = SymmetricKey(data: keys.derived("backup manifest"))
        return Array(HMAC<SHA256>.authenticationCode(for: text, using: key))
    }
}

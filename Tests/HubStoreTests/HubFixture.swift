import Accounts
import Database
import Foundation
import TestSupport
import Vitals

@testable import HubStore

/// Each suite of the stores runs with a pool on files and with one connection in memory.
typealias Engine = HubDirectory.Databases

/// The stores of a new hub over one engine.
struct HubFixture {
    let directory: TemporaryDirectory
    let hub: HubDirectory
    let keys: KeyStore
    let accounts: AccountStore

    init(_ engine: Engine) throws {
        let directory = try engine == .files ? TemporaryDirectory(copyOf: Self.new.get().url) : TemporaryDirectory()
        try self.init(directory, HubDirectory(directory.url, databases: engine))
    }

    /// The databases of a new hub, made once: a copy takes a tenth of the time. Each copy makes keys and secrets of its own.
    private static let new = Result {
        let directory = try TemporaryDirectory(), hub = try HubDirectory(directory.url), keys = try KeyStore(hub, environment: [:])
        let accounts = try AccountStore(hub, keys: keys), runs = try RunsStore(hub, keys: keys), sos = try SOSStore(hub, keys: keys)
        try accounts.pool.write { try $0.execute(sql: "DELETE FROM meta") }
        for pool in [accounts.pool, keys.pool, runs.pool, sos.pool] { try pool.close() }
        try FileManager.default.removeItem(atPath: hub.path(KeyStore.masterKeyFile))
        return directory
    }

    private init(_ directory: TemporaryDirectory, _ hub: HubDirectory) throws {
        (self.directory, self.hub) = (directory, hub)
        keys = try KeyStore(hub, environment: [:])
        accounts = try AccountStore(hub, keys: keys)
    }

    /// The same hub after a restart.
    func reopened() throws -> HubFixture { try HubFixture(directory, hub) }

    func runs() throws -> RunsStore { try RunsStore(hub, keys: keys) }
    func sos() throws -> SOSStore { try SOSStore(hub, keys: keys) }

    struct Taken: Error {}

    /// A confirmed account of `NAME@example.org`.
    @discardableResult
    func account(_ name: String, _ roles: Set<Role> = [.person]) throws -> StoredAccount {
        guard case .added(let account) = try accounts.addConfirmedAccount(Self.new(name, roles), now: 0) else { throw Taken() }
        return account
    }

    func organisation(_ name: String = "Clinic") throws -> OrganisationID { OrganisationID(try account(name, [.organisation]).id) }

    static func new(_ name: String, _ roles: Set<Role> = [.person], identifier: String? = nil) -> NewAccount {
        let email = "\(name.lowercased())@example.org"
        var details = [Field.email.rawValue: email]
        if roles.contains(.organisation) {
            details[Field.organisationName.rawValue] = name
        } else {
            (details[Field.firstName.rawValue], details[Field.lastName.rawValue]) = (name, "Invented")
        }
        return NewAccount(
            roles: roles, details: details, canonicalEmail: email, canonicalIdentifier: identifier, password: "hash of \(name)",
            language: "en", accepted: [:])
    }

    /// A session of an account, full unless another strength is given.
    func session(
        _ hash: [UInt8], of account: StoredAccount, _ strength: StoredSession.Strength = .full, now: Milliseconds = 0
    ) throws -> StoredSession? {
        try accounts.addSession(hash, of: account.row, strength: strength, device: "Browser", now: now)
        return try accounts.session(hash, now: now)
    }

    // MARK: Rows

    /// Overwrites a sealed column, as a bad sector does.
    func damage(_ table: String, _ column: String = "envelope", where condition: String = "1 = 1", in pool: DatabasePool? = nil) throws {
        try (pool ?? accounts.pool).write { try $0.execute(sql: "UPDATE \(table) SET \(column) = zeroblob(60) WHERE \(condition)") }
    }

    func count(_ table: String, where condition: String = "1 = 1", in pool: DatabasePool? = nil) throws -> Int {
        try (pool ?? accounts.pool).read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM \(table) WHERE \(condition)") ?? 0 }
    }

    /// What was met that does not open, by kind.
    var unreadable: [UnreadableRow.Kind] { keys.unreadable.rows.map(\.kind).sorted { $0.rawValue < $1.rawValue } }
}

let day: Milliseconds = 86_400_000
let hour: Milliseconds = 3_600_000

/// What a listener was told.
final class Told<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    var all: [Value] { values.current }
    func tell(_ value: Value) { values.change { $0.append(value) } }
}

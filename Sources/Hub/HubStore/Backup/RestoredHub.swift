import Database
public import Foundation
public import Seams
public import Vitals

/// The databases of a restored hub, before anybody serves them.
public struct RestoredHub: Sendable {
    private let directory: HubDirectory

    public init(_ directory: HubDirectory) { self.directory = directory }

    /// Facts for the operator.
    public struct Facts: Sendable, Hashable {
        /// Who is deleted by the keys and not yet in the accounts: the hub clears their rows when it starts.
        public var deletedSince: Int
        /// People who are there.
        public var people: Int
    }

    /// Begins a new life: readers of subscriptions and webhooks hear that they start over, because what this hub numbers from now on is not what the
    /// old one numbered. Stands in the audit log.
    public func begin(
        environment: [String: String] = ProcessInfo.processInfo.environment, machine: Machine = .system, now: Milliseconds
    ) throws -> Facts {
        let keys = try KeyStore(directory, environment: environment, machine: machine)
        let accounts = try AccountStore(directory, keys: keys)
        let deleted = try keys.deleted()
        let living = try accounts.pool.write { db in
            try db.execute(
                sql: "UPDATE meta SET value = ? WHERE key = 'incarnation'",
                arguments: [Data(machine.randomness.id(HubIncarnation.self).bytes)])
            return try db.fetchAll(Data.self, sql: "SELECT person FROM person WHERE length(name) > 0").compactMap { PersonID(bytes: $0) }
        }
        try AuditLog(directory, accounts: accounts, environment: environment).append(.restored, by: nil, on: nil, now: now)
        // Without logs beside them they can be moved.
        for pool in [accounts.pool, keys.pool] { try pool.closeAsOneFile() }
        let gone = living.filter { deleted[$0] != nil }.count
        return Facts(deletedSince: gone, people: living.count - gone)
    }

    /// What SQLite's check finds in a database of the directory; empty when all is well.
    /// - Parameter name: with `.sqlite`.
    public static func problems(of path: String) throws -> [String] {
        do {
            let pool = try DatabasePool(path: path)
            defer { try? pool.close() }
            return try pool.integrityProblems()
        } catch let error as DatabaseError {
            return [error.message ?? "\(error)"]
        }
    }
}

import Foundation
import HubServices
import HubStore
import Logging
import Vitals

extension HubCommands {
    private static func now() -> Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    /// Deletes a person for good. Works beside a running hub, which clears the rest within seconds.
    /// - Returns: what was done.
    public static func delete(person text: String, _ configuration: HubConfiguration) throws -> String {
        let directory = try HubDirectory(configuration.directory)
        let keys = try KeyStore(directory)
        let accounts = try AccountStore(directory, keys: keys)
        guard let person = PersonID(text), try accounts.row(of: person) != nil else { throw HubStoreError.unknownPerson(text) }
        let audit = try AuditLog(directory, accounts: accounts)
        let lock: DirectoryLock?
        do { lock = try directory.lock() } catch HubStoreError.inUse { lock = nil }
        defer { withExtendedLifetime(lock) {} }
        guard lock != nil else {
            if try accounts.deletePerson(person, now: now()) {
                try audit.append(.personDeleted, by: nil, on: AccountID(person), now: now())
            }
            return "deleted: the key is destroyed; the running hub clears the rest"
        }
        let series = try SeriesStore(directory, accounts: accounts, keys: keys)
        let deletion = Deletion(accounts: accounts, series: series, audit: audit, logger: Logger(label: "trackme-hub"))
        try deletion.deletePerson(person, by: nil, now: now())
        try deletion.work(now: now())
        return "deleted: the key is destroyed, and account and data are cleared"
    }

    /// Goes through the audit log.
    /// - Returns: what was found, and whether all is well.
    public static func verifyAudit(_ configuration: HubConfiguration) throws -> (text: String, isWhole: Bool) {
        let directory = try HubDirectory(configuration.directory)
        let found = try AuditLog(directory, accounts: AccountStore(directory, keys: KeyStore(directory))).verify()
        func date(_ time: Milliseconds) -> String { Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601) }
        var text = "\(found.rows) rows follow from each other"
        if let checkpoint = found.checkpoint {
            text += "; signed up to row \(checkpoint.row) at \(date(checkpoint.time))"
        } else {
            text += "; none is signed yet"
        }
        if let problem = found.problem { return (text + "\nBROKEN: \(problem)", false) }
        return (text + "; \(found.uncovered) wait for the next signature", true)
    }
}

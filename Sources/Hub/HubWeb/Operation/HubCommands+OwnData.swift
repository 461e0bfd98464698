import Foundation
import HubServices
import HubStore
import Logging
import Vitals

extension HubCommands {
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

    /// Logs an account out of every browser. Works beside a running hub; stands in the audit log.
    /// - Parameter name: what it logs in with.
    /// - Returns: what was done.
    public static func endSessions(of name: String, _ configuration: HubConfiguration) throws -> String {
        let directory = try HubDirectory(configuration.directory), accounts = try AccountStore(directory, keys: KeyStore(directory))
        guard let account = try accounts.account(email: name.lowercased()) else {
            throw HubConfigurationError("Nobody logs in here as \(name). Write the whole e-mail address.")
        }
        let count = try accounts.factors.endSessions(of: account.row, keeping: [])
        try AuditLog(directory, accounts: accounts).append(.sessionsEnded, by: nil, on: account.id, now: now())
        return "ended: \(count) sessions. Whoever knows the password can log in again: the page /forgotten sets another one by mail"
    }

    /// Wraps all keys with a new master key. For a hub that does not run.
    /// - Returns: what was done, and what is left to do.
    public static func rotateKeys(newKeyFile: String?, _ configuration: HubConfiguration) throws -> String {
        let directory = try HubDirectory(configuration.directory), lock = try directory.lock()
        defer { withExtendedLifetime(lock) {} }
        let done = try KeyStore.rotateMasterKey(directory, newKeyFile: newKeyFile) { keys in
            try AuditLog(directory, accounts: AccountStore(directory, keys: keys)).append(.masterKeyChanged, by: nil, on: nil, now: now())
        }
        if done.mustBeMoved {
            return """
                \(done.keys) keys are wrapped with the new master key. Now, before the hub starts:
                put \(done.keyFile) in the place of the credential \(KeyStore.masterKeyCredential), and back up keys.sqlite
                """
        }
        return
            "\(done.keys) keys are wrapped with the new master key in \(done.keyFile). Back up that and keys.sqlite: older backups of both are worthless"
    }

    /// Goes through the audit log.
    /// - Returns: what was found, and whether all is well.
    public static func verifyAudit(_ configuration: HubConfiguration) throws -> (text: String, isWhole: Bool) {
        let directory = try HubDirectory(configuration.directory)
        let found = try AuditLog(directory, accounts: AccountStore(directory, keys: KeyStore(directory))).verify()
        func date(_ time: Milliseconds) -> String { Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601) }
        var text = "\(found.rows - found.forgotten) rows follow from each other"
        if found.forgotten > 0 { text += ", after \(found.forgotten) that were old enough to be forgotten" }
        if let checkpoint = found.checkpoint {
            text += "; signed up to row \(checkpoint.row) at \(date(checkpoint.time))"
        } else {
            text += "; none is signed yet"
        }
        if let problem = found.problem { return (text + "\nBROKEN: \(problem)", false) }
        return (text + "; \(found.uncovered) wait for the next signature", true)
    }
}

import Database
import Foundation
import Seams
import Synchronization
public import Vitals

extension AccountStore {
    /// Deletes a person: their key is destroyed and they are listed as deleted, in one transaction of the key store. From its commit on nothing
    /// of theirs can be read, in no backup either; ``eraseRows(of:)`` and ``SeriesErasure/erase(_:)`` only make room. An account without a
    /// person (an organisation's) is deleted the same way.
    /// - Returns: false when that had happened already.
    @discardableResult
    public func deletePerson(_ person: PersonID, now: Milliseconds) throws -> Bool { try keys.destroy(person, now: now) }

    /// Whether ingest must refuse this person for good.
    public func isDeleted(_ person: PersonID) throws -> Bool { try keys.isDeleted(person) }

    /// Forgets keys that another process destroyed; true when the key store changed, and deletions may be due. Called every second.
    public func refreshKeys() throws -> Bool { try keys.refresh() }

    /// Everybody in the list of the deleted of whom this database still holds rows: one was deleted a moment ago, or it comes from a backup.
    public func deletedWithRows() throws -> [PersonID] {
        let deleted = try keys.deleted().keys
        return try pool.read { db in
            try deleted.filter { person in
                try db.fetchOne(
                    Bool.self,
                    sql: """
                        SELECT EXISTS(SELECT 1 FROM person WHERE person = ?1 AND length(name) > 0)
                            OR EXISTS(SELECT 1 FROM account WHERE account = ?1)
                        """, arguments: [Data(person.bytes)]) ?? false
            }.sorted()
        }
    }

    /// Removes what names a deleted person: account with its sessions, links and mails, bindings of boxes, and the rows of every table with a column
    /// `person`, by number or by identifier. Consents stay: they belong to the asker's history as well, and their asker must not see by a missing row
    /// that somebody is gone. The number under which the series kept the person stays taken, so that nobody else ever gets it.
    public func eraseRows(of person: PersonID) throws {
        guard try keys.isDeleted(person) else { return }
        try pool.write { db in
            let id = Data(person.bytes)
            try db.execute(sql: "DELETE FROM account WHERE account = ?", arguments: [id])
            guard let row = try db.fetchOne(Int64.self, sql: "SELECT id FROM person WHERE person = ?", arguments: [id]) else { return }
            // The name of a box that served nobody else may tell whose it was.
            try db.execute(
                sql: """
                    UPDATE agent SET name = '(deleted)' WHERE id IN (SELECT agent FROM agent_person WHERE person = ?1)
                        AND NOT EXISTS(SELECT 1 FROM agent_person AS other WHERE other.agent = agent.id AND other.person <> ?1)
                    """, arguments: [row])
            for (table, isNumber) in try Self.tablesOfPeople(db, but: ["person", "consent"]) {
                try db.execute(sql: "DELETE FROM \(table) WHERE person = ?", arguments: isNumber ? [row] : [id])
            }
            try db.execute(sql: "UPDATE person SET name = ? WHERE id = ?", arguments: [Data(), row])
        }
        // What stood in the rows stands in the log until it is emptied, sealed with a key that is gone: a backup that is reading holds nobody up.
        try pool.truncateLog(waitsForReaders: false)
    }

    /// Forgets accounts that nobody confirmed, in backups too (who leaves half-way leaves nothing), and links and sessions that ended. An account
    /// that somebody opened for its person waits as long as the link that hands it over works.
    public func forgetUnconfirmedAccounts(before: Milliseconds, now: Milliseconds) throws {
        let forgotten = try pool.write { db in
            try db.execute(sql: "DELETE FROM mail_link WHERE expires <= ?", arguments: [now])
            // Nobody logged out there: a closed phone is told all the same, until it does.
            try db.execute(
                sql: """
                    UPDATE push_device SET last_session = session, session = NULL
                    WHERE session IN (SELECT hash FROM session WHERE expires <= ?)
                    """,
                arguments: [now])
            try db.execute(sql: "DELETE FROM session WHERE expires <= ?", arguments: [now])
            return try db.fetchAll(
                Data.self,
                sql: """
                    DELETE FROM account WHERE confirmed IS NULL AND created < ?
                        AND id NOT IN (SELECT account FROM mail_link WHERE purpose = ? AND expires > ?) RETURNING account
                    """, arguments: [before, MailLinkPurpose.handOver.rawValue, now])
        }
        abandonedKeys.withLock { $0.formUnion(forgotten.compactMap { PersonID(bytes: $0) }) }
        while let person = abandonedKeys.withLock({ $0.first }) {
            _ = try keys.destroy(person, now: now)
            abandonedKeys.withLock { _ = $0.remove(person) }
        }
    }

    /// The tables with a column `person`, and whether that is a number: a table that is added later is not forgotten.
    static func tablesOfPeople(_ db: Connection, but others: Set<String>) throws -> [(table: String, isNumber: Bool)] {
        try db.tables(withColumn: "person").filter { !others.contains($0.name) }.map { ($0.name, $0.type == "INTEGER") }
    }

    /// Looks whether the key store is older than this database, which a restore of a wrong backup makes it: whom this database knows as deleted
    /// is deleted again.
    /// - Returns: what the operator must know; empty when all is well.
    public func reconcileKeys(now: Milliseconds) throws -> [String] {
        let (tombs, living) = try pool.read { db in
            (
                try db.fetchAll(Data.self, sql: "SELECT person FROM person WHERE length(name) = 0").compactMap { PersonID(bytes: $0) },
                try db.fetchAll(Data.self, sql: "SELECT person FROM person WHERE length(name) > 0").compactMap { PersonID(bytes: $0) }
            )
        }
        let deleted = try keys.deleted(), withKey = try keys.peopleWithKey()
        var problems: [String] = []
        let forgotten = tombs.filter { deleted[$0] == nil }
        for person in forgotten { _ = try keys.destroy(person, now: now) }
        if !forgotten.isEmpty {
            problems.append(
                "The key store is older than the accounts: \(forgotten.count) deleted people were missing in its list and were deleted again. "
                    + "Only its latest state may be restored.")
        }
        let lost = living.filter { deleted[$0] == nil && !withKey.contains($0) }
        if !lost.isEmpty {
            problems.append(
                "The keys of \(lost.count) people are missing: what was stored for them cannot be read. Stop the hub and restore the latest "
                    + "state of keys.sqlite before new keys are made.")
        }
        return problems
    }
}

extension SeriesErasure {
    /// People in the list of the deleted of whom the series still hold blocks or set-aside segments.
    public func deletedWithBlocks() throws -> [PersonID] {
        let deleted = try keys.deleted().keys.sorted()
        let rows = try deleted.compactMap { person in try accounts.row(of: person).map { (person, $0) } }
        return try series.read { db in
            try rows.filter { _, row in
                try db.fetchOne(
                    Bool.self,
                    sql: "SELECT EXISTS(SELECT 1 FROM block WHERE person = ?1) OR EXISTS(SELECT 1 FROM quarantine WHERE person = ?1)",
                    arguments: [row]) ?? false
            }.map(\.0)
        }
    }

    /// Removes a deleted person's blocks in slices. What lies in the journal goes with the next merging.
    /// - Returns: how many blocks were removed.
    @discardableResult
    public func erase(_ person: PersonID) throws -> Int {
        guard try keys.isDeleted(person), let row = try accounts.row(of: person) else { return 0 }
        store.state.withLock { $0.received[row] = nil }
        var removed = 0
        var left = true
        while left {
            try series.write { db in
                let started = keys.machine.uptime
                repeat {
                    try db.execute(
                        sql: "DELETE FROM block WHERE id IN (SELECT id FROM block WHERE person = ? LIMIT 50)", arguments: [row])
                    removed += db.changesCount
                    left = db.changesCount > 0
                } while left && keys.machine.uptime - started < SeriesStore.slice
            }
        }
        try series.write { db in
            // `merged` keeps what waits in the journal from being taken for new.
            for (table, _) in try AccountStore.tablesOfPeople(db, but: ["block", "merged"]) {
                try db.execute(sql: "DELETE FROM \(table) WHERE person = ?", arguments: [row])
            }
        }
        return removed
    }
}

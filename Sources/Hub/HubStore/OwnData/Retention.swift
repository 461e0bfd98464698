import Crypto
import Database
import Foundation
import Privacy
public import Vitals

/// How long what is over is kept: as long as somebody may have to show that a consent was given, or that data was read (GDPR articles 5, 7, 82).
public enum Retention {
    /// Five years of 366 days, milliseconds.
    public static let lifetime: Milliseconds = 5 * 366 * 86_400_000
    /// Rows of one transaction: none takes long.
    static let rowsAtOnce = 200
}

extension AccountStore {
    /// Forgets consents that ended before `before`, and lines of ledgers that are older. What belongs to a consent that is still there stays
    /// in the ledger, but for the reads.
    /// - Returns: how many consents and lines went.
    @discardableResult
    public func forgetUsedUp(before: Milliseconds) throws -> (consents: Int, lines: Int) {
        (try forgetConsents(before: before), try forgetLedger(before: before))
    }

    private func forgetConsents(before: Milliseconds) throws -> Int {
        // Rows stand in the order in which they came: what is younger is not looked at.
        let end = try pool.read {
            try $0.fetchOne(Int64.self, sql: "SELECT id FROM consent WHERE created >= ? ORDER BY id LIMIT 1", arguments: [before]) ?? .max
        }
        var last = Int64.min, count = 0
        while true {
            let rows = try pool.write { db in
                let rows = try db.fetchAll(
                    sql: """
                        SELECT \(ConsentStore.consentColumns), id FROM consent WHERE state = 3 AND id > ? AND id < ? ORDER BY id LIMIT ?
                        """, arguments: [last, end, Retention.rowsAtOnce])
                for row in rows {
                    last = row[5]
                    // When it ended stands in the envelope. One that nobody can open any more has nobody to show it to.
                    // What is damaged stays: the backup may say when it ended.
                    let isUsedUp = try unlessDamaged(.consent, last) {
                        guard let consent = try consents.storedConsent(row)?.consent else { return true }
                        return if case .over(let end) = consent.state { end.at < before } else { false }
                    }
                    guard isUsedUp == true else { continue }
                    try db.execute(sql: "DELETE FROM consent WHERE id = ?", arguments: [last])
                    count += db.changesCount
                }
                return rows.count
            }
            if rows < Retention.rowsAtOnce { return count }
        }
    }

    private func forgetLedger(before: Milliseconds) throws -> Int {
        let end = try pool.read {
            try $0.fetchOne(Int64.self, sql: "SELECT id FROM ledger WHERE time >= ? ORDER BY id LIMIT 1", arguments: [before]) ?? .max
        }
        var count = 0
        while true {
            let lines = try pool.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM ledger WHERE id IN (SELECT id FROM ledger WHERE id < ? AND (hour IS NOT NULL OR consent IS NULL
                            OR consent NOT IN (SELECT consent FROM consent)) ORDER BY id LIMIT ?)
                        """, arguments: [end, Retention.rowsAtOnce])
                return db.changesCount
            }
            count += lines
            if lines < Retention.rowsAtOnce { return count }
        }
    }
}

extension AuditLog {
    /// When the newest row was written; nil while there is none.
    public func newest() throws -> Milliseconds? {
        try pool.read { try $0.fetchOne(Milliseconds.self, sql: "SELECT time FROM audit ORDER BY id DESC LIMIT 1") }
    }

    /// Forgets the rows up to the newest checkpoint before `before`. The hub signs first where it cuts, so that nobody else can cut unseen.
    /// - Returns: how many rows went.
    /// - Throws: ``HubStoreError/audit(path:reason:)`` when a checkpoint is not the hub's or the log not what it signed: nothing is forgotten then.
    @discardableResult
    public func forget(before: Milliseconds) throws -> Int {
        let lines = try file.read(), signed = lines.compactMap { $0 }.filter { $0.isValid(key.publicKey) }
        guard signed.count == lines.count else { throw broken("it holds a line that this hub's key did not sign") }
        guard let old = signed.filter({ !$0.isCut && $0.time < before }).max(by: { $0.row < $1.row }) else { return 0 }
        // The newest row stays: the next one follows from it.
        let (first, newest, hash) = try pool.read { db in
            (
                try db.fetchOne(Int64.self, sql: "SELECT min(id) FROM audit") ?? .max,
                try db.fetchOne(Int64.self, sql: "SELECT max(id) FROM audit") ?? 0,
                try db.fetchOne(Data.self, sql: "SELECT hash FROM audit WHERE id = ?", arguments: [old.row])
            )
        }
        guard first <= old.row, old.row < newest else { return 0 }
        guard hash.map({ Hexadecimal.string($0) }) == old.hash else {
            throw broken("row \(old.row) is not the one that the checkpoint at \(old.time) signed")
        }
        if !signed.contains(where: { $0.isCut && $0.row == old.row }) { try file.append(old.cut(by: key)) }
        return try pool.write { db in
            try db.execute(sql: "DELETE FROM audit WHERE id <= ?", arguments: [old.row])
            return db.changesCount
        }
    }

    private func broken(_ reason: String) -> HubStoreError {
        .audit(path: file.path, reason: "\(reason); no row is forgotten until `trackme-hub audit verify` finds it whole")
    }
}

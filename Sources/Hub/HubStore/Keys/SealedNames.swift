import Crypto
import Database
import Foundation
import Vitals

/// Names in columns of text that tell of somebody: of boxes, of an organisation's keys, and of browsers. They belong to no one person, and are
/// sealed with a key of the hub: whoever has a copy of the database alone reads none.
enum SealedName: UInt64 {
    case box = 1
    case key = 2
    case browser = 3

    /// Before what is sealed. What has none was stored by a hub of before.
    static let mark = "sealed:"
}

extension SealingStore {
    private var nameKey: PersonKey { PersonKey(number: 0, key: SymmetricKey(data: keys.derived("names"))) }

    private func place(_ kind: SealedName, _ owner: [UInt8]) -> Envelope.Place {
        let whose = PersonID(bytes: Array((owner + [UInt8](repeating: 0, count: 16)).prefix(16))) ?? PersonID(high: 0, low: 0)
        return Envelope.Place(person: whose, table: .names, row: (kind.rawValue, 0))
    }

    /// As it stands in the database.
    /// - Parameter owner: what the name belongs to; the first 16 bytes count.
    func sealed(_ name: String, _ kind: SealedName, of owner: [UInt8]) throws -> String {
        SealedName.mark + Data(try Envelope.seal(Array(name.utf8), with: nameKey, at: place(kind, owner))).base64EncodedString()
    }

    /// The name itself; empty for one that is damaged, which holds nothing up.
    func opened(_ stored: String, _ kind: SealedName, of owner: [UInt8]) -> String {
        guard stored.hasPrefix(SealedName.mark) else { return stored }
        guard let envelope = Data(base64Encoded: String(stored.dropFirst(SealedName.mark.count))),
            let plain = try? Envelope.open(envelope, with: nameKey, at: place(kind, owner))
        else { return "" }
        return String(decoding: plain, as: UTF8.self)
    }

    /// A browser's name belongs to its account, whatever becomes of its session. The first 200 characters are kept.
    func sealed(browser name: String, of account: Int64) throws -> String {
        try sealed(String(name.prefix(200)), .browser, of: withUnsafeBytes(of: account.littleEndian, Array.init))
    }

    func opened(browser stored: String, of account: Int64) -> String {
        opened(stored, .browser, of: withUnsafeBytes(of: account.littleEndian, Array.init))
    }
}

/// Names that a hub of before stored as they are.
public struct PlainNames: SubjectStore {
    private static let namesAtOnce = 500

    let accounts: AccountStore

    public init(_ accounts: AccountStore) { self.accounts = accounts }

    /// Seals them; answers how many there were.
    public func seal() throws -> Int {
        let count = try sealBoxNames() + sealKeyNames() + sealBrowserNames()
        if count > 0 { try pool.truncateLog() }
        return count
    }

    private func sealBoxNames() throws -> Int {
        try inSteps(from: Int64(0)) { last, count, db in
            let rows = try db.fetchAll(
                sql: "SELECT id, agent, name FROM agent WHERE id > ? ORDER BY id LIMIT ?", arguments: [last, Self.namesAtOnce])
            for row in rows {
                let id: Int64 = row[0], name: String = row[2]
                // What stands there for a deleted person's box names nobody.
                guard !name.hasPrefix(SealedName.mark), name != "(deleted)" else { continue }
                let text = try sealed(name, .box, of: Array(row[1] as Data))
                try db.execute(sql: "UPDATE agent SET name = ? WHERE id = ? AND name = ?", arguments: [text, id, name])
                count += db.changesCount
            }
            return rows.count < Self.namesAtOnce ? nil : rows.last.map { $0[0] as Int64 }
        }
    }

    private func sealKeyNames() throws -> Int {
        try inSteps(from: Int64(0)) { last, count, db in
            let rows = try db.fetchAll(
                sql: "SELECT id, thumbprint, name FROM organisation_key WHERE id > ? ORDER BY id LIMIT ?",
                arguments: [last, Self.namesAtOnce])
            for row in rows {
                let id: Int64 = row[0], thumbprint: String = row[1], name: String = row[2]
                guard !name.hasPrefix(SealedName.mark) else { continue }
                let text = try sealed(name, .key, of: Array(thumbprint.utf8))
                try db.execute(sql: "UPDATE organisation_key SET name = ? WHERE id = ? AND name = ?", arguments: [text, id, name])
                count += db.changesCount
            }
            return rows.count < Self.namesAtOnce ? nil : rows.last.map { $0[0] as Int64 }
        }
    }

    private func sealBrowserNames() throws -> Int {
        try inSteps(from: Data()) { last, count, db in
            let rows = try db.fetchAll(
                sql: "SELECT hash, account, device FROM session WHERE hash > ? ORDER BY hash LIMIT ?",
                arguments: [last, Self.namesAtOnce])
            for row in rows {
                let hash: Data = row[0], name: String = row[2]
                guard !name.hasPrefix(SealedName.mark) else { continue }
                let text = try sealed(browser: name, of: row[1])
                try db.execute(sql: "UPDATE session SET device = ? WHERE hash = ? AND device = ?", arguments: [text, hash, name])
                count += db.changesCount
            }
            return rows.count < Self.namesAtOnce ? nil : rows.last.map { $0[0] as Data }
        }
    }

    /// One transaction for each step, so that nobody waits for all of it.
    /// - Parameter body: where the next step begins; nil for the end.
    private func inSteps<Key>(from first: Key, _ body: (Key, inout Int, Connection) throws -> Key?) throws -> Int {
        var next: Key? = first, count = 0
        while let last = next {
            next = try pool.write { db in try body(last, &count, db) }
        }
        return count
    }
}

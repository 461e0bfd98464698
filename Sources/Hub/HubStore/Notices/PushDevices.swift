import Database
import Foundation
public import Vitals

/// Where a browser wants its messages (RFC 8030), as the store keeps it: sealed.
public struct PushAddress: Sendable, Hashable, Codable {
    public var endpoint: String
    /// As in `WebPush.PushSubscription`, which checks them.
    public var publicKey: [UInt8]
    public var secret: [UInt8]
    /// The browser, for its owner's list.
    public var name: String

    public init(endpoint: String, publicKey: [UInt8], secret: [UInt8], name: String) {
        (self.endpoint, self.publicKey, self.secret, self.name) = (endpoint, publicKey, secret, name)
    }
}

/// A browser to which notices are pushed.
public struct StoredPushDevice: Sendable, Hashable {
    public let row: Int64
    public let address: PushAddress
    public let created: Milliseconds
    /// When its push service last took a message.
    public let used: Milliseconds?
    /// Why it last took none.
    public let problem: String?
}

/// A notice on its way to one browser.
public struct StoredPush: Sendable {
    public let row: Int64
    public let account: StoredAccount
    public let device: StoredPushDevice
    public let notice: StoredNotice
    public let created: Milliseconds
    /// This try, from 1.
    public let tries: Int
}

extension PushStore {
    /// Browsers of one account, at most; the oldest goes.
    public static let pushDevicesMax = 10

    /// Adds a browser to an account. One that was there already, on whichever account, is replaced: who has it in hand decides.
    /// - Parameter session: the browser's own, by the hash of its secret: the browser goes with it when that is ended (not when it just gets too
    ///   old: a closed phone is told all the same).
    public func addPushDevice(_ address: PushAddress, to account: StoredAccount, session: [UInt8]? = nil, now: Milliseconds) throws {
        let hash = accounts.index("push", address.endpoint)
        let details = try seal(address, of: account.id.person, .pushDevice, (0, 0))
        try pool.write { db in
            try db.execute(sql: "DELETE FROM push_device WHERE hash = ?", arguments: [hash])
            try db.execute(
                sql: "INSERT INTO push_device(account, hash, details, created, session) VALUES(?, ?, ?, ?, ?)",
                arguments: [account.row, hash, details, now, session.map { Data($0) }])
            try db.execute(
                sql: """
                    DELETE FROM push_device WHERE account = ?1
                    AND id NOT IN (SELECT id FROM push_device WHERE account = ?1 ORDER BY id DESC LIMIT ?2)
                    """,
                arguments: [account.row, Self.pushDevicesMax])
        }
    }

    /// An account's browsers, the oldest first.
    public func pushDevices(of account: StoredAccount) throws -> [StoredPushDevice] {
        try pool.read { db in
            try db.fetchAll(sql: "SELECT * FROM push_device WHERE account = ? ORDER BY id", arguments: [account.row])
                .compactMap { row in try unlessDamaged(.pushDevice, row["id"] as Int64) { try storedPushDevice(row, of: account) } }
        }
    }

    private func storedPushDevice(_ row: Row, of account: StoredAccount) throws -> StoredPushDevice? {
        guard let address = try open(PushAddress.self, row["details"], of: account.id.person, .pushDevice, (0, 0)) else { return nil }
        return StoredPushDevice(row: row["id"], address: address, created: row["created"], used: row["used"], problem: row["problem"])
    }

    /// False when the account has no such browser.
    public func removePushDevice(_ row: Int64, of account: StoredAccount) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM push_device WHERE id = ? AND account = ?", arguments: [row, account.row])
            return db.changesCount == 1
        }
    }

    // MARK: Messages

    func addPushes(notice: Int64, of kind: String, account: Int64, now: Milliseconds, _ db: Connection) throws {
        try db.execute(
            sql: "INSERT INTO push_message(device, notice, created, due, urgent) SELECT id, ?, ?, ?, ? FROM push_device WHERE account = ?",
            arguments: [notice, now, now, NoticeUrgency(kind).rawValue, account])
    }

    /// Messages that are due: alarms first, then what is about AutomatedSOS, then all others, of each the oldest first; of notices that were
    /// opened meanwhile none. They come again after `lease` when nobody says what became of them.
    public func duePushes(_ count: Int, lease: Milliseconds, now: Milliseconds) throws -> [StoredPush] {
        let isAny = try pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM push_message WHERE urgent IN (0, 1, 2) AND due <= ? LIMIT 1")
            return try statement.fetchOne(Bool.self, arguments: [now]) != nil
        }
        // Asked often: mostly there is nothing to write.
        guard isAny else { return [] }
        return try pool.write { db in
            try db.execute(
                sql: """
                    DELETE FROM push_message WHERE urgent IN (0, 1, 2) AND due <= ?
                    AND EXISTS(SELECT 1 FROM notice WHERE notice.id = push_message.notice AND seen IS NOT NULL)
                    """,
                arguments: [now])
            let select = "SELECT * FROM push_message WHERE urgent = ? AND due <= ? ORDER BY due, id LIMIT ?"
            var rows: [Row] = []
            for urgency in NoticeUrgency.allCases.reversed() {
                rows += try db.fetchAll(sql: select, arguments: [urgency.rawValue, now, count - rows.count])
            }
            return try rows.compactMap { row in
                try db.execute(
                    sql: "UPDATE push_message SET due = ?, tries = tries + 1 WHERE id = ?", arguments: [now + lease, row["id"] as Int64])
                return try unlessDamaged(.pushMessage, row["id"] as Int64) {
                    try storedPush(row, db)
                } damaged: {
                    try db.execute(
                        sql: "UPDATE push_message SET due = ? WHERE id = ?",
                        arguments: [now + NoticeStore.damagedPause, row["id"] as Int64])
                    return nil
                }
            }
        }
    }

    /// nil for somebody who was deleted.
    private func storedPush(_ row: Row, _ db: Connection) throws -> StoredPush? {
        guard let device = try db.fetchOne(sql: "SELECT * FROM push_device WHERE id = ?", arguments: [row["device"] as Int64]),
            let notice = try db.fetchOne(sql: "SELECT * FROM notice WHERE id = ?", arguments: [row["notice"] as Int64]),
            let account = try accounts.stored(row: device["account"], db), let to = try storedPushDevice(device, of: account),
            let text = try notices.storedNotice(notice, of: account)
        else { return nil }
        return StoredPush(
            row: row["id"], account: account, device: to, notice: text, created: row["created"], tries: (row["tries"] as Int) + 1)
    }

    /// When the oldest message of AutomatedSOS was written that nobody has tried to send; nil for none.
    public func oldestUntriedPush() throws -> Milliseconds? {
        try pool.read {
            try $0.fetchOne(Milliseconds.self, sql: "SELECT min(created) FROM push_message WHERE urgent IN (1, 2) AND tries = 0")
        }
    }

    /// Addresses of the newest browsers, for whoever looks whether their push services can be reached.
    public func newestPushAddresses(_ count: Int) throws -> [String] {
        try pool.read { db in
            try db.fetchAll(sql: "SELECT * FROM push_device ORDER BY id DESC LIMIT ?", arguments: [count]).compactMap { row in
                try unlessDamaged(.pushDevice, row["id"] as Int64) {
                    try accounts.stored(row: row["account"], db).flatMap { try storedPushDevice(row, of: $0) }
                }?.address.endpoint
            }
        }
    }

    /// A push service took it.
    public func pushed(_ push: StoredPush, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM push_message WHERE id = ?", arguments: [push.row])
            try db.execute(sql: "UPDATE push_device SET used = ?, problem = NULL WHERE id = ?", arguments: [now, push.device.row])
        }
    }

    /// A push service did not take it.
    /// - Parameter due: when it is tried again; nil gives it up.
    public func pushFailed(_ push: StoredPush, _ problem: String, due: Milliseconds?) throws {
        try pool.write { db in
            if let due {
                try db.execute(sql: "UPDATE push_message SET due = ? WHERE id = ?", arguments: [due, push.row])
            } else {
                try db.execute(sql: "DELETE FROM push_message WHERE id = ?", arguments: [push.row])
            }
            try db.execute(sql: "UPDATE push_device SET problem = ? WHERE id = ?", arguments: [problem, push.device.row])
        }
    }

    /// The browser does not want messages any more: it is removed, and its owner is told.
    public func pushDeviceGone(_ push: StoredPush, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM push_device WHERE id = ?", arguments: [push.device.row])
            guard db.changesCount == 1 else { return }
            try notices.addNotice(.deviceGone, ["device": push.device.address.name], to: push.account, now: now, db)
        }
    }
}

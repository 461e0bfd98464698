import Database
import Foundation
public import Vitals

extension Migration {
    /// The settings of boxes, sealed with the key of the one person whom the box serves. NULL: that person wants nothing kept of this box.
    static let boxSettings = Migration(
        name: "19 settings of boxes",
        sql: """
            CREATE TABLE box_settings(agent INTEGER PRIMARY KEY REFERENCES agent ON DELETE CASCADE,
                person INTEGER NOT NULL REFERENCES person, changed INTEGER NOT NULL, settings BLOB);
            CREATE INDEX box_settings_person ON box_settings(person, changed);
            """)
}

/// The settings of a box, kept for its person's next one.
public struct StoredBoxSettings<Settings: Sendable>: Sendable {
    public let box: AgentID
    /// The person's name for it.
    public let name: String
    /// The box still belongs to this hub.
    public let isConnected: Bool
    /// UTC milliseconds.
    public let changed: Milliseconds
    /// nil where the person wants nothing kept of this box.
    public let settings: Settings?
}

extension StoredBoxSettings: Equatable where Settings: Equatable {}

extension AgentStore {
    /// Settings that are kept for a person; of more boxes those that were changed longest ago are forgotten.
    public static let settingsMax = 10

    /// Keeps what a box of one person is set to, in the place of what was kept of it before.
    /// - Returns: false where the person wants nothing kept of this box, or the box is not bound to them.
    @discardableResult
    public func keep(_ settings: some Encodable, of box: Agent, for person: PersonID, now: Milliseconds) throws -> Bool {
        guard let owner = box.people[person] else { return false }
        let sealed = try seal(settings, of: person, .boxSettings, (UInt64(box.row), 0))
        return try pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO box_settings(agent, person, changed, settings) VALUES(?, ?, ?, ?)
                    ON CONFLICT(agent) DO UPDATE SET changed = excluded.changed, settings = excluded.settings
                        WHERE box_settings.settings IS NOT NULL
                    """, arguments: [box.row, owner, now, sealed])
            guard db.changesCount == 1 else { return false }
            try db.execute(
                sql: """
                    DELETE FROM box_settings WHERE person = ? AND settings IS NOT NULL AND agent NOT IN (
                        SELECT agent FROM box_settings WHERE person = ? AND settings IS NOT NULL ORDER BY changed DESC, agent DESC LIMIT ?)
                    """, arguments: [owner, owner, Self.settingsMax])
            return true
        }
    }

    /// The kept settings of a person, the newest first, and the boxes of which nothing is to be kept.
    public func keptSettings<Settings: Decodable & Sendable>(
        as type: Settings.Type, for person: PersonID
    ) throws -> [StoredBoxSettings<Settings>] {
        guard let owner = try accounts.row(of: person) else { return [] }
        return try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT agent.id, agent.agent, agent.name, agent.revoked, changed, settings FROM box_settings
                    JOIN agent ON agent.id = box_settings.agent WHERE person = ? ORDER BY changed DESC, agent.id DESC
                    """, arguments: [owner]
            ).compactMap { row -> StoredBoxSettings<Settings>? in
                let number = row[0] as Int64, envelope = row[5] as Data?
                guard let box = AgentID(bytes: row[1] as Data) else { return nil }
                func stored(_ settings: Settings?) -> StoredBoxSettings<Settings> {
                    StoredBoxSettings(
                        box: box, name: opened(row[2], .box, of: box.bytes), isConnected: (row[3] as Int64?) == nil, changed: row[4],
                        settings: settings)
                }
                guard let envelope else { return stored(nil) }
                return try unlessDamaged(.boxSettings, number) {
                    try open(type, envelope, of: person, .boxSettings, (UInt64(number), 0)).map { stored($0) }
                }
            }
        }
    }

    /// Forgets what is kept of a person's box. Of one that is still connected nothing is kept from now on.
    /// - Returns: false where the box is none of the person's.
    public func forgetSettings(of box: AgentID, for person: PersonID) throws -> Bool {
        guard let agent = try self.agent(box), let owner = agent.people[person] else { return false }
        try pool.write { db in
            if agent.revoked {
                try db.execute(
                    sql: "DELETE FROM box_settings WHERE agent = ? AND person = ? AND settings IS NOT NULL", arguments: [agent.row, owner])
            } else {
                try db.execute(
                    sql: "UPDATE box_settings SET settings = NULL WHERE agent = ? AND person = ? AND settings IS NOT NULL",
                    arguments: [agent.row, owner])
            }
        }
        return true
    }

    /// What a person's box is set to is kept again, as soon as the box says it.
    /// - Returns: false where the box is none of the person's.
    public func allowSettings(of box: AgentID, for person: PersonID) throws -> Bool {
        guard let agent = try self.agent(box), let owner = agent.people[person] else { return false }
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM box_settings WHERE agent = ? AND person = ? AND settings IS NULL", arguments: [agent.row, owner])
        }
        return true
    }
}

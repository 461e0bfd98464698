import Database
import Foundation
public import Vitals

extension Migration {
    /// By what name boxes of before reach the hub, where it is none of its own. NULL: nobody knows yet.
    static let agentHosts = Migration(
        name: "23 names by which boxes reach the hub",
        sql: """
            CREATE TABLE agent_host(agent INTEGER PRIMARY KEY REFERENCES agent ON DELETE CASCADE, host TEXT);
            INSERT INTO agent_host(agent) SELECT id FROM agent WHERE revoked IS NULL;
            """)
}

extension AgentStore {
    /// Whether a box that was enrolled before hubs looked at their names may go on by this one: the first that it then showed.
    public func mayUse(host: String, agent: Int64) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "UPDATE agent_host SET host = ? WHERE agent = ? AND host IS NULL", arguments: [host, agent])
            let known = try db.fetchOne(String.self, sql: "SELECT host FROM agent_host WHERE agent = ?", arguments: [agent])
            return known == host
        }
    }

    /// A box reached the hub by one of its own names: it needs no other.
    public func usesOwnName(agent: Int64) throws {
        let isOpen = try pool.read { db in
            try db.fetchOne(Int.self, sql: "SELECT count(*) FROM agent_host WHERE agent = ? AND host IS NULL", arguments: [agent]) ?? 0
        }
        guard isOpen > 0 else { return }
        try pool.write { try $0.execute(sql: "DELETE FROM agent_host WHERE agent = ? AND host IS NULL", arguments: [agent]) }
    }

    /// The names that are none of the hub's own, by the rows of the boxes that use them.
    public func hosts() throws -> [Int64: String] {
        try pool.read { db in
            try Dictionary(
                uniqueKeysWithValues: db.fetchAll(sql: "SELECT agent, host FROM agent_host WHERE host IS NOT NULL").map {
                    ($0[0] as Int64, $0[1] as String)
                })
        }
    }

    /// Ends it: from its next token on the box has to use one of the hub's own names.
    /// - Returns: false for a box that uses no other.
    public func forgetHost(of id: AgentID) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM agent_host WHERE agent IN (SELECT id FROM agent WHERE agent = ?)", arguments: [Data(id.bytes)])
            return db.changesCount > 0
        }
    }
}

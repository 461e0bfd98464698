import Database
import Foundation
public import Vitals

/// Who left a box, written down: a hub that was put back to an older backup misses a binding as well, and that must end nobody.
enum LeftBoxes {
    static let migration = Migration(
        name: "28 who left a box",
        sql: """
            CREATE TABLE agent_left(agent INTEGER NOT NULL REFERENCES agent, person INTEGER NOT NULL REFERENCES person,
                PRIMARY KEY(agent, person)) WITHOUT ROWID;
            CREATE INDEX agent_left_person ON agent_left(person);
            """)
}

extension AgentStore {
    /// Takes one person from a box that serves others too: it is refused their data from its next request on, and hears that it must erase what
    /// it holds of them.
    public func leave(_ id: AgentID, _ person: PersonID) throws {
        try pool.write { db in
            let bound = try db.fetchOne(
                sql: """
                    DELETE FROM agent_person WHERE agent = (SELECT id FROM agent WHERE agent = ?)
                        AND person = (SELECT id FROM person WHERE person = ?) RETURNING agent, person
                    """,
                arguments: [Data(id.bytes), Data(person.bytes)])
            guard let bound else { return }
            try db.execute(
                sql: "INSERT INTO agent_left(agent, person) VALUES(?, ?) ON CONFLICT DO NOTHING",
                arguments: [bound[0] as Int64, bound[1] as Int64])
        }
    }

    /// Revokes a box of this person alone, who left it: it hears that it must erase what it holds of them. One that an operator revokes erases nothing.
    public func disconnect(_ id: AgentID, _ person: PersonID, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(sql: "UPDATE agent SET revoked = ? WHERE agent = ? AND revoked IS NULL", arguments: [now, Data(id.bytes)])
            try db.execute(
                sql: """
                    INSERT INTO agent_left(agent, person) SELECT agent, person FROM agent_person
                        WHERE agent = (SELECT id FROM agent WHERE agent = ?) AND person = (SELECT id FROM person WHERE person = ?)
                    ON CONFLICT DO NOTHING
                    """,
                arguments: [Data(id.bytes), Data(person.bytes)])
        }
    }

    /// Whoever left a box.
    public func left(_ agent: Int64) throws -> [PersonID] {
        try pool.read { db in
            try db.fetchAll(
                Data.self,
                sql: "SELECT person.person FROM agent_left JOIN person ON person.id = agent_left.person WHERE agent_left.agent = ?",
                arguments: [agent]
            ).compactMap { PersonID(bytes: $0) }
        }
    }

    /// Whether a person left a box by ``leave(_:_:)`` or ``disconnect(_:_:now:)``. A box that is connected anew is another agent.
    public func hasLeft(_ agent: Int64, _ person: PersonID) throws -> Bool {
        try pool.read { db in
            try db.fetchOne(
                Bool.self,
                sql: """
                    SELECT EXISTS(SELECT 1 FROM agent_left JOIN person ON person.id = agent_left.person
                        WHERE agent_left.agent = ? AND person.person = ?)
                    """, arguments: [agent, Data(person.bytes)]) ?? false
        }
    }
}

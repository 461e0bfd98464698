import Database
import Foundation
import Seams
public import Vitals

extension AgentStore {
    /// An enrolled box.
    public struct Agent: Sendable, Hashable {
        public let row: Int64
        public let id: AgentID
        /// SEC 1 uncompressed point of its P-256 key.
        public let publicKey: [UInt8]
        public let revoked: Bool
        /// The persons for whom it may send, with their rows.
        public let people: [PersonID: Int64]
    }

    // MARK: Enrolment

    /// Keeps a code that binds the agent which brings it to these persons.
    public func addEnrolmentCode(hash: [UInt8], people: [PersonID], expires: Milliseconds) throws {
        let rows = try people.map { person in
            guard let row = try accounts.row(of: person) else { throw HubStoreError.unknownPerson(person.description) }
            return row
        }
        try pool.write { db in
            let old = "SELECT hash FROM enrolment_code WHERE expires < ?"
            try db.execute(sql: "DELETE FROM enrolment_code_person WHERE hash IN (\(old))", arguments: [expires - 86_400_000])
            try db.execute(sql: "DELETE FROM enrolment_code WHERE expires < ?", arguments: [expires - 86_400_000])
            try db.execute(sql: "INSERT INTO enrolment_code(hash, expires) VALUES(?, ?)", arguments: [Data(hash), expires])
            for row in rows {
                try db.execute(sql: "INSERT INTO enrolment_code_person(hash, person) VALUES(?, ?)", arguments: [Data(hash), row])
            }
        }
    }

    /// Uses a code once, atomically, and makes the agent; nil when the code is unknown, used or expired.
    public func enrol(codeHash: [UInt8], publicKey: [UInt8], name: String, now: Milliseconds) throws -> Agent? {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE enrolment_code SET used = ? WHERE hash = ? AND used IS NULL AND expires > ?",
                arguments: [now, Data(codeHash), now])
            guard db.changesCount == 1 else { return nil }
            let id = randomness.id(AgentID.self)
            let row = try db.insert(
                sql: "INSERT INTO agent(agent, name, public_key, created) VALUES(?, ?, ?, ?) RETURNING id",
                arguments: [Data(id.bytes), try sealed(name, .box, of: id.bytes), Data(publicKey), now])
            try db.execute(
                sql: "INSERT INTO agent_person(agent, person) SELECT ?, person FROM enrolment_code_person WHERE hash = ?",
                arguments: [row, Data(codeHash)])
            try db.execute(sql: "DELETE FROM enrolment_code_person WHERE hash = ?", arguments: [Data(codeHash)])
            try db.execute(sql: "INSERT INTO token_chain(agent, position) VALUES(?, 0)", arguments: [row])
            return try Self.agent(row: row, db)
        }
    }

    public func agent(_ id: AgentID) throws -> Agent? {
        try pool.read { db in
            try db.fetchOne(Int64.self, sql: "SELECT id FROM agent WHERE agent = ?", arguments: [Data(id.bytes)])
                .flatMap { try Self.agent(row: $0, db) }
        }
    }

    /// Revokes an agent: from its next request on it is refused. False when there is none.
    public func revokeAgent(_ id: AgentID, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE agent SET revoked = ? WHERE agent = ? AND revoked IS NULL", arguments: [now, Data(id.bytes)])
            return db.changesCount == 1
        }
    }

    /// An agent as the operator's list shows it.
    public struct ListedAgent: Sendable, Hashable {
        public let agent: Agent
        public let name: String
        public let created: Milliseconds
        /// How often a copy of its state was seen.
        public let copiesSeen: Int
    }

    /// All agents, in the order of their enrolment.
    public func agents() throws -> [ListedAgent] {
        try pool.read { db in
            try db.fetchAll(sql: "SELECT id, name, created, copies_seen FROM agent ORDER BY id").compactMap { row in
                try Self.agent(row: row[0], db).map { listed($0, row) }
            }
        }
    }

    /// The next ones behind a row, in the order of their enrolment.
    func agents(after row: Int64, count: Int, _ db: Connection) throws -> [ListedAgent] {
        try db.fetchAll(
            sql: "SELECT id, name, created, copies_seen FROM agent WHERE id > ? ORDER BY id LIMIT ?", arguments: [row, count]
        ).compactMap { row in try Self.agent(row: row[0], db).map { listed($0, row) } }
    }

    /// One box as a list shows it; nil where there is none.
    public func listed(_ id: AgentID) throws -> ListedAgent? {
        try pool.read { db in
            try db.fetchOne(sql: "SELECT id, name, created, copies_seen FROM agent WHERE agent = ?", arguments: [Data(id.bytes)])
                .flatMap { row in try Self.agent(row: row[0], db).map { listed($0, row) } }
        }
    }

    /// The boxes that may send for a person, in the order of their enrolment.
    public func agents(of person: PersonID) throws -> [ListedAgent] {
        guard let row = try accounts.row(of: person) else { return [] }
        return try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT agent.id, name, created, copies_seen FROM agent_person JOIN agent ON agent.id = agent_person.agent
                    WHERE person = ? AND revoked IS NULL ORDER BY agent.id
                    """, arguments: [row]
            ).compactMap { row in
                try Self.agent(row: row[0], db).map { listed($0, row) }
            }
        }
    }

    private func listed(_ agent: Agent, _ row: Row) -> ListedAgent {
        ListedAgent(agent: agent, name: opened(row[1], .box, of: agent.id.bytes), created: row[2], copiesSeen: row[3])
    }

    static func agent(row: Int64, _ db: Connection) throws -> Agent? {
        guard
            let found = try db.fetchOne(sql: "SELECT agent, public_key, revoked FROM agent WHERE id = ?", arguments: [row]),
            let id = AgentID(bytes: found[0] as Data)
        else { return nil }
        var people: [PersonID: Int64] = [:]
        let rows = try db.fetchCursor(
            sql: "SELECT person.person, person.id FROM agent_person JOIN person ON person.id = agent_person.person WHERE agent = ?",
            arguments: [row])
        while let bound = try rows.next() {
            if let person = PersonID(bytes: bound[0] as Data) { people[person] = bound[1] }
        }
        return Agent(
            row: row, id: id, publicKey: Array(found[1] as Data), revoked: (found[2] as Int64?) != nil, people: people)
    }

    // MARK: Tokens

    /// One chain of tokens as it is stored; the rules are `SyncProtocol.TokenChains`, which the caller applies.
    public struct StoredChain: Sendable, Hashable {
        public var current: [UInt8]?
        public var candidates: [[UInt8]]
        public init(current: [UInt8]?, candidates: [[UInt8]]) {
            self.current = current
            self.candidates = candidates
        }
    }

    /// Reads an agent's chains, lets `change` decide, and stores the outcome, in one transaction.
    /// - Parameter change: gets the chains, returns what it wants to tell its caller, and whether a copy was seen.
    public func changeTokens<Outcome>(
        of agent: Int64, expires: Milliseconds, now: Milliseconds,
        _ change: (inout [StoredChain]) throws -> (Outcome, copySeen: Bool)
    ) throws -> Outcome {
        try pool.write { db in
            // Tokens are kept however old: a box that was away for a month shows one as predecessor. The chains are bounded.
            var chains: [StoredChain] = []
            var kept: [Data: Milliseconds] = [:]
            for row in try db.fetchAll(
                sql: "SELECT position, current FROM token_chain WHERE agent = ? ORDER BY position", arguments: [agent])
            {
                let current = (row[1] as Data?)
                var candidates: [[UInt8]] = []
                for token in try db.fetchAll(
                    sql: "SELECT hash, expires FROM token WHERE agent = ? AND position = ? ORDER BY expires",
                    arguments: [agent, row[0] as Int64])
                {
                    let hash = token[0] as Data
                    kept[hash] = token[1]
                    if hash != current { candidates.append(Array(hash)) }
                }
                chains.append(StoredChain(current: current.map(Array.init), candidates: candidates))
            }
            let (outcome, copySeen) = try change(&chains)
            try db.execute(sql: "DELETE FROM token WHERE agent = ?", arguments: [agent])
            try db.execute(sql: "DELETE FROM token_chain WHERE agent = ?", arguments: [agent])
            for (position, chain) in chains.enumerated() {
                try db.execute(
                    sql: "INSERT INTO token_chain(agent, position, current) VALUES(?, ?, ?)",
                    arguments: [agent, position, chain.current.map { Data($0) }])
                for hash in chain.candidates + (chain.current.map { [$0] } ?? []) {
                    try db.execute(
                        sql: """
                            INSERT INTO token(hash, agent, position, expires) VALUES(?, ?, ?, ?)
                            ON CONFLICT(hash) DO UPDATE SET agent = excluded.agent, position = excluded.position, expires = excluded.expires
                            """,
                        arguments: [Data(hash), agent, position, kept[Data(hash)] ?? expires])
                }
            }
            if copySeen {
                try db.execute(
                    sql: "UPDATE agent SET copies_seen = copies_seen + 1, copy_seen = ? WHERE id = ?", arguments: [now, agent])
            }
            return outcome
        }
    }

    /// The agent that a token belongs to, and when the token expires; nil for an unknown token.
    public func agent(tokenHash: [UInt8]) throws -> (agent: Agent, expires: Milliseconds)? {
        try pool.read { db in
            guard
                let row = try db.fetchOne(sql: "SELECT agent, expires FROM token WHERE hash = ?", arguments: [Data(tokenHash)]),
                let agent = try Self.agent(row: row[0], db)
            else { return nil }
            return (agent, row[1])
        }
    }

    /// Remembers a client assertion's `jti` until it expires; false when it was used before (RFC 7523, 3).
    public func useAssertion(_ jti: String, of agent: Int64, expires: Milliseconds, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM assertion WHERE expires < ?", arguments: [now])
            try db.execute(
                sql: "INSERT INTO assertion(agent, jti, expires) VALUES(?, ?, ?) ON CONFLICT DO NOTHING", arguments: [agent, jti, expires])
            return db.changesCount == 1
        }
    }

    /// A number that changes whenever another process changed this database.
    public func dataVersion() throws -> Int {
        try pool.dataVersion()
    }
}

import Database
import Foundation
import Seams
public import Vitals

/// A sender without our agent: a phone's own tracking program (DATA-13), or a detector of falls and seizures.
public struct StoredDevice: Sendable, Hashable {
    /// How it speaks. The raw values are stored.
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        case ownTracks = 1
        /// OsmAnd's protocol, which Traccar Client speaks.
        case osmAnd = 2
        /// A system that notices falls and seizures and reports them by the API. Release 0.3.0 does not list it.
        case detector = 3
        /// The person, who types values on a page. Each has one at most; it has no secret and is on no list. Release 0.3.0 does not list it.
        case manual = 4
        /// The person, who imports files. Each has one at most, without a secret and on no list; every import has a stream of its own.
        case imports = 5

        /// Those that a person can add.
        public static let offered = allCases.filter { !$0.isHidden }

        /// Whether the hub makes it by itself, and shows it to nobody.
        public var isHidden: Bool { self == .manual || self == .imports }
    }

    /// Also its name at log-in: short enough to type.
    public let row: Int64
    public let person: PersonID
    public let kind: Kind
    /// The owner's name for it.
    public let name: String
    /// The one stream into which the hub writes what it sends.
    public let stream: StreamID
    public let created: Milliseconds
    /// When it last sent something of use, to the minute; UTC.
    public let seen: Milliseconds?
    public let revoked: Milliseconds?
    /// What could not be used of what it sent last, and when: its program does not show that.
    public let problem: String?
    public let problemTime: Milliseconds?
    let personRow: Int64

    /// Of all that it sends.
    public var provenance: Provenance {
        switch kind {
        case .ownTracks, .osmAnd, .detector: .live
        case .manual: .manual
        case .imports: .import
        }
    }

    /// The device as the pipeline of the agents knows it. Rows below zero are devices.
    public var agent: AgentStore.Agent {
        AgentStore.Agent(
            row: -row, id: AgentID(high: 0, low: UInt64(row)), publicKey: [], revoked: revoked != nil, people: [person: personRow])
    }
}

extension DeviceStore {
    /// Devices of a person, revoked ones included, at most.
    public static let devicesMax = 50

    /// Makes a device of a person; nil when the person has ``devicesMax`` of them.
    /// - Parameter hash: of its secret.
    public func addDevice(
        _ name: String, _ kind: StoredDevice.Kind, of person: PersonID, hash: [UInt8], now: Milliseconds
    ) throws -> StoredDevice? {
        guard let personRow = try accounts.row(of: person), let key = try keys.key(of: person) else {
            throw HubStoreError.unknownPerson(person.description)
        }
        let stream = randomness.id(StreamID.self)
        let sealed = try Envelope.seal(Array(name.utf8), with: key, at: Self.place(person, stream))
        return try pool.write { db in
            let count =
                try db.fetchOne(
                    Int.self, sql: "SELECT count(*) FROM device WHERE person = ? AND kind NOT IN (?, ?)",
                    arguments: [personRow, StoredDevice.Kind.manual.rawValue, StoredDevice.Kind.imports.rawValue]) ?? 0
            guard count < Self.devicesMax else { return nil }
            let row = try db.insert(
                sql: "INSERT INTO device(person, kind, hash, stream, name, created) VALUES(?, ?, ?, ?, ?, ?) RETURNING id",
                arguments: [personRow, kind.rawValue, Data(hash), Data(stream.bytes), Data(sealed), now])
            return try device("device.id = ?", row, db).first
        }
    }

    /// The device of what a person types; it is made with the first value.
    public func manualDevice(of person: PersonID, now: Milliseconds) throws -> StoredDevice {
        try hiddenDevice(.manual, of: person, now: now)
    }

    /// The device under which a person's files are imported; it is made with the first one.
    public func importDevice(of person: PersonID, now: Milliseconds) throws -> StoredDevice {
        try hiddenDevice(.imports, of: person, now: now)
    }

    private func hiddenDevice(_ kind: StoredDevice.Kind, of person: PersonID, now: Milliseconds) throws -> StoredDevice {
        guard let personRow = try accounts.row(of: person), let key = try keys.key(of: person) else {
            throw HubStoreError.unknownPerson(person.description)
        }
        let stream = randomness.id(StreamID.self)
        let sealed = try Envelope.seal([], with: key, at: Self.place(person, stream))
        let found = try pool.write { db in
            let row = try db.fetchOne(
                Int64.self, sql: "SELECT id FROM device WHERE person = ? AND kind = ?", arguments: [personRow, kind.rawValue])
            // No secret has the hash of 32 random bytes.
            let hash = randomness.bytes(32)
            let device =
                try row
                ?? db.insert(
                    sql: "INSERT INTO device(person, kind, hash, stream, name, created) VALUES(?, ?, ?, ?, ?, ?) RETURNING id",
                    arguments: [personRow, kind.rawValue, Data(hash), Data(stream.bytes), Data(sealed), now])
            return try self.device("device.id = ?", device, db).first
        }
        guard let found else { throw HubStoreError.unknownPerson(person.description) }
        return found
    }

    /// A person's devices, the oldest first, revoked ones included, without those that the hub made for itself.
    public func devices(of person: PersonID) throws -> [StoredDevice] {
        try pool.read { try device("person.person = ?", Data(person.bytes), $0) }.filter { !$0.kind.isHidden }
    }

    /// The device with this secret, unless it was revoked.
    public func device(hash: [UInt8]) throws -> StoredDevice? {
        try pool.read { try device("hash = ? AND revoked IS NULL", Data(hash), $0).first }
    }

    /// Revokes a person's device: from its next request on it is refused. False when there is none to revoke.
    public func revokeDevice(_ device: Int64, of person: PersonID, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: """
                    UPDATE device SET revoked = ? WHERE id = ? AND revoked IS NULL AND kind NOT IN (?, ?)
                    AND person = (SELECT id FROM person WHERE person = ?)
                    """,
                arguments: [
                    now, device, StoredDevice.Kind.manual.rawValue, StoredDevice.Kind.imports.rawValue, Data(person.bytes),
                ])
            return db.changesCount == 1
        }
    }

    /// Keeps when a device last sent something of use.
    public func noteDevice(_ device: Int64, seen: Milliseconds) throws {
        try pool.write { try $0.execute(sql: "UPDATE device SET seen = ? WHERE id = ?", arguments: [seen, device]) }
    }

    /// Keeps what could not be used.
    public func noteDevice(_ device: Int64, problem: String, now: Milliseconds) throws {
        try pool.write {
            try $0.execute(sql: "UPDATE device SET problem = ?, problem_time = ? WHERE id = ?", arguments: [problem, now, device])
        }
    }

    private func device(_ condition: String, _ argument: any ColumnValue, _ db: Connection) throws -> [StoredDevice] {
        let statement = try db.cachedStatement(
            sql:
                "SELECT device.*, person.person AS owner FROM device JOIN person ON person.id = device.person WHERE \(condition) ORDER BY device.id"
        )
        return try statement.fetchAll(arguments: [argument]).compactMap { row in
            guard let person = PersonID(bytes: row["owner"] as Data), let stream = StreamID(bytes: row["stream"] as Data),
                let kind = StoredDevice.Kind(rawValue: row["kind"]), let key = try keys.key(of: person)
            else { return nil }
            // What it sends is taken also where nobody can say what its owner calls it.
            let name = try unlessDamaged(.device, row["id"] as Int64) {
                try Envelope.open(row["name"] as Data, with: key, at: Self.place(person, stream))
            }
            return StoredDevice(
                row: row["id"], person: person, kind: kind, name: String(decoding: name ?? [], as: UTF8.self), stream: stream,
                created: row["created"], seen: row["seen"], revoked: row["revoked"], problem: row["problem"],
                problemTime: row["problem_time"], personRow: row["person"])
        }
    }

    private static func place(_ person: PersonID, _ stream: StreamID) -> Envelope.Place {
        .init(person: person, table: .device, row: (stream.high, stream.low))
    }
}

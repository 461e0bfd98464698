import Database
import Foundation
public import Privacy
public import Seams
public import Vitals

extension Migration {
    /// Strips that people uploaded: what is shown in lists stands in `head`, the values in `envelope`, both sealed. What they take is counted
    /// with the person's space, apart from the blocks.
    static let ecg = Migration(
        name: "5 ecg strips",
        sql: """
            CREATE TABLE ecg(id INTEGER PRIMARY KEY, strip BLOB NOT NULL UNIQUE, person INTEGER NOT NULL, time INTEGER NOT NULL,
                received INTEGER NOT NULL, head BLOB NOT NULL, envelope BLOB NOT NULL);
            CREATE UNIQUE INDEX ecg_time ON ecg(person, time);
            ALTER TABLE space ADD COLUMN attached INTEGER NOT NULL DEFAULT 0;
            CREATE TRIGGER ecg_added AFTER INSERT ON ecg BEGIN
                INSERT INTO space(person, bytes, attached) VALUES(NEW.person, 0, length(NEW.head) + length(NEW.envelope))
                    ON CONFLICT(person) DO UPDATE SET attached = attached + excluded.attached;
            END;
            CREATE TRIGGER ecg_removed AFTER DELETE ON ecg BEGIN
                UPDATE space SET attached = attached - length(OLD.head) - length(OLD.envelope) WHERE person = OLD.person;
            END;
            """)
}

/// Names a strip. It is random, and says nothing of it.
public struct ECGID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// The description of a strip without its values.
public struct StoredECG: Sendable, Hashable {
    public let id: ECGID
    /// When its first value was taken, UTC.
    public let time: Milliseconds
    /// When it was uploaded, UTC.
    public let received: Milliseconds
    public let head: Head

    /// The sealed text beside the values.
    public struct Head: Sendable, Hashable, Codable {
        /// Values a second, times 1000.
        public let millihertz: Int
        /// Values of each lead.
        public let count: Int
        /// The leads' names.
        public let leads: [String]
        /// The device, in the words of the file.
        public let source: String?
        /// The device's own classification: no diagnosis.
        public let said: String?
        /// The uploader: the person, or a parent. 32 hexadecimal digits.
        public let uploader: String
    }

    /// Milliseconds.
    public var duration: Milliseconds { ECGStrip.duration(count: head.count, millihertz: head.millihertz) }
}

/// A part of a person's strips, the newest first.
public struct ECGPart: Sendable, Hashable {
    public let strips: [StoredECG]
    /// Before which time (UTC milliseconds) the next part begins; nil at the end.
    public let next: Milliseconds?
    /// Number of further entries that do not open.
    public let unreadable: Int
}

/// Electrocardiograms that people uploaded (DATA-1). They are attachments: kept whole, never merged, thinned or overwritten.
public struct ECGStore: SeriesSubjectStore {
    let store: SeriesStore
    /// The machine that the hub was built on.
    public var machine: Machine { store.machine }

    /// - Parameter store: in whose database the strips are.
    public init(_ store: SeriesStore) { self.store = store }

    /// Strips of a person, at most.
    public static let countMax = 1000
    /// Strips of a part of a list, where nothing else is said.
    public static let partMax = 50

    /// The outcome of a strip.
    public enum Outcome: Sendable, Hashable {
        case stored(ECGID)
        /// The same one is there already.
        case known(ECGID)
        /// Another one that begins at the same millisecond is there.
        case sameTime(ECGID)
        /// Strips take half of a person's space at most, so that the series keep the other half.
        case noSpace(used: Int, max: Int)
        /// ``ECGStore/countMax`` are there.
        case tooMany
    }

    /// Stores a strip, sealed with the person's key.
    /// - Parameters:
    ///   - uploader: the person, or a parent.
    ///   - bytesMax: what the strips of a person may take.
    /// - Throws: ``HubStoreError/unknownPerson(_:)`` for somebody unknown or deleted.
    public func add(
        _ strip: ECGStrip, of person: PersonID, by uploader: AccountID, bytesMax: Int, now: Milliseconds
    ) throws -> Outcome {
        guard let row = try accounts.row(of: person), let key = try keys.key(of: person) else {
            throw HubStoreError.unknownPerson(person.description)
        }
        let id = randomness.id(ECGID.self), values = ECGValues.encode(strip)
        let head = try seal(Self.head(of: strip, by: uploader), of: person, .ecgHead, (id.high, id.low))
        let envelope = Data(try Envelope.seal(values, with: key, at: Self.place(id, of: person)))
        return try series.write { db in
            let same = try db.fetchOne(
                sql: "SELECT strip, envelope FROM ecg WHERE person = ? AND time = ?", arguments: [row, strip.time])
            if let same, let known = ECGID(bytes: same[0] as Data) {
                let old = try Envelope.open(same[1] as Data, with: key, at: Self.place(known, of: person))
                return old == values ? .known(known) : .sameTime(known)
            }
            let used = try db.fetchOne(Int.self, sql: "SELECT attached FROM space WHERE person = ?", arguments: [row]) ?? 0
            let count = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM ecg WHERE person = ?", arguments: [row]) ?? 0
            guard count < Self.countMax else { return .tooMany }
            guard used + head.count + envelope.count <= bytesMax else { return .noSpace(used: used, max: bytesMax) }
            try db.execute(
                sql: "INSERT INTO ecg(strip, person, time, received, head, envelope) VALUES(?, ?, ?, ?, ?, ?)",
                arguments: [Data(id.bytes), row, strip.time, now, head, envelope])
            return .stored(id)
        }
    }

    private static func head(of strip: ECGStrip, by uploader: AccountID) -> StoredECG.Head {
        StoredECG.Head(
            millihertz: strip.millihertz, count: strip.count, leads: strip.leads.map(\.name.description), source: strip.source,
            said: strip.said, uploader: uploader.description)
    }

    private static func place(_ id: ECGID, of person: PersonID) -> Envelope.Place {
        Envelope.Place(person: person, table: .ecg, row: (id.high, id.low))
    }

    // MARK: Reading

    /// All strips whose beginning lies within a span, the newest first. One that does not open is left out, and told.
    /// - Returns: nil when the grant does not hold (any more), or names no ECG.
    public func strips(
        _ grant: Grant, in span: ClosedRange<Milliseconds> = 0...Milliseconds.max, now: Milliseconds
    ) throws -> [StoredECG]? {
        try part(grant, in: span, count: Self.countMax, now: now)?.strips
    }

    /// A part of those.
    /// - Parameters:
    ///   - before: ``ECGPart/next`` of the part before.
    ///   - count: strips of the part, at most; from 1 to ``countMax``.
    /// - Returns: nil when the grant does not hold (any more), or names no ECG.
    public func part(
        _ grant: Grant, in span: ClosedRange<Milliseconds> = 0...Milliseconds.max, before: Milliseconds? = nil, count: Int = partMax,
        now: Milliseconds
    ) throws -> ECGPart? {
        guard grant.kinds.contains(.ecg) else { return nil }
        let count = min(max(count, 1), Self.countMax)
        return try reading(grant, now: now) {
            guard let row = try accounts.row(of: grant.person) else { return ECGPart(strips: [], next: nil, unreadable: 0) }
            let rows = try series.read { db in
                try db.fetchAll(
                    sql: """
                        SELECT strip, time, received, head FROM ecg WHERE person = ? AND time >= ? AND time <= ? AND time < ?
                        ORDER BY time DESC LIMIT ?
                        """,
                    arguments: [row, span.lowerBound, span.upperBound, before ?? .max, count + 1])
            }
            var unreadable = 0
            let strips = try rows.prefix(count).compactMap { row in
                try unlessDamaged(.ecg, ECGID(bytes: row[0] as Data)?.description ?? "?") {
                    try stored(row, of: grant.person)
                } damaged: {
                    unreadable += 1
                    return nil
                }
            }
            return ECGPart(strips: strips, next: rows.count > count ? rows[count - 1][1] : nil, unreadable: unreadable)
        }
    }

    /// One strip with its values.
    /// - Parameter span: it has to begin within.
    /// - Returns: nil when there is none such, and when the grant does not hold (any more), or names no ECG.
    public func strip(
        _ id: ECGID, _ grant: Grant, in span: ClosedRange<Milliseconds> = 0...Milliseconds.max, now: Milliseconds
    ) throws -> (stored: StoredECG, strip: ECGStrip)? {
        guard grant.kinds.contains(.ecg) else { return nil }
        let found: (StoredECG, ECGStrip)?? = try reading(grant, now: now) {
            guard let row = try accounts.row(of: grant.person), let key = try keys.key(of: grant.person) else { return nil }
            let found = try series.read { db in
                try db.fetchOne(
                    sql: "SELECT strip, time, received, head, envelope FROM ecg WHERE strip = ? AND person = ?",
                    arguments: [Data(id.bytes), row])
            }
            guard let found, let stored = try stored(found, of: grant.person), span.contains(stored.time) else { return nil }
            let values = try Envelope.open(found[4] as Data, with: key, at: Self.place(id, of: grant.person))
            return try ECGValues.strip(values, stored).map { (stored, $0) }
        }
        return found ?? nil
    }

    private func stored(_ row: Row, of person: PersonID) throws -> StoredECG? {
        guard let id = ECGID(bytes: row[0] as Data) else { return nil }
        return try open(StoredECG.Head.self, row[3] as Data, of: person, .ecgHead, (id.high, id.low)).map {
            StoredECG(id: id, time: row[1], received: row[2], head: $0)
        }
    }

    /// Sealed bytes of a person's strips.
    public func bytes(of person: PersonID) throws -> Int {
        guard let row = try accounts.row(of: person) else { return 0 }
        return try series.read {
            try $0.fetchOne(Int.self, sql: "SELECT attached FROM space WHERE person = ?", arguments: [row]) ?? 0
        }
    }

    // MARK: Deletion

    /// Removes one strip of a person.
    /// - Returns: its time; nil when there was none.
    public func remove(_ id: ECGID, of person: PersonID) throws -> Milliseconds? {
        guard let row = try accounts.row(of: person) else { return nil }
        return try series.write { db in
            try db.fetchOne(
                Milliseconds.self, sql: "DELETE FROM ecg WHERE strip = ? AND person = ? RETURNING time",
                arguments: [Data(id.bytes), row])
        }
    }

    /// When a strip of a person begins; nil when there is none.
    public func time(of id: ECGID, of person: PersonID) throws -> Milliseconds? {
        guard let row = try accounts.row(of: person) else { return nil }
        return try series.read {
            try $0.fetchOne(
                Milliseconds.self, sql: "SELECT time FROM ecg WHERE strip = ? AND person = ?", arguments: [Data(id.bytes), row])
        }
    }

    /// Removes the strips that begin within a part that is deleted.
    /// - Returns: how many went.
    @discardableResult
    public func delete(_ part: PartDeletion) throws -> Int {
        guard part.kinds.contains(.ecg), let row = try accounts.row(of: part.person) else { return 0 }
        return try series.write { db in
            try db.execute(
                sql: "DELETE FROM ecg WHERE person = ? AND time >= ? AND time <= ?",
                arguments: [row, part.span.lowerBound, part.span.upperBound])
            return db.changesCount
        }
    }

    /// People in the list of the deleted of whom strips are left. ``SeriesErasure/erase(_:)`` removes them with the blocks.
    public func deletedWithStrips() throws -> [PersonID] {
        let deleted = try keys.deleted().keys.sorted()
        let rows = try deleted.compactMap { person in try accounts.row(of: person).map { (person, $0) } }
        return try series.read { db in
            try rows.filter { _, row in
                try db.fetchOne(Bool.self, sql: "SELECT EXISTS(SELECT 1 FROM ecg WHERE person = ?)", arguments: [row]) ?? false
            }.map(\.0)
        }
    }
}

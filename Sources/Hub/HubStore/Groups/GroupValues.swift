import Database
import Foundation
public import Groups
import History
import Seams
public import Vitals

extension Migration {
    /// How often the rollups of a person's hours changed, kept by triggers so that no writer can forget it: what was worked out of them is worked out
    /// anew where they changed since.
    static let rollupChanges = Migration(
        name: "10 changes of rollups",
        sql: """
            CREATE TABLE rollup_change(person INTEGER PRIMARY KEY, changes INTEGER NOT NULL);
            CREATE TRIGGER rollup_change_added AFTER INSERT ON rollup WHEN NEW.level = 1 \(counts("NEW"));
            CREATE TRIGGER rollup_change_removed AFTER DELETE ON rollup WHEN OLD.level = 1 \(counts("OLD"));
            CREATE TRIGGER rollup_change_made AFTER UPDATE OF envelope ON rollup WHEN NEW.level = 1 \(counts("NEW"));
            """)

    /// The body of a trigger.
    private static func counts(_ row: String) -> String {
        """
        BEGIN
            INSERT INTO rollup_change(person, changes) VALUES(\(row).person, 1) ON CONFLICT(person) DO UPDATE SET changes = changes + 1;
        END
        """
    }
}

/// With what a person would count in a window, as the rollups of their hours say it: 16 bytes, of which a hub holds one for each person.
public struct GroupValue: Sendable, Hashable {
    /// Five bits for each kind: the first twelve, and six more. All of them for nothing.
    private var low = UInt64.max, high = UInt32.max
    /// How often those rollups had changed when it was worked out, of which the low bits are compared.
    private let changes: UInt32

    private static let width = 5, ofLow = 12, nothing: UInt64 = 31
    /// The largest number of kinds.
    public static let kindsMax = 18

    /// - Parameter bins: nil for somebody whose data does not count yet; within it, nil for nothing. At most ``kindsMax``.
    public init(changes: Int64, bins: [Int?]?) {
        self.changes = UInt32(truncatingIfNeeded: changes)
        for (kind, bin) in (bins ?? []).prefix(Self.kindsMax).enumerated() {
            guard let bin, (0..<GroupBins.count).contains(bin) else { continue }
            // The bits are all set: those that the class has not are taken out.
            let absent = Self.nothing & ~UInt64(bin)
            if kind < Self.ofLow {
                low &= ~(absent << (kind * Self.width))
            } else {
                high &= ~UInt32(absent << ((kind - Self.ofLow) * Self.width))
            }
        }
    }

    /// The class of a kind by its number; nil for nothing.
    public func bin(_ kind: Int) -> Int? {
        guard (0..<Self.kindsMax).contains(kind) else { return nil }
        let bits = kind < Self.ofLow ? low >> (kind * Self.width) : UInt64(high) >> ((kind - Self.ofLow) * Self.width)
        let bin = Int(bits & Self.nothing)
        return bin < GroupBins.count ? bin : nil
    }

    /// Whether nothing changed since it was worked out.
    public func holds(at changes: Int64) -> Bool { self.changes == UInt32(truncatingIfNeeded: changes) }

    /// Whether there is a value of any kind.
    public var isSomething: Bool { (0..<Self.kindsMax).contains { bin($0) != nil } }
}

/// Works out with what people count in a window, of many people at once: from the rollups of their hours alone.
public struct GroupValues: SeriesSubjectStore {
    let store: SeriesStore

    /// Somebody whose account is known.
    public struct Person: Sendable, Hashable {
        public let person: PersonID
        /// When the account was made, UTC.
        public let created: Milliseconds

        public init(_ person: PersonID, created: Milliseconds) { (self.person, self.created) = (person, created) }
    }

    /// Whether rollups of hours before a time are still to be worked out.
    public func isWaiting(before time: Milliseconds) throws -> Bool {
        try series.read { db in
            try db.fetchOne(
                Bool.self, sql: "SELECT EXISTS(SELECT 1 FROM rollup_due WHERE last < ?)", arguments: [RollupHour.number(of: time)])
        } ?? false
    }

    /// The values with which people would count, if the window closed now. Each is worked out within one transaction.
    /// - Parameters:
    ///   - people: in the order of their identifiers, some hundreds. Who has no key (any more) is left out of what comes back.
    ///   - everPlayed: who had replays or drills at any time.
    public func values(
        of people: [Person], in window: GroupWindow, kinds: [DataKind], everPlayed: Set<PersonID>
    ) throws -> [PersonID: GroupValue] {
        guard let first = people.first?.person, let last = people.last?.person else { return [:] }
        let keys = try keys.keys(from: first, through: last), rows = try numbers(from: first, through: last)
        var found: [PersonID: GroupValue] = [:]
        found.reserveCapacity(people.count)
        for person in people {
            guard let key = keys[person.person], let row = rows[person.person] else { continue }
            let owner = RollupOwner(person: person.person, row: row, key: key), isPlayed = everPlayed.contains(person.person)
            // Not within the other reading, which may read blocks.
            let isMet = try store.groupEligibility.isMet(row: row, created: person.created, isPlayed: isPlayed, now: window.end)
            found[person.person] = try series.read { db in
                let changes = try changes(of: row, db)
                guard isMet else { return GroupValue(changes: changes, bins: nil) }
                return GroupValue(changes: changes, bins: try kinds.map { try bin(of: $0, of: owner, in: window, isPlayed: isPlayed, db) })
            }
        }
        return found
    }

    /// How often the rollups of people have changed; nobody else's than whose are asked for.
    /// - Parameter people: in the order of their identifiers, some hundreds.
    public func changes(of people: [PersonID]) throws -> [PersonID: Int64] {
        guard let first = people.first, let last = people.last else { return [:] }
        let rows = try numbers(from: first, through: last)
        return try series.read { db in
            try people.reduce(into: [:]) { found, person in
                if let row = rows[person] { found[person] = try changes(of: row, db) }
            }
        }
    }

    private func changes(of row: Int64, _ db: Connection) throws -> Int64 {
        try db.cachedStatement(sql: "SELECT changes FROM rollup_change WHERE person = ?").fetchOne(Int64.self, arguments: [row]) ?? 0
    }

    private func bin(
        of kind: DataKind, of owner: RollupOwner, in window: GroupWindow, isPlayed: Bool, _ db: Connection
    ) throws -> Int? {
        guard let rule = RollupRule(kind) else { return nil }
        let rows = try db.cachedStatement(
            sql: "SELECT start, envelope FROM rollup WHERE person = ? AND kind = ? AND level = 1 AND start BETWEEN ? AND ?"
        ).fetchAll(arguments: [owner.row, kind.rawValue, window.days.lowerBound, window.days.upperBound - 1])
        let days = try rows.compactMap { row in
            try day(row[1], kind, row[0], owner, rule) { slot in
                window.length != .hour || Int64(slot) == RollupHour.number(of: window.start) - (row[0] as Int64) * 24
            }
        }
        if let bin = Contribution.bin(of: kind, days: days) { return bin }
        guard let reach = Contribution.reach(of: kind), !isPlayed else { return nil }
        let end = window.end.flooredQuotient(by: 86_400_000)
        let latest = try db.cachedStatement(
            sql: """
                SELECT start, envelope FROM rollup WHERE person = ? AND kind = ? AND level = 1 AND start BETWEEN ? AND ?
                ORDER BY start DESC LIMIT 1
                """
        ).fetchOne(arguments: [owner.row, kind.rawValue, end - Int64(reach), window.days.lowerBound - 1])
        guard let latest, let rollup = try day(latest[1], kind, latest[0], owner, rule, { _ in true }) else { return nil }
        return Contribution.bin(of: kind, days: [], latest: (rollup, Int(end - (latest[0] as Int64))))
    }

    /// The numbers of people within a span of identifiers, for who goes through everybody once: none of them stays in memory.
    private func numbers(from first: PersonID, through last: PersonID) throws -> [PersonID: Int64] {
        try accounts.pool.read { db in
            try db.cachedStatement(sql: "SELECT id, person FROM person WHERE person BETWEEN ? AND ?")
                .fetchAll(arguments: [Data(first.bytes), Data(last.bytes)])
        }.reduce(into: [:]) { found, row in
            if let person = PersonID(bytes: row[1] as Data) { found[person] = row[0] }
        }
    }

    /// All of a day that is wanted; nil where that is nothing, and where the row does not open: nobody else is held up by it.
    private func day(
        _ envelope: Data, _ kind: DataKind, _ start: Int64, _ owner: RollupOwner, _ rule: RollupRule, _ isWanted: (Int) -> Bool
    ) throws -> Rollup? {
        try unlessDamaged(.block, owner.person) {
            var row = try store.rollups.open(envelope, kind, .hours, start, of: owner, by: rule)
            row.slots = row.slots.filter { isWanted($0.key) }
            return row.slots.isEmpty ? nil : row.total
        }
    }
}

extension SeriesStore {
    public var groupValues: GroupValues { GroupValues(store: self) }
}

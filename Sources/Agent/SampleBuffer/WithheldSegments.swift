internal import GRDB
public import Vitals

/// Segments that the hub refused because it does not know that this box sends for their person: so does one that was put back to an older
/// backup. They are kept, and sent again when it does, or when the box is enrolled anew. Age does not remove them; where there is no room they
/// go after what the hub has and before what waits, and gap records say so.
///
/// They are refused ones whose settlement never comes: an older agent on this file counts them as refused.
public struct WithheldSegments: Sendable {
    /// `segment.settled` of these.
    static let settled = Milliseconds.max
    private static let slice = 1024

    private let buffer: SampleBuffer

    public init(_ buffer: SampleBuffer) { self.buffer = buffer }

    /// Makes those of some people unsent again; answers how many. Cheap where there are none.
    public func bringBack(_ people: Set<PersonID>) throws(BufferError) -> Int {
        var count = 0
        for person in try self.people().intersection(people) {
            var changed = Self.slice
            while changed == Self.slice {
                changed = try bringBack(person)
                count += changed
            }
        }
        return count
    }

    private func bringBack(_ person: PersonID) throws(BufferError) -> Int {
        try buffer.write { database in
            try database.execute(
                sql: """
                    UPDATE segment SET state = 0, settled = NULL, reason = NULL WHERE key IN (
                        SELECT key FROM segment WHERE state = 2 AND settled = ? AND person = ? ORDER BY key LIMIT ?)
                    """,
                arguments: [Self.settled, person.blob, Self.slice])
            return database.changesCount
        }
    }

    /// Those of people whom this box does not serve any more go like all that was refused: so long after now as settled ones are kept.
    public func release(besides people: Set<PersonID>) throws(BufferError) {
        for person in try self.people().subtracting(people) {
            try buffer.write { database in
                let now = try database.setting(.lastAnswer).flatMap { Int64($0) } ?? 0
                try database.execute(
                    sql: "UPDATE segment SET settled = ? WHERE state = 2 AND settled = ? AND person = ?",
                    arguments: [now, Self.settled, person.blob])
            }
        }
    }

    /// Whose there are.
    private func people() throws(BufferError) -> Set<PersonID> {
        try buffer.read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT DISTINCT person FROM segment WHERE state = 2 AND settled = ?", arguments: [Self.settled])
            return Set(try rows.compactMap { PersonID(bytes: try $0.bytes("person")) })
        }
    }
}

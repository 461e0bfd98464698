internal import GRDB
internal import Synchronization
internal import Vitals

/// The result of a seal, until it is known to be on the disk.
///
/// When the last sync of a commit fails, the seal counts as failed and its samples wait for the next one; but its pages stand in the log, and
/// whoever opens the file anew takes them for committed. Then the seal is undone before anybody reads, or its samples would be stored twice.
final class UnconfirmedSeal: Sendable {
    struct Before: Sendable {
        var stream: StreamID
        /// The sequence that the seal begins with.
        var next: Int64
        var replay: ReplayRow?
    }

    struct ReplayRow: Sendable {
        static let columns = ["nmeaEvents", "nmeaOffset", "bleEvents", "bleOffset", "position", "state", "finished"]
        var key: Int64
        var values: [DatabaseValue]
    }

    private let before = Mutex<Before?>(nil)

    var last: Before? { before.withLock { $0 } }

    func begin(_ stream: StreamRow, _ target: SealTarget, in database: Database) throws {
        let next = try Int64.fetchOne(database, sql: "SELECT next FROM stream WHERE key = ?", arguments: [stream.key]) ?? 0
        var replayed: ReplayRow?
        if case .replay(let replay) = target {
            let row = try Row.fetchOne(
                database, sql: "SELECT \(ReplayRow.columns.joined(separator: ", ")) FROM replay WHERE key = ?", arguments: [replay.key])
            replayed = row.map { ReplayRow(key: replay.key, values: Array($0.databaseValues)) }
        }
        let found = Before(stream: stream.id, next: next, replay: replayed)
        before.withLock { $0 = found }
    }

    /// As if this were how the last seal began.
    func assume(_ before: Before) { self.before.withLock { $0 = before } }

    func end() { before.withLock { $0 = nil } }
}

extension UnconfirmedSeal.Before {
    /// Takes back what the seal stored, if it did.
    func restore(_ database: Database) throws {
        guard let row = try database.stream(id: stream),
            let now = try Int64.fetchOne(database, sql: "SELECT next FROM stream WHERE key = ?", arguments: [row.key]), now > next
        else { return }
        try database.execute(sql: "DELETE FROM segment WHERE stream = ? AND sequence >= ?", arguments: [row.key, next])
        try database.execute(sql: "UPDATE stream SET next = ? WHERE key = ?", arguments: [next, row.key])
        guard let replay else { return }
        let assignments = UnconfirmedSeal.ReplayRow.columns.map { "\($0) = ?" }.joined(separator: ", ")
        try database.execute(
            sql: "UPDATE replay SET \(assignments) WHERE key = ?",
            arguments: StatementArguments(replay.values + [replay.key.databaseValue]))
    }
}

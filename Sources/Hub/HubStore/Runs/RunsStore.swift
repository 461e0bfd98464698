import Database
import Foundation
import Runs
import Synchronization
import Vitals

/// A row about a run, or about one's wish to hear of runs, that does not open.
public struct DamagedRunRow: Sendable, Hashable {
    public enum Kind: String, Sendable { case run, enrolment, result, telling, nearby }
    public let kind: Kind
    /// nil for what is of no run.
    public let run: RunID?
    /// Its number among those of its kind; ``StoredEnrolment/row`` of an enrolment, and of a result.
    public let row: Int64
}

/// Track4Run's data in the hub, in a database of its own (see ``Migration/runs``): what exists before, around and after the live part.
public final class RunsStore: Sendable, SealingStore {
    let pool: DatabasePool
    let keys: KeyStore
    private let damaged = Mutex(Damaged())

    private struct Damaged {
        var told: Set<DamagedRunRow> = []
        var tell: (@Sendable (DamagedRunRow) -> Void)?
    }

    /// Has somebody told of rows that do not open, of each once.
    public func tellDamaged(_ tell: @escaping @Sendable (DamagedRunRow) -> Void) { damaged.withLock { $0.tell = tell } }

    public init(_ directory: HubDirectory, keys: KeyStore) throws {
        self.keys = keys
        pool = try directory.open("runs", pageSize: 4096, migrations: Migration.runs)
    }

    // MARK: Rows

    static let columns = """
        run.id, run.run, code, organiser, run.state, starts, ends, closes, began, ended, most, enrolled, revision, schedule, south, west, north, east,
        run.created, run.envelope
        """

    func stored(_ row: Row) throws -> StoredRun? {
        guard let id = RunID(bytes: row[1] as Data), let state = RunState(rawValue: row[4]),
            let plan = try open(RunPlan.self, row[19], of: id.sealed, .run)
        else { return nil }
        return StoredRun(
            row: row[0], id: id, code: row[2], organiser: (row[3] as Data?).flatMap { AccountID(bytes: $0) }, plan: plan, state: state,
            began: row[8], ended: row[9], enrolled: row[11], revision: row[12], schedule: row[13],
            area: RunArea(south: row[14], west: row[15], north: row[16], east: row[17]), created: row[18])
    }

    func run(_ id: RunID, _ db: Connection) throws -> StoredRun? { try row(of: id, db).flatMap(stored) }

    private func row(of run: RunID, _ db: Connection) throws -> Row? {
        try db.cachedStatement(sql: "SELECT \(Self.columns) FROM run WHERE run = ?").fetchOne(arguments: [Data(run.bytes)])
    }

    /// For who has to do with many runs: nil also for one that does not open any more, which is told. The others do not fail by it.
    func listed(_ row: Row) throws -> StoredRun? {
        do { return try stored(row) } catch let error where HubStoreError.isDamage(error) {
            tellDamage(.init(kind: .run, run: RunID(bytes: row[1] as Data), row: row[0]))
            return nil
        }
    }

    func listed(_ id: RunID, _ db: Connection) throws -> StoredRun? { try row(of: id, db).flatMap { try listed($0) } }

    /// Lists are read each second: it is said once.
    func tellDamage(_ row: DamagedRunRow) {
        let tell = damaged.withLock { $0.tell != nil && $0.told.insert(row).inserted ? $0.tell : nil }
        tell?(row)
    }
}

import Database
public import Vitals

/// One of the hub's databases, as whoever watches the hub sees it.
public struct WatchedDatabase: Sendable {
    /// That of its file, without an ending.
    public let name: String
    private let pool: DatabasePool

    /// Its files: the database and its log. In memory there is none.
    public var paths: [String] { pool.path == ":memory:" ? [] : [pool.path, pool.path + "-wal"] }

    /// Comes back once a writer could have written. Nothing is changed.
    /// - Throws: where it could not.
    public func tryWriting() throws { try pool.tryWriting() }

    /// All that a running hub writes.
    public static func all(accounts: AccountStore, series: SeriesStore, sos: SOSStore, runs: RunsStore) -> [WatchedDatabase] {
        [
            WatchedDatabase(name: "accounts", pool: accounts.pool), WatchedDatabase(name: "keys", pool: accounts.keys.pool),
            WatchedDatabase(name: "journal", pool: series.journal), WatchedDatabase(name: "series", pool: series.series),
            WatchedDatabase(name: "sos", pool: sos.pool), WatchedDatabase(name: "runs", pool: runs.pool),
        ]
    }
}

/// Work that waits in the accounts' database: how much, and since when. Asked once in a while, so each statement is answered by an index.
public struct BacklogStore: SubjectStore {
    let accounts: AccountStore

    public init(_ accounts: AccountStore) { self.accounts = accounts }

    /// Mails that have not left, and when the oldest of them was written.
    public func mails() throws -> (count: Int, oldest: Milliseconds?) {
        try pool.read { db in
            let counts = try NoticeUrgency.allCases.map {
                try db.fetchOne(Int.self, sql: "SELECT count(*) FROM mail WHERE urgent = ?", arguments: [$0.rawValue]) ?? 0
            }
            let oldest = try db.fetchOne(Milliseconds.self, sql: "SELECT created FROM mail WHERE id = (SELECT min(id) FROM mail)")
            return (counts.reduce(0, +), oldest)
        }
    }

    /// What waits for receivers of webhooks, and since when the longest waiting webhook should have been tried: receivers that fail are tried
    /// later, and are none of those.
    public func webhooks() throws -> (deliveries: Int, due: Milliseconds?) {
        try pool.read { db in
            let waiting = try db.fetchOne(Int.self, sql: "SELECT count(*) FROM delivery WHERE dead IS NULL") ?? 0
            return (waiting, try db.fetchOne(Milliseconds.self, sql: "SELECT min(due) FROM webhook"))
        }
    }
}

extension DatabasePool {
    /// Takes the writer as a transaction does that changes something, and undoes it: nothing of it stays, and nothing reaches the disk.
    /// - Throws: ``DatabaseError`` where nothing can be written: the file is read-only, or somebody else has held it for too long.
    public func tryWriting() throws {
        try writeInTransaction { db in
            let version = try db.fetchOne(Int.self, sql: "PRAGMA user_version") ?? 0
            try db.execute(sql: "PRAGMA user_version = \(version)")
            return .rollback
        }
    }
}

import GRDB

/// One step of a database's schema. Steps are only ever added at the end: which were done stands in the table `grdb_migrations`, by name.
public struct Migration: Sendable {
    public let name: String
    public let sql: String

    public init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    static func run(_ migrations: [Migration], on writer: any DatabaseWriter) throws {
        var migrator = DatabaseMigrator()
        for migration in migrations {
            migrator.registerMigration(migration.name) { try $0.execute(sql: migration.sql) }
        }
        if try writer.read({ try migrator.hasBeenSuperseded($0) }) { throw NewerDatabase() }
        try migrator.migrate(writer)
    }
}

/// A database has steps that this program does not know: it must not write there.
public struct NewerDatabase: Error, Sendable, Hashable, CustomStringConvertible {
    public var description: String {
        "a newer version of this program has changed it; install that version again, or restore the backup that was made before the upgrade"
    }
}

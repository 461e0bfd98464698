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
        try migrator.migrate(writer)
    }
}

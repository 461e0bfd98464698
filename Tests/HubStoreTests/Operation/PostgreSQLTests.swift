import Foundation
import TestSupport
import Testing

/// A PostgreSQL of the test's own: in a temporary directory, reached by a Unix socket, without durability. It refuses to run for root.
private final class PostgreSQL {
    private static let programs = URL(filePath: "/usr/lib/postgresql/15/bin")
    private let directory: TemporaryDirectory
    private let server = Process()

    /// Debian's package brings a user for it.
    static let isInstalled =
        FileManager.default.isExecutableFile(atPath: programs.appending(path: "postgres").path)
        && (getuid() != 0 || getpwnam("postgres") != nil)

    init() throws {
        directory = try TemporaryDirectory()
        if getuid() == 0, let user = getpwnam("postgres") {
            try #require(chown(directory.url.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0)
        }
        let data = directory.url.appending(path: "data").path
        try run("initdb", ["-D", data, "-U", "trackme", "-A", "trust", "-E", "UTF8", "--no-sync"])
        let log = try Self.file()
        prepare(
            server, "postgres",
            ["-D", data, "-c", "listen_addresses=", "-c", "unix_socket_directories=\(directory.url.path)", "-c", "fsync=off"])
        (server.standardInput, server.standardOutput, server.standardError) = (try Self.file(), log, log)
        try server.run()
        while (try? say("SELECT 1")) == nil {
            guard server.isRunning else {
                try log.seek(toOffset: 0)
                throw Refused(program: "postgres", said: String(decoding: try log.readToEnd() ?? Data(), as: UTF8.self))
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    deinit {
        // SIGINT: ends now, whoever is connected.
        guard server.isRunning else { return }
        server.interrupt()
        server.waitUntilExit()
    }

    private struct Refused: Error {
        let program: String, said: String
    }

    /// Runs each statement by itself, whatever became of the others.
    /// - Returns: what psql printed, errors included.
    func say(_ script: String) throws -> String {
        try run("psql", ["-h", directory.url.path, "-U", "trackme", "-d", "postgres", "-qAtX", "-v", "VERBOSITY=terse"], script)
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String], _ input: String? = nil) throws -> String {
        let process = Process(), output = try Self.file(), source = try Self.file()
        try source.write(contentsOf: Data((input ?? "").utf8))
        try source.seek(toOffset: 0)
        prepare(process, program, arguments)
        (process.standardInput, process.standardOutput, process.standardError) = (source, output, output)
        try process.run()
        process.waitUntilExit()
        try output.seek(toOffset: 0)
        let said = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
        guard process.terminationStatus == 0 else { throw Refused(program: program, said: said) }
        return said
    }

    /// As the user of Debian's package where root asks.
    private func prepare(_ process: Process, _ program: String, _ arguments: [String]) {
        process.executableURL = URL(filePath: getuid() == 0 ? "/usr/bin/setpriv" : "/usr/bin/env")
        let user = ["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        process.arguments = (getuid() == 0 ? user : []) + [Self.programs.appending(path: program).path] + arguments
        process.currentDirectoryURL = URL(filePath: "/")
    }

    /// A file without a name. A server that goes on would keep a pipe open.
    private static func file() throws -> FileHandle {
        let directory = try TemporaryDirectory(), file = directory.url.appending(path: "text")
        try Data().write(to: file)
        return try FileHandle(forUpdating: file)
    }
}

/// What the statements and tables become for PostgreSQL, and what it says of them.
private struct PostgreSQLScript {
    /// Files of each hub with nobody in them, which stay with SQLite: one with an R*Tree, and what an import of maps makes.
    static let sqliteOnly: Set<String> = ["places", "tiles", "names"]
    private var lines: [String] = []
    private var names: [String] = []

    mutating func use(_ database: String, isNew: Bool = false) {
        lines += (isNew ? ["CREATE SCHEMA \(database);"] : []) + ["SET search_path = \(database);"]
    }

    mutating func ask(_ name: String, _ sql: String) {
        lines += ["\\echo @\(names.count)", sql.trimmingCharacters(in: ["\n", " ", ";"]) + ";"]
        names.append(name)
    }

    /// What PostgreSQL refused: its words, and the name of what it was asked.
    func refusals(_ server: PostgreSQL) throws -> [String] {
        var found: [String] = [], at = "before the first", last = -1
        for line in try server.say(lines.joined(separator: "\n") + "\n").split(separator: "\n") {
            if line.first == "@", let number = Int(line.dropFirst()) {
                (at, last) = (names[number], number)
            } else if line.contains("ERROR") || line.contains("FATAL") {
                found.append("\(line)\n    \(at)")
            }
        }
        if last != names.count - 1 { found.append("psql ended early, at \(at)") }
        return found
    }

    /// A table or index of SQLite: the one place where the languages of schemas differ.
    static func schema(_ part: String) -> String {
        part.replacing(/\bINTEGER PRIMARY KEY( AUTOINCREMENT)?/, with: "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY")
            .replacing(/\bINTEGER\b/, with: "BIGINT").replacing(/\bBLOB\b/, with: "BYTEA").replacing(/\bREAL\b/, with: "DOUBLE PRECISION")
            .replacing(/\)\s*WITHOUT ROWID/, with: ")")
    }

    /// `?` as `$1`, `$2` …, counted as SQLite counts.
    static func numbered(_ sql: String) -> String {
        var last = 0
        return sql.replacing(/\?(\d*)/) { mark in
            last = Int(mark.1) ?? last + 1
            return "$\(last)"
        }
    }
}

@Suite(.enabled(if: PostgreSQL.isInstalled, "PostgreSQL 15 is not installed: make test-postgres"), .timeLimit(.minutes(3)))
struct StatementsOnPostgreSQLTests {
    @Test("OPS-2: PostgreSQL 15 takes every table, and prepares every statement of the stores")
    func prepared() throws {
        let prepared = try PreparedStatements.shared.get()
        var script = PostgreSQLScript(), count = 0
        for (database, parts) in prepared.schemas.sorted(by: { $0.key < $1.key }) where !PostgreSQLScript.sqliteOnly.contains(database) {
            script.use(database, isNew: true)
            // Triggers are the engine's: the two are written in a language of each server.
            for part in parts where !part.contains(/^CREATE (TRIGGER|TABLE (sqlite_sequence|grdb_migrations))/) {
                script.ask("\(database): \(part.onOneLine)", PostgreSQLScript.schema(part))
            }
        }
        for statement in try prepared.statements() {
            for text in statement.texts {
                for database in prepared.plans(of: text).plans.keys.sorted() where !PostgreSQLScript.sqliteOnly.contains(database) {
                    count += 1
                    script.use(database)
                    script.ask("\(statement.place): \(text.onOneLine)", "PREPARE s\(count) AS \(PostgreSQLScript.numbered(text))")
                }
            }
        }
        let refusals = try script.refusals(PostgreSQL())
        #expect(count > 600 && refusals.isEmpty, "\(refusals.count) of \(count):\n\(refusals.joined(separator: "\n"))")
    }

    @Test("OPS-2: what only SQLite understands is refused there")
    func refused() throws {
        var script = PostgreSQLScript()
        script.use("wrong", isNew: true)
        script.ask("table", PostgreSQLScript.schema("CREATE TABLE thing(id INTEGER PRIMARY KEY, left BLOB) WITHOUT ROWID"))
        script.ask("right", PostgreSQLScript.schema("CREATE TABLE thing(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID"))
        script.ask("ignore", "PREPARE a AS " + PostgreSQLScript.numbered("INSERT OR IGNORE INTO thing(bytes) VALUES(?)"))
        script.ask(
            "fine", "PREPARE b AS " + PostgreSQLScript.numbered("INSERT INTO thing(bytes) VALUES(?) ON CONFLICT DO NOTHING RETURNING id"))
        let refusals = try script.refusals(PostgreSQL())
        #expect(refusals.count == 2 && refusals[0].hasSuffix("table") && refusals[1].hasSuffix("ignore"), "\(refusals)")
    }
}

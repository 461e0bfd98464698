import Database
import Foundation
import TestSupport
import Testing

@testable import HubStore

/// The databases of a new hub, as the migrations leave them, and every statement of the stores with the databases that take it.
struct PreparedStatements: Sendable {
    /// The same for all tests: planning every statement takes seconds.
    static let shared = Result { try PreparedStatements() }

    private typealias Planned = (plans: [String: [String]], refusals: [String])

    /// The parts of each database's schema, in the order in which they were made.
    let schemas: [String: [String]]
    private let directory: TemporaryDirectory
    private let pools: [String: DatabasePool]
    private let planned = Locked<[String: Planned]>([:])

    init() throws {
        directory = try TemporaryDirectory()
        let hub = try HubDirectory(directory.url), keys = try KeyStore(hub, environment: [:]), accounts = try AccountStore(hub, keys: keys)
        _ = try (SeriesStore(hub, accounts: accounts, keys: keys), RunsStore(hub, keys: keys), SOSStore(hub, keys: keys), PlaceStore(hub))
        _ = try DatabasePool(path: hub.path("tiles.sqlite"), migrations: [MadeUpTiles.migration])
        _ = try DatabasePool(path: hub.path("names.sqlite"), migrations: NameStore.migrations)
        var pools: [String: DatabasePool] = [:], schemas: [String: [String]] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) where file.hasSuffix(".sqlite") {
            let name = String(file.dropLast(7)), pool = try DatabasePool(path: hub.path(file))
            pools[name] = pool
            schemas[name] = try pool.read {
                try $0.fetchAll(String.self, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
            }
        }
        self.pools = pools
        self.schemas = schemas
    }

    /// Every statement of the stores.
    func statements() throws -> [SourceStatement] {
        let people = try pools.values.flatMap { pool in try pool.read { try $0.tables(withColumn: "person").map(\.name) } }
        return try SourceStatements(of: "Sources/Hub/HubStore", tablesOfPeople: Set(people).sorted()).all()
    }

    /// The steps of SQLite's plan for a statement in each database that takes it; why not in the others.
    func plans(of sql: String) -> (plans: [String: [String]], refusals: [String]) {
        if let known = planned.current[sql] { return known }
        var plans: [String: [String]] = [:], refusals: [String] = []
        for (name, pool) in pools.sorted(by: { $0.key < $1.key }) {
            do {
                plans[name] = try pool.write {
                    try $0.fetchAll(sql: "EXPLAIN QUERY PLAN \(sql)", arguments: Arguments(Self.values(of: sql))).map { $0["detail"] }
                }
            } catch {
                refusals.append("\(name): \(error)")
            }
        }
        let found = (plans, refusals)
        planned.change { $0[sql] = found }
        return found
    }

    /// A step of a statement's plan that reads a table from end to end.
    struct Scan {
        let database: String, step: String
        /// The entry of ``AllowedScans`` that permits it.
        let permit: String?
    }

    /// What a statement reads from end to end in each database that takes it.
    func scans(in text: String) -> [Scan] {
        plans(of: text).plans.flatMap { database, steps -> [Scan] in
            let partial = partialIndexes(of: database), whole = text.onOneLine
            return steps.compactMap { step -> Scan? in
                guard let scan = step.wholeMatch(of: /SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/) else { return nil }
                if scan.1 == "CONSTANT" || scan.2.map({ partial.contains(String($0)) }) == true { return nil }
                let name = String(scan.1), isSmall = AllowedScans.smallTables[name] != nil && !isAlias(name, of: text)
                return Scan(database: database, step: step, permit: isSmall ? name : AllowedScans.statements[whole] == nil ? nil : whole)
            }
        }
    }

    /// Whether a name is another one of some table: plans name the alias alone.
    private func isAlias(_ name: String, of text: String) -> Bool {
        text.matches(of: /\b(?:FROM|JOIN|,)\s+(\w+)\s+(?:AS\s+)?(\w+)/).contains { $0.2 == name && $0.1 != name }
    }

    /// A null for each value that a statement takes: SQLite counts `?` on from the greatest number before it.
    private static func values(of sql: String) -> [Int64?] {
        let count = sql.matches(of: /\?(\d*)/).reduce(0) { greatest, mark in Int(mark.1).map { max(greatest, $0) } ?? greatest + 1 }
        return [Int64?](repeating: nil, count: count)
    }

    /// Indexes that hold a part of their table only.
    func partialIndexes(of database: String) -> Set<String> {
        Set(
            (schemas[database] ?? []).compactMap { $0.firstMatch(of: /(?s)CREATE (UNIQUE )?INDEX (\w+)\s.*\sWHERE\s/).map { String($0.2) } }
        )
    }

    /// Columns that refer to a table whose rows are deleted, in tables without an index that begins with them: each deletion reads the whole table.
    func unindexedReferences(in database: String) throws -> [String] {
        try pools[database]?.read { db in
            try db.fetchAll(String.self, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'place_area%'")
                .flatMap { table in
                    let indexed = try db.fetchAll(
                        String.self,
                        sql: "SELECT field.name FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS field WHERE seqno = 0",
                        arguments: [table])
                    let key = try db.fetchAll(String.self, sql: "SELECT name FROM pragma_table_info(?) WHERE pk = 1", arguments: [table])
                    let refers = try db.fetchAll(
                        String.self, sql: "SELECT DISTINCT \"from\" FROM pragma_foreign_key_list(?)", arguments: [table])
                    return refers.filter { !indexed.contains($0) && !key.contains($0) }.map { "\(table).\($0)" }
                }
        } ?? []
    }
}

extension String {
    /// With one space for each stretch of white space.
    var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

@Suite(.timeLimit(.minutes(1)))
struct StatementTests {
    @Test("OPS-2: every statement of the stores is one that a database of the hub takes")
    func prepared() throws {
        let prepared = try PreparedStatements.shared.get(), statements = try prepared.statements()
        #expect(statements.count > 600, "\(statements.count) were found")
        for statement in statements {
            for text in statement.texts {
                let (plans, refusals) = prepared.plans(of: text)
                #expect(!plans.isEmpty, "\(statement.place): \(text.onOneLine)\n\(refusals.joined(separator: "\n"))")
            }
        }
    }

    @Test("no statement reads a table that grows from end to end, but those that are listed with the reason")
    func scans() throws {
        let prepared = try PreparedStatements.shared.get()
        var used: Set<String> = []
        for statement in try prepared.statements() {
            for text in Set(statement.texts) {
                for scan in prepared.scans(in: text) {
                    used.insert(scan.permit ?? "")
                    #expect(scan.permit != nil, "\(statement.place): \(scan.database): \(scan.step)\n    \"\(text.onOneLine)\"")
                }
            }
        }
        let listed = Set(AllowedScans.smallTables.keys).union(AllowedScans.statements.keys)
        #expect(listed.subtracting(used) == [], "listed and not needed any more")
    }

    @Test(
        "a scan that is not listed is seen, also below a name of a small table",
        arguments: [
            "SELECT * FROM account", "SELECT id FROM account WHERE language = ?", "DELETE FROM account WHERE language = ?",
            "SELECT * FROM account mail", "SELECT mail.id FROM account AS mail ORDER BY mail.language", "SELECT * FROM mail JOIN account",
        ])
    func plantedScan(text: String) throws {
        let scans = try PreparedStatements.shared.get().scans(in: text)
        #expect(scans.contains { $0.permit == nil && $0.database == "accounts" }, "\(scans)")
    }

    @Test("what has an index, or is small, is no such scan", arguments: ["SELECT * FROM account WHERE id = ?", "SELECT * FROM mail"])
    func noScan(text: String) throws {
        let prepared = try PreparedStatements.shared.get()
        #expect(!prepared.plans(of: text).plans.isEmpty && prepared.scans(in: text).allSatisfy { $0.permit != nil })
    }

    @Test("deletions and exports of a span find their blocks by the index of times")
    func blockTimes() throws {
        let prepared = try PreparedStatements.shared.get()
        var count = 0
        for statement in try prepared.statements() {
            for text in statement.texts where text.contains("+kind IN") {
                let steps = prepared.plans(of: text).plans["series"] ?? []
                #expect(
                    steps.contains { $0.hasPrefix("SEARCH block USING") && $0.contains("INDEX block_time (person=?") }, "\(text): \(steps)")
                count += 1
                guard text.contains("utc_last <= ?") else { continue }
                #expect(steps.contains { $0.contains("utc_last>? AND utc_last<?") }, "\(text): \(steps)")
            }
        }
        #expect(count >= 4)
    }

    @Test("what a row refers to is deleted without reading the row's whole table, but for tables that are listed")
    func references() throws {
        let prepared = try PreparedStatements.shared.get()
        let found = try prepared.schemas.keys.flatMap { try prepared.unindexedReferences(in: $0) }
        #expect(Set(found) == Set(AllowedScans.references.keys))
    }

    @Test("OPS-2: what is interpolated into a statement and has no known values is refused, and a wrong statement is no plan")
    func refused() throws {
        let folder = try TemporaryDirectory(), file = folder.url.appending(path: "Bad.swift")
        try Data(##"let a = "SELECT 1 FROM \(unknown)""##.utf8).write(to: file)
        let literal = try #require(SwiftLiteral.all(in: try String(contentsOf: file, encoding: .utf8)).first)
        #expect(literal.parts == [.text("SELECT 1 FROM "), .code("unknown")] && literal.constant == "a")
        #expect(throws: UnknownInterpolation.self) { try SourceStatements(ofFolder: folder.url).all() }
        #expect(try PreparedStatements.shared.get().plans(of: "SELECT nothing FROM nowhere").plans.isEmpty)
    }
}

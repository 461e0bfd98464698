import Database
import Distress
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Directories of hubs of 0.3.0 (Tests/Fixtures/v0.3.0), opened by this version.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ReleasedHubTests {
    private static func unpacked() throws -> (directory: TemporaryDirectory, hubs: [URL]) {
        let directory = try TemporaryDirectory()
        let archive = Repository.url("Tests/Fixtures/v0.3.0/hubs.tar.xz")
        let tar = Process()
        tar.executableURL = URL(filePath: "/usr/bin/tar")
        tar.arguments = ["--no-same-owner", "-xJf", archive.path, "-C", directory.url.path]
        try tar.run()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
        return (directory, names.map { directory.url.appending(path: $0) })
    }

    /// Columns that have another name since 0.3.0.
    private static let renamed = [
        "runs.sqlite invitation left": "uses", "accounts.sqlite maintenance end": "ends",
        "accounts.sqlite maintenance_told window": "maintenance",
    ]

    /// The lines of each table of a hub's databases, in columns of `known` where that is given.
    private static func tables(_ hub: URL, as known: [String: [String]]? = nil) throws -> (
        columns: [String: [String]], lines: [String: [String]]
    ) {
        var columns: [String: [String]] = [:], lines: [String: [String]] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: hub.path) where file.hasSuffix(".sqlite") {
            let queue = try DatabasePool(path: hub.appending(path: file).path)
            try queue.read { db in
                let names = try db.fetchAll(
                    String.self,
                    sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'grdb_migrations'")
                for name in names {
                    let key = "\(file) \(name)",
                        all = try db.fetchAll(String.self, sql: "SELECT name FROM pragma_table_info(?)", arguments: [name])
                    columns[key] = known?[key] ?? all
                    let values = (columns[key] ?? []).map { name in
                        let present = all.contains(name) ? name : Self.renamed["\(key) \(name)"] ?? name
                        return "quote(\"\(present)\")"
                    }.joined(separator: " || '|' || ")
                    lines[key] = try db.fetchAll(String.self, sql: "SELECT \(values) FROM \"\(name)\"").sorted()
                }
            }
            try queue.close()
        }
        return (columns, lines)
    }

    @Test("OPS-2, DATA-11: what a hub of 0.3.0 kept is opened, and every row of every table reads the same")
    func sameRows() throws {
        let (directory, hubs) = try Self.unpacked()
        defer { withExtendedLifetime(directory) {} }
        #expect(hubs.count > 10)
        var filled: Set<String> = [], all: Set<String> = []
        for hub in hubs {
            let before = try Self.tables(hub), folder = try HubDirectory(hub), keys = try KeyStore(folder, environment: [:])
            let accounts = try AccountStore(folder, keys: keys)
            if before.columns.keys.contains(where: { $0.hasPrefix("series.sqlite ") }) {
                _ = try SeriesStore(folder, accounts: accounts, keys: keys)
            }
            if before.columns.keys.contains(where: { $0.hasPrefix("runs.sqlite ") }) { _ = try RunsStore(folder, keys: keys) }
            if before.columns.keys.contains(where: { $0.hasPrefix("sos.sqlite ") }) { _ = try SOSStore(folder, keys: keys) }
            if before.columns.keys.contains(where: { $0.hasPrefix("places.sqlite ") }) { _ = try PlaceStore(folder) }
            let after = try Self.tables(hub, as: before.columns)
            for (table, lines) in before.lines {
                #expect(after.lines[table] == lines, "\(hub.lastPathComponent): \(table)")
                all.insert(table)
                if !lines.isEmpty { filled.insert(table) }
            }
        }
        // SQLite fills the one from some hundreds of areas on; in the other nothing stands longer than it takes to tell people of a new run.
        #expect(all.subtracting(filled) == ["places.sqlite place_area_parent", "runs.sqlite announcing"])
    }

    @Test("OPS-2, CONS-7: consents of a hub of 0.3.0 keep their content: RR intervals and energy with the heart rate, nothing that is new")
    func consents() throws {
        let (directory, hubs) = try Self.unpacked()
        defer { withExtendedLifetime(directory) {} }
        var hearts = 0, others = 0
        for hub in hubs {
            let folder = try HubDirectory(hub), accounts = try AccountStore(folder, keys: KeyStore(folder, environment: [:]))
            try accounts.pool.read { db in
                for id in try db.fetchAll(Data.self, sql: "SELECT consent FROM consent").compactMap({ ConsentID(bytes: $0) }) {
                    guard let kinds = try accounts.consents.consent(id, db)?.consent.request.scope.kinds else { continue }
                    let parts: Set<DataKind> = [.rrIntervals, .energyExpended]
                    #expect(
                        kinds.isSuperset(of: parts) == kinds.contains(.heartRate) && kinds.contains(.flaggedEvent) == kinds.contains(.event)
                    )
                    #expect(!kinds.contains { $0.isScalar }, "\(kinds)")
                    if kinds.contains(.heartRate) { hearts += 1 } else { others += 1 }
                }
            }
        }
        #expect(hearts > 0, "\(hearts) of heart rates, \(others) others")
    }

    @Test("OPS-2, SOS-7: people, open cases, runs and consents of a hub of 0.3.0 are read with its keys")
    func read() throws {
        let (directory, hubs) = try Self.unpacked()
        defer { withExtendedLifetime(directory) {} }
        var people = 0, cases = 0, watches = 0, runs = 0
        for hub in hubs {
            let folder = try HubDirectory(hub), keys = try KeyStore(folder, environment: [:]),
                accounts = try AccountStore(folder, keys: keys)
            for id in try accounts.pool.read({ try $0.fetchAll(Data.self, sql: "SELECT account FROM account") }).compactMap({
                AccountID(bytes: $0)
            }) {
                guard let account = try accounts.account(id) else { continue }
                #expect(account.id == id)
                people += 1
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: hub.path)
            if names.contains("sos.sqlite") {
                let sos = try SOSStore(folder, keys: keys), kept = try sos.everything(), counts = try sos.counts()
                #expect(kept.problems.isEmpty, "\(hub.lastPathComponent): \(kept.problems)")
                #expect(kept.cases.filter { $0.isOpen && !$0.isTest }.count == counts.open)
                (cases, watches) = (cases + counts.open, watches + kept.states.count)
                #expect(kept.states.values.allSatisfy { $0.watch.unread.isEmpty })
            }
            if names.contains("runs.sqlite") {
                let store = try RunsStore(folder, keys: keys)
                for code in try store.pool.read({ try $0.fetchAll(String.self, sql: "SELECT code FROM run") }) {
                    #expect(try store.run(code: code) != nil, "\(code)")
                    runs += 1
                }
            }
        }
        #expect(people > 100 && cases > 0 && watches > 0 && runs > 0, "\(people) people, \(cases) cases, \(watches) states, \(runs) runs")
    }
}

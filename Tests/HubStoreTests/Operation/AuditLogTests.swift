import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

struct AuditLogTests {
    private struct Fixture {
        let store: StoreFixture
        let log: AuditLog

        init(rows: Int = 0) throws {
            store = try StoreFixture()
            log = try AuditLog(HubDirectory(store.directory.url), accounts: store.accounts, environment: [:])
            for row in 0..<rows { try append(row) }
        }

        func append(_ row: Int) throws {
            try log.append(.exported, by: row.isMultiple(of: 3) ? nil : AccountID(store.person), on: AccountID(store.person), now: noon)
        }

        func change(_ sql: String) throws { try store.accounts.pool.write { try $0.execute(sql: sql) } }
    }

    @Test("DATA-11: the audit log chains its rows, signs checkpoints, and is whole after a restart")
    func whole() throws {
        let fixture = try Fixture(rows: 10)
        #expect(try fixture.log.checkpointIfDue(now: noon)?.row == 10)
        #expect(try fixture.log.checkpointIfDue(now: noon + AuditLog.checkpointAge - 1) == nil)
        try fixture.append(11)
        let log = try AuditLog(HubDirectory(fixture.store.directory.url), accounts: fixture.store.accounts, environment: [:])
        try log.append(.personDeleted, by: nil, on: nil, now: noon)
        let found = try log.verify()
        #expect(found.problem == nil && found.rows == 12 && found.checkpoint?.row == 10 && found.uncovered == 2)
        #expect(try log.checkpoint(now: noon + 1)?.row == 12)
        #expect(try log.checkpoint(now: noon + 2) == nil)
        #expect(try log.verify().uncovered == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.store.directory.url.path + "/audit.key")[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
    }

    @Test(
        "DATA-11: a changed, removed, moved or cut row of the audit log is found and named",
        arguments: [
            ("UPDATE audit SET time = time + 1 WHERE id = 5", "row 5 was changed"),
            ("UPDATE audit SET actor = NULL WHERE id = 5", "row 5 was changed"),
            ("UPDATE audit SET action = 'data.exportee' WHERE id = 5", "row 5 was changed"),
            ("UPDATE audit SET hash = zeroblob(32) WHERE id = 5", "row 5 was changed"),
            ("UPDATE audit SET previous = zeroblob(32) WHERE id = 5", "row 5 does not follow"),
            ("DELETE FROM audit WHERE id = 5", "row 5 is missing"),
            ("DELETE FROM audit WHERE id = 1", "row 1 is missing"),
            (
                "UPDATE audit SET id = 100 WHERE id = 5; UPDATE audit SET id = 5 WHERE id = 6; UPDATE audit SET id = 6 WHERE id = 100",
                "row 5 does not follow"
            ),
            ("DELETE FROM audit WHERE id > 9", "rows 10 to 12 are missing at the end"),
            ("DELETE FROM audit", "rows 1 to 12 are missing at the end"),
        ])
    func broken(change: String, problem: String) throws {
        let fixture = try Fixture(rows: 12)
        try fixture.log.checkpoint(now: noon)
        #expect(try fixture.log.verify().problem == nil)
        try fixture.change(change)
        let found = try #require(try fixture.log.verify().problem)
        #expect(found.contains(problem), "\(found)")
    }

    @Test("DATA-11: who writes the whole chain anew lacks the hub's signature")
    func forged() throws {
        let fixture = try Fixture(rows: 12)
        try fixture.log.checkpoint(now: noon)
        try fixture.change("DELETE FROM audit")
        for row in 0..<12 { try fixture.append(row + 1) }
        let problem = try #require(try fixture.log.verify().problem)
        #expect(problem.contains("row 12 is not the one"), "\(problem)")
        // Nor do checkpoints of another key, or changed ones, help.
        let path = fixture.store.directory.url.appendingPathComponent(AuditLog.checkpointsFile)
        let lines = try String(contentsOf: path, encoding: .utf8)
        try Data(lines.replacing("\"row\":12", with: "\"row\":11").utf8).write(to: path)
        #expect(try fixture.log.verify().problem?.contains("line 1 of") == true)
    }

    @Test("DATA-11: a checkpoint that a power cut tore is no finding, and the next one stands on a line of its own")
    func tornCheckpoint() throws {
        let fixture = try Fixture(rows: 3)
        try fixture.log.checkpoint(now: noon)
        let path = fixture.store.directory.url.appendingPathComponent(AuditLog.checkpointsFile)
        let whole = try Data(contentsOf: path)
        try (whole + whole.prefix(40)).write(to: path)
        #expect(try fixture.log.verify().problem == nil)
        try fixture.append(4)
        #expect(try fixture.log.checkpoint(now: noon + 1)?.row == 4)
        #expect(try fixture.log.verify().checkpoint?.row == 4)
        #expect(try Data(contentsOf: path).split(separator: UInt8(ascii: "\n")).count == 2)
    }

    @Test("DATA-11: two hundred rows bring a checkpoint by themselves")
    func many() throws {
        let fixture = try Fixture(rows: 201)
        let found = try fixture.log.verify()
        #expect(found.problem == nil && found.checkpoint?.row == 200 && found.uncovered == 1)
    }
}

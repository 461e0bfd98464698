import Accounts
import Crypto
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// What is over for five years is forgotten, and nothing else.
@Suite struct RetentionTests {
    private let year: Milliseconds = 366 * 86_400_000

    private func account(_ email: String, _ roles: Set<Role>, _ accounts: AccountStore) throws -> StoredAccount {
        let new = NewAccount(
            roles: roles, details: ["email": email, "firstName": "Made", "lastName": "Up"], canonicalEmail: email, canonicalIdentifier: nil,
            password: "", language: "en", accepted: [:])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: 0) else { throw HubStoreError.unknownPerson(email) }
        return account
    }

    @Test(
        "CONS-7, DATA-12: consents that ended five years ago are forgotten with their lines of the ledger; those that run, and later ends, stay",
        arguments: Engine.allCases)
    func consents(_ engine: Engine) throws {
        let accounts = try StoreFixture(databases: engine).accounts
        let ada = try account("ada@example.org", [.person], accounts), lab = try account("lab@example.org", [.organisation], accounts)
        let asker = Reader.organisation(OrganisationID(lab.id))
        func given(_ purpose: String, at now: Milliseconds) throws -> ConsentID {
            let scope = try ConsentScope(asker: asker, kinds: [.heartRate], purpose: purpose, term: .untilRevoked)
            return try accounts.consents.giveConsent(scope, of: ada.id.person, by: ada.id, parameters: .data4Help, now: now).consent.id
        }
        func read(_ id: ConsentID, at now: Milliseconds) throws {
            let grant = try #require(try accounts.consents.grant(by: id, to: asker, now: now))
            try accounts.ledger.recordRead(grant, now: now)
        }
        func end(_ id: ConsentID, at now: Milliseconds) throws {
            _ = try accounts.consents.answerConsent(id, .revoke, by: ada.id, now: now)
        }
        let old = try given("old", at: noon), late = try given("late", at: noon), running = try given("running", at: noon)
        for id in [old, late, running] { try read(id, at: noon + 1) }
        try end(old, at: noon + 2)
        try end(late, at: noon + 3 * year)
        try read(running, at: noon + 4 * year)
        func left() throws -> [String] {
            try accounts.consents.consents(of: ada.id.person).items.map(\.consent.request.scope.purpose).sorted()
        }
        func lines() throws -> [String] {
            try accounts.ledger.ledger(of: ada.id.person).entries.map { "\($0.purpose) \($0.what == .read)" }.sorted()
        }
        let before = try lines()
        #expect(try accounts.forgetUsedUp(before: noon) == (0, 0))
        #expect(try left() == ["late", "old", "running"] && lines() == before)

        let gone = try accounts.forgetUsedUp(before: noon + year)
        #expect(gone.consents == 1 && gone.lines == 5, "\(gone)")
        #expect(try left() == ["late", "running"])
        #expect(try lines() == ["late false", "late false", "running false", "running true"])
        #expect(try accounts.consents.grant(by: running, to: asker, now: noon + 5 * year) != nil)
        #expect(try accounts.forgetUsedUp(before: noon + year) == (0, 0))
        _ = try accounts.forgetUsedUp(before: noon + 10 * year)
        #expect(try left() == ["running"] && lines() == ["running false"])
    }

    @Test("DATA-11: the audit log forgets what is old behind a cut that the hub signed, and is whole; nobody else cuts it unseen")
    func audit() throws {
        let store = try StoreFixture(), hub = try HubDirectory(store.directory.url)
        let log = try AuditLog(hub, accounts: store.accounts, environment: [:])
        func append(_ count: Int, at now: Milliseconds) throws {
            for _ in 0..<count { try log.append(.exported, by: nil, on: AccountID(store.person), now: now) }
            _ = try log.checkpoint(now: now)
        }
        try append(5, at: noon)
        // The newest row stays, however old: the next one follows from it.
        #expect(try log.forget(before: noon + 1) == 0)
        try append(4, at: noon + year)
        try append(3, at: noon + 2 * year)
        #expect(try log.forget(before: noon) == 0)
        #expect(try log.forget(before: noon + year) == 5)
        #expect(try log.forget(before: noon + year) == 0)
        for log in [log, try AuditLog(hub, accounts: store.accounts, environment: [:])] {
            let found = try log.verify()
            #expect(found.problem == nil && found.rows == 12 && found.forgotten == 5 && found.uncovered == 0, "\(found)")
        }
        try append(1, at: noon + 3 * year)
        #expect(try log.verify().rows == 13)

        // Killed between the signature and the deletion: the rows are still there, and all is well.
        let signed = try #require(try log.file.read().compactMap { $0 }.last { $0.row == 12 })
        try log.file.append(signed.cut(by: log.key))
        #expect(try log.verify().problem == nil)
        // A row more or less than what was signed is found.
        try store.accounts.pool.write { try $0.execute(sql: "DELETE FROM audit WHERE id <= 7") }
        #expect(try log.verify().problem?.contains("missing") == true)
        // An ordinary checkpoint is no leave to cut, nor is one that says so without a signature for that.
        try store.accounts.pool.write { try $0.execute(sql: "DELETE FROM audit WHERE id <= 9") }
        #expect(try log.verify().problem?.contains("missing") == true)
        let path = store.directory.url.appendingPathComponent(AuditLog.checkpointsFile)
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        let line = try #require(lines.first { $0.contains("\"row\":9,") || $0.contains("\"row\":9}") })
        let forged = lines.map { String($0) } + [String(line).replacing("{", with: "{\"cut\":true,")]
        try Data((forged.joined(separator: "\n") + "\n").utf8).write(to: path)
        #expect(try log.verify().problem?.contains("no checkpoint that this hub's key signed") == true)
    }

    @Test(
        "DATA-11: the hub signs no cut for a checkpoint that is not its own, nor for rows that it did not sign; nothing is forgotten then")
    func notItsOwn() throws {
        let store = try StoreFixture(), hub = try HubDirectory(store.directory.url)
        let log = try AuditLog(hub, accounts: store.accounts, environment: [:])
        for row in 0..<5 as Range<Milliseconds> {
            try log.append(.exported, by: nil, on: nil, now: noon + row)
            _ = try log.checkpoint(now: noon + row)
        }
        func expectNothing(_ what: Comment) throws {
            let before = try log.file.read()
            #expect(throws: HubStoreError.self, what) { try log.forget(before: noon + year) }
            #expect(try log.file.read() == before, what)
            #expect(try store.accounts.pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM audit") } == 6, what)
        }
        try log.append(.exported, by: nil, on: nil, now: noon + 2 * year)
        let whole = try Data(contentsOf: URL(fileURLWithPath: log.file.path))
        // As if the hub had signed all but the newest row long ago.
        let made = try #require(try log.file.read().last ?? nil)
        try log.file.append(.signed(row: made.row, hash: [1], time: made.time, by: .init()))
        try expectNothing("a line of another key")
        try whole.write(to: URL(fileURLWithPath: log.file.path))
        try store.accounts.pool.write { try $0.execute(sql: "UPDATE audit SET hash = zeroblob(32) WHERE id = 5") }
        try expectNothing("another row")
        try store.accounts.pool.write {
            try $0.execute(sql: "UPDATE audit SET hash = ? WHERE id = 5", arguments: [Data(Hexadecimal.bytes(made.hash) ?? [])])
        }
        #expect(try log.forget(before: noon + year) == 5 && log.verify().problem == nil)
    }
}

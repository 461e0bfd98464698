import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Copies the databases of a stopped hub, log and all.
private func copy(_ names: [String], from: URL, to: URL) throws {
    for file in try FileManager.default.contentsOfDirectory(atPath: from.path)
    where names.contains(where: { file.hasPrefix($0 + ".sqlite") }) || (names.contains("accounts") && file == KeyStore.masterKeyFile) {
        let target = to.appendingPathComponent(file)
        try? FileManager.default.removeItem(at: target)
        try FileManager.default.copyItem(at: from.appendingPathComponent(file), to: target)
    }
}

extension StoreFixture {
    /// An account with log-in; its person can receive data.
    func addAccount(_ name: String) throws -> StoredAccount {
        let email = "\(name.lowercased())@example.org"
        let added = try accounts.addConfirmedAccount(
            NewAccount(
                roles: [.person],
                details: [Field.firstName.rawValue: name, Field.lastName.rawValue: "Invented", Field.email.rawValue: email],
                canonicalEmail: email, canonicalIdentifier: nil, password: "x", language: "en", accepted: [:]), now: 1)
        guard case .added(let account) = added else { throw HubStoreError.unknownPerson(name) }
        return account
    }

    func readable() throws -> Reading? {
        try series.reader.read(.maintenance(of: person), from: .min / 2, to: .max / 2, now: 0)
    }

    func count(_ sql: String, in pool: DatabasePool? = nil) throws -> Int {
        try (pool ?? series.series).read { try $0.fetchOne(Int.self, sql: sql) ?? 0 }
    }
}

struct DeletionTests {
    private func filled() throws -> StoreFixture {
        let account = try StoreFixture().addAccountInPlace()
        try account.append(SampleSet(heartRates: heartRates(from: noon, count: 600)), sequence: 1)
        try account.series.merger.merge(now: 1)
        try account.append(SampleSet(heartRates: heartRates(from: noon + 600_000, count: 60)), sequence: 2)
        return account
    }

    @Test("DATA-10: deleting a person destroys the key in one step; nothing is readable, and what remains is cleared in slices")
    func person() throws {
        let store = try filled()
        let account = try #require(try store.accounts.account(AccountID(store.person)))
        try store.accounts.addSession([1], of: account.row, strength: .full, device: "", now: noon)
        try store.accounts.notices.addMail("x", to: account, now: noon)
        // Tables of a later day, one by number and one by identifier.
        try store.accounts.pool.write { db in
            try db.execute(
                sql: "CREATE TABLE later(person INTEGER NOT NULL REFERENCES person); CREATE TABLE rules(person BLOB PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO later VALUES(?)", arguments: [store.row])
            try db.execute(sql: "INSERT INTO rules VALUES(?)", arguments: [Data(store.person.bytes)])
        }
        #expect(try store.all().heartRates.count == 660)
        #expect(try store.accounts.deletePerson(store.person, now: noon))
        #expect(try !store.accounts.deletePerson(store.person, now: noon))
        // At once, before any row went.
        #expect(try store.readable() == nil)
        #expect(try store.accounts.person(store.person) == nil)
        #expect(try store.accounts.account(AccountID(store.person)) == nil)
        #expect(try store.accounts.session([1], now: noon) == nil)
        #expect(try store.series.canSeal(store.person) == false)
        #expect(try store.accounts.deletedWithRows() == [store.person])
        #expect(try store.series.erasure.deletedWithBlocks() == [store.person])
        try store.accounts.eraseRows(of: store.person)
        #expect(try store.series.erasure.erase(store.person) == 1)
        let report = try store.series.merger.merge(now: 2)
        #expect(report.quarantined.isEmpty)
        #expect(try store.accounts.deletedWithRows().isEmpty && store.series.erasure.deletedWithBlocks().isEmpty)
        for table in ["account", "session", "mail", "agent_person", "link", "link_session", "later", "rules"] {
            #expect(try store.count("SELECT count(*) FROM \(table)", in: store.accounts.pool) == 0, "\(table)")
        }
        for table in ["block", "quarantine"] { #expect(try store.count("SELECT count(*) FROM \(table)") == 0, "\(table)") }
        #expect(try store.count("SELECT count(*) FROM journal", in: store.series.journal) == 0)
        // The number stays taken: nobody else gets what an old file holds under it.
        let next = try store.accounts.addPerson(name: "Somebody else", now: 3)
        #expect(try store.accounts.row(of: next.id) != store.row)
        #expect(try store.accounts.people().map(\.id) == [next.id])
    }

    @Test("DATA-10: the wrapped key leaves the key store's file and its log")
    func keyBytes() throws {
        let store = try filled()
        let wrapped = try #require(
            try store.accounts.keys.pool.read { db in
                try db.fetchOne(Data.self, sql: "SELECT wrapped FROM person_key WHERE person = ?", arguments: [Data(store.person.bytes)])
            })
        func isThere() throws -> Bool {
            try ["keys.sqlite", "keys.sqlite-wal"].contains { name in
                let file = store.directory.url.appendingPathComponent(name)
                return try FileManager.default.fileExists(atPath: file.path) && Data(contentsOf: file).range(of: wrapped) != nil
            }
        }
        #expect(try isThere())
        try store.accounts.deletePerson(store.person, now: noon)
        #expect(try !isThere())
    }

    @Test("DATA-10: restoring yesterday's accounts, journal and series with the latest keys does not bring a deleted person back")
    func restore() throws {
        let backup = try TemporaryDirectory()
        let names = ["accounts", "journal", "series"]
        let (person, directory, other) = try { () -> (PersonID, TemporaryDirectory, PersonID) in
            let store = try filled()
            let other = try store.accounts.addPerson(name: "Stays", now: 1)
            for pool in [store.accounts.pool, store.series.series, store.series.journal] {
                try pool.truncateLog()
            }
            try copy(names, from: store.directory.url, to: backup.url)
            try store.accounts.deletePerson(store.person, now: noon)
            try store.accounts.eraseRows(of: store.person)
            try store.series.erasure.erase(store.person)
            try store.series.merger.merge(now: 2)
            return (store.person, store.directory, other.id)
        }()
        try copy(names, from: backup.url, to: directory.url)
        let restored = try StoreFixture(directory, person: person)
        #expect(restored.series.problemsOfRecovery.isEmpty)
        // The rows are back, and nothing of them can be read.
        #expect(try restored.count("SELECT count(*) FROM block") == 1)
        #expect(try restored.readable() == nil)
        #expect(try restored.accounts.people().map(\.id) == [other])
        #expect(try restored.accounts.account(AccountID(person)) == nil)
        // The list is applied.
        #expect(try restored.accounts.reconcileKeys(now: 3).isEmpty)
        #expect(try restored.accounts.deletedWithRows() == [person])
        #expect(try restored.series.erasure.deletedWithBlocks() == [person])
        try restored.accounts.eraseRows(of: person)
        try restored.series.erasure.erase(person)
        #expect(try restored.series.merger.merge(now: 3).quarantined.isEmpty)
        #expect(try restored.count("SELECT count(*) FROM block") == 0)
        #expect(try restored.count("SELECT count(*) FROM journal", in: restored.series.journal) == 0)
        #expect(try restored.count("SELECT count(*) FROM account", in: restored.accounts.pool) == 0)
    }

    @Test("DATA-10: an older key store beside newer accounts is seen: who was deleted is deleted again, and lost keys are told")
    func olderKeys() throws {
        let backup = try TemporaryDirectory()
        let (person, directory) = try { () -> (PersonID, TemporaryDirectory) in
            let store = try filled()
            try store.accounts.keys.pool.truncateLog()
            try copy(["keys"], from: store.directory.url, to: backup.url)
            try store.accounts.deletePerson(store.person, now: noon)
            try store.accounts.eraseRows(of: store.person)
            _ = try store.accounts.addPerson(name: "Came later", now: 1)
            return (store.person, store.directory)
        }()
        try copy(["keys"], from: backup.url, to: directory.url)
        let hub = try HubDirectory(directory.url)
        let accounts = try AccountStore(hub, keys: KeyStore(hub, environment: [:]))
        #expect(try accounts.isDeleted(person) == false)
        let problems = try accounts.reconcileKeys(now: 2)
        #expect(problems.count == 2, "\(problems)")
        #expect(try accounts.isDeleted(person))
        #expect(problems[0].contains("1 deleted people") && problems[1].contains("keys of 1 people"))
    }

    @Test("DATA-10: a key that another process destroyed is forgotten with the next look")
    func otherProcess() throws {
        let store = try filled()
        #expect(try store.accounts.refreshKeys())
        #expect(try store.accounts.refreshKeys() == false)
        #expect(try store.all().heartRates.count == 660)
        let hub = try HubDirectory(store.directory.url)
        try AccountStore(hub, keys: KeyStore(hub, environment: [:])).deletePerson(store.person, now: noon)
        #expect(try store.accounts.refreshKeys())
        #expect(try store.readable() == nil)
    }
}

extension StoreFixture {
    /// The same store, with an account with log-in in place of the bare person.
    fileprivate func addAccountInPlace() throws -> StoreFixture {
        try accounts.deletePerson(person, now: 0)
        try accounts.eraseRows(of: person)
        return try StoreFixture(directory, person: addAccount("Made").id.person, stream: stream)
    }
}

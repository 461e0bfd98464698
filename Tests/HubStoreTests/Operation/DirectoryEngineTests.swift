import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct DirectoryEngineTests {
    @Test("OPS-2: a directory and its databases are their owner's alone")
    func modes() throws {
        let fixture = try HubFixture(.files)
        _ = try (fixture.runs(), fixture.sos(), PlaceStore(fixture.hub))
        func mode(_ path: String) throws -> Int? { try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int }
        let made = fixture.directory.url.appendingPathComponent("made")
        _ = try HubDirectory(made)
        #expect(try mode(made.path) == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.url.path).filter { $0.hasSuffix(".sqlite") }
        #expect(Set(names) == ["accounts.sqlite", "keys.sqlite", "runs.sqlite", "sos.sqlite", "places.sqlite"])
        for name in names { #expect(try mode(fixture.hub.path(name)) == 0o600, "\(name)") }
    }

    @Test("OPS-2: what cannot be used is said in words, with the path and what to do")
    func problems() throws {
        let directory = try TemporaryDirectory(), file = directory.url.appendingPathComponent("file")
        try Data("x".utf8).write(to: file)
        #expect(throws: HubStoreError.self) { try HubDirectory(file.appendingPathComponent("below")) }
        try Data(repeating: 7, count: 8192).write(to: directory.url.appendingPathComponent("keys.sqlite"))
        do {
            _ = try KeyStore(HubDirectory(directory.url), environment: [:])
            Issue.record("no database opens")
        } catch let error as HubStoreError {
            #expect(error.description.contains("keys.sqlite") && error.description.contains("backup"))
        }
    }

    @Test("OPS-2: a hub in memory is there as long as its directory's value, and another value is another hub")
    func memory() throws {
        let fixture = try HubFixture(.inMemory), ada = try fixture.account("Ada")
        #expect(try fixture.reopened().accounts.account(ada.id) == ada)
        let other = try HubDirectory(fixture.directory.url, databases: .inMemory)
        #expect(try AccountStore(other, keys: KeyStore(other, environment: [:])).account(ada.id) == nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.url.path)
        #expect(names == [KeyStore.masterKeyFile], "keys are files in any case")
    }

    @Test("OPS-2: a transaction that throws leaves nothing, in either engine", arguments: Engine.allCases)
    func transactions(engine: Engine) throws {
        let fixture = try HubFixture(engine), pool = fixture.accounts.pool
        struct Stopped: Error {}
        #expect(throws: Stopped.self) {
            try pool.write { db in
                try db.execute(sql: "INSERT INTO unwanted(whom) VALUES(x'01')")
                throw Stopped()
            }
        }
        try pool.writeInTransaction { db in
            try db.execute(sql: "INSERT INTO unwanted(whom) VALUES(x'02')")
            return .rollback
        }
        try pool.write { db in
            try db.execute(sql: "INSERT INTO unwanted(whom) VALUES(x'03')")
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO unwanted(whom) VALUES(x'04')")
                return .rollback
            }
        }
        #expect(try pool.read { try $0.fetchAll(Data.self, sql: "SELECT whom FROM unwanted") } == [Data([3])])
        #expect(throws: DatabaseError.self) { try pool.read { try $0.execute(sql: "DELETE FROM unwanted") } }
        #expect(throws: DatabaseError.self) {
            try pool.write { try $0.execute(sql: "INSERT INTO session(hash, account) VALUES(x'01', 99)") }
        }
        #expect(try fixture.count("unwanted") == 1)
    }
}

import Crypto
import Database
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// A new master key (`trackme-hub keys rotate`): everything is read as before, and the old key opens nothing any more.
@Suite struct KeyRotationTests {
    private struct Killed: Error {}

    private struct Fixture {
        let store: StoreFixture
        let hub: HubDirectory
        let people: [PersonID]
        let pepper: [UInt8]

        init(people count: Int = 3) throws {
            let store = try StoreFixture()
            self.store = store
            hub = try HubDirectory(store.directory.url)
            people = try (0..<count).map { try store.accounts.addPerson(name: "Person \($0)", now: 0).id }
            pepper = store.accounts.derivedKey("pepper")
        }

        var keyFile: URL { store.directory.url.appendingPathComponent(KeyStore.masterKeyFile) }
        func key() throws -> String { try String(contentsOf: keyFile, encoding: .utf8) }

        /// As the next start finds it.
        func isReadable(environment: [String: String] = [:]) throws -> Bool {
            let accounts = try AccountStore(hub, keys: KeyStore(hub, environment: environment))
            return try people.enumerated().allSatisfy { try accounts.person($0.element)?.name == "Person \($0.offset)" }
                && accounts.derivedKey("pepper") == pepper
        }

        func rotate(
            killedAt step: KeyStore.RotationStep? = nil, newKeyFile: String? = nil, environment: [String: String] = [:],
            record: (KeyStore) throws -> Void = { _ in }
        ) throws -> KeyStore.Rotation {
            try KeyStore.rotateMasterKey(hub, newKeyFile: newKeyFile, environment: environment, record: record) {
                if $0 == step { throw Killed() }
            }
        }
    }

    @Test("DATA-11: with a new master key everything is read as before, and what the old one had wrapped is nowhere on the disk")
    func rotated() throws {
        let fixture = try Fixture(people: 1500), old = try fixture.key()
        let wrapped = try fixture.store.accounts.keys.pool.read { try $0.fetchAll(Data.self, sql: "SELECT wrapped FROM person_key") }
        for round in 1...2 {
            let done = try fixture.rotate()
            #expect(done == KeyStore.Rotation(keys: 1501, keyFile: fixture.keyFile.path, mustBeMoved: false), "round \(round)")
            #expect(try fixture.isReadable(), "round \(round)")
        }
        #expect(try fixture.key() != old)
        for name in ["keys.sqlite", "keys.sqlite-wal"] {
            let bytes = try Data(contentsOf: fixture.store.directory.url.appendingPathComponent(name))
            #expect(!wrapped.contains { bytes.range(of: $0) != nil }, "\(name)")
        }
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.keyFile.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        // The old key is no use any more, and nothing is made or opened with it.
        try Data(old.utf8).write(to: fixture.keyFile)
        #expect(throws: HubStoreError.self) { try KeyStore(fixture.hub, environment: [:]) }
    }

    @Test(
        "DATA-11: a change of the master key that is killed at any moment loses nothing, and can be made again",
        arguments: KeyStore.RotationStep.allCases)
    func killed(step: KeyStore.RotationStep) throws {
        let fixture = try Fixture()
        #expect(throws: Killed.self) { try fixture.rotate(killedAt: step) }
        #expect(try fixture.isReadable())
        // Again after the start that found it so.
        #expect(try fixture.isReadable())
        let before = try fixture.key()
        #expect(try fixture.rotate().keys == 4)
        #expect(try fixture.isReadable() && fixture.key() != before)
        #expect(!FileManager.default.fileExists(atPath: fixture.keyFile.path + ".next"))
    }

    @Test("DATA-11: a process that opened the keys before the change makes no key that nobody could open after it")
    func stale() throws {
        let fixture = try Fixture()
        _ = try fixture.rotate()
        #expect(throws: HubStoreError.self) { try fixture.store.accounts.addPerson(name: "Late", now: 0) }
        #expect(try fixture.isReadable())
    }

    @Test("DATA-11: a wrong master key is noticed at the start, also where none was changed, and with a backup from before a change")
    func wrong() throws {
        let fixture = try Fixture(), right = try fixture.key()
        try Data(Hexadecimal.string((0..<32).map { UInt8($0) }).utf8).write(to: fixture.keyFile)
        #expect(throws: HubStoreError.self) { try KeyStore(fixture.hub, environment: [:]) }
        try Data(right.utf8).write(to: fixture.keyFile)
        #expect(try fixture.isReadable())
        let backup = try TemporaryDirectory()
        try fixture.store.accounts.keys.pool.writeWithoutTransaction {
            try $0.execute(sql: "VACUUM INTO ?", arguments: [backup.url.appendingPathComponent("keys.sqlite").path])
        }
        _ = try fixture.rotate()
        try FileManager.default.copyItem(at: fixture.keyFile, to: backup.url.appendingPathComponent(KeyStore.masterKeyFile))
        #expect(throws: HubStoreError.self) { try KeyStore(HubDirectory(backup.url), environment: [:]) }
    }

    @Test("DATA-11: where systemd hands out the master key, the operator gives the new one, and the hub takes the old one no more")
    func credential() throws {
        let fixture = try Fixture(), folder = try TemporaryDirectory()
        let credential = folder.url.appendingPathComponent(KeyStore.masterKeyCredential), new = folder.url.appendingPathComponent("new")
        let environment = ["CREDENTIALS_DIRECTORY": folder.url.path]
        try FileManager.default.moveItem(at: fixture.keyFile, to: credential)
        // Without its file a hub makes no new key beside keys that it could not open.
        #expect(throws: HubStoreError.self) { try KeyStore(fixture.hub, environment: [:]) }
        #expect(!FileManager.default.fileExists(atPath: fixture.keyFile.path))
        #expect(throws: HubStoreError.self) { try fixture.rotate(environment: environment) }
        try Data("not a key".utf8).write(to: new)
        #expect(throws: HubStoreError.self) { try fixture.rotate(newKeyFile: new.path, environment: environment) }
        #expect(try fixture.isReadable(environment: environment))

        try Data(Hexadecimal.string((0..<32).map { UInt8($0) }).utf8).write(to: new)
        // The key that is in use would be no change.
        #expect(throws: HubStoreError.self) {
            try fixture.rotate(newKeyFile: credential.path, environment: environment) { _ in Issue.record("recorded a change that is none")
            }
        }
        let done = try fixture.rotate(newKeyFile: new.path, environment: environment) { keys in
            let log = try AuditLog(fixture.hub, accounts: AccountStore(fixture.hub, keys: keys), environment: environment)
            try log.append(.masterKeyChanged, by: nil, on: nil, now: noon)
        }
        #expect(
            try fixture.store.accounts.pool.read { try $0.fetchAll(String.self, sql: "SELECT action FROM audit") } == [
                "keys.master-changed"
            ])
        #expect(done == KeyStore.Rotation(keys: 4, keyFile: new.path, mustBeMoved: true))
        #expect(throws: HubStoreError.self) { try KeyStore(fixture.hub, environment: environment) }
        try FileManager.default.removeItem(at: credential)
        try FileManager.default.moveItem(at: new, to: credential)
        #expect(try fixture.isReadable(environment: environment))
    }
}

import Crypto
import Database
import Foundation
import Seams
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct KeyStoreTests {
    private func bytes(_ key: PersonKey?) throws -> [UInt8] { try #require(key).key.withUnsafeBytes { Array($0) } }

    @Test("DATA-11: a person has one key, which lies wrapped on the disk and is the same after a restart", arguments: Engine.allCases)
    func keys(engine: Engine) throws {
        let fixture = try HubFixture(engine), ada = PersonID.random(), bob = PersonID.random()
        let key = try bytes(fixture.keys.key(of: ada))
        #expect(try key.count == 32 && bytes(fixture.keys.key(of: ada)) == key && bytes(fixture.keys.key(of: bob)) != key)
        #expect(try bytes(fixture.reopened().keys.key(of: ada)) == key)
        #expect(try fixture.keys.peopleWithKey() == [ada, bob])
        let wrapped = try fixture.keys.pool.read { try $0.fetchAll(Data.self, sql: "SELECT wrapped FROM person_key") }
        #expect(wrapped.count == 2 && wrapped.allSatisfy { $0.range(of: Data(key)) == nil && $0.count > 32 })
    }

    @Test("DATA-10: a destroyed key never comes back, and its person is listed once", arguments: Engine.allCases)
    func destroyed(engine: Engine) throws {
        let fixture = try HubFixture(engine), keys = fixture.keys, ada = PersonID.random(), bob = PersonID.random()
        _ = try (keys.key(of: ada), keys.key(of: bob))
        #expect(try !keys.isDeleted(ada) && keys.deleted().isEmpty)
        #expect(try keys.destroy(ada, now: 5) && !keys.destroy(ada, now: 6))
        #expect(try keys.key(of: ada) == nil && keys.isDeleted(ada) && keys.deleted() == [ada: 5] && keys.peopleWithKey() == [bob])
        let again = try fixture.reopened().keys
        #expect(try again.key(of: ada) == nil && again.key(of: bob) != nil)
        #expect(try keys.destroy(.random(), now: 7) && keys.deleted().count == 2, "also of somebody who had no key yet")
    }

    @Test("DATA-11: keys for one use come of the hub's root, each another one, and stand in no database", arguments: Engine.allCases)
    func derived(engine: Engine) throws {
        let fixture = try HubFixture(engine), keys = fixture.keys, one = keys.derived("one")
        #expect(one.count == 32 && keys.derived("one") == one && keys.derived("two") != one)
        #expect(try fixture.reopened().keys.derived("one") == one && HubFixture(engine).keys.derived("one") != one)
        let path = fixture.hub.path(KeyStore.masterKeyFile), master = try #require(KeyFile.read(path, .system))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(master.count == 32 && mode == 0o600)
    }

    @Test("DATA-11: a wrapped key that is damaged is told as such; no other is made in its place", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), ada = PersonID.random(), bob = PersonID.random()
        _ = try (fixture.keys.key(of: ada), fixture.keys.key(of: bob))
        try fixture.keys.pool.write { db in
            try db.execute(sql: "UPDATE person_key SET wrapped = zeroblob(60) WHERE person = ?", arguments: [Data(ada.bytes)])
        }
        // A store that has read it before goes on with it.
        #expect(try fixture.keys.key(of: ada) != nil)
        // The first key that a start looks at may be the damaged one: then the start says so.
        do {
            let again = try fixture.reopened().keys
            #expect(throws: HubStoreError.self) { try again.key(of: ada) }
            #expect(try again.key(of: bob) != nil && again.peopleWithKey().count == 2)
        } catch let error as HubStoreError {
            guard case .masterKey = error else { throw error }
        }
    }

    @Test("DATA-11: an envelope opens with its key at its place alone, and only whole")
    func envelopes() throws {
        let key = PersonKey(number: 3, key: SymmetricKey(data: [UInt8](repeating: 1, count: 32)))
        let other = PersonKey(number: 3, key: SymmetricKey(data: [UInt8](repeating: 2, count: 32)))
        let person = PersonID(high: 1, low: 2), place = Envelope.Place(person: person, table: .notice, row: (3, 4)),
            plain = Array("secret".utf8)
        let sealed = try Envelope.seal(plain, with: key, at: place)
        #expect(sealed.count == plain.count + Envelope.overhead && Array(sealed.prefix(4)) == [3, 0, 0, 0])
        #expect(
            try Envelope.open(sealed, with: key, at: place) == plain
                && Envelope.open(Envelope.seal([], with: key, at: place), with: key, at: place) == [])
        #expect(try Envelope.seal(plain, with: key, at: place) != sealed, "each with a nonce of its own")
        for wrong in [
            Envelope.Place(person: .random(), table: .notice, row: (3, 4)), .init(person: person, table: .mail, row: (3, 4)),
            .init(person: person, table: .notice, row: (4, 4)), .init(person: person, table: .notice, row: (3, 5)),
        ] {
            #expect(throws: HubStoreError.self) { try Envelope.open(sealed, with: key, at: wrong) }
        }
        #expect(throws: HubStoreError.self) { try Envelope.open(sealed, with: other, at: place) }
        for index in 4..<sealed.count {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: HubStoreError.self) { try Envelope.open(changed, with: key, at: place) }
        }
        for count in 0..<sealed.count {
            #expect(throws: HubStoreError.self) { try Envelope.open(sealed.prefix(count), with: key, at: place) }
        }
    }

    @Test("DATA-11: what does not open is damage; a database that cannot be read now is none")
    func damage() throws {
        #expect(HubStoreError.isDamage(HubStoreError.wrongKey(what: "x")))
        for error in [
            HubStoreError.database(path: "p", reason: "r"), .unknownPerson("n"), .inUse(path: "p"), .masterKey(path: "p", reason: "r"),
            .directory(path: "p", reason: "r"), .audit(path: "p", reason: "r"),
        ] {
            #expect(!HubStoreError.isDamage(error) && !error.description.isEmpty)
        }
        do { _ = try JSONDecoder().decode(Int.self, from: Data("x".utf8)) } catch { #expect(HubStoreError.isDamage(error)) }
    }

    @Test("DATA-11: a key's file is made once, is replaced whole, and tells what is wrong with it")
    func files() throws {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("a.key").path, machine = Machine.system
        #expect(KeyFile.read(path, .system) == nil)
        try KeyFile.makeIfMissing(path, [1, 2], machine)
        try KeyFile.makeIfMissing(path, [3, 4], machine)
        #expect(KeyFile.read(path, .system) == [1, 2])
        try KeyFile.replace(path, [5], machine)
        try machine.files.sync(path)
        #expect(try KeyFile.read(path, .system) == [5] && FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["a.key"])
        try Data("no digits".utf8).write(to: URL(fileURLWithPath: path))
        #expect(KeyFile.read(path, .system) == [])
        let nowhere = directory.url.appendingPathComponent("none/b.key").path
        #expect(throws: FileProblem.self) { try KeyFile.makeIfMissing(nowhere, [1], machine) }
        #expect(throws: FileProblem.self) { try machine.files.sync(nowhere) }
    }
}

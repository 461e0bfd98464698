import Foundation
import HubStore
import Processes
import Seams
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Backups of a hub's real databases by the real age. `packaging/setup backup` installs it.
@Suite(
    .serialized, .timeLimit(.minutes(3)),
    .enabled(if: BackupPrograms.has("age", "age-keygen"), "there is no age here: packaging/setup backup"))
struct BackupTests {
    private static let day: Milliseconds = 86_400_000

    @Test(
        "OPS-2: a backup is restored with people, files and settings; the place holds nothing that can be read, the master key is in none of it"
    )
    func restores() throws {
        let fixture = try BackupFixture()
        var stores: (keys: KeyStore, accounts: AccountStore, series: SeriesStore)? = try BackupFixture.stores(fixture.hub)
        let ada = try #require(try stores?.accounts.addPerson(name: "Ada Invented", now: 0))
        let incarnation = stores?.accounts.incarnation
        try Data("certificate".utf8).write(to: URL(fileURLWithPath: fixture.hub.path("ca.pem")))
        let settings = fixture.folder.url.appendingPathComponent("hub.yaml")
        try Data("hub: {quota: 1}\n".utf8).write(to: settings)
        let report = try fixture.backup().run(settingsFile: settings.path)
        #expect(report.isFull && report.written > 0 && report.written <= report.bytes)
        #expect(try LastBackup.read(fixture.hub.path(LastBackup.file), fixture.machine.files)?.finished == fixture.clock.now)

        for name in try fixture.objects() {
            let bytes = try Data(contentsOf: fixture.object(name))
            #expect(bytes.starts(with: Data("age-encryption.org/v1".utf8)), "\(name)")
            for secret in ["certificate", "SQLite format", "quota"] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name): \(secret)")
            }
        }
        let (restored, done) = try fixture.restore(to: "new")
        #expect(done.id == report.id && done.time == fixture.clock.now && done.people == 1 && done.deletedSince == 0 && done.hasSettings)
        stores = nil
        let again = try BackupFixture.stores(restored)
        #expect(try again.accounts.person(ada.id)?.name == "Ada Invented")
        #expect(again.accounts.incarnation != incarnation, "readers of subscriptions start over")
        #expect(try Data(contentsOf: URL(fileURLWithPath: restored.path("ca.pem"))) == Data("certificate".utf8))
        #expect(try Data(contentsOf: URL(fileURLWithPath: restored.path("restored-hub.yaml"))) == Data("hub: {quota: 1}\n".utf8))
        #expect(!FileManager.default.fileExists(atPath: restored.path("restoring")))

        // Without the master key there is nothing to be had, and that is said before anything is read.
        let other = try HubDirectory(fixture.folder.url.appendingPathComponent("other", isDirectory: true))
        let keyless = Restore(fixture.reader(), to: other, environment: [:], machine: fixture.machine)
        #expect(throws: BackupProblem.self) { try keyless.run(masterKey: nil, now: 0) }
        // Nor is anything written over a hub.
        let onto = Restore(fixture.reader(), to: restored, environment: [:], machine: fixture.machine)
        #expect(throws: BackupProblem.self) { try onto.run(masterKey: fixture.masterKey, now: 0) }
        #expect(try again.accounts.person(ada.id) != nil)
    }

    @Test("OPS-2: the next backup writes what has changed; each of them restores to its own day")
    func incremental() throws {
        let fixture = try BackupFixture(), stores = try BackupFixture.stores(fixture.hub)
        for number in 0..<200 { _ = try stores.accounts.addPerson(name: "Person \(number)", now: 0) }
        let first = try fixture.backup().run()
        fixture.clock.advance(Self.day)
        let same = try fixture.backup().run()
        #expect(!same.isFull && same.id.chain == first.id.chain && same.bytes == first.bytes)
        // The audit log's and the hub's own files aside nothing changed.
        #expect(same.written < first.written / 4)
        _ = try stores.accounts.addPerson(name: "Late Comer", now: 0)
        fixture.clock.advance(Self.day)
        let third = try fixture.backup().run()
        #expect(!third.isFull && third.written > 0 && third.written < first.written)

        #expect(try BackupReader.list(fixture.place, machine: fixture.machine) == [first.id, same.id, third.id])
        #expect(try fixture.restore(first.id.stamp, to: "a").1.people == 200)
        #expect(try fixture.restore(third.id.stamp, to: "b").1.people == 201)
        #expect(try fixture.restore(to: "c").1.id == third.id)

        // A list that somebody deleted takes no pack along that others need.
        try FileManager.default.removeItem(at: fixture.object(BackupName(third.id, .manifest).text))
        fixture.clock.advance(Self.day)
        let fourth = try fixture.backup().run()
        #expect(!fourth.isFull && fourth.deleted == 0)
        #expect(try fixture.restore(to: "d").1.people == 201)

        // A week after the full one comes the next; packs that are gone are not leaned on either.
        fixture.clock.advance(5 * Self.day)
        let full = try fixture.backup().run()
        #expect(full.isFull && full.id.chain == full.id.stamp)
        let pack = try #require(try fixture.objects().first { $0.contains(full.id.chain) && $0.hasSuffix("00001.age") })
        try FileManager.default.removeItem(at: fixture.object(pack))
        fixture.clock.advance(Self.day)
        #expect(try fixture.backup().run().isFull)
        #expect(fixture.said.current.contains { $0.contains("are gone from") })
    }

    @Test("OPS-2: what is older than its days goes with its chain, and so does what a killed backup left; other files in the place stay")
    func retention() throws {
        let fixture = try BackupFixture(), stores = try BackupFixture.stores(fixture.hub)
        _ = try stores.accounts.addPerson(name: "Ada", now: 0)
        let old = try fixture.backup().run()
        try Data().write(to: fixture.object("tm-20200101T000000Z-20200101T000000Z-00001.age"))
        try Data("mine".utf8).write(to: fixture.object("notes.txt"))
        fixture.clock.advance(8 * Self.day)
        let new = try fixture.backup { $0.keepDays = 10 }.run()
        #expect(new.isFull && new.deleted == 1)
        #expect(try BackupReader.list(fixture.place, machine: fixture.machine) == [old.id, new.id])
        fixture.clock.advance(5 * Self.day)
        let last = try fixture.backup { $0.keepDays = 10 }.run()
        #expect(last.deleted > 1)
        #expect(try BackupReader.list(fixture.place, machine: fixture.machine) == [new.id, last.id])
        #expect(
            try !fixture.objects().contains { $0.contains(old.id.stamp) && $0.hasPrefix("tm-") } && fixture.objects().contains("notes.txt"))
        #expect(try fixture.restore(to: "new").1.people == 1)
    }

    @Test(
        "DATA-10: keys are there as their latest state alone: who was deleted after a backup stays deleted in it, and the wrapped key is gone"
    )
    func deletion() throws {
        let fixture = try BackupFixture()
        let ada: PersonID, bob: PersonID
        do {
            let stores = try BackupFixture.stores(fixture.hub)
            ada = try stores.accounts.addPerson(name: "Ada", now: 0).id
            bob = try stores.accounts.addPerson(name: "Bob", now: 0).id
            for person in [ada, bob] { #expect(try stores.series.canSeal(person)) }
            _ = try fixture.backup().run()
            let before = try fixture.objects().filter { $0.hasPrefix("keys-") }
            #expect(before.count == 1)
            #expect(try !fixture.backup().keysIfDeleted(), "nobody was deleted")
            #expect(try stores.accounts.deletePerson(ada, now: fixture.clock.now))
            fixture.clock.advance(60_000)
            #expect(try fixture.backup().keysIfDeleted())
            let after = try fixture.objects().filter { $0.hasPrefix("keys-") }
            #expect(after.count == 1 && after != before)
            #expect(try !fixture.backup().keysIfDeleted(), "once is enough")
        }
        let (restored, report) = try fixture.restore(to: "new")
        #expect(report.people == 1 && report.deletedSince == 1)
        let stores = try BackupFixture.stores(restored)
        #expect(try !stores.series.canSeal(ada) && stores.series.canSeal(bob))
        #expect(try stores.accounts.person(ada) == nil && stores.accounts.deletedWithRows() == [ada])
    }

    @Test(
        "OPS-2: verify finds a whole backup whole, a damaged or a cut pack, another's list, and another master key, and leaves nothing behind"
    )
    func verify() throws {
        let fixture = try BackupFixture(), stores = try BackupFixture.stores(fixture.hub)
        for number in 0..<200 { _ = try stores.accounts.addPerson(name: "Person \(number)", now: 0) }
        let made = try fixture.backup().run(), scratch = fixture.folder.url.appendingPathComponent("scratch")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let check = BackupCheck(fixture.reader(), scratch: scratch.path, machine: fixture.machine)
        let report = try check.run(masterKey: fixture.masterKey)
        #expect(report.id == made.id && report.isTagChecked && report.bytes == made.bytes)
        #expect(try !check.run(masterKey: nil).isTagChecked)

        let other = fixture.folder.url.appendingPathComponent("other.key").path
        try Data(String(repeating: "ab", count: 32).utf8).write(to: URL(fileURLWithPath: other))
        #expect(throws: (any Error).self) { try check.run(masterKey: other) }

        let pack = fixture.object(BackupName(made.id, .pack(1)).text), whole = try Data(contentsOf: pack)
        var flipped = whole
        flipped[whole.count / 2] ^= 1
        for damaged in [flipped, whole.prefix(whole.count / 2), Data()] {
            try damaged.write(to: pack)
            let problem = #expect(throws: BackupProblem.self) { try check.run(masterKey: nil) }
            #expect(problem?.description.contains(BackupName(made.id, .pack(1)).text) == true)
        }
        try whole.write(to: pack)
        #expect(try check.run(masterKey: nil).id == made.id)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }

    @Test("OPS-2: a backup that somebody else encrypted to the same recipient is refused by its list")
    func forged() throws {
        let fixture = try BackupFixture(), forger = try BackupFixture()
        _ = try BackupFixture.stores(fixture.hub).accounts.addPerson(name: "Ada", now: 0)
        _ = try BackupFixture.stores(forger.hub).accounts.addPerson(name: "Eve", now: 0)
        _ = try fixture.backup().run()
        forger.clock.advance(Self.day)
        // Into the same place, for the same recipient, but of another hub; the true keys stay.
        let keys = try #require(try fixture.objects().first { $0.hasPrefix("keys-") }), kept = try Data(contentsOf: fixture.object(keys))
        _ = try forger.backup(to: fixture.place) { $0.recipients = [fixture.recipient] }.run()
        for name in try fixture.objects() where name.hasPrefix("keys-") { try FileManager.default.removeItem(at: fixture.object(name)) }
        try kept.write(to: fixture.object(keys))
        let problem = #expect(throws: BackupProblem.self) { try fixture.restore(to: "new") }
        #expect(problem?.description.contains("not of a hub with this master key") == true)
        let left = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.appendingPathComponent("new").path)
        #expect(!left.contains { $0.hasSuffix(".sqlite") || $0 == "restoring" })
    }

    @Test("OPS-2: a restore that was killed while its files went up is finished by the next one; a hub does not start on a part of them")
    func interrupted() throws {
        let fixture = try BackupFixture()
        do {
            let stores = try BackupFixture.stores(fixture.hub)
            _ = try stores.accounts.addPerson(name: "Ada", now: 0)
            _ = try fixture.backup().run()
        }
        let (restored, report) = try fixture.restore(to: "new")
        // As it was before the last files went up.
        let staged = try HubDirectory(restored.url.appendingPathComponent("restoring", isDirectory: true))
        for name in ["accounts.sqlite", "series.sqlite"] {
            try FileManager.default.moveItem(atPath: restored.path(name), toPath: staged.path(name))
        }
        try RestoreFolder(restored, fixture.machine).complete(report)
        #expect(throws: BackupProblem.self) { try restored.checkRestored(fixture.machine) }
        #expect(try fixture.restore(to: "new").1 == report)
        try restored.checkRestored(fixture.machine)
        #expect(try BackupFixture.stores(restored).accounts.people().count == 1)
    }

    @Test(
        "OPS-2: what an operator gets wrong is told with what to do: no such place, no such disk, no such recipient, another backup at work"
    )
    func mistakes() throws {
        #expect(throws: BackupProblem.self) { try BackupPlace("backups") }
        #expect(throws: BackupProblem.self) { try BackupPlace("rclone:remote") }
        #expect(try BackupPlace("rclone:s3:bucket/hub") == .rclone("s3:bucket/hub"))
        let fixture = try BackupFixture(), stores = try BackupFixture.stores(fixture.hub)
        _ = try stores.accounts.addPerson(name: "Ada", now: 0)
        func said(_ backup: Backup) -> String? {
            do { _ = try backup.run() } catch { return "\(error)" }
            return nil
        }
        let unmounted = BackupPlace.folder(fixture.folder.url.appendingPathComponent("disk/backup").path)
        #expect(said(fixture.backup(to: unmounted))?.contains("mount the disk") == true)
        #expect(said(fixture.backup { $0.recipients = ["age1nobody"] })?.contains("age failed") == true)
        #expect(said(fixture.backup(to: .command("/nowhere/program")))?.contains("cannot be started") == true)
        let lock = try #require(try fixture.hub.lockForBackup())
        #expect(said(fixture.backup())?.contains("Another backup") == true)
        withExtendedLifetime(lock) {}
        #expect(throws: BackupProblem.self) { try fixture.reader().manifest(nil) }
        // What failed left no list: nothing of it counts as a backup.
        #expect(try BackupReader.list(fixture.place, machine: fixture.machine).isEmpty)
    }
}

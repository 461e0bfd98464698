import Foundation
import HubServices
import HubStore
import Processes
import Seams
import TestSupport
import Testing
import Vitals

/// Programs that backups need, where they are.
enum BackupPrograms {
    static func has(_ names: String...) -> Bool {
        names.allSatisfy { name in ["/usr/bin/", "/usr/local/bin/"].contains { access($0 + name, X_OK) == 0 } }
    }
}

/// A hub's directory with made-up people, a place for backups, and a key pair of the real age.
final class BackupFixture: Sendable {
    let folder: TemporaryDirectory
    let hub: HubDirectory
    let clock = ManualClock()
    let recipient: String
    let said = Locked<[String]>([])

    init() throws {
        folder = try TemporaryDirectory()
        hub = try HubDirectory(folder.url.appendingPathComponent("hub", isDirectory: true))
        let key = folder.url.appendingPathComponent("key.txt").path
        let made = try Programs.system.finish(["age-keygen", "-o", key], environment: Programs.environment)
        #expect(made.ending == .exited(0))
        let lines = try String(contentsOfFile: key, encoding: .utf8).split(separator: "\n")
        recipient = try #require(lines.first { $0.hasPrefix("# public key: ") }.map { String($0.dropFirst("# public key: ".count)) })
    }

    var identity: String { folder.url.appendingPathComponent("key.txt").path }
    var place: BackupPlace { .folder(folder.url.appendingPathComponent("place").path) }
    var masterKey: String { hub.path(KeyStore.masterKeyFile) }

    /// The system's, with the clock of the test.
    var machine: Machine {
        let system = Machine.system, clock = clock
        return Machine(
            randomness: .system, programs: .system, files: system.files, utc: { clock.now }, clock: { system.uptime },
            pause: { try await system.sleep(for: $0) }, hold: { system.block(for: $0) }, task: { system.start(priority: $0, $1) },
            queue: { system.makeQueue(label: $0, quality: $1, isConcurrent: $2) },
            threads: { (name, count, niceness) throws(ThreadRefusal) in
                try system.makeThreads(named: name, count: count, niceness: niceness)
            })
    }

    func backup(to place: BackupPlace? = nil, _ change: (inout Backup.Settings) -> Void = { _ in }) -> Backup {
        var settings = Backup.Settings(place: place ?? self.place, recipients: [recipient])
        change(&settings)
        let said = said
        return Backup(hub, settings, version: "test", environment: [:], machine: machine) { line in said.change { $0.append(line) } }
    }

    func reader(_ place: BackupPlace? = nil) -> BackupReader {
        BackupReader(place ?? self.place, identity: identity, machine: machine) { _ in }
    }

    func restore(_ stamp: String? = nil, to name: String, from place: BackupPlace? = nil) throws -> (HubDirectory, Restore.Report) {
        let target = try HubDirectory(folder.url.appendingPathComponent(name, isDirectory: true))
        let report = try Restore(reader(place), to: target, environment: [:], machine: machine)
            .run(stamp, masterKey: masterKey, now: clock.now)
        return (target, report)
    }

    /// The stores of a directory.
    static func stores(_ directory: HubDirectory) throws -> (keys: KeyStore, accounts: AccountStore, series: SeriesStore) {
        let keys = try KeyStore(directory, environment: [:]), accounts = try AccountStore(directory, keys: keys)
        return (keys, accounts, try SeriesStore(directory, accounts: accounts, keys: keys))
    }

    /// The names of what lies in the place.
    func objects() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.appendingPathComponent("place").path).sorted()
    }

    func object(_ name: String) -> URL { folder.url.appendingPathComponent("place").appendingPathComponent(name) }
}

import Configuration
import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

struct BackupSettingsTests {
    private static let key = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    private func configuration(_ backup: String) async throws -> HubConfiguration {
        let folder = try TemporaryDirectory(), file = folder.url.appending(path: "hub.yaml")
        try "hub:\n  backup: {\(backup)}\n".write(to: file, atomically: true, encoding: .utf8)
        return try await HubConfiguration.read(file: file.path)
    }

    @Test("OPS-2: without a place nothing is backed up; with one and a public key the settings are those that are written")
    func read() async throws {
        #expect(try await configuration("keep: 5").backup.settings() == nil)
        let settings = try #require(
            try await configuration("to: /mnt/backup, recipients: [\(Self.key)], keep: 0, full: 1").backup.settings())
        #expect(settings.place == .folder("/mnt/backup") && settings.recipients == [Self.key])
        #expect(settings.keepDays == 0 && settings.fullDays == 1)
        let usual = try #require(try await configuration("to: 'rclone:s3:bucket', recipients: [\(Self.key)]").backup.settings())
        #expect(usual.place == .rclone("s3:bucket") && usual.keepDays == 35 && usual.fullDays == 7)
    }

    @Test(
        "OPS-2: a mistake in the settings of backups is said with what to write, before the hub starts",
        arguments: [
            ("recipients: [age1x]", "say where backups go"), ("to: backups, recipients: [age1x]", "/FOLDER"),
            ("to: /mnt/backup", "age-keygen"),
            ("to: /mnt/backup, recipients: [AGE-SECRET-KEY-1X]", "private key"), ("to: /mnt/backup, recipients: [me]", "no public key"),
            ("to: /mnt/backup, recipients: [age1x], keep: -1", "hub.backup.keep"),
            ("to: /mnt/backup, recipients: [age1x], full: 0", "hub.backup.full"),
        ])
    func mistakes(_ backup: String, _ words: String) async throws {
        let configuration = try await configuration(backup)
        let error = #expect(throws: HubConfigurationError.self) { try configuration.check() }
        #expect(error?.description.contains(words) == true && error?.description.contains("AGE-SECRET") == false)
    }

    @Test("OPS-2: whoever restored a hub reads what to do now, in its order")
    func words() {
        let time: Milliseconds = 1_795_262_400_000
        let report = Restore.Report(
            id: BackupID(chain: "20261121T020000Z", stamp: "20261122T020000Z"), time: time, keys: "20261122T031500Z", people: 12,
            deletedSince: 1,
            hadMap: true, hasSettings: true)
        let soon = RestoreText.lines(report, "/var/lib/trackme-hub", now: time + 86_400_000).joined(separator: "\n")
        for words in [
            "people: 12", "keys of 20261122T031500Z", "staying so: 1", "send again what is missing", "old hub never starts", "map import",
            "systemctl start",
        ] {
            #expect(soon.contains(words), "\(words)")
        }
        let late = RestoreText.lines(report, "/var/lib/trackme-hub", now: time + 15 * 86_400_000).joined(separator: "\n")
        #expect(late.contains("older than 14 days"))
    }
}

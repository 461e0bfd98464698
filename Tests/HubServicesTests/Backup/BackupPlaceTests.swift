import Foundation
import HubStore
import Processes
import Seams
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// The other places: a program of the operator's, and rclone, each for real.
@Suite(
    .serialized, .timeLimit(.minutes(3)),
    .enabled(if: BackupPrograms.has("age", "age-keygen"), "there is no age here: packaging/setup backup"))
struct BackupPlaceTests {
    private static let day: Milliseconds = 86_400_000

    /// Two backups, one deletion by age, a restore.
    private func tryPlace(_ fixture: BackupFixture, _ place: BackupPlace) throws {
        do {
            let stores = try BackupFixture.stores(fixture.hub)
            _ = try stores.accounts.addPerson(name: "Ada", now: 0)
            let first = try fixture.backup(to: place).run()
            fixture.clock.advance(20 * Self.day)
            let second = try fixture.backup(to: place) { $0.keepDays = 10 }.run()
            #expect(second.deleted > 1 && second.isFull && first.isFull)
            #expect(try BackupReader.list(place, machine: fixture.machine) == [second.id])
        }
        #expect(try fixture.restore(to: "new", from: place).1.people == 1)
    }

    @Test("OPS-2: backups go to a program of the operator's, and come back from it")
    func command() throws {
        let fixture = try BackupFixture(), store = fixture.folder.url.appendingPathComponent("store").path
        let program = fixture.folder.url.appendingPathComponent("program").path
        let script = """
            #!/bin/sh
            set -e
            mkdir -p '\(store)'
            cd '\(store)'
            case "$1" in
                list) ls ;;
                put) cat >"$2.new" && mv "$2.new" "$2" ;;
                get) exec cat "$2" ;;
                delete) rm "$2" ;;
            esac
            """
        try Data(script.utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        try tryPlace(fixture, .command(program))
    }

    @Test(
        "OPS-2: backups go where rclone goes, and come back",
        .enabled(if: BackupPrograms.has("rclone"), "there is no rclone here: packaging/setup backup"))
    func rclone() throws {
        let fixture = try BackupFixture()
        try tryPlace(fixture, .rclone(":local:\(fixture.folder.url.appendingPathComponent("remote").path)"))
    }
}

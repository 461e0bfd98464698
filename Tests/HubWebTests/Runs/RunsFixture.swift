import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Runs
import Synchronization
import Testing
import Vitals

@testable import HubWeb

/// An organiser and runners at a real hub, with a clock that is set by hand.
struct RunsScene {
    let web: WebFixture
    let organiser: (account: StoredAccount, cookie: String)
    let ada: (account: StoredAccount, cookie: String)
    let clock: Clock

    final class Clock: Sendable {
        private let ahead = Mutex<Milliseconds>(0)
        var now: Milliseconds { Cast.now + ahead.withLock { $0 } }
        func set(to time: Milliseconds) { ahead.withLock { $0 += max(0, time - Cast.now - $0) } }
    }

    /// - Parameter change: of the hub's configuration.
    static func run(
        change: (inout HubConfiguration) throws -> Void = { _ in }, _ body: (RunsScene) async throws -> Void
    ) async throws {
        let clock = Clock()
        let now: @Sendable () -> Milliseconds = { clock.now }
        try await WebFixture.run(now: now, change: change) { web in
            let organiser = try web.member(.organiser, "club@example.org"), ada = try web.member(.person, "ada@example.org")
            try await body(
                RunsScene(
                    web: web, organiser: (organiser.account, organiser.cookie), ada: (ada.account, ada.cookie), clock: clock))
        }
    }

    func member(_ role: Role, _ name: String) throws -> (account: StoredAccount, cookie: String) {
        let member = try web.member(role, "\(name)@example.org")
        return (member.account, member.cookie)
    }

    func get(_ path: String, _ cookie: String? = nil) async throws -> WebFixture.Answer { try await web.send(.GET, path, cookie: cookie) }

    func post(_ path: String, _ fields: [String: String] = [:], _ cookie: String? = nil) async throws -> WebFixture.Answer {
        try await web.post(path, fields, cookie: cookie)
    }

    // MARK: The form

    /// In two days, for two hours, as the form has it.
    func fields(_ name: String = "Città alta", changing: [String: String] = [:]) -> [String: String] {
        let starts = (clock.now / 60_000) * 60_000 + 2 * 86_400_000
        return [
            "runName": name, "runPurpose": "For the fun of it", "runPlace": "Bergamo", "runZone": "Europe/Rome",
            "runStarts": RunTime.field(starts, "Europe/Rome"), "runEnds": RunTime.field(starts + 7_200_000, "Europe/Rome"),
            "runCloses": RunTime.field(starts - 3_600_000, "Europe/Rome"), "runMost": "100", "runPublic": "1", "runLaps": "1",
            "runSplits": "1000", "waveRows": "2", "placeRows": "2", "disclaimer": OrganiserService.disclaimerVersion,
        ].merging(changing) { $1 }
    }

    func upload(_ path: String, _ fields: [String: String], files: [String: (name: String, bytes: [UInt8])] = [:], _ cookie: String)
        async throws -> WebFixture.Answer
    {
        let mark = "----test7b1f"
        var body: [UInt8] = []
        for (name, value) in fields {
            body += Array("--\(mark)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        for (name, file) in files {
            body += Array(
                "--\(mark)\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(file.name)\"\r\nContent-Type: application/octet-stream\r\n\r\n"
                    .utf8)
            body += file.bytes + Array("\r\n".utf8)
        }
        body += Array("--\(mark)--\r\n".utf8)
        return try await web.send(
            .POST, path, cookie: cookie, headers: [("content-type", "multipart/form-data; boundary=\(mark)")], body: body)
    }

    /// Makes and publishes one by the pages; gives back its code.
    func published(_ name: String = "Città alta", changing: [String: String] = [:]) async throws -> String {
        let gpx = ("course.gpx", Array(RunFiles.gpx(RunFiles.points()).utf8))
        let made = try await upload("/runs/new", fields(name, changing: changing), files: ["courseFile": gpx], organiser.cookie)
        #expect(made.status == 303, "\(made.body.prefix(3000))")
        let code = try #require(made.header("location")?.split(separator: "/").dropFirst().first.map(String.init))
        #expect(try await post("/runs/\(code)/state/publish", [:], organiser.cookie).status == 303)
        return code
    }

    func stored(_ code: String) throws -> StoredRun { try #require(try web.hub.runsStore.run(code: code)) }

    /// Waits for what the hub's timers do behind a change of the clock.
    func until(_ isDone: () throws -> Bool) async throws {
        for _ in 0..<200 {
            if try isDone() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try isDone())
    }
}

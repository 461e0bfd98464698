import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Seams
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Boxes, messages, the hub's state, the audit log and runs as operators see them.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct ConsoleListsTests {
    @Test("OPS-1: boxes show battery, version and since when they are silent, and no measurement")
    func boxes() async throws {
        let shift = ManualClock(0)
        let now: @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) + shift.now }
        try await WebFixture.run(now: now) { web in
            let chief = try web.member(.operator, "chief@example.org"), cast = try await Cast(web, "a")
            let person = try cast.person.id.person
            let unheard = try await web.send(.GET, "/operator/boxes", cookie: chief.cookie).body
            #expect(unheard.contains("not heard from since the hub") && !unheard.contains("71\u{A0}%"), "\(unheard)")
            let report = BoxCondition(
                version: "0.4.0", batteryPercent: 71,
                sensors: [.init(person: person, name: "Strap", isConnected: true, batteryPercent: 50)])
            let sent = try await web.send(
                .POST, SyncRoute.box, headers: [("authorization", "Bearer \(cast.agent)")], body: Array(JSONEncoder().encode(report)))
            #expect(sent.status == 200, "\(sent.body)")
            let heard = try await web.send(.GET, "/operator/boxes", cookie: chief.cookie).body
            #expect(
                heard.contains("in touch") && heard.contains("71\u{A0}%") && heard.contains("0.4.0") && !heard.contains("Strap"), "\(heard)"
            )
            #expect(heard.contains("/operator/people/\(person)"))
            #expect(try await web.send(.GET, "/operator/boxes?silent=1", cookie: chief.cookie).body.contains("No box was found"))
            shift.advance(BoxConditions.silentAfter + 60_000)
            let again = try web.session(of: chief.account, strength: .full)
            let silent = try await web.send(.GET, "/operator/boxes?silent=1", cookie: again).body
            #expect(silent.contains("data-level=\"warn\">silent<") && silent.contains("71\u{A0}%"), "\(silent)")
            let console = try await web.send(.GET, "/operator", cookie: again).body
            #expect(console.contains("<span>Silent boxes</span> <span class=\"badge\" data-level=\"warn\">1</span>"))
        }
    }

    @Test("OPS-1: a mail that was given up stands in the list without what it says, is sent again, or put aside")
    func messages() async throws {
        try await WebFixture.run { web in
            let chief = try web.member(.operator, "chief@example.org"), bea = try web.member(.person, "bea@example.org")
            let notices = web.hub.accounts.notices, path = "/operator/messages"
            #expect(try await web.send(.GET, path, cookie: chief.cookie).body.contains("None within 30 days"))
            let program = web.directory.url.appendingPathComponent("sendmail"), script = try Data(contentsOf: program)
            func write(_ script: Data) throws {
                try FileManager.default.removeItem(at: program)
                try script.write(to: program)
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
            }
            // A mailbox that is not there (EX_NOUSER): it is given up at once.
            try write(Data("#!/bin/sh\ncat >/dev/null\necho no such mailbox >&2\nexit 67\n".utf8))
            let run = ["run": "City run", "text": "Bring water", "code": "ABCDEF"]
            try notices.addMail("run.message", run, to: bea.account, now: Cast.now)
            try notices.addMail("account.reset", ["link": "https://hub.example/reset/secret"], to: bea.account, now: Cast.now)
            /// Those of hers.
            func articles(_ page: String) -> [String] {
                page.components(separatedBy: "<article").filter { $0.contains("/operator/people/\(bea.account.id)") }
            }
            let page = try await web.until(path, cookie: chief.cookie) { articles($0).count == 2 }
            #expect(page.contains("no such mailbox") && page.contains("(tries: 1)"), "\(page)")
            #expect(!page.contains("Bring water") && !page.contains("reset/secret"))
            let send = articles(page).compactMap { $0.firstMatch(of: /action="(\/operator\/messages\/[0-9]+\/send)"/)?.output.1 }
            let aside = articles(page).compactMap { $0.firstMatch(of: /action="(\/operator\/messages\/[0-9]+\/put-aside)"/)?.output.1 }
            #expect(send.count == 1 && aside.count == 2, "one has a link that does not work any more")
            let again = String(try #require(send.first))
            let console = try await web.send(.GET, "/operator", cookie: chief.cookie).body
            #expect(console.contains("<span>Messages that failed</span> <span class=\"badge\" data-level=\"warn\">"))
            #expect(try await web.post(again, [:], cookie: bea.cookie).status == 403)
            try write(script)
            #expect(try await web.post(again, [:], cookie: chief.cookie).status == 303)
            _ = try await MailCatcher(directory: web.directory.url).mail(to: "bea@example.org", with: "Bring water")
            #expect(try await web.post(again, [:], cookie: chief.cookie).status == 404, "once")
            var statuses: [UInt] = []
            for path in aside { statuses.append(try await web.post(String(path), [:], cookie: chief.cookie).status) }
            #expect(statuses.sorted() == [303, 404], "one was sent again")
            #expect(articles(try await web.send(.GET, path, cookie: chief.cookie).body).isEmpty)
        }
    }

    @Test("OPS-1: the hub's state says room, rates, the last backup and the certificate")
    func state() async throws {
        try await WebFixture.run { web in
            let chief = try web.member(.operator, "chief@example.org")
            func page() async throws -> String { try await web.send(.GET, "/operator/state", cookie: chief.cookie).body }
            let first = try await page()
            #expect(first.contains("No backup is known") && first.contains("accounts") && first.contains("the hub itself, which renews it"))
            #expect(first.contains(" GB of ") || first.contains(" MB of "), "\(first)")
            let note = web.directory.url.appendingPathComponent(LastBackup.file)
            try Data("{\"finished\": \(Cast.now - 3_600_000)}".utf8).write(to: note)
            let known = try await page()
            #expect(known.contains("Last backup") && !known.contains("No backup is known") && !known.contains("older than two days"))
            try Data("{\"finished\": \(Cast.now - HubRoom.backupMax - 60_000)}".utf8).write(to: note)
            #expect(try await page().contains("older than two days"))
            try Data("{".utf8).write(to: note)
            #expect(try await page().contains("No backup is known"))
        }
    }

    @Test("OPS-1: little room is told before there is none")
    func room() throws {
        let levels: [(Int64, StateLevel)] = [(50, .good), (19, .warn), (4, .bad)]
        for (free, level) in levels { #expect(DiskRoom(free: free, size: 100).level == level, "\(free)") }
        #expect([StateLevel.good, .bad, .warn].max() == .bad)
        let directory = try TemporaryDirectory()
        #expect(try #require(Machine.system.files.room(at: directory.url.path)).size > 0)
        #expect(Machine.system.files.room(at: "/there/is/nothing") == nil)
    }

    @Test("OPS-1: the audit log is read by pages, and searched by act, account and day")
    func audit() async throws {
        try await WebFixture.run { web in
            let chief = try web.member(.operator, "chief@example.org"), bea = try web.member(.person, "bea@example.org")
            let log = try AuditLog(HubDirectory(web.directory.url), accounts: web.hub.accounts, environment: [:])
            for number in 0..<AuditSearch.pageMax {
                try log.append(.exported, by: bea.account.id, on: bea.account.id, now: Milliseconds(number))
            }
            #expect(try await web.post("/operator/people/\(bea.account.id)/lock", ["helpProof": "x"], cookie: chief.cookie).status == 303)
            func page(_ query: String = "") async throws -> String {
                try await web.send(.GET, "/operator/audit" + query, cookie: chief.cookie).body
            }
            func count(_ page: String, _ act: String) -> Int { page.components(separatedBy: "<strong>\(act)</strong>").count - 1 }
            let first = try await page()
            #expect(count(first, "account.locked") == 1 && count(first, "data.exported") == AuditSearch.pageMax - 1)
            let next = String(try #require(first.firstMatch(of: /href="\/operator\/audit(\?before=[0-9]+)"/)).output.1)
            #expect(try await count(page(next), "data.exported") == 1)
            let locked = try await page("?action=account.locked&whom=bea%40example.org")
            #expect(count(locked, "account.locked") == 1 && count(locked, "data.exported") == 0)
            #expect(try await count(page("?whom=chief%40example.org"), "account.locked") == 1)
            #expect(try await page("?whom=nobody%40example.org").contains("Nothing was found"))
            #expect(try await count(page("?until=1970-01-02"), "account.locked") == 0)
            #expect(try await count(page("?until=1970-01-02"), "data.exported") > 0)
            let person = try web.member(.person, "cleo@example.org")
            #expect(try await web.send(.GET, "/operator/audit", cookie: person.cookie).status == 403)
        }
    }

    @Test("OPS-1: with hub.runs.check a run waits for an operator, who accepts it or says why not; another word is refused")
    func runs() async throws {
        func checkingEach(_ configuration: inout HubConfiguration) { configuration.runs.check = "each" }
        try await RunsScene.run(change: checkingEach) { scene in
            let chief = try scene.member(.operator, "chief"), path = "/operator/runs"
            let code = try await scene.published(), run = try scene.stored(code)
            #expect(run.state == .draft)
            let own = try await scene.get("/runs/\(code)/people?done=publish", scene.organiser.cookie).body
            #expect(own.contains("An operator of this hub looks at it first") && !own.contains("It is published"), "\(own)")
            #expect(!own.contains("/state/publish"))
            let list = try await scene.get(path, chief.cookie).body
            #expect(list.contains("Città alta") && list.contains("club@example.org") && list.contains("no permission document"), "\(list)")
            let act = path + "/\(run.id)"
            #expect(try await scene.post(act + "/accept", ["seen": "\(run.revision)"], scene.organiser.cookie).status == 403)
            let silent = try await scene.post(act + "/refuse", ["seen": "\(run.revision)"], chief.cookie)
            #expect(silent.status == 422 && silent.body.contains("This is missing"))
            let fields = ["seen": "\(run.revision)", "runRefusal": "Show the permission of the town."]
            #expect(try await scene.post(act + "/refuse", fields, chief.cookie).status == 303)
            let refused = try await scene.get("/runs/\(code)/people", scene.organiser.cookie).body
            #expect(refused.contains("Show the permission of the town.") && refused.contains("/state/publish"))
            #expect(try await scene.post("/runs/\(code)/state/publish", [:], scene.organiser.cookie).status == 303)
            let stale = try await scene.post(act + "/accept", ["seen": "\(run.revision + 1)"], chief.cookie)
            #expect(stale.status == 409 && stale.body.contains("was changed meanwhile"))
            #expect(try await scene.post(act + "/accept", ["seen": "\(run.revision)"], chief.cookie).status == 303)
            #expect(try scene.stored(code).state == .scheduled)
            #expect(try await scene.get(path, chief.cookie).body.contains("No run waits"))
        }
        var configuration = HubConfiguration(directory: try TemporaryDirectory().url)
        configuration.runs.check = "some"
        #expect(throws: HubConfigurationError.self) { try configuration.runs.whichAreChecked() }
        configuration.runs.check = "first"
        #expect(try configuration.runs.whichAreChecked() == .first)
    }
}

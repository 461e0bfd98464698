import Alerts
import AsyncHTTPClient
import Foundation
import HubStore
import Languages
import Logging
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// What whoever runs the hub sees of its ways out, and how they are told.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct WayWebTests {
    private static let minute: Milliseconds = 60_000, day: Milliseconds = 86_400_000

    private func until(_ what: String, _ isDone: () async throws -> Bool) async throws {
        while try await !isDone() { try await Task.sleep(for: .milliseconds(50)) }
    }

    @Test(
        "SOS-22: a mail program that is gone stands on the operator's page and on each of theirs, in the log of notices, and in /readyz; the person is told"
    )
    func page() async throws {
        let shift = ManualClock(0)
        let clock: @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) + shift.now }
        try await WebFixture.run(now: clock) { web in
            let cast = try await SOSCast(web), person = try await cast.person(),
                program = web.directory.url.appendingPathComponent("sendmail")
            try await until("ready") { try await web.send(.GET, "/readyz").status == 200 }
            #expect(try await web.send(.GET, "/readyz").body == "ready\n")
            #expect(try await web.send(.GET, "/operator/ways", cookie: person.cookie).status == 403)
            try await until("seen") { try await web.send(.GET, "/operator/ways", cookie: cast.chief.cookie).body.contains("is there") }
            let good = try await web.send(.GET, "/operator/ways", cookie: cast.chief.cookie).body
            #expect(
                good.contains("Mail <span class=\"badge\" data-level=\"good\">works</span>") && good.contains("hub.operator.mail"),
                "\(good)")
            #expect(!good.contains("A way out of the hub has failed"))

            let script = try Data(contentsOf: program)
            try FileManager.default.removeItem(at: program)
            try await until("failing") {
                shift.advance(1000)
                return web.hub.sos.ways.isFailing(.mail)
            }
            try await until("told") { try web.hub.accounts.notices.notices(of: person.account).contains { $0.kind == .sosUnprotected } }
            let bad = try await web.send(.GET, "/operator/ways", cookie: cast.chief.cookie).body
            #expect(bad.contains("there is no \(program.path)") && bad.contains("One person is not protected now"), "\(bad)")
            for path in ["/home", "/operator/maintenance"] {
                let other = try await web.send(.GET, path, cookie: cast.chief.cookie).body
                #expect(other.contains("A way out of the hub has failed: Mail"), "\(path)")
            }
            #expect(!(try await web.send(.GET, "/home", cookie: person.cookie).body.contains("A way out of the hub")))
            #expect(try await web.send(.GET, "/protection", cookie: person.cookie).body.contains("call 112 yourself"))
            let ready = try await web.send(.GET, "/readyz")
            #expect(ready.status == 503 && ready.body.contains("failing: mail") && !ready.body.contains("@"), "\(ready.body)")
            #expect(try web.hub.accounts.notices.notices(of: cast.chief.account).contains { $0.kind == .wayFailed })
            let notices = try await web.send(.GET, "/notices", cookie: cast.chief.cookie).body
            #expect(notices.contains("A way out of the hub has failed: Mail. there is no"), "\(notices)")

            try script.write(to: program)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
            try await until("whole again") {
                shift.advance(1000)
                return try await web.send(.GET, "/readyz").status == 200
            }
            try await until("told") { try web.hub.accounts.notices.notices(of: cast.chief.account).contains { $0.kind == .wayWorks } }
        }
    }

    /// Programs that keep what they are given.
    private func keeping(_ configuration: inout HubConfiguration, _ folder: URL) throws {
        let text = folder.appendingPathComponent("text").path
        for path in [configuration.mail.sendmail, text] { try WayTown.write("cat >>\(path).got; echo . >>\(path).count", to: path) }
        configuration.sms.command = text
        (configuration.operator.mail, configuration.operator.phone) = ("ops@example.org", "+393330000009")
    }

    private func got(_ directory: TemporaryDirectory, _ name: String) -> String {
        (try? String(contentsOf: directory.url.appendingPathComponent("\(name).got"), encoding: .utf8)) ?? ""
    }

    private func count(_ directory: TemporaryDirectory, _ name: String) -> Int {
        let file = directory.url.appendingPathComponent("\(name).count")
        return ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").count
    }

    @Test("SOS-22: a mail and a text a day go to the operator's own address, with what took them, also over a restart")
    func proofs() async throws {
        let contact = SOSContact(name: "Bruno", phone: "+393330000000", email: nil, language: "en")
        /// A hub that is gone when this returns.
        func first() async throws -> (TemporaryDirectory, ManualClock) {
            let town = try await WayTown(contact: contact, change: keeping), directory = town.directory
            try await town.pass(59, phase: 0)
            #expect(count(directory, "mail") == 0 && count(directory, "text") == 0)
            try await town.pass(3, phase: 0)
            #expect(count(directory, "mail") == 1 && count(directory, "text") == 1)
            #expect(got(directory, "mail").contains("ops@example.org") && got(directory, "text").contains("daily test"))
            return (directory, town.clock)
        }
        let (directory, clock) = try await first()
        let again = try await WayTown(contact: contact, in: (directory, clock), change: keeping)
        try await again.pass(120, phase: 0)
        #expect(count(directory, "mail") == 1 && count(directory, "text") == 1)
        clock.advance(Self.day)
        try await again.pass(2, phase: 0)
        #expect(count(directory, "mail") == 2 && count(directory, "text") == 2)
        for way in [Way.mail, .text] {
            #expect(again.ways.all.first { $0.way == way }?.health.lastSuccess?.source == .attempt, "\(way)")
        }
    }

    @Test("SOS-22: a test to the operator that does not leave fails the way, and the operator is told by the other one")
    func failedProof() async throws {
        let town = try await WayTown(contact: SOSContact(name: "B", phone: "+393330000000", email: nil, language: "en"), change: keeping)
        try WayTown.write("exit 69", to: town.program("mail"))
        try await town.pass(70, phase: 0)
        #expect(town.ways.isFailing(.mail) && !town.ways.isFailing(.text))
        try await until("told by text") { got(town.directory, "text").contains("Mail has failed") }
        #expect(got(town.directory, "text").contains("E-mail"), "in both languages: whose number it is, is not known")
        #expect(!got(town.directory, "text").contains("+39333"), "no recipient stands in it")
    }

    @Test(
        "SOS-22: control rooms that want a sign of life get one, in their form, at their interval, about nobody; one that refuses it is told"
    )
    func heartbeats() async throws {
        let server = try await HookServer()
        let town = try await WayTown(contact: nil) { configuration, _ in
            let base = "https://127.0.0.1:\(server.port)"
            configuration.sos.rooms = [
                "Cap=\(base)/cap heartbeat 10", "Json=webhook+\(base)/json language it heartbeat 30", "Silent=\(base)/silent",
            ]
            (configuration.sos.secret, configuration.sos.authority) = ("made-up", server.authority)
        }
        func posts(_ path: String) -> [HookServer.Got] { server.got(at: path).filter { !$0.body.isEmpty } }
        try await town.pass(30 * 60 + 5, phase: 0)
        #expect(posts("/cap").count == 4 && posts("/json").count == 2 && posts("/silent").isEmpty)
        let cap = try #require(posts("/cap").first), text = String(decoding: cap.body, as: UTF8.self)
        #expect(text.contains("<status>Exercise</status>") && text.contains("Sign of life") && !text.contains("Made-Up"), "\(text)")
        let signature = try #require(cap.header("x-trackme-signature"))
        #expect(HTTPSControlRoom.isSigned(cap.body, signature, Array("made-up".utf8)))
        let json = try #require(JSONSerialization.jsonObject(with: Data(posts("/json")[0].body)) as? [String: Any])
        #expect(json["kind"] as? String == "heartbeat" && json["drill"] as? Bool == true && json["everySeconds"] as? Int == 1800)
        #expect((json["text"] as? String)?.hasPrefix("PROVA") == true)
        server.answer(.status(500), at: "/json")
        try await town.pass(31 * 60, phase: 0)
        #expect(town.ways.isFailing(.room("Json")) && !town.ways.isFailing(.room("Cap")))
        try await until("the operator is told") { try town.isOperatorTold(since: 0) }
        try await server.close()
    }

    @Test("SOS-22: a mistake in a sign of life keeps the hub from starting, and says what to write")
    func heartbeatSetting() throws {
        func problem(_ text: String) -> String? {
            do throws(RoomProblem) {
                _ = try ControlRoomSetting(text)
                return nil
            } catch { return error.description }
        }
        let room = try ControlRoomSetting("A=sip:room.example in circle 45 9 10 language it heartbeat 15")
        #expect(room.heartbeat == 15 && room.language == .italian && room.area != nil && room.summary.contains("every 15 minutes"))
        #expect(try ControlRoomSetting("A=sip:room.example").heartbeat == nil)
        #expect(problem("A=sip:room.example heartbeat 0")?.contains("1 to 1440") == true)
        #expect(problem("A=sip:room.example heartbeat soon")?.contains("1 to 1440") == true)
        #expect(problem("A=fhir+https://room.example/ heartbeat 5")?.contains("Leave `heartbeat 5` out") == true)
    }

    @Test("SOS-22: what watches the ways is checked before the hub starts")
    func configuration() throws {
        func problem(_ change: (inout HubConfiguration) -> Void) -> String? {
            var configuration = HubConfiguration(directory: URL(fileURLWithPath: "/nowhere"))
            change(&configuration)
            do { try configuration.check() } catch { return "\(error)" }
            return nil
        }
        #expect(problem { $0.mail.server = "mail.example" }?.contains("smtp://HOST") == true)
        #expect(problem { $0.mail.server = "smtps://mail.example:465" } == nil)
        #expect(problem { $0.operator.mail = "ops" }?.contains("hub.operator.mail") == true)
        #expect(problem { $0.operator.phone = "+393330000009" }?.contains("hub.sms.command") == true)
        #expect(problem { ($0.operator.phone, $0.sms.command) = ("333", "/bin/true") }?.contains("country's code") == true)
        #expect(problem { $0.sos.watchdog = "watch" }?.contains("hub.sos.watchdog") == true)
        let server = try #require(MailServer("smtp://[::1]:2525/"))
        #expect(server.host == "::1" && server.port == 2525 && !server.isTLS)
        #expect(MailServer("smtps://mail.example") == MailServer("smtps://mail.example:465"))
        for wrong in ["http://x", "smtp://", "smtp://x:0", "smtp://x:99999", "smtp://a@b"] { #expect(MailServer(wrong) == nil, "\(wrong)") }
    }

    @Test("SOS-22: the watcher outside hears of the hub while alarms would be seen to, and nothing while they would not")
    func deadManSwitch() async throws {
        let server = try await HookServer(), faults = Mutex<[SOSFault]>([.standsStill]), looks = Atomic(0)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .init(tlsConfiguration: server.trust))
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let service = DeadManSwitch(
            url: "https://127.0.0.1:\(server.port)/ping/made-up", client: client, every: .milliseconds(100), logger: logger
        ) {
            looks.add(1, ordering: .relaxed)
            return faults.withLock { $0 }
        }
        let running = Task { try await service.run() }
        /// A look follows the post of the one before.
        func look(times: Int) async throws {
            let before = looks.load(ordering: .relaxed)
            try await until("looked") { looks.load(ordering: .relaxed) >= before + times }
        }
        try await look(times: 5)
        #expect(server.got.isEmpty, "not before the looks go on")
        faults.withLock { $0 = [] }
        try await until("heard") { server.got.count >= 3 }
        #expect(server.got.allSatisfy { $0.path == "/ping/made-up" && $0.body.isEmpty })
        // One person whom nobody can be called for would keep the watcher's alarm on, and hide that the hub has died.
        faults.withLock { $0 = [.peopleWithoutWay(1)] }
        let known = server.got.count
        try await until("heard all the same") { server.got.count > known + 2 }
        faults.withLock { $0 = [.peopleWithoutWay(1), .notStored] }
        try await look(times: 2)
        let before = server.got.count
        try await look(times: 5)
        #expect(server.got.count == before)
        faults.withLock { $0 = [] }
        try await until("heard again") { server.got.count > before }
        running.cancel()
        try await running.value
        try await client.shutdown()
        try await server.close()
    }

    @Test("SOS-22: a hub whose looks hang, whose disk takes nothing or whose ways all fail says so in /readyz")
    func readiness() async throws {
        let town = try await WayTown(contact: SOSContact(name: "B", phone: nil, email: "b@example.org", language: "en")) { _, _ in }
        #expect(town.hub.sos.faults == [.standsStill], "its services do not run")
        for look in SOSPulse.Look.allCases { town.hub.sos.pulse.beat(look) }
        #expect(town.hub.sos.faults.isEmpty)
        try FileManager.default.removeItem(atPath: town.program("mail"))
        try await town.pass(30, phase: 0)
        await town.hub.sos.chain.look()
        for look in SOSPulse.Look.allCases { town.hub.sos.pulse.beat(look) }
        #expect(town.hub.sos.faults == [.noWay, .peopleWithoutWay(1)])
        let known = town.hub.accounts.notices
        try await until("the operator is told") { try known.notices(of: town.chief).contains { $0.kind == .peopleUnreached } }
        let told = try #require(try known.notices(of: town.chief).first { $0.kind == .peopleUnreached })
        #expect(told.arguments == ["count": "1", "ways": "1 mail"], "how many, and which ways, and never who")
        for (texts, words) in [(Texts.of("en"), "Mail (1)"), (Texts.of("it"), "E-mail (1)")] {
            #expect(texts.notice(told).contains(words) && !texts.notice(told).contains("{"), "\(texts.notice(told))")
        }
        let time = Mutex<Milliseconds>(0), pulse = SOSPulse { time.withLock { $0 } }
        for look in SOSPulse.Look.allCases { pulse.beat(look) }
        time.withLock { $0 = 9_999 }
        #expect(pulse.isAlive)
        time.withLock { $0 = 10_000 }
        #expect(!pulse.isAlive)
    }
}

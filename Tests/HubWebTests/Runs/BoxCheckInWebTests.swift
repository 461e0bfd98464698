import Accounts
import AgentKit
import Crypto
import Foundation
import HubServices
import HubStore
import Logging
import NIOHTTP1
import Positioning
import Privacy
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// The real agent and the real hub over TLS: a check-in from the question to the end.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BoxCheckInWebTests {
    /// An agent that runs until it is stopped, on the clock of a scene.
    private struct RunningBox {
        let directory: TemporaryDirectory
        let client: ControlClient
        private let running: Task<Void, any Error>

        init(_ scene: RunsScene, of person: PersonID) async throws {
            directory = try TemporaryDirectory()
            var configuration = AgentConfiguration(stateDirectory: directory.url.path)
            (configuration.page.port, configuration.voice.isEnabled, configuration.modem.isEnabled) = (0, false, false)
            (configuration.position.gpsd, configuration.position.wifi, configuration.hooks) = (nil, false, directory.url.path + "/none")
            configuration.position.fixed = FixedPosition(latitude: 45.4, longitude: 9, error: 10)
            let code = try HubServices.Enrolment(accounts: scene.web.hub.accounts).makeCode(for: [person], now: scene.clock.now)
            let pem = try String(contentsOf: scene.web.directory.url.appendingPathComponent("ca.pem"), encoding: .utf8)
            let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
            let print = Hexadecimal.string(SHA256.hash(data: try #require(Data(base64Encoded: base64))))
            _ = try await AgentKit.Enrolment(hub: "\(scene.web.url)#\(print)", code: code, name: "Ada's phone", replaces: false)
                .perform(configuration: configuration)
            let socket = directory.url.path + "/control", clock = scene.clock
            let agent = try buildAgent(
                configuration: configuration, task: .run(LiveOptions(sensor: nil, person: nil, controlSocket: socket)),
                clock: BoxClock(boottime: { clock.now - 1_790_000_000_000 }, utc: { clock.now }),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, say: { _ in })
            client = ControlClient(path: socket)
            running = Task { try await agent.run() }
        }

        func stop() async {
            running.cancel()
            _ = await running.result
        }

        func checkIn() async -> BoxStatus.CheckInState? {
            (try? await client.send(ControlRequest(.status)))?.status?.persons.first?.checkIns?.first
        }

        /// Waits for what the hub's answers bring; a press makes the box send something.
        func until(_ isSo: (BoxStatus.CheckInState?) -> Bool) async throws -> Bool {
            for round in 0..<240 {
                if isSo(await checkIn()) { return true }
                if round.isMultiple(of: 8) { _ = try? await client.send(ControlRequest(.ok)) }
                try await Task.sleep(for: .milliseconds(125))
            }
            return false
        }
    }

    @Test(
        "RUN-5, CONS-2, EDGE-12: a check-in is shown by the real box and accepted there with one tap; the hub's pages show it at once, and its end too"
    )
    func accepts() async throws {
        try await RunsScene.run { scene in
            let hub = scene.web.hub, person = scene.ada.account.id.person
            let code = try await scene.published(), run = try scene.stored(code)
            #expect(try await scene.post("/runs/\(code)/enrol", [:], scene.ada.cookie).status == 303)
            scene.clock.set(to: run.checkInOpens + 1000)
            try await scene.until { try hub.accounts.notices.questionsForBox(of: [person]) == 2 }
            let box = try await RunningBox(scene, of: person)
            #expect(try await box.until { $0?.phase == .open })
            let asked = try #require(await box.checkIn())
            #expect(asked.code == code && asked.kinds == [.position, .heartRate] && asked.until == run.plan.ends)
            #expect(asked.organiser == scene.organiser.account.name)
            let reply = try await box.client.send(ControlRequest(.checkIn, answer: .accept, checkIn: code))
            #expect(reply.isDone, "\(reply)")
            #expect(try await box.until { [.accepted, .withoutPosition].contains($0?.phase) })
            #expect(try hub.runs.checkIns.checkIn(of: person, to: run.id).since != nil)
            #expect(try await scene.get("/runs/\(code)/check-in", scene.ada.cookie).body.contains("may read your position"))
            #expect(try await scene.get("/ledger", scene.ada.cookie).body.contains("(at your box)"))
            // Positions of the box have come by now, and the hub's next look says so.
            scene.clock.set(to: scene.clock.now + 61_000)
            #expect(try await box.until { $0?.phase == .accepted })
            // Taken back on the hub: the box does not go on saying that it holds.
            #expect(try await scene.post("/followers/\(asked.id)/revoke", [:], scene.ada.cookie).status == 303)
            scene.clock.set(to: scene.clock.now + 150_000)
            #expect(try await box.until { $0?.phase == .ended })
            await box.stop()
        }
    }

    @Test("RUN-5: not now at the box denies, and a tap behind the start is too late: the hub applies none")
    func refuses() async throws {
        try await RunsScene.run { scene in
            let hub = scene.web.hub, person = scene.ada.account.id.person
            let code = try await scene.published(), run = try scene.stored(code)
            #expect(try await scene.post("/runs/\(code)/enrol", [:], scene.ada.cookie).status == 303)
            scene.clock.set(to: run.checkInOpens + 1000)
            try await scene.until { try hub.accounts.notices.questionsForBox(of: [person]) == 2 }
            let box = try await RunningBox(scene, of: person)
            #expect(try await box.until { $0?.phase == .open })
            _ = try await box.client.send(ControlRequest(.checkIn, answer: .refuse))
            #expect(try await box.until { $0?.phase == .refused })
            #expect(try hub.runs.checkIns.checkIn(of: person, to: run.id).since == nil)
            #expect(try hub.accounts.notices.questionsForBox(of: [person]) == 1)
            await box.stop()
            // Another day: the question stands there until the start.
            let next = try await scene.published("Next"), later = try scene.stored(next)
            #expect(try await scene.post("/runs/\(next)/enrol", [:], scene.ada.cookie).status == 303)
            scene.clock.set(to: later.checkInOpens + 1000)
            try await scene.until {
                try hub.accounts.runConsents.checkIns(of: person).contains {
                    $0.consent.request.scope.kinds.contains(.position) && $0.consent.request.scope.purpose.contains(next)
                }
            }
            let again = try await RunningBox(scene, of: person)
            #expect(try await again.until { $0?.phase == .open })
            scene.clock.set(to: later.plan.starts + 1)
            let late = try await again.client.send(ControlRequest(.checkIn, answer: .accept))
            #expect(!late.isDone)
            let phase = await again.checkIn()?.phase
            #expect(phase == nil || phase == .late)
            #expect(try hub.runs.checkIns.checkIn(of: person, to: later.id).since == nil)
            await again.stop()
        }
    }

    @Test("RUN-5: the route of answers takes nothing without a token, nothing that is no answer, and no more than its bound")
    func route() async throws {
        try await WebFixture.run { web in
            let member = try web.member(.person, "ada@example.org"), token = try await Cast.agentToken(web, [member.account.id.person])
            let bearer = [("authorization", "Bearer \(token)")], good = Array(#"{"id":"\#(ConsentID.random())","answer":"accept"}"#.utf8)
            func send(_ body: [UInt8], _ headers: [(String, String)]) async throws -> WebFixture.Answer {
                try await web.send(.POST, SyncRoute.checkIns, headers: headers, body: body)
            }
            #expect(try await send(good, []).status == 401)
            #expect(try await send(good, [("authorization", "Bearer nothing")]).status == 401)
            let reply = try await send(good, bearer)
            #expect(reply.status == 200)
            #expect(try JSONDecoder().decode(CheckInReply.self, from: Data(reply.body.utf8)).why == .notHere)
            #expect(try await send(Array(repeating: UInt8(ascii: " "), count: SyncRoute.checkInBytesMax) + good, bearer).status == 413)
            for bytes in FuzzTests.damaged(good, wild: 100).shuffled().prefix(150) where bytes.count <= SyncRoute.checkInBytesMax {
                let status = try await send(bytes, bearer).status
                #expect([200, 400].contains(status), "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }
}

import Accounts
import Crypto
import Database
import Foundation
import HubServices
import Logging
import Monitoring
import NIOHTTP1
import SampleBuffer
import Seams
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import HubStore
@testable import HubWeb

/// A real box and a real hub, whose accounts are put back to before the binding of its person.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct UnknownBindingTests {
    /// A box that runs until it is told to end.
    private struct Running {
        let task: Task<Void, any Error>
        let control: ControlClient

        init(_ configuration: AgentConfiguration) async throws {
            let socket = configuration.stateDirectory + "/control"
            // What writes the files of the one before has the directory until it has ended.
            while (try? StateDirectory(configuration.stateDirectory)) == nil { try await Task.sleep(for: .milliseconds(50)) }
            let agent = try buildAgent(
                configuration: configuration, task: .run(LiveOptions(sensor: nil, person: nil, controlSocket: socket)),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, say: { _ in })
            task = Task { try await agent.run() }
            control = ControlClient(path: socket)
        }

        /// What the box says, once it is so; something is pressed meanwhile.
        func status(presses: Bool, until isSo: (BoxStatus) -> Bool) async throws -> BoxStatus {
            while true {
                if presses { _ = try? await control.send(ControlRequest(.ok)) }
                if let status = try? await control.send(ControlRequest(.status)).status, isSo(status) { return status }
                try await Task.sleep(for: .milliseconds(200))
            }
        }

        func end() async {
            task.cancel()
            _ = await task.result
        }
    }

    @Test("OPS-2: a box erases nobody whom a restored hub does not know: it says so, keeps all, and sends it once it is known")
    func restored() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person, directory = try TemporaryDirectory()
            var configuration = AgentConfiguration(stateDirectory: directory.url.path)
            (configuration.page.port, configuration.voice.isEnabled, configuration.modem.isEnabled) = (0, false, false)
            (configuration.position.gpsd, configuration.position.wifi, configuration.hooks) = (nil, false, directory.url.path + "/none")
            let hub = try HubDirectory(web.directory.url)
            // Of another process, as a restore is.
            let accounts = try AccountStore(hub, keys: KeyStore(hub))
            let code = try HubServices.Enrolment(accounts: accounts)
                .makeCode(for: [id], now: Milliseconds(Date().timeIntervalSince1970 * 1000))
            let fingerprint = try String(contentsOf: web.directory.url.appendingPathComponent("ca.pem"), encoding: .utf8)
            try await enrol(web, code: code, authority: fingerprint, configuration)
            var box = try await Running(configuration)
            _ = try await box.status(presses: true) { ($0.buffer?.acknowledgedSegments ?? 0) > 0 }
            let row = try #require(try accounts.row(of: id))
            let bound = "SELECT agent FROM agent_person WHERE person = ?"
            let agent = try #require(try accounts.pool.read { try $0.fetchOne(Int64.self, sql: bound, arguments: [row]) })
            try accounts.pool.write { try $0.execute(sql: "DELETE FROM agent_person WHERE person = ?", arguments: [row]) }
            let told = try await box.status(presses: true) {
                $0.persons.first?.notices.contains(.hubUnbound) == true && ($0.buffer?.refusedSegments ?? 0) > 0
            }
            #expect(told.persons.map(\.person) == [id])
            #expect(told.buffer?.refusals.keys.allSatisfy { $0.hasPrefix("not-bound") } == true)
            #expect(Departure.noted(in: directory.url.path, machine: .system).isEmpty)
            await box.end()
            try accounts.pool.write {
                try $0.execute(sql: "INSERT INTO agent_person(agent, person) VALUES(?, ?)", arguments: [agent, row])
            }
            box = try await Running(configuration)
            let all = (told.buffer?.acknowledgedSegments ?? 0) + (told.buffer?.refusedSegments ?? 0)
            let after = try await box.status(presses: false) {
                $0.buffer?.refusedSegments == 0 && ($0.buffer?.acknowledgedSegments ?? 0) >= all
            }
            #expect(after.persons.first?.notices.contains(.hubUnbound) == false)
            await box.end()
            #expect(try Identity.load(from: directory.url.path)?.persons.map(\.person) == [id])
        }
    }

    @Test("DATA-10: a box that its person disconnected hears that they left, and nothing else; one that an operator revoked erases nothing")
    func disconnected() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            let own = try await Cast.agentToken(web, [id])
            let box = try #require(try web.hub.accounts.agents.agents().first?.agent.id)
            let body = Array(try JSONEncoder().encode(BoxCondition(version: "1", batteryPercent: nil, sensors: [], people: [id])))
            func told(_ token: String) async throws -> (status: UInt, answer: BoxConditionAnswer?) {
                let answer = try await web.send(.POST, SyncRoute.box, headers: [("authorization", "Bearer \(token)")], body: body)
                return (answer.status, try? JSONDecoder().decode(BoxConditionAnswer.self, from: Data(answer.body.utf8)))
            }
            #expect(try await told(own).answer == BoxConditionAnswer(bound: [id], gone: []))
            #expect(try await web.send(.GET, "/boxes", cookie: person.cookie).body.contains("also what it has not sent yet"))
            #expect(try await web.post("/boxes/\(box)/revoke", [:], cookie: person.cookie).status == 303)
            #expect(try web.hub.accounts.agents.agent(box)?.revoked == true)
            #expect(try await told(own).answer == BoxConditionAnswer(gone: [id]))
            let bearer = [("authorization", "Bearer \(own)")]
            #expect(try await web.send(.POST, SyncRoute.segments, headers: bearer, body: [1]).status == 403)
            let other = try await Cast.agentToken(web, [id])
            let second = try #require(try web.hub.accounts.agents.agents().last?.agent.id)
            #expect(second != box)
            // By another process, as the operator's command is.
            let hub = try HubDirectory(web.directory.url)
            #expect(try AccountStore(hub, keys: KeyStore(hub)).agents.revokeAgent(second, now: 1))
            var status: UInt = 200
            while status == 200 {
                status = try await told(other).status
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(status == 403)
        }
    }

    private func enrol(_ web: WebFixture, code: String, authority: String, _ configuration: AgentConfiguration) async throws {
        let key = Identity.newKey(), directory = try StateDirectory(configuration.stateDirectory)
        let request = EnrolmentRequest(
            code: code, publicKey: Hexadecimal.string(key.publicKey.x963Representation), name: "box")
        let answer = try HubServices.Enrolment(accounts: web.hub.accounts)
            .enrol(request, now: Milliseconds(Date().timeIntervalSince1970 * 1000))
        try Identity(
            agent: answer.agent, name: "box", hub: try HubAddress(web.url), certificateAuthority: authority, persons: answer.persons
        ).save(key: key, to: directory)
    }
}

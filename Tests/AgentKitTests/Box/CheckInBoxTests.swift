import Foundation
import Logging
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// Check-ins at a whole box.
@Suite(.timeLimit(.minutes(2)))
struct CheckInBoxTests {
    private static let offset = CheckInsTests.now - 1_000_000

    private func fixture(
        _ hub: ScriptedCheckInHub, people: [String] = ["Ada"], role: BoxRole = .phone, directory: TemporaryDirectory? = nil
    ) throws -> BoxFixture {
        try BoxFixture(people: people, role: role, directory: directory, utcOffset: Self.offset, checkIns: hub)
    }

    private func states(_ fixture: BoxFixture) async -> [BoxStatus.CheckInState] { await fixture.box.status().persons[0].checkIns ?? [] }

    private func accept(_ fixture: BoxFixture) async -> ControlReply {
        await fixture.box.perform(ControlRequest(.checkIn, answer: .accept, checkIn: "ABC234"))
    }

    /// What the hub says with its next answer.
    private func hear(_ fixture: BoxFixture, _ items: [CheckIn]) async {
        await fixture.box.checkIns.hear(checkIns: items, utc: CheckInsTests.now)
    }

    @Test("RUN-5, EDGE-12: a tap on a phone goes to the hub, is told while it cannot be reached, and survives a restart of the agent")
    func taps() async throws {
        let hub = ScriptedCheckInHub(), fixture = try fixture(hub)
        await hear(fixture, [CheckInsTests.checkIn()])
        #expect(await states(fixture).map(\.phase) == [.open])
        let reply = await accept(fixture)
        #expect(reply.isDone && reply.message.contains("does not count yet"), "\(reply)")
        #expect(try await eventually { await states(fixture).first?.problem != nil })
        #expect(await states(fixture).map(\.phase) == [.sending])
        #expect(await fixture.box.status().text.contains("on its way"))
        _ = try await fixture.stored()
        // The agent ends here; the next one goes on.
        let path = fixture.state.path
        #expect(FileManager.default.fileExists(atPath: path + "/" + CheckInsFile.file))
        let copy = try TemporaryDirectory(copyOf: fixture.directory.url), again = try self.fixture(hub, directory: copy)
        try await again.box.begin(listening: false)
        #expect(await states(again).map(\.phase) == [.sending])
        hub.set(.withoutPosition)
        again.clock.advance(60_000)
        await again.box.tick()
        #expect(try await eventually { await states(again).map(\.phase) == [.withoutPosition] })
        #expect(Set(hub.said) == [CheckInAnswer(id: CheckInsTests.checkIn().id, answer: .accept)])
        let sent = hub.said.count
        again.clock.advance(600_000)
        await again.box.tick()
        #expect(hub.said.count == sent, "the hub has decided")
    }

    @Test("RUN-5: a gateway and a box of several show no check-in and answer none: the number alone is told there")
    func gateway() async throws {
        for (people, role) in [(["Ada"], BoxRole.gateway), (["Ada", "Karl"], .phone)] {
            let hub = ScriptedCheckInHub(), fixture = try fixture(hub, people: people, role: role)
            await hear(fixture, [CheckInsTests.checkIn()])
            #expect(await fixture.box.status().persons.allSatisfy { $0.checkIns == nil })
            let reply = await accept(fixture)
            #expect(!reply.isDone && reply.advice?.contains("/followers") == true && reply.words == "refusal.checkInElsewhere")
            await fixture.box.tick()
            #expect(hub.said.isEmpty)
        }
    }

    @Test("RUN-5: an unreadable file of answers is told and set aside, and what is asked is asked anew")
    func damaged() async throws {
        let directory = try TemporaryDirectory(), file = directory.url.appending(path: CheckInsFile.file)
        try Data("{".utf8).write(to: file)
        let (told, continuation) = AsyncStream.makeStream(of: String.self)
        let logger = Logger(label: "test") { _ in ToldLog(continuation) }
        let fixture = try BoxFixture(directory: directory, utcOffset: Self.offset, logger: logger)
        try await fixture.box.begin(listening: false)
        continuation.finish()
        var lines: [String] = []
        for await line in told { lines.append(line) }
        #expect(lines.contains { $0.contains(CheckInsFile.file) && $0.contains("answer again") })
        #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
        await hear(fixture, [CheckInsTests.checkIn()])
        #expect(await states(fixture).map(\.phase) == [.open])
    }

    @Test("RUN-5, EDGE-12: the page answers a check-in as it presses other buttons: not for another web page, and only accept or refuse")
    func page() async throws {
        let page = try await ServedPage()
        let body = #"{"action":"check-in","answer":"accept","checkIn":"ABC234"}"#
        #expect(try await page.post(body).status == 200)
        #expect(page.box.requests == [ControlRequest(.checkIn, answer: .accept, checkIn: "ABC234")])
        for headers in ["Origin: http://evil.example\r\n", "Origin: http://\(page.host)\r\nSec-Fetch-Site: cross-site\r\n", ""] {
            #expect(try await page.post(body, headers).status == 403)
        }
        #expect(try await page.post(body.replacingOccurrences(of: "accept", with: "perhaps")).status == 400)
        #expect(page.box.requests.count == 1)
        await page.stop()
    }

    @Test("RUN-5: the box says with its samples that it shows check-ins, and only then; what the hub answers is in the snapshot")
    func header() async throws {
        for shows in [true, false] {
            let fixture = try FaultRecorderTests.Fixture(), hub = try await PlayedHub(checkIns: CheckInList([CheckInsTests.checkIn()]))
            let path = fixture.directory.url.path, time = TokenClock(fixture.clock)
            let client = try HubClient(
                try HubAddress("http://127.0.0.1:\(hub.port)"), trust: .system, configuration: AgentConfiguration(stateDirectory: path),
                clock: time)
            let sync = SyncService(
                client: client, tokens: TokenRequest(agent: AgentID(high: 1, low: 1), key: Identity.newKey(), clock: time),
                recorder: fixture.recorder, nudges: fixture.nudges, clock: fixture.clock, logger: .silent,
                directory: try StateDirectory(path), showsCheckIns: shows)
            let running = Task { try await sync.run() }
            await fixture.heartRate()
            fixture.nudges.signal(.urgent)
            #expect(try await eventually { sync.snapshot.lastAnswer != nil })
            #expect(sync.snapshot.checkIns == (shows ? [CheckInsTests.checkIn()] : []) && sync.snapshot.hubUTC == 1_800_000_000_000)
            running.cancel()
            _ = await running.result
            await hub.stop()
        }
    }
}

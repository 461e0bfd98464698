import Distress
import Foundation
import HubStore
import NIOHTTP1
import SyncProtocol
import Testing
import Vitals

/// The real hub, which stands still (SIGSTOP) for longer than a box may be silent, and goes on.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SOSStoppedHubTests {
    private let begun = ContinuousClock.now

    /// What a box of Ada's tells that watches.
    private func report(_ world: SOSProcesses, _ revision: UInt64, _ alarm: Alarm? = nil) throws -> [UInt8] {
        var report = SOSReport(
            person: world.ada.account.id.person, boot: BootID(high: 1, low: 2), revision: revision,
            sentAt: 3000 + Milliseconds(begun.duration(to: .now) / .milliseconds(1)),
            provenance: .live)
        report.alarm = alarm
        return Array(try JSONEncoder().encode(report))
    }

    private func help(_ world: SOSProcesses) throws -> Alarm {
        var watch = DistressWatch(person: world.ada.account.id.person, provenance: .live, side: .box, settings: DistressSettings(), at: 0)
        _ = watch.handle(.position(PositionSample(time: 1000, latitude: 456_000_000, longitude: 97_000_000)), at: 1000)
        let key = SampleKey(stream: StreamID(high: 3, low: 4), sequence: 1, kind: .event, index: 0)
        let effects = watch.handle(.state(StateEvent(time: 2000, code: .help), key), at: 2000)
        return try #require(effects.compactMap { if case .report(let alarm) = $0 { alarm } else { nil } }.first)
    }

    @discardableResult
    private func send(_ world: SOSProcesses, _ body: [UInt8]) async throws -> SOSAnswer {
        let answer = try await world.send(.POST, SyncRoute.sos, token: world.token, body: body)
        try #require(answer.status == 200, "\(answer.body)")
        return try JSONDecoder().decode(SOSAnswer.self, from: Data(answer.body.utf8))
    }

    @Test(
        "SOS-18, SOS-20: a hub that stood still for 50 s tells nobody that protection was interrupted, leaves an offer with its crew, and the case with whoever had it"
    )
    func stopped() async throws {
        let world = try await SOSProcesses(crewCount: 1), alarm = try help(world)
        try await world.startHub()
        func stop(_ seconds: Int) async throws {
            let before = world.log("hub").components(separatedBy: "stood still").count
            try await world.withHubStopped { try await Task.sleep(for: .seconds(seconds)) }
            try await world.until("the hub noticed it: \(world.log("hub"))") {
                world.log("hub").components(separatedBy: "stood still").count > before
            }
        }
        try await send(world, report(world, 1))
        let id = try #require(try await send(world, report(world, 2, alarm)).incident).description
        try await world.until("the crew is asked") { try await world.offers() == [id] }
        // Longer than a box may be silent, and than an offer lasts.
        try await stop(50)
        // Some looks at what is due.
        try await Task.sleep(for: .seconds(1))
        let page = try await world.send(.GET, "/duty/alarms", cookie: world.crews[0].cookie).body
        let left = page.firstMatch(of: /([0-9]+) seconds to answer/).flatMap { Int($0.output.1) }
        #expect(left.map { (1...15).contains($0) } == true, "the offer keeps the time that was left: \(page)")
        #expect(try await world.send(.POST, "/duty/alarms/\(id)/accept", cookie: world.crews[0].cookie).status == 303)
        try await stop(50)
        // Three looks at the links and at owners.
        try await Task.sleep(for: .seconds(25))
        let answer = try await send(world, report(world, 3, alarm))
        #expect(answer.owner?.id.hasPrefix("crew:") == true && answer.outcome == nil)
        try await world.end()
        let cases = try world.stored()
        #expect(cases.count == 1 && cases[0].isOpen && cases[0].crew?.account == world.crews[0].account.id)
        #expect(cases[0].offers.count == 1, "\(cases[0].offers)")
        #expect(try world.notices(.sosUnprotected) == 0)
    }
}

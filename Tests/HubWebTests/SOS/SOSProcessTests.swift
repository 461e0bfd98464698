import Distress
import Foundation
import HubStore
import NIOHTTP1
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// AutomatedSOS with the real programs, killed where it hurts.
@Suite(.serialized, .timeLimit(.minutes(8)))
struct SOSProcessTests {
    private struct HookAlarm: Decodable {
        var incident: String
        var kind: String, status: String
        var position: Place?
        struct Place: Decodable { var latitude: Double }
    }

    /// What hooks were given: the words of the environment, and the alarm.
    private func hooks(_ world: SOSProcesses) throws -> [(words: String, alarm: HookAlarm)] {
        try world.left("hooks").map { text in
            let parts = text.split(separator: "\n", maxSplits: 1)
            return (String(parts[0]), try JSONDecoder().decode(HookAlarm.self, from: Data(parts[1].utf8)))
        }
    }

    /// An alarm of a box of Ada's that the test plays: help, somewhere near.
    private func report(
        _ world: SOSProcesses, _ revision: UInt64, sequence: UInt64 = 1, provenance: Provenance = .live, isDrill: Bool = false,
        of alarmProvenance: Provenance = .live
    ) throws -> [UInt8] {
        let person = world.ada.account.id.person
        var watch = DistressWatch(person: person, provenance: alarmProvenance, side: .box, settings: DistressSettings(), at: 0)
        _ = watch.handle(.position(PositionSample(time: 1000, latitude: 456_000_000, longitude: 97_000_000)), at: 1000)
        let key = SampleKey(stream: StreamID(high: 3, low: 4), sequence: sequence, kind: .event, index: 0)
        var report = SOSReport(
            person: person, boot: BootID(high: 1, low: 2), revision: revision, sentAt: 3000, provenance: provenance, isDrill: isDrill)
        for effect in watch.handle(.state(StateEvent(time: 2000, code: .help), key), at: 2000) {
            switch effect {
            case .report(let alarm), .test(let alarm): report.alarm = alarm
            default: break
            }
        }
        return Array(try JSONEncoder().encode(report))
    }

    @discardableResult
    private func send(_ world: SOSProcesses, _ body: [UInt8]) async throws -> SOSAnswer {
        let answer = try await world.send(.POST, SyncRoute.sos, token: world.token, body: body)
        try #require(answer.status == 200, "\(answer.body)")
        return try JSONDecoder().decode(SOSAnswer.self, from: Data(answer.body.utf8))
    }

    @Test(
        "SOS-9, EDGE-11: without the hub the box calls by its hook at once; the hub that comes back has the same incident, and only updates follow"
    )
    func offline() async throws {
        let world = try await SOSProcesses()
        try await world.startHub()
        try world.enrol()
        try await world.startBox()
        try await world.settled()
        world.killHub()
        let asked = ContinuousClock.now
        try world.command("trackme-agent", ["help", "--state", world.path("box")])
        try await world.until("a hook runs: \(world.log("box"))", within: .seconds(15)) { try !world.left("hooks").isEmpty }
        // The command's start and the two seconds that the hub has for its word are in it.
        #expect(ContinuousClock.now - asked < .seconds(12))
        let first = try #require(try hooks(world).first)
        #expect(first.words == "alert no" && first.alarm.kind == "alert" && first.alarm.status == "actual")
        #expect(first.alarm.position.map { abs($0.latitude - 45.6) < 0.001 } == true)

        try await world.startHub()
        try await world.until("the crew is offered it: \(world.log("box"))") { try await world.offers() == [first.alarm.incident] }
        #expect(try await world.send(.POST, "/duty/alarms/\(first.alarm.incident)/accept", cookie: world.crews[0].cookie).status == 303)
        try await world.until("the box knows who comes") {
            try world.command("trackme-agent", ["sos", "status", "--state", world.path("box")]).contains("A0")
        }
        try await world.until("the hook hears that somebody comes") { try hooks(world).count > 1 }
        let path = "/duty/alarms/\(first.alarm.incident)"
        #expect(try await world.send(.POST, path + "/there", cookie: world.crews[0].cookie).status == 303)
        #expect(try await world.send(.POST, path + "/done", cookie: world.crews[0].cookie).status == 303)
        try await world.until("the box knows that it is over") {
            let status = try world.command("trackme-agent", ["sos", "status", "--state", world.path("box")])
            return status.contains("eactivate")
        }
        let all = try hooks(world)
        #expect(all.count { $0.words.hasPrefix("alert") } == 1, "\(all.map(\.words))")
        #expect(Set(all.map(\.alarm.incident)) == [first.alarm.incident] && all.allSatisfy { $0.words.hasSuffix(" no") })
        try await world.end()
        let cases = try world.stored()
        #expect(cases.count == 1 && cases[0].id.description == first.alarm.incident && !cases[0].isOpen)
    }

    @Test(
        "SOS-3, SOS-4, SOS-5, EDGE-11: a strap's heart rate falls, nobody answers, no hub: the hook runs, and the hub hears of it later",
        .enabled(if: SOSProcesses.canPlayStrap))
    func strap() async throws {
        let world = try await SOSProcesses()
        try await world.startHub()
        try world.enrol()
        try await world.startStrap(rate: 70)
        try await world.startBox()
        try await world.settled()
        try await world.until("the person is watched: \(world.log("box"))") {
            try world.command("trackme-agent", ["sos", "status", "--json", "--state", world.path("box")]).contains(
                /"isProtected"\s*:\s*true/)
        }
        world.killHub()
        let fell = ContinuousClock.now
        try world.setRate(30)
        try await world.until("a hook runs: \(world.log("box"))") { try !world.left("hooks").isEmpty }
        let took = ContinuousClock.now - fell
        // The next reading, five seconds for an answer, and two for the hub's word.
        #expect(took > .seconds(4) && took < .seconds(25), "\(took)")
        let text = try #require(try world.left("hooks").first), first = try #require(try hooks(world).first)
        #expect(first.words == "alert no" && text.contains("\"cause\":\"heart-rate-low\"") && text.contains("\"heartRate\":30"), "\(text)")
        try await world.startHub()
        try await world.until("the crew is offered it: \(world.log("box"))") { try await world.offers() == [first.alarm.incident] }
        try await world.end()
        #expect(try world.stored().count == 1)
    }

    @Test("SOS-7: the hub is killed at some moment between alarm and offer, again and again: the offer goes out, once")
    func killedBeforeTheOffer() async throws {
        let world = try await SOSProcesses()
        try await world.startHub()
        var ended: Set<String> = []
        for round in 0..<8 {
            let body = try report(world, UInt64(10 * round + 1), sequence: UInt64(round + 1))
            // The hub dies while it answers; the box does not know what became of it.
            async let sent: SOSAnswer? = try? await send(world, body)
            try await Task.sleep(for: .milliseconds(round * round))
            world.killHub()
            let before = await sent
            try await world.startHub()
            let resumed = try await world.offers()
            if before?.isDurable == true {
                try await world.until("what was durable is offered") { try await !world.offers().isEmpty }
            } else if resumed.isEmpty {
                try await send(world, report(world, UInt64(10 * round + 2), sequence: UInt64(round + 1)))
            }
            try await world.until("the offer goes out: \(world.log("hub"))") { try await world.offers().count == 1 }
            // The box repeats what it has not heard; nothing comes of it.
            for copy in 3..<6 { try await send(world, report(world, UInt64(10 * round + copy), sequence: UInt64(round + 1))) }
            let offers = try await world.offers()
            #expect(offers.count == 1 && !ended.contains(offers[0]))
            ended.formUnion(offers)
            for act in ["accept", "done"] {
                #expect(try await world.send(.POST, "/duty/alarms/\(offers[0])/\(act)", cookie: world.crews[0].cookie).status == 303)
            }
            #expect(try await world.send(.POST, "/protection/press/reactivate", cookie: world.ada.cookie).status == 303)
        }
        try await world.end()
        let cases = try world.stored()
        #expect(cases.count == 8 && cases.allSatisfy { $0.offers.count == 1 && !$0.isOpen }, "\(cases.map(\.offers.count))")
        for item in cases {
            let alerts = item.calls.filter { $0.message == .alert }
            #expect(Set(alerts.map { "\($0.recipient) \($0.channel)" }).count == alerts.count)
        }
    }

    @Test("SOS-7, SOS-11: killed in each further state, the hub has the owner and the state that it had")
    func killedLater() async throws {
        let world = try await SOSProcesses(crewCount: 2)
        func kill() async throws {
            world.killHub()
            try await world.startHub()
        }
        try await world.startHub()
        let answer = try await send(world, report(world, 1)), id = try #require(answer.incident).description
        #expect(answer.isDurable)
        try await kill()
        func asked() async throws -> [[String]] { [try await world.offers(0), try await world.offers(1)] }
        try await world.until("both are asked") { try await asked() == [[id], [id]] }
        try await kill()
        #expect(try await asked() == [[id], [id]])
        #expect(try await send(world, report(world, 2)).addresseeReached, "it was on a screen")
        #expect(try await world.send(.POST, "/duty/alarms/\(id)/accept", cookie: world.crews[1].cookie).status == 303)
        try await kill()
        #expect(try await world.send(.POST, "/duty/alarms/\(id)/accept", cookie: world.crews[0].cookie).status == 409)
        var word = try await send(world, report(world, 3))
        #expect(word.ownerName == "A1, ZA 1" && word.coming != nil && word.incident?.description == id)
        #expect(try await world.send(.POST, "/duty/alarms/\(id)/there", cookie: world.crews[1].cookie).status == 303)
        try await kill()
        word = try await send(world, report(world, 4))
        #expect(word.ownerName == "A1, ZA 1" && word.coming?.arrivalIn == 0 && word.outcome == nil)
        #expect(try await world.send(.POST, "/duty/alarms/\(id)/done", cookie: world.crews[1].cookie).status == 303)
        try await kill()
        word = try await send(world, report(world, 5))
        #expect(word.outcome != nil && word.owner == nil)
        #expect(try await asked() == [[], []])
        try await world.end()
        let cases = try world.stored()
        #expect(cases.count == 1 && cases[0].crew?.account == world.crews[1].account.id)
    }

    @Test("SOS-19, design rule 11: a recording and a drill call nobody, by no path: hook, contacts, control rooms, crews")
    func nobody() async throws {
        let world = try await SOSProcesses()
        try await world.startHub()
        try world.enrol()
        for (number, provenance) in [Provenance.replay, .import, .drill].enumerated() {
            let revision = UInt64(10 * number)
            try await send(world, report(world, revision + 1, sequence: revision + 1, provenance: provenance, of: provenance))
            try await send(world, report(world, revision + 2, sequence: revision + 2, provenance: provenance))
            try await send(world, report(world, revision + 3, sequence: revision + 3, of: provenance))
            try await send(world, report(world, revision + 4, sequence: revision + 4, isDrill: true))
        }
        let demo = Repository.url("packaging/demo/run.btsnoop").path
        let said = try world.command("trackme-agent", ["replay", "--ble", demo, "--speed", "max", "--once", "--state", world.path("box")])
        print("replay said: \(said.suffix(400))")
        try await world.startBox()
        try await world.settled()
        try world.command("trackme-agent", ["sos", "drill", "--json", "--state", world.path("box")])
        try await world.until("the hook runs as a test: \(world.log("box"))") { try !world.left("hooks").isEmpty }
        // A test that the person asks for goes to contacts and control rooms, marked as one.
        #expect(try await world.send(.POST, "/protection/drill", cookie: world.ada.cookie).status == 303)
        try await world.until("the test reached all of them") { try world.left("texts").count == 1 && world.left("mails").count >= 2 }
        // Two rounds of a real alarm would have passed.
        try await Task.sleep(for: .seconds(20))
        #expect(try await world.offers().isEmpty)
        let page = try await world.send(.GET, "/duty/alarms", cookie: world.crews[0].cookie).body
        #expect(page.contains("no alarm for you"))
        #expect(try hooks(world).allSatisfy { $0.words.hasSuffix(" yes") && $0.alarm.status == "test" })
        for text in try world.left("texts") { #expect(text.uppercased().contains("TEST") || text.contains("DRILL"), "\(text)") }
        for mail in try world.left("mails") where mail.contains("room@example.org") || mail.contains(SOSProcesses.contactMail) {
            #expect(mail.uppercased().contains("TEST") || mail.contains("DRILL"), "\(mail)")
            #expect(!mail.contains("<status>Actual"))
        }
        #expect(try world.left("texts").count == 1)
        try await world.end()
        let cases = try world.stored()
        #expect(cases.count >= 10 && cases.allSatisfy { $0.isTest && $0.outcome == .test && $0.offers.isEmpty })
        #expect(cases.count { !$0.calls.isEmpty } == 1, "the one that was asked for")
    }
}

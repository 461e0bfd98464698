import Distress
import Foundation
import Logging
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// Contacts, and whose word counts for what.
@Suite(.timeLimit(.minutes(1)))
struct SOSContactTests {
    private let text = LocalAlarm.Attempt(id: 5, channel: .text(0), content: .standDown, isTest: false)

    @Test("SOS-20: who takes it by telephone is told that it is theirs, with the place, and never that it is over")
    func taken() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.fix()
        await fixture.distress(9)
        sos.caller.tell(.ended(.acknowledged(by: 0)))
        // At once: the next word goes out before the box has heard of it.
        let first = sos.caller.message(text).text
        #expect(first.hasPrefix("SOS Aggiornamento Ada Example, 40: Hai preso in carico l'allarme"), "\(first)")
        #expect(first.contains("45.47812,9.22700") && !first.contains("finita") && !first.contains("Annullare"), "\(first)")
        try await #require(eventually { await fixture.sos?.alarm?.phase == .taken })
        #expect(sos.caller.message(text).text == first)
        let hook = LocalAlarm.Attempt(id: 6, channel: .hooks, content: .standDown, isTest: false)
        let json = String(decoding: sos.caller.message(hook).json, as: UTF8.self)
        #expect(json.contains(#""kind":"update""#) && json.contains(#""takenBy":"Berta""#), "\(json)")
        _ = try await fixture.stored()
    }

    @Test("SOS-20: whom the box had told hears of the end, also where the hub's crew had taken it")
    func toldOfTheEnd() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress()
        sos.caller.tell(.sent(LocalAlarm.Attempt(id: 1, channel: .text(0), content: .alert, isTest: false)))
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { ($0.owner, $0.ownerName) = (Owner("r1"), "Ambulance 7") }
        await fixture.distress(8)
        #expect(await fixture.sos?.alarm?.phase == .taken)
        #expect(sos.caller.message(text).text.contains("Ambulance 7 ha preso in carico"), "\(sos.caller.message(text).text)")
        sos.hub.mode = ScriptedSOSHub.answer(reached: true) { ($0.owner, $0.outcome) = (Owner("r1"), .finished(Owner("r1"))) }
        await fixture.distress(8)
        #expect(await fixture.sos?.alarm?.phase == .over)
        #expect(sos.caller.asked.last == .stoodDown)
        #expect(sos.caller.message(text).text.hasPrefix("SOS Annullare, l'emergenza è finita"), "\(sos.caller.message(text).text)")
        _ = try await fixture.stored()
    }

    @Test("SOS-20: an acknowledgement of another case does not take this one")
    func otherCase() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress()
        let other = IncidentID(person: fixture.person, first: SampleKey(stream: .random(), sequence: 0, kind: .event, index: 9))
        await fixture.box.callOutcomes.called(.ended(.acknowledged(by: 0)), about: other, of: fixture.person)
        #expect(await fixture.sos?.alarm?.phase == .calling)
        let own = await fixture.sos?.alarm?.id
        await fixture.box.callOutcomes.called(.ended(.acknowledged(by: 0)), about: own, of: fixture.person)
        #expect(await fixture.sos?.alarm?.phase == .taken)
        _ = try await fixture.stored()
    }

    @Test("SOS-20: contacts that change during a case do not change whose answer it was; the next case calls the new ones")
    func changed() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        await fixture.distress(9)
        #expect(sos.caller.calls == 1)
        var new = SOSFixture.settings()
        new.version = 2
        new.people[0].contacts = [.init(name: "Carla", phone: "+39 333 9998888", language: "en")]
        sos.hub.give(new)
        sos.hub.mode = ScriptedSOSHub.answer { $0.settingsVersion = 2 }
        for _ in 0..<12 where await fixture.sos?.settingsVersion != 2 { await fixture.beat(215) }
        try await #require(eventually { await fixture.sos?.settingsVersion == 2 })
        sos.caller.tell(.ended(.acknowledged(by: 0)))
        try await #require(eventually { await fixture.sos?.alarm?.phase == .taken })
        #expect(await fixture.box.stations.all[fixture.person]?.owner == Owner("tel:+39 333 1112222"))
        #expect(sos.caller.plan.recipients.map(\.name) == ["Carla"])
        _ = try await fixture.stored()
    }

    @Test("SOS-18, SOS-20: a contact without a number that can be dialled is told, and moves nobody else's place")
    func withoutNumber() async throws {
        var settings = SOSFixture.settings()
        settings.people[0].contacts.insert(.init(name: "Nobody", phone: "ask her", language: "en"), at: 0)
        let sos = SOSFixture(settings: settings), fixture = try await sos.box()
        await fixture.rest()
        #expect(await fixture.sos?.weaknesses.contains(.contactWithoutNumber) == true)
        #expect(await fixture.sos?.contacts == ["Berta"])
        await fixture.distress()
        #expect(sos.caller.plan.recipients.map(\.name) == ["Berta"])
        #expect(sos.caller.message(LocalAlarm.Attempt(id: 1, channel: .text(0), content: .alert, isTest: false)).text.contains("frequenza"))
        sos.caller.tell(.ended(.acknowledged(by: 0)))
        try await #require(eventually { await fixture.sos?.alarm?.owner == "Berta" })
        _ = try await fixture.stored()
    }

    @Test("EDGE-13, SOS-9: of two people on one box each has a case of its own, and the end of one leaves the other")
    func twoPeople() async throws {
        var settings = SOSFixture.settings()
        var bruno = settings.people[0]
        (bruno.person, bruno.name) = (PersonID(high: 1, low: 2), "Bruno Example")
        settings.people.append(bruno)
        let sos = SOSFixture(settings: settings), fixture = try await sos.box(people: ["Ada", "Bruno"])
        let people = fixture.identity.persons.map(\.person)
        for second in 0..<22 { for person in people { await fixture.beat(second < 15 ? 70 : 215, of: person) } }
        #expect(sos.callers.count == 2 && sos.callers.allSatisfy { $0.calls == 1 }, "\(sos.callers.map(\.asked))")
        let cases = await fixture.box.status().persons.map { $0.sos?.alarm?.id }
        #expect(Set(cases).count == 2 && !cases.contains(nil))
        let attempt = LocalAlarm.Attempt(id: 1, channel: .text(0), content: .alert, isTest: false)
        #expect(Set(sos.callers.map { String($0.message(attempt).text.prefix(7)) }) == ["SOS Ada", "SOS Bru"])
        let reply = await fixture.box.perform(ControlRequest(.falseAlarm, person: people[0].description))
        #expect(reply.isDone, "\(reply.message)")
        let phases = await fixture.box.status().persons.map { $0.sos?.alarm?.phase }
        #expect(phases == [.answered, .calling])
        #expect(sos.callers.filter { $0.asked.last == .stopped }.count == 1)
        _ = try await fixture.stored()
    }

    @Test("SOS-19: a real alarm ends a test that goes on, also where the hub has it and the box does not call")
    func drillGivesWay() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest()
        #expect(await fixture.box.perform(ControlRequest(.drill)).isDone)
        sos.hub.mode = ScriptedSOSHub.answer(reached: true)
        await fixture.distress(9)
        #expect(sos.caller.asked == [.raised(isDrill: true, isUpdate: false), .stopped])
        _ = try await fixture.stored()
    }

    @Test("SOS-19: in a test a contact's answer is shown beside what went out")
    func drillAnswered() async throws {
        let sos = SOSFixture(hub: ScriptedSOSHub.answer(), settings: SOSFixture.settings()), fixture = try await sos.box()
        await fixture.rest(3)
        #expect(await fixture.box.perform(ControlRequest(.drill)).isDone)
        sos.caller.tell(.sent(LocalAlarm.Attempt(id: 1, channel: .text(0), content: .alert, isTest: true)))
        sos.caller.tell(.confirmed(0))
        sos.caller.tell(.ended(.drillOver([.text(0): true])))
        try await #require(eventually { await fixture.sos?.drill?.isOver == true })
        let lines = try #require(await fixture.box.status().drill(of: nil)).lines
        #expect(lines.contains("text Berta: sent") && lines.contains("text Berta: acknowledged"), "\(lines)")
        #expect(await fixture.sos?.alarm == nil)
        _ = try await fixture.stored()
    }

    @Test("SOS-9: a hook that is put into its folder while the agent runs is one that runs in an emergency")
    func newHook() async throws {
        let directory = try TemporaryDirectory(), state = try TemporaryDirectory(), folder = directory.url.path + "/sos.d"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        var configuration = AgentConfiguration(stateDirectory: state.url.path), programs = Hooks.Configuration()
        (configuration.modem.isEnabled, configuration.voice.isEnabled) = (false, false)
        programs.folder = folder
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let parts = SOSParts.ofBox(
            configuration: configuration, directory: try StateDirectory(state.url.path), hub: ScriptedSOSHub(.unreachable),
            announcer: Announcer(configuration, logger: logger), logger: logger, programs: programs)
        let ran = Mutex<[String]>([])
        let caller = parts.calling(
            LocalAlarm.Plan(recipients: [], hasSound: false, hasHooks: true), { _ in .unknown },
            { event in if case .hook(_, let report) = event, report.outcome == .succeeded { ran.withLock { $0.append(report.name) } } })
        #expect(parts.hooks().count == 0)
        try "#!/bin/sh\nexit 0\n".write(toFile: folder + "/10-lamp", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder + "/10-lamp")
        #expect(parts.hooks().count == 1)
        caller.raise(mode: .live, isUpdate: false, since: nil)
        #expect(try await eventually { ran.withLock { $0 } == ["10-lamp"] })
        caller.stop()
    }
}

import Alerts
import Distress
import Foundation
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// The box's own ways: hooks count after a test that went through, a modem as long as texts and calls leave.
@Suite(.timeLimit(.minutes(2)))
struct BoxWaysTests {
    private static let day: Milliseconds = 86_400_000
    private static func report(_ name: String, _ outcome: Hooks.Outcome = .succeeded) -> Hooks.Report {
        Hooks.Report(name: name, outcome: outcome, output: "", duration: 10)
    }
    private static func attempt(_ channel: LocalAlarm.Channel, id: UInt64 = 1) -> LocalAlarm.Attempt {
        LocalAlarm.Attempt(id: id, channel: channel, content: .alert, isTest: true)
    }

    static func modem(isReady: Bool) -> ModemStatus {
        ModemStatus(
            path: "/0", name: "Made-Up", canText: isReady, canCall: isReady, signal: isReady ? 60 : 0, network: isReady ? "Net" : "",
            problem: isReady ? nil : SourceProblem(what: "No network", advice: "Move it", retries: true, kind: .noNetwork), texts: [],
            isDisabled: false)
    }

    @Test("SOS-22: a hook counts for 30 days after a test in which it succeeded, and no other hook by that")
    func hooks() {
        var ways = BoxWays()
        func at(_ utc: Milliseconds) -> BoxWays.Now { .init(utc: utc, isConfirmed: true, boottime: utc - 500) }
        #expect(ways.proven(among: ["siren"], at: at(0)).isEmpty)
        ways.succeeded(hook: "siren", at: at(1000))
        #expect(ways.proven(among: ["siren", "lock"], at: at(1000 + 30 * Self.day - 1)) == ["siren"])
        #expect(ways.proven(among: ["siren"], at: at(1000 + 30 * Self.day)).isEmpty)
        let unset = BoxWays.Now(utc: -5 * Self.day, isConfirmed: false, boottime: 9)
        #expect(ways.proven(among: ["siren"], at: unset) == ["siren"], "a clock that was never set takes nothing away")
        #expect(ways.proven(among: ["siren"], at: at(1000 - 2 * Self.day)).isEmpty, "a proof of a day to come is of a wrong clock")
    }

    @Test("SOS-22: a hook that succeeded while nothing had confirmed the time counts by the boot clock, and for 30 days once it is known")
    func hooksWithoutTime() {
        var ways = BoxWays()
        func at(_ boottime: Milliseconds, confirmed utc: Milliseconds?) -> BoxWays.Now {
            .init(utc: utc ?? 400 * Self.day, isConfirmed: utc != nil, boottime: boottime)
        }
        ways.succeeded(hook: "siren", at: at(1000, confirmed: nil))
        #expect(ways.proven(among: ["siren"], at: at(2000, confirmed: nil)) == ["siren"])
        #expect(ways.proven(among: ["siren"], at: at(1000 + 30 * Self.day, confirmed: nil)).isEmpty)
        #expect(BoxWays(hooks: ways.kept(at: at(2000, confirmed: nil))).proven(among: ["siren"], at: at(5, confirmed: nil)) == ["siren"])
        let isChanged = ways.confirm(at: at(3000, confirmed: 9000))
        #expect(isChanged && ways.hooks == ["siren": 7000])
        #expect(ways.proven(among: ["siren"], at: at(0, confirmed: 7000 + 30 * Self.day - 1)) == ["siren"])
        #expect(ways.proven(among: ["siren"], at: at(0, confirmed: 7000 + 30 * Self.day)).isEmpty)
        let isChangedAgain = ways.confirm(at: at(4000, confirmed: 10_000))
        #expect(!isChangedAgain)
    }

    @Test(
        "SOS-22, SOS-18: with hooks alone a person is protected from a drill that went through until 30 days later, and is told within 60 s",
        arguments: 0..<WayTries.count())
    func hooksOfBox(number: Int) async throws {
        var random = SeededGenerator(seed: WayTries.seed(UInt64(number))), tries = WayTries("hooks of a box, no test in 30 days")
        defer { print(tries.line) }
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.reachesNobody = true }, settings: SOSFixture.settings(), proofs: [:])
        let fixture = try await sos.box()
        await fixture.rest(5)
        await fixture.fix()
        try await #require(eventually { await fixture.sos?.reasons == [.nobodyToCall] })
        #expect(await fixture.sos?.weaknesses.contains(.hooksUntested) == true)
        #expect(sos.caller.plan.hasHooks, "in an emergency they run all the same")
        #expect(sos.hub.reports.allSatisfy { $0.means == [] })
        #expect(await fixture.box.perform(ControlRequest(.drill)).isDone)
        sos.caller.tell(.hook(Self.attempt(.hooks), Self.report("hook0", .failed(code: 1))))
        sos.caller.tell(.hook(Self.attempt(.hooks), Self.report("other")))
        try await #require(eventually { await fixture.box.means.ways.proven(among: ["other"], at: fixture.box.context.wayTime).count == 1 })
        #expect(await fixture.sos?.reasons == [.nobodyToCall])
        sos.caller.tell(.hook(Self.attempt(.hooks), Self.report("hook0")))
        try await #require(eventually { await fixture.sos?.isProtected == true })
        let started = fixture.clock.now
        try await fixture.beats(70, most: 40) { sos.hub.reports.contains { $0.means == ["hook"] } }
        let path = fixture.directory.url.path
        try await #require(eventually { HookProofsFile.load(from: path)["hook0"] != nil })
        await fixture.rest(Int.random(in: 0..<60, using: &random))
        // 30 days later, less some seconds: then the minute begins.
        let left = Int.random(in: 20..<50, using: &random)
        let proven = try #require(HookProofsFile.load(from: path)["hook0"])
        let tested = proven + fixture.clock.now - started - 30 * Self.day + 1000 * Milliseconds(left)
        await fixture.box.means.succeeded(hook: "hook0", at: .init(utc: tested, isConfirmed: true, boottime: 0))
        var seconds = 0
        while await fixture.sos?.reasons.contains(.nobodyToCall) == false, seconds < 120 {
            await fixture.beat(70)
            seconds += 1
        }
        tries.add(seconds - left)
        #expect((left - 5...left + 30).contains(seconds), "\(seconds) of \(left)")
        _ = try await fixture.stored()
    }

    @Test("SOS-22, SOS-18: a modem whose texts and calls are refused is no way, until one leaves; an unanswered call is no fault of it")
    func modem() {
        let refused = SourceProblem(what: "Refused", advice: "Look", retries: true, kind: .refused)
        let untaken = SourceProblem(what: "Nobody took the call", advice: "Again", retries: true, kind: .notTaken)
        let noNetwork = SourceProblem(what: "No network", advice: "Wait", retries: true, kind: .noNetwork)
        var ways = BoxWays()
        ways.looked(modem: true, nil, at: 0)
        for time in 1...4 { ways.attempted(to: "a", untaken, at: Milliseconds(time)) }
        #expect(!ways.modem.isFailing(for: "a"))
        for name in ["a", "b"] { ways.attempted(to: name, noNetwork, at: 5) }
        #expect(!ways.modem.isFailing(for: "a"), "the next look tells, and tells when it is back")
        ways.attempted(to: "a", refused, at: 6)
        #expect(ways.modem.isFailing(for: "a") && !ways.modem.isFailing)
        ways.attempted(to: "b", refused, at: 7)
        ways.looked(modem: true, nil, at: 8)
        #expect(ways.modem.isFailing, "that it is registered does not prove that it sends")
        ways.attempted(to: "b", nil, at: 9)
        #expect(!ways.modem.isFailing && ways.modem.isFailing(for: "a"))
        ways.looked(modem: false, "no SIM", at: 10)
        ways.looked(modem: false, "no SIM", at: 11)
        #expect(ways.modem.failure?.what == "no SIM")
    }

    enum ModemFault: CaseIterable { case gone, noNetwork, refuses, hangs }

    @Test(
        "SOS-22, SOS-18: a box whose modem refuses its only contact is not protected without the hub, and says so within 60 s",
        arguments: 0..<ModemFault.allCases.count * WayTries.count(usually: 25))
    func modemOfBox(number: Int) async throws {
        let fault = ModemFault.allCases[number % ModemFault.allCases.count]
        var random = SeededGenerator(seed: WayTries.seed(UInt64(number))), tries = WayTries("modem of a box, \(fault)")
        defer { print(tries.line) }
        let sos = SOSFixture(hub: ScriptedSOSHub.answer { $0.reachesNobody = true }, settings: SOSFixture.settings(), hooks: 0)
        let fixture = try await sos.box()
        let modem = Self.modem(isReady: true)
        sos.caller.tell(.modems([modem], problem: nil))
        await fixture.rest(5)
        await fixture.fix()
        try await #require(eventually { await fixture.sos?.isProtected == true })
        await fixture.rest(Int.random(in: 0..<30, using: &random))
        // Each manner that a look or an attempt can see, in turn.
        switch fault {
        case .gone:
            sos.caller.tell(.modems([], problem: SourceProblem(what: "No modem", advice: "Plug it in", retries: true, kind: .noModem)))
        case .noNetwork:
            let gone = Self.modem(isReady: false)
            sos.caller.tell(.modems([gone], problem: nil))
        case .refuses:
            let refused = SourceProblem(what: "Refused", advice: "Look", retries: true, kind: .refused)
            #expect(await fixture.box.perform(ControlRequest(.drill)).isDone)
            sos.caller.tell(.failed(Self.attempt(.text(0)), refused))
        case .hangs:
            let hangs = SourceProblem(what: "The modem does not answer", advice: "Look", retries: true, kind: .modemHangs)
            #expect(await fixture.box.perform(ControlRequest(.drill)).isDone)
            sos.caller.tell(.failed(Self.attempt(.call(0)), hangs))
        }
        var seconds = 0
        while await fixture.sos?.reasons.contains(.nobodyToCall) == false, seconds < 120 {
            await fixture.beat(70)
            seconds += 1
        }
        tries.add(seconds)
        #expect(seconds <= WayTries.limit, "\(fault), try \(number): \(seconds)")
        try await #require(
            eventually {
                await fixture.beat(70)
                let last = sos.hub.reports.max { $0.revision < $1.revision }
                return last?.weaknesses?.contains("noOwnMeans") == true && last?.means == []
            })
        _ = try await fixture.stored()
    }
}

/// The box says that its hub is not heard.
@Suite(.timeLimit(.minutes(2)))
struct HubSilenceTests {
    private static let minute: Milliseconds = 60_000

    @Test(
        "SOS-22: a hub that is not heard is spoken of after a quarter of an hour, texted after the time that is set, and each once until it is back"
    )
    func value() {
        var silence = HubSilence(), told: [(Milliseconds, HubSilence.Effect)] = []
        func pass(_ minutes: ClosedRange<Milliseconds>, isHeard: Bool = false, canText: Bool = true, after: Milliseconds? = 120) {
            for minute in minutes {
                let found = silence.look(
                    isHeard: isHeard, canText: canText, textedAfter: after.map { $0 * Self.minute }, at: minute * Self.minute)
                told += found.map { (minute, $0) }
            }
        }
        pass(0...300)
        #expect(told.map(\.0) == [15, 120] && told.map(\.1) == [.speak, .text(120 * Self.minute)])
        pass(301...301, isHeard: true)
        pass(302...310, isHeard: true)
        #expect(told.count == 3 && told.last?.1 == .textBack)
        told = []
        pass(311...600, canText: false)
        #expect(told.map(\.1) == [.speak], "without a modem nobody can be texted,")
        pass(601...601)
        #expect(told.last?.1 == .text(290 * Self.minute), "and as soon as there is one they are")
        told = []
        pass(602...610, isHeard: true, canText: false)
        #expect(told.isEmpty, "the modem is away,")
        pass(611...620, isHeard: true)
        #expect(told.map(\.1) == [.textBack], "and says it when it is back, once")
        silence = HubSilence()
        told = []
        pass(0...5000, after: nil)
        #expect(told.map(\.1) == [.speak])
    }

    @Test("SOS-22, SOS-18: a box whose hub is dead texts that to its contacts in their language, and that it is back")
    func texted() async throws {
        let sos = SOSFixture(settings: SOSFixture.settings()), fixture = try await sos.box()
        sos.caller.tell(.modems([BoxWaysTests.modem(isReady: true)], problem: nil))
        try await #require(eventually { await fixture.box.means.modem.canText })
        func notified() -> [String] { sos.caller.asked.compactMap { if case .notified(let text) = $0 { text } else { nil } } }
        for _ in 0..<119 {
            fixture.clock.advance(Self.minute)
            await fixture.box.tick()
        }
        #expect(notified().isEmpty)
        for _ in 0..<5 {
            fixture.clock.advance(Self.minute)
            await fixture.box.tick()
        }
        #expect(notified().count == 1 && notified()[0].contains("Ada Example") && notified()[0].contains("da 2 h"), "\(notified())")
        // It did not leave: the modem is no way to her any more.
        let refused = SourceProblem(what: "Refused", advice: "Look", retries: true, kind: .refused)
        sos.caller.tell(.noticed(0, refused))
        try await #require(eventually { await fixture.box.means.ways.modem.isFailing(for: "+39 333 1112222") })
        sos.hub.mode = ScriptedSOSHub.answer()
        try await #require(
            eventually {
                fixture.clock.advance(1000)
                await fixture.box.tick()
                return notified().count == 2
            })
        #expect(notified()[1].contains("di nuovo"), "\(notified())")
        _ = try await fixture.stored()
    }
}

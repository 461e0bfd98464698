import Foundation
import Languages
import Sensing
import SourceThread
import SystemBus
import TestSupport
import Testing

@testable import Peripherals

/// A box with a loudspeaker that nobody hears, a hook that keeps what it reads, and a real ModemManager where a test has one.
private final class CallingBox {
    let caller: LocalCaller
    private let directory: TemporaryDirectory
    private let events: AsyncStream<(Int64, LocalCaller.Event)>
    private(set) var seen: [(time: Int64, event: LocalCaller.Event)] = []
    private var iterator: AsyncStream<(Int64, LocalCaller.Event)>.Iterator

    init(_ recipients: [LocalAlarm.Recipient], bus: BusAddress? = nil, player: [String] = ["true"], hook: String = "cat >>$FILE") throws {
        directory = try TemporaryDirectory()
        let folder = directory.url.path + "/sos.d"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let text = "#!/bin/sh\nFILE=\(directory.url.path)/words\necho \"$TRACKME_SOS $TRACKME_SOS_TEST\" >>$FILE\n\(hook)\n"
        try text.write(toFile: folder + "/10-keep", atomically: true, encoding: .utf8)
        chmod(folder + "/10-keep", 0o755)
        let (events, feed) = AsyncStream.makeStream(of: (Int64, LocalCaller.Event).self)
        self.events = events
        iterator = events.makeAsyncIterator()
        var sound = Voice.Configuration()
        sound.players = [["sh", "-c", "sleep 0.2; exec \(player.joined(separator: " "))"]]
        var phone = ModemCaller.Configuration()
        (phone.ringLimit, phone.keyLimit, phone.callLimit) = (8000, 3000, 3000)
        phone.audioDevice = "modem"
        phone.player = ["true"]
        var programs = Hooks.Configuration()
        programs.folder = folder
        var plan = LocalAlarm.Plan(recipients: recipients)
        (plan.firstRetry, plan.callPause) = (500, 100)
        caller = LocalCaller(
            plan: plan, voice: Voice(configuration: sound),
            modem: bus.map { bus in { [phone] in ModemCaller(bus: bus, configuration: phone, sink: $0) } },
            hooks: { [programs] in Hooks(configuration: programs, sink: $0) },
            render: { attempt in
                let mark = attempt.isTest ? "TEST " : ""
                return .init(
                    text: "\(mark)\(attempt.content)", speech: .init("\(mark)help", language: .english), announcement: nil,
                    json: Array("{\"test\":\(attempt.isTest)}\n".utf8))
            },
            sink: { feed.yield((Boottime.now(), $0)) })
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { feed.finish() }
        try caller.start()
    }

    @discardableResult
    func next(where isWanted: (LocalCaller.Event) -> Bool) async -> LocalCaller.Event? {
        while let (time, event) = await iterator.next() {
            seen.append((time, event))
            if isWanted(event) { return event }
        }
        Issue.record("it never came, but last: \(seen.suffix(4))")
        return nil
    }

    var words: String { (try? String(contentsOf: directory.url.appendingPathComponent("words"), encoding: .utf8)) ?? "" }
}

@Suite(.serialized, .timeLimit(.minutes(3))) struct LocalCallerTests {
    private let ada = [PhoneNumber("+39 333 111 2222")].compactMap(\.self).map { LocalAlarm.Recipient(name: "Ada", number: $0) }

    @Test("SOS-5: an alarm has started every channel within half a second, a hundred times")
    func soon() async throws {
        let box = try CallingBox([])
        var delays: [Int64] = []
        for _ in 0..<100 {
            let start = Boottime.now()
            box.caller.raise(mode: .live)
            await box.next { if case .started(let attempt) = $0 { attempt.channel == .hooks } else { false } }
            delays.append((box.seen.last?.time ?? .max) - start)
            await box.next { if case .sent(let attempt) = $0 { attempt.channel == .hooks } else { false } }
            box.caller.stop()
            await box.next { if case .ended = $0 { true } else { false } }
        }
        #expect(delays.sorted()[98] < 500, "median \(delays.sorted()[50]) ms, worst \(delays.max() ?? -1) ms")
        #expect(box.words.hasPrefix("alert no\n{\"test\":false}\n"))
    }

    @Test("SOS-9: without a modem it sounds and runs hooks, tells what is missing, goes on trying, and ends when it is stopped")
    func withoutModem() async throws {
        let box = try CallingBox(ada)
        box.caller.raise(mode: .live)
        await box.next { if case .failed(let attempt, _) = $0 { attempt.channel == .text(0) && attempt.id > 5 } else { false } }
        func isHeard(_ event: LocalCaller.Event) -> Bool { if case .sent(let attempt) = event { attempt.channel == .sound } else { false } }
        if !box.seen.contains(where: { isHeard($0.event) }) { await box.next(where: isHeard) }
        box.caller.stop()
        await box.next { $0 == .ended(.stopped) }
        await box.next { if case .sent(let attempt) = $0 { attempt.content == .standDown && attempt.channel == .hooks } else { false } }
        #expect(box.words.contains("stand-down no"))
    }

    @Test("SOS-7, SOS-19: a yes of before the alarm is told and ends nothing; one of now ends it; in a test it is shown and ends nothing")
    func writtenAnswers() async throws {
        let box = try CallingBox(ada), number = ada[0].number, now = WallClock.now()
        box.caller.raise(mode: .live)
        await box.next { if case .started = $0 { true } else { false } }
        box.caller.later { $0.take(.reply(from: number, text: "OK", sentAt: now - 600_000)) }
        let old = await box.next { if case .oldAnswer(0, _) = $0 { true } else { false } }
        if case .oldAnswer(_, let problem) = old { #expect(problem.what.contains("before this alarm")) }
        box.caller.later { $0.take(.reply(from: number, text: "OK", sentAt: now)) }
        await box.next { $0 == .ended(.acknowledged(by: 0)) }
        #expect(!box.seen.contains { $0.event == .confirmed(0) })
        box.caller.raise(mode: .drill)
        await box.next { if case .started(let attempt) = $0 { attempt.isTest } else { false } }
        for _ in 0..<2 { box.caller.later { $0.take(.reply(from: number, text: "OK", sentAt: now)) } }
        await box.next { $0 == .confirmed(0) }
        await box.next { if case .ended(.drillOver) = $0 { true } else { false } }
        #expect(box.seen.count { $0.event == .confirmed(0) } == 1)
    }

    @Test("SOS-7: after a restart an answer counts that was sent since the case began")
    func since() async throws {
        let box = try CallingBox(ada), number = ada[0].number, now = WallClock.now()
        box.caller.raise(mode: .live, isUpdate: true, since: now - 1_200_000)
        await box.next { if case .started = $0 { true } else { false } }
        box.caller.later { $0.take(.reply(from: number, text: "OK", sentAt: now - 1_300_000, wasThere: true)) }
        await box.next { if case .oldAnswer = $0 { true } else { false } }
        box.caller.later { $0.take(.reply(from: number, text: "OK", sentAt: now - 600_000, wasThere: true)) }
        await box.next { $0 == .ended(.acknowledged(by: 0)) }
    }

    @Test("SOS-7: what lay on the SIM answers no new alarm, and none of a box whose clock was never set", arguments: [true, false])
    func lay(isUpdate: Bool) async throws {
        let box = try CallingBox(ada), number = ada[0].number
        box.caller.raise(mode: .live, isUpdate: isUpdate, since: isUpdate ? 5000 : nil)
        await box.next { if case .started = $0 { true } else { false } }
        box.caller.later { $0.take(.reply(from: number, text: "OK", sentAt: WallClock.now(), wasThere: true)) }
        await box.next { if case .oldAnswer = $0 { true } else { false } }
        box.caller.stop()
        await box.next { $0 == .ended(.stopped) }
    }

    @Test("SOS-20: the end of a case is told in writing after the calls had ended, and by nothing else")
    func standDown() async throws {
        let box = try CallingBox([])
        box.caller.standDown()
        await box.next { if case .sent(let attempt) = $0 { attempt.channel == .hooks } else { false } }
        #expect(box.words == "stand-down no\n{\"test\":false}\n")
        #expect(!box.seen.contains { if case .started(let attempt) = $0.event { attempt.content != .standDown } else { false } })
    }

    @Test("SOS-20: whoever took it before a restart or at another box is asked as well, by the plan as it is now, and their yes counts")
    func asked() async throws {
        let box = try CallingBox(ada), number = ada[0].number
        func isAsked(_ place: Int) -> (LocalCaller.Event) -> Bool {
            { if case .started(let attempt) = $0 { attempt.content == .question && attempt.channel == .text(place) } else { false } }
        }
        box.caller.ask(0)
        await box.next(where: isAsked(0))
        box.caller.later { $0.take(.reply(from: number, text: "OK", sentAt: WallClock.now())) }
        await box.next { $0 == .answered(0) }
        #expect(!box.seen.contains { if case .started(let attempt) = $0.event { attempt.content != .question } else { false } })
        // Contacts changed after this box had called.
        box.caller.raise(mode: .live)
        await box.next { if case .started = $0 { true } else { false } }
        box.caller.ask(0)
        box.caller.later { $0.take(.reply(from: number, text: "OK", sentAt: WallClock.now())) }
        await box.next { $0 == .ended(.acknowledged(by: 0)) }
        let berta = try #require(PhoneNumber("+39 333 444 5555"))
        box.caller.change(LocalAlarm.Plan(recipients: [.init(name: "Berta", number: berta)] + ada))
        box.caller.ask(1)
        await box.next(where: isAsked(1))
        box.caller.later { $0.take(.reply(from: number, text: "OK", sentAt: WallClock.now())) }
        await box.next { $0 == .answered(1) }
        #expect(box.seen.count { if case .answered = $0.event { true } else { false } } == 2, "who calls is asked nothing")
    }

    @Test("SOS-7: a hook that fails is run again")
    func hooks() async throws {
        let box = try CallingBox([], hook: "[ $(grep -c no $FILE) -ge 3 ]")
        box.caller.raise(mode: .live)
        await box.next { if case .sent(let attempt) = $0 { attempt.channel == .hooks } else { false } }
        #expect(box.words == "alert no\nupdate no\nupdate no\n")
        box.caller.stop()
    }

    @Test(
        "SOS-9: text, call, sound and hooks go out by the box alone; the key 1 ends the alarm, and who was told hears that it is over",
        .enabled(if: !ModemManagerRig.isMissing, "there is no ModemManager here (make test-modem)"))
    func all() async throws {
        let rig = try ModemManagerRig()
        let box = try CallingBox(ada, bus: rig.session.address)
        let modem = try rig.plug(.init(keys: "1"))
        await box.next { if case .modems(let modems, nil) = $0 { modems.contains(where: \.canText) } else { false } }
        box.caller.raise(mode: .live)
        await box.next { $0 == .ended(.acknowledged(by: 0)) }
        await box.next { if case .delivered(let attempt) = $0 { attempt.content == .standDown } else { false } }
        func isToldByHooks(_ event: LocalCaller.Event) -> Bool {
            if case .sent(let attempt) = event { attempt.channel == .hooks && attempt.content == .standDown } else { false }
        }
        if !box.seen.contains(where: { isToldByHooks($0.event) }) { await box.next(where: isToldByHooks) }
        #expect(modem.messages.count == 2 && modem.dialled.count == 1)
        #expect(box.words.contains("alert no") && box.words.contains("stand-down no"))
    }

    @Test(
        "SOS-19: a drill tries every channel once, marked as a test, and says what worked",
        .enabled(if: !ModemManagerRig.isMissing, "there is no ModemManager here (make test-modem)"))
    func drill() async throws {
        let rig = try ModemManagerRig()
        let box = try CallingBox(ada, bus: rig.session.address)
        let modem = try rig.plug(.init(keys: "1"))
        await box.next { if case .modems(let modems, nil) = $0 { modems.contains(where: \.canText) } else { false } }
        box.caller.raise(mode: .drill)
        let end = await box.next { if case .ended = $0 { true } else { false } }
        #expect(end == .ended(.drillOver([.sound: true, .hooks: true, .text(0): true, .call(0): true])))
        #expect(modem.messages.count == 1 && box.words == "alert yes\n{\"test\":true}\n")
    }

    @Test(
        "SOS-20: a call that is answered without the key 1, as a mailbox does, takes nothing and is told as failed",
        .enabled(if: !ModemManagerRig.isMissing, "there is no ModemManager here (make test-modem)"))
    func mailbox() async throws {
        let rig = try ModemManagerRig()
        let box = try CallingBox(ada, bus: rig.session.address)
        _ = try rig.plug(.init(callStates: [2, 3, 0], keys: "92"))
        await box.next { if case .modems(let modems, nil) = $0 { modems.contains(where: \.canText) } else { false } }
        box.caller.raise(mode: .live)
        for _ in 0..<2 {
            let failed = await box.next { if case .failed(let attempt, _) = $0 { attempt.channel == .call(0) } else { false } }
            if case .failed(_, let problem) = failed { #expect(problem.kind == .notTaken && problem.what.contains("nobody pressed 1")) }
        }
        #expect(!box.seen.contains { if case .ended = $0.event { true } else { false } })
        box.caller.stop()
        await box.next { $0 == .ended(.stopped) }
    }

    @Test(
        "SOS-24, SOS-19: a test holds up no text outside of alarms, and one that did not leave is sent when the modem is there",
        .enabled(if: !ModemManagerRig.isMissing, "there is no ModemManager here (make test-modem)"))
    func notice() async throws {
        let rig = try ModemManagerRig()
        let box = try CallingBox(ada, bus: rig.session.address)
        box.caller.raise(mode: .drill)
        box.caller.notify { "pause \($0)" }
        await box.next { if case .noticed(0, .some) = $0 { true } else { false } }
        let modem = try rig.plug(.init(keys: "1"))
        await box.next { $0 == .noticed(0, nil) }
        // PDUs; in the alphabet of GSM 03.38, packed.
        #expect(modem.messages.count { $0.contains("F0707D5E06C1") } == 1, "\(modem.messages)")
    }

    @Test("SOS-7: an answer in writing counts where a person means it, and not where a phone answers by itself")
    func answers() {
        #expect(["1", " OK!", "Okay.", "sì", "\nYes"].allSatisfy { LocalCaller.isYes($0) })
        #expect(!["", "I'm driving right now", "10", "Okra", "I am out of office. OK?"].contains { LocalCaller.isYes($0) })
        #expect(!["OK but I cannot come", "Si è sbagliato numero", "Ok arrivo"].contains { LocalCaller.isYes($0) })
    }

    @Test("SOS-7: an answer to last week's drill does not end today's alarm")
    func oldAnswers() {
        #expect(ModemTime.utc("1970-01-02T01:00:01+01:00") == 86_401_000)
        #expect(ModemTime.utc("2026-11-21T10:15:20-03") == ModemTime.utc("2026-11-21T13:15:20Z"))
        #expect(ModemTime.utc("2024-02-29T00:00:00+00") == 1_709_164_800_000)
        #expect(["", "today", "2026-13-01T00:00:00Z", "2026-11-21T10:15:20+x"].allSatisfy { ModemTime.utc($0) == nil })
        #expect(LocalCaller.isOld(0, raisedAt: 600_000) && !LocalCaller.isOld(500_000, raisedAt: 600_000))
        #expect(!LocalCaller.isOld(nil, raisedAt: 600_000))
    }
}

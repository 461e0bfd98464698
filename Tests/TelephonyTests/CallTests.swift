import Foundation
import Synchronization
import Testing

@testable import Telephony

/// Calls through a real baresip and a real trunk (Kamailio), to telephones of three other makes: baresip, Linphone, SIPp.
@Suite(.serialized, .enabled(if: Rig.isInstalled, "baresip, kamailio, sipp, linphonec and espeak-ng are needed: `make test-voice`"))
struct CallTests {
    private static let message = SpokenMessage(
        text: "This is an automatic emergency call for Maria Rossi. Press 1 to help. The heart rate is too high.", between: "I repeat.",
        thanks: "Thank you. You have taken this alarm.", late: "Somebody else has taken this alarm.", language: "en")

    /// Lines that are registered, or that say why not.
    private func lines(_ trunk: Trunk, count: Int = 1) async throws -> TelephoneLines {
        let lines = try TelephoneLines(trunk, count: count)
        lines.start()
        return lines
    }

    private func ready(_ trunk: Trunk, count: Int = 1) async throws -> TelephoneLines {
        let lines = try await lines(trunk, count: count)
        let isReady = try await comes { lines.condition == .ready(lines: count) }
        try #require(isReady, "\(lines.condition)")
        return lines
    }

    private func loudness(_ samples: some Collection<Int16>) -> Double {
        (samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))).squareRoot()
    }

    /// How alike two rows of values are, from -1 to 1 (Pearson's coefficient).
    private func likeness(_ a: [Double], _ b: [Double]) -> Double {
        func less(_ values: [Double]) -> [Double] {
            let mean = values.reduce(0, +) / Double(values.count)
            return values.map { $0 - mean }
        }
        func product(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
        let (x, y) = (less(a), less(b))
        return product(x, y) / ((product(x, x) * product(y, y)).squareRoot() + 1)
    }

    @Test("SOS-23: a call by the trunk is heard by another baresip, word for word and twice, and its key 1 (RFC 4733) takes it")
    func taken() async throws {
        let trunk = try await KamailioTrunk(), telephone = try await BaresipTelephone("+391111111", at: trunk)
        let lines = try await ready(trunk.account())
        let asked = Mutex(0)
        async let outcome = lines.call(
            telephone.number, saying: Self.message,
            taken: {
                asked.withLock { $0 += 1 }
                return true
            })
        try #require(await telephone.isAnswered())
        let folder = try PrivateFolder()
        let text = try Speech().sound(Self.message.text, language: "en", in: folder)
        let between = try Speech().sound(Self.message.between, language: "en", in: folder)
        let second = Sound.lead + text.milliseconds + 2 * Sound.pause + between.milliseconds
        // Both times are over.
        try await Task.sleep(for: .milliseconds(second + text.milliseconds + 1500))
        telephone.press("1")
        let ended = await outcome
        #expect(ended == .taken)
        #expect(try await comes { asked.withLock { $0 } == 1 })
        // The thanks are said, and the line hangs up by itself.
        let heard = try await whole(telephone)
        #expect(heard.count > (second + text.milliseconds) * 8)
        let words = envelope(text.samples), all = envelope(heard)
        let first = try #require(place(of: words, in: all, from: 0, to: 150))
        let again = try #require(place(of: words, in: all, from: first + 50, to: all.count))
        #expect(abs((again - first) * 20 - (second - Sound.lead)) < 500, "\(first) \(again)")
        #expect(loudness(heard[(first * 160)..<(first * 160 + text.samples.count)]) > 1000)
        await lines.stop()
    }

    /// The loudness of each 20 ms, as a packet holds them: a packet that comes late changes little of it.
    private func envelope(_ samples: [Int16]) -> [Double] {
        stride(from: 0, to: samples.count - 160, by: 160).map { loudness(samples[$0..<$0 + 160]) }
    }

    /// Where the words are heard; nil where nothing is like them.
    private func place(of words: [Double], in heard: [Double], from: Int, to: Int) -> Int? {
        let last = min(to, heard.count - words.count)
        guard from <= last else { return nil }
        let best = (from...last).map { ($0, likeness(Array(heard[$0..<$0 + words.count]), words)) }.max { $0.1 < $1.1 }
        return best.flatMap { $0.1 > 0.8 ? $0.0 : nil }
    }

    private func whole(_ telephone: BaresipTelephone) async throws -> [Int16] {
        #expect(try await comes { telephone.isOver })
        return try telephone.heard()
    }

    @Test("SOS-23: Linphone answers, and its key 1 takes the call; another key before it does not")
    func linphone() async throws {
        let trunk = try await KamailioTrunk(), telephone = try await LinphoneTelephone("+392222222", at: trunk)
        let lines = try await ready(trunk.account())
        let asked = Mutex(0)
        async let outcome = lines.call(
            telephone.number, saying: Self.message,
            taken: {
                asked.withLock { $0 += 1 }
                return false
            })
        try #require(await telephone.isAnswered(), "\(telephone.log)")
        try await Task.sleep(for: .seconds(2))
        try telephone.press("5")
        try await Task.sleep(for: .seconds(2))
        #expect(asked.withLock { $0 } == 0)
        try telephone.press("1")
        let ended = await outcome
        #expect(ended == .taken)
        #expect(try await comes { asked.withLock { $0 } == 1 })
        await lines.stop()
    }

    @Test("SOS-23: key 1 by SIP INFO takes the call")
    func info() async throws {
        let trunk = try await KamailioTrunk()
        let telephone = try await SIPpTelephone(
            SIPpTelephone.takesUp + [SIPpTelephone.pause(1500)] + SIPpTelephone.info("1") + SIPpTelephone.isHungUp)
        let lines = try await ready(trunk.account())
        #expect(await lines.call(telephone.number, saying: Self.message) == .taken)
        #expect(try await telephone.ended(), "\(telephone.errors)")
        await lines.stop()
    }

    @Test("SOS-23: a wrong key takes nothing, and neither does who listens and hangs up")
    func wrongKey() async throws {
        let trunk = try await KamailioTrunk()
        let telephone = try await SIPpTelephone(
            SIPpTelephone.takesUp + [SIPpTelephone.pause(1500)] + SIPpTelephone.info("7") + [SIPpTelephone.pause(1500)]
                + SIPpTelephone.hangsUp)
        let lines = try await ready(trunk.account())
        #expect(await lines.call(telephone.number, saying: Self.message) == .noKey(pressed: "7"))
        await lines.stop()
    }

    @Test("SOS-23: a voicemail answers and presses nothing: the line hangs up after 60 s and is free for the next")
    func voicemail() async throws {
        let trunk = try await KamailioTrunk()
        let telephone = try await SIPpTelephone(SIPpTelephone.takesUp + SIPpTelephone.isHungUp)
        let lines = try await ready(trunk.account())
        let clock = ContinuousClock(), start = clock.now
        #expect(await lines.call(telephone.number, saying: Self.message) == .noKey(pressed: ""))
        #expect(start.duration(to: clock.now) > .seconds(59))
        #expect(try await telephone.ended(), "\(telephone.errors)")
        await busy(lines)
        await lines.stop()
    }

    private func busy(_ lines: TelephoneLines) async {
        do {
            let telephone = try await SIPpTelephone([SIPpTelephone.answer("486 Busy Here"), "<recv request=\"ACK\"/>"])
            let outcome = await lines.call(telephone.number, saying: Self.message)
            #expect(outcome == .busy, "\(outcome); \(lines.condition)")
            #expect(try await telephone.ended(), "\(telephone.errors)")
        } catch { Issue.record(error) }
    }

    @Test("SOS-23: a telephone that rings is given up after 30 s, with a CANCEL; busy is told at once")
    func noAnswer() async throws {
        let trunk = try await KamailioTrunk()
        let telephone = try await SIPpTelephone([
            SIPpTelephone.answer("180 Ringing"), "<recv request=\"CANCEL\" timeout=\"60000\"/>", SIPpTelephone.answer("200 OK"),
        ])
        let lines = try await ready(trunk.account())
        let clock = ContinuousClock(), start = clock.now
        #expect(await lines.call(telephone.number, saying: Self.message) == .noAnswer)
        let rang = start.duration(to: clock.now)
        #expect(rang > .seconds(29) && rang < .seconds(60), "\(rang)")
        #expect(try await comes { telephone.messages.contains("CANCEL sip:") })
        await busy(lines)
        await lines.stop()
    }

    @Test("SOS-23: a wrong password is told as what it is, and nobody is called")
    func unregistered() async throws {
        let trunk = try await KamailioTrunk(), telephone = try await SIPpTelephone([SIPpTelephone.answer("180 Ringing")])
        let lines = try await lines(trunk.account(password: "wrong"))
        let isTold = try await comes { if case .failed(let why) = lines.condition { why.contains("401") } else { false } }
        #expect(isTold, "\(lines.condition)")
        guard case .lineFailed(let why) = await lines.call(telephone.number, saying: Self.message) else {
            Issue.record("it called")
            return
        }
        #expect(why.contains("refuses the registration") && telephone.messages.isEmpty)
        await lines.stop()
    }

    @Test("SOS-23, SOS-22: a trunk that dies is seen by the probe; calls fail at once then; when it is back they go through")
    func deadTrunk() async throws {
        let trunk = try await KamailioTrunk()
        let lines = try await ready(trunk.account())
        trunk.end()
        let clock = ContinuousClock(), start = clock.now
        let isSeen = try await comes(within: 90) { lines.condition != .ready(lines: 1) }
        #expect(isSeen && start.duration(to: clock.now) < .seconds(60), "\(start.duration(to: clock.now)) \(lines.condition)")
        let asked = clock.now
        guard case .lineFailed = await lines.call("+39111", saying: Self.message) else {
            Issue.record("it called")
            return
        }
        #expect(asked.duration(to: clock.now) < .seconds(2))
        let back = try await KamailioTrunk(port: trunk.port)
        let isBack = try await comes(within: 120) { lines.condition == .ready(lines: 1) }
        #expect(isBack)
        await busy(lines)
        withExtendedLifetime(back) {}
        await lines.stop()
    }

    @Test("SOS-23: a trunk that dies amid the dialling is given up after 15 s, before its registration fails")
    func diesDialling() async throws {
        let trunk = try await KamailioTrunk()
        let lines = try await ready(trunk.account())
        trunk.end()
        let clock = ContinuousClock(), start = clock.now
        guard case .lineFailed(let why) = await lines.call("+39111", saying: Self.message) else {
            Issue.record("it called")
            return
        }
        #expect(why.contains("does not answer a call") && start.duration(to: clock.now) < .seconds(25), "\(why)")
        await lines.stop()
    }

    @Test("SOS-23: a baresip that is killed is started again, and registers again; a call that ran says that the line died")
    func killed() async throws {
        let trunk = try await KamailioTrunk()
        let telephone = try await SIPpTelephone([SIPpTelephone.answer("180 Ringing"), SIPpTelephone.pause(60_000)])
        let lines = try await ready(trunk.account())
        async let outcome = lines.call(telephone.number, saying: Self.message)
        #expect(try await comes { telephone.messages.contains("180 Ringing") })
        let id = try #require(lines.processes.first)
        kill(id, SIGKILL)
        guard case .lineFailed(let why) = await outcome else {
            Issue.record("it went on")
            return
        }
        #expect(why.contains("baresip"), "\(why)")
        let isBack = try await comes { lines.condition == .ready(lines: 1) && lines.processes.first != id }
        #expect(isBack)
        await busy(lines)
        await lines.stop()
    }

    @Test("SOS-23: two calls take two lines; a third waits for one of them; by TCP as well")
    func sideBySide() async throws {
        let trunk = try await KamailioTrunk()
        let lines = try await ready(trunk.account(transport: .tcp), count: 2)
        let telephones = try await [
            SIPpTelephone(SIPpTelephone.takesUp + [SIPpTelephone.pause(4000)] + SIPpTelephone.info("1") + SIPpTelephone.isHungUp),
            SIPpTelephone(SIPpTelephone.takesUp + [SIPpTelephone.pause(4000)] + SIPpTelephone.info("1") + SIPpTelephone.isHungUp),
            SIPpTelephone(SIPpTelephone.takesUp + [SIPpTelephone.pause(1000)] + SIPpTelephone.info("1") + SIPpTelephone.isHungUp),
        ]
        let outcomes = await withTaskGroup(of: CallOutcome.self) { group in
            for telephone in telephones { group.addTask { await lines.call(telephone.number, saying: Self.message) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == [.taken, .taken, .taken])
        for telephone in telephones { #expect(try await telephone.ended(), "\(telephone.errors)") }
        await lines.stop()
    }

    @Test("SOS-23: a call that nobody needs any more stops ringing; after a stop nothing is left of a line")
    func recalled() async throws {
        let trunk = try await KamailioTrunk()
        let telephone = try await SIPpTelephone([
            SIPpTelephone.answer("180 Ringing"), "<recv request=\"CANCEL\" timeout=\"20000\"/>", SIPpTelephone.answer("200 OK"),
        ])
        let lines = try await ready(trunk.account())
        let isWanted = Mutex(true)
        async let outcome = lines.call(telephone.number, saying: Self.message, isWanted: { isWanted.withLock { $0 } })
        #expect(try await comes { telephone.messages.contains("180 Ringing") })
        isWanted.withLock { $0 = false }
        #expect(await outcome == .recalled)
        let id = try #require(lines.processes.first)
        await lines.stop()
        #expect(kill(id, 0) != 0 && lines.processes.isEmpty)
    }
}

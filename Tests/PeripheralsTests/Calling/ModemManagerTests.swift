import Foundation
import Languages
import Sensing
import SourceThread
import Synchronization
import SystemBus
import Testing

@testable import Peripherals

/// What the modem told, in order, for one test to wait on.
private struct Phone {
    let caller: ModemCaller
    private var events: AsyncStream<ModemCaller.Event>.Iterator
    private(set) var seen: [ModemCaller.Event] = []

    init(_ bus: BusAddress, seconds: Double = 30, _ change: (inout ModemCaller.Configuration) -> Void = { _ in }) throws {
        var configuration = ModemCaller.Configuration()
        change(&configuration)
        let (stream, feed) = AsyncStream.makeStream(of: ModemCaller.Event.self, bufferingPolicy: .bufferingOldest(512))
        caller = ModemCaller(bus: bus, configuration: configuration) { feed.yield($0) }
        events = stream.makeAsyncIterator()
        // A test that waits for what never comes shall say so.
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { feed.finish() }
        try caller.start()
    }

    @discardableResult
    mutating func next(where isWanted: (ModemCaller.Event) -> Bool) async -> ModemCaller.Event? {
        while let event = await events.next() {
            seen.append(event)
            if isWanted(event) { return event }
        }
        Issue.record("it never came, but last: \(seen.suffix(4))")
        return nil
    }

    mutating func isReady(_ count: Int = 1) async {
        await next {
            if case .modems(let modems, nil) = $0 { return modems.filter(\.canText).count == count }
            return false
        }
    }

    /// Until modems or the lack of them are explained by words that hold `text`.
    mutating func problem(with text: String) async -> SourceProblem? {
        func found(_ modems: [ModemStatus], _ problem: SourceProblem?) -> SourceProblem? {
            (modems.map(\.problem) + [problem]).compactMap(\.self).first { $0.what.contains(text) }
        }
        let event = await next {
            if case .modems(let modems, let problem) = $0 { return found(modems, problem) != nil }
            return false
        }
        if case .modems(let modems, let problem) = event { return found(modems, problem) }
        return nil
    }

    mutating func end(of id: UInt64) async -> ModemCaller.CallEnd? {
        let event = await next { if case .ended(id, _) = $0 { true } else { false } }
        if case .ended(_, let end) = event { return end }
        return nil
    }

    mutating func failure(of id: UInt64) async -> ModemCaller.Failure? {
        let event = await next { if case .textFailed(id, _) = $0 { true } else { false } }
        if case .textFailed(_, let failure) = event { return failure }
        return nil
    }
}

@Suite(
    .enabled(if: !ModemManagerRig.isMissing, "there is no ModemManager here (make test-modem)"), .serialized, .timeLimit(.minutes(3)))
struct ModemManagerTests {
    private let contact = PhoneNumber("+39 333 111 2222") ?? PhoneNumber("000")!
    private let prompt = Voice.Prompt("This is a test. A person needs help.", language: .english)

    @Test("SOS-9: a modem that is off is switched on; long texts go as parts, many at once, and the network's reports are told")
    func text() async throws {
        let rig = try ModemManagerRig()
        var phone = try Phone(rig.session.address)
        let modem = try rig.plug()
        await phone.isReady()
        phone.caller.text(7, to: contact, String(repeating: "HELP. ", count: 40))
        await phone.next { $0 == .textSent(7) }
        #expect(modem.messages.count == 2)
        await phone.next { $0 == .textDelivered(7) }
        phone.caller.text(8, to: contact, "Aiuto: perché")
        await phone.next { $0 == .textDelivered(8) }
        #expect(modem.messages.count == 3)
        for id in 10..<16 as Range<UInt64> { phone.caller.text(id, to: contact, "HELP \(id)") }
        var delivered: Set<UInt64> = []
        while delivered.count < 6 {
            guard case .textDelivered(let id)? = await phone.next(where: { if case .textDelivered = $0 { true } else { false } }) else {
                break
            }
            delivered.insert(id)
        }
        #expect(modem.messages.count == 9)
    }

    @Test("SOS-9: a text that the network refuses, and one that it never answers, are told with what to do")
    func textFails() async throws {
        let rig = try ModemManagerRig()
        var phone = try Phone(rig.session.address) { $0.textLimit = 3000 }
        let modem = try rig.plug(.init(textError: 331))
        await phone.isReady()
        phone.caller.text(1, to: contact, "HELP")
        let refused = await phone.failure(of: 1)
        #expect(refused?.mayHaveArrived == false && refused?.problem.advice.contains("signal") == true, "\(refused as Any)")
        #expect(refused?.problem.what.contains("3331112222") == false)
        modem.script.withLock { ($0.textError, $0.textsHang) = (nil, true) }
        phone.caller.text(2, to: contact, "HELP")
        let silent = await phone.failure(of: 2)
        #expect(silent?.mayHaveArrived == true)
    }

    @Test("SOS-9: a call rings, is answered, hears words again and again, and the key 1 acknowledges it")
    func call() async throws {
        let rig = try ModemManagerRig()
        let played = FileManager.default.temporaryDirectory.appendingPathComponent("trackme-played-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: played) }
        var phone = try Phone(rig.session.address) { configuration in
            configuration.audioDevice = "modem"
            configuration.player = ["/bin/sh", "-c", "wc -c <\"$1\" >>\(played)"]
        }
        let modem = try rig.plug(.init(keys: "51"))
        await phone.isReady()
        phone.caller.call(3, to: contact, saying: prompt)
        await phone.next { $0 == .answered(3) }
        await phone.next { $0 == .acknowledged(3) }
        #expect(phone.seen.contains(.ringing(3)))
        for _ in 0..<400 where ((try? String(contentsOfFile: played, encoding: .utf8)) ?? "").split(separator: "\n").count < 2 {
            try await Task.sleep(for: .milliseconds(50))
        }
        modem.say("NO CARRIER")
        #expect(await phone.end(of: 3) == .acknowledged)
        #expect(modem.dialled == ["+393331112222"])
    }

    @Test(
        "SOS-7: refused, not answered, taken but not acknowledged, broken and cancelled calls are told apart; nobody stays on the line of a box that ends"
    )
    func calls() async throws {
        let rig = try ModemManagerRig()
        var phone = try Phone(rig.session.address, seconds: 90) { ($0.ringLimit, $0.keyLimit) = (12_000, 3000) }
        let modem = try rig.plug(.init(dialError: "BUSY"))
        await phone.isReady()
        func call(_ id: UInt64, _ change: (inout ATModem.Script) -> Void) {
            modem.script.withLock { script in
                script = .init()
                change(&script)
            }
            phone.caller.call(id, to: contact, saying: prompt)
        }
        call(1) { $0.dialError = "BUSY" }
        // ModemManager 1.20 keeps to itself why: its word for it is that the command was cancelled.
        guard case .failed? = await phone.end(of: 1) else { return #expect(Bool(false)) }
        call(2) { $0.callStates = [2, 3] }
        #expect(await phone.end(of: 2) == .notAnswered)
        for _ in 0..<250 where modem.hangUps == 0 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(modem.hangUps == 1)
        call(3) { $0.callStates = [0] }
        #expect(await phone.end(of: 3) == .answered)
        #expect(phone.seen.contains(.silent(3, CallOutput.none)))
        call(4) { $0.callStates = [2, 3] }
        await phone.next { $0 == .ringing(4) }
        phone.caller.cancel(4)
        #expect(await phone.end(of: 4) == .cancelled)
        call(5) { $0.callStates = [2, 3, nil] }
        await phone.next { $0 == .ringing(5) }
        #expect(await phone.end(of: 5) == .notAnswered)
        let before = modem.hangUps
        #expect(before == 3)
        call(6) { $0.callStates = [2, 3] }
        await phone.next { $0 == .ringing(6) }
        phone.caller.stop()
        #expect(await phone.end(of: 6) == .cancelled)
        for _ in 0..<250 where modem.hangUps == before { try await Task.sleep(for: .milliseconds(20)) }
        #expect(modem.hangUps == before + 1)
    }

    @Test("SOS-20: without a key a call is given up in time; whoever pressed it hears the details for longer")
    func keyLimit() async throws {
        let rig = try ModemManagerRig()
        var phone = try Phone(rig.session.address) { ($0.keyLimit, $0.callLimit) = (2000, 6000) }
        let modem = try rig.plug(.init(keys: "3"))
        await phone.isReady()
        func talked(_ id: UInt64) async -> Int64 {
            await phone.next { $0 == .answered(id) }
            let start = Boottime.now()
            _ = await phone.end(of: id)
            return Boottime.now() - start
        }
        phone.caller.call(1, to: contact, saying: prompt)
        let without = await talked(1)
        #expect(phone.seen.contains(.ended(1, .answered)) && (1500..<5000).contains(without), "\(without) ms")
        modem.script.withLock { $0.keys = "1" }
        phone.caller.call(2, to: contact, saying: prompt)
        let with = await talked(2)
        #expect(phone.seen.contains(.ended(2, .acknowledged)) && with > 5000, "\(with) ms")
        #expect(ModemCaller.Configuration().ringLimit == 30_000 && ModemCaller.Configuration().keyLimit == 60_000)
    }

    @Test("SOS-20: a second modem is a second line: two are called at the same time")
    func twoLines() async throws {
        let rig = try ModemManagerRig(), other = try #require(PhoneNumber("+39 333 111 3333"))
        var phone = try Phone(rig.session.address, seconds: 90)
        let modems = [try rig.plug(.init(callStates: [2, 3])), try rig.plug(.init(callStates: [2, 3]))]
        await phone.next { if case .modems(let all, _) = $0 { all.count(where: \.canCall) == 2 } else { false } }
        phone.caller.call(1, to: contact, saying: prompt)
        await phone.next { $0 == .ringing(1) }
        phone.caller.call(2, to: other, saying: prompt)
        await phone.next { $0 == .ringing(2) }
        #expect(modems.map(\.dialled.count) == [1, 1] && !phone.seen.contains { if case .ended = $0 { true } else { false } })
        phone.caller.stop()
    }

    @Test("SOS-9: two people of one box have one modem: the second call waits for the first to end, and says so where that takes too long")
    func oneLine() async throws {
        let rig = try ModemManagerRig(), other = try #require(PhoneNumber("+39 333 111 3333"))
        var first = try Phone(rig.session.address), second = try Phone(rig.session.address)
        var hasty = try Phone(rig.session.address) { $0.lineLimit = 1500 }
        let modem = try rig.plug(.init(callStates: [2, 3, 0]))
        await first.isReady()
        await second.isReady()
        await hasty.isReady()
        first.caller.call(1, to: contact, saying: prompt)
        await first.next { $0 == .answered(1) }
        second.caller.call(2, to: other, saying: prompt)
        hasty.caller.call(3, to: other, saying: prompt)
        guard case .failed(let problem)? = await hasty.end(of: 3) else { return #expect(Bool(false)) }
        #expect(problem.what.contains("another person") && problem.retries)
        #expect(modem.dialled == ["+393331112222"])
        first.caller.cancel(1)
        await second.next { $0 == .ringing(2) }
        #expect(modem.dialled == ["+393331112222", "+393331113333"])
    }

    @Test("SOS-9: emergency numbers are refused unless they are allowed by name")
    func emergency() async throws {
        let rig = try ModemManagerRig()
        var phone = try Phone(rig.session.address) { $0.allowedShortNumbers = [PhoneNumber("115")!] }
        let modem = try rig.plug(.init(dialError: "NO CARRIER"))
        await phone.isReady()
        phone.caller.call(1, to: try #require(PhoneNumber("112")), saying: prompt)
        guard case .failed(let problem)? = await phone.end(of: 1) else { return #expect(Bool(false)) }
        #expect(problem.what.contains("112") && !problem.retries)
        phone.caller.text(2, to: try #require(PhoneNumber("118")), "HELP")
        #expect(await phone.failure(of: 2)?.problem.retries == false)
        #expect(modem.dialled.isEmpty && modem.messages.isEmpty)
        phone.caller.call(3, to: try #require(PhoneNumber("115")), saying: prompt)
        _ = await phone.end(of: 3)
        #expect(modem.dialled == ["115"])
    }

    @Test("SOS-18: no bus, no ModemManager, no modem, a locked SIM, no network and no permission are told with what to do")
    func problems() async throws {
        let session = try DesktopSession()
        var alone = try Phone(session.address)
        #expect(await alone.problem(with: "ModemManager does not run")?.advice.contains("modemmanager") == true)
        alone.caller.text(1, to: contact, "HELP")
        #expect(await alone.failure(of: 1)?.mayHaveArrived == false)

        var lost = try Phone(.address("unix:path=/no/such/bus"))
        #expect(await lost.problem(with: "bus is gone") != nil)
        lost.caller.call(1, to: contact, saying: prompt)
        guard case .failed? = await lost.end(of: 1) else { return #expect(Bool(false)) }

        let rig = try ModemManagerRig()
        var phone = try Phone(rig.session.address)
        #expect(await phone.problem(with: "There is no modem") != nil)
        try rig.plug(.init(pin: "SIM PIN"))
        #expect(await phone.problem(with: "PIN") != nil)
        phone.caller.call(2, to: contact, saying: prompt)
        guard case .failed(let problem)? = await phone.end(of: 2) else { return #expect(Bool(false)) }
        #expect(problem.what.contains("PIN"))
        try rig.plug(.init(registration: 3))
        #expect(await phone.problem(with: "refused by the network")?.advice.contains("operator") == true)

        let forbidden = try ModemManagerRig(isAllowed: false)
        var other = try Phone(forbidden.session.address)
        try forbidden.plug()
        #expect(await other.problem(with: "switched o") != nil)
    }

    @Test("SOS-9: after a failure the other modem is tried")
    func others() async throws {
        let rig = try ModemManagerRig()
        var phone = try Phone(rig.session.address)
        let bad = try rig.plug(.init(textError: 331))
        await phone.isReady()
        phone.caller.text(1, to: contact, "HELP")
        _ = await phone.failure(of: 1)
        let good = try rig.plug()
        await phone.isReady(2)
        phone.caller.text(2, to: contact, "HELP")
        await phone.next { $0 == .textSent(2) }
        #expect(bad.messages.count == 1 && good.messages.count == 1)
    }

    @Test("SOS-9: a second modem takes over from one that is unplugged; a restarted ModemManager is found again")
    func changes() async throws {
        let rig = try ModemManagerRig()
        var phone = try Phone(rig.session.address)
        let first = try rig.plug(.init(textsHang: true))
        await phone.isReady()
        let second = try rig.plug()
        await phone.isReady(2)
        phone.caller.text(1, to: contact, "HELP")
        rig.stopManager()
        // Whichever is noticed first: that the answer will not come, or that ModemManager is gone.
        #expect(await phone.failure(of: 1)?.problem.retries == true)
        try rig.start()
        let third = try rig.plug()
        await phone.isReady()
        phone.caller.text(2, to: contact, "HELP")
        await phone.next { $0 == .textSent(2) }
        #expect(third.messages.count == 1 && first.messages.count + second.messages.count <= 1)
    }

    @Test("SOS-7: texts that were read and are a contact's, or are older than the alarm, are deleted, so that there is room for answers")
    func room() async throws {
        let rig = try ModemManagerRig()
        var phone = try Phone(rig.session.address) { $0.readTextKept = 300 }
        let modem = try rig.plug()
        func deletions() -> Int { modem.commands.count { $0.hasPrefix("AT+CMGD=") } }
        await phone.isReady()
        // Nobody of whom anything is known, and no alarm: it stays.
        modem.receiveOK()
        await phone.next { if case .reply = $0 { true } else { false } }
        try await Task.sleep(for: .seconds(1))
        #expect(deletions() == 0)
        // Texts go out, to somebody else: what lay there is read again and goes.
        phone.caller.text(1, to: try #require(PhoneNumber("+39 333 999 8888")), "HELP")
        await phone.next { if case .reply(contact, "OK", _, wasThere: true) = $0 { true } else { false } }
        #expect(await eventually { deletions() == 1 })
        // A contact's answer goes when it was read.
        phone.caller.text(2, to: contact, "HELP")
        await phone.next { $0 == .textSent(2) }
        modem.receiveOK()
        await phone.next { if case .reply(contact, "OK", _, wasThere: false) = $0 { true } else { false } }
        #expect(await eventually { deletions() == 2 })
    }

    private func eventually(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<500 where !condition() { try? await Task.sleep(for: .milliseconds(20)) }
        return condition()
    }

    @Test("SOS-18: a modem that holds so many texts that its SIM may be full says so, and can still be used")
    func full() throws {
        func status(_ count: Int) -> ModemStatus? {
            ModemStatus(
                path: "/0",
                interfaces: [
                    ModemCodes.modem: ["State": .int32(8)], ModemCodes.network: ["RegistrationState": .uint32(1)], ModemCodes.voice: [:],
                    ModemCodes.messaging: ["Messages": .array((0..<count).map { .objectPath("/sms/\($0)") }, of: "o")],
                ])
        }
        #expect(status(3)?.problem == nil)
        let full = try #require(status(ModemStatus.storedMax))
        #expect(full.canText && full.problem?.what.contains("holds 15 texts") == true)
    }

    @Test("SOS-7: an answer by text is told, with who sent it")
    func reply() async throws {
        let rig = try ModemManagerRig()
        var phone = try Phone(rig.session.address)
        let modem = try rig.plug()
        await phone.isReady()
        modem.receiveOK()
        let reply = await phone.next { if case .reply(contact, "OK", _, _) = $0 { true } else { false } }
        guard case .reply(_, _, let sentAt?, _) = reply else {
            Issue.record("ModemManager tells no time, or another form of it: \(String(describing: reply))")
            return
        }
        #expect(sentAt == 1_794_499_200_000)
        #expect(try contact.isSameLine(as: #require(PhoneNumber("333 1112222"))))
    }
}

import Alerts
import Distress
import Foundation
import HubStore
import Languages
import SyncProtocol
import Synchronization
import Telephony
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Telephone lines whose other end is the test.
final class TestVoice: SOSVoice {
    struct Call: Sendable {
        let number: String
        let message: SpokenMessage
        let isWanted: @Sendable () -> Bool
        let taken: @Sendable () async -> Bool
        let end: CheckedContinuation<CallOutcome, Never>
    }
    struct State: Sendable {
        var made: [Call] = []
        /// Of those, how many the test has seen.
        var seen = 0
        var problem: String?
    }

    let count: Int
    let state = Mutex(State())
    init(count: Int = 1) { self.count = count }

    var problem: String? { state.withLock { $0.problem } }
    func mayCall(_ number: String) -> Bool { !number.hasPrefix("+99") }
    func call(
        _ number: String, saying message: SpokenMessage, isWanted: @escaping @Sendable () -> Bool,
        taken: @escaping @Sendable () async -> Bool
    ) async -> CallOutcome {
        await withCheckedContinuation { end in
            state.withLock { $0.made.append(Call(number: number, message: message, isWanted: isWanted, taken: taken, end: end)) }
        }
    }

    var made: Int { state.withLock { $0.made.count } }

    /// The next call, when it is made.
    func next() async throws -> Call {
        while true {
            let call = state.withLock { state -> Call? in
                guard state.seen < state.made.count else { return nil }
                state.seen += 1
                return state.made[state.seen - 1]
            }
            if let call { return call }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// Calls by the hub (SOS-23).
@Suite(.timeLimit(.minutes(3)))
struct SOSVoiceTests {
    private func town(_ voice: TestVoice, rooms: [any EmergencyChannel] = []) async throws -> SOSTown {
        try await SOSTown().restarted(rooms: rooms, voice: voice)
    }

    private func calls(_ town: SOSTown) throws -> [SOSCall] {
        try #require(town.sos.openCase(of: town.person.id.person)).calls.filter { $0.channel == .voice }
    }

    @Test("SOS-23: a contact is called, hears who it is about and which key helps, and has the case with key 1; nobody else is called")
    func taken() async throws {
        let voice = TestVoice(), town = try await town(voice), person = town.person.id.person
        try await town.send(town.report(1, try town.helpAlarm()))
        let call = try await voice.next()
        #expect(call.number == "+39025B" && call.isWanted() && call.message.wantsKey && call.message.language == "en")
        let words = call.message.text
        #expect(words.hasPrefix("This is an automatic emergency call for Ada Made-Up") && words.contains("1"))
        #expect(call.message.between == "I repeat." && !call.message.thanks.isEmpty && !call.message.late.isEmpty)
        #expect(await call.taken())
        let item = try #require(town.sos.openCase(of: person))
        #expect(item.owner == .contact(0) && item.ownerName == "Bruno")
        call.end.resume(returning: .taken)
        try await town.until { try calls(town).first?.proof == "answered with key 1" }
        await town.pass(30_000)
        #expect(try calls(town).count { $0.state == .waiting } == 0 && voice.made == 1)
        // The box hears that this number was told, in words that an old one knows too.
        let answer = try await town.send(town.report(2, try town.helpAlarm()))
        #expect(answer.owner == .contact(0) && answer.told?.contains("+39025B") == true)
    }

    @Test(
        "SOS-22, SOS-23: a trunk that refuses two people in a row has failed; a busy telephone, or a number that is none, is no fault of it"
    )
    func refusedCalls() async throws {
        let voice = TestVoice(), town = try await town(voice), ways = town.sos.ways
        try await town.send(town.report(1, try town.helpAlarm()))
        var ended = 0
        func end(_ outcome: CallOutcome) async throws {
            while voice.made == ended { await town.pass(1000) }
            let call = try await voice.next()
            ended += 1
            let before = ways.all.first { $0.way == .voice }?.health
            call.end.resume(returning: outcome)
            try await town.until { ways.all.first { $0.way == .voice }?.health != before }
        }
        try await end(.busy)
        #expect(!ways.isFailing(.voice, for: "+39025B"))
        try await end(.refused("404 Not Found"))
        #expect(ways.isFailing(.voice, for: "+39025C") && !ways.isFailing(.voice))
        try await end(.refused("503 Service Unavailable"))
        #expect(ways.isFailing(.voice, for: "+39025B") && !ways.isFailing(.voice))
        try await end(.lineFailed("no trunk"))
        #expect(ways.isFailing(.voice))
        try await end(.noKey(pressed: ""))
        #expect(!ways.isFailing(.voice))
    }

    enum TrunkFault: CaseIterable, Sendable { case isNotRegistered, refuses }

    @Test(
        "SOS-22, SOS-18: a trunk that is gone, or refuses the only contact, is told to the person and the operator within 60 s",
        arguments: TrunkFault.allCases)
    func trunkBreaks(fault: TrunkFault) async throws {
        let voice = TestVoice(), old = try await SOSTown(isOn: false), town = try old.restarted(voice: voice)
        let sos = town.sos, person = town.person.id.person, outcome = Mutex(CallOutcome.noKey(pressed: "")), operators = Mutex<[Int]>([])
        let bruno = SOSContact(name: "Bruno", phone: "+39021", email: nil, language: "it", isTexted: false)
        try await sos.choices.addContact(bruno, of: person, by: town.person.id)
        try await sos.choices.turnOn(person, consented: true, strict: false, by: town.person.id)
        sos.ways.observePeople { unreached in operators.withLock { $0.append(unreached.byWay[.voice] ?? 0) } }
        let answering = Task {
            while !Task.isCancelled { try await voice.next().end.resume(returning: outcome.withLock { $0 }) }
        }
        defer { answering.cancel() }
        func drill() async throws {
            let before = sos.ways.all.first { $0.way == .voice }?.health
            try await sos.drills.run(for: person)
            try await town.until {
                await town.pass(1000)
                return sos.ways.all.first { $0.way == .voice }?.health != before
            }
        }
        func isTold(since time: Milliseconds) throws -> Bool {
            try town.hub.accounts.notices.notices(of: town.person, count: 6).contains {
                $0.kind == .sosUnprotected && $0.arguments["reason"] == "waysFailed" && $0.created >= time
            }
        }
        var random = SeededGenerator(seed: WayTries.seed(24)), tries = WayTries("telephone trunk, \(fault)")
        defer { print(tries.line) }
        func pass(_ seconds: Int, _ phase: Int, until: () throws -> Bool = { false }) async throws -> Int {
            for second in 1...seconds {
                await town.pass(1000)
                await sos.ways.lookDue()
                if Int(town.hub.clock.now / 1000) % 10 == phase { await sos.chain.look() }
                if try until() { return second }
            }
            return seconds
        }
        for number in 0..<WayTries.count() {
            let phase = Int.random(in: 0..<10, using: &random)
            _ = try await pass(170 + Int.random(in: 0..<30, using: &random), phase)
            #expect(try sos.views.view(of: person)?.reasons.contains("waysFailed") == false, "whole before try \(number)")
            let began = town.hub.clock.now
            operators.withLock { $0 = [] }
            if fault == .refuses {
                outcome.withLock { $0 = .refused("503 Service Unavailable") }
                try await drill()
            } else {
                voice.state.withLock { $0.problem = "the trunk does not answer" }
            }
            let seconds = try await pass(120, phase) { try isTold(since: began) && operators.withLock { $0.contains(1) } }
            tries.add(seconds)
            #expect(seconds <= WayTries.limit, "try \(number), with the seed \(WayTries.seed(24))")
            outcome.withLock { $0 = .noKey(pressed: "") }
            voice.state.withLock { $0.problem = nil }
            if fault == .refuses { try await drill() }
        }
    }

    @Test("SOS-23: busy, unanswered or a voicemail: the next contact is called at once, and then the first again")
    func next() async throws {
        let voice = TestVoice(), town = try await town(voice)
        try await town.send(town.report(1, try town.helpAlarm()))
        let first = try await voice.next()
        first.end.resume(returning: .busy)
        try await town.until { try calls(town)[0].proof == "busy" }
        // Its own turn would come after 20 s.
        await town.pass(1000)
        let second = try await voice.next()
        #expect(first.number == "+39025B" && second.number == "+39025C")
        second.end.resume(returning: .noKey(pressed: ""))
        try await town.until { try calls(town)[1].proof?.contains("nobody pressed 1") == true }
        #expect(town.sos.openCase(of: town.person.id.person)?.owner == nil)
        await town.pass(6000)
        #expect(try await voice.next().number == "+39025B")
    }

    @Test("SOS-23: with one line nobody is called beside a call that runs; with two the next contact is, after its time")
    func lines() async throws {
        for count in [1, 2] {
            let voice = TestVoice(count: count), town = try await town(voice)
            try await town.send(town.report(1, try town.helpAlarm()))
            _ = try await voice.next()
            await town.pass(21_000)
            await town.pass(1000)
            if count == 2 { #expect(try await voice.next().number == "+39025C") }
            #expect(voice.made == count)
        }
    }

    @Test("SOS-23: when somebody takes it elsewhere, a telephone that rings is not wanted any more, and key 1 comes too late")
    func late() async throws {
        let voice = TestVoice(), town = try await town(voice), person = town.person.id.person
        try await town.send(town.report(1, try town.helpAlarm()))
        let call = try await voice.next(), item = try #require(town.sos.openCase(of: person))
        #expect(await town.sos.helpers.act(.take, .contact(1, name: "Carla"), on: item.id))
        #expect(!call.isWanted())
        #expect(await call.taken() == false)
        #expect(town.sos.openCase(of: person)?.owner == .contact(1))
    }

    @Test("SOS-23, SOS-10: whoever took it on the telephone is called with the stand-down, which asks for no key; others are not")
    func standDown() async throws {
        let voice = TestVoice(), town = try await town(voice), person = town.person.id.person
        let alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        let first = try await voice.next()
        first.end.resume(returning: .noAnswer)
        try await town.until { try calls(town)[0].proof == "nobody answered" }
        await town.pass(1000)
        let second = try await voice.next()
        #expect(await second.taken())
        second.end.resume(returning: .taken)
        try await town.until { try calls(town)[1].proof == "answered with key 1" }
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        await town.pass(1000)
        let news = try await voice.next()
        #expect(news.number == second.number && !news.message.wantsKey && news.message.text.contains("Stand down, false alarm"))
        news.end.resume(returning: .heard)
        await town.pass(30_000)
        #expect(voice.made == 3)
    }

    @Test("SOS-23, SOS-19: a test says that it is one, and rings twice at most where nobody answers")
    func drill() async throws {
        let voice = TestVoice(), town = try await town(voice), person = town.person.id.person
        try await town.sos.drills.run(for: person, key: SampleKey(stream: .random(), sequence: 1, kind: .event, index: 0))
        let answered = try await voice.next()
        #expect(answered.message.text.hasPrefix("This is a test") && answered.message.thanks.contains("test"))
        #expect(await answered.taken())
        answered.end.resume(returning: .taken)
        for _ in 0..<2 {
            let call = try await voice.next()
            #expect(call.number == "+39025C")
            call.end.resume(returning: .noAnswer)
            try await town.sent()
            await town.pass(60_000)
        }
        try await town.until { try town.sos.store.cases(of: person).first?.calls.contains { $0.state == .failed } == true }
        await town.pass(120_000)
        #expect(voice.made == 3)
        let stored = try #require(try town.sos.store.cases(of: person).first)
        #expect(stored.isTest && stored.owner == nil)
        #expect(stored.calls.filter { $0.channel == .voice }.map(\.state) == [.sent, .failed])
    }

    @Test("SOS-23: a control room is called in its language, and has the case with key 1")
    func room() async throws {
        let voice = TestVoice(count: 4)
        let town = try await town(voice, rooms: [PhoneRoom(name: "118", number: "118", language: .italian, voice: voice)])
        try await town.send(town.report(1, try town.helpAlarm()))
        var call = try await voice.next()
        if call.number != "118" { call = try await voice.next() }
        #expect(call.number == "118" && call.message.language == "it" && call.message.wantsKey)
        #expect(await call.taken())
        #expect(town.sos.openCase(of: town.person.id.person)?.owner == .room("118"))
        call.end.resume(returning: .taken)
    }

    @Test("SOS-22, SOS-23: a room that is called works as long as the trunk does; that it is busy is no fault, that its number is none is")
    func roomFails() async throws {
        let voice = TestVoice(), room = PhoneRoom(name: "118", number: "118", voice: voice), town = try await SOSTown(isOn: false)
        let calls = try town.restarted(rooms: [room], voice: voice), ways = calls.sos.ways, person = calls.person.id.person
        func reach() throws -> SOSReachability.Reach { try calls.sos.reachability.reach(SOSChoice(), of: person, by: .hub) }
        try await calls.send(calls.report(1, try calls.helpAlarm()))
        func end(_ outcome: CallOutcome) async throws {
            let made = voice.made
            while voice.state.withLock({ $0.seen == made }) && voice.made == made { await calls.pass(1000) }
            let before = ways.all.first { $0.way == .room("118") }?.health
            try await voice.next().end.resume(returning: outcome)
            try await calls.until { ways.all.first { $0.way == .room("118") }?.health != before }
        }
        try await end(.busy)
        #expect(try !ways.isFailing(.room("118")) && reach() == .somebody)
        try await end(.recalled)
        #expect(try reach() == .somebody)
        try await end(.refused("404 Not Found"))
        #expect(try ways.isFailing(.room("118")) && !ways.isFailing(.voice) && reach() == .waysFailed([.room("118")]))
        try await end(.noAnswer)
        #expect(try reach() == .somebody, "it rang there")
        // Two others could not be called: neither could the room.
        for number in ["+3902", "+3903"] { ways.attempted(.voice, to: number, .failure(CallFailed(outcome: .lineFailed("no trunk")))) }
        #expect(try !ways.isFailing(.room("118")) && reach() == .waysFailed([.room("118")]))
    }

    @Test("SOS-23, SOS-1: a contact with a telephone alone is somebody, as long as a line can call and the operator lets it")
    func addressees() async throws {
        let voice = TestVoice(), town = try await town(voice), person = town.person.id.person
        var choice = SOSChoice()
        choice.contacts = [SOSContact(name: "Bruno", phone: "+39021", email: nil, language: "it", isTexted: false)]
        #expect(try town.sos.reachability.canDeliver(choice, of: person))
        voice.state.withLock { $0.problem = "the trunk does not answer" }
        #expect(try !town.sos.reachability.canDeliver(choice, of: person))
        voice.state.withLock { $0.problem = nil }
        choice.contacts[0].phone = "+9921"
        #expect(try !town.sos.reachability.canDeliver(choice, of: person))
    }

    @Test("SOS-23: without a telephone nobody is to be called; what an older hub stored is read, with calls or without")
    func without() async throws {
        let town = try await SOSTown()
        try await town.send(town.report(1, try town.helpAlarm()))
        #expect(try calls(town).isEmpty)
        for word in ["text", "mail", "notice", "room", "voice"] {
            let stored =
                #"{"number":1,"recipient":{"room":{"_0":"a"}},"channel":"\#(word)","message":"alert","due":5,"lease":0,"tries":1,"state":"sent"}"#
            #expect(try JSONDecoder().decode(SOSCall.self, from: Data(stored.utf8)).channel.rawValue == word)
        }
    }
}

import Testing
import Vitals

@testable import Telephony

/// A line as a value: what it does with a call.
@Suite struct PhoneLineTests {
    private static let order = PhoneLine.Order(uri: "sip:+391@trunk")

    /// A line whose call came so far.
    private func line(_ events: [(PhoneLine.Event, Milliseconds)] = [], registers: Bool = true) -> PhoneLine {
        var line = PhoneLine(registers: registers)
        _ = line.handle(.linked, at: 0)
        if registers { _ = line.handle(.registered, at: 100) }
        for (event, time) in events { _ = line.handle(event, at: time) }
        return line
    }

    private static let toAnswer: [(PhoneLine.Event, Milliseconds)] = [
        (.order(order), 1000), (.ringing("a"), 3000), (.answered("a"), 9000),
    ]

    /// What happened until a call ended, without probes.
    private func effects(_ line: inout PhoneLine, from: Milliseconds, to: Milliseconds) -> [(PhoneLine.Effect, Milliseconds)] {
        stride(from: from, through: to, by: 500).flatMap { time in
            line.handle(.tick, at: time).filter { $0 != .probe }.map { ($0, time) }
        }
    }

    @Test("SOS-23: key 1 takes the call, and the line hangs up after the thanks")
    func keyOne() {
        var line = line([(.order(Self.order), 1000), (.ringing("a"), 3000), (.answered("a"), 9000)])
        #expect(line.handle(.key("1", "a"), at: 12_000) == [.tellKey, .finish(.taken)])
        // A second press, and the thanks' end, end nothing twice.
        #expect(line.handle(.key("1", "a"), at: 13_000).isEmpty)
        #expect(line.handle(.closed("end of file", "a"), at: 15_000).isEmpty)
        #expect(line.isFree)
    }

    @Test("SOS-23: another key takes nothing; it stands in the outcome")
    func wrongKey() {
        var line = line(Self.toAnswer)
        #expect(line.handle(.key("5", "a"), at: 10_000).isEmpty && line.handle(.key("#", "a"), at: 11_000).isEmpty)
        #expect(line.handle(.closed("Connection reset by peer", "a"), at: 20_000) == [.finish(.noKey(pressed: "5#"))])
        #expect(line.isFree)
    }

    @Test("SOS-23: a voicemail, which answers and presses nothing, is given up 60 s after the answer")
    func voicemail() {
        var line = line(Self.toAnswer)
        let effects = effects(&line, from: 9500, to: 74_000)
        #expect(effects.map(\.0) == [.hangUp, .finish(.noKey(pressed: "")), .restart("it did not hang up")])
        #expect(effects.first?.1 == 69_000)
    }

    @Test("SOS-23: it rings 30 s at most")
    func rings() {
        var line = line([(.order(Self.order), 1000), (.ringing("a"), 3000)])
        let effects = effects(&line, from: 3500, to: 34_000)
        #expect(effects.map(\.0) == [.hangUp, .finish(.noAnswer)] && effects.first?.1 == 33_000)
        #expect(!line.isFree)
        #expect(line.handle(.closed("Connection reset by user", "a"), at: 34_100).isEmpty && line.isFree)
    }

    @Test("SOS-23: a trunk that does not answer a call is dead until it answers something")
    func deadTrunk() {
        var line = line([(.order(Self.order), 1000)])
        let effects = effects(&line, from: 1500, to: 16_000)
        #expect(effects.map(\.0) == [.hangUp, .finish(.lineFailed("the trunk does not answer a call"))])
        _ = line.handle(.closed("Connection reset by user", "a"), at: 16_100)
        #expect(line.problem == "the trunk does not answer a call")
        #expect(line.handle(.order(Self.order), at: 17_000) == [.finish(.lineFailed("the trunk does not answer a call"))])
        _ = line.handle(.trunkAnswered, at: 40_000)
        #expect(line.problem == nil && line.handle(.order(Self.order), at: 41_000) == [.dial("sip:+391@trunk")])
    }

    @Test("SOS-22: a trunk that falls silent is seen by a probe within 40 s, and again when it answers")
    func probe() {
        var line = line()
        var probes: [Milliseconds] = [], seen: Milliseconds?
        for time in stride(from: Milliseconds(500), through: 100_000, by: 500) {
            if line.handle(.tick, at: time).contains(.probe) {
                probes.append(time)
                if probes.count == 1 { _ = line.handle(.trunkAnswered, at: time) }
            }
            if seen == nil, line.problem != nil { seen = time }
        }
        #expect(probes.starts(with: [30_000, 60_000]) && seen == 70_000)
        _ = line.handle(.registered, at: 101_000)
        #expect(line.problem == nil)
    }

    @Test("SOS-23: what the other side says when nobody answered is told as what it is")
    func endings() {
        let endings: [(String, CallOutcome)] = [
            ("486 Busy Here", .busy), ("600 Busy Everywhere", .busy), ("480 Temporarily Unavailable", .noAnswer),
            ("603 Decline", .noAnswer),
            ("404 Not Found", .refused("404 Not Found")), ("Connection timed out", .lineFailed("Connection timed out")),
        ]
        for (words, outcome) in endings {
            var line = line([(.order(Self.order), 1000)])
            #expect(line.handle(.closed(words, "a"), at: 2000) == [.finish(outcome)] && line.isFree)
        }
    }

    @Test("SOS-23: a line without registration calls nobody and says why; one whose trunk wants none calls")
    func unregistered() {
        var line = PhoneLine(registers: true)
        #expect(line.handle(.order(Self.order), at: 0) == [.finish(.lineFailed("it has not started yet"))])
        _ = line.handle(.linked, at: 0)
        #expect(line.problem != nil)
        _ = line.handle(.registrationFailed("401 Unauthorized"), at: 100)
        #expect(line.problem == "the trunk refuses the registration: 401 Unauthorized")
        #expect(line.handle(.order(Self.order), at: 200) == [.finish(.lineFailed("the trunk refuses the registration: 401 Unauthorized"))])
        #expect(self.line(registers: false).problem == nil)
    }

    @Test("SOS-23: a registration that fails for three minutes starts baresip anew, but not amid a call")
    func restarts() {
        var line = line()
        _ = line.handle(.registrationFailed("408"), at: 1000)
        let effects = effects(&line, from: 1500, to: 182_000)
        #expect(effects.first?.0 == .restart("its registration fails") && effects.first?.1 == 181_000)
    }

    @Test("SOS-23: a line that dies amid a call says so, once, and is down")
    func dies() {
        for (count, outcome) in [(1, CallOutcome.lineFailed("gone")), (2, .lineFailed("gone")), (3, .noKey(pressed: ""))] {
            var line = line(Array(Self.toAnswer.prefix(count)))
            #expect(line.handle(.lost("gone"), at: 10_000) == [.finish(outcome)])
            #expect(line.handle(.lost("gone"), at: 10_001).isEmpty && line.problem == "gone")
        }
    }

    @Test("SOS-23: a call that is not needed any more stops ringing; one that was answered goes on")
    func recalled() {
        var ringing = line(Array(Self.toAnswer.prefix(2))), answered = line(Self.toAnswer)
        #expect(ringing.handle(.recall, at: 9000) == [.hangUp, .finish(.recalled)])
        #expect(answered.handle(.recall, at: 10_000).isEmpty)
        #expect(answered.handle(.key("1", "a"), at: 11_000) == [.tellKey, .finish(.taken)])
    }

    @Test("SOS-23: events of another call change nothing, and who calls back is turned away")
    func others() {
        var line = line(Self.toAnswer)
        #expect(line.handle(.key("1", "b"), at: 10_000).isEmpty && line.handle(.closed("x", "b"), at: 10_000).isEmpty)
        #expect(line.handle(.incoming("c"), at: 10_000).isEmpty)
        var free = self.line()
        #expect(free.handle(.incoming("c"), at: 10_000) == [.hangUp] && !free.isFree)
        #expect(free.handle(.closed("x", "c"), at: 10_100).isEmpty && free.isFree)
    }

    @Test("SOS-23: news needs no key: that it was answered is enough")
    func news() {
        let order = PhoneLine.Order(uri: "sip:+391@trunk", wantsKey: false)
        let events: [(PhoneLine.Event, Milliseconds)] = [(.order(order), 1000), (.answered("a"), 2000)]
        var closed = line(events), keyed = line(events)
        #expect(closed.handle(.closed("end of file", "a"), at: 20_000) == [.finish(.heard)])
        #expect(keyed.handle(.key("1", "a"), at: 3000) == [.hangUp, .finish(.heard)])
    }
}

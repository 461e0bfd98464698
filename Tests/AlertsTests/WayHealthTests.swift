import Alerts
import Testing
import Vitals

/// What is known of one way out, as a value.
@Suite
struct WayHealthTests {
    private static let good = Result<String, WayFailure>.success("taken"), bad = Result<String, WayFailure>.failure(WayFailure("refused"))

    @Test("SOS-22: a way is untried until something was seen, and its state says since when it holds")
    func states() {
        var way = WayHealth()
        #expect(way.state == .untried && way.since == nil && !way.isFailing)
        way.probed("program", Self.good, at: 1000)
        way.probed("program", Self.good, at: 2000)
        #expect(way.state == .working && way.since == 1000 && way.lastSuccess?.at == 2000)
    }

    @Test("SOS-22: a probe fails with its second miss in a row, and only its own success ends that")
    func probes() {
        var way = WayHealth()
        way.probed("program", Self.good, at: 0)
        way.probed("server", Self.bad, at: 1)
        #expect(way.state == .working && way.isMissing(probe: "server") && !way.isMissing(probe: "program"))
        way.probed("server", Self.good, at: 2)
        way.probed("server", Self.bad, at: 3)
        #expect(way.state == .working, "not in a row")
        way.probed("server", Self.bad, at: 4)
        #expect(way.state == .failing && way.since == 4 && way.failure?.what == "refused")
        way.probed("program", Self.good, at: 5)
        way.attempted(to: "a", Self.good, at: 6)
        #expect(way.isFailing, "the server is silent all the same: the program only queues")
        way.probed("server", Self.good, at: 7)
        #expect(way.state == .working && way.since == 7 && way.failure == nil && way.lastFailure?.at == 4)
    }

    @Test(
        "SOS-22: a failed attempt counts for its recipient at once, for everybody with the second recipient, and a probe takes it not back")
    func attempts() {
        var way = WayHealth()
        way.probed("program", Self.good, at: 0)
        for time in 1...3 { way.attempted(to: "a", Self.bad, at: Milliseconds(time)) }
        #expect(way.state == .working && way.isFailing(for: "a") && !way.isFailing(for: "b"))
        way.attempted(to: "b", Self.bad, at: 4)
        #expect(way.state == .failing && way.isFailing(for: "c") && way.failure?.source == .attempt)
        way.probed("program", Self.good, at: 5)
        #expect(way.isFailing, "that a program exists does not prove that it sends")
        way.attempted(to: "b", Self.good, at: 6)
        #expect(way.state == .working && way.isFailing(for: "a") && !way.isFailing(for: "b"))
    }

    @Test("SOS-22: a recipient's own fault never counts for others")
    func recipients() {
        var way = WayHealth()
        for name in ["a", "b", "c"] { way.attempted(to: name, .failure(WayFailure("no such address", isOfWay: false)), at: 1) }
        #expect(way.state == .untried && way.isFailing(for: "b") && !way.isFailing(for: "d") && way.lastFailure == nil)
    }

    @Test("SOS-22: a way with one recipient fails with the first failed attempt")
    func single() {
        var room = WayHealth(hasOneRecipient: true)
        room.attempted(to: "", Self.bad, at: 1)
        #expect(room.isFailing)
        room.attempted(to: "", Self.good, at: 2)
        room.attempted(to: "", .failure(WayFailure("no such number", isOfWay: false)), at: 3)
        #expect(room.isFailing, "what is wrong with the only recipient is wrong with the way")
    }

    @Test("SOS-22: the daily message to the operator proves what an attempt proves")
    func proof() {
        var way = WayHealth()
        way.attempted(to: "a", Self.bad, at: 1)
        way.attempted(to: "b", Self.bad, at: 2)
        way.probed("proof", Self.good, isAttempt: true, at: 3)
        #expect(way.state == .working && way.lastSuccess?.source == .attempt)
        way.probed("proof", Self.bad, isAttempt: true, at: 4)
        way.probed("proof", Self.bad, isAttempt: true, at: 5)
        #expect(way.isFailing)
    }

    @Test("SOS-22: a message that nobody tries to send shows a way that is stuck; one that waits while others leave does not")
    func waiting() {
        var way = WayHealth()
        way.waiting(since: 0, at: WayHealth.waitingMax - 1)
        #expect(!way.isFailing)
        way.waiting(since: 0, at: WayHealth.waitingMax)
        #expect(way.isFailing && way.failure?.source == .waiting)
        way.attempted(to: "a", Self.good, at: WayHealth.waitingMax + 1)
        #expect(!way.isFailing)
        way.waiting(since: 0, at: WayHealth.waitingMax + 2)
        #expect(!way.isFailing, "it drains")
        way.waiting(since: nil, at: 3 * WayHealth.waitingMax)
        #expect(!way.isFailing)
    }
}

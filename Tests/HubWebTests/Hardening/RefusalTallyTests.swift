import HTTPTypes
import Testing
import Vitals

@testable import HubWeb

struct RefusalTallyTests {
    @Test("DATA-11: refusals and log-ins are counted by the beginning of their address, in a line a minute at most that names nobody")
    func lines() {
        let tally = RefusalTally(routes: ["/following/{id}", "/log-in", "/{any}"])
        #expect(tally.line(403, .get, "/following/0123abcd", at: 0) == "following 403: 1")
        #expect(tally.line(403, .get, "/following/4567ef?x=y", at: 1000) == nil)
        #expect(tally.line(422, .post, "/log-in", at: 2000) == nil)
        #expect(tally.line(303, .post, "/log-in/passkey", at: 2000) == nil)
        #expect(tally.line(200, .get, "/log-in", at: 3000) == nil && tally.line(404, .get, "/following/1", at: 3000) == nil)
        let all = "following 403: 1, log-in 303: 1, log-in 422: 1, other 429: 1"
        #expect(tally.line(429, .get, "/\u{1B}[0m error critical", at: 60_000) == all)
        #expect(tally.line(503, .get, "/log-in", at: 61_000) == nil)
        #expect(tally.line(503, .get, "/log-in", at: 0) == "log-in 503: 2", "the clock was set back")
    }

    @Test("DATA-11: the end of a flood is told by itself: a minute after the last line, and when the hub stops")
    func rest() {
        let tally = RefusalTally(routes: ["/log-in"])
        #expect(tally.rest(at: 0) == nil && tally.rest(at: 0, isLast: true) == nil, "nothing was refused")
        #expect(tally.line(401, .get, "/log-in", at: 0) == "log-in 401: 1")
        for time in 1...3 as ClosedRange<Milliseconds> { #expect(tally.line(401, .get, "/log-in", at: time) == nil) }
        #expect(tally.rest(at: RefusalTally.pause - 1) == nil, "not yet")
        #expect(tally.rest(at: RefusalTally.pause) == "log-in 401: 3")
        #expect(tally.rest(at: 3 * RefusalTally.pause) == nil, "nothing is told twice")
        #expect(tally.line(429, .get, "/log-in", at: 3 * RefusalTally.pause) == "log-in 429: 1")
        #expect(tally.line(429, .get, "/log-in", at: 3 * RefusalTally.pause + 1) == nil)
        #expect(tally.rest(at: 3 * RefusalTally.pause + 2, isLast: true) == "log-in 429: 1")
    }
}

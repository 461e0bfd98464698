import HTTPTypes
import Testing

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
}

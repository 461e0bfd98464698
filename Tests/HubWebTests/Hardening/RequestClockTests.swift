import Foundation
import NIOCore
import SyncProtocol
import TestSupport
import Testing

@testable import HubWeb

@Suite(.serialized, .timeLimit(.minutes(3)))
struct RequestClockTests {
    @Test("DATA-11: one timer looks at a connection's deadline; it ends while nothing is due, and the next deadline starts another")
    func timers() {
        let deadline = RequestDeadline(pause: .seconds(6)), start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        #expect(deadline.set(start + .seconds(1)))
        #expect(!deadline.set(start + .seconds(2)))
        #expect(deadline.look(at: start + .seconds(1)) == .until(start + .seconds(2)))
        #expect(!deadline.set(nil))
        #expect(!deadline.set(start + .seconds(3)))
        #expect(!deadline.set(nil))
        #expect(deadline.look(at: start + .seconds(2)) == nil)
        #expect(!deadline.set(nil))
        #expect(deadline.set(start + .seconds(9)))
        #expect(deadline.look(at: start + .seconds(9)) == .over)
    }

    @Test("DATA-11: a box on a slow line has time for its segments; a box that asks nothing more afterwards is hung up on")
    func slowSegments() async throws {
        let impatient: (inout HubConfiguration) -> Void = { $0.listen.headSeconds = 2 }
        try await WebFixture.run(change: impatient) { web in
            let token = try await Cast.agentToken(web, [web.person]), port = try #require(URL(string: web.url)?.port)
            let authority = web.directory.url.appendingPathComponent("ca.pem")
            let connection = try await RawConnection(port: port, authority: authority)
            await connection.say(
                "POST \(SyncRoute.segments) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(token)\r\ncontent-length: 4\r\n\r\nslo")
            // The first timer finds nothing due: one that came later, and sends no whole head, is hung up on meanwhile.
            let later = try await RawConnection(port: port, authority: authority)
            await later.say("GET / HTTP/1.1\r\n")
            #expect(try await later.answer(within: 30).isClosed)
            await connection.say("w")
            let heard = try await connection.answer { $0.text.contains("invalid_request") || $0.isClosed }
            #expect(heard.text.contains("HTTP/1.1 400") && !heard.isClosed, "\(heard.text)")
            let answered = ContinuousClock.now
            #expect(try await connection.answer(within: 40).isClosed)
            #expect(ContinuousClock.now - answered > .seconds(10))
        }
    }
}

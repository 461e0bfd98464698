import TestSupport
import Testing

@testable import Mail

/// A look at a mail server: greeted, TLS, logged in to, and no message.
@Suite("A look at the mail server")
struct SMTPLookTests {
    private func server(_ test: TestMailServer, password: String = "right", isPlain: Bool = false) throws -> SMTPSubmission {
        var server = try #require(SMTPServer("smtp://127.0.0.1:\(test.port)", isPlain: isPlain))
        (server.user, server.password, server.authority) = ("trackme", password, test.authority)
        return SMTPSubmission(server)
    }

    @Test("OPS-6: a server that lets the hub in is in order, and gets no message")
    func works() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.login = ("trackme", "right")
        let test = try await TestMailServer(behaviour)
        #expect(try await server(test).look(limit: 10_000) == nil)
        #expect(test.got.isEmpty && test.commands.contains("AUTH") && test.commands.contains("NOOP"))
        #expect(!test.commands.contains("MAIL") && !test.commands.contains("RCPT"))
    }

    @Test("OPS-6: another password, no TLS and silence are told apart")
    func problems() async throws {
        var behaviour = TestMailServer.Behaviour()
        behaviour.login = ("trackme", "right")
        let test = try await TestMailServer(behaviour)
        guard case .barred(_, 535, _) = try await server(test, password: "wrong").look(limit: 10_000) else {
            Issue.record("another password was let in")
            return
        }
        test.behaviour.offersTLS = false
        guard case .insecure = try await server(test).look(limit: 10_000) else {
            Issue.record("a line without TLS was taken")
            return
        }
        test.behaviour.fallsSilentAt = "greeting"
        guard case .unreachable = try await server(test).look(limit: 500) else {
            Issue.record("a server that says nothing was taken")
            return
        }
    }
}

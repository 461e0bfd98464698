import Crypto
import Database
import Foundation
import HubServices
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// A box's proof is worth something at the hub alone that it was made for.
struct AgentHostsTests {
    private func token(_ fixture: ServicesFixture, _ box: ServicesFixture.Box, at url: String) async throws -> TokenAnswer {
        let form = [
            TokenField.grantType: TokenField.clientCredentials, TokenField.assertionType: TokenField.jwtBearer,
            TokenField.assertion: try await fixture.assertion(box.id, box.key, audience: url), TokenField.predecessor: box.token,
        ]
        return try await fixture.authenticator.token(
            form, endpoint: ServicesFixture.endpoint, names: ["hub.lan", "::1"], now: fixture.clock.now)
    }

    private func isRefused(_ fixture: ServicesFixture, _ box: ServicesFixture.Box, at url: String) async throws -> Bool {
        do { _ = try await token(fixture, box, at: url) } catch let error as ErrorAnswer { return error.error == "invalid_client" }
        return false
    }

    @Test("EDGE-14: an assertion for another hub is refused, one for a name of this hub is taken, whatever the port")
    func names() async throws {
        let fixture = try ServicesFixture(), box = try await fixture.enrol()
        for url in [
            "https://hub.example/oauth2/token", "https://HUB.example:8443/oauth2/token", "https://hub.lan/oauth2/token",
            "https://[::1]:1/oauth2/token",
        ] {
            #expect(try await !isRefused(fixture, box, at: url), "\(url)")
        }
        for url in [
            "https://other.example/oauth2/token", "https://hub.example.other.example/oauth2/token", "https://hub.example/api/v1/token",
            "/oauth2/token", "hub.example",
        ] {
            #expect(try await isRefused(fixture, box, at: url), "\(url)")
        }
        #expect(try fixture.accounts.agents.hosts().isEmpty)
    }

    @Test("EDGE-14: a box from before goes on by the one name that it uses, until the operator ends it")
    func before() async throws {
        let fixture = try ServicesFixture(), box = try await fixture.enrol(), new = try await fixture.enrol()
        let agent = try #require(try fixture.accounts.agents.agent(box.id)), old = "https://old.example/oauth2/token"
        // As the migration leaves it.
        try fixture.accounts.pool.write { try $0.execute(sql: "INSERT INTO agent_host(agent) VALUES(?)", arguments: [agent.row]) }
        #expect(try await !isRefused(fixture, box, at: old))
        #expect(try fixture.accounts.agents.hosts() == [agent.row: "old.example"])
        #expect(try await isRefused(fixture, box, at: "https://other.example/oauth2/token"), "one name, not any")
        #expect(try await isRefused(fixture, new, at: old), "of that box alone")
        #expect(try await !isRefused(fixture, box, at: ServicesFixture.endpoint), "the hub's own name is always right")
        #expect(try await !isRefused(fixture, box, at: old))
        #expect(try fixture.accounts.agents.forgetHost(of: box.id))
        #expect(try await isRefused(fixture, box, at: old))
        #expect(try !fixture.accounts.agents.forgetHost(of: box.id))
    }

    @Test("EDGE-14: a box from before that uses a name of the hub needs no other afterwards")
    func settled() async throws {
        let fixture = try ServicesFixture(), box = try await fixture.enrol()
        let agent = try #require(try fixture.accounts.agents.agent(box.id))
        try fixture.accounts.pool.write { try $0.execute(sql: "INSERT INTO agent_host(agent) VALUES(?)", arguments: [agent.row]) }
        #expect(try await !isRefused(fixture, box, at: ServicesFixture.endpoint))
        #expect(try await isRefused(fixture, box, at: "https://old.example/oauth2/token"))
    }
}

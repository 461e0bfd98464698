import Foundation
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// Which certificate a box takes for its hub's.
struct EnrolmentTests {
    private static let fingerprint = "5820a9b41178e6e7879583e8434aec10d3ae286705ff8d3af9922dcbc5d3d410"

    @Test("EDGE-14: the certificate with the fingerprint is taken, and kept as it was compared")
    func taken() async throws {
        let wanted = try #require(Hexadecimal.bytes(Self.fingerprint))
        let authority = try PinnedAuthority(Array((Self.hub + "words behind it").utf8), fingerprint: wanted)
        #expect(authority.pem == Self.hub)
        let configuration = AgentConfiguration(stateDirectory: "/nowhere")
        let trust = HubClient.Trust.pinned(try PinnedRoots(authority.pem))
        await (try HubClient(HubAddress("https://hub.example"), trust: trust, configuration: configuration)).shutdown()
    }

    @Test(
        "EDGE-14: a second certificate behind the one with the fingerprint is not trusted, nor any other",
        arguments: [hub + stranger, stranger + hub, stranger, "", "<html>login</html>"])
    func refused(body: String) throws {
        let wanted = try #require(Hexadecimal.bytes(Self.fingerprint))
        #expect(throws: PinnedAuthority.Problem.self) { try PinnedAuthority(Array(body.utf8), fingerprint: wanted) }
    }

    @Test("EDGE-14: an enrolment that is shown two certificates ends there, and leaves nothing behind", .timeLimit(.minutes(1)))
    func twoCertificates() async throws {
        let server = try await ScriptedServer(ScriptedServer.http("200 OK", body: Self.hub + Self.stranger))
        let directory = try TemporaryDirectory().url.path
        let enrolment = Enrolment(
            hub: "http://127.0.0.1:\(server.port)#\(Self.fingerprint)", code: "ABCDEFGH", name: "box", replaces: false)
        let problem = await #expect(throws: AgentProblem.self) {
            try await enrolment.perform(configuration: AgentConfiguration(stateDirectory: directory))
        }
        #expect(problem?.what.contains("2 CA certificates") == true)
        #expect(try Identity.load(from: directory) == nil)
        await server.stop()
    }

    @Test("EDGE-14: a box that stored two roots trusts neither")
    func storedRoots() throws {
        for pem in [Self.hub + Self.stranger, ""] { #expect(throws: AgentProblem.self) { try PinnedRoots(pem) } }
    }

    @Test("EDGE-14: an enrolment that is killed between its files leaves the old identity with the old key, later the new with the new")
    func replaced() throws {
        let directory = try StateDirectory(try TemporaryDirectory().url.path)
        func identity(_ agent: UInt64) throws -> Identity {
            Identity(
                agent: AgentID(high: 0, low: agent), name: "box", hub: try HubAddress("https://hub.example"), certificateAuthority: nil,
                persons: [])
        }
        let keys = [Identity.newKey(), Identity.newKey()]
        try identity(1).save(key: keys[0], to: directory)
        let before = try identity(1).pem(in: directory.path)
        // The disk refuses the second file.
        let obstacle = directory.path + "/identity.json.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        #expect(throws: AgentProblem.self) { try identity(2).save(key: keys[1], to: directory) }
        func stored() throws -> (agent: AgentID?, key: String?) {
            let identity = try Identity.load(from: directory.path)
            return (identity?.agent, try identity?.pem(in: directory.path))
        }
        #expect(try stored() == (AgentID(high: 0, low: 1), before))
        try FileManager.default.removeItem(atPath: obstacle)
        try identity(2).save(key: keys[1], to: directory)
        let after = try identity(2).pem(in: directory.path)
        #expect(after != before && after != nil)
        #expect(try stored() == (AgentID(high: 0, low: 2), after))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".pem") }
        #expect(names.count == 1, "the old key is gone: \(names)")
        // As boxes have it that were enrolled before keys were named by their agent.
        try FileManager.default.moveItem(atPath: directory.path + "/" + names[0], toPath: directory.path + "/key.pem")
        #expect(try stored().key == after)
    }

    private static let hub = """
        -----BEGIN CERTIFICATE-----
        MIIBiDCCAS2gAwIBAgIULA2EmbDGNXA9dxIYhBwoA5VRrGowCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOVHJhY2tNZSB0ZXN0IGEwHhcNMjYxMTIxMDU0ODA5WhcNMzYx
        MTE4MDU0ODA5WjAZMRcwFQYDVQQDDA5UcmFja01lIHRlc3QgYTBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABHL7SjEGmB8LklX+QKHjbnxttI4Ukx6+v0+4QqWqwbt1
        oymNh8eE0inUJ7jSr1T8kRzPBLQYJZqeDW6aF6rLPkWjUzBRMB0GA1UdDgQWBBSR
        FWjbfEziyNjLlR7aP04wpriPEjAfBgNVHSMEGDAWgBSRFWjbfEziyNjLlR7aP04w
        priPEjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDrlCvAyQ8Q
        1A4yUNxkzYqr5IXD3zYaGcopap1tsHXPjAIhAK9Nz/7mmyIqaptoIHVaPxtpwo7c
        YSOLeZwSKdSZzS8Q
        -----END CERTIFICATE-----

        """

    private static let stranger = """
        -----BEGIN CERTIFICATE-----
        MIIBhjCCAS2gAwIBAgIUG6I7of3LAoCq1vf24NDh3MHK5ZYwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOVHJhY2tNZSB0ZXN0IGIwHhcNMjYxMTIxMDU0ODA5WhcNMzYx
        MTE4MDU0ODA5WjAZMRcwFQYDVQQDDA5UcmFja01lIHRlc3QgYjBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABAcRbHPzrmyi2JwvqJLP1qS1TkrgHrLoEZBRdWBI0I6b
        9eRCR/oKs+nAS92S5x3m/ctedft0MUg1xS1LNlN6Q1mjUzBRMB0GA1UdDgQWBBTI
        z6hMj0hmenXXlFZuOXS5vju5szAfBgNVHSMEGDAWgBTIz6hMj0hmenXXlFZuOXS5
        vju5szAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIE1AwX7LzUxk
        hXxp4XvvJKDPAGyEO7XPvGC55zC6vvvOAiAc9RizL5zYsm29wrfFpHdLoRullns4
        x+CSgq8DXDxGdQ==
        -----END CERTIFICATE-----

        """
}

import Configuration
import Foundation
import TestSupport
import Testing

@testable import AgentKit

struct AgentConfigurationTests {
    private func load(_ yaml: String) async throws -> AgentConfiguration {
        let directory = try TemporaryDirectory(), file = directory.url.appendingPathComponent("agent.yaml")
        try Data(yaml.utf8).write(to: file)
        return try await AgentConfiguration.load(stateDirectory: "/nowhere", file: file.path)
    }

    @Test(
        "EDGE-12: a value that cannot be read or is out of its range is refused, with its key and what it must be",
        arguments: [
            ("page:\n    port: 70000", "trackme.page.port", "0 to 65535"), ("page:\n    port: many", "trackme.page.port", "0 to 65535"),
            ("button:\n    long: 2000", "trackme.button.long", "1 to 10"), ("buffer:\n    bytes: 4096", "trackme.buffer.bytes", "1048576"),
            ("buffer:\n    days: -1", "trackme.buffer.days", "0 to 3650"),
            ("request:\n    seconds: 0", "trackme.request.seconds", "1 to 600"),
            ("voice:\n    enabled: loud", "trackme.voice.enabled", "true or false"),
            ("position:\n    wifi: [1, 2]", "trackme.position.wifi", "true or false"), ("role: lamp", "trackme.role", "gateway"),
            ("position:\n    fixed:\n      latitude: north", "trackme.position.fixed.latitude", "number"),
        ])
    func refused(yaml: String, key: String, range: String) async throws {
        let problem = await #expect(throws: AgentProblem.self) { try await load("trackme:\n  \(yaml)\n") }
        #expect(problem?.what.contains(key) == true && problem?.advice.contains(range) == true, "\(String(describing: problem))")
    }

    @Test("EDGE-12: the button: absent and auto find it, empty is none, and its long press is in seconds")
    func button() async throws {
        #expect(try await load("trackme:\n  role: gateway\n").button.device == "auto")
        let none = try await load("trackme:\n  button:\n    device: \"\"\n    long: 3\n")
        #expect(none.button.device.isEmpty)
        #expect(none.button.long == 3000)
    }
}

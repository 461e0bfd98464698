import Foundation
import TestSupport
import Testing

@testable import AgentKit

/// What the Debian package puts beside the program.
struct PackagedConfigurationTests {
    private static let folder = Repository.url("packaging/deb")

    @Test("OPS-4: the settings that the package installs say the defaults")
    func defaults() async throws {
        let file = Self.folder.appending(path: "agent.yaml").path
        var defaults = AgentConfiguration(stateDirectory: "/nowhere")
        defaults.button.device = "auto"
        #expect(try await AgentConfiguration.load(stateDirectory: "/nowhere", file: file) == defaults)
    }

    @Test("OPS-4: the package and the program have the same version")
    func version() throws {
        let changelog = try String(contentsOf: Self.folder.appending(path: "changelog"), encoding: .utf8)
        #expect(changelog.hasPrefix("trackme-agent (\(AgentVersion.current)) "))
    }
}

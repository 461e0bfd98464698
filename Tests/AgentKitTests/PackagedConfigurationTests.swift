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

    @Test("OPS-4: the settings that the package installs name every setting that there is")
    func complete() throws {
        let file = try String(contentsOf: Self.folder.appending(path: "agent.yaml"), encoding: .utf8)
        let source = try String(contentsOf: Repository.url("Sources/Agent/AgentKit/AgentConfiguration.swift"), encoding: .utf8)
        // Those of the table: `trackme.group.name`; more of one group stand as `.name` behind it.
        let rows = source.split(separator: "\n").filter { $0.contains("/// | `trackme.") }
        #expect(rows.count > 20)
        for row in rows {
            let cell = row.split(separator: "|")[1],
                words = cell.split(separator: "`").map { $0.split(separator: ".").last.map(String.init) ?? "" }
            for name in words where name.wholeMatch(of: /[a-z]+/) != nil {
                #expect(file.contains(try Regex("\\n +(# +)?\(name): ")), "\(row)")
            }
        }
    }

    @Test("OPS-4: the package and the program have the same version")
    func version() throws {
        let changelog = try String(contentsOf: Self.folder.appending(path: "changelog"), encoding: .utf8)
        #expect(changelog.hasPrefix("trackme-agent (\(AgentVersion.current)) "))
    }
}

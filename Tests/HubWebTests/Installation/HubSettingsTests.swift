import Configuration
import Foundation
import Groups
import HubServices
import Synchronization
import TestSupport
import Testing

@testable import HubWeb

/// The package's file of settings and their page, which are made of one table. With `TRACKME_WRITE_TABLES=1` they are written instead.
@Suite("Settings of the hub")
struct HubSettingsTests {
    private static let file = Repository.url("packaging/deb/hub.yaml"), page = Repository.url("docs/hub-settings.md")
    private static let writes = ProcessInfo.processInfo.environment["TRACKME_WRITE_TABLES"] != nil

    @Test("OPS-6: the file that the package installs, and the page, have each setting with its explanation")
    func documents() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8), start = try #require(page.range(of: "| key |")).lowerBound
        if Self.writes {
            try HubSettings.file.write(to: Self.file, atomically: true, encoding: .utf8)
            try (page[..<start] + HubSettings.table).write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(try String(contentsOf: Self.file, encoding: .utf8) == HubSettings.file)
            #expect(page[start...] == HubSettings.table)
        }
        #expect(HubSettings.all.allSatisfy { !$0.value.isEmpty && $0.text.hasSuffix(".") })
    }

    /// Hears which settings are read.
    private final class Asked: AccessReporter {
        private let keys = Mutex<Set<String>>([])
        var all: Set<String> { keys.withLock { $0 } }
        func report(_ event: AccessEvent) { keys.withLock { _ = $0.insert(event.metadata.key.components.joined(separator: ".")) } }
    }

    @Test("OPS-6: each setting that the hub reads is in the table, and no other")
    func complete() {
        let asked = Asked()
        _ = HubConfiguration(config: ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: [:]), accessReporter: asked))
        #expect(asked.all == Set(HubSettings.all.map { "hub.\($0.key)" }))
        #expect(HubSettings.all.count == Set(HubSettings.all.map(\.key)).count)
    }

    @Test("OPS-6: the file is read as it is, and with each line set; what it calls a default is one")
    func read() async throws {
        let folder = try TemporaryDirectory(), file = folder.url.appending(path: "hub.yaml")
        func configuration(_ text: String) async throws -> HubConfiguration {
            try text.write(to: file, atomically: true, encoding: .utf8)
            return try await HubConfiguration.read(file: file.path)
        }
        let asInstalled = try await configuration(HubSettings.file)
        #expect(asInstalled.listen.host == "127.0.0.1" && asInstalled.listen.port == 8443)
        #expect(asInstalled.url == nil && asInstalled.voice.account == nil && asInstalled.sos.rooms.isEmpty)
        let lines = HubSettings.file.split(separator: "\n", omittingEmptySubsequences: false)
        let all = try await configuration(lines.map { $0.hasPrefix("#  ") ? $0.dropFirst() : $0 }.joined(separator: "\n"))
        #expect(all.url == "https://hub.example" && all.voice.prefixes == ["+39", "+41"] && all.operator.phone == "+393330000000")
        #expect(all.sos.rooms == ["118=mailto:118@control.example"] && all.ownAge == 14 && all.helpers.lines != nil)
        #expect(all.quota == asInstalled.quota && all.imports.max == asInstalled.imports.max && all.tls.enabled == asInstalled.tls.enabled)
        #expect(all.mail.connections == asInstalled.mail.connections && all.mail.sendmail == asInstalled.mail.sendmail)
        #expect(all.mail.sender == asInstalled.mail.sender && all.map.leaflet == asInstalled.map.leaflet)
        #expect(all.voice.lines == asInstalled.voice.lines && all.voice.program == asInstalled.voice.program)
        #expect(all.consent.answerWithin == asInstalled.consent.answerWithin && all.consent.denialsMax == asInstalled.consent.denialsMax)
        #expect(all.runs.organisers == asInstalled.runs.organisers && all.groups.isEnabled == asInstalled.groups.isEnabled)
        #expect(try all.groups.settings().budget == asInstalled.groups.settings().budget)
    }

    @Test("OPS-6: the package and the program have the same version")
    func version() throws {
        let changelog = try String(contentsOf: Repository.url("packaging/deb/changelog.hub"), encoding: .utf8)
        #expect(changelog.hasPrefix("trackme-hub (\(HubVersion.current)) "))
    }
}

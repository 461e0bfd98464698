import Foundation
import TestSupport
import Testing

@testable import HubWeb

/// All mistakes of a file of settings, at once.
@Suite("trackme-hub serve --check")
struct HubSettingsCheckTests {
    private func mistakes(_ text: String) async throws -> [String] {
        let folder = try TemporaryDirectory(), file = folder.url.appending(path: "hub.yaml")
        try text.write(to: file, atomically: true, encoding: .utf8)
        var configuration = try await HubConfiguration.read(file: file.path)
        configuration.use(directory: folder.url.path)
        return HubSettingsCheck.mistakes(in: configuration)
    }

    @Test("OPS-6: the file that the package installs has no mistake, as it is and with each section begun")
    func installed() async throws {
        #expect(try await mistakes(HubSettings.file) == [])
        #expect(SettingsKeys.unknown(in: HubSettings.file.replacing("\n#  ", with: "\n  "), of: "hub.yaml") == [])
    }

    @Test("OPS-6: all mistakes are told at once, each with its key and what to write")
    func all() async throws {
        let found = try await mistakes(
            """
            hub:
              quota: 12
              age:
                own: 99
              listen:
                port: none
              tls:
                certificate: /nowhere.pem
              webhooks:
                allow: [10.8.0.0/16, here]
              consent:
                denialsMax: 0
              operator:
                mail: ops
                phone: "333"
              runs:
                organisers: nobody
            """)
        let keys = [
            "hub.listen.port", "hub.tls.certificate", "hub.webhooks.allow", "hub.operator.mail", "hub.operator.phone is 333",
            "hub.operator.phone is set", "hub.quota", "hub.age.own", "hub.runs.organisers", "hub.consent.denialsMax",
        ]
        for key in keys { #expect(found.contains { $0.contains(key) }, "\(key): \(found)") }
        #expect(found.count == keys.count, "\(found)")
        #expect(found.contains { $0.contains("whole number") })
    }

    @Test("OPS-6: a key that is no setting is told with its line and the one that was meant")
    func unknown() async throws {
        let found = try await mistakes(
            "hub:\n  mial:\n    server: smtps://mail.example\n  # quotas: 1\n  quotas: 10000000\n  names: [a,\n    b]\n")
        #expect(found.count == 2, "\(found)")
        #expect(found[0].contains("line 2: hub.mial is no setting."))
        #expect(found[1].contains("line 5: hub.quotas is no setting. Was hub.quota meant?"))
    }

    @Test("OPS-6: a hub with an unknown key starts, one with a value of another kind does not")
    func refused() async throws {
        let folder = try TemporaryDirectory(), file = folder.url.appending(path: "hub.yaml")
        try "hub:\n  quotas: 1\n".write(to: file, atomically: true, encoding: .utf8)
        try await HubConfiguration.read(file: file.path).check()
        try "hub:\n  tls:\n    enabled: perhaps\n".write(to: file, atomically: true, encoding: .utf8)
        let read = try await HubConfiguration.read(file: file.path)
        let error = #expect(throws: HubConfigurationError.self) { try read.check() }
        #expect(error?.mistakes.count == 1 && error?.description.contains("hub.tls.enabled") == true)
    }

    @Test("OPS-6: a certificate that the hub could not show is a mistake")
    func certificate() async throws {
        let found = try await mistakes("hub:\n  tls:\n    certificate: /nowhere.pem\n    key: /nowhere.key\n")
        #expect(found.count == 1 && found[0].contains("/nowhere.pem"), "\(found)")
    }
}

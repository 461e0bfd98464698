import Foundation
import Seams
import Synchronization
import TestSupport
import Testing

@testable import HubWeb

/// Five questions at a shell. What is tried is made up; questions, answers and the file are real.
@Suite("trackme-hub setup")
struct HubSetupTests {
    private final class Shell {
        var answers: [String]
        var said: [String] = [], questions: [String] = [], secrets = 0
        init(_ answers: [String]) { self.answers = answers }

        func ask(_ question: String, _ isSecret: Bool) -> String? {
            questions.append(question)
            if isSecret { secrets += 1 }
            return answers.isEmpty ? nil : answers.removeFirst()
        }
    }

    private static let works = HubSetup.Tries(
        name: { _ in nil }, certificate: { _, _ in nil }, request: { _, _ in nil }, mail: { _, _ in nil }, text: { _, _ in nil },
        map: { _ in nil })

    private let folder: TemporaryDirectory, file: String

    init() throws {
        folder = try TemporaryDirectory()
        file = folder.url.appending(path: "hub.yaml").path
        try HubSettings.file.write(toFile: file, atomically: true, encoding: .utf8)
    }

    private func run(_ shell: Shell, _ tries: HubSetup.Tries = Self.works) async throws -> [String] {
        try await HubSetupCommand.run(
            file, on: .system, ask: { shell.ask($0, $1) }, say: { shell.said.append($0) }, tries: { _ in tries })
    }

    @Test("OPS-6: five answers become settings that the hub reads; the password lies apart, and what was before beside the file")
    func answers() async throws {
        let shell = Shell([
            "hub.example", "/etc/trackme/tls/chain.pem", "/etc/trackme/tls/key.pem", "smtps://mail.example", "trackme", "se\"cret#",
            "trackme@hub.example", "ops@hub.example", "/usr/local/bin/send-text", "+393330000000", "/var/tmp/region.osm.pbf",
        ])
        let steps = try await run(shell)
        #expect(shell.answers.isEmpty && shell.secrets == 1)
        let configuration = try await HubConfiguration.read(file: file)
        #expect(configuration.url == "https://hub.example:8443" && configuration.listen.host == "0.0.0.0")
        #expect(configuration.tls.certificate == "/etc/trackme/tls/chain.pem" && configuration.tls.key == "/etc/trackme/tls/key.pem")
        #expect(configuration.mail.server == "smtps://mail.example" && configuration.mail.user == "trackme")
        #expect(configuration.mail.sender == "trackme@hub.example" && configuration.operator.mail == "ops@hub.example")
        #expect(configuration.sms.command == "/usr/local/bin/send-text" && configuration.operator.phone == "+393330000000")
        let password = try #require(configuration.mail.passwordFile)
        #expect(try String(contentsOfFile: password, encoding: .utf8) == "se\"cret#\n")
        for path in [password, file] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        }
        #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("cret#"))
        #expect(try String(contentsOfFile: file + ".before-setup", encoding: .utf8) == HubSettings.file)
        #expect(steps.contains("sudo trackme-hub map import /var/tmp/region.osm.pbf"))
        #expect(steps.first == "sudo systemctl restart trackme-hub")
    }

    @Test("OPS-6: what does not work is said, and asked again or kept; Enter leaves a thing as it is")
    func problems() async throws {
        var tries = Self.works
        tries.name = { $0 == "hub.example" ? nil : "it is not known" }
        let shell = Shell(["wrong.example", "", "hub example", "", "other.example", "k", "", "", "", ""])
        _ = try await run(shell, tries)
        #expect(shell.said.filter { $0.contains("it is not known") }.count == 2)
        #expect(shell.said.contains { $0.contains("hub example is no name") })
        let configuration = try await HubConfiguration.read(file: file)
        #expect(configuration.url == "https://other.example:8443")
        #expect(configuration.tls.certificate == nil && configuration.mail.server == nil && configuration.sms.command == nil)
    }

    @Test("OPS-6: acme asks for a certificate by the hub's name, and the settings name it once it is there")
    func acme() async throws {
        let asked = Mutex<[String]>([])
        var tries = Self.works
        tries.request = { name, mail in
            asked.withLock {
                $0.append("\(name) \(mail)")
                return $0.count == 1 ? "port 80 is taken" : nil
            }
        }
        // The first try fails, and question 2 comes again.
        let shell = Shell(["hub.example", "acme", "ops@hub.example", "acme", "ops@hub.example", "", "", ""])
        _ = try await run(shell, tries)
        #expect(shell.answers.isEmpty)
        #expect(shell.said.contains { $0.contains("port 80 is taken") })
        #expect(asked.withLock { $0 } == ["hub.example ops@hub.example", "hub.example ops@hub.example"])
        let tls = try await HubConfiguration.read(file: file).tls
        #expect(tls.certificate == "/etc/trackme/tls/hub.pem" && tls.key == "/etc/trackme/tls/hub.pem")
    }

    @Test("OPS-6: without a certificate the settings name none, and without a name none is asked for")
    func noCertificate() async throws {
        var tries = Self.works
        tries.request = { name, _ in "not for \(name)" }
        let nameless = Shell(["", "acme", "", "", "", ""])
        _ = try await run(nameless, tries)
        #expect(nameless.answers.isEmpty && nameless.said.contains { $0.contains("has no name yet") })
        // Neither k nor anything else keeps what is not there; Enter goes on.
        let refused = Shell(["hub.example", "acme", "ops@hub.example", "", "", "", ""])
        _ = try await run(refused, tries)
        #expect(refused.answers.isEmpty && refused.said.contains { $0.contains("not for hub.example") })
        #expect(try await HubConfiguration.read(file: file).tls.certificate == nil)
        // The name that the settings have already counts, too.
        let named = Shell(["", "acme", "ops@hub.example", "", "", "", ""])
        _ = try await run(named, tries)
        #expect(named.said.contains { $0.contains("not for hub.example") })
    }

    @Test("OPS-6: nobody who answers leaves the file as it was")
    func ended() async throws {
        await #expect(throws: HubConfigurationError.self) { try await run(Shell(["hub.example", ""])) }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == HubSettings.file)
        #expect(!FileManager.default.fileExists(atPath: file + ".before-setup"))
    }

    @Test("OPS-6: a setting takes its place, commented out or set, with its section; what an operator wrote stays")
    func lines() {
        var file = HubSettingsFile(
            "# mine\nhub:\n  url: https://old.example\n#  mail:\n    # words: of an explanation\n#    server: x\n  map:\n    tiles: y\n")
        file.set("url", to: "https://new.example")
        file.set("mail.server", to: "smtps://mail.example")
        file.set("mail.user", to: "+39")
        file.set("sms.command", to: "/bin/a b")
        #expect(
            file.text
                == "# mine\nhub:\n  sms:\n    command: \"/bin/a b\"\n  url: https://new.example\n  mail:\n    user: \"+39\"\n"
                + "    # words: of an explanation\n    server: smtps://mail.example\n  map:\n    tiles: y\n")
        var empty = HubSettingsFile("")
        empty.set("url", to: "https://a.example")
        #expect(empty.text == "hub:\n  url: https://a.example\n")
    }
}

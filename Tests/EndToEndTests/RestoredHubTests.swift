import Accounts
import Distress
import Foundation
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

/// The real programs: the hub is stopped, the database of AutomatedSOS put back to an older copy, and started again.
@Suite(.serialized, .timeLimit(.minutes(6)))
struct RestoredHubTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private struct Place {
        let directory: TemporaryDirectory
        let binaries: URL
        let person: StoredAccount

        init() throws {
            directory = try TemporaryDirectory()
            let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            binaries = try #require(
                [beside, RestoredHubTests.root.appendingPathComponent(".build/debug")].first {
                    FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("trackme-hub").path)
                })
            let hub = try HubDirectory(directory.url.appendingPathComponent("hub")), accounts = try AccountStore(hub, keys: KeyStore(hub))
            let details = [
                Field.email.rawValue: "ada@example.org", Field.firstName.rawValue: "Ada", Field.lastName.rawValue: "Made-Up",
                Field.dateOfBirth.rawValue: "1950-03-01",
            ]
            let new = NewAccount(
                roles: [.person], details: details, canonicalEmail: "ada@example.org", canonicalIdentifier: nil, password: "none",
                language: "en", accepted: [:])
            guard case .added(let account) = try accounts.addConfirmedAccount(new, now: Self.now) else {
                throw CocoaError(.fileWriteUnknown)
            }
            person = account
        }

        static var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

        func path(_ name: String) -> String { directory.url.appendingPathComponent(name).path }
        func log(_ name: String) -> String { (try? String(contentsOfFile: path(name + ".log"), encoding: .utf8)) ?? "" }

        func run(_ program: String, _ arguments: [String]) throws -> String {
            let process = Process(), pipe = Pipe()
            process.executableURL = binaries.appendingPathComponent(program)
            process.arguments = arguments
            process.standardOutput = pipe
            process.standardError = FileHandle(forWritingAtPath: "/dev/null")
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// Changes what the person chose, while no hub runs.
        func change(_ body: (inout SOSChoice) -> Void) throws {
            let hub = try HubDirectory(URL(fileURLWithPath: path("hub"))), store = try SOSStore(hub, keys: KeyStore(hub))
            try store.change(person.id.person, by: person.id, now: Self.now) { choice in
                body(&choice)
                return ["contact +"]
            }
            try store.setConsent(
                SOSConsent(giver: person.id, document: "test", given: Self.now), of: person.id.person, now: Self.now)
        }

        func choice() throws -> SOSChoice {
            let hub = try HubDirectory(URL(fileURLWithPath: path("hub")))
            return try SOSStore(hub, keys: KeyStore(hub)).choice(of: person.id.person)
        }

        func startHub(port: Int) throws -> KillTests.Program {
            try? FileManager.default.removeItem(atPath: path("hub/address"))
            return try KillTests.Program(
                binaries.appendingPathComponent("trackme-hub"), ["serve", "--directory", path("hub"), "--port", "\(port)"],
                log: path("hub.log"))
        }

        func port() async throws -> Int {
            for _ in 0..<1500 {
                let address = try? String(contentsOfFile: path("hub/address"), encoding: .utf8)
                if let port = address.flatMap({ URL(string: $0.trimmingCharacters(in: .whitespacesAndNewlines))?.port }) { return port }
                try await Task.sleep(for: .milliseconds(20))
            }
            throw CocoaError(.fileNoSuchFile)
        }

        /// What `trackme-agent sos` says, once it is so.
        func sos(_ isSo: (String) -> Bool) async throws -> String {
            var said = ""
            for _ in 0..<240 {
                said = try run("trackme-agent", ["sos", "--state", path("agent")])
                if isSo(said) { return said }
                try await Task.sleep(for: .milliseconds(500))
            }
            Issue.record("\(said)\n\(log("agent"))\n\(log("hub"))")
            return said
        }
    }

    private static func contact(_ name: String, _ phone: String) -> SOSContact {
        SOSContact(name: name, phone: phone, email: nil, language: "en")
    }

    @Test(
        "SOS-9, SOS-20: a hub that is put back to an older copy does not take a contact from the box; both call both until somebody decides"
    )
    func restored() async throws {
        let place = try Place()
        try place.change { choice in
            choice.isOn = true
            choice.contacts = [Self.contact("Bruno", "+390255500001")]
        }
        let yaml = """
            trackme:
              gpsd: {address: ""}
              page: {port: 0}
              voice: {enabled: false}
              modem: {enabled: false}
              position: {wifi: false, fixed: {latitude: 45.4, longitude: 9.0}}

            """
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: place.path("agent.yaml")))
        var hub = try place.startHub(port: 0)
        defer { hub.kill() }
        let port = try await place.port()
        let code = try place.run(
            "trackme-hub", ["enrolment-code", "--directory", place.path("hub"), "--person", place.person.id.person.description])
        let words = code.replacingOccurrences(of: "'", with: "").split(separator: " ").map(String.init)
        _ = try place.run("trackme-agent", Array(words.dropFirst()) + ["--state", place.path("agent")])
        var box = try KillTests.Program(
            place.binaries.appendingPathComponent("trackme-agent"),
            ["run", "--state", place.path("agent"), "--config", place.path("agent.yaml")], log: place.path("agent.log"))
        defer { box.kill() }
        _ = try await place.sos { $0.contains("would call: Bruno\n") }
        hub.terminate()
        let yesterday = try TemporaryDirectory(copyOf: URL(fileURLWithPath: place.path("hub")))
        try place.change { $0.contacts.append(Self.contact("Carla", "+390255500002")) }
        hub = try place.startHub(port: port)
        _ = try await place.sos { $0.contains("would call: Bruno, Carla\n") }
        hub.terminate()

        // The backup, in which as many changes are made again: the version is the same, and the content is not.
        for file in try FileManager.default.contentsOfDirectory(atPath: place.path("hub")) where file.hasPrefix("sos.sqlite") {
            try FileManager.default.removeItem(atPath: place.path("hub/\(file)"))
        }
        for file in try FileManager.default.contentsOfDirectory(atPath: yesterday.url.path) where file.hasPrefix("sos.sqlite") {
            try FileManager.default.copyItem(atPath: yesterday.url.appendingPathComponent(file).path, toPath: place.path("hub/\(file)"))
        }
        try place.change { $0.contacts.append(Self.contact("Dario", "+390255500003")) }
        hub = try place.startHub(port: port)
        let disputed = try await place.sos { $0.contains("hub: on, would call Bruno, Dario") }
        #expect(disputed.contains("would call: Bruno, Carla, Dario\n"), "\(disputed)")
        #expect(disputed.contains("here: on, would call Bruno, Carla, last changed by Ada Made-Up"), "\(disputed)")
        // A box that is started anew while the hub is away calls both as well.
        hub.terminate()
        box.kill()
        box = try KillTests.Program(
            place.binaries.appendingPathComponent("trackme-agent"),
            ["run", "--state", place.path("agent"), "--config", place.path("agent.yaml")], log: place.path("agent.log"))
        _ = try await place.sos { $0.contains("would call: Bruno, Carla, Dario\n") && $0.contains("here: on") }
        let kept = try place.choice()
        #expect(kept.inForce.contacts.map(\.name) == ["Bruno", "Dario", "Carla"])
        try place.change { $0 = $0.decided(.copy(0), now: Place.now) }
        hub = try place.startHub(port: port)
        let decided = try await place.sos { !$0.contains("here: on") && $0.contains("would call: Bruno, Carla\n") }
        #expect(decided.contains("would call: Bruno, Carla\n"))
        box.terminate()
        hub.terminate()
    }
}

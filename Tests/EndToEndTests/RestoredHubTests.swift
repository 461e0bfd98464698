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
    private struct Place {
        let programs: InstalledPrograms
        let person: StoredAccount

        init() throws {
            programs = try InstalledPrograms()
            let hub = try HubDirectory(URL(fileURLWithPath: programs.path("hub"))), accounts = try AccountStore(hub, keys: KeyStore(hub))
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

        /// Changes what the person chose, while no hub runs.
        func change(_ body: (inout SOSChoice) -> Void) throws {
            let hub = try HubDirectory(URL(fileURLWithPath: programs.path("hub"))), store = try SOSStore(hub, keys: KeyStore(hub))
            try store.change(person.id.person, by: person.id, now: Self.now) { choice in
                body(&choice)
                return ["contact +"]
            }
            try store.setConsent(
                SOSConsent(giver: person.id, document: "test", given: Self.now), of: person.id.person, now: Self.now)
        }

        func choice() throws -> SOSChoice {
            let hub = try HubDirectory(URL(fileURLWithPath: programs.path("hub")))
            return try SOSStore(hub, keys: KeyStore(hub)).choice(of: person.id.person)
        }

        /// What `trackme-agent sos` says, once it is so.
        func sos(_ isSo: (String) -> Bool) async throws -> String {
            var said = ""
            for _ in 0..<240 {
                said = try programs.agent("sos").output
                if isSo(said) { return said }
                try await Task.sleep(for: .milliseconds(500))
            }
            Issue.record("\(said)\n\(programs.log("agent"))\n\(programs.log("hub"))")
            return said
        }
    }

    /// Puts databases of the hub back to an older copy, while no hub runs. Keys stay: their backup is their latest state.
    private static func restore(_ place: Place, _ databases: [String], from copy: TemporaryDirectory) throws {
        let files = FileManager.default, hub = place.programs.path("hub")
        func isMeant(_ file: String) -> Bool { databases.contains { file.hasPrefix($0 + ".sqlite") } }
        for file in try files.contentsOfDirectory(atPath: hub) where isMeant(file) { try files.removeItem(atPath: hub + "/" + file) }
        for file in try files.contentsOfDirectory(atPath: copy.url.path) where isMeant(file) {
            try files.copyItem(atPath: copy.url.appendingPathComponent(file).path, toPath: hub + "/" + file)
        }
    }

    @Test("OPS-2: a hub that is put back to before a box's enrolment costs the box nothing: enrolled anew it sends what it held")
    func forgottenBox() async throws {
        let place = try Place(), programs = place.programs
        let yaml = """
            trackme:
              gpsd: {address: ""}
              page: {port: 0}
              voice: {enabled: false}
              modem: {enabled: false}
              position: {wifi: false}

            """
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: programs.path("agent.yaml")))
        let yesterday = try TemporaryDirectory(copyOf: URL(fileURLWithPath: programs.path("hub")))
        var hub = try programs.startHub(port: 0)
        defer { hub.kill() }
        let port = try await programs.port()
        func code() throws -> [String] {
            try programs.run(
                "trackme-hub", ["enrolment-code", "--directory", programs.path("hub"), "--person", place.person.id.person.description]
            ).output.replacingOccurrences(of: "'", with: "").split(separator: " ").map(String.init)
        }
        // A command of the agent, until it says so.
        func agent(_ command: [String], says text: String) async throws -> String {
            var said = ""
            for _ in 0..<240 {
                said = try programs.run("trackme-agent", command + ["--state", programs.path("agent")]).output
                if said.contains(text) { return said }
                try await Task.sleep(for: .milliseconds(500))
            }
            Issue.record("\(said)\n\(programs.log("agent"))\n\(programs.log("hub"))")
            return said
        }
        func enrol(_ more: [String]) throws -> Int32 {
            try programs.run("trackme-agent", ["enrol"] + more + code().dropFirst(2) + ["--state", programs.path("agent")]).status
        }
        #expect(try enrol([]) == 0)
        var box = try programs.startAgent()
        defer { box.kill() }
        while try programs.agent("record", "weight", "72.5").status != 0 { try await Task.sleep(for: .milliseconds(500)) }
        _ = try await agent(["sync"], says: "Everything has arrived at the hub.")
        hub.terminate()
        try Self.restore(place, ["accounts", "journal", "series"], from: yesterday)
        hub = try programs.startHub(port: port)
        #expect(try programs.agent("record", "weight", "72.6").status == 0)
        let refused = try await agent(["status"], says: "Ask whoever runs the hub")
        #expect(refused.contains("Ada Made-Up (\(place.person.id.person))"), "nobody is erased")
        box.terminate()
        #expect(try enrol(["--replace"]) == 0)
        box = try programs.startAgent()
        _ = try await agent(["sync"], says: "Everything has arrived at the hub.")
        box.terminate()
        hub.terminate()
        let files = try HubDirectory(URL(fileURLWithPath: programs.path("hub"))), keys = try KeyStore(files)
        let accounts = try AccountStore(files, keys: keys), series = try SeriesStore(files, accounts: accounts, keys: keys)
        let reading = try #require(
            try series.reader.read(.maintenance(of: place.person.id.person), from: .min / 2, to: .max / 2, now: Place.now))
        let weights = reading.scalars.filter { $0.kind == .weight }
        #expect(weights.count == 2, "what the hub had taken before comes again, too: \(weights)")
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
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: place.programs.path("agent.yaml")))
        var hub = try place.programs.startHub(port: 0)
        defer { hub.kill() }
        let port = try await place.programs.port()
        let code = try place.programs.run(
            "trackme-hub", ["enrolment-code", "--directory", place.programs.path("hub"), "--person", place.person.id.person.description]
        ).output
        let words = code.replacingOccurrences(of: "'", with: "").split(separator: " ").map(String.init)
        _ = try place.programs.run("trackme-agent", Array(words.dropFirst()) + ["--state", place.programs.path("agent")])
        var box = try place.programs.startAgent()
        defer { box.kill() }
        _ = try await place.sos { $0.contains("would call: Bruno\n") }
        hub.terminate()
        let yesterday = try TemporaryDirectory(copyOf: URL(fileURLWithPath: place.programs.path("hub")))
        try place.change { $0.contacts.append(Self.contact("Carla", "+390255500002")) }
        hub = try place.programs.startHub(port: port)
        _ = try await place.sos { $0.contains("would call: Bruno, Carla\n") }
        hub.terminate()

        // The backup, in which as many changes are made again: the version is the same, and the content is not.
        try Self.restore(place, ["sos"], from: yesterday)
        try place.change { $0.contacts.append(Self.contact("Dario", "+390255500003")) }
        hub = try place.programs.startHub(port: port)
        let disputed = try await place.sos { $0.contains("hub: on, would call Bruno, Dario") }
        #expect(disputed.contains("would call: Bruno, Carla, Dario\n"), "\(disputed)")
        #expect(disputed.contains("here: on, would call Bruno, Carla, last changed by Ada Made-Up"), "\(disputed)")
        // A box that is started anew while the hub is away calls both as well.
        hub.terminate()
        box.kill()
        box = try place.programs.startAgent()
        _ = try await place.sos { $0.contains("would call: Bruno, Carla, Dario\n") && $0.contains("here: on") }
        let kept = try place.choice()
        #expect(kept.inForce.contacts.map(\.name) == ["Bruno", "Dario", "Carla"])
        try place.change { $0 = $0.decided(.copy(0), now: Place.now) }
        hub = try place.programs.startHub(port: port)
        let decided = try await place.sos { !$0.contains("here: on") && $0.contains("would call: Bruno, Carla\n") }
        #expect(decided.contains("would call: Bruno, Carla\n"))
        box.terminate()
        hub.terminate()
    }
}

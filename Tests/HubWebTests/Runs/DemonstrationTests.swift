import Accounts
import Credentials
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import Seams
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// `trackme-hub demo`: people who are made up, and the links that log in as them.
@Suite struct DemonstrationTests {
    private static func now() -> Milliseconds { Machine.system.utc }

    private struct Ground {
        let directory: TemporaryDirectory
        var configuration: HubConfiguration
        let course: String
        let state: String

        init() throws {
            directory = try TemporaryDirectory()
            configuration = HubConfiguration(directory: directory.url.appendingPathComponent("hub", isDirectory: true))
            let points = (0...30).map { "<trkpt lat=\"\(45.0 + Double($0) * 0.0002)\" lon=\"9\"/>" }.joined()
            let file = directory.url.appendingPathComponent("course.gpx")
            try Data("<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>".utf8).write(to: file)
            (course, state) = (file.path, directory.url.appendingPathComponent("watch.json").path)
        }

        func demonstrate() async throws -> [String: String] {
            let said = try await HubCommands.demonstrate(course: course, state: state, configuration)
            return Dictionary(
                uniqueKeysWithValues: said.split(separator: "\n").map { line in
                    let name = line.prefix { $0 != ":" }
                    return (String(name), String(line.dropFirst(name.count + 2)))
                })
        }
    }

    @Test("somebody is made up with a relative who may look, a run next week and a box to send for; again, it is the same person")
    func people() async throws {
        let ground = try Ground(), first = try await ground.demonstrate()
        let person = try #require(PersonID(first["Person"] ?? "")), names = try #require(first["User names"]).components(separatedBy: ", ")
        let stage = try HubCommands.Stage(ground.configuration)
        let account = try #require(try stage.accounts.account(AccountID(person)))
        let relative = try #require(try stage.accounts.account(email: names[1]))
        #expect(names[0] == account.email && !account.hasMail && !relative.hasMail && relative.roles == [.caregiver])
        #expect(try stage.consents.siteGrant(of: person, to: relative.id)?.kinds.isSuperset(of: [.heartRate, .position, .sleep]) == true)
        let runs = try stage.runs.enrolments.runs(of: person, for: account)
        #expect(runs.count == 1 && runs.allSatisfy { (6...7).contains(($0.starts - Self.now()) / 86_400_000) })
        let file = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: ground.state))) as? [String: Any]
        #expect(file?["persons"] as? [String] == [person.description])
        #expect(try HubCommands.agents(ground.configuration).count == 1)

        let again = try await ground.demonstrate()
        #expect(again["Person"] == first["Person"] && again["Password"] == first["Password"])
        #expect(again["Log in"] != first["Log in"] && again["Relative"] != again["Log in"])
        #expect(try HubCommands.agents(ground.configuration).count == 1 && HubCommands.people(ground.configuration).count == 1)
        #expect(try stage.runs.enrolments.runs(of: person, for: account).count == 1)
    }

    @Test("nobody is made up among real people, nor at a hub that others reach, nor without a course")
    func refused() async throws {
        var ground = try Ground()
        ground.configuration.url = "https://hub.example"
        await #expect(throws: HubConfigurationError.self) { _ = try await ground.demonstrate() }
        ground.configuration.url = "https://localhost:8443"
        ground.configuration.listen.host = "0.0.0.0"
        await #expect(throws: HubConfigurationError.self) { _ = try await ground.demonstrate() }
        ground.configuration.listen.host = "127.0.0.1"
        let configuration = ground.configuration
        await #expect(throws: HubConfigurationError.self) {
            _ = try await HubCommands.demonstrate(course: "/nowhere.gpx", state: ground.state, configuration)
        }
        _ = try HubCommands.addPeople(names: ["Real"], ground.configuration)
        await #expect(throws: HubConfigurationError.self) { _ = try await ground.demonstrate() }
    }

    /// An account of a running hub, with a link that logs in as it where that works.
    private func account(_ name: String, _ web: WebFixture) throws -> StoredAccount {
        let new = NewAccount(
            roles: [.person], details: [Field.email.rawValue: name, Field.firstName.rawValue: "Marta", Field.lastName.rawValue: "V."],
            canonicalEmail: name, canonicalIdentifier: nil, password: "", language: "en", accepted: [:])
        guard case .added(let account) = try web.hub.accounts.addConfirmedAccount(new, now: Self.now()) else {
            throw HubStoreError.unknownPerson(name)
        }
        return account
    }

    @Test("a link logs in as somebody made up: by its button, once, from the hub's own page")
    func link() async throws {
        try await WebFixture.run { web in
            let account = try account("rehearsal.1.demo", web), time = Self.now()
            let secret = try #require(try AccountService.makeDemonstrationLink(to: account, web.hub.accounts, now: time))
            let path = "\(DemonstrationPages.path)/\(secret.text)"
            for _ in 0..<2 {
                let page = try await web.send(.GET, path)
                #expect(page.status == 200 && page.body.contains("Log in as Marta V.") && page.header("set-cookie") == nil)
            }
            #expect(try await web.send(.GET, path, headers: [("accept-language", "it")]).body.contains("Accedi come Marta V."))
            #expect(try await web.send(.POST, path, headers: [("sec-fetch-site", "cross-site")]).status == 403)
            let answer = try await web.send(.POST, path)
            #expect(answer.status == 303 && answer.header("location") == "/home")
            let cookie = String(try #require(answer.header("set-cookie")).prefix { $0 != ";" })
            #expect(try await web.send(.GET, "/home", cookie: cookie).status == 200)
            #expect(try await web.send(.POST, path).status == 410)
            #expect(try await web.send(.GET, path).status == 410)

            let late = try #require(
                try AccountService.makeDemonstrationLink(
                    to: account, web.hub.accounts, now: time - AccountService.demonstrationLifetime - 1000))
            #expect(try await web.send(.POST, "\(DemonstrationPages.path)/\(late.text)").status == 410)
        }
    }

    @Test("no link logs in as anybody real, whoever put it into the database, and no other link of an account logs in")
    func real() async throws {
        try await WebFixture.run { web in
            // The second is a user name that only looks made up: it is an address.
            for name in ["ada@example.org", "rehearsal.ada@example.org"] {
                let account = try account(name, web)
                #expect(try AccountService.makeDemonstrationLink(to: account, web.hub.accounts, now: Self.now()) == nil)
                let secret = SecretToken.random(using: Machine.system.randomness)
                try web.hub.accounts.addLink(secret.hash, .demonstration, of: account.row, expires: Self.now() + 60_000)
                for method in [HTTPMethod.GET, .POST] {
                    #expect(try await web.send(method, "\(DemonstrationPages.path)/\(secret.text)").status == 410)
                }
            }
            let account = try account("rehearsal.1.demo", web), reset = SecretToken.random(using: Machine.system.randomness)
            try web.hub.accounts.addLink(reset.hash, .reset, of: account.row, expires: Self.now() + 60_000)
            #expect(try await web.send(.POST, "\(DemonstrationPages.path)/\(reset.text)").status == 410)
        }
    }

    @Test("a hub that others reach has no such page", arguments: ["https://hub.example", "https://127.0.0.1.example:8443"])
    func reached(url: String) async throws {
        func look(_ web: WebFixture) async throws {
            let account = try account("rehearsal.1.demo", web)
            let secret = try #require(try AccountService.makeDemonstrationLink(to: account, web.hub.accounts, now: Self.now()))
            #expect(try await web.send(.GET, "\(DemonstrationPages.path)/\(secret.text)").status == 404)
            #expect(try await web.send(.POST, "\(DemonstrationPages.path)/\(secret.text)").status == 404)
        }
        try await WebFixture.run(change: { $0.url = url }, look)
    }
}

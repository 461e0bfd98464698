import Accounts
import Foundation
import HubServices
import HubStore
import Languages
import Logging
import NIOHTTP1
import Seams
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import HubWeb

/// The page that sets up a box, and a real box over TLS.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BoxSetUpWebTests {
    /// What the link on the page holds.
    private func link(_ page: String) throws -> SetUpLink {
        let found = try #require(page.firstMatch(of: /href="http:\/\/trackme\.local:7358\/#([^"]+)"/)).output.1
        return try #require(SetUpLink(fragment: String(found)))
    }

    private func configuration(_ directory: TemporaryDirectory) -> AgentConfiguration {
        AgentConfiguration(stateDirectory: directory.url.path)
    }

    /// Of a box that runs here, and touches nothing of this machine.
    private func running(_ directory: TemporaryDirectory) -> AgentConfiguration {
        var configuration = configuration(directory)
        (configuration.page.port, configuration.voice.isEnabled, configuration.modem.isEnabled) = (0, false, false)
        (configuration.position.gpsd, configuration.position.wifi, configuration.hooks) = (nil, false, directory.url.path + "/none")
        return configuration
    }

    /// Connects a box by the link, with the words confirmed on both sides.
    private func connect(_ web: WebFixture, cookie: String, _ configuration: AgentConfiguration) async throws -> [TakeOver]? {
        _ = try await web.post("/boxes/setup", [:], cookie: cookie)
        let link = try link(try await web.send(.GET, "/boxes/setup", cookie: cookie).body)
        let request = BoxPairing.Request(hub: link.hub, code: link.code, fingerprint: link.fingerprint, name: "box <1>")
        let box = try await BoxPairing.begin(request, configuration: configuration, machine: .system)
        _ = try await web.post("/boxes/setup/confirm", ["words": box.words], cookie: cookie)
        return try await box.claim()
    }

    /// Runs a box until the page Boxes shows this: that page.
    private func boxes(_ web: WebFixture, cookie: String, show text: String, of configuration: AgentConfiguration) async throws -> String {
        let socket = configuration.stateDirectory + "/control"
        let agent = try buildAgent(
            configuration: configuration, task: .run(LiveOptions(sensor: nil, person: nil, controlSocket: socket)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, say: { _ in })
        let running = Task { try await agent.run() }
        var page = ""
        while !page.contains(text) {
            // What is pressed is sent, and with it comes the box's first token.
            _ = try? await ControlClient(path: socket).send(ControlRequest(.ok))
            try await Task.sleep(for: .milliseconds(200))
            page = try await web.send(.GET, "/boxes", cookie: cookie).body
        }
        running.cancel()
        _ = await running.result
        return page
    }

    @Test(
        "EDGE-14: a box that is set up by its page is connected once both sides confirmed the same words",
        arguments: [true, false])
    func wholeWay(byLink: Bool) async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), directory = try TemporaryDirectory()
            let begun = try await web.post("/boxes/setup", [:], cookie: person.cookie)
            #expect(begun.status == 303 && begun.header("location") == "/boxes/setup")
            let page = try await web.send(.GET, "/boxes/setup", cookie: person.cookie).body
            let link = try link(page)
            #expect(link.hub == web.url && page.contains("<svg") && page.contains("<code translate=\"no\">\(web.url)</code>"))
            let fingerprint = try #require(link.fingerprint)
            let request = BoxPairing.Request(
                hub: link.hub, code: link.code, fingerprint: byLink ? fingerprint : nil, name: "box <1>")
            let box = try await BoxPairing.begin(request, configuration: configuration(directory), machine: .system)
            #expect(try await web.send(.GET, "/boxes/setup/state", cookie: person.cookie).body == "compare")
            let compare = try await web.send(.GET, "/boxes/setup", cookie: person.cookie).body
            #expect(compare.contains(">\(box.words)<") && compare.contains("box &lt;1&gt;"))
            #expect(try await box.claim() == nil, "not confirmed at the hub")
            #expect(try Identity.load(from: directory.url.path) == nil, "and so the box keeps nothing")
            #expect(try await web.post("/boxes/setup/confirm", ["words": "babab-babab"], cookie: person.cookie).status == 303)
            #expect(try await box.claim() == nil, "other words")
            #expect(try await web.post("/boxes/setup/confirm", ["words": box.words], cookie: person.cookie).status == 303)
            #expect(try await box.claim() == [])
            let identity = try #require(try Identity.load(from: directory.url.path))
            #expect(identity.persons.map(\.person) == [person.account.id.person] && identity.hub.description == web.url)
            #expect(identity.certificateAuthority != nil)
            #expect(try await web.send(.GET, "/boxes/setup", cookie: person.cookie).body.contains("box &lt;1&gt; is connected"))
            #expect(try await web.send(.GET, "/boxes", cookie: person.cookie).body.contains("box &lt;1&gt;"))
        }
    }

    @Test("EDGE-14: the list of boxes says what a running box told of itself, to its own person alone")
    func told() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            let directory = try TemporaryDirectory(), configuration = running(directory)
            #expect(try await connect(web, cookie: person.cookie, configuration) == [])
            #expect(try await web.send(.GET, "/boxes", cookie: person.cookie).body.contains("Not heard from since the hub was started"))
            let page = try await boxes(web, cookie: person.cookie, show: "In touch", of: configuration)
            #expect(page.contains("<dd>\(AgentVersion.current)</dd>") && page.contains("None chosen"))
            #expect(try await web.send(.GET, "/boxes", cookie: person.cookie).body.contains("In touch"))
            #expect(try await !web.send(.GET, "/boxes", cookie: other.cookie).body.contains("In touch"))
        }
    }

    @Test("DATA-10: a box whose person was deleted stops by itself, erases all that it held, and belongs to nobody")
    func personGone() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), directory = try TemporaryDirectory()
            let configuration = running(directory), state = directory.url.path
            #expect(try await connect(web, cookie: person.cookie, configuration) == [])
            let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            // It has the directory until it is gone.
            func begin() throws -> Task<Void, any Error> {
                let agent = try buildAgent(
                    configuration: configuration, task: .run(LiveOptions(sensor: nil, person: nil, controlSocket: state + "/control")),
                    logger: quiet, say: { _ in })
                return Task { try await agent.run() }
            }
            let running = try begin()
            let control = ControlClient(path: state + "/control")
            while (try? await control.send(ControlRequest(.ok)))?.isDone != true { try await Task.sleep(for: .milliseconds(50)) }
            _ = try web.hub.accounts.deletePerson(person.account.id.person, now: Milliseconds(Date().timeIntervalSince1970 * 1000))
            // What is pressed is sent, and refused.
            let pressing = Task {
                while !Task.isCancelled {
                    _ = try? await control.send(ControlRequest(.ok))
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
            try await running.value
            pressing.cancel()
            _ = await pressing.value
            #expect(Departure.noted(in: state, machine: .system) == [person.account.id.person])
            var gone: [BoundPerson] = []
            while gone.isEmpty {
                gone = Departure.finish(configuration, machine: .system, logger: quiet)
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(gone.map(\.person) == [person.account.id.person])
            let left = try FileManager.default.contentsOfDirectory(atPath: state)
            #expect(Set(left).isSubset(of: ["lock", "control"]), "\(left)")
        }
    }

    @Test("EDGE-16, DATA-9: a box's settings are kept, shown to its person alone, forgotten on request, and offered to the next box")
    func handedOn() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            let directory = try TemporaryDirectory()
            var configuration = running(directory)
            configuration.language = .italian
            func connect(_ configuration: AgentConfiguration) async throws -> [TakeOver]? {
                try await self.connect(web, cookie: person.cookie, configuration)
            }
            func page(_ cookie: String) async throws -> String { try await web.send(.GET, "/boxes", cookie: cookie).body }
            #expect(try await connect(configuration) == [])
            #expect(try await !page(person.cookie).contains("id=\"settings\""))
            _ = try await boxes(web, cookie: person.cookie, show: "<dd>Italian</dd>", of: configuration)
            #expect(try await !page(other.cookie).contains("id=\"settings\""))
            let next = try TemporaryDirectory()
            let offers = try #require(try await connect(self.configuration(next)))
            #expect(offers.map(\.box) == ["box <1>"] && offers.first?.items.map(\.value) == ["it"])
            let shown = try await page(person.cookie)
            let path = String(try #require(shown.firstMatch(of: /action="(\/boxes\/[^"\/]+\/settings\/)forget"/)).output.1)
            #expect(try await web.post(path + "forget", [:], cookie: other.cookie).status == 403)
            #expect(try await web.post(path + "forget", [:], cookie: person.cookie).status == 303)
            let forgotten = try await page(person.cookie)
            #expect(!forgotten.contains("<dd>Italian</dd>") && forgotten.contains("Nothing is kept of this box."))
            #expect(try await connect(self.configuration(try TemporaryDirectory())) == [])
            #expect(try await web.post(path + "keep", [:], cookie: person.cookie).status == 303)
            #expect(try await !page(person.cookie).contains("id=\"settings\""))
        }
    }

    @Test("ACC-12, EDGE-16: the page has a word for each setting that boxes hand on", arguments: ["en", "it"])
    func settingNames(language: String) throws {
        for setting in HandedOnSetting.all {
            #expect(Texts.of(language).find("boxSetting.\(setting.key.replacing(".", with: "_"))") != nil, "\(setting.key)")
        }
    }

    @Test("EDGE-14, EDGE-16: the box goes no further with another hub than the link's, a used code, or words that the person refused")
    func refused() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            let directory = try TemporaryDirectory(), configuration = configuration(directory)
            _ = try await web.post("/boxes/setup", [:], cookie: person.cookie)
            let link = try link(try await web.send(.GET, "/boxes/setup", cookie: person.cookie).body)
            var request = BoxPairing.Request(
                hub: link.hub, code: link.code, fingerprint: [UInt8](repeating: 1, count: 32), name: "box")
            func kind(of request: BoxPairing.Request) async -> AgentProblem.Kind? {
                do {
                    _ = try await BoxPairing.begin(request, configuration: configuration, machine: .system)
                    return nil
                } catch { return (error as? AgentProblem)?.kind }
            }
            #expect(await kind(of: request) == .hubStranger)
            request.fingerprint = link.fingerprint
            let box = try await BoxPairing.begin(request, configuration: configuration, machine: .system)
            #expect(await kind(of: request) == .setUpCode, "used")
            #expect(try await web.send(.GET, "/boxes/setup/state", cookie: other.cookie).body == "none", "another's is not shown")
            _ = try await web.post("/boxes/setup/confirm", ["words": box.words], cookie: other.cookie)
            #expect(try await box.claim() == nil)
            _ = try await web.post("/boxes/setup/refuse", [:], cookie: person.cookie)
            let problem = await #expect(throws: AgentProblem.self) { try await box.claim() }
            #expect(problem?.kind == .setUpOver)
            #expect(try Identity.load(from: directory.url.path) == nil)
            #expect(try web.hub.accounts.agents.agents().isEmpty)
        }
    }
}

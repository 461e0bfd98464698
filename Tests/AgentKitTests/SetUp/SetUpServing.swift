import Foundation
import NIOCore
import NIOPosix
import Seams
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// A hub that took the box's code.
final class ScriptedPairing: PairedHub {
    let words = "babab-dodod"
    let hub: HubAddress
    /// Whether the person has confirmed the words there.
    private let isConfirmed = Mutex(false)

    /// What the box may take over of earlier ones.
    private let offers: [TakeOver]

    init(offers: [TakeOver] = []) throws {
        hub = try HubAddress("https://hub.example")
        self.offers = offers
    }

    func confirm() { isConfirmed.withLock { $0 = true } }
    func claim() async throws -> [TakeOver]? { isConfirmed.withLock { $0 } ? offers : nil }
}

/// The set-up page, served for a test, and a browser.
struct ServedSetUp {
    let setUp: SetUp
    let pairing: ScriptedPairing
    let port: Int
    private let serving: Task<Void, any Error>
    let directory: TemporaryDirectory
    var host: String { "127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - refusal: why no hub takes a code; nil where one does.
    ///   - kept: of earlier boxes.
    init(refusal: AgentProblem? = nil, kept: [KeptSettings] = [], limits: SetUpServer.Limits = .init()) async throws {
        directory = try TemporaryDirectory()
        var configuration = AgentConfiguration(stateDirectory: directory.url.path)
        (configuration.setUp.port, configuration.voice.isEnabled) = (0, false)
        let person = BoundPerson(person: PersonID(high: 1, low: 1), name: "Made up")
        let pairing = try ScriptedPairing(
            offers: TakeOver.offers(KeptSettingsList(kept), to: [person], on: configuration, machine: .system))
        let setUp = SetUp(
            configuration: configuration, controlSocket: directory.url.path + "/control.sock", logger: .silent, machine: .system,
            announcesName: false
        ) { _ in
            if let refusal { throw refusal }
            return pairing
        }
        (self.pairing, self.setUp) = (pairing, setUp)
        await setUp.open()
        let (opened, continuation) = AsyncStream.makeStream(of: Int.self)
        serving = Task {
            try await SetUpServer(setUp, limits: limits).listen(group: ServedPage.group) { continuation.yield($0) }
        }
        port = try #require(await opened.first { _ in true })
    }

    /// The page has closed by itself.
    func closed() async throws { try await serving.value }

    func stop() async {
        serving.cancel()
        _ = await serving.result
    }

    func get(_ path: String, _ headers: String = "", host: String? = nil) async throws -> ServedPage.Answer {
        try await ServedPage.raw("GET \(path) HTTP/1.1\r\nHost: \(host ?? self.host)\r\n\(headers)Connection: close\r\n\r\n", to: port)
    }

    /// - Parameter headers: nil for those of the page itself.
    func post(
        _ path: String, _ body: String, _ headers: String? = nil, cookie: String? = nil, type: String = "application/json"
    ) async throws -> ServedPage.Answer {
        let own = (headers ?? "Origin: http://\(host)\r\n") + (cookie.map { "Cookie: other=1; \($0)\r\n" } ?? "")
        let fields = "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
        return try await ServedPage.raw("POST \(path) HTTP/1.1\r\nHost: \(host)\r\n\(own)\(fields)\(body)", to: port)
    }

    /// Begins as the page does, and returns the cookie.
    func begin() async throws -> String {
        let answer = try await post("/begin", "{\"link\":\"ABCDEFGH..hub.example\",\"name\":\"box\"}")
        let cookie = try #require(answer.headers["set-cookie"])
        #expect(answer.status == 200 && cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
        return String(cookie.prefix { $0 != ";" })
    }

    private struct Stage: Decodable {
        var stage: String
        var words: String?
        var problem: String?
    }

    /// Waits until the page shows this stage.
    func reaches(_ stage: SetUpState.Stage, cookie: String) async throws -> Bool {
        try await eventually { try await shown(cookie: cookie).stage == stage.rawValue }
    }

    func shown(cookie: String) async throws -> (stage: String, words: String?, problem: String?) {
        let answer = try await get("/state", "Cookie: \(cookie)\r\n")
        let stage = try JSONDecoder().decode(Stage.self, from: Data(answer.body.utf8))
        return (stage.stage, stage.words, stage.problem)
    }
}

/// Serves the set-up page for Tests/browser/box_setup.py; the file `confirm` is the person's word at the hub.
@Suite("The set-up page for a browser")
struct SetUpForBrowser {
    @Test("serves until it is told to stop", .enabled(if: PageForBrowser.directory != nil))
    func serve() async throws {
        let directory = try #require(PageForBrowser.directory), page = try await ServedSetUp(kept: [.sample])
        func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: directory.appending(path: name).path) }
        try Data("\(ProcessInfo.processInfo.processIdentifier)".utf8).write(to: directory.appending(path: "pid"), options: .atomic)
        try Data("\(page.port)".utf8).write(to: directory.appending(path: "port"), options: .atomic)
        while !exists("stop") {
            if exists("confirm") { page.pairing.confirm() }
            try await Task.sleep(for: .milliseconds(100))
        }
        await page.stop()
    }
}

extension KeptSettings {
    /// Of a box with something of each kind: taken over, and not.
    static let sample = KeptSettings(
        box: "Kitchen", changed: 0,
        settings: BoxSettingsCopy(
            sensor: .init(address: "C4:01:02:03:04:05/random", name: "Strap of Ada"),
            others: [.init(address: "C4:01:02:03:04:06/random", name: nil)], off: ["position"],
            configuration: [
                "role": "gateway", "language": "it", "hub.silence": "0", "buffer.days": "30", "request.seconds": "60",
                "buffer.bytes": "1048576", "button.device": "/dev/input/by-id/made-up", "button.long": "3", "from.later": "1",
            ]))
}

import Accounts
import AsyncHTTPClient
import Credentials
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import NIOSSL
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// The real programs: a hub and a box, and everything that leaves either of them as a file. People, crews and their sessions are made before, in
/// this process. Each belongs to one test.
final class SOSProcesses: @unchecked Sendable {
    let directory: TemporaryDirectory
    /// The hub's.
    let home: TemporaryDirectory
    let binaries: URL
    let port: Int
    let ada: Member, crews: [Member]
    /// Of a box of Ada's that the test plays.
    let token: String
    private let client: HTTPClient
    private var hub: Process?, box: Process?
    private var strap: [Process] = [], bus: String?
    /// Of the environment of programs that are started from here on.
    var more: [String: String] = [:]
    static let contact = "+390201234567", contactMail = "bruno@example.org"

    /// - Parameter crewCount: on duty near Ada.
    init(crewCount: Int = 1, contactLanguage: String = "en") async throws {
        let directory = try TemporaryDirectory(), home = try TemporaryDirectory()
        (self.directory, self.home) = (directory, home)
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        binaries = try #require(
            [URL(fileURLWithPath: bundle).deletingLastPathComponent(), Repository.url(".build/debug")].first { folder in
                ["trackme-hub", "trackme-agent"].allSatisfy {
                    FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent($0).path)
                }
            }, "the programs are not built")
        for name in ["mails", "texts", "hooks", "hooks.d", "run"] {
            try FileManager.default.createDirectory(
                at: directory.url.appendingPathComponent(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        }
        var made: (Member, [Member], String, Int)?
        try await WebFixture.run(in: home) { web in
            let ada = try web.member(.person, "ada@example.org"), person = ada.account.id.person, sos = web.hub.sos
            let contact = SOSContact(name: "Bruno", phone: Self.contact, email: Self.contactMail, language: contactLanguage)
            try await sos.choices.addContact(contact, of: person, by: ada.account.id)
            try await sos.choices.turnOn(person, consented: true, strict: false, by: ada.account.id)
            made = (
                ada, try Self.crews(web, crewCount), try await Cast.agentToken(web, [person]),
                Int(web.url.split(separator: ":").last ?? "") ?? 0
            )
        }
        (ada, crews, token, port) = try #require(made)
        var tls = TLSConfiguration.makeClientConfiguration()
        let ca = try String(contentsOf: home.url.appendingPathComponent("ca.pem"), encoding: .utf8)
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(ca.utf8), format: .pem)])
        client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: .init(tlsConfiguration: tls, redirectConfiguration: .disallow))
        try program("mails", "mails/$(date +%s%N).$$")
        try program("texts", "texts/$(date +%s%N).$$", first: "echo \"$1\"")
        try program("hooks.d/record", "hooks/$(date +%s%N).$$", first: "echo \"$TRACKME_SOS $TRACKME_SOS_TEST\"")
    }

    deinit {
        killBox()
        killHub()
        stopStrap()
        // Where a test ended early.
        try? client.syncShutdown()
    }

    /// Ends everything.
    func end() async throws {
        killBox()
        killHub()
        stopStrap()
        try await client.shutdown()
    }

    private static func crews(_ web: WebFixture, _ count: Int) throws -> [Member] {
        let accounts = web.hub.accounts, hospital = try web.member(.organisation, "hospital@example.org").account
        _ = try accounts.hospitals.admitHospital(hospital, now: 0)
        return try (0..<count).map { number in
            let crew = try web.member(.responder, "crew\(number)@example.org")
            let label = AmbulanceLabel(name: "A\(number)", plate: "ZA \(number)")
            let ambulance = try #require(try accounts.hospitals.addAmbulance(label, of: hospital, now: 0)),
                code = Array(SecretToken.random().hash)
            _ = try accounts.hospitals.addCrewCode(code, ambulance: ambulance, of: hospital, expires: .max, now: 0)
            #expect(
                try accounts.hospitals.joinCrew(code, crew.account, now: Cast.now) && accounts.care.beginDuty(crew.account, now: Cast.now))
            let place = CrewPosition(time: Cast.now, latitude: 45.61 + 0.01 * Double(number), longitude: 9.7, accuracy: 5)
            #expect(try accounts.care.setPlace(place, of: crew.account))
            return crew
        }
    }

    /// A program that keeps what it is given as a file of its own, which appears as a whole.
    private func program(_ name: String, _ target: String, first: String = ":") throws {
        let path = name.contains("/") ? name : name + ".sh", folder = directory.url.path
        let script = "#!/bin/sh\nf=\"\(folder)/\(target)\"\n{ \(first); cat; } > \"$f.new\" && mv \"$f.new\" \"$f.txt\"\n"
        try Data(script.utf8).write(to: directory.url.appendingPathComponent(path))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: directory.url.appendingPathComponent(path).path)
    }

    func path(_ name: String) -> String { directory.url.appendingPathComponent(name).path }

    /// What one of `mails`, `texts`, `hooks` was given, the oldest first.
    func left(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).filter { $0.hasSuffix(".txt") }.sorted()
            .map { try String(contentsOfFile: path("\(folder)/\($0)"), encoding: .utf8) }
    }

    func log(_ name: String) -> String { String(((try? String(contentsOfFile: path(name + ".log"), encoding: .utf8)) ?? "").suffix(3000)) }

    // MARK: Programs

    func start(_ program: String, _ arguments: [String], _ more: [String: String] = [:], log: String, wrapper: [String] = []) throws
        -> Process
    {
        let file = path(log + ".log")
        if !FileManager.default.fileExists(atPath: file) { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        let output = try #require(FileHandle(forWritingAtPath: file)), process = Process()
        try output.seekToEnd()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = wrapper + [binaries.appendingPathComponent(program).path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }.merging(more) { $1 }
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        return process
    }

    /// What a command says; it must succeed.
    @discardableResult
    func command(_ program: String, _ arguments: [String], _ more: [String: String] = [:]) throws -> String {
        let pipe = Pipe(), process = Process()
        process.executableURL = binaries.appendingPathComponent(program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }.merging(more) { $1 }
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(program) \(arguments.first ?? ""): \(output)\n\(log("box"))")
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Nothing of this machine's own: no strap, no modem, no loudspeaker, no receiver. A crash is not looked into.
    private var environment: [String: String] {
        [
            "SWIFT_BACKTRACE": "enable=no", "RUNTIME_DIRECTORY": path("run"),
            "DBUS_SYSTEM_BUS_ADDRESS": bus ?? "unix:path=\(path("no-bus"))",
            "TRACKME_PAGE_PORT": "0", "TRACKME_GPSD_ADDRESS": "", "TRACKME_VOICE_ENABLED": "false", "TRACKME_MODEM_ENABLED": "false",
            "TRACKME_BUTTON_DEVICE": "", "TRACKME_POSITION_WIFI": "false", "TRACKME_HOOKS_FOLDER": path("hooks.d"),
            "TRACKME_ROLE": "gateway", "TRACKME_POSITION_FIXED_LATITUDE": "45.6", "TRACKME_POSITION_FIXED_LONGITUDE": "9.7",
            "HUB_MAIL_SENDMAIL": path("mails.sh"), "HUB_SMS_COMMAND": path("texts.sh"), "HUB_SOS_ROOMS": "room=mailto:room@example.org",
            "HUB_URL": "https://localhost:\(port)",
        ].merging(more) { $1 }
    }

    func startHub() async throws {
        hub = try start("trackme-hub", ["serve", "--directory", home.url.path, "--port", "\(port)"], log: "hub")
        try await until("the hub answers: \(log("hub"))") { (try? await self.send(.GET, "/healthz").status) == 200 }
    }

    /// Stands still while `body` runs: as if the machine did not get a turn.
    func withHubStopped(_ body: () async throws -> Void) async throws {
        let id = try #require(hub?.processIdentifier)
        kill(id, SIGSTOP)
        defer { kill(id, SIGCONT) }
        try await body()
    }

    /// SIGKILL, and gone when this returns.
    func killHub() {
        if let hub, hub.isRunning { kill(hub.processIdentifier, SIGKILL) }
        hub?.waitUntilExit()
        hub = nil
    }

    func killBox() {
        if let box, box.isRunning { kill(box.processIdentifier, SIGKILL) }
        box?.waitUntilExit()
        box = nil
    }

    /// Enrols a box with the hub, which runs.
    func enrol() throws {
        let made = try command("trackme-hub", ["enrolment-code", "--directory", home.url.path, "--person", "\(ada.account.id.person)"])
        let words = made.split(separator: "\n").last.map(String.init)?.replacingOccurrences(of: "'", with: "").split(separator: " ") ?? []
        try command("trackme-agent", words.dropFirst().map(String.init) + ["--state", path("box")])
    }

    func startBox(_ more: [String: String] = [:], wrapper: [String] = []) async throws {
        let sensor = bus == nil ? [] : ["--sensor", Self.strapAddress, "--transport", "bluez"]
        let socket = path("run/control.sock")
        // Of a box that was killed, before this one makes its own.
        try? FileManager.default.removeItem(atPath: socket)
        box = try start("trackme-agent", ["run", "--state", path("box")] + sensor, more, log: "box", wrapper: wrapper)
        try await until("the box runs: \(log("box"))") { FileManager.default.fileExists(atPath: socket) }
    }

    /// The box has fetched whom it would call.
    func settled() async throws {
        try await until("the box has its settings: \(log("box"))") {
            (try? String(contentsOfFile: self.path("box/sos.json"), encoding: .utf8))?.contains(Self.contact) == true
        }
    }

    // MARK: A strap

    static let strapAddress = "C4:01:02:03:04:05"
    /// Debian's own Python, which python3-dbus belongs to.
    private static let python = "/usr/bin/python3"

    /// Whether this machine can play a bluetoothd with a strap.
    static var canPlayStrap: Bool {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon"),
            let process = try? Process.run(URL(fileURLWithPath: python), arguments: ["-c", "import dbus, gi"])
        else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// A bus with a strap on it, for boxes that are started from here on.
    func startStrap(rate: Int) async throws {
        try setRate(rate)
        let socket = path("bus"), address = "unix:path=\(socket)"
        strap.append(
            try Process.run(
                URL(fileURLWithPath: "/usr/bin/dbus-daemon"), arguments: ["--session", "--nofork", "--nopidfile", "--address=\(address)"]))
        try await until("there is a bus") { FileManager.default.fileExists(atPath: socket) }
        bus = address
        let script = Repository.url("packaging/bench/strap.py").path
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.python)
        process.arguments = [script]
        process.environment = ["DBUS_SYSTEM_BUS_ADDRESS": address, "TRACKME_STRAP_RATE": path("rate")]
        process.standardOutput = pipe
        try process.run()
        strap.append(process)
        try #require(!pipe.fileHandleForReading.availableData.isEmpty, "the played strap does not start")
    }

    /// What the strap says from its next reading on.
    func setRate(_ rate: Int) throws { try Data("\(rate)".utf8).write(to: URL(fileURLWithPath: path("rate")), options: .atomic) }

    private func stopStrap() {
        for process in strap where process.isRunning { kill(process.processIdentifier, SIGKILL) }
        for process in strap { process.waitUntilExit() }
        strap = []
    }

    // MARK: The hub's pages

    func send(
        _ method: HTTPMethod, _ target: String, cookie: String? = nil, token: String? = nil, language: String? = nil, body: [UInt8]? = nil
    )
        async throws -> (status: UInt, body: String)
    {
        var request = HTTPClientRequest(url: "https://127.0.0.1:\(port)" + target)
        request.method = method
        if let cookie { request.headers.add(name: "cookie", value: cookie) }
        if let language { request.headers.add(name: "accept-language", value: language) }
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        if method == .POST, body == nil {
            request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            request.headers.add(name: "origin", value: "https://127.0.0.1:\(port)")
            request.headers.add(name: "sec-fetch-site", value: "same-origin")
        }
        request.body = .bytes(ByteBuffer(bytes: body ?? []))
        let answer = try await client.execute(request, timeout: .seconds(20))
        return (answer.status.code, String(buffer: try await answer.body.collect(upTo: 1 << 20)))
    }

    /// The incidents that a crew's page offers.
    func offers(_ crew: Int = 0) async throws -> [String] {
        let page = try await send(.GET, "/duty/alarms", cookie: crews[crew].cookie)
        try #require(page.status == 200, "\(page)")
        return page.body.matches(of: /\/duty\/alarms\/([0-9a-f]+)\/accept"/).map { String($0.output.1) }
    }

    /// What the hub's disk says of Ada's cases, the newest first. The hub must not run.
    func stored() throws -> [SOSCase] {
        let files = try HubDirectory(home.url)
        return try SOSStore(files, keys: KeyStore(files, environment: [:])).cases(of: ada.account.id.person)
    }

    /// Notices to Ada, by kind. The hub must not run.
    func notices(_ kind: NoticeKind) throws -> Int {
        let files = try HubDirectory(home.url), accounts = try AccountStore(files, keys: KeyStore(files, environment: [:]))
        return try accounts.notices.notices(of: ada.account).count { $0.kind == kind }
    }

    func until(_ what: @autoclosure () -> String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool) async throws
    {
        let deadline = ContinuousClock.now + limit
        while try await !condition() {
            try #require(ContinuousClock.now < deadline, "not in time: \(what())")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

import Foundation
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import AgentKit

@Suite("The control socket", .timeLimit(.minutes(1)))
struct ControlServerTests {
    /// A served box and a way to talk to it.
    struct Setting {
        let box = ScriptedBox()
        let directory: TemporaryDirectory
        let served: Served
        var path: String { directory.url.path + "/control" }
        var client: ControlClient { ControlClient(path: path) }

        init(_ limits: ControlServer.Limits = ControlServer.Limits()) async throws {
            directory = try TemporaryDirectory()
            let (opened, continuation) = AsyncStream.makeStream(of: Void.self)
            let server = ControlServer(
                control: box, path: directory.url.path + "/control", limits: limits, group: MultiThreadedEventLoopGroup.singleton,
                logger: .silent, onListening: { continuation.yield() })
            served = Served { try await server.run() }
            for await _ in opened { break }
        }

        /// Writes `text` as it is and reads what comes back, line by line, until `count` lines or the end have come.
        func lines(_ text: String, count: Int = .max, endsInput: Bool = false) async throws -> [String] {
            let connection = try await ControlServerTests.connect(path)
            return try await connection.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: text))
                if endsInput { try await connection.channel.close(mode: .output) }
                var reader = ControlLineReader(inbound, bytesMax: 1 << 20)
                var lines: [String] = []
                while lines.count < count, let line = try await reader.next() { lines.append(String(buffer: line)) }
                return lines
            }
        }
    }

    static func connect(_ path: String) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
            }
    }

    static func reply(_ line: String) throws -> ControlReply { try JSONDecoder().decode(ControlReply.self, from: Data(line.utf8)) }

    @Test("EDGE-12: every request gets its answer, in order, and the client reads it")
    func requests() async throws {
        let setting = try await Setting()
        let lines = try await setting.lines("{\"action\":\"ok\"}\n\n{\"action\":\"pause\",\"minutes\":30}\n", count: 2)
        #expect(try lines.map { try Self.reply($0).message } == ["Done: ok", "Done: pause"])
        let reply = try await setting.client.send(ControlRequest(.falseAlarm, person: "Ada Example"))
        #expect(reply.isDone)
        #expect(
            setting.box.requests == [
                ControlRequest(.ok), ControlRequest(.pause, minutes: 30), ControlRequest(.falseAlarm, person: "Ada Example"),
            ])
        let status = try await setting.client.send(ControlRequest(.status)).status
        #expect(status == .sample)
        await setting.served.stop()
    }

    @Test("EDGE-12: a script that ends its side after asking gets its answer")
    func halfClosed() async throws {
        let setting = try await Setting()
        let lines = try await setting.lines("{\"action\":\"ok\"}", endsInput: true)
        #expect(try lines.map { try Self.reply($0).message } == ["Done: ok"])
        await setting.served.stop()
    }

    @Test(
        "What is not understood is answered with what is wrong, and the connection goes on",
        arguments: [
            ("{\"action\":\"dance\"}", "no action \"dance\""), ("ok", "no JSON object"), ("[]", "no JSON object"), ("{}", "no JSON object"),
            ("{\"action\":\"pause\",\"minutes\":\"many\"}", "fields of \"pause\""), ("\u{0}\u{1}", "no JSON object"),
        ])
    func misunderstood(line: String, complaint: String) async throws {
        let setting = try await Setting()
        let lines = try await setting.lines(line + "\n{\"action\":\"ok\"}\n", count: 2)
        let replies = try lines.map(Self.reply)
        #expect(!replies[0].isDone && replies[0].message.contains(complaint) && replies[0].advice != nil)
        #expect(replies[1].isDone && setting.box.requests == [ControlRequest(.ok)])
        await setting.served.stop()
    }

    @Test("A line without an end is not kept")
    func endless() async throws {
        var limits = ControlServer.Limits()
        limits.lineBytes = 1000
        let setting = try await Setting(limits)
        let lines = try await setting.lines(String(repeating: "x", count: 1001))
        #expect(try lines.map { try Self.reply($0).isDone } == [false])
        #expect(lines.first?.contains("more than 1000 bytes") == true)
        await setting.served.stop()
    }

    @Test("EDGE-12: who watches hears of each change, and afresh while nothing changes")
    func watching() async throws {
        var limits = ControlServer.Limits()
        limits.quiet = .milliseconds(50)
        let setting = try await Setting(limits)
        var rates: [Int?] = [], repeated = 0
        for try await status in setting.client.watch() {
            let rate = status.persons.first?.heartRate
            if rates.last == rate { repeated += 1 } else { rates.append(rate) }
            if rates.count == 2, repeated > 2 { break }
            if rates.count == 1, repeated > 2 {
                repeated = 0
                setting.box.change { $0.persons[0].heartRate = 73 }
            }
        }
        #expect(rates == [72, 73])
        await setting.served.stop()
    }

    @Test("EDGE-12: a watcher is told when the agent ends, and when it hangs")
    func watchingTheDead() async throws {
        var limits = ControlServer.Limits()
        limits.quiet = .milliseconds(50)
        let setting = try await Setting(limits)
        let client = ControlClient(path: setting.path, answerMax: .milliseconds(300), silenceMax: .milliseconds(300))
        setting.box.hang(true)
        await #expect(throws: AgentProblem.self) { _ = try await client.send(ControlRequest(.status)) }
        await #expect(throws: AgentProblem.self) { for try await _ in client.watch() {} }
        setting.box.hang(false)
        let watcher = Task { for try await _ in setting.client.watch() {} }
        try await Task.sleep(for: .milliseconds(100))
        await setting.served.stop()
        await #expect(throws: AgentProblem.self) { try await watcher.value }
    }
}

@Suite("The control socket's place and its bounds", .timeLimit(.minutes(1)))
struct ControlServerFileTests {
    typealias Setting = ControlServerTests.Setting

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("EDGE-12: owner and group may use it, and it goes with the agent")
    func file() async throws {
        let setting = try await Setting()
        #expect(try mode(setting.path) == 0o660)
        #expect(try FileManager.default.contentsOfDirectory(atPath: setting.directory.url.path) == ["control"])
        await setting.served.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: setting.directory.url.path) == [])
    }

    private func server(_ path: String) -> ControlServer {
        ControlServer(control: ScriptedBox(), path: path, group: MultiThreadedEventLoopGroup.singleton, logger: .silent)
    }

    @Test("A living agent keeps its socket")
    func living() async throws {
        let setting = try await Setting()
        await #expect {
            try await server(setting.path).listen()
        } throws: {
            ($0 as? AgentProblem)?.what.contains("Another agent answers") == true
        }
        #expect(try await setting.client.send(ControlRequest(.ok)).isDone)
        await setting.served.stop()
    }

    @Test("A dead agent's socket is replaced")
    func stale() async throws {
        let directory = try TemporaryDirectory(), path = directory.url.path + "/control"
        let dead = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(unixDomainSocketPath: path + ".then").get()
        // A killed agent leaves its file; a closed channel looks for it where it was made.
        try FileManager.default.moveItem(atPath: path + ".then", toPath: path)
        try await dead.close()
        #expect(FileManager.default.fileExists(atPath: path))
        let served = Served { [server = server(path)] in try await server.run() }
        #expect(try await eventually { (try? await ControlClient(path: path).send(ControlRequest(.ok)))?.isDone == true })
        await served.stop()
    }

    @Test("A file that is no socket stays")
    func noSocket() async throws {
        let directory = try TemporaryDirectory(), path = directory.url.path + "/control"
        try Data("letters".utf8).write(to: URL(filePath: path))
        await #expect(throws: AgentProblem.self) { try await server(path).listen() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "letters")
    }

    @Test("A place that cannot be written is told with what to do")
    func nowhere() async throws {
        await #expect {
            try await server("/nowhere/at/all/control").listen()
        } throws: {
            ($0 as? AgentProblem)?.what.contains("/nowhere/at/all/control") == true
        }
    }

    @Test("One connection too many is told so, and leaves the others alone")
    func crowd() async throws {
        var limits = ControlServer.Limits()
        limits.connections = 1
        let setting = try await Setting(limits)
        let first = try await ControlServerTests.connect(setting.path)
        try await first.executeThenClose { inbound, outbound in
            var reader = ControlLineReader(inbound, bytesMax: 1 << 20)
            try await outbound.write(ByteBuffer(string: "{\"action\":\"ok\"}\n"))
            #expect(try await reader.next() != nil)
            let refused = try await setting.lines("{\"action\":\"ok\"}\n", count: 1)
            #expect(refused.first?.contains("open already") == true)
            try await outbound.write(ByteBuffer(string: "{\"action\":\"ok\"}\n"))
            #expect(try await reader.next() != nil)
        }
        #expect(try await eventually { (try? await setting.client.send(ControlRequest(.ok)))?.isDone == true })
        await setting.served.stop()
    }

    @Test("Who asks nothing is not kept, nor who does not read")
    func idleAndSlow() async throws {
        var limits = ControlServer.Limits()
        limits.connections = 1
        limits.idle = .milliseconds(200)
        limits.slow = .milliseconds(200)
        limits.quiet = .milliseconds(1)
        let setting = try await Setting(limits)
        #expect(try await setting.lines("") == [])
        // Much more than socket and channel hold, to somebody who reads nothing.
        setting.box.change { $0.recording = String(repeating: "x", count: 500_000) }
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .connect(unixDomainSocketPath: setting.path).get()
        try await channel.writeAndFlush(ByteBuffer(string: "{\"action\":\"watch\"}\n"))
        #expect(try await eventually { (try? await setting.client.send(ControlRequest(.ok)))?.isDone == true })
        try? await channel.close()
        await setting.served.stop()
    }
}

@Suite("The control client's words", .timeLimit(.minutes(1)))
struct ControlClientTests {
    @Test("EDGE-12: without an agent, the command says how to start it")
    func nobody() async throws {
        let directory = try TemporaryDirectory()
        await #expect {
            _ = try await ControlClient(path: directory.url.path + "/control").send(ControlRequest(.ok))
        } throws: {
            ($0 as? AgentProblem)?.advice.contains("systemctl start trackme-agent") == true
        }
    }

    @Test("EDGE-12: without the right to ask, the command says which group to join")
    func forbidden() {
        let problem = ControlClient(path: "/run/x").unreachable(EACCES)
        #expect(problem.advice.contains("adduser \(NSUserName()) trackme"))
        #expect(problem.advice.contains("log in again"))
    }

    @Test("A path too long for a socket is told, not cut")
    func tooLong() async throws {
        let path = "/" + String(repeating: "x", count: 200)
        await #expect(throws: AgentProblem.self) { _ = try await ControlClient(path: path).send(ControlRequest(.ok)) }
    }
}

import Foundation
import Languages
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import AgentKit

/// The page served for a test, and a client that sends what the test writes.
struct ServedPage: Sendable {
    static let group = MultiThreadedEventLoopGroup.singleton

    struct Answer {
        /// 0 when none came.
        var status = 0
        var headers: [String: String] = [:]
        var body = ""
    }

    let box: ScriptedBox
    let port: Int
    private let served: Served
    var host: String { "127.0.0.1:\(port)" }

    init(_ box: ScriptedBox = ScriptedBox(), language: Language = .english, limits: PageServer.Limits = PageServer.Limits()) async throws {
        self.box = box
        let (opened, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = PageServer(
            control: box, port: 0, language: language, limits: limits, group: Self.group, logger: .silent,
            onListening: { continuation.yield($0) })
        served = Served { try await server.run() }
        port = try #require(await opened.first { _ in true })
    }

    func stop() async { await served.stop() }

    func connection<Result: Sendable>(
        _ body: (NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws -> Result
    ) async throws -> Result {
        try await Self.connection(to: port, body)
    }

    static func connection<Result: Sendable>(
        to port: Int,
        _ body: (NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws -> Result
    ) async throws -> Result {
        let connection = try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        return try await connection.executeThenClose { try await body($0, $1) }
    }

    /// Sends `text` and reads until the other side closes.
    func raw(_ text: String) async throws -> Answer { try await Self.raw(text, to: port) }

    static func raw(_ text: String, to port: Int) async throws -> Answer {
        let answer = try await connection(to: port) { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var answer = ByteBuffer()
            // A body that is refused unread ends with a reset.
            do { for try await var part in inbound { answer.writeBuffer(&part) } } catch is IOError {}
            return String(buffer: answer)
        }
        guard let end = answer.range(of: "\r\n\r\n") else { return Answer() }
        var result = Answer(body: String(answer[end.upperBound...]))
        let lines = answer[..<end.lowerBound].components(separatedBy: "\r\n")
        result.status = Int(lines[0].split(separator: " ")[1]) ?? 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            result.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return result
    }

    func get(_ path: String, _ headers: String = "") async throws -> Answer {
        try await raw("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(headers)Connection: close\r\n\r\n")
    }

    func post(_ body: String, _ headers: String? = nil, type: String = "application/json") async throws -> Answer {
        let headers = headers ?? "Origin: http://\(host)\r\nSec-Fetch-Site: same-origin\r\n"
        let length = "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
        return try await raw("POST /act HTTP/1.1\r\nHost: \(host)\r\n\(headers)\(length)Connection: close\r\n\r\n\(body)")
    }
}

/// Hands on what is logged.
struct ToldLog: LogHandler {
    private let told: AsyncStream<String>.Continuation
    var logLevel = Logger.Level.error
    var metadata: Logger.Metadata = [:]

    init(_ told: AsyncStream<String>.Continuation) { self.told = told }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { told.yield("\(event.message)") }
}

/// Serves the page for Tests/browser/box_page.py, which writes the states and reads what was pressed.
@Suite("The page for a browser")
struct PageForBrowser {
    /// Holds `state.json`, `refusal.json`, and gets `pid`, `port` and `acts.json`; the file `stop` ends it.
    static let directory = ProcessInfo.processInfo.environment["TRACKME_PAGE_DIRECTORY"].map { URL(filePath: $0) }

    @Test("serves until it is told to stop", .enabled(if: directory != nil))
    func serve() async throws {
        let directory = try #require(Self.directory)
        func read<T: Decodable>(_ type: T.Type, _ name: String) -> T? {
            guard let data = try? Data(contentsOf: directory.appending(path: name)) else { return nil }
            return try? JSONDecoder().decode(type, from: data)
        }
        let box = ScriptedBox(try #require(read(BoxStatus.self, "state.json")), ages: true)
        let page = try await ServedPage(box)
        try Data("\(ProcessInfo.processInfo.processIdentifier)".utf8).write(to: directory.appending(path: "pid"), options: .atomic)
        try Data("\(page.port)".utf8).write(to: directory.appending(path: "port"), options: .atomic)
        var shown: BoxStatus?, count = 0
        while !FileManager.default.fileExists(atPath: directory.appending(path: "stop").path) {
            if let state = read(BoxStatus.self, "state.json"), state != shown {
                shown = state
                box.change { $0 = state }
            }
            box.refuse(read(ControlReply.self, "refusal.json"))
            if box.requests.count != count {
                count = box.requests.count
                try JSONEncoder().encode(box.requests).write(to: directory.appending(path: "acts.json"), options: .atomic)
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        await page.stop()
    }
}

import Sensing
import Testing
import Vitals

@testable import Positioning

@Suite(.timeLimit(.minutes(1)))
struct GPSDSourceTests {
    private static let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
    private static let report = #"{"class":"TPV","device":"/dev/a","mode":3,"lat":45.5,"lon":9.25}"#

    /// The events of a source for `port` until `enough` is true of them.
    private func events(
        _ port: UInt16, staleAfter: Milliseconds = 3000, askAfter: Milliseconds = 10_000, until enough: ([PositionEvent]) -> Bool
    ) async throws -> [PositionEvent] {
        let (stream, continuation) = AsyncStream.makeStream(of: PositionEvent.self, bufferingPolicy: .bufferingOldest(64))
        var configuration = GPSDSource.Configuration(address: GPSDAddress(host: "127.0.0.1", port: port))
        configuration.staleAfter = staleAfter
        configuration.connectLimit = 3000
        configuration.askAfter = askAfter
        let source = GPSDSource(configuration: configuration) { continuation.yield($0) }
        try source.start()
        try source.start()
        defer { source.stop() }
        var seen: [PositionEvent] = []
        for await event in stream {
            seen.append(event)
            if enough(seen) { break }
        }
        return seen
    }

    private func problem(_ event: PositionEvent?) -> SourceProblem? {
        if case .lost(let problem, _)? = event { problem } else { nil }
    }

    @Test("EDGE-3: greeting, position and silence of a server arrive as events")
    func delivers() async throws {
        let server = try #require(FakeGPSD(greeting: [Self.version, "not JSON", Self.report], hangsUp: false))
        defer { server.stop() }
        let events = try await events(server.port, staleAfter: 100) { $0.count == 3 }
        guard case .connected? = events.first, case .fix(let sample, nil)? = events.dropFirst().first,
            case .stale(let age, _)? = events.last
        else {
            Issue.record("\(events)")
            return
        }
        #expect(sample.latitude == 455_000_000 && sample.longitude == 92_500_000)
        #expect(age >= 100)
    }

    @Test("EDGE-3: a server that hangs up is connected again, each loss is told")
    func reconnects() async throws {
        let server = try #require(FakeGPSD(greeting: [Self.version, Self.report], hangsUp: true))
        defer { server.stop() }
        let events = try await events(server.port) { seen in seen.count { problem($0) != nil } == 3 }
        #expect(events.count { if case .fix = $0 { true } else { false } } == 3)
        #expect(problem(events.last)?.what.contains("ended the connection") == true)
    }

    @Test("EDGE-3: a gpsd that greets and hangs up is told once, and tried at growing intervals")
    func greetsOnly() async throws {
        let server = try #require(FakeGPSD(greeting: [Self.version, #"{"class":"DEVICES","devices":[]}"#], hangsUp: true))
        let port = server.port
        var configuration = GPSDSource.Configuration(address: GPSDAddress(host: "127.0.0.1", port: port))
        configuration.retryDelayMax = 400
        let (stream, continuation) = AsyncStream.makeStream(of: PositionEvent.self, bufferingPolicy: .bufferingOldest(64))
        let source = GPSDSource(configuration: configuration) { continuation.yield($0) }
        try source.start()
        defer { source.stop() }
        await server.accepted(4)
        server.stop()
        var seen: [PositionEvent] = []
        for await event in stream {
            seen.append(event)
            if problem(event)?.what.contains("refused") == true { break }
        }
        #expect(seen.count { if case .connected = $0 { true } else { false } } == 1)
        // It may hang up before or after it was asked for reports, which are two problems, each told once.
        let ended = seen.compactMap { problem($0) }.filter { $0.what.contains("ended the connection") }
        #expect(!ended.isEmpty && Set(ended).count == ended.count)
    }

    @Test("EDGE-3: behind a problem a gpsd without a receiver counts as connected once it answers, so that the problem is over")
    func answersOnly() async throws {
        let devices = #"{"class":"DEVICES","devices":[]}"#, version = Self.version
        let played = FakeGPSD(greeting: { _ in [version, devices] }, hangsUp: { $0 == 0 }, answer: devices)
        let server = try #require(played)
        defer { server.stop() }
        func isConnected(_ event: PositionEvent?) -> Bool {
            if case .connected? = event { true } else { false }
        }
        let events = try await events(server.port, staleAfter: 100, askAfter: 500) { seen in
            if case .stale(let age, _)? = seen.last, age >= 3000 { return true }
            return seen.contains { problem($0) != nil } && isConnected(seen.last)
        }
        #expect(events.contains { problem($0)?.what.contains("ended the connection") == true })
        #expect(isConnected(events.last), "\(events)")
    }

    @Test("EDGE-3: a problem that lasts leaves room for the next one, and each is told once")
    func lastingProblems() async throws {
        let played = FakeGPSD(greeting: { [$0 < 20 ? "SSH-2.0-A" : "SSH-2.0-B"] }, hangsUp: { _ in true })
        let server = try #require(played)
        defer { server.stop() }
        var configuration = GPSDSource.Configuration(address: GPSDAddress(host: "127.0.0.1", port: server.port))
        configuration.retryDelayMax = 5
        let (stream, continuation) = AsyncStream.makeStream(of: PositionEvent.self, bufferingPolicy: .bufferingOldest(64))
        let source = GPSDSource(configuration: configuration) { continuation.yield($0) }
        try source.start()
        await server.accepted(40)
        source.stop()
        continuation.finish()
        var told: [String] = []
        for await event in stream { told += [problem(event)?.what].compactMap(\.self) }
        #expect(told.count == 2 && told.first?.contains("SSH-2.0-A") == true && told.last?.contains("SSH-2.0-B") == true, "\(told)")
    }

    @Test("EDGE-3: nothing on the port, a stranger, a mute and another protocol version are told with advice")
    func problems() async throws {
        let free = try #require(FakeGPSD(greeting: [], hangsUp: true))
        free.stop()
        var told: [String] = []
        told.append(problem(try await events(free.port) { !$0.isEmpty }.first)?.what ?? "")
        for greeting in [["SSH-2.0-OpenSSH_9.2"], [], [Self.version.replacing(":3,", with: ":4,")]] {
            let server = try #require(FakeGPSD(greeting: greeting, hangsUp: false))
            defer { server.stop() }
            let problem = problem(try await events(server.port) { !$0.isEmpty }.first)
            #expect(problem?.advice.isEmpty == false)
            told.append(problem?.what ?? "")
        }
        #expect(told[0].contains("Connection refused") && told[0].contains("127.0.0.1:\(free.port)"))
        #expect(told[1].contains("SSH-2.0-OpenSSH_9.2"))
        #expect(told[2].contains("says nothing"))
        #expect(told[3].contains("version 4"))
    }

    @Test("EDGE-3: a gpsd that hangs, or a half-open connection, is told and tried again")
    func hung() async throws {
        let server = try #require(FakeGPSD(greeting: [Self.version, Self.report], hangsUp: false))
        defer { server.stop() }
        let events = try await events(server.port, askAfter: 200) { seen in
            seen.count { if case .fix = $0 { true } else { false } } == 2
        }
        #expect(events.contains { problem($0)?.what.contains("has not answered") == true })
    }

    @Test("EDGE-3: a silent gpsd is asked once; any answer shows that it lives")
    func liveness() {
        var liveness = GPSDLiveness(patience: 100, connectedAt: 0)
        #expect(liveness.tick(at: 99) == nil)
        #expect(liveness.tick(at: 100) == .ask)
        #expect(liveness.tick(at: 150) == nil)
        liveness.heard(at: 160)
        #expect(liveness.tick(at: 259) == nil && liveness.deadline == 260)
        #expect(liveness.tick(at: 270) == .ask)
        #expect(liveness.tick(at: 369) == nil)
        #expect(liveness.tick(at: 370) == .giveUp)
    }

    @Test(
        "EDGE-3: an address is a host with or without a port",
        arguments: [
            ("pi", GPSDAddress(host: "pi", port: 2947)), ("pi:99", GPSDAddress(host: "pi", port: 99)),
            ("::1", GPSDAddress(host: "::1", port: 2947)), ("[::1]:99", GPSDAddress(host: "::1", port: 99)),
            ("[::1]", GPSDAddress(host: "::1", port: 2947)), ("pi:", nil), ("pi:0", nil), ("pi:65536", nil), (":1", nil), ("", nil),
        ])
    func addresses(text: String, expected: GPSDAddress?) {
        #expect(GPSDAddress(text) == expected)
    }
}

import Sensing
import Synchronization
import Testing
import Vitals

@testable import Positioning

@Suite(.timeLimit(.minutes(1)))
struct PositionSourcesTests {
    private static let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
    private static let report = #"{"class":"TPV","device":"/dev/a","mode":3,"lat":45.5,"lon":9.25,"eph":5.0}"#

    @Test("EDGE-3, EDGE-13: a satellite fix is delivered, then its silence, then the fixed place, each marked")
    func order() async throws {
        let server = try #require(FakeGPSD(greeting: [Self.version, Self.report], hangsUp: false))
        defer { server.stop() }
        var gpsd = GPSDSource.Configuration(address: GPSDAddress(host: "127.0.0.1", port: server.port))
        gpsd.staleAfter = 100
        let fixed = try #require(FixedPosition(latitude: 45, longitude: 9, error: 8))
        var configuration = PositionSources.Configuration(gpsd: gpsd, fixed: fixed)
        configuration.limits.freshFor = 100
        configuration.limits.lesserAfter = 300
        let (stream, continuation) = AsyncStream.makeStream(of: PositionEvent.self, bufferingPolicy: .bufferingOldest(64))
        let sources = PositionSources(configuration: configuration) { continuation.yield($0) }
        #expect(sources.current == nil)
        try sources.start()
        defer { sources.stop() }
        var seen: [PositionSource] = []
        for await event in stream {
            if case .fix(let sample, _) = event { seen.append(sample.source) }
            if seen.count == 3 { break }
        }
        #expect(seen == [.fixed, .gnss, .fixed])
        #expect(sources.current?.sample.source == .fixed)
    }

    @Test("EDGE-3, EDGE-13: that gpsd has no receiver comes as the reason why there is no position")
    func noReceiver() async throws {
        let server = try #require(FakeGPSD(greeting: [Self.version, #"{"class":"DEVICES","devices":[]}"#], hangsUp: false))
        defer { server.stop() }
        let gpsd = GPSDSource.Configuration(address: GPSDAddress(host: "127.0.0.1", port: server.port))
        let configuration = PositionSources.Configuration(gpsd: gpsd)
        let (problems, continuation) = AsyncStream.makeStream(of: SourceProblem.self, bufferingPolicy: .bufferingOldest(8))
        let sources = PositionSources(configuration: configuration, receiver: { continuation.yield($0) }, sink: { _ in })
        try sources.start()
        defer { sources.stop() }
        for await problem in problems {
            #expect(problem == .noReceiver)
            break
        }
    }

    @Test("EDGE-3: places that cannot be read or stored are told, and learned anew")
    func storage() {
        struct Failure: Error {}
        let told = Mutex<[String]>([])
        var memory = PlaceMemory(PlaceStorage(load: { [1, 2, 3] }, save: { _ in throw Failure() })) { problem in
            told.withLock { $0.append(problem.what) }
        }
        let fix = PositionSample(time: 0, latitude: 1, longitude: 1, speed: 0, horizontalError: 50)
        memory.learn([VisibleNetwork(address: 1, age: 0)], at: fix)
        memory.save(at: 1)
        let problems = told.withLock { $0 }
        #expect(problems.count == 2 && problems[0].contains("read") && problems[1].contains("stored"))
        #expect(memory.places.counts.remembered == 1)
    }
}

import Foundation
import Sensing
import SourceThread
import Synchronization
import SystemBus
import Testing
import Vitals

@testable import Positioning

/// A dbus-daemon, and on it a GeoClue that a test plays: it lets itself be asked, and says its place when it is started, if it has one.
private final class PlayedGeoClue: Sendable {
    static let program = "/usr/bin/dbus-daemon"
    let address: BusAddress
    private let daemon: Int32
    private let output: FileHandle
    private let thread = SourceThread(name: "played geoclue")

    /// - Parameter place: properties of org.freedesktop.GeoClue2.Location; nil for a GeoClue that never says a place.
    init(place: [String: BusValue]? = nil) throws {
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = ["--session", "--nofork", "--nopidfile", "--print-address"]
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        output = pipe.fileHandleForReading
        daemon = process.processIdentifier
        var text = ""
        while !text.hasSuffix("\n"), let byte = try output.read(upToCount: 1), !byte.isEmpty {
            text += String(decoding: byte, as: UTF8.self)
        }
        address = .address(text.trimmingCharacters(in: .whitespacesAndNewlines))
        let bus = address
        try thread.start { stop in try? Self.serve(bus, place, stop) }
    }

    /// Returns once it is on its bus.
    func isThere() async throws {
        let bus = try Bus(address)
        for _ in 0..<1000 where try bus.owner(of: GeoClueSession.service) == nil { try await Task.sleep(for: .milliseconds(10)) }
    }

    deinit {
        thread.stop()
        kill(daemon, SIGKILL)
    }

    private final class Asked { var isStarted = false }

    private static func serve(_ address: BusAddress, _ place: [String: BusValue]?, _ stop: StopSignal) throws {
        let bus = try Bus(address), asked = Asked()
        let client = "/org/freedesktop/GeoClue2/Client/1", location = "/org/freedesktop/GeoClue2/Client/1/Location/0"
        let objects = [
            try bus.export("/org/freedesktop/GeoClue2/Manager") { call in
                call.member == "CreateClient" ? [.objectPath(client)] : []
            },
            try bus.export(client) { call in
                if call.member == "Start" { asked.isStarted = true }
                return []
            },
            try bus.export(location) { call in
                let isAsked = call.member == "GetAll" && call.arguments == [.string("org.freedesktop.GeoClue2.Location")]
                return isAsked ? [.properties(place ?? [:])] : nil
            },
        ]
        try bus.requestName(GeoClueSession.service)
        while bus.wait(stop: stop, milliseconds: 1000) != .stopped {
            try bus.process()
            guard place != nil, asked.isStarted else { continue }
            asked.isStarted = false
            // Old and new; the first has no old one.
            try bus.emit(client, "org.freedesktop.GeoClue2.Client", "LocationUpdated", [.objectPath("/"), .objectPath(location)])
        }
        withExtendedLifetime(objects) {}
    }
}

@Suite(.timeLimit(.minutes(1)), .enabled(if: FileManager.default.isExecutableFile(atPath: PlayedGeoClue.program)))
struct GeoClueSourceTests {
    @Test("EDGE-3: a GeoClue that searches and finds nothing is told once, with the agent that it may wait for")
    func finds() async throws {
        let geoclue = try PlayedGeoClue()
        try await geoclue.isThere()
        var configuration = GeoClueSource.Configuration(bus: geoclue.address)
        configuration.interval = 20
        configuration.placeless = 100
        let (stream, feed) = AsyncStream.makeStream(of: SourceProblem.self)
        let source = GeoClueSource(
            configuration: configuration, now: Boottime.now, isWanted: { true }, report: { feed.yield($0) }, sink: { _ in })
        try source.start()
        var problems = stream.makeAsyncIterator()
        let problem = await problems.next()
        #expect(problem?.what.contains("no place") == true && problem?.advice.contains("agent of this program's user") == true)
        try await Task.sleep(for: .milliseconds(300))
        source.stop()
        feed.finish()
        #expect(await problems.next() == nil)
    }

    @Test("EDGE-3: a place that GeoClue says comes out of the position sources as one of a network, with its error and its age")
    func place() async throws {
        let begin = Boottime.now()
        let stamp = BusValue.structure([.uint64(UInt64(WallClock.now() / 1000 - 30)), .uint64(0)])
        let geoclue = try PlayedGeoClue(place: [
            "Latitude": .double(45.5), "Longitude": .double(-9.25), "Accuracy": .double(61.25), "Altitude": .double(122.5),
            "Timestamp": stamp,
        ])
        try await geoclue.isThere()
        var configuration = PositionSources.Configuration(geoclue: true)
        configuration.limits.lesserAfter = 0
        let (stream, feed) = AsyncStream.makeStream(of: PositionEvent.self), told = Mutex<[String]>([])
        let sources = PositionSources(
            configuration: configuration, geoclue: .init(bus: geoclue.address), now: Boottime.now,
            report: { problem in told.withLock { $0.append(problem.what) } }, sink: { feed.yield($0) })
        try sources.start()
        defer { sources.stop() }
        var events = stream.makeAsyncIterator()
        let event = await events.next()
        guard case .fix(let sample, utc: nil)? = event else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(sample.source == .network && sample.mode == .unknown && sample.horizontalError == 613)
        #expect(sample.latitude == 455_000_000 && sample.longitude == -92_500_000 && sample.altitude == 1225)
        #expect((begin - 31_500...Boottime.now() - 30_000).contains(sample.time))
        #expect(sources.current?.sample.source == .network && sources.current?.isCurrent == true)
        #expect(told.withLock { $0 } == [])
        withExtendedLifetime(geoclue) {}
    }
}

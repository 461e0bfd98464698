import Foundation
import Sensing
import SourceThread
import SystemBus
import Testing
import Vitals

@testable import Positioning

/// A dbus-daemon, and on it a GeoClue that a test plays: it lets itself be asked, and never says a place.
private final class PlayedGeoClue: Sendable {
    static let program = "/usr/bin/dbus-daemon"
    let address: BusAddress
    private let daemon: Int32
    private let output: FileHandle
    private let thread = SourceThread(name: "played geoclue")

    init() throws {
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
        try thread.start { stop in try? Self.serve(bus, stop) }
    }

    deinit {
        thread.stop()
        kill(daemon, SIGKILL)
    }

    private static func serve(_ address: BusAddress, _ stop: StopSignal) throws {
        let bus = try Bus(address)
        let manager = try bus.export("/org/freedesktop/GeoClue2/Manager") { call in
            call.member == "CreateClient" ? [.objectPath("/org/freedesktop/GeoClue2/Client/1")] : []
        }
        let client = try bus.export("/org/freedesktop/GeoClue2/Client/1") { _ in [] }
        try bus.requestName(GeoClueSession.service)
        while bus.wait(stop: stop, milliseconds: 1000) != .stopped { try bus.process() }
        withExtendedLifetime((manager, client)) {}
    }
}

@Suite(.timeLimit(.minutes(1)), .enabled(if: FileManager.default.isExecutableFile(atPath: PlayedGeoClue.program)))
struct GeoClueSourceTests {
    @Test("EDGE-3: a GeoClue that searches and finds nothing is told once, with the agent that it may wait for")
    func finds() async throws {
        let geoclue = try PlayedGeoClue()
        let bus = try Bus(geoclue.address)
        for _ in 0..<1000 where try bus.owner(of: GeoClueSession.service) == nil { try await Task.sleep(for: .milliseconds(10)) }
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
}

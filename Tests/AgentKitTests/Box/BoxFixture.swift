import Foundation
import GRDB
import Logging
import Peripherals
import Segments
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import BlueZ
@testable import SampleBuffer

/// A whole box on a temporary directory: everything but the sources, whose events the test brings, and the hub.
final class BoxFixture: Sendable {
    let directory: TemporaryDirectory
    let identity: Identity
    let clock: ManualClock
    let buffer: SampleBuffer
    let box: Box
    let parts: BoxParts
    let storing: Task<Void, Never>
    let state: StateDirectory
    private let client: HubClient

    static let boot = BootID(high: 7, low: 7)
    static let utcOffset: Milliseconds = 1_790_000_000_000

    init(
        people: [String] = ["Ada"], role: BoxRole = .phone, directory: TemporaryDirectory? = nil, boot: BootID = boot,
        at start: Milliseconds = 1_000_000, utcOffset: Milliseconds = utcOffset, sos: SOSFixture = SOSFixture(),
        parts given: SOSParts? = nil, checkIns: any CheckInHub = ScriptedCheckInHub(), hub: String = "http://127.0.0.1:1",
        sound: Voice.Configuration? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) throws {
        let directory = try directory ?? TemporaryDirectory(), clock = ManualClock(start), path = directory.url.path
        let persons = people.enumerated().map { BoundPerson(person: PersonID(high: 1, low: UInt64($0.offset + 1)), name: $0.element) }
        let identity = Identity(
            agent: AgentID(high: 9, low: 9), name: "box", hub: try HubAddress(hub), certificateAuthority: nil,
            persons: persons)
        var configuration = AgentConfiguration(stateDirectory: path)
        configuration.role = role
        configuration.voice.isEnabled = sound != nil
        let boxClock = BoxClock(boottime: { clock.now }, utc: { clock.now + utcOffset })
        let state = try Self.stateDirectory(path), nudges = SyncSignals(), time = TokenClock(boxClock)
        let buffer = try SampleBuffer(directory: path)
        let recorder = try Recorder(
            buffer: buffer, target: .live, boot: boot, clock: boxClock, configuration: configuration, nudges: nudges, logger: logger)
        client = try HubClient(identity.hub, trust: .system, configuration: configuration, clock: time)
        let sync = SyncService(
            client: client,
            tokens: TokenRequest(agent: identity.agent, key: Identity.newKey(), clock: time), recorder: recorder,
            nudges: nudges, clock: boxClock, logger: logger, directory: state)
        let queue = SampleQueue(recorder: recorder, clock: boxClock, logger: logger)
        parts = BoxParts(
            sources: LiveSources(
                configuration: configuration, clock: boxClock,
                losses: LostReadings(recorder: recorder, persons: persons.map(\.person), clock: boxClock, logger: logger)),
            queue: queue, recorder: recorder, sync: sync,
            nudges: nudges, time: time, announcer: Announcer(configuration, sound: sound ?? .init(), logger: logger),
            sos: given ?? sos.parts, checkIns: checkIns)
        var settings = BoxSettings.load(from: state).settings
        for (index, person) in persons.enumerated() {
            settings.use(try #require(SensorAddress("C4:01:02:03:04:0\(index)")), name: "Strap", for: person.person)
        }
        box = Box(
            identity: identity, settings: settings, configuration: configuration, directory: state,
            clock: boxClock, boot: boot, parts: parts, logger: logger)
        storing = Task { await queue.run() }
        (self.directory, self.identity, self.clock, self.buffer, self.state) = (directory, identity, clock, buffer, state)
    }

    /// Waits for a box that is just being given up: what writes its files behind it has the directory until it has ended.
    private static func stateDirectory(_ path: String) throws -> StateDirectory {
        for _ in 0..<500 {
            if let free = try? StateDirectory(path) { return free }
            usleep(10_000)
        }
        return try StateDirectory(path)
    }

    var person: PersonID { identity.persons[0].person }

    /// The sensor that the fixture chose for a person.
    func strap(of person: PersonID) -> SensorAddress {
        let index = identity.persons.firstIndex { $0.person == person } ?? 0
        return SensorAddress("C4:01:02:03:04:0\(index)") ?? SensorAddress("C4:01:02:03:04:00")!
    }

    /// A reading of this second, and one second passes.
    func beat(_ bpm: UInt16, contact: SensorContact = .detected, of person: PersonID? = nil) async {
        clock.advance(1000)
        let sample = HeartRateSample(
            time: clock.now, beatsPerMinute: bpm, contact: contact, rrIntervals: [UInt16(60 * 1024 / max(1, Int(bpm)))])
        let wearer = person ?? self.person
        await box.take(.heartRate(.measurement(sample), wearer, strap(of: wearer)))
        await box.tick()
    }

    func fix(latitude: Int32 = 454_781_234) async {
        clock.advance(1000)
        let sample = PositionSample(time: clock.now, latitude: latitude, longitude: 92_270_005, horizontalError: 40)
        await box.take(.position(.fix(sample, utc: clock.now + Self.utcOffset)))
        await box.tick()
    }

    /// Everything that has reached the buffer, with all that waits sealed first. Nothing can be fed afterwards.
    func stored() async throws -> [PersonID: SampleSet] {
        parts.queue.finish()
        await storing.value
        await client.shutdown()
        try await parts.recorder.seal()
        var stored: [PersonID: SampleSet] = [:]
        let rows = try buffer.read { try Data.fetchAll($0, sql: "SELECT bytes FROM segment ORDER BY key") }
        for row in rows {
            let segment = try Array(row).withUnsafeBytes { try Segment(decoding: $0) }
            stored[segment.header.person, default: SampleSet()].append(segment.samples)
        }
        return stored
    }
}

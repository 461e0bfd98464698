import Crypto
import Foundation
import Segments
import SyncProtocol
import Testing
import Vitals

@testable import FleetKit

@Suite("What the fleet sends")
struct WorkloadTests {
    private let people = (1...3).map { PersonID(high: 0, low: $0) }

    private var state: FleetState {
        let answer = EnrolmentAnswer(
            agent: AgentID(high: 1, low: 1), hub: HubIncarnation(high: 2, low: 2),
            persons: people.map { BoundPerson(person: $0, name: "P") })
        return FleetState(url: "http://127.0.0.1:1", certificateAuthority: nil, answer: answer, key: P256.Signing.PrivateKey())
    }

    private func segments(_ work: Workload) throws -> [Segment] {
        var segments: [Segment] = []
        try work.forEachBody(of: state) { body in
            for range in try body.withUnsafeBytes({ bytes in try SegmentBatch.ranges(in: bytes) }) {
                segments.append(try Segment(decoding: Array(body[range])))
            }
        }
        return segments
    }

    @Test("runs go by time, one segment of ten seconds a body, one stream without holes")
    func runs() throws {
        let all = try segments(Workload(people: 3, seconds: 30))
        #expect(all.count == 9)
        #expect(all.map(\.header.sequence) == Array(1...9))
        #expect(Set(all.map(\.header.stream)).count == 1)
        #expect(all.map(\.header.person) == people + people + people)
        #expect(all.allSatisfy { $0.samples.heartRates.count == 10 && $0.samples.positions.count == 10 })
        #expect(all.allSatisfy { $0.header.clock == .wall && $0.header.provenance == .live })
        let times = all.filter { $0.header.person == people[0] }.flatMap { $0.samples.positions.map(\.time) }
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1000 })
        #expect(times.last.map { $0 <= Clocks.utcMilliseconds() } == true)
    }

    /// The first seconds of two people of the data set with which other stores were measured.
    @Test(
        "runs are those with which other stores were measured",
        arguments: [
            (0, [155, 155, 154], [471_491_283, 471_491_035, 471_490_778], [82_913_182, 82_913_383, 82_913_540], [4444, 41, 333]),
            (1, [156, 155, 157], [470_602_460, 470_602_189, 470_601_883], [81_374_622, 81_374_640, 81_374_635], [4189, 50, 333]),
        ])
    func sameData(number: Int, rates: [UInt16], latitudes: [Int32], longitudes: [Int32], first: [Int32]) {
        var runner = Runner(number: number)
        let samples = (0..<3).map { runner.step(at: Milliseconds($0) * 1000) }
        #expect(samples.map(\.0.beatsPerMinute) == rates)
        #expect(samples.map(\.1.latitude) == latitudes)
        #expect(samples.map(\.1.longitude) == longitudes)
        #expect(samples.first.map { [$0.1.altitude, $0.1.horizontalError, $0.1.speed] } == first.map(Optional.some))
    }

    @Test("every run is a new stream")
    func newStream() throws {
        let work = try Workload(people: 1, seconds: 10)
        #expect(try segments(work).map(\.header.stream) != segments(work).map(\.header.stream))
    }

    @Test("an activity keeps its times and its empty fields")
    func activity() throws {
        let text = "# comment\n1000,60,470000000,80000000,4000,,,\n2000,61,,,,,,\n12000,,470000001,80000002,4001,250,900,30\n"
        let activity = try Activity(text, name: "test")
        let slices = activity.slices(.both)
        #expect(slices.map(\.count) == [3, 1])
        #expect(slices[0].heartRates == [HeartRateSample(time: 1000, beatsPerMinute: 60), HeartRateSample(time: 2000, beatsPerMinute: 61)])
        #expect(slices[0].positions == [PositionSample(time: 1000, latitude: 470_000_000, longitude: 80_000_000, altitude: 4000)])
        #expect(activity.slices(.heartRate).map(\.count) == [2])
        #expect(throws: FleetError.self) { try Activity("1000,60\n", name: "test") }
    }

    @Test("bad arguments are refused in words")
    func arguments() throws {
        #expect(throws: FleetError.self) { try Workload(people: 1, seconds: 7) }
        #expect(throws: FleetError.self) { try segments(Workload(people: 4, seconds: 10)) }
    }

    @Test("the state is only its owner's to read, and comes back")
    func stateFile() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let written = state
        try written.write(to: file)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let read = try FleetState(contentsOf: file)
        #expect(read.persons == people)
        #expect(try read.privateKey().rawRepresentation == written.privateKey().rawRepresentation)
        let missing = #expect(throws: FleetError.self) { try FleetState(contentsOf: file + ".not") }
        #expect(missing?.description.contains("trackme-hub rehearse … --state \(file).not") == true)
    }
}

@Suite("What a live run says")
struct LiveSummaryTests {
    @Test("delays count from the sample's time; what did not arrive is missing, not left out")
    func summary() {
        let (watched, other) = (PersonID(high: 0, low: 1), PersonID(high: 0, low: 2))
        var sent = LiveSent.Counts()
        sent.acknowledged = [watched: [1000, 2000], other: [1000]]
        var seen = LiveSeen.Arrivals()
        seen.heartRates = [watched: [1000: 1250, 2000: 2100]]
        seen.positions = [watched: [1000: 1500]]
        let result = Fleet.summary(sent, seen, watched: [watched], people: 2, processor: 0)
        #expect(result.expected == 4)
        #expect(result.delivered == 3)
        #expect(result.p50Seconds == 0.25)
        #expect(result.maxSeconds == 0.5)
        #expect(result.firstMaxSeconds == 0.5)
    }
}

import Distress
import Foundation
import HubStore
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What the hub concludes from what a box sent that does not watch by itself.
@Suite(.timeLimit(.minutes(2)))
struct SOSHubWatchTests {
    private static func place(_ source: PositionSource, at time: Milliseconds) -> PositionSample {
        PositionSample(time: time, latitude: 454_642_000, longitude: 91_900_000, speed: 0, horizontalError: 80, source: source)
    }

    /// Sends as a box does, a segment a second.
    private struct Sender {
        let town: SOSTown
        var sequence: UInt64 = 0

        mutating func send(_ samples: SampleSet) async throws {
            sequence += 1
            let segment = Segment(
                stream: town.stream, sequence: sequence, person: town.person.id.person, provenance: .live, clock: .wall, samples: samples)
            let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
            let body = try SegmentBatch.encode([segment.encoded()])
            _ = try await town.hub.ingest.commit(body.withUnsafeBytes { try town.hub.ingest.receive(session: session, body: $0) })
        }
    }

    /// Seconds from a leap of the heart to the alarm, where a box tells this of its place each second.
    private func wait(_ source: PositionSource?) async throws -> Int {
        let town = try await SOSTown(), person = town.person.id.person
        var sender = Sender(town: town)
        for second in 0..<240 {
            let time = town.hub.clock.now, rate: UInt16 = second < 60 ? 72 : 139
            try await sender.send(
                SampleSet(
                    heartRates: [HeartRateSample(time: time, beatsPerMinute: rate, contact: .detected)],
                    positions: source.map { [Self.place($0, at: time)] } ?? []))
            _ = town.hub.bus.arrivedForSOS.take()
            await town.sos.detection.detect(in: [person])
            await town.pass(1000)
            if town.sos.openCase(of: person) != nil { return second - 60 }
        }
        return .max
    }

    @Test("SOS-4: where the hub watches, a leap heard by a box that stays in its place waits 20 s, and a minute where nothing tells")
    func home() async throws {
        #expect((15...35).contains(try await wait(.fixed)))
        #expect((50...75).contains(try await wait(nil)))
    }
}

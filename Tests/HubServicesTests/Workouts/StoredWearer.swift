import Foundation
import Privacy
import Segments
import TestSupport
import Vitals

@testable import HubServices
@testable import HubStore

/// Somebody whose samples a hub stores as a box sends them. All made up.
struct StoredWearer {
    let hub: ServicesFixture
    let runs: RunsStore
    private let token: String
    /// 2026-11-23, midnight UTC.
    static let midnight: Milliseconds = 1_795_392_000_000
    static let hour: Milliseconds = 3_600_000

    init(at time: Milliseconds = midnight + 20 * hour) async throws {
        hub = try ServicesFixture()
        hub.clock.advance(time - hub.clock.now)
        token = try await hub.enrol().token
        runs = try RunsStore(HubDirectory(hub.directory.url), keys: hub.accounts.keys)
    }

    var own: Grant { Grant.maintenance(of: hub.person) }

    var history: HistoryService {
        let clock = hub.clock
        return HistoryService(accounts: hub.accounts, series: hub.series, now: { clock.now })
    }

    var records: WorkoutRecords {
        let clock = hub.clock
        return WorkoutRecords(runs: runs, accounts: hub.accounts, series: hub.series, now: { clock.now })
    }

    /// - Returns: the stream that holds them, and nothing else.
    @discardableResult
    func send(_ samples: SampleSet, _ provenance: Provenance = .live) async throws -> StreamID {
        let segment = Segment(
            stream: .random(), sequence: 0, person: hub.person, provenance: provenance, clock: .wall, samples: samples)
        _ = try await hub.send([segment.encoded()], token: token)
        return segment.header.stream
    }

    /// Somebody who goes north at a speed, with a fix and a heart rate each second.
    static func way(
        from time: Milliseconds, seconds: Int, metresASecond: Double, rate: UInt16 = 150, latitude: Int32 = 458_000_000
    ) -> SampleSet {
        var samples = SampleSet()
        for second in 0..<seconds {
            let at = time + Milliseconds(second) * 1000, north = Int32((Double(second) * metresASecond * 89.93).rounded())
            samples.positions.append(
                PositionSample(
                    time: at, latitude: latitude + north, longitude: 116_000_000, altitude: 2000 + Int32(second / 10),
                    horizontalError: 30))
            samples.heartRates.append(HeartRateSample(time: at, beatsPerMinute: rate, contact: .detected))
        }
        return samples
    }
}

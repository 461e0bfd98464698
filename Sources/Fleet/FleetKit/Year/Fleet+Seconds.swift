import Foundation
import Segments
import SyncProtocol
import Vitals

extension Fleet {
    /// Days in one request: as many samples as a hub takes at once.
    private static let daysOfSeconds = 5

    /// Sends a heart rate of each second of the first person's made-up days until now, the oldest first, as a box does that was out of
    /// reach for as long. Hour by hour, in UTC, as a stream of its own.
    /// - Parameters:
    ///   - seed: everything about the days comes from it.
    ///   - days: 1 to ``daysMax``.
    public mutating func sendSeconds(seed: UInt64, days: Int) async throws -> YearResult {
        guard (1...Self.daysMax).contains(days) else { throw FleetError("Days: 1 to \(Self.daysMax), not \(days).") }
        let begun = Clocks.utc(), person = try state.people(1)[0], stream = StreamID.random(), now = state.now
        let year = MadeUpYear(seed: seed, zone: "UTC", begins: now - Milliseconds(days) * 86_400_000)
        var result = YearResult(), sequence: UInt64 = 0
        result.parts = days + 1
        for first in stride(from: 0, through: days, by: Self.daysOfSeconds) {
            var segments: [[UInt8]] = []
            for index in first...min(days, first + Self.daysOfSeconds - 1) {
                for hour in year.hours(index, until: now) {
                    sequence += 1
                    result.samples += hour.count
                    segments.append(
                        Segment(
                            stream: stream, sequence: sequence, person: person, provenance: .live, clock: .wall,
                            samples: SampleSet(heartRates: hour)
                        ).encoded())
                }
            }
            guard !segments.isEmpty else { continue }
            _ = try await deliver(SegmentBatch.encode(segments), of: stream)
            result.requests += 1
            if first % 365 < Self.daysOfSeconds { progress("\(first) of \(days) days are there") }
        }
        result.wallSeconds = ((Clocks.utc() - begun) / 1000).rounded3
        return result
    }
}

extension MadeUpYear {
    /// ``seconds(_:)`` of a day by the hours of UTC, none behind a time.
    func hours(_ index: Int, until end: Milliseconds) -> [[HeartRateSample]] {
        let seconds = seconds(index).filter { $0.time <= end }
        return Dictionary(grouping: seconds) { $0.time.flooredQuotient(by: 3_600_000) }.sorted { $0.key < $1.key }.map(\.value)
    }
}

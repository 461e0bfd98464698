import Foundation
import Segments
import Testing
import Vitals

/// Bytes per sample on real activities: captures that are not in the repository.
@Suite struct SegmentSizeTests {
    /// Of one row of the hub's store: nonce and tag of the encryption, and the row itself.
    private static let overheadBytes = 28 + 40

    static let captures = ProcessInfo.processInfo.environment["TRACKME_CAPTURES"]

    /// Skipped when TRACKME_CAPTURES does not name the directory of the captures.
    @Test(
        "EDGE-6: a merged hour costs at most 1.5 bytes a heart rate and 8 a position", .enabled(if: captures != nil),
        arguments: ["evgeniy__Morning_Run_with_H10.gpx", "sweatpy__4801048867_strava.gpx"])
    func realActivities(name: String) throws {
        let folder = try #require(Self.captures)
        let track = try ActivityReader.read("\(folder)/activity/\(name)")
        try #require(track.heartRates.count > 4000 && track.positions.count > 4000)

        func bytesPerSample<Sample>(
            _ samples: [Sample], time: (Sample) -> Milliseconds, column: ([Sample]) -> SampleSet
        ) throws -> Double {
            var bytes = 0
            for hour in Dictionary(grouping: samples, by: { time($0) / 3_600_000 }).values {
                let encoded = SampleColumns.encoded(column(hour))
                #expect(try SampleColumns.decoded(encoded) == column(hour))
                bytes += encoded.count + Self.overheadBytes
            }
            return Double(bytes) / Double(samples.count)
        }
        let heartRate = try bytesPerSample(track.heartRates, time: \.time) { SampleSet(heartRates: $0) }
        let position = try bytesPerSample(track.positions, time: \.time) { SampleSet(positions: $0) }
        #expect(heartRate <= 0.4, "\(heartRate) bytes a heart rate")
        #expect(position <= 1.5, "\(position) bytes a position")
    }

    /// What an agent sends every ten seconds.
    @Test func tenSecondsAreSmall() throws {
        var random = SeededGenerator(seed: 21)
        var samples = SampleSet()
        for second in 0..<10 as Range<Int64> {
            let time = 1_700_000_000_000 + 1000 * second
            samples.heartRates.append(
                HeartRateSample(time: time, beatsPerMinute: .random(in: 139...142, using: &random), contact: .detected))
            samples.positions.append(
                PositionSample(
                    time: time, latitude: 471_000_000 + Int32(second) * 250 + .random(in: -20...20, using: &random),
                    longitude: 83_000_000 + Int32(second) * 150 + .random(in: -20...20, using: &random),
                    altitude: 4200 + .random(in: -2...2, using: &random), speed: 300 + .random(in: -20...20, using: &random),
                    horizontalError: .random(in: 20...60, using: &random)))
        }
        let bytes = SegmentTests.segment(samples).encoded()
        #expect(bytes.count <= 150, "\(bytes.count) bytes")
    }
}

/// Reads times, coordinates, heights and heart rates of a GPX file; just enough for the captures.
private enum ActivityReader {
    static func read(_ path: String) throws -> SampleSet {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var samples = SampleSet()
        let format = Date.ISO8601FormatStyle()
        for part in text.components(separatedBy: "<trkpt ").dropFirst() {
            guard let time = value(part, "<time>", "<"), let date = try? format.parse(String(time)),
                let latitude = value(part, "lat=\"", "\"").flatMap({ Double($0) }),
                let longitude = value(part, "lon=\"", "\"").flatMap({ Double($0) })
            else { continue }
            let milliseconds = Milliseconds((date.timeIntervalSince1970 * 1000).rounded())
            samples.positions.append(
                PositionSample(
                    time: milliseconds, latitude: Int32((latitude * 1e7).rounded()),
                    longitude: Int32((longitude * 1e7).rounded()),
                    altitude: value(part, "<ele>", "<").flatMap { Double($0) }.map { Int32(($0 * 10).rounded()) }))
            if let beats = value(part, ":hr>", "<").flatMap({ UInt16($0) }) {
                samples.heartRates.append(HeartRateSample(time: milliseconds, beatsPerMinute: beats))
            }
        }
        return samples
    }

    private static func value(_ text: String, _ before: String, _ after: String) -> Substring? {
        guard let start = text.range(of: before)?.upperBound,
            let end = text.range(of: after, range: start..<text.endIndex)?.lowerBound
        else { return nil }
        return text[start..<end]
    }
}

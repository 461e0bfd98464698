import Foundation
import Vitals

/// A recorded activity as lines of `time_ms,bpm,latitude_e7,longitude_e7,altitude_dm,speed_cms,course_cdeg,error_dm`: integers, a field
/// that was not recorded is empty, lines that begin with `#` are comments.
struct Activity: Sendable {
    private(set) var heartRates: [HeartRateSample] = []
    private(set) var positions: [PositionSample] = []

    private static let fields = 8

    init(contentsOf file: String) throws {
        guard let text = try? String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8) else {
            throw FleetError("The activity \(file) cannot be read.")
        }
        try self.init(text, name: file)
        guard !heartRates.isEmpty || !positions.isEmpty else { throw FleetError("The activity \(file) holds no samples.") }
    }

    init(_ text: String, name: String) throws {
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let values = line.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0) }
            guard values.count == Self.fields, let time = values[0] else {
                throw FleetError("\(name), line \(number + 1): not \(Self.fields) fields that begin with a time.")
            }
            if let rate = values[1].flatMap({ UInt16(exactly: $0) }) {
                heartRates.append(HeartRateSample(time: time, beatsPerMinute: rate))
            }
            let rest = values[2...].map { $0.flatMap { Int32(exactly: $0) } }
            if let latitude = rest[0], let longitude = rest[1] {
                positions.append(
                    PositionSample(
                        time: time, latitude: latitude, longitude: longitude, altitude: rest[2], speed: rest[3], course: rest[4],
                        horizontalError: rest[5]))
            }
        }
    }

    /// The samples of the wanted kinds, ten seconds each.
    func slices(_ kinds: Workload.Kinds) -> [SampleSet] {
        let length = Milliseconds(Workload.secondsPerSegment) * 1000
        var slices: [Milliseconds: SampleSet] = [:]
        if kinds != .position { for sample in heartRates { slices[sample.time / length, default: SampleSet()].heartRates.append(sample) } }
        if kinds != .heartRate { for sample in positions { slices[sample.time / length, default: SampleSet()].positions.append(sample) } }
        return slices.sorted { $0.key < $1.key }.map(\.value)
    }
}

import Exchange
import Foundation
import TestSupport
import Testing
import Vitals

/// Real files of activities. They are not part of the project: without TRACKME_CAPTURES these tests are skipped.
private let folder = ProcessInfo.processInfo.environment["TRACKME_CAPTURES"].map { URL(filePath: $0).appending(path: "activity") }

private func names() -> [String] {
    guard let folder, let all = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return [] }
    return all.filter { ["gpx", "tcx", "fit"].contains(($0 as NSString).pathExtension.lowercased()) }.sorted()
}

/// What another reader found in a file.
private struct Facts: Decodable {
    var error: String?
    var points: Int?, positions: Int?, rates: Int?, segments: Int?, sessions: Int?
    var first: String?, last: String?
    var distance: Double?, mean: Double?, most: Int?

    enum CodingKeys: String, CodingKey {
        case error, points, segments, sessions
        case positions = "points_with_position"
        case rates = "points_with_hr"
        case first = "first_time"
        case last = "last_time"
        case distance = "distance_m_haversine_within_segments"
        case mean = "hr_mean"
        case most = "hr_max"
    }
}

@Suite("Exchange: real activities", .enabled(if: folder != nil, "TRACKME_CAPTURES does not name the directory of the captures"))
struct ActivityCaptureTests {
    private func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: #require(folder).appending(path: name))) }

    @Test(
        "DATA-2: every real file has the points, distance and heart rates that another reader found, or says what is damaged",
        arguments: names())
    func facts(name: String) throws {
        let json = try Data(contentsOf: #require(folder).appending(path: name + ".facts.json"))
        let facts = try JSONDecoder().decode(Facts.self, from: json)
        let file = try ActivityFile.read(try bytes(name))
        guard facts.error == nil else { return #expect(!file.points.isEmpty && !file.problems.isEmpty, "damaged, and nothing is said") }
        let rates = file.points.compactMap(\.heartRate).filter { $0 > 0 }
        #expect(file.points.count == facts.points)
        #expect(file.points.count { $0.place != nil } == facts.positions)
        #expect(rates.count == facts.rates && rates.max().map(Int.init) == facts.most)
        if let mean = facts.mean { #expect(abs(Double(rates.reduce(0) { $0 + Int($1) }) / Double(rates.count) - mean) < 0.01) }
        if let distance = facts.distance {
            #expect(abs(file.measuredDistance - distance) <= distance * 0.005 + 0.1, "\(file.measuredDistance) \(distance)")
        }
        if let first = try facts.first.map(milliseconds) { #expect(file.points.first?.time == first) }
        if let last = try facts.last.map(milliseconds) { #expect(file.points.last?.time == last) }
        if file.format == .fit, let sessions = facts.sessions { #expect(file.sessions.count == sessions) }
        if file.format == .tcx, let segments = facts.segments { #expect(file.segments.count == segments) }
    }

    private func milliseconds(_ text: String) throws -> Milliseconds {
        let isFraction = text.contains(".")
        let date = try Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: isFraction))
        return Milliseconds((date.timeIntervalSince1970 * 1000).rounded())
    }

    /// Points that strict readers do not reach, found by counting the messages of the undamaged rest by hand.
    @Test(
        "DATA-2: damaged real files are read as far as they go, with a list of what is missing",
        arguments: [
            ("fitparse__nick.fit", 14_391, [ActivityProblem.Code.checksum, .cut]),
            ("fitparse__activity-settings-corruptheader.fit", 14, [.header]),
            ("fitparse__coros-pace-2-cycling-misaligned-fields.fit", 11_272, [.fieldSize]),
            ("fitparse__strava-android-app-201.10-b1218918.fit", 5315, [.cut, .unread]),
            ("runpandas__malformed.tcx", 384, [.prefix]),
        ])
    func damaged(name: String, points: Int, problems: [ActivityProblem.Code]) throws {
        let file = try ActivityFile.read(try bytes(name))
        #expect(file.points.count == points && Set(problems).isSubset(of: file.problems.map(\.code)))
    }

    @Test("DATA-2: heart rates that a strap stored under water are found in a real file, and fit the device's own mean")
    func underWater() throws {
        let file = try ActivityFile.read(try bytes("fitparse__event_timestamp.fit"))
        let rates = file.samples.heartRates, mean = rates.reduce(0) { $0 + Int($1.beatsPerMinute) } / max(1, rates.count)
        #expect(rates.count > 10_000 && rates.map(\.beatsPerMinute).max() == 161 && abs(mean - 142) <= 10, "\(mean)")
        let first = try #require(file.points.first?.time), last = try #require(file.points.last?.time)
        // The strap was worn for ten minutes before the watch was started, and for two after it was stopped.
        #expect(rates.allSatisfy { (first - 660_000...last + 120_000).contains($0.time) })
        #expect(zip(rates, rates.dropFirst()).allSatisfy { $0.time < $1.time })
    }

    /// Not the largest ones, which take long without the optimizer; in make test the short ones.
    @Test("DATA-17: real files that are written as FIT and as TCX come back with their points", arguments: names())
    func again(name: String) throws {
        let file = try ActivityFile.read(try bytes(name)), timed = file.points.filter { $0.time != nil }
        guard (1...Seeds.rounds(1500, of: 5000)).contains(timed.count) else { return }
        let fit = try ActivityFile.read(FITWriter.write(file)), tcx = try ActivityFile.read(TCXWriter.write(file))
        #expect(fit.points.map(\.place) == timed.map(\.place) && fit.points.map(\.heartRate) == timed.map(\.heartRate))
        #expect(fit.points.map(\.distance) == timed.map(\.distance) && fit.points.map(\.power) == timed.map(\.power))
        #expect(tcx.points.map(\.place) == timed.map(\.place) && tcx.points.map(\.time) == timed.map(\.time))
        #expect(
            tcx.points.map { $0.heartRate ?? 0 } == timed.map { $0.heartRate ?? 0 } && tcx.points.map(\.altitude) == timed.map(\.altitude))
    }
}

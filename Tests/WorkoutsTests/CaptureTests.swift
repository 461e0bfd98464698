import Foundation
import Runs
import TestSupport
import Testing
import Vitals
import Workouts

/// Real activities. They are not part of the project: without TRACKME_CAPTURES these tests are skipped.
private let captures = ProcessInfo.processInfo.environment["TRACKME_CAPTURES"].map { URL(fileURLWithPath: $0) }

/// What an independent program says of a recording.
private struct Facts: Decodable {
    let pointsWithPosition: Int, pointsWithHr: Int
    let distanceMHaversineAll: Double
    let firstTime: String?
    let hrMean: Double?, hrMax: Int?
}

/// As much of a GPX file as these have.
private struct Recording {
    var fixes: [PositionSample] = [], rates: [HeartRateSample] = []

    init(_ url: URL) throws {
        let text = try String(contentsOf: url, encoding: .utf8), plain = ISO8601DateFormatter(), fractions = ISO8601DateFormatter()
        fractions.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        func word(_ part: Substring, _ name: String) -> Substring? {
            guard let from = part.range(of: "\(name)>"), let to = part[from.upperBound...].range(of: "<") else { return nil }
            return part[from.upperBound..<to.lowerBound]
        }
        func degrees(_ part: Substring, _ name: String) -> Int32? {
            guard let from = part.range(of: "\(name)=\"") else { return nil }
            return Double(part[from.upperBound...].prefix { $0 != "\"" }).map { Int32(($0 * 1e7).rounded()) }
        }
        for whole in text.components(separatedBy: "<trkpt").dropFirst() {
            let part = whole[...]
            guard let latitude = degrees(part, "lat"), let longitude = degrees(part, "lon"),
                let written = word(part, "<time").map(String.init),
                let date = fractions.date(from: written) ?? plain.date(from: written)
            else { continue }
            let time = Milliseconds((date.timeIntervalSince1970 * 1000).rounded())
            let altitude = word(part, "<ele").flatMap { Double($0) }.map { Int32(($0 * 10).rounded()) }
            fixes.append(PositionSample(time: time, latitude: latitude, longitude: longitude, altitude: altitude))
            if let rate = word(part, ":hr").flatMap({ Double($0) }) {
                rates.append(HeartRateSample(time: time, beatsPerMinute: UInt16(rate)))
            }
        }
    }

    var span: ClosedRange<Milliseconds>? {
        guard let first = fixes.map(\.time).min(), let last = fixes.map(\.time).max() else { return nil }
        return first...last
    }
}

@Suite("Workouts: real activities", .enabled(if: captures != nil, "TRACKME_CAPTURES does not name the directory of the captures"))
struct CaptureTests {
    /// Read once: four tests look at the same 27 MB.
    private static let read = Result { try readAll() }

    private static func recordings() throws -> [(name: String, recording: Recording, facts: Facts)] { try read.get() }

    private static func readAll() throws -> [(name: String, recording: Recording, facts: Facts)] {
        let folder = try #require(captures).appendingPathComponent("activity")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap { name in
            guard name.lowercased().hasSuffix(".gpx") else { return nil }
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let facts = try decoder.decode(Facts.self, from: Data(contentsOf: folder.appendingPathComponent("\(name).facts.json")))
            return facts.firstTime == nil ? nil : (name, try Recording(folder.appendingPathComponent(name)), facts)
        }
    }

    /// Metres of straight pieces, as the facts have them but on the ellipsoid.
    private static func whole(_ recording: Recording) -> Double {
        let places = recording.fixes.map { CoursePoint($0) }
        return zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    }

    @Test("DATA-7, DATA-17: distances of real activities are the sum of their pieces within 0.5 %, less the jitter of pauses")
    func distances() throws {
        var clean = 0, near = 0
        for (name, recording, facts) in try Self.recordings() {
            let span = try #require(recording.span), whole = Self.whole(recording)
            #expect(recording.fixes.count == facts.pointsWithPosition)
            // The facts are of a sphere.
            #expect(abs(whole / facts.distanceMHaversineAll - 1) < 0.006, "\(name)")
            let line = WorkoutLine(recording.fixes, recording.rates, in: span, rules: .recorded), ratio = line.metres / whole
            let times = recording.fixes.map(\.time).sorted(), gap = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
            // Leaps, two receivers in one file and holes of more than three minutes are what the pieces must not be summed over.
            guard line.counts.leaps == 0, line.counts.repeated == 0, gap <= 180_000 else {
                #expect(ratio <= 1.0001, "\(name): \(ratio)")
                continue
            }
            clean += 1
            #expect((0.975...1.0001).contains(ratio), "\(name): \(ratio)")
            if abs(ratio - 1) <= 0.005 { near += 1 }
            // Who never stood has no jitter.
            if line.movingSeconds * 1000 > 0.995 * Double(span.upperBound - span.lowerBound) {
                #expect(abs(ratio - 1) < 0.0003, "\(name): \(ratio)")
            }
        }
        #expect(clean >= 30 && near * 10 >= clean * 8, "\(near) of \(clean)")
    }

    @Test("DATA-17: the heart of real activities has the mean and the maximum that another program finds")
    func hearts() throws {
        var count = 0
        for (name, recording, facts) in try Self.recordings() where facts.pointsWithHr > 0 {
            let line = WorkoutLine(recording.fixes, recording.rates, in: try #require(recording.span), rules: .recorded)
            let readings = line.heartRates.map { Double($0.beatsPerMinute) }, mean = readings.reduce(0, +) / Double(max(readings.count, 1))
            let heart = try #require(WorkoutStatistics(line).heart)
            #expect(abs(mean - (try #require(facts.hrMean))) < 0.05, "\(name): \(mean)")
            #expect(heart.max == facts.hrMax, "\(name)")
            // Over time and not over readings, which come as they like.
            #expect(abs(heart.average - mean) < 2, "\(name): \(heart.average) for \(mean)")
            count += 1
        }
        #expect(count > 35)
    }

    @Test("DATA-17: in real recordings of a walk, of runs and of a ride such workouts are found, and nothing else")
    func finds() throws {
        for (name, recording, facts) in try Self.recordings() {
            var finder = WorkoutFinder(FinderRules(maximum: 190), motion: .recorded, horizon: 86_400_000)
            finder.take(recording.fixes, recording.rates)
            let found = finder.workouts, metres = found.reduce(0) { $0 + $1.metres }
            let kind: WorkoutKind = name.contains("Walk") ? .walking : name.hasPrefix("sweatpy") ? .cycling : .running
            #expect(found.contains { $0.kind == kind } && finder.counts.late == 0, "\(name): \(found)")
            #expect(found.allSatisfy { $0.kind == kind || $0.kind == .walking }, "\(name): \(found)")
            #expect(metres <= facts.distanceMHaversineAll * 1.005)
        }
    }

    @Test("DATA-14: a real activity that comes in any order is the same workout")
    func order() throws {
        let (_, recording, _) = try #require(try Self.recordings().first { $0.name.contains("Morning_Run") }),
            span = try #require(recording.span)
        let rules = FinderRules(maximum: 190)
        var whole = WorkoutFinder(rules, motion: .recorded), mixed = whole
        whole.take(recording.fixes, recording.rates)
        var fixes = recording.fixes, rates = recording.rates, generator = SeededGenerator(seed: 1)
        fixes.shuffle(using: &generator)
        rates.shuffle(using: &generator)
        for at in stride(from: 0, to: fixes.count, by: 500) {
            mixed.take(fixes[at..<min(at + 500, fixes.count)], Array(rates[min(at, rates.count)..<min(at + 500, rates.count)]))
        }
        #expect(mixed.workouts == whole.workouts && whole.workouts.count == 1)
        let statistics = WorkoutStatistics(WorkoutLine(fixes, rates, in: span, rules: .recorded))
        #expect(statistics == WorkoutStatistics(WorkoutLine(recording.fixes, recording.rates, in: span, rules: .recorded)))
    }
}

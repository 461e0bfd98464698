import Foundation
import Runs
import Testing
import Vitals

/// Real courses and activities. They are not part of the project: without TRACKME_CAPTURES these tests are skipped.
private let captures = ProcessInfo.processInfo.environment["TRACKME_CAPTURES"].map { URL(fileURLWithPath: $0) }

/// As much of GPX as these files have.
enum GPXPoints {
    static func read(_ path: String) throws -> [PositionSample] {
        let folder = try #require(captures)
        let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        let parser = ISO8601DateFormatter(), fractions = ISO8601DateFormatter()
        fractions.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        var samples: [PositionSample] = []
        for part in text.components(separatedBy: "<trkpt").dropFirst() {
            let head = part.prefix { $0 != ">" }
            guard let latitude = attribute("lat", of: head), let longitude = attribute("lon", of: head) else { continue }
            var time: Milliseconds = 0
            if let from = part.range(of: "<time>"), let to = part.range(of: "</time>") {
                let words = String(part[from.upperBound..<to.lowerBound])
                let date = try #require(fractions.date(from: words) ?? parser.date(from: words))
                time = Milliseconds((date.timeIntervalSince1970 * 1000).rounded())
            }
            samples.append(PositionSample(time: time, latitude: latitude, longitude: longitude))
        }
        return samples
    }

    private static func attribute(_ name: String, of head: Substring) -> Int32? {
        guard let from = head.range(of: "\(name)=\"") else { return nil }
        return Double(head[from.upperBound...].prefix { $0 != "\"" }).map { Int32(($0 * 1e7).rounded()) }
    }

    static func course(_ path: String) throws -> Course { try Course(CoursePlan(points: read(path).map { CoursePoint($0) })) }
}

@Suite("Runs: real courses and runners", .enabled(if: captures != nil, "TRACKME_CAPTURES does not name the directory of the captures"))
struct CaptureTests {
    @Test(
        "RUN-1: real courses have no problem, and the lengths that other programs give them",
        arguments: [
            ("course/routes__allermuir-hill-race.gpx", 6755.1), ("course/routes__manchester-marathon-2026.gpx", 42_281.6),
            ("course/routes__wicklow-round.gpx", 171_041.2), ("activity/evgeniy__RouteBstd.gpx", 102_139.9),
        ])
    func courses(path: String, length: Double) throws {
        let course = try GPXPoints.course(path)
        // Those are on a sphere: up to 0.5 % from the ellipsoid.
        #expect(abs(course.length / length - 1) < 0.005, "\(course.length)")
    }

    private static let ultra = "activity/evgeniy__RouteBstd.gpx"
    private static let halves = [
        "activity/evgeniy__Evgeny_Arbatov_2023-09-30_06-50-34.GPX", "activity/evgeniy__Evgeny_Arbatov_2023-09-30_14-12-50.GPX",
    ]

    /// Times at distances that a person reads off a map of the two tracks (minutes since the first fix).
    @Test("RUN-7: the ultra of 2023, 102 km with roads that are run up to four times, in two recordings, is followed to the finish")
    func ultra() throws {
        let course = try GPXPoints.course(Self.ultra)
        let fixes = try Self.halves.flatMap(GPXPoints.read)
        let gun = try #require(fixes.first).time
        var matcher = Matcher(course: course, gun: gun)
        var highest = 0.0, fallen = 0.0, ahead: [Double] = []
        var before: (metres: Double, time: Milliseconds)?
        for fix in fixes {
            matcher.insert([fix])
            let progress = try #require(matcher.progress)
            highest = max(highest, progress.metres)
            fallen = max(fallen, highest - progress.metres)
            if let before { ahead.append(progress.metres - before.metres - 6.5 * Double(progress.time - before.time) / 1000) }
            before = (progress.metres, progress.time)
        }
        let progress = try #require(matcher.progress)
        #expect(progress.state == .finished)
        #expect(progress.metres == course.length)
        #expect(fallen < 200, "never far back: \(fallen) m")
        // Where the drawn line has a spur that was not run, or a turn, another reading is right after some seconds: by 180 m at most.
        #expect((ahead.max() ?? 0) < 250, "never a leap: \(ahead.max() ?? 0) m")
        #expect(ahead.filter { $0 > 50 }.count < 20, "and hardly ever a correction: one an hour")
        let hours = Double((try #require(progress.finish)).time - gun) / 3_600_000
        #expect(hours > 15.5 && hours < 15.7, "\(hours) h")
        #expect(progress.splitTimes(of: course).count == course.splits.count)
        #expect(progress.missedMetres < 0.02 * course.length, "\(progress.stretches)")
        // The break between the recordings, at 36 km: see the tracks' ends.
        for (metres, minutes) in [(10_000.0, 50.0...75), (36_000, 285...325), (50_000, 410...445)] {
            let time = try #require(progress.time(at: metres))
            #expect(minutes.contains(Double(time - gun) / 60_000), "\(metres) m after \(Double(time - gun) / 60_000) min")
        }
    }

    @Test("RUN-16: three boats of a regatta on one course are told apart and ordered; a recording that began before is no advantage")
    func regatta() throws {
        let tracks = try (1...3).map { try GPXPoints.read("race/gpxplayer__track\($0).gpx") }
        // One boat's way is the course of all: they round the same buoys.
        let gun = try #require(tracks[2].first).time
        let course = try Course(CoursePlan(points: tracks[2].map { CoursePoint($0) }))
        let contestants = tracks.enumerated().map { index, track -> Contestant in
            var matcher = Matcher(course: course, gun: gun)
            matcher.insert(track.shuffled())
            return Contestant(bib: index + 1, progress: matcher.progress)
        }
        let own = try #require(contestants[2].progress)
        #expect(own.state == .finished && own.stretches.isEmpty)
        #expect(abs((try #require(own.finish)).time - (try #require(tracks[2].last)).time) < 20_000)
        let rows = Ranking.rows(contestants, by: .gun, now: gun + 7_200_000)
        #expect(rows.first?.bib == 3)
        #expect(Set(rows.map(\.bib)) == [1, 2, 3])
    }
}

import Foundation
import Runs
import Vitals

@testable import FleetKit

/// Courses that tests run on, drawn in metres east and north of a place.
enum Courses {
    static let home = CoursePoint(latitude: 454_642_000, longitude: 91_900_000)

    static func points(_ flat: [(Double, Double)], at origin: CoursePoint = home) -> [CoursePoint] {
        flat.map { RaceSimulator.moved(origin, east: $0.0, north: $0.1) }
    }

    /// Straight lines with a point every 20 m.
    static func drawn(_ corners: [(Double, Double)]) -> [(Double, Double)] {
        var flat = [corners[0]]
        for (from, to) in zip(corners, corners.dropFirst()) {
            let count = max(Int(hypot(to.0 - from.0, to.1 - from.1) / 20), 1)
            for step in 1...count {
                let share = Double(step) / Double(count)
                flat.append((from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share))
            }
        }
        return flat
    }

    static func circle(east: Double, north: Double, radius: Double, from: Double, turns: Double) -> [(Double, Double)] {
        let count = Int(radius * abs(turns) * 2 * Double.pi / 15)
        return (0...count).map {
            let angle = from + turns * 2 * Double.pi * Double($0) / Double(count)
            return (east + radius * cos(angle), north + radius * sin(angle))
        }
    }

    /// Two kilometres straight to the east.
    static let straight = plain([(0, 0), (2000, 0)])

    /// 1.5 km out on a road and back on it.
    static let outAndBack = plain([(0, 0), (1500, 0), (0, 0)])

    /// Three rounds of a figure of eight of 1.9 km, which crosses itself, then 1.5 km out and back on one road: 8.6 km.
    static let lapsAndBack: Course = {
        let eight =
            circle(east: 0, north: 150, radius: 150, from: -Double.pi / 2, turns: 1)
            + circle(east: 0, north: -150, radius: 150, from: Double.pi / 2, turns: -1)
        return course(eight + eight + eight + drawn([(0, 0), (1500, 0), (0, 0)]))
    }()

    /// A square of 1.6 km, four times round.
    static let fourLaps = course(drawn([(0, 0), (400, 0), (400, 400), (0, 400), (0, 0)]), laps: 4)

    static func plain(_ corners: [(Double, Double)]) -> Course { course(drawn(corners)) }

    static func course(_ flat: [(Double, Double)], laps: Int = 1, places: [CoursePlace] = []) -> Course {
        do {
            return try Course(CoursePlan(points: points(flat), laps: laps, places: places))
        } catch {
            preconditionFailure("the course of a test has problems: \(error)")
        }
    }
}

/// Somebody who walks a given way: metres from the start at each second since the gun.
enum Walk {
    static let gun: Milliseconds = 1_790_000_000_000

    /// Fixes without noise along the course, one a second.
    static func fixes(_ course: Course, from first: Int = 0, _ metres: [Double]) -> [PositionSample] {
        let simulator = RaceSimulator(course: course)
        return metres.enumerated().map { fix(simulator.place($1), second: first + $0) }
    }

    static func steady(_ course: Course, from: Double = 0, to: Double, speed: Double = 3, second: Int = 0) -> [PositionSample] {
        fixes(course, from: second, Array(stride(from: from, through: to, by: to < from ? -speed : speed)))
    }

    static func fix(_ point: CoursePoint, second: Int) -> PositionSample {
        PositionSample(time: gun + Milliseconds(second) * 1000, latitude: point.latitude, longitude: point.longitude)
    }

    static func matched(_ course: Course, _ fixes: [PositionSample]) -> Matcher {
        var matcher = Matcher(course: course, gun: gun)
        matcher.insert(fixes)
        return matcher
    }
}

import Exchange
import Foundation
import Runs

/// The course of a race: of a file, or of the run that the people are enrolled in.
enum RaceCourse {
    private static let bytesMax = 64 << 20

    static func plan(of file: String, laps: Int) throws -> CoursePlan {
        guard let data = FileManager.default.contents(atPath: file), data.count <= bytesMax else {
            throw FleetError("The course \(file) cannot be read: give a GPX file.")
        }
        let read: GPXFile
        do { read = try GPXFile(Array(data)) } catch { throw FleetError("The course \(file) is no GPX file that can be read: \(error).") }
        guard let line = (read.tracks + read.routes).max(by: { $0.count < $1.count }) else {
            throw FleetError("The course \(file) holds neither a track nor a route.")
        }
        return CoursePlan(points: line.map { CoursePoint(latitude: $0.latitude, longitude: $0.longitude) }, laps: laps)
    }

    static func plan(of run: FleetRun) -> CoursePlan {
        let points = stride(from: 0, to: run.points.count - 1, by: 2).map {
            CoursePoint(latitude: run.points[$0], longitude: run.points[$0 + 1])
        }
        return CoursePlan(points: points, laps: run.laps)
    }

    static func course(_ plan: CoursePlan) throws -> Course {
        do { return try Course(plan) } catch {
            throw FleetError("This course cannot be run: \(error.problems.map(\.code.rawValue).joined(separator: ", ")).")
        }
    }
}

import Foundation
import Testing
import Vitals

@testable import FleetKit
@testable import Runs

@Suite("Runs: geometry")
struct GeometryTests {
    @Test("sine, cosine and bearing agree with the C library")
    func trigonometry() {
        for degrees in stride(from: -360.0, through: 720, by: 0.37) {
            let (sine, cosine) = Trigonometry.sineAndCosine(Int64((degrees * 1e7).rounded()))
            #expect(abs(sine - sin(degrees * .pi / 180)) < 1e-14)
            #expect(abs(cosine - cos(degrees * .pi / 180)) < 1e-14)
        }
        for degrees in stride(from: 0.0, to: 360, by: 0.5) {
            let bearing = Trigonometry.bearing(east: sin(degrees * .pi / 180), north: cos(degrees * .pi / 180))
            #expect(abs(bearing - degrees) < 1e-8 || abs(bearing - degrees) > 359.999)
        }
    }

    /// Independent of the code: a parallel is a circle, a meridian's arc is summed up from its radius of curvature.
    @Test(
        "RUN-1: 100 km are measured to 0.1 % at every latitude and across the antimeridian",
        arguments: [(0.0, 10.0), (45.5, 9.2), (-33.9, 18.4), (60.2, 179.6), (-16.5, -179.7), (78.2, 15.6), (89.0, 0.0)])
    func length(latitude: Double, longitude: Double) throws {
        let a = 6_378_137.0, e2 = 6.69437999014e-3
        let phi = latitude * .pi / 180
        let parallel = a / (1 - e2 * sin(phi) * sin(phi)).squareRoot() * cos(phi)
        let turn = min(100_000 / parallel * 180 / .pi, 300)
        var east: [CoursePoint] = [], north: [CoursePoint] = []
        let steps = 1000
        for step in 0...steps {
            var lon = longitude + turn * Double(step) / Double(steps)
            if lon > 180 { lon -= 360 }
            east.append(point(latitude, lon))
            north.append(point(latitude - 0.9 * Double(step) / Double(steps), longitude))
        }
        let byParallel = try Course(CoursePlan(points: east)).length
        #expect(abs(byParallel / (turn * .pi / 180 * parallel) - 1) < 1e-4)
        let meridian = (0..<10_000).reduce(0.0) { sum, step in
            let angle = phi - 0.9 * .pi / 180 * (Double(step) + 0.5) / 10_000
            return sum + a * (1 - e2) / pow(1 - e2 * sin(angle) * sin(angle), 1.5) * 0.9 * .pi / 180 / 10_000
        }
        #expect(abs(try Course(CoursePlan(points: north)).length / meridian - 1) < 1e-4)
    }

    private func point(_ latitude: Double, _ longitude: Double) -> CoursePoint {
        CoursePoint(latitude: Int32((latitude * 1e7).rounded()), longitude: Int32((longitude * 1e7).rounded()))
    }

    @Test("the place and the direction at a distance, also across the antimeridian")
    func places() throws {
        let course = try Course(CoursePlan(points: [point(-17, 179.999), point(-17, -179.999)]))
        #expect(abs(course.point(at: course.length / 4).longitude - 1_799_995_000) < 10)
        #expect(abs(course.point(at: course.length * 3 / 4).longitude + 1_799_995_000) < 10)
        #expect(abs(course.bearing(at: 50) - 90) < 0.01)
        #expect(course.point(at: -5) == course.points[0])
        #expect(course.point(at: 1e9) == course.points[1])
        let north = try Course(CoursePlan(points: [point(10, 20), point(10.01, 20)]))
        #expect(abs(remainder(north.bearing(at: 10), 360)) < 0.01)
    }

    @Test("a course passes a place once for each lap and direction, and the nearest place is found")
    func passes() {
        let place = RaceSimulator.moved(Courses.home, east: 200, north: 10)
        let passes = Courses.fourLaps.passes(of: place)
        #expect(passes.map { Int($0.rounded()) } == [200, 1800, 3400, 5000], "\(passes)")
        let twice = Courses.outAndBack.passes(of: place)
        #expect(twice.map { Int($0.rounded()) } == [200, 2800], "\(twice)")
    }

    @Test("splits: each kilometre, timing places with their names, the finish")
    func splits() {
        let gate = CoursePlace(name: "Bridge", kind: .timing, point: RaceSimulator.moved(Courses.home, east: 1200, north: 0))
        let course = Courses.course(Courses.drawn([(0, 0), (1500, 0), (0, 0)]), places: [gate])
        #expect(course.splits.map { Int($0.metres.rounded()) } == [1000, 1200, 1800, 2000, 3000])
        #expect(course.splits.map(\.name) == [nil, "Bridge", "Bridge", nil, nil])
        #expect(course.places.compactMap(\.metres).map { Int($0.rounded()) } == [1200, 1800])
    }

    @Test("for drawing, no point that is left out is further away than was asked for")
    func simplified() {
        let course = Courses.lapsAndBack
        let drawn = course.simplified(tolerance: 5)
        #expect(drawn.count < course.points.count / 2)
        #expect(drawn.first == course.points.first && drawn.last == course.points.last)
        let line = Polyline(drawn.map(\.vector))
        for point in course.points { #expect((line.nearest(to: point.vector)?.distance ?? 99) <= 5) }
        #expect(course.simplified(tolerance: 1, pointsMax: 20).count <= 20)
    }
}

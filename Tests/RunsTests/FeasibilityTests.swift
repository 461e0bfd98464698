import Foundation
import Testing
import Vitals

@testable import FleetKit
@testable import Runs

@Suite("Runs: what can be run")
struct FeasibilityTests {
    private func plan(_ corners: [(Double, Double)], laps: Int = 1) -> CoursePlan {
        CoursePlan(points: Courses.points(Courses.drawn(corners)), laps: laps)
    }

    private func codes(_ plan: CoursePlan, _ obstacles: [Obstacle] = []) -> [CourseProblem.Code] {
        plan.problems(with: obstacles).map(\.code)
    }

    @Test("RUN-2: a good course has no problem, loops and out-and-backs included")
    func good() throws {
        #expect(codes(plan([(0, 0), (300, 0)])).isEmpty)
        #expect(codes(plan([(0, 0), (300, 0), (0, 0)])).isEmpty)
        #expect(codes(plan([(0, 0), (300, 0), (300, 300), (0, 300), (0, 0)], laps: 5)).isEmpty)
        // Drawn by hand with few points.
        #expect(codes(CoursePlan(points: Courses.points([(0, 0), (1500, 0), (1500, 900), (0, 0)]))).isEmpty)
    }

    @Test("RUN-2: too few points, one place, under 100 m, too long, too many")
    func size() {
        #expect(codes(CoursePlan(points: [])) == [.tooFewPoints])
        #expect(codes(CoursePlan(points: [Courses.home])) == [.tooFewPoints])
        #expect(codes(CoursePlan(points: [Courses.home, Courses.home, Courses.home])) == [.onePlace])
        #expect(codes(plan([(0, 0), (99, 0)])) == [.tooShort])
        #expect(codes(plan([(0, 0), (101, 0)])).isEmpty)
        #expect(codes(plan([(0, 0), (50_000, 0), (0, 5)], laps: 6)) == [.tooLong])
        #expect(codes(plan([(0, 0), (400, 0), (0, 0)], laps: 1001)).contains(.laps))
        #expect(codes(plan([(0, 0), (400, 0), (0, 0)], laps: 0)) == [.laps])
        #expect(codes(plan([(0, 0), (20_000, 0), (0, 0)], laps: 60)).contains(.tooManyPoints))
    }

    @Test("RUN-2: a gap and a spike are told with their place")
    func jumps() {
        let gap = CoursePlan(points: Courses.points(Courses.drawn([(0, 0), (500, 0)]) + Courses.drawn([(1200, 0), (2000, 0)])))
        let problems = gap.problems()
        #expect(problems.map(\.code) == [.gap])
        #expect(abs((problems.first?.metres ?? 0) - 500) < 3 && abs((problems.first?.metresEnd ?? 0) - 1200) < 5)
        #expect(problems.first?.index == 25)
        var flat = Courses.drawn([(0, 0), (500, 0)])
        flat.insert((200, 400), at: 10)
        let spike = CoursePlan(points: Courses.points(flat)).problems()
        #expect(spike.map(\.code) == [.spike])
        #expect(spike.first?.index == 10)
        // A straight road drawn with two clicks is no gap under 2 km, and one above.
        #expect(codes(CoursePlan(points: Courses.points([(0, 0), (1900, 0)]))).isEmpty)
        #expect(codes(CoursePlan(points: Courses.points([(0, 0), (2100, 0)]))) == [.gap])
    }

    @Test("RUN-2: impossible coordinates, each with its index, and everything that is wrong at once")
    func coordinates() {
        var bad = plan([(0, 0), (300, 0)])
        bad.points[3].latitude = 910_000_000
        bad.points[7].longitude = -1_900_000_000
        bad.splitEvery = 3
        let problems = bad.problems()
        #expect(problems.filter { $0.code == .invalidCoordinate }.map(\.index) == [3, 7])
        #expect(problems.contains { $0.code == .splits })
        #expect(throws: CourseRefusal(problems: problems)) { try Course(bad) }
    }

    @Test("RUN-2: self-contradictory: finish before start, outside of the line, laps that do not close, places elsewhere")
    func contradictions() throws {
        var reversed = plan([(0, 0), (1000, 0)])
        reversed.start = 800
        reversed.finish = 200
        #expect(codes(reversed) == [.finishBeforeStart])
        reversed.finish = 1500
        #expect(codes(reversed) == [.outsideLine])
        reversed.start = 200
        reversed.finish = 800
        #expect(abs(try Course(reversed).length - 600) < 1)
        #expect(codes(plan([(0, 0), (1000, 0)], laps: 2)) == [.openLoop])
        var placed = plan([(0, 0), (1000, 0)])
        placed.places = [
            CoursePlace(name: "Water", kind: .water, point: RaceSimulator.moved(Courses.home, east: 300, north: 20)),
            CoursePlace(name: "Moon", kind: .other, point: RaceSimulator.moved(Courses.home, east: 300, north: 900)),
            CoursePlace(name: "Beyond", kind: .aid, point: Courses.home, metres: 1100),
        ]
        let problems = placed.problems()
        #expect(problems.map(\.code) == [.placeOffCourse, .placeOffCourse])
        #expect(Set(problems.map(\.index)) == [1, 2])
    }

    @Test("RUN-2: across and along a motorway, through water; not beside them and not over a bridge")
    func obstacles() throws {
        let run = plan([(0, 0), (1000, 0)])
        func line(_ flat: [(Double, Double)], openings: [(Double, Double)] = []) -> Obstacle {
            Obstacle(kind: .motorway, shape: .line(Courses.points(flat)), openings: Courses.points(openings))
        }
        let across = run.problems(with: [line([(400, -500), (400, 500)])])
        #expect(across.map(\.code) == [.motorway])
        let metres = try #require(across.first?.metres)
        #expect(abs(metres - 400) < 15)
        #expect(codes(run, [line([(400, -500), (400, 500)], openings: [(400, 0)])]).isEmpty)
        let along = run.problems(with: [line([(300, 5), (700, 5)])])
        #expect(along.map(\.code) == [.motorway])
        #expect((along.first?.metresEnd ?? 0) - (along.first?.metres ?? 0) > 380)
        #expect(codes(run, [line([(300, 15), (700, 15)])]).isEmpty)
        // It ends beside the course and does not cross it.
        #expect(codes(run, [line([(400, 8), (400, 500)])]).isEmpty)
        let lake = Obstacle(kind: .water, shape: .area(Courses.points([(600, -50), (700, -50), (700, 50), (600, 50)])))
        let wet = run.problems(with: [lake])
        #expect(wet.map(\.code) == [.water])
        #expect(abs((wet.first?.metres ?? 0) - 600) < 10 && abs((wet.first?.metresEnd ?? 0) - 700) < 10)
        let beside = Obstacle(kind: .water, shape: .area(Courses.points([(600, 20), (700, 20), (700, 50), (600, 50)])))
        #expect(codes(run, [beside]).isEmpty)
    }

    @Test("RUN-2: a bridge, a tunnel or a ford opens what it leads across, there and nowhere else")
    func openings() {
        let run = plan([(0, 0), (1000, 0)])
        func opened(_ shape: Obstacle.Shape, by way: [(Double, Double)]) -> [CourseProblem.Code] {
            var obstacle = Obstacle(kind: .water, shape: shape)
            obstacle.open(along: Courses.points(way))
            return codes(run, [obstacle])
        }
        let line = Obstacle.Shape.line(Courses.points([(400, -500), (400, 500)]))
        #expect(opened(line, by: [(380, 0), (420, 0)]).isEmpty)
        #expect(opened(line, by: [(400, 3)]).isEmpty)
        #expect(opened(line, by: [(380, 150), (420, 150)]) == [.water])
        // It leads along the line, and over something else.
        #expect(opened(line, by: [(395, -50), (395, 50)]) == [.water])
        let lake = Obstacle.Shape.area(Courses.points([(300, -200), (600, -200), (600, 200), (300, 200)]))
        #expect(opened(lake, by: [(280, 0), (620, 0)]).isEmpty)
        #expect(opened(lake, by: [(450, 150), (450, 250)]) == [.water])
        // It ends in the water: a landing stage.
        #expect(opened(lake, by: [(280, 0), (310, 0)]) == [.water])
    }

    @Test("RUN-2: at a lake of thousands of corners each place of a long course is held against few of them")
    func lake() {
        // Round, 4 km across: 8,000 corners. The course passes it, and goes through it once.
        let corners = (0..<8000).map { index in
            let angle = Double(index) / 8000 * 2 * Double.pi
            return (3000 + 2000 * cos(angle), 2500 + 2000 * sin(angle))
        }
        let lake = Obstacle(kind: .water, shape: .area(Courses.points(corners))), border = lake.border
        let course = Courses.points(Courses.drawn([(0, 0), (6000, 0), (6000, 5000), (0, 5000), (0, 2500), (6000, 2500)]))
        #expect(course.count > 1000)
        #expect(course.reduce(0) { $0 + border.edges(at: $1).count } < course.count * 200)
        let wet = CoursePlan(points: course).problems(with: [lake])
        #expect(wet.map(\.code) == [.water])
        #expect(abs((wet.first?.metresEnd ?? 0) - (wet.first?.metres ?? 0) - 4000) < 30)
        #expect(codes(CoursePlan(points: Array(course.prefix(course.count / 2))), [lake]).isEmpty)
    }

    @Test("RUN-2: a line that is longer than any course is told so, and nobody looks along all of its metres for what the map forbids")
    func astray() {
        // A receiver's glitch: Milan, nowhere, Milan.
        let home = Courses.points(Courses.drawn([(0, 0), (2000, 0)])), nowhere = CoursePoint(latitude: 0, longitude: 0)
        var plan = CoursePlan(points: home + [nowhere] + home, finish: 2000), isAsked = false
        func obstacles() -> [Obstacle] {
            isAsked = true
            return []
        }
        #expect(plan.problems(with: obstacles()).contains { $0.code == .tooLong && ($0.value ?? 0) > 9_000_000 } && !isAsked)
        plan.points = home
        #expect(plan.problems(with: obstacles()).isEmpty && isAsked)
    }
}

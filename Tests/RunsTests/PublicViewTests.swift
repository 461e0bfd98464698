import Runs
import TestSupport
import Testing
import Vitals

@testable import FleetKit

@Suite("Runs: what the public sees")
struct PublicViewTests {
    private let course = Courses.lapsAndBack

    @Test("RUN-15: no place in a home zone is ever shown, no line is drawn through one", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func zones(seed: UInt64) throws {
        var settings = RaceSettings()
        settings.seed = seed
        var simulator = RaceSimulator(course: course, settings: settings)
        let runner = simulator.runner(1)
        var generator = SeededGenerator(seed: seed)
        let home = RaceSimulator.moved(course.point(at: Double.random(in: 0...course.length, using: &generator)), east: 20, north: -30)
        let zone = HomeZone.around(home, radius: Double.random(in: 50...400, using: &generator), using: &generator)
        #expect(zone.holds(home))
        let view = PublicView(zones: [zone], delay: Milliseconds.random(in: 0...300_000, using: &generator))
        let now = settings.gun + Milliseconds.random(in: 600_000...2_400_000, using: &generator)
        let parts = view.parts(of: runner.fixes.shuffled(using: &generator), at: now)
        let shown = parts.flatMap { $0 }
        #expect(!shown.isEmpty)
        #expect(shown.allSatisfy { zone.centre.distance(to: CoursePoint($0)) > zone.radius && $0.time <= now - view.delay })
        let expected = runner.fixes.filter { $0.time <= now - view.delay && !zone.holds(CoursePoint($0)) }
        #expect(shown.map(\.time) == expected.map(\.time), "everything else is shown")
        for part in parts {
            for (one, other) in zip(part, part.dropFirst()) {
                for step in 0...10 {
                    let share = Double(step) / 10
                    let between = CoursePoint(
                        latitude: one.latitude + Int32(Double(other.latitude - one.latitude) * share),
                        longitude: one.longitude + Int32(Double(other.longitude - one.longitude) * share))
                    #expect(!zone.holds(between))
                }
            }
        }
    }

    @Test("RUN-15: two fixes on both sides of a zone are not joined")
    func acrossZone() {
        let zone = HomeZone(centre: RaceSimulator.moved(Courses.home, east: 1000, north: 30), radius: 100)
        let fixes = Walk.steady(Courses.straight, to: 1800).filter { !(280..<390).contains(Int(($0.time - Walk.gun) / 1000)) }
        let parts = PublicView(zones: [zone], delay: 0).parts(of: fixes, at: Walk.gun + 3_600_000)
        #expect(parts.map(\.count) == [280, 211])
    }

    @Test("RUN-15: progress is behind by the delay, and stands still while the course passes the zone")
    func progress() throws {
        let straight = Courses.straight
        let zone = HomeZone(centre: RaceSimulator.moved(Courses.home, east: 1000, north: 0), radius: 200)
        let view = PublicView(zones: [zone], delay: 30_000)
        let fixes = Walk.steady(straight, to: 1800)
        var shown: [Double] = []
        var matcher = Matcher(course: straight, gun: Walk.gun)
        for fix in fixes {
            matcher.insert([fix])
            let progress = try #require(matcher.progress)
            guard let seen = view.progress(of: progress, on: straight, at: fix.time) else { continue }
            #expect(!zone.holds(straight.point(at: seen.metres)))
            #expect(seen.metres <= max(progress.metres - 85, 0))
            #expect(seen.time <= fix.time - 30_000)
            shown.append(seen.metres)
        }
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $1 > $0 - 0.01 }, "never back")
        #expect(shown.contains { $0 > 760 && $0 < 800 } && shown.contains { $0 > 1200 })
        let progress = try #require(matcher.progress)
        #expect(PublicView.open.progress(of: progress, on: straight, at: progress.time)?.metres == progress.metres)
    }

    @Test("RUN-15: the home is not in the middle of its zone")
    func offset() {
        var generator = SeededGenerator(seed: 7)
        let distances = (0..<200).map { _ in
            HomeZone.around(Courses.home, radius: 400, using: &generator).centre.distance(to: Courses.home)
        }
        #expect(distances.allSatisfy { $0 <= 201 })
        #expect(distances.filter { $0 > 100 }.count > 100)
    }

    @Test("RUN-15: start and finish are told with the delay, and a way beside the course is not told before it")
    func delayed() throws {
        let straight = Courses.straight, delay: Milliseconds = 30_000, view = PublicView(zones: [], delay: delay)
        let whole = try #require(Walk.matched(straight, Walk.steady(straight, to: 2040)).progress)
        let start = try #require(whole.start), finish = try #require(whole.finish)
        func shown(_ progress: Progress, at time: Milliseconds) -> Progress? { view.shown(progress, on: straight, at: time + delay) }
        #expect(shown(whole, at: start.time - 1) == nil && shown(whole, at: start.time)?.start == start)
        let before = try #require(shown(whole, at: finish.time - 1))
        #expect(before.finish == nil && before.metres < straight.length && before.state == .onCourse)
        #expect(shown(whole, at: finish.time)?.finish == finish)

        let beside = RaceSimulator.moved(RaceSimulator(course: straight).place(600), east: 0, north: 300)
        let away = Walk.steady(straight, to: 600) + (201..<260).map { Walk.fix(beside, second: $0) }
        let off = try #require(Walk.matched(straight, away).progress)
        #expect(off.state == .offCourse && PublicView.open.shown(off, on: straight, at: off.time)?.state == .offCourse)
        let seen = try #require(shown(off, at: off.time - 1))
        #expect(seen.state == .onCourse && seen.offCourseDistance == nil && seen.offCourseSince == nil)
        #expect(!seen.position.isNear(beside))
    }
}

extension CoursePoint {
    fileprivate func isNear(_ other: CoursePoint) -> Bool { distance(to: other) < 100 }
}

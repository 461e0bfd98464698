import Runs
import Testing
import Vitals

@testable import FleetKit

@Suite("Runs: progress along the course")
struct MatcherTests {
    @Test(
        "RUN-7: progress follows the truth on crossings, laps and shared stretches", arguments: ["lapsAndBack", "outAndBack", "fourLaps"])
    func follows(name: String) throws {
        let course = try #require(
            ["lapsAndBack": Courses.lapsAndBack, "outAndBack": Courses.outAndBack, "fourLaps": Courses.fourLaps][name])
        var matcher = Matcher(course: course, gun: Walk.gun)
        for (index, fix) in Walk.steady(course, from: -10, to: course.length + 20).enumerated() {
            matcher.insert([fix])
            let progress = try #require(matcher.progress)
            let truth = min(max(Double(index) * 3 - 10, 0), course.length)
            #expect(abs(progress.metres - truth) <= 12, "\(progress.metres) at \(truth)")
        }
        let progress = try #require(matcher.progress)
        #expect(progress.state == .finished)
        let start = try #require(progress.start), finish = try #require(progress.finish)
        #expect(start.isSeen && abs(start.time - Walk.gun - 3333) < 400)
        #expect(finish.isSeen && abs(finish.time - start.time - Milliseconds(course.length / 3 * 1000)) < 500)
        #expect(progress.stretches.isEmpty)
    }

    @Test("RUN-7: nobody has started before the gun, and who waits behind the line starts when crossing it")
    func start() throws {
        let course = Courses.straight
        let waiting = (-300..<120).map { _ in -8.0 }
        var matcher = Walk.matched(course, Walk.fixes(course, from: -300, waiting))
        #expect(matcher.progress?.state == .notStarted)
        #expect(matcher.progress?.start == nil)
        matcher.insert(Walk.steady(course, from: -8, to: 300, speed: 4, second: 120))
        let progress = try #require(matcher.progress)
        #expect(progress.state == .onCourse)
        #expect(abs(try #require(progress.start).time - Walk.gun - 122_000) < 100)
        // The receiver's errors take nobody across for good.
        let drifting = (0..<99).map { abs(Double($0 % 28) - 14) - 8 }
        var unsure = Walk.matched(course, Walk.fixes(course, drifting))
        unsure.insert(Walk.steady(course, from: -8, to: 300, speed: 4, second: 99))
        #expect(abs((unsure.progress?.start?.time ?? 0) - Walk.gun - 101_000) < 100)
        // Warming up on the course before the gun is no progress.
        let warm = Walk.matched(course, Walk.steady(course, from: 0, to: 900, second: -400))
        #expect(warm.progress?.metres == 0)
        #expect(warm.progress?.state == .notStarted)
    }

    @Test("RUN-7: who lives beside the course and stays at home does not run")
    func atHome() throws {
        let place = RaceSimulator.moved(Courses.home, east: 1000, north: 25)
        let matcher = Walk.matched(Courses.straight, (0..<3600).map { Walk.fix(place, second: $0) })
        let progress = try #require(matcher.progress)
        #expect(progress.state == .notStarted)
        #expect(progress.metres == 0)
        #expect(progress.stoppedSince == Walk.gun)
    }

    @Test("RUN-16: standing, then going on")
    func stopped() throws {
        let course = Courses.straight
        var matcher = Walk.matched(course, Walk.steady(course, to: 600))
        #expect(matcher.progress?.state == .onCourse)
        matcher.insert(Walk.fixes(course, from: 201, (0..<50).map { 603 + Double($0 % 2) }))
        #expect(matcher.progress?.state == .onCourse)
        matcher.insert(Walk.fixes(course, from: 251, (0..<60).map { 603 + Double($0 % 2) }))
        let progress = try #require(matcher.progress)
        #expect(progress.state == .stopped)
        #expect(abs(try #require(progress.stoppedSince) - Walk.gun - 200_000) < 10_000)
        matcher.insert(Walk.steady(course, from: 606, to: 690, second: 320))
        #expect(matcher.progress?.state == .onCourse)
    }

    @Test("RUN-16: who moves on the spot has not stopped: the receiver's speed tells it")
    func movingOnTheSpot() {
        let course = Courses.straight
        func state(speed: Int32?) -> RunnerState? {
            let there = Walk.fixes(course, from: 201, (0..<120).map { 603 + Double($0 % 2) }).map { fix in
                var fix = fix
                fix.speed = speed
                return fix
            }
            var matcher = Walk.matched(course, Walk.steady(course, to: 600))
            matcher.insert(there)
            return matcher.progress?.state
        }
        #expect(state(speed: 150) == .onCourse)
        #expect(state(speed: 99) == .stopped)
        #expect(state(speed: nil) == .stopped)
    }

    @Test("RUN-10: who walks about behind the finish, and back over the line, keeps the time of the first crossing")
    func walkingAboutAfterwards() throws {
        let course = Courses.straight
        var matcher = Walk.matched(course, Walk.steady(course, to: 2010))
        let finish = try #require(matcher.progress?.finish)
        // Ten seconds back before the line, then over it again, twice, then home.
        let about = [2004.0, 1998, 1992, 1986, 1992, 1998, 2004, 2010, 2004, 1998, 1992, 1998, 2004, 2010]
        matcher.insert(Walk.fixes(course, from: 671, about))
        matcher.insert(Walk.steady(course, from: 2004, to: 1700, second: 700))
        let progress = try #require(matcher.progress)
        #expect(progress.state == .finished && progress.finish == finish)
        #expect(finish.isSeen && abs(finish.time - Walk.gun - 666_667) < 500)
    }

    @Test("RUN-16: off the course and back: told with its time, and what was left out is marked")
    func offCourse() throws {
        let course = Courses.straight
        let simulator = RaceSimulator(course: course)
        var matcher = Walk.matched(course, Walk.steady(course, to: 600))
        let aside = (0..<200).map { step in
            Walk.fix(RaceSimulator.moved(simulator.place(600 + Double(step) * 3), east: 0, north: 300), second: 201 + step)
        }
        matcher.insert(aside)
        var progress = try #require(matcher.progress)
        #expect(progress.state == .offCourse)
        #expect(abs(progress.metres - 600) < 5)
        #expect(progress.offCourseSince == Walk.gun + 201_000)
        #expect(abs(try #require(progress.offCourseDistance) - 300) < 5)
        matcher.insert(Walk.steady(course, from: 1203, to: 1800, second: 402))
        progress = try #require(matcher.progress)
        #expect(progress.state == .onCourse)
        #expect(abs(progress.metres - 1800) < 5)
        let stretch = try #require(progress.stretches.first)
        #expect(stretch.kind == .missed && progress.stretches.count == 1)
        #expect(abs(stretch.from - 600) < 10 && abs(stretch.to - 1203) < 150)
        #expect(abs(progress.missedMetres - stretch.length) < 0.1)
    }

    @Test("RUN-7: a bend that a wall reflects is neither off the course nor left out")
    func reflections() throws {
        let course = Courses.straight
        let simulator = RaceSimulator(course: course)
        var fixes = Walk.steady(course, to: 1500)
        for index in 200..<215 {
            fixes[index] = Walk.fix(RaceSimulator.moved(simulator.place(Double(index) * 3), east: 40, north: 90), second: index)
        }
        var matcher = Matcher(course: course, gun: Walk.gun)
        for fix in fixes {
            matcher.insert([fix])
            #expect(matcher.progress?.state != .offCourse)
        }
        #expect(matcher.progress?.stretches == [])
        #expect(abs((matcher.progress?.metres ?? 0) - 1500) < 5)
    }

    @Test("RUN-16: turning back before the turn of an out-and-back is a stretch left out, not a way backward")
    func earlyTurn() throws {
        let course = Courses.outAndBack
        let out = Walk.steady(course, to: 1200), back = Walk.steady(course, from: 1800, to: 3000, second: 401)
        let progress = try #require(Walk.matched(course, out + back).progress)
        #expect(progress.state == .finished)
        #expect(progress.stretches.map(\.kind) == [.missed])
        #expect(abs(progress.missedMetres - 600) < 60)
    }

    @Test("RUN-7: going back for a lost glove is not a leap to the way back")
    func backForSomething() throws {
        let course = Courses.outAndBack
        var metres = Array(stride(from: 0.0, to: 900, by: 3)), second = 0
        metres += Array(stride(from: 900.0, to: 820, by: -3))
        metres += Array(stride(from: 820.0, to: 1400, by: 3))
        var matcher = Matcher(course: course, gun: Walk.gun)
        for position in metres {
            matcher.insert(Walk.fixes(course, from: second, [position]))
            #expect(abs((matcher.progress?.metres ?? -99) - position) < 15)
            second += 1
        }
        #expect(matcher.progress?.stretches == [])
    }

    @Test("RUN-14: a tunnel leaves a stretch that was not seen, and the progress behind it is right", arguments: [60, 180, 300])
    func tunnel(seconds: Int) throws {
        let course = Courses.lapsAndBack
        let fixes = Walk.steady(course, to: 5400).filter { fix in
            let second = Int((fix.time - Walk.gun) / 1000)
            return second < 700 || second >= 700 + seconds
        }
        var matcher = Matcher(course: course, gun: Walk.gun)
        for fix in fixes {
            matcher.insert([fix])
            let truth = Double(fix.time - Walk.gun) / 1000 * 3
            #expect(abs((matcher.progress?.metres ?? -99) - truth) < 15, "at \(truth)")
        }
        let progress = try #require(matcher.progress)
        #expect(progress.stretches.map(\.kind) == [.unseen])
        #expect(abs((progress.stretches.first?.from ?? 0) - 2097) < 15)
        #expect(progress.missedMetres == 0)
    }

    @Test("RUN-14: a stretch was not seen also where the last fix before the hole was wild")
    func wildBeforeTunnel() {
        let course = Courses.straight
        var fixes = Walk.steady(course, to: 1500).filter { !(200..<300).contains(Int(($0.time - Walk.gun) / 1000)) }
        fixes[199] = Walk.fix(RaceSimulator.moved(course.point(at: 597), east: 0, north: 90), second: 199)
        #expect(Walk.matched(course, fixes).progress?.stretches.map(\.kind) == [.unseen])
    }

    @Test("RUN-16: a bus to the finish is no finish", arguments: [Courses.straight, Courses.lapsAndBack])
    func bus(course: Course) throws {
        var fixes = Walk.steady(course, to: 600)
        let simulator = RaceSimulator(course: course), end = course.length
        let way = RaceSimulator.moved(simulator.place(end), east: 300, north: 400)
        fixes += (0..<600).map { Walk.fix(way, second: 201 + $0) }
        // It stops 60 m before the line, and he goes there after five minutes.
        fixes += (0..<300).map { Walk.fix(RaceSimulator.moved(simulator.place(end - 60), east: 0, north: 3), second: 801 + $0) }
        fixes += Walk.steady(course, from: end - 60, to: end + 20, speed: 1, second: 1101)
        let progress = try #require(Walk.matched(course, fixes).progress)
        #expect(progress.finish == nil)
        #expect(progress.metres < course.length / 2)
    }

    @Test("RUN-16: through is through: walking back along the course takes no finish away")
    func walkingBack() throws {
        let course = Courses.straight
        let back = Walk.steady(course, from: 2010, to: 1200, speed: 1.5, second: 680)
        var matcher = Walk.matched(course, Walk.steady(course, to: 2010))
        let finish = try #require(matcher.progress?.finish)
        for fix in back {
            matcher.insert([fix])
            #expect(matcher.progress?.state == .finished)
        }
        #expect(matcher.progress?.finish == finish)
    }

    @Test("EDGE-3: fixes worse than 10 m are signs of life and give no progress; impossible ones are counted")
    func vague() {
        let course = Courses.straight
        var matcher = Matcher(course: course, gun: Walk.gun)
        var fixes = Walk.steady(course, to: 300)
        for index in fixes.indices.suffix(50) { fixes[index].horizontalError = 101 }
        fixes[3].latitude = 1_000_000_000
        let insertion = matcher.insert(fixes)
        #expect(insertion.vague == 50 && insertion.impossible == 1 && insertion.used == 50)
        #expect(matcher.lastSeen == fixes.last?.time)
        #expect(abs((matcher.progress?.metres ?? 0) - 150) < 4)
    }

    @Test("the side of the course: right is positive")
    func side() throws {
        let right = RaceSimulator.moved(Courses.home, east: 300, north: -12)
        let matcher = Walk.matched(Courses.straight, Walk.steady(Courses.straight, to: 297) + [Walk.fix(right, second: 100)])
        #expect(abs(try #require(matcher.progress).crossTrack - 12) < 0.5)
    }
}

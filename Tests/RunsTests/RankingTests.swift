import TestSupport
import Testing
import Vitals

@testable import FleetKit
@testable import Runs

@Suite("Runs: ranking")
struct RankingTests {
    private let course = Courses.straight

    /// Somebody who has run from the line to `metres`, `late` seconds after the gun.
    private func runner(_ bib: Int, to metres: Double, speed: Double, late: Int = 0) -> Contestant {
        let fixes = Walk.steady(course, from: -3, to: metres, speed: speed, second: late)
        return Contestant(bib: bib, progress: Walk.matched(course, fixes).progress)
    }

    private func order(_ contestants: [Contestant], by kind: TimeKind = .gun, second: Int) -> [Int] {
        Ranking.rows(contestants, by: kind, now: Walk.gun + Milliseconds(second) * 1000).map(\.bib)
    }

    @Test("RUN-16: by progress, whoever was seen when: an old fix neither outranks nor falls behind")
    func ages() {
        // After 300 s: 1 at 900 m now; 2 was at 885 m 10 s ago (and is ahead); 3 was at 840 m 10 s ago (and is behind).
        let contestants = [
            runner(1, to: 900, speed: 3), runner(2, to: 890, speed: 3.07), runner(3, to: 840, speed: 2.9),
        ]
        #expect(order(contestants, second: 300) == [2, 1, 3])
        // Not heard of for 100 s: 2 has gone on with the last pace. For eight minutes: taken to stand since three minutes.
        let soon = [runner(1, to: 1200, speed: 3), runner(2, to: 890, speed: 3.1), runner(3, to: 900, speed: 2.9)]
        #expect(order(soon, second: 400) == [2, 1, 3])
        let later = [runner(1, to: 1800, speed: 3), runner(2, to: 390, speed: 3.1), runner(3, to: 1740, speed: 2.9)]
        #expect(order(later, second: 600) == [1, 3, 2])
    }

    @Test("RUN-16: gaps are times at the same distance")
    func gaps() throws {
        let rows = Ranking.rows(
            [runner(1, to: 900, speed: 3), runner(2, to: 600, speed: 2), runner(3, to: 750, speed: 2.5)], by: .gun,
            now: Walk.gun + 301_000)
        #expect(rows.map(\.bib) == [1, 3, 2])
        #expect(rows.map(\.place) == [1, 2, 3])
        // At 750 m: 301 s and 251 s; at 600 m: 301 s, 201 s for the first and 241 s for the one before.
        #expect(abs(try #require(rows[1].gapToFirst) - 50_000) < 2000)
        #expect(abs(try #require(rows[2].gapToFirst) - 100_000) < 2000)
        #expect(abs(try #require(rows[2].gapToPrevious) - 60_000) < 2000)
        #expect(rows[0].gapToFirst == 0 && rows[0].gapToPrevious == nil)
    }

    @Test("RUN-16: waves: the net time decides, or the gun")
    func waves() {
        let first = runner(1, to: 2060, speed: 3), second = runner(2, to: 2060, speed: 3.2, late: 60)
        #expect(order([first, second], by: .gun, second: 900) == [1, 2])
        #expect(order([first, second], by: .net, second: 900) == [2, 1])
        // Also under way: at the same distance the later one was quicker.
        let ahead = runner(1, to: 1500, speed: 3), chasing = runner(2, to: 1400, speed: 3.2, late: 60)
        #expect(order([ahead, chasing], by: .gun, second: 501) == [1, 2])
        #expect(order([ahead, chasing], by: .net, second: 501) == [2, 1])
    }

    @Test("RUN-16: the groups: finishers, runners, left out too much, not started, out of the race")
    func groups() {
        let simulator = RaceSimulator(course: course)
        let cut = Walk.steady(course, to: 300) + Walk.fixes(course, from: 101, (0..<120).map { 1200 + Double($0) * 3 })
        let away = (0..<100).map { Walk.fix(RaceSimulator.moved(simulator.place(0), east: 0, north: 500), second: $0) }
        var withdrawn = runner(5, to: 900, speed: 3), disqualified = runner(6, to: 2040, speed: 5)
        withdrawn.status = .didNotFinish
        disqualified.status = .disqualified
        let rows = Ranking.rows(
            [
                disqualified, Contestant(bib: 8, status: .didNotStart), withdrawn, Contestant(bib: 7),
                Contestant(bib: 4, progress: Walk.matched(course, away).progress),
                Contestant(bib: 3, progress: Walk.matched(course, cut).progress), runner(2, to: 1000, speed: 2.5),
                runner(1, to: 2040, speed: 4),
            ], by: .gun, now: Walk.gun + 600_000)
        #expect(rows.map(\.bib) == [1, 2, 3, 4, 7, 5, 8, 6])
        #expect(
            rows.map(\.group) == [
                .finished, .running, .incomplete, .notStarted, .notStarted, .didNotFinish, .didNotStart, .disqualified,
            ])
        #expect(rows.map(\.place) == [1, 2, nil, nil, nil, nil, nil, nil])
    }

    @Test("RUN-16: equal times share a place, the next is left out, and bib numbers order them")
    func ties() {
        let rows = Ranking.rows(
            [runner(9, to: 2040, speed: 3), runner(4, to: 2040, speed: 3), runner(7, to: 2040, speed: 2.9)], by: .gun,
            now: Walk.gun + 900_000)
        #expect(rows.map(\.bib) == [4, 9, 7])
        #expect(rows.map(\.place) == [1, 1, 3])
    }

    @Test("RUN-16: the ranking is a total order and does not depend on the order of its input", arguments: [1, 2, 3] as [UInt64])
    func totalOrder(seed: UInt64) {
        var settings = RaceSettings()
        settings.seed = seed
        settings.runners = 12
        settings.dropOutEvery = 300
        var simulator = RaceSimulator(course: Courses.straight, settings: settings)
        let runners = simulator.race()
        var generator = SeededGenerator(seed: seed)
        for second in stride(from: 30, through: 900, by: 90) {
            let now = settings.gun + Milliseconds(second) * 1000
            let contestants = runners.map { runner -> Contestant in
                var matcher = Matcher(course: Courses.straight, gun: settings.gun)
                matcher.insert(runner.deliveries.prefix { $0.at <= now }.map(\.fix))
                return Contestant(bib: runner.bib, progress: matcher.progress)
            }
            for kind in TimeKind.allCases {
                let rows = Ranking.rows(contestants, by: kind, now: now)
                #expect(Set(rows.map(\.bib)).count == contestants.count)
                for _ in 0..<4 { #expect(Ranking.rows(contestants.shuffled(using: &generator), by: kind, now: now) == rows) }
            }
        }
    }

    /// Somebody of an even pace, as known `now` seconds after the gun, who was last seen `age` seconds before.
    private func even(_ bib: Int, _ speed: Double, on length: Double, now: Double, age: Double) -> Contestant {
        let through = length / speed, isThrough = through <= now, seen = isThrough ? through : now - age
        func instant(_ seconds: Double) -> Milliseconds { Walk.gun + Milliseconds((seconds * 1000).rounded()) }
        var trail = Trail()
        for second in stride(from: 0.0, to: seen, by: 100) { trail.append(Trail.Point(seconds: second, metres: speed * second)) }
        let progress = Progress(
            gun: Walk.gun, time: instant(seen), position: Courses.home, metres: isThrough ? length : speed * seen, crossTrack: 0,
            state: isThrough ? .finished : .onCourse, confidence: 1, offCourseSince: nil, offCourseDistance: nil, stoppedSince: nil,
            start: Crossing(time: Walk.gun, isSeen: true), finish: isThrough ? Crossing(time: instant(through), isSeen: true) : nil,
            stretches: [], moreStretches: 0, missedMetres: 0, trail: trail, length: length)
        return Contestant(bib: bib, progress: progress)
    }

    @Test("RUN-16: 5,000 runners, each last seen up to a minute ago, stand in their true order; finishers of one second share a place")
    func fiveThousand() {
        let length = 10_000.0, now = 3000.0
        // From 2 to 4 m/s, each speed once, whatever the number: 2741 and 5000 have no factor in common.
        let field: [(bib: Int, speed: Double)] = (1...5000).map { bib in (bib: bib, speed: 2 + Double(bib * 2741 % 5000) * 0.0004) }
        let contestants = field.map { even($0.bib, $0.speed, on: length, now: now, age: Double($0.bib % 60)) }
        let rows = Ranking.rows(contestants, by: .gun, now: Walk.gun + Milliseconds(now * 1000))
        let finishers: [(bib: Int, second: Int)] = field.filter { length / $0.speed <= now }.map { runner in
            (bib: runner.bib, second: (Int((length / runner.speed * 1000).rounded()) + 999) / 1000)
        }.sorted { ($0.second, $0.bib) < ($1.second, $1.bib) }
        let running = field.filter { length / $0.speed > now }.sorted { $0.speed > $1.speed }
        let order = finishers.map { $0.bib } + running.map { $0.bib }, seconds = finishers.map { $0.second }
        let places: [Int?] = seconds.map { second in seconds.firstIndex(of: second).map { $0 + 1 } }
        #expect(finishers.count == 1666 && rows.map(\.bib) == order && rows.prefix(seconds.count).map(\.place) == places)
        #expect(rows.dropFirst(seconds.count).compactMap(\.place) == Array(seconds.count + 1...5000))
        #expect(rows.allSatisfy { $0.group == ($0.place ?? 5000 <= seconds.count ? .finished : .running) })
    }

    @Test("who is still out there is one look")
    func stillOut() {
        var gaveUp = runner(3, to: 500, speed: 3)
        gaveUp.status = .didNotFinish
        let all = [runner(1, to: 2040, speed: 3), runner(2, to: 700, speed: 3), gaveUp, Contestant(bib: 4)]
        #expect(all.filter(\.isStillOut).map(\.bib) == [2])
    }
}

import Database
import Foundation
import HubStore
import NIOCore
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

@Suite(.timeLimit(.minutes(4))) struct RunLiveResultsTests {
    private let field: [(name: String, speed: Double, choices: EnrolmentChoices)] = [
        ("Ada", 3.0, EnrolmentChoices(publicName: "Ada", published: [.time, .splits, .track])),
        ("Bob", 4.0, EnrolmentChoices(publicName: "Bob", published: [.time, .heartRate])),
        ("Eve", 3.5, EnrolmentChoices(publicName: "Eve", published: [])),
    ]
    /// The slowest is there by then.
    private let seconds = 1180

    private func results(_ race: RunLiveRace) throws -> [RunResult] { try race.town.store.results.results(of: race.run.id) }

    /// Segments of one minute each, by racer.
    private func minutes(_ race: RunLiveRace) -> [(racer: Int, bytes: [UInt8])] {
        race.racers.indices.flatMap { index in
            stride(from: 1, through: seconds, by: 60).map { (index, race.segment(index, from: $0, to: min($0 + 59, seconds))) }
        }
    }

    @Test("RUN-14, EDGE-6: shuffled, late and duplicated uploads, a restart and nobody who watches give the same results to the last bit")
    func same() async throws {
        let timely = try await RunLiveRace.start(field), reader = try timely.live.watch(timely.run, from: "192.0.2.1")
        for first in stride(from: 1, through: seconds, by: 60) {
            try await timely.go(from: first, to: min(first + 59, seconds))
            timely.work()
        }
        withExtendedLifetime(reader) {}
        try await timely.end()
        let expected = try results(timely)
        #expect(expected.map(\.place) == [1, 2, 3] && expected.map(\.result?.bib) == [2, 3, 1])
        #expect(expected.allSatisfy { $0.group == .finished && $0.trail.count > 2 && $0.result?.heart != nil })
        let length = timely.course.length
        for (result, speed) in zip(expected, [4.0, 3.5, 3.0]) {
            #expect(abs(Double(try #require(result.time)) / 1000 - length / speed) < 5)
        }

        for seed in 1...2 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var race = try await RunLiveRace.start(field)
            let all = minutes(race), uploads = (all + all.filter { _ in Bool.random(using: &random) }).shuffled(using: &random)
            race.town.clock.advance(Milliseconds(seconds) * 1000)
            let early = uploads.prefix(uploads.count / 2), late = uploads.dropFirst(uploads.count / 2)
            for (count, upload) in early.enumerated() {
                try await race.upload(upload.bytes, of: upload.racer)
                if count.isMultiple(of: 5) { race.work() }
            }
            try await race.end()
            #expect(try results(race).map(\.result) != expected.map(\.result))
            if seed == 2 { race = try race.restarted() }
            for upload in late {
                race.town.clock.advance(1000)
                try await race.upload(upload.bytes, of: upload.racer)
                race.work()
            }
            race.town.clock.advance(RunLive.settles * 2)
            race.work()
            race.work()
            let found = try results(race)
            #expect(found.map(\.result) == expected.map(\.result), "seed \(seed)")
            #expect(found.map(\.trail) == expected.map(\.trail) && found.map(\.place) == expected.map(\.place))
        }
    }

    @Test("RUN-10: who is through has a time while others are under way, later where they wish to be seen later; it may still change")
    func provisional() async throws {
        var field = field
        // Through after some 17 minutes, and public 10 minutes behind.
        field[2].choices.delay = 600_000
        let race = try await RunLiveRace.start(field)
        func bibs() throws -> [Int?] { try race.town.results.results(of: race.run, for: .everybody).lines.map(\.bib) }
        for first in stride(from: 1, through: 840, by: 60) {
            try await race.go(from: first, to: first + 59)
            race.work()
        }
        #expect(try results(race).isEmpty, "nobody is through")
        for first in stride(from: 841, through: 1020, by: 60) {
            try await race.go(from: first, to: first + 59)
            race.work()
        }
        #expect(try results(race).map(\.group) == [.finished] && bibs() == [2], "Eve is through, and not to be seen yet")
        try await race.go(from: 1021, to: seconds)
        race.town.clock.advance(RunLive.settles)
        race.work()
        #expect(try bibs() == [2, 1] && results(race).count == 2)
        race.town.clock.advance(500_000)
        race.work()
        #expect(try results(race).map(\.place) == [1, 2, 3] && results(race).map(\.result?.bib) == [2, 3, 1])
        try await race.end()
        #expect(try results(race).allSatisfy { $0.result?.heart != nil })
    }

    @Test("RUN-10, RUN-16: what the organiser says of somebody changes the results, while it goes on and afterwards")
    func entries() async throws {
        let race = try await RunLiveRace.start(field), town = race.town
        func group(_ bib: Int) throws -> RankingRow.Group? { try results(race).first { $0.result?.bib == bib }?.group }
        for first in stride(from: 1, through: seconds, by: 60) { try await race.go(from: first, to: min(first + 59, seconds)) }
        race.work()
        #expect(try group(2) == .finished)
        try town.results.setEntry(.disqualified, bib: 2, in: race.run.id, by: town.organiser)
        town.clock.advance(RunLive.settles)
        race.work()
        #expect(try group(2) == .disqualified && results(race).compactMap(\.place) == [1, 2])
        try await race.end()
        try town.results.setEntry(.disqualified, bib: 3, in: race.run.id, by: town.organiser)
        race.work()
        #expect(try group(3) == .disqualified && results(race).first?.result?.bib == 1 && results(race).compactMap(\.place) == [1])
    }

    @Test("RUN-14: who is brought back to the list after the end has a result")
    func broughtBack() async throws {
        let race = try await RunLiveRace.start(field), town = race.town
        try town.store.enrolments.decide([(race.enrolment(1), .noPosition)], in: race.run, now: town.now)
        for first in stride(from: 1, through: seconds, by: 60) { try await race.go(from: first, to: min(first + 59, seconds)) }
        try await race.end()
        #expect(try results(race).map(\.result?.bib) == [3, 1])
        try town.store.enrolments.decide([(race.enrolment(1), .checkedIn)], in: race.run, now: town.now)
        race.work()
        race.work()
        #expect(try results(race).map(\.result?.bib) == [2, 3, 1] && results(race).map(\.place) == [1, 2, 3])
    }

    @Test("RUN-14: data of one runner that keeps coming holds up nobody's results for longer than a minute")
    func trickle() async throws {
        let race = try await RunLiveRace.start(field)
        try await race.go(from: 1, to: 600, [0, 1])
        try await race.go(from: 601, to: seconds, [1])
        try await race.end()
        #expect(try results(race).first { $0.result?.bib == 3 }?.group == .notStarted)
        try await race.send(2, from: 1, to: seconds)
        for second in 0..<20 {
            try await race.send(0, from: 601 + second, to: 601 + second)
            race.work()
            race.town.clock.advance(5000)
        }
        #expect(try results(race).map(\.result?.bib).prefix(2) == [2, 3] && results(race).prefix(2).map(\.place) == [1, 2])
        race.town.clock.advance(RunLive.settles * 2)
        race.work()
        race.work()
        let metres = try #require(try results(race).first { $0.result?.bib == 1 }?.result).metres
        #expect(abs(metres - 3 * 620) < 15, "what came last is in them too")
    }

    @Test("RUN-10: with several waves each is a class with places of its own; with one there is no class")
    func waves() async throws {
        var field = field
        for index in [0, 2] { field[index].choices.wave = 1 }
        let race = try await RunLiveRace.start(field, waves: ["Men", "Women"])
        for first in stride(from: 1, through: 1180, by: 295) { try await race.go(from: first, to: first + 294) }
        try await race.end()
        let kept = try race.town.store.results.results(of: race.run.id).compactMap(\.result)
        #expect(kept.map(\.bib) == [2, 3, 1] && kept.map(\.place) == [1, 2, 3])
        #expect(kept.map(\.category) == ["Men", "Women", "Women"] && kept.map(\.placeInCategory) == [1, 1, 2])
        var plan = race.run.plan
        #expect(plan.category(wave: 2) == nil && plan.category(wave: -1) == nil)
        plan.waves.removeLast()
        #expect(plan.category(wave: 0) == nil)
    }

    @Test("RUN-10: who withdraws has no result any more, and each place is given once")
    func withdrawn() async throws {
        let race = try await RunLiveRace.start(field), town = race.town
        for first in stride(from: 1, through: 1100, by: 60) { try await race.go(from: first, to: min(first + 59, 1100)) }
        race.work()
        #expect(try results(race).map(\.result?.bib) == [2, 3])
        try town.enrolments.withdraw(race.racers[1].person, from: race.run.id, by: race.racers[1].account)
        town.clock.advance(RunLive.settles)
        race.work()
        #expect(try results(race).map(\.result?.bib) == [3] && results(race).map(\.place) == [1])
        try await race.go(from: 1101, to: seconds, [0, 2])
        try await race.end()
        #expect(try results(race).map(\.result?.bib) == [3, 1] && results(race).map(\.place) == [1, 2])
    }

    @Test("RUN-10: who withdraws a moment before the end has no result, though one was kept while it went on")
    func withdrawnLast() async throws {
        let race = try await RunLiveRace.start(field), town = race.town
        for first in stride(from: 1, through: seconds, by: 60) { try await race.go(from: first, to: min(first + 59, seconds)) }
        race.work()
        #expect(try results(race).map(\.result?.bib) == [2, 3, 1])
        try await town.advance(to: race.run.plan.ends - 1000)
        try town.enrolments.withdraw(race.racers[1].person, from: race.run.id, by: race.racers[1].account)
        try await race.end()
        #expect(try results(race).map(\.result?.bib) == [3, 1] && results(race).map(\.place) == [1, 2])
    }

    @Test(
        "RUN-10, DATA-10: results that are worked out again leave every place as it was: of who was deleted, took the check-in back or is damaged"
    )
    func stable() async throws {
        let more = [
            (name: "Zoe", speed: 3.2, choices: EnrolmentChoices(publicName: "Zoe")),
            (name: "Max", speed: 3.8, choices: EnrolmentChoices(publicName: "Max")),
        ]
        let race = try await RunLiveRace.start(field + more), town = race.town, people = race.racers.map(\.person)
        for first in stride(from: 1, through: seconds, by: 60) { try await race.go(from: first, to: min(first + 59, seconds)) }
        try await race.end()
        let before = try results(race)
        #expect(before.map(\.result?.bib) == [2, 5, 3, 4, 1] && before.map(\.place) == [1, 2, 3, 4, 5])
        try town.deletion.deletePerson(people[1], by: race.racers[1].account.id, now: town.now)
        try town.deletion.work(now: town.now)
        try town.consents.answer(#require(race.enrolment(2).checkIn), .revoke, by: race.racers[2].account.id)
        let path = town.hub.directory.url.appendingPathComponent("runs.sqlite").path
        try DatabasePool(path: path).write {
            try $0.execute(sql: "UPDATE enrolment SET envelope = zeroblob(60) WHERE bib = 5")
        }
        // The last one: by that it is seen that they were worked out again.
        try town.results.setEntry(.disqualified, bib: 1, in: race.run.id, by: town.organiser)
        for _ in 0..<2 {
            let again = try race.restarted()
            again.work()
            let after = try results(again)
            #expect(after.map(\.group) == [.finished, .finished, .finished, .finished, .disqualified])
            #expect(after.map(\.place) == [1, 2, 3, 4, nil] && after.map(\.time) == before.map(\.time))
            #expect(after.map(\.person) == [nil, people[4], people[2], people[3], people[0]])
            #expect(after.map(\.result?.place) == [nil, 2, 3, 4, nil])
            let run = try #require(try again.town.store.run(race.run.id)), open = try again.town.results.standings(of: run)
            #expect(open.map(\.bib) == [nil, nil, nil, 4, 1] && open.map(\.place) == [1, 2, 3, 4, nil])
            #expect(try RunsExport(race.racers[2].account.id, again.town.store).results.count == 1, "it is still Eve's own")
        }
        // Who took the check-in back does not keep a place from which the organiser takes them.
        try town.results.setEntry(.disqualified, bib: 3, in: race.run.id, by: town.organiser)
        let last = try race.restarted()
        last.work()
        #expect(try results(last).map(\.place) == [1, 2, 3, nil, nil] && results(last)[2].result?.bib == 4)
    }

    @Test("RUN-14: what comes within a day after the end changes the results, and nothing that was recorded after the end does")
    func afterwards() async throws {
        let race = try await RunLiveRace.start(field)
        for index in 0..<2 { try await race.send(index, from: 1, to: 60) }
        try await race.go(from: 61, to: seconds, [0, 1])
        try await race.end()
        #expect(try results(race).first { $0.result?.bib == 3 }?.group == .notStarted)
        race.town.clock.advance(20 * hour)
        race.work()
        try await race.send(2, from: 1, to: seconds)
        race.work()
        race.town.clock.advance(RunLive.settles * 2)
        race.work()
        race.work()
        #expect(try results(race).map(\.place) == [1, 2, 3] && results(race).map(\.result?.bib) == [2, 3, 1])
        let before = try results(race)
        let end = Int((race.run.plan.ends - race.gun) / 1000)
        try await race.send(0, from: end + 10, to: end + 20)
        race.work()
        race.town.clock.advance(RunLive.settles * 2)
        race.work()
        #expect(try results(race) == before)
        race.town.clock.advance(5 * hour)
        race.work()
        #expect(race.live.live(race.run.id) == nil)
    }

    @Test(
        "RUN-10, RUN-15: standings and replay tell what each runner publishes; home zones are left out; who takes the check-in back is nobody"
    )
    func published() async throws {
        var field = field
        let course = try Course(RunTown.course())
        field[0].choices.home = HomeZone(centre: course.point(at: 1000), radius: 150)
        let race = try await RunLiveRace.start(field)
        for first in stride(from: 1, through: seconds, by: 60) { try await race.go(from: first, to: min(first + 59, seconds)) }
        #expect(try race.live.replayText(of: #require(try race.town.store.run(race.run.id))) == nil)
        try await race.end()
        let run = try #require(try race.town.store.run(race.run.id))
        let standings = try race.town.results.standings(of: run)
        #expect(
            standings.map(\.name) == ["Bob", "Eve", "Ada"] && standings.map(\.place) == [1, 2, 3] && standings.map(\.bib) == [2, 3, 1])
        let (bob, eve, ada) = (standings[0], standings[1], standings[2])
        #expect(bob.time != nil && bob.result?.splits == [] && bob.result?.heart?.average.rounded() == 141)
        #expect(eve.time == nil && eve.result == nil)
        #expect(ada.time != nil && ada.result?.splits.isEmpty == false && ada.result?.heart == nil)

        let replay = try #require(try race.live.replayText(of: run))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(replay.readableBytesView)) as? [String: Any])
        #expect(json["from"] as? Milliseconds == race.gun && json["names"] as? [String: String] == ["1": "Ada"])
        let runners = try #require(json["runners"] as? [[Any]])
        let line = try #require(runners.first?[2] as? [Int])
        #expect(runners.count == 1 && runners[0][0] as? Int == 1)
        let points = stride(from: 0, to: line.count, by: 2).map { (line[$0], line[$0 + 1]) }
        #expect(points.last.map { abs($0.1 - Int(course.length)) < 20 } == true)
        // Where she was in the zone, she stands at its border.
        #expect(points.allSatisfy { !(865..<1135).contains($0.1) }, "\(points)")
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.0 < $1.0 || $0.0 == $1.0 })
        #expect(points.filter { (230..<370).contains($0.0) }.allSatisfy { $0.1 < 900 }, "\(points)")

        try race.town.consents.answer(#require(try race.enrolment(0).checkIn), .revoke, by: race.racers[0].account.id)
        let after = try race.town.results.standings(of: run)
        #expect(after[2].bib == nil && after[2].name.isEmpty && after[2].result == nil && after[2].place == 3)
        race.town.clock.advance(2000)
        let again = try #require(try race.live.replayText(of: run))
        #expect(!String(buffer: again).contains("Ada"))
    }

    @Test("RUN-7: the course is told with places and splits, thinned to two metres, and with a tag that changes with it")
    func course() async throws {
        let town = try RunTown(), live = town.liveRuns(), run = try town.published()
        let text = try #require(try live.courseText(of: run))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.bytes.readableBytesView)) as? [String: Any])
        let points = try #require(json["points"] as? [[Double]]), course = try Course(RunTown.course())
        // A square: its corners and its ends say it all.
        #expect((5...9).contains(points.count) && json["length"] as? Int == Int(course.length.rounded()))
        #expect(points.first?[2] == 0 && points.last?[2] == course.length.rounded())
        #expect(json["code"] as? String == run.code && json["state"] as? String == "scheduled" && (json["splits"] as? [Any])?.count == 4)
        town.clock.advance(run.plan.starts - town.now)
        #expect(try #require(try live.courseText(of: run)).tag != text.tag)
    }
}

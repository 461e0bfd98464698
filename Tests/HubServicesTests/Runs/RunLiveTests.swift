import Foundation
import HubStore
import NIOCore
import Privacy
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

@Suite(.timeLimit(.minutes(4))) struct RunLiveTests {
    private let field: [(name: String, speed: Double, choices: EnrolmentChoices)] = [
        ("Ada", 3.0, EnrolmentChoices(publicName: "Ada \"the\" <fast>")), ("Bob", 4.0, EnrolmentChoices(publicName: "Bob")),
        ("Eve", 3.5, EnrolmentChoices()),
    ]

    @Test(
        "RUN-7, RUN-16: spectators get a snapshot, then deltas that add up to the same; order, distance, pace and gap follow from what boxes sent"
    )
    func spectators() async throws {
        let race = try await RunLiveRace.start(field, publicHeartRates: ["Bob"])
        let reader = try race.live.watch(race.run, from: "192.0.2.1")
        var spectator = RunLiveSpectator()
        let first = try await race.next(reader)
        #expect(first.name == "snapshot" && first.json["state"] as? String == "live" && first.rows().count == 3)
        // Bib numbers count up with the enrolments; who published no name has none.
        #expect(first.names == ["1": "Ada \"the\" <fast>", "2": "Bob"])
        spectator.hear(first)
        for ten in 0..<12 {
            try await race.go(from: ten * 10 + 1, to: ten * 10 + 10)
            for _ in 0..<2 {
                spectator.hear(try await race.next(reader))
                race.town.clock.advance(1)
            }
        }
        // One second more for each turn, so that everything that changes slowly was told.
        for second in 121...126 {
            try await race.go(from: second, to: second)
            spectator.hear(try await race.next(reader))
        }
        let late = try race.live.watch(race.run, from: "192.0.2.2")
        let snapshot = try await race.next(late)
        if snapshot.sequence != spectator.sequence { spectator.hear(try RunLiveEvent(#require(await reader.next()))) }
        #expect(spectator.gaps == 0 && snapshot.sequence == spectator.sequence)
        #expect(Dictionary(uniqueKeysWithValues: snapshot.rows().map { ($0[0], $0) }) == spectator.rows)
        #expect(snapshot.names == spectator.names)
        #expect(snapshot.rows().map { $0[0] } == [2, 3, 1] && snapshot.rows().map { $0[2] } == [1, 2, 3])
        for (bib, speed, heartRate) in [(1, 3.0, 0), (2, 4.0, 141), (3, 3.5, 0)] {
            let row = try #require(spectator.rows[bib])
            #expect(row.count == 8 && row[1] == RankingRow.Group.running.index)
            #expect(abs(Double(row[3]) - speed * 126) < 15, "\(row)")
            #expect(abs(Double(row[4]) - 1000 / speed) < 15, "\(row)")
            // Who agreed to that, and nobody else.
            #expect(row[6] == heartRate, "\(row)")
            #expect(abs(Int64(row[7]) - (race.gun + 126_000)) <= 2000)
        }
        #expect(try #require(spectator.rows[1])[5] > 25 && spectator.rows[2]?[5] == 0)
    }

    @Test("RUN-9, DATA-12: the organiser sees everybody's position and heart rate each second, and each runner reads once who read")
    func organiser() async throws {
        let race = try await RunLiveRace.start(field)
        let reader = try race.live.watchPeople(race.run, from: "192.0.2.1")
        func reads(_ index: Int) throws -> Int {
            try race.town.hub.accounts.ledger.ledger(of: race.racers[index].person, count: 100).entries.count { $0.what == .read }
        }
        #expect(try reads(0) == 0)
        for ten in 0..<6 {
            try await race.go(from: ten * 10 + 1, to: ten * 10 + 10)
            _ = try await race.next(reader)
        }
        let event = try await race.next(reader)
        #expect(event.name == "people" && event.objects.count == 3)
        let bob = try #require(event.objects.first { $0["bib"] as? Int == 2 })
        #expect(bob["name"] as? String == "Bob Up" && bob["hr"] as? Int == 141 && bob["out"] as? Bool == true)
        #expect(bob["test"] as? Bool == false && bob["alarm"] is NSNull && bob["battery"] is NSNull)
        let latitude = try #require(bob["lat"] as? Double), there = race.position(1, at: 60)
        #expect(abs(latitude - there.latitudeDegrees) < 1e-4)
        #expect(try reads(0) == 1 && reads(1) == 1)
        // The runner's own row, and nobody else's.
        let own = try await race.next(try race.live.watch(race.enrolment(2), from: "192.0.2.3"))
        #expect(own.name == "mine" && own.json["bib"] as? Int == 3 && (own.json["course"] as? [Double])?.count == 2)
    }

    @Test("RUN-15: a home zone and a delay hold for spectators, in places too, and not for the organiser")
    func hidden() async throws {
        var field = field
        let course = try Course(RunTown.course())
        // Around 300 to 500 m of the course.
        field[1].choices.home = HomeZone(centre: course.point(at: 400), radius: 100)
        field[2].choices.delay = 60_000
        let race = try await RunLiveRace.start(field, publicHeartRates: ["Eve"])
        for ten in 0..<10 {
            try await race.go(from: ten * 10 + 1, to: ten * 10 + 10)
            race.work()
        }
        // Bob is at 400 m, and spectators know of 300 m.
        let bob = try race.row(1), eve = try race.row(2), ada = try race.row(0)
        #expect((285...301).contains(bob.metres) && bob.spot == nil, "\(bob)")
        #expect(bob.seen < race.town.now - 20_000)
        // Eve is as of a minute ago.
        #expect(abs(eve.metres - 140) < 12 && eve.seen == race.town.now - 60_000 && eve.heartRate == 142, "\(eve)")
        #expect(abs(ada.metres - 300) < 12)
        let organised = try #require(race.live.live(race.run.id)).organiserRows(now: race.town.now)
        #expect(organised.map(\.row.bib) == [2, 3, 1] && abs(organised[0].row.metres - 400) < 12)
        // Out of the zone again.
        for ten in 10..<14 {
            try await race.go(from: ten * 10 + 1, to: ten * 10 + 10)
            race.work()
        }
        #expect(try abs(race.row(1).metres - 560) < 12)
        // A delay that is chosen while it goes on holds at once.
        let longer = EnrolmentChoices(publicName: "Bob", delay: 100_000)
        _ = try race.town.enrolments.choose(longer, of: race.racers[1].person, in: race.run.id, by: race.racers[1].account)
        race.work()
        #expect(try abs(race.row(1).metres - 160) < 12)
    }

    @Test("RUN-5, CONS-6: who takes the consent back is gone with the next second, from the map, the list and the organiser's view")
    func takenBack() async throws {
        let race = try await RunLiveRace.start(field, publicHeartRates: ["Bob"])
        let reader = try race.live.watch(race.run, from: "192.0.2.1")
        var spectator = RunLiveSpectator()
        spectator.hear(try await race.next(reader))
        try await race.go(from: 1, to: 30)
        spectator.hear(try await race.next(reader))
        let bob = try race.enrolment(1)
        try race.town.consents.answer(#require(bob.publicHeartRate), .revoke, by: race.racers[1].account.id)
        try await race.go(from: 31, to: 40)
        #expect(try race.row(1).heartRate == 141)
        spectator.hear(try await race.next(reader))
        #expect(try race.row(1).heartRate == 0)
        try race.town.consents.answer(#require(bob.checkIn), .revoke, by: race.racers[1].account.id)
        let event = try await race.next(reader)
        #expect(event.gone == [2])
        spectator.hear(event)
        #expect(spectator.rows.keys.sorted() == [1, 3] && spectator.names.keys.sorted() == ["1"])
        // What comes later is not taken either.
        try await race.go(from: 41, to: 50)
        race.work()
        #expect(try race.rows().map(\.bib).sorted() == [1, 3])
        let organiser = try race.live.watchPeople(race.run, from: "192.0.2.1")
        let people = try await race.next(organiser), row = try #require(people.objects.first { $0["bib"] as? Int == 2 })
        #expect(row["lat"] is NSNull && row["hr"] as? Int == 0 && row["metres"] as? Int == 0 && row["seen"] as? Int == 0)
    }

    @Test("RUN-7, EDGE-3: a hub that restarts in the middle knows everything again; so it does when its queue overflowed")
    func restart() async throws {
        let race = try await RunLiveRace.start(field)
        for ten in 0..<30 {
            try await race.go(from: ten * 10 + 1, to: ten * 10 + 10)
            race.live.tick()
        }
        let before = try race.rows()
        #expect(before.map(\.bib) == [2, 3, 1])
        let again = try race.restarted()
        again.work()
        #expect(try again.rows() == before)
        // Somebody's segments are longer than what is handed on: they are read.
        try await again.go(from: 301, to: 301, [0])
        try await again.go(from: 302, to: 1400, [0, 1, 2])
        again.work()
        let rows = try again.rows()
        #expect(rows.first?.group == RankingRow.Group.finished.index && rows.map(\.bib) == [2, 3, 1])
        #expect(try again.row(0).group == RankingRow.Group.finished.index)
    }

    @Test("RUN-14: what comes late is put in its place, however late")
    func late() async throws {
        let race = try await RunLiveRace.start([("Ada", 0.6, EnrolmentChoices())])
        // The first minute comes when a matcher does not remember that time any more.
        for ten in stride(from: 0, to: 4200, by: 100) {
            try await race.go(from: ten + 61, to: ten + 160)
            race.work()
        }
        #expect(try abs(race.row(0).metres - Int(0.6 * 4260)) < 15)
        let row = try race.enrolment(0).row
        let before = try #require(race.live.live(race.run.id)?.runner(row)?.progress)
        try await race.send(0, from: 1, to: 60)
        race.work()
        race.town.clock.advance(11_000)
        race.work()
        race.work()
        let after = try #require(race.live.live(race.run.id)?.runner(row)?.progress)
        #expect(try race.row(0).metres == Int(after.metres.rounded()))
        var whole = Matcher(course: race.course, gun: race.gun)
        whole.insert((1...4260).map { race.position(0, at: $0) } + [race.position(0, at: -60)])
        #expect(after == whole.progress && after.start != before.start)
    }

    @Test("SOS-19: what a replay sends is shown to the organiser as such and to nobody else; in a rehearsal it runs")
    func rehearsal() async throws {
        let two = [("Ada", 3.0, EnrolmentChoices()), ("Bob", 4.0, EnrolmentChoices())] as [(String, Double, EnrolmentChoices)]
        let race = try await RunLiveRace.start(two, played: ["Bob"])
        try await race.go(from: 1, to: 60, [0])
        try await race.go(from: 1, to: 60, [1], provenance: .replay)
        race.work()
        #expect(try race.rows().map(\.bib) == [1])
        let organised = try #require(race.live.live(race.run.id)).organiserRows(now: race.town.now)
        #expect(organised.map(\.row.bib) == [1, 2] && organised.map(\.runner.isTest) == [false, true])
        #expect(organised[1].row.place == nil && organised[1].row.metres > 200)
        // What is real counts from then on, and alone.
        try await race.go(from: 61, to: 65, [1])
        race.work()
        race.work()
        #expect(try race.rows().count == 2)
        try await race.go(from: 66, to: 99, [1], provenance: .drill)
        race.work()
        #expect(try race.row(1).seen == race.gun + 65_000)
        let rehearsal = try await RunLiveRace.start([("Ada", 30, EnrolmentChoices()), ("Bob", 4, EnrolmentChoices())], rehearsal: 10)
        try await rehearsal.go(from: 1, to: 60, [0], provenance: .replay)
        rehearsal.work()
        #expect(try abs(rehearsal.row(0).metres - 1800) < 40)
    }

    @Test("RUN-7: before the start spectators wait; at the end they are told; nobody is let in beyond the bounds")
    func bounds() async throws {
        let race = try await RunLiveRace.start(field, places: RunPlaces(most: 3, mostOfAddress: 1))
        try await full(race)
        let next = try race.town.published(race.town.plan("Next", in: 2 * day))
        let early = try race.live.watch(next, from: "127.0.0.1")
        let waiting = try await race.next(early)
        #expect(waiting.name == "snapshot" && waiting.json["state"] as? String == "scheduled" && waiting.rows().isEmpty)
    }

    @Test("RUN-9: as many strangers as may watch keep neither the organiser nor a runner from their own view")
    func ownPlaces() async throws {
        let race = try await RunLiveRace.start(field, places: RunPlaces(most: 1))
        let stranger = try race.live.watch(race.run, from: "192.0.2.1")
        #expect(throws: RunBusy.everybody) { try race.live.watch(race.run, from: "192.0.2.2") }
        let people = try race.live.watchPeople(race.run, from: "192.0.2.2"), own = try race.live.watch(race.enrolment(0), from: "192.0.2.2")
        #expect(race.live.places.count == 1 && race.live.ownPlaces.count == 2)
        withExtendedLifetime((stranger, people, own)) {}
    }

    /// As many watch as may, until the end.
    private func full(_ race: RunLiveRace) async throws {
        let one = try race.live.watch(race.run, from: "192.0.2.1")
        #expect(throws: RunBusy.address) { try race.live.watch(race.run, from: "192.0.2.1") }
        let two = try race.live.watch(race.run, from: "127.0.0.1"), three = try race.live.watch(race.run, from: "127.0.0.1")
        #expect(throws: RunBusy.everybody) { try race.live.watch(race.run, from: "192.0.2.9") }
        #expect(race.live.places.count == 3)
        withExtendedLifetime((two, three)) {}
        _ = try await race.next(one)
        try await race.town.advance(to: race.run.plan.ends)
        let end = try await race.next(one)
        #expect(end.name == "end")
        #expect(await one.next() == nil)
    }
}

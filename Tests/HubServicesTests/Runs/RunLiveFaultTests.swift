import Database
import Foundation
import HubStore
import Privacy
import Runs
import Segments
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// A live run whose databases fail for a moment: nobody is shown by what cannot be looked up, and nothing that came meanwhile is lost.
@Suite(.timeLimit(.minutes(2))) struct RunLiveFaultTests {
    private let field: [(name: String, speed: Double, choices: EnrolmentChoices)] = [
        ("Ada", 3.0, EnrolmentChoices(publicName: "Ada")), ("Bob", 4.0, EnrolmentChoices(publicName: "Bob")),
    ]

    private func change(_ race: RunLiveRace, _ sql: String, in name: String) throws {
        let path = race.town.hub.directory.url.appendingPathComponent("\(name).sqlite").path
        try DatabasePool(path: path).write { try $0.execute(sql: sql) }
    }

    /// While `body` runs, a table is not there.
    private func without(_ table: String, in name: String, _ race: RunLiveRace, _ body: () async throws -> Void) async throws {
        try change(race, "ALTER TABLE \(table) RENAME TO gone", in: name)
        try await body()
        try change(race, "ALTER TABLE gone RENAME TO \(table)", in: name)
    }

    /// What the organiser is told.
    private func people(_ race: RunLiveRace) throws -> RunLiveEvent {
        try RunLiveEvent(#require(race.live.live(race.run.id)).peopleEvent(now: race.town.now))
    }

    @Test("design rule 10: where consents cannot be looked up nobody is shown to anybody; afterwards all of it is there again")
    func consents() async throws {
        let race = try await RunLiveRace.start(field), reader = try race.live.watch(race.run, from: "192.0.2.1")
        try await race.go(from: 1, to: 30)
        race.work()
        #expect(try race.rows().count == 2)
        try await without("consent", in: "accounts", race) {
            race.live.tick()
            #expect(race.live.live(race.run.id) == nil && race.live.shown(race.run).isEmpty)
        }
        try await race.go(from: 31, to: 40)
        race.work()
        #expect(try abs(race.row(0).metres - 120) < 12 && race.rows().count == 2)
        withExtendedLifetime(reader) {}
    }

    @Test("DATA-12: where it cannot be written down who reads, nobody is told anything")
    func ledger() async throws {
        let race = try await RunLiveRace.start(field)
        try change(race, "CREATE TRIGGER broken BEFORE INSERT ON ledger BEGIN SELECT RAISE(ABORT, 'made up'); END", in: "accounts")
        let reader = try race.live.watchPeople(race.run, from: "192.0.2.1"), waiting = Task { await reader.next() }
        while !reader.isAsking { await Task.yield() }
        try await race.go(from: 1, to: 10)
        race.work()
        race.work()
        #expect(reader.isAsking, "nothing was told")
        try change(race, "DROP TRIGGER broken", in: "accounts")
        while reader.isAsking { race.live.tick() }
        let event = try RunLiveEvent(#require(await waiting.value))
        #expect(event.name == "people" && event.objects.count == 2)
        let told = try race.town.hub.accounts.ledger.ledger(of: race.racers[0].person, count: 100).entries.count { $0.what == .read }
        #expect(told == 1)
    }

    @Test("RUN-14: what came while runs or positions could not be read is there afterwards", arguments: ["run", "journal"])
    func unread(table: String) async throws {
        var race = try await RunLiveRace.start(field)
        try await race.go(from: 1, to: 30)
        race.work()
        if table == "run" {
            try await race.go(from: 31, to: 60)
            try await without("run", in: "runs", race) { race.live.tick() }
            race.work()
        } else {
            // A hub that starts reads everything anew.
            race = try race.restarted()
            try await race.go(from: 31, to: 60)
            let before = race
            try await without("journal", in: "journal", race) { before.work() }
            #expect(try race.rows().isEmpty && people(race).json["unread"] as? Int == 2)
            race.town.clock.advance(10_000)
            race.work()
        }
        #expect(try abs(race.row(0).metres - 180) < 12 && abs(race.row(1).metres - 240) < 12)
        #expect(try people(race).json["unread"] as? Int == 0)
    }

    @Test("RUN-7, RUN-9, RUN-16: after a restart nobody counts as not started before they are read, and the organiser is told of how many")
    func unreadAfterRestart() async throws {
        let before = try await RunLiveRace.start(field)
        try await before.go(from: 1, to: 60)
        before.work()
        let race = try before.restarted()
        race.live.tick()
        var told = try people(race)
        #expect(try race.rows().isEmpty && told.json["unread"] as? Int == 2)
        #expect(told.objects.count == 2 && told.objects.allSatisfy { $0["unread"] as? Bool == true && $0["out"] as? Bool == false })
        #expect(race.live.readNext())
        #expect(try race.rows().count == 1 && people(race).json["unread"] as? Int == 1)
        while race.live.readNext() {}
        told = try people(race)
        #expect(try race.rows().count == 2 && told.json["unread"] as? Int == 0)
        #expect(told.objects.allSatisfy { $0["unread"] as? Bool == false && $0["out"] as? Bool == true })
    }

    @Test("DATA-12: where it cannot be written down whose results are kept none are, and it is written down when they are")
    func unwritten() async throws {
        let race = try await RunLiveRace.start(field)
        for first in stride(from: 1, through: 1180, by: 295) { try await race.go(from: first, to: first + 294) }
        // Reads alone: the end of a consent is written there too.
        try change(
            race,
            "CREATE TRIGGER broken BEFORE INSERT ON ledger WHEN NEW.ground NOT NULL BEGIN SELECT RAISE(ABORT, 'made up'); END",
            in: "accounts")
        try await race.end()
        #expect(try race.town.store.results.results(of: race.run.id).isEmpty)
        try change(race, "DROP TRIGGER broken", in: "accounts")
        race.town.clock.advance(RunLive.settles)
        race.work()
        #expect(try race.town.store.results.results(of: race.run.id).map(\.place) == [1, 2])
        for racer in race.racers {
            let entries = try race.town.hub.accounts.ledger.ledger(of: racer.person, count: 100).entries
            #expect(entries.contains { $0.what == .read })
        }
        #expect(race.live.live(race.run.id)?.toRecord(forOrganiser: true, forAll: true) == [])
    }

    @Test("RUN-10: results that could not be kept are kept when they can be")
    func results() async throws {
        let race = try await RunLiveRace.start(field)
        for first in stride(from: 1, through: 1180, by: 295) { try await race.go(from: first, to: first + 294) }
        try change(race, "CREATE TRIGGER broken BEFORE INSERT ON result BEGIN SELECT RAISE(ABORT, 'made up'); END", in: "runs")
        try await race.end()
        #expect(try race.town.store.results.results(of: race.run.id).isEmpty)
        try change(race, "DROP TRIGGER broken", in: "runs")
        race.town.clock.advance(RunLive.settles)
        race.work()
        #expect(try race.town.store.results.results(of: race.run.id).map(\.place) == [1, 2])
    }

    @Test("RUN-10, RUN-14: who cannot be read after a restart keeps their result and place, while the run goes on and when it is over")
    func unreadKeeps() async throws {
        var race = try await RunLiveRace.start(field)
        for first in stride(from: 1, through: 1180, by: 295) { try await race.go(from: first, to: first + 294) }
        race.work()
        func check(_ race: RunLiveRace, _ what: String) throws {
            let kept = try race.town.store.results.results(of: race.run.id)
            #expect(kept.map(\.result?.bib) == [2, 1] && kept.map(\.place) == [1, 2], "\(what)")
            #expect(kept.map(\.group) == [.finished, .finished], "\(what)")
        }
        try check(race, "through")
        for what in ["live", "over"] {
            if what == "over" { try await race.end() }
            race = try race.restarted()
            let again = race
            again.live.tick()
            #expect(again.live.readNext(), "one of them is read")
            try await without("journal", in: "journal", again) {
                again.work()
                // Longer than the others' results wait for one.
                again.town.clock.advance(RunLive.resultsMax + 1000)
                again.work()
            }
            #expect(try people(again).json["unread"] as? Int == 1)
            try check(again, what)
            again.town.clock.advance(RunLive.resultsMax)
            again.work()
            again.town.clock.advance(RunLive.settles * 2)
            again.work()
            #expect(try people(again).json["unread"] as? Int == 0)
            try check(again, "\(what), read")
        }
    }

    @Test("RUN-10: whose enrolment is damaged while the run goes on keeps their result and place then, and when it is over")
    func damagedKeeps() async throws {
        var race = try await RunLiveRace.start(field)
        for first in stride(from: 1, through: 1180, by: 295) { try await race.go(from: first, to: first + 294) }
        race.work()
        try change(race, "UPDATE enrolment SET envelope = zeroblob(60) WHERE bib = 1", in: "runs")
        for what in ["live", "over"] {
            if what == "over" { try await race.end() }
            race = try race.restarted()
            for _ in 0..<2 {
                race.work()
                race.town.clock.advance(RunLive.resultsMax + 1000)
            }
            #expect(try people(race).json["damaged"] as? Int == 1)
            let kept = try race.town.store.results.results(of: race.run.id)
            #expect(kept.map(\.result?.bib) == [2, 1] && kept.map(\.place) == [1, 2], "\(what)")
        }
    }
}

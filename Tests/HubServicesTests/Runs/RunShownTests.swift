import Database
import Exchange
import Foundation
import HubStore
import Logging
import Privacy
import Processes
import Runs
import Seams
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What of results and tracks each kind of reader gets (RUN-9, RUN-10, RUN-15).
@Suite(.timeLimit(.minutes(4))) struct RunShownTests {
    /// Slowest first: Eve publishes nothing.
    private static func field(home: HomeZone? = nil) -> [(name: String, speed: Double, choices: EnrolmentChoices)] {
        [
            ("Ada", 3.0, EnrolmentChoices(publicName: "Ada the fast", home: home, published: [.time, .splits, .track])),
            ("Bob", 4.0, EnrolmentChoices(publicName: "", published: [.time, .heartRate])),
            ("Eve", 3.5, EnrolmentChoices(publicName: "Eve", published: [])),
        ]
    }

    private func finished(home: HomeZone? = nil, logger: Logger? = nil) async throws -> (race: RunLiveRace, run: StoredRun) {
        let race = try await RunLiveRace.start(Self.field(home: home), publicHeartRates: ["Bob"], logger: logger)
        for first in stride(from: 1, through: 1180, by: 295) {
            try await race.go(from: first, to: first + 294)
            race.work()
        }
        try await race.end()
        return (race, try #require(try race.town.store.run(race.run.id)))
    }

    private func tracks(_ race: RunLiveRace, _ track: RunResultService.ShownTrack) async throws -> String {
        let now = race.town.now
        var parts: GPXWriter.Parts?
        if let view = track.view { parts = { view.parts(of: $0, at: now) } }
        let writer = GPXWriter(track: track.name, parts: parts)
        let collector = Collector()
        let export = Export(series: race.town.hub.series.reader, now: { now })
        try await export.write(writer, track.grant, in: track.span) { await collector.add($0) }
        return String(decoding: await collector.bytes, as: UTF8.self)
    }

    private actor Collector {
        var bytes: [UInt8] = []
        func add(_ more: [UInt8]) { bytes += more }
    }

    @Test("RUN-10: everybody sees what each published; a runner all of the own; who published nothing is counted, and places stay")
    func readers() async throws {
        let (race, run) = try await finished(), runs = race.town.runs, ada = race.racers[0].person
        let open = try runs.results.results(of: run, for: .everybody)
        #expect(open.lines.map(\.bib) == [2, 1] && open.lines.map(\.place) == [1, 3] && open.hidden == 1 && open.ranked == 3)
        #expect(open.lines.map(\.name) == ["", "Ada the fast"])
        #expect(open.lines[0].result?.splits == [] && open.lines[0].result?.heart?.average.rounded() == 141)
        #expect(open.lines[1].result?.splits.isEmpty == false && open.lines[1].result?.heart == nil)

        let own = try runs.results.results(of: run, for: .own([ada]))
        #expect(
            own.lines.map(\.bib) == [2, 1] && own.lines[1].result?.heart?.average.rounded() == 140 && own.lines[0].result?.splits == [])
        let eves = try runs.results.results(of: run, for: .own([race.racers[2].person]))
        #expect(eves.lines.map(\.bib) == [2, 3, 1] && eves.hidden == 0 && eves.lines[1].time != nil && eves.lines[1].published == [])
        #expect(eves.lines[2].result?.heart == nil, "another one's stays as it is")
    }

    @Test(
        "RUN-10: energy of who gave a weight: for the runner, and for everybody where the runner says so; the organiser is everybody here")
    func energy() async throws {
        var field = Self.field()
        field[1].choices.published = [.time, .heartRate, .energy]
        let race = try await RunLiveRace.start(field), accounts = race.town.hub.accounts
        // Nobody knows a formula for Eve; Bob's and Ada's weights are known.
        for (index, gender) in ["female", "male", "other"].enumerated() {
            let account = race.racers[index].account
            var details = account.details
            (details["gender"], details["weight"], details["dateOfBirth"]) = (gender, "70", "1986-01-01")
            try accounts.setDetails(details, of: account, now: 0)
        }
        for first in stride(from: 1, through: 1180, by: 295) { try await race.go(from: first, to: first + 294) }
        try await race.end()
        let run = try #require(try race.town.store.run(race.run.id)), runs = race.town.runs
        func energy(_ reader: RunResultService.Reader, _ bib: Int) throws -> Double? {
            try runs.results.results(of: run, for: reader).lines.first { $0.bib == bib }?.result?.heart?.energy
        }
        let ada = try #require(try accounts.account(race.racers[0].account.id))
        let age = try #require(EnrolmentService.age(of: ada, at: run.plan))
        // Keytel: kilojoules a minute at the averages that `readers` knows.
        let woman = -20.4022 + 0.4472 * 140 - 0.1263 * 70 + 0.074 * Double(age)
        let man = -55.0969 + 0.6309 * 141 + 0.1988 * 70 + 0.2017 * Double(age)
        let own = try #require(try energy(.own([race.racers[0].person]), 1))
        #expect(abs(own / (woman * race.course.length / 3 / 60) - 1) < 0.03)
        let bobs = try #require(try energy(.everybody, 2))
        #expect(abs(bobs / (man * race.course.length / 4 / 60) - 1) < 0.03)
        #expect(try energy(.everybody, 1) == nil && energy(.organiser, 1) == nil && energy(.organiser, 2) == bobs)
        #expect(try energy(.own([race.racers[2].person]), 3) == nil)
    }

    @Test("RUN-9: the organiser has everybody with what the check-in lets read, and who takes that back leaves a place and a time")
    func organiser() async throws {
        let (race, run) = try await finished(), runs = race.town.runs
        var all = try runs.results.results(of: run, for: .organiser)
        #expect(all.lines.map(\.bib) == [2, 3, 1] && all.lines.map(\.name) == ["Bob Up", "Eve Up", "Ada Up"] && all.hidden == 0)
        #expect(all.lines.allSatisfy { $0.time != nil && $0.result?.heart != nil && $0.result?.splits.isEmpty == false })
        #expect(try runs.results.tracks(of: run, for: race.town.organiser).map(\.bib) == [1, 2, 3])
        #expect(throws: RunProblem.unknown) { try runs.results.tracks(of: run, for: race.town.ada) }

        let eve = race.racers[2], consent = try #require(try race.enrolment(2).checkIn)
        try race.town.consents.answer(consent, .revoke, by: eve.account.id)
        all = try runs.results.results(of: run, for: .organiser)
        #expect(all.lines.map(\.bib) == [2, nil, 1] && all.lines[1].place == 2 && all.lines[1].name.isEmpty && all.lines[1].result == nil)
        #expect(try runs.results.tracks(of: run, for: race.town.organiser).map(\.bib) == [1, 2])
    }

    @Test("RUN-10: a result that does not open leaves its place and time, and hides nobody else's")
    func damaged() async throws {
        let log = KeptLog(), (race, run) = try await finished(logger: log.logger)
        let path = race.town.hub.directory.url.appendingPathComponent("runs.sqlite").path
        try DatabasePool(path: path).write {
            try $0.execute(sql: "UPDATE result SET envelope = zeroblob(60) WHERE place = 1")
        }
        for _ in 0..<2 { _ = try race.town.results.results(of: run, for: .organiser) }
        let row = try race.enrolment(1).row
        #expect(
            log.lines.filter { $0.contains("a result is") } == [
                "error a result is damaged: its place and time are shown without the rest; restore it from the backup "
                    + "enrolment=\(row) run=\(run.id)"
            ])
        let all = try race.town.results.results(of: run, for: .organiser).lines
        #expect(all.map(\.bib) == [2, 3, 1] && all[0].place == 1 && all[0].time != nil && all[0].result == nil)
        #expect(all[1].result?.heart != nil && all[2].result?.heart != nil)
    }

    @Test("RUN-10, RUN-15: a track is everybody's where its runner published it, during the run, and without the surroundings of the home")
    func track() async throws {
        let start = RunTown.course().points[0], zone = HomeZone(centre: start, radius: 300)
        let (race, run) = try await finished(home: zone), runs = race.town.runs
        for bib in [2, 3, 4, 0, -1] { #expect(try runs.results.publicTrack(bib: bib, in: run) == nil) }
        let track = try #require(try runs.results.publicTrack(bib: 1, in: run))
        #expect(track.name == "Ada the fast" && track.grant.kinds == [.position])
        let result = try #require(try race.town.store.results.results(of: run.id).first { $0.result?.bib == 1 }?.result)
        #expect(track.span == (try #require(result.start).time)...(try #require(result.finish).time))
        let text = try await tracks(race, track)
        let points = text.matches(of: /lat="([0-9.]+)" lon="([0-9.]+)"/).map { found in
            CoursePoint(latitude: Int32((Double(found.1)! * 1e7).rounded()), longitude: Int32((Double(found.2)! * 1e7).rounded()))
        }
        #expect(points.count > 700 && points.allSatisfy { $0.distance(to: start) > 300 })
        #expect(text.contains("<name>Ada the fast</name>") && !text.contains("gpxtpx:hr"))

        let whole = try #require(try runs.results.tracks(of: run, for: race.town.organiser).first { $0.bib == 1 })
        let organisers = try await tracks(race, whole)
        #expect(organisers.contains("gpxtpx:hr") && organisers.matches(of: /<trkpt/).count > points.count)

        _ = try runs.enrolments.choose(
            EnrolmentChoices(publicName: "Ada", published: [.time]), of: race.racers[0].person, in: run.id, by: race.town.ada)
        #expect(try runs.results.publicTrack(bib: 1, in: run) == nil, "taken back")
    }

    @Test("RUN-6, RUN-9, RUN-10: of a run that was called off on the way nobody has a track, a result or a heart rate any more")
    func calledOff() async throws {
        var field = Self.field()
        field[1].choices.published = [.time, .track, .heartRate]
        let race = try await RunLiveRace.start(field, publicHeartRates: ["Bob"]), town = race.town, runs = town.runs
        for first in stride(from: 1, through: 1020, by: 60) {
            try await race.go(from: first, to: first + 59)
            race.work()
        }
        let run = try #require(try town.store.run(race.run.id)), bob = race.racers[1].person
        #expect(try runs.results.publicTrack(bib: 2, in: run) != nil && runs.results.tracks(of: run, for: town.organiser).count == 3)
        #expect(try runs.results.results(of: run, for: .organiser).lines.first?.bib == 2)
        #expect(try runs.results.standings(of: run).first?.time != nil)
        #expect(try runs.results.publicGrants(race.enrolment(1)).count == 2 && runs.checkIns.checkIn(of: bob, to: run.id).since != nil)

        let off = try runs.organising.cancel(run.id, reason: "storm", by: town.organiser)
        // With the consents as they were, and then with those that ended with the run: by such is read for 30 days otherwise.
        for isSettled in [false, true] {
            if isSettled { try await town.settle() }
            race.work()
            // Also by who read the run before, and waited.
            for known in [off, run] {
                for reader in [RunResultService.Reader.everybody, .organiser, .own([bob])] {
                    #expect(try runProblem { _ = try runs.results.results(of: known, for: reader) } == .state(.cancelled))
                }
                #expect(try runProblem { _ = try runs.results.publicTrack(bib: 2, in: known) } == .state(.cancelled))
                #expect(try runProblem { _ = try runs.results.tracks(of: known, for: town.organiser) } == .state(.cancelled))
                #expect(try runProblem { _ = try runs.results.tracks(of: known, for: town.ada) } == .unknown)
                #expect(try runs.results.standings(of: known).isEmpty)
            }
            let people = try runs.results.participants(in: run.id, for: town.organiser)
            #expect(people.count == 3 && people.allSatisfy { $0.health == nil }, "who was on the list still stands there")
            #expect(try runs.results.publicGrants(race.enrolment(1)).isEmpty)
            #expect(try runs.checkIns.checkIn(of: bob, to: run.id) == .init(since: nil, isHeartRatePublic: false, position: nil))
            #expect(try race.live.replayText(of: off) == nil && race.live.shown(off).isEmpty)
        }
        try await town.advance(to: run.plan.ends)
        #expect(try race.live.replayText(of: run) == nil, "by its times it would be over")
        // It is the runner's own all the same.
        #expect(try RunsExport(race.racers[1].account.id, town.store).results.count == 1)
    }

    @Test("RUN-10: who is not through and publishes nothing is not in the results, but for the organiser and themselves")
    func notThrough() async throws {
        let race = try await RunLiveRace.start(Self.field()), runs = race.town.runs, eve = race.racers[2].person
        for first in stride(from: 1, through: 1180, by: 295) { try await race.go(from: first, to: first + 294, first == 1 ? nil : [0, 1]) }
        try await race.end()
        let run = try #require(try race.town.store.run(race.run.id))
        #expect(try runs.results.results(of: run, for: .organiser).lines.map(\.bib) == [2, 1, 3])
        #expect(try runs.results.results(of: run, for: .own([eve])).lines.map(\.bib) == [2, 1, 3])
        for reader in [RunResultService.Reader.everybody, .own([race.racers[0].person])] {
            let shown = try runs.results.results(of: run, for: reader)
            #expect(shown.lines.map(\.bib) == [2, 1] && shown.hidden == 0)
        }
        let tracks = try runs.results.tracks(of: run, for: race.town.organiser), began = try #require(run.began)
        #expect(
            tracks.count == 3 && tracks.allSatisfy { $0.span == began...run.plan.ends }, "of the run, and of nothing before and behind it")
    }

    @Test("RUN-15: who is shown later has a result later; how far somebody with a home zone came who is not through is not told")
    func withheld() async throws {
        var field = Self.field(home: HomeZone(centre: RunTown.course().points[20], radius: 150))
        field[1].choices.delay = EnrolmentChoices.delayMax
        let race = try await RunLiveRace.start(field), town = race.town, runs = town.runs
        try await race.go(from: 1, to: 450)
        try await race.go(from: 451, to: 900)
        race.work()
        let run = try runs.organising.finish(race.run.id, by: town.organiser)
        race.work()
        race.work()
        var open = try runs.results.results(of: run, for: .everybody)
        #expect(open.lines.map(\.bib) == [1] && open.hidden == 1)
        #expect(open.lines.first?.result?.metres == 0 && open.lines.first?.result?.secondsPerKilometre == nil)
        #expect(open.lines.first?.published.contains(.splits) == true && open.lines.first?.result?.splits == [])
        let all = try runs.results.results(of: run, for: .organiser).lines
        let ada = try #require(all.first { $0.bib == 1 }?.result)
        #expect(all.first?.bib == 2 && all.first?.time != nil && ada.metres > 2000 && ada.secondsPerKilometre != nil)
        #expect(ada.splits.count == 2, "the organiser's files have them")
        #expect(try runs.results.results(of: run, for: .own([race.racers[1].person])).lines.first?.time != nil)
        town.clock.advance(EnrolmentChoices.delayMax)
        open = try runs.results.results(of: run, for: .everybody)
        #expect(open.lines.map(\.bib) == [2, 1] && open.lines[0].time != nil && open.hidden == 0)
    }

    @Test("RUN-10: what everybody sees of results is worked out once a second, and what is taken back is gone by then")
    func once() async throws {
        let (race, run) = try await finished(), runs = race.town.runs, bob = race.racers[1]
        #expect(!runs.results.isKnown(run))
        #expect(try runs.results.results(of: run, for: .everybody).lines.map(\.bib) == [2, 1] && runs.results.isKnown(run))
        _ = try runs.enrolments.choose(EnrolmentChoices(published: []), of: bob.person, in: run.id, by: bob.account)
        #expect(try runs.results.results(of: run, for: .everybody).lines.map(\.bib) == [2, 1])
        race.town.clock.advance(1000)
        #expect(!runs.results.isKnown(run))
        #expect(try runs.results.results(of: run, for: .everybody).lines.map(\.bib) == [1])
    }

    @Test("RUN-10, RUN-19: friends are found among what they published, by name, and by nobody else")
    func friends() async throws {
        let (race, run) = try await finished(), runs = race.town.runs, town = race.town
        let (bob, eve) = (race.racers[1], race.racers[2])
        for friend in [bob, eve] {
            let link = try runs.workouts.friendLink(of: friend.person, by: friend.account)
            let token = String(try #require(link.split(separator: "/").last))
            #expect(try runs.workouts.befriend(token, town.ada.id.person, by: town.ada) != nil)
        }
        let shown = try runs.results.results(of: run, for: .own([town.ada.id.person]))
        #expect(try runs.results.friends(of: town.ada.id.person, among: shown).map(\.name) == ["Bob Up"], "Eve published nothing")
        #expect(try runs.results.friends(of: bob.person, among: shown).map(\.name) == ["Ada Up"])
        #expect(try runs.results.friends(of: PersonID.random(), among: shown).isEmpty)
    }

    // MARK: Pictures

    private let drawing = """
        <svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630"><rect width="1200" height="630" fill="#12202b"/><text x="60" y="90">Ada</text></svg>
        """

    @Test("RUN-11: a drawing becomes a PNG of its size, once", .enabled(if: access("/usr/bin/rsvg-convert", X_OK) == 0))
    func picture() async throws {
        let tool = PictureTool(logger: .init(label: "test"))
        let picture = try #require(await tool.picture(of: drawing))
        #expect(picture.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        // Width and height in the IHDR chunk (PNG, 11.2.2).
        #expect(picture[16..<24].map(Int.init) == [0, 0, 4, 176, 0, 0, 2, 118])
        #expect(await tool.picture(of: drawing) == picture)
        #expect(await tool.picture(of: "no drawing") == nil)
        #expect(await tool.picture(of: drawing + String(repeating: " ", count: PictureTool.drawingMax)) == nil, "too long")
    }

    @Test("RUN-11: a missing program, one that hangs and one that says too much are told apart, and none holds anything up")
    func programs() async throws {
        #expect(await PictureTool(program: "/nonexistent", logger: .init(label: "test")).picture(of: drawing) == nil)
        func run(
            _ program: String, _ arguments: [String], output: Int = 1000, milliseconds: Int = 5000, on machine: Machine = .system
        ) -> Result<[UInt8], PictureProcess.Problem> {
            PictureProcess.run(
                program, arguments, input: Array("hello".utf8), outputMax: output, milliseconds: milliseconds, processor: 2,
                memory: 1 << 30, on: machine)
        }
        let made = MadeUpPrograms { command in
            switch command.last {
            case "flood": .floods
            case "hang": .hangs
            case "die": .dies(signal: 24)
            default: .exits(0, says: "a picture")
            }
        }
        var machine = Machine.system
        machine.programs = made.programs
        #expect(run("/draw", [], on: machine) == .success(Array("a picture".utf8)) && made.starts.map(\.input) == ["hello"])
        #expect(run("/draw", ["flood"], on: machine) == .failure(.tooLong))
        #expect(run("/draw", ["hang"], milliseconds: 50, on: machine) == .failure(.timedOut))
        #expect(run("/draw", ["die"], on: machine) == .failure(.failed(.killed(signal: 24))))
        #expect(run("/bin/cat", []) == .success(Array("hello".utf8)))
        #expect(run("/bin/sleep", ["60"], milliseconds: 300) == .failure(.timedOut))
        #expect(run("/bin/cat", ["/dev/zero"]) == .failure(.tooLong))
        #expect(run("/bin/false", []) == .failure(.failed(.exited(1))))
        let folder = try TemporaryDirectory(), file = folder.url.appending(path: "cache").path
        let written = run("/bin/sh", ["-c", "echo cache >\(file); echo done"])
        #expect(written == .success(Array("done\n".utf8)), "a cache that cannot be written")
        #expect(try Data(contentsOf: URL(filePath: file)).isEmpty)
        #expect(
            run("/bin/sh", ["-c", "ulimit -v; ulimit -t; env | wc -l"]) == .success(Array("1048576\n2\n4\n".utf8)),
            "limits, and no environment")
    }
}

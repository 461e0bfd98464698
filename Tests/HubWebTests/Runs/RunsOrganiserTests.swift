import Accounts
import Database
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Organising by the pages.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RunsOrganiserTests {
    @Test("RUN-1, RUN-2: an empty form says everything that is missing at its place; a disclaimer that was not ticked is one of them")
    func empty() async throws {
        try await RunsScene.run { scene in
            let page = try await scene.upload("/runs/new", [:], scene.organiser.cookie)
            #expect(page.status == 422)
            for field in ["runName", "runPurpose", "runPlace", "runStarts", "runEnds", "runMost", "disclaimer"] {
                #expect(page.body.contains("id=\"\(field)-error\""), "\(field)")
            }
            #expect(page.body.contains("There is no course yet") && page.body.contains("href=\"#course\""))
            #expect(try scene.web.hub.runs.organising.runs(organisedBy: scene.organiser.account).isEmpty)
            // What was typed is there again, and nothing of it is markup.
            let again = try await scene.upload("/runs/new", scene.fields("<b>Run</b>"), scene.organiser.cookie)
            #expect(again.status == 422 && again.body.contains("&lt;b&gt;Run&lt;/b&gt;") && again.body.contains("There is no course yet"))
        }
    }

    @Test("RUN-2: what cannot be run is said with its distance and what to do, and a place beside the course at its row")
    func faults() async throws {
        try await RunsScene.run { scene in
            func answer(_ points: [CoursePoint], _ changing: [String: String] = [:]) async throws -> String {
                let page = try await scene.upload(
                    "/runs/new", scene.fields(changing: changing.merging(["drawn": DrawnLine.text(points)]) { $1 }), scene.organiser.cookie)
                #expect(page.status == 422)
                return page.body
            }
            var gap = RunFiles.points()
            gap.removeSubrange(12..<20)
            for index in gap.indices where index > 11 { gap[index].latitude += 300_000 }
            let missing = try await answer(gap)
            #expect(missing.contains("From 1.07 km to") && missing.contains("a part is missing"))
            var spike = RunFiles.points()
            spike[5].latitude += 200_000
            #expect(try await answer(spike).contains("Point 6 lies"))
            let short = Array(RunFiles.points(side: 1000).prefix(5))
            #expect(try await answer(short).contains("at least 100 m are needed"))
            let open = try await answer(Array(RunFiles.points().prefix(20)), ["runLaps": "3"])
            #expect(open.contains("id=\"runLaps-error\"") && open.contains("Back to the start"))
            let away = try await answer(
                RunFiles.points(), ["placeName1": "Water", "placeKind1": "water", "placeWhere1": "45.5, 9.5", "placeWhere0": "77 km"])
            #expect(away.contains("id=\"placeWhere1-error\"") && away.contains("does not come within 50 m"))
            #expect(away.contains("id=\"placeWhere0-error\"") && away.contains("within the course"))
            let times = try await answer(RunFiles.points(), ["runStarts": "soon", "waveName0": "Elite", "waveGun0": ""])
            #expect(times.contains("Day and time are needed") && times.contains("id=\"waveGun0-error\""))
            for (name, bytes, text) in [
                ("a.txt", "hello", "neither GPX nor GeoJSON"), ("a.gpx", "<gpx><trk><trkseg><trkpt lat=\"45\"", "damaged"),
                ("a.gpx", "<gpx></gpx>", "no line"), ("a.json", "{\"type\":", "damaged"),
            ] {
                let page = try await scene.upload(
                    "/runs/new", scene.fields(), files: ["courseFile": (name, Array(bytes.utf8))], scene.organiser.cookie)
                #expect(page.status == 422 && page.body.contains(text) && page.body.contains("courseFile-error"), "\(name)")
            }
        }
    }

    @Test(
        "RUN-1: all that an organiser says is kept: waves, places, laps, document; GPX and GeoJSON are read, and the line comes back for drawing"
    )
    func whole() async throws {
        try await RunsScene.run { scene in
            var fields = scene.fields(changing: [
                "runPublic": "0", "runYoungest": "16", "runLaps": "2", "runSplits": "500", "waveName0": "First",
                "placeName0": "Fountain", "placeKind0": "water", "placeWhere0": "1,5 km",
            ])
            fields["waveGun0"] = fields["runStarts"]
            let waypoints = """
                <wpt lat="45.4045" lon="9.0"><name>Ristoro &#x31;</name></wpt><wpt lat="46" lon="9"><name>Far</name></wpt><wpt lat="x"/>
                """
            let gpx = ("c.gpx", Array(RunFiles.gpx(RunFiles.points(), waypoints: waypoints).utf8))
            let files = ["courseFile": gpx, "document": ("permit.pdf", Array("%PDF-1.4 made up".utf8))]
            let look = try await scene.upload("/runs/new", fields.merging(["more": "look"]) { $1 }, files: files, scene.organiser.cookie)
            #expect(look.status == 200 && look.body.contains("41 points") && look.body.contains("more than 50 m from the course: 1."))
            #expect(look.body.contains("Points without coordinates left out: 1.") && look.body.contains("Ristoro 1"))
            let made = try await scene.upload("/runs/new", fields, files: files, scene.organiser.cookie)
            let code = try #require(made.header("location")?.split(separator: "/").dropFirst().first.map(String.init), "\(made.body)")
            let run = try scene.stored(code), course = try #require(try scene.web.hub.runsStore.course(of: run.id))
            #expect(!run.plan.isPublic && run.plan.youngest == 16 && run.plan.waves.map(\.name) == ["First"])
            #expect(run.plan.waves[0].gun == run.plan.starts && course.laps == 2 && course.splitEvery == 500)
            #expect(course.points.map(\.elevation) == Array(repeating: 2015, count: 41))
            #expect(course.places.map(\.name) == ["Fountain", "Ristoro 1"] && course.places.map(\.kind) == [.water, .food])
            #expect(course.places[0].metres == 1500)
            let document = try await scene.get("/runs/\(code)/document", scene.organiser.cookie)
            #expect(document.header("content-type") == "application/pdf" && document.body == "%PDF-1.4 made up")
            #expect(document.header("content-disposition")?.contains("attachment") == true)
            // Saved as it stands, it is the same run and the same course, heights too.
            let form = try await scene.get("/runs/\(code)/edit", scene.organiser.cookie).body
            #expect(form.contains(DrawnLine.text(course.points)) && form.contains("permit.pdf"))
            let saved = try await scene.upload(
                "/runs/\(code)/edit", RunForm.values(run, course).merging(["runName": "Another"]) { $1 }, scene.organiser.cookie)
            #expect(saved.status == 303, "\(saved.body.prefix(2000))")
            #expect(try scene.web.hub.runsStore.course(of: run.id) == course && scene.stored(code).plan.name == "Another")
            #expect(try scene.stored(code).plan.waves == run.plan.waves)
            let json = """
                {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Bagno"},"geometry":{"type":"Point","coordinates":[9.0,45.4045]}},
                {"type":"Feature","properties":null,"geometry":{"type":"LineString","coordinates":[[9,45.4,200],[9,45.404],[9,45.408]]}}]}
                """
            let other = try await scene.upload(
                "/runs/new", scene.fields(), files: ["courseFile": ("c.geojson", Array(json.utf8))], scene.organiser.cookie)
            let second = try #require(other.header("location")?.split(separator: "/").dropFirst().first.map(String.init), "\(other.body)")
            let line = try #require(try scene.web.hub.runsStore.course(of: scene.stored(second).id))
            #expect(line.points.count == 3 && line.points[0].elevation == 2000 && line.places.map(\.kind) == [.toilet])
        }
    }

    @Test("RUN-6, RUN-17, RUN-18: draft, published, changed with everybody told, message, begun, entries, finished; conflicts are warnings")
    func life() async throws {
        try await RunsScene.run { scene in
            let club = scene.organiser.cookie, code = try await scene.published()
            let other = try await scene.upload(
                "/runs/new", scene.fields("Same place"), files: ["courseFile": ("c.gpx", Array(RunFiles.gpx(RunFiles.points()).utf8))], club
            )
            let second = try #require(other.header("location")?.split(separator: "/").dropFirst().first.map(String.init))
            let draft = try await scene.get("/runs/\(second)/people", club).body
            #expect(
                draft.contains("Only you see this") && draft.contains("Another run is near") && draft.contains("href=\"/runs/\(code)\""))
            #expect(try await scene.get("/runs/\(second)", scene.ada.cookie).status == 404)
            #expect(try await scene.post("/runs/\(code)/enrol", ["publicName": "Ada"], scene.ada.cookie).status == 303)
            let run = try scene.stored(code), course = try #require(try scene.web.hub.runsStore.course(of: run.id))
            let list = try await scene.get("/runs/\(code)/people", club).body
            #expect(list.contains(scene.ada.account.name) && list.contains("1 enrolled") && !list.contains("lets you read"))
            let values = RunForm.values(run, course)
            #expect(try await scene.get("/runs/\(code)/edit", club).body.contains("1 person is enrolled and is told"))
            #expect(try await scene.upload("/runs/\(code)/edit", values.merging(["runPlace": "Elsewhere"]) { $1 }, club).status == 303)
            let stale = try await scene.upload("/runs/\(code)/edit", values, club)
            #expect(stale.status == 409 && stale.body.contains("It was changed meanwhile"))
            #expect(try await scene.post("/runs/\(code)/message", ["message": " "], club).status == 422)
            #expect(try await scene.post("/runs/\(code)/message", ["message": "Bring <b>water</b>"], club).status == 303)
            let mine = try await scene.get("/runs/\(code)/mine", scene.ada.cookie).body
            #expect(mine.contains("Bring &lt;b&gt;water&lt;/b&gt;"))
            try await scene.until {
                Set(try scene.web.hub.accounts.notices.notices(of: scene.ada.account).compactMap(\.kind)).isSuperset(of: [
                    .runChanged, .runMessage,
                ])
            }
            let early = try await scene.post("/runs/\(code)/state/begin", [:], club)
            #expect(early.status == 409 && early.body.contains("It can start from"))
            #expect(try await scene.post("/runs/\(code)/people/entry", ["bib": "1", "entry": "did-not-start"], club).status == 409)
            scene.clock.set(to: run.checkInOpens + 1000)
            let asked = try await scene.post("/runs/\(code)/state/begin", [:], club)
            #expect(asked.status == 200 && asked.body.contains("Start the run now?"))
            #expect(asked.body.contains("Enrolled: 1; not checked in yet: 1"))
            #expect(try scene.stored(code).state == .scheduled)
            #expect(try await scene.post("/runs/\(code)/state/begin", ["sure": "1"], club).status == 303)
            #expect(try await scene.get("/runs/\(code)/people", club).body.contains("/state/take-back"))
            #expect(try await scene.post("/runs/\(code)/state/take-back", [:], club).status == 303)
            #expect(try scene.stored(code).state == .scheduled)
            #expect(try await scene.post("/runs/\(code)/state/begin", ["sure": "1"], club).status == 303)
            scene.clock.set(to: scene.clock.now + OrganiserService.takeBackMax)
            #expect(try await !scene.get("/runs/\(code)/people", club).body.contains("/state/take-back"))
            #expect(try await scene.post("/runs/\(code)/state/take-back", [:], club).status == 409)
            let live = try await scene.get("/runs/\(code)/people", club).body
            #expect(live.contains("id=\"outCount\"") && live.contains("data-filter=\"out\"") && live.contains("runpeople.js"))
            #expect(live.contains("at least {n}") && live.contains("Still being read: {n}"), "what is not known yet is said as such")
            #expect(try await scene.post("/runs/\(code)/people/entry", ["bib": "9", "entry": "disqualified"], club).status == 422)
            #expect(try await scene.post("/runs/\(code)/people/entry", ["bib": "1", "entry": "did-not-start"], club).status == 303)
            #expect(try await scene.get("/runs/\(code)/people", club).body.contains("did not start"))
            let late = try await scene.upload("/runs/\(code)/edit", values.merging(["revision": "9"]) { $1 }, club)
            #expect([409, 422].contains(late.status))
            #expect(try await scene.post("/runs/\(code)/state/finish", [:], club).status == 303)
            let over = try await scene.get("/runs/mine", club).body
            #expect(over.contains("Past runs") && over.contains("/runs/\(code)/people") && over.contains("/runs/\(second)/people"))
            #expect(try await scene.post("/runs/\(code)/state/cancel", [:], club).status == 409)
            #expect(try await scene.post("/runs/\(code)/state/nonsense", [:], club).status == 404)
        }
    }

    @Test("ACC-3: a person makes a run by the pages, finds it among their own, and an organiser's account is not needed")
    func ownAccount() async throws {
        try await RunsScene.run { scene in
            let ada = scene.ada.cookie
            for path in ["/runs", "/runs/mine"] { #expect(try await scene.get(path, ada).body.contains("href=\"/runs/new\"")) }
            #expect(!(try await scene.get("/home", ada).body.contains("href=\"/runs/new\"")))
            let gpx = ["courseFile": ("c.gpx", Array(RunFiles.gpx(RunFiles.points()).utf8))]
            let made = try await scene.upload("/runs/new", scene.fields("Round the lake"), files: gpx, ada)
            let people = try #require(made.header("location"), "\(made.body)")
            #expect(try await scene.get(people, ada).status == 200)
            #expect(try await scene.get(people, scene.organiser.cookie).status == 404)
            #expect(try await scene.get("/runs/mine", ada).body.contains("href=\"\(people)\">Round the lake"))
            #expect(try await scene.get("/home", ada).body.contains("Round the lake"))
        }
    }

    @Test("ACC-3: where the operator lets organisations alone organise, others are shown no form and refused one")
    func organisationsAlone() async throws {
        try await RunsScene.run {
            $0.runs.organisers = "organisations"
        } _: { scene in
            let club = try scene.web.member(.organisation, "office@example.org")
            for (cookie, status) in [(scene.ada.cookie, 403), (scene.organiser.cookie, 403), (club.cookie, 200)] as [(String, UInt)] {
                #expect(try await scene.get("/runs/new", cookie).status == status)
                #expect(try await scene.get("/runs", cookie).body.contains("href=\"/runs/new\"") == (status == 200))
            }
            #expect(!(try await scene.get("/sign-up").body.contains("/sign-up/organiser")))
            for path in ["/sign-up/organiser", "/tour/organiser"] { #expect(try await scene.get(path).status == 404) }
            #expect(!(try await scene.get("/tour").body.contains("/tour/organiser")))
        }
        var wrong = HubConfiguration(directory: URL(fileURLWithPath: "/nowhere"))
        wrong.runs.organisers = "everybody"
        #expect(throws: HubConfigurationError.self) { try wrong.check() }
    }

    @Test("RUN-9, RUN-18: the organiser reads how many enrolments cannot be read any more")
    func damaged() async throws {
        try await RunsScene.run { scene in
            let club = scene.organiser.cookie, code = try await scene.published()
            #expect(try await scene.post("/runs/\(code)/enrol", ["publicName": "Ada"], scene.ada.cookie).status == 303)
            let sound = try await scene.get("/runs/\(code)/people", club).body
            #expect(sound.contains("1 enrolled") && !sound.contains("cannot be read: 1."))
            let path = scene.web.directory.url.appendingPathComponent("runs.sqlite").path
            try DatabasePool(path: path).write {
                try $0.execute(sql: "UPDATE enrolment SET envelope = zeroblob(60)")
            }
            let damaged = try await scene.get("/runs/\(code)/people", club)
            #expect(damaged.status == 200 && damaged.body.contains("<p class=\"warnline\">Enrolments that cannot be read: 1."))
        }
    }

    @Test("DATA-3: a form with files: parts in any order, cut and damaged ones are refused, and none is taken for another")
    func multipart() throws {
        let body =
            "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\ntwo\r\n--x\r\ncontent-disposition: form-data; name=\"f\"; filename=\"q%22.gpx\"\r\nContent-Type: a/b\r\n\r\n\u{0}--y\r\n--x--\r\n"
        let form = try UploadForm(Array(body.utf8), type: "multipart/form-data; boundary=\"x\"")
        #expect(form["a"] == "one\r\ntwo" && form.files["f"]?.name == "q\".gpx" && form.files["f"]?.bytes == Array("\u{0}--y".utf8))
        for bytes in FuzzTests.damaged(Array(body.utf8), wild: 500) {
            guard let read = try? UploadForm(bytes, type: "multipart/form-data; boundary=x") else { continue }
            #expect(read.fields.count + read.files.count <= 4)
        }
        #expect(throws: (any Error).self) { try UploadForm(Array(body.utf8), type: "multipart/form-data") }
        for bytes in FuzzTests.damaged(
            Array(RunFiles.gpx(Array(RunFiles.points().prefix(3)), waypoints: "<wpt lat='1' lon='2'><name>&lt;&#65;</name></wpt>").utf8),
            wild: 500)
        {
            _ = try? CourseFile(bytes)
        }
        #expect(DrawnLine.points("1,2;3") == nil && DrawnLine.points("1,x") == nil && DrawnLine.points("")?.isEmpty == true)
        #expect(RunTime.milliseconds("2026-02-30T10:00", "UTC") == nil && RunTime.milliseconds("2026-03-01T25:00", "UTC") == nil)
        let summer = try #require(RunTime.milliseconds("2026-07-01T09:00", "Europe/Rome"))
        #expect(RunTime.field(summer, "UTC") == "2026-07-01T07:00" && RunTime.field(summer, "Europe/Rome") == "2026-07-01T09:00")
    }
}

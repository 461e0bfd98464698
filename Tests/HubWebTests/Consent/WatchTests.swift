import Accounts
import Exchange
import Foundation
import HubServices
import HubStore
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Runs
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubWeb

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The pages of spectators and results, and what is downloaded there, over a real hub (RUN-7 to RUN-11).
@Suite(.serialized, .timeLimit(.minutes(4)))
struct WatchTests {
    private static var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    private static let course = CoursePlan(
        points: (0...20).map { CoursePoint(latitude: 454_000_000 + $0 * 9000, longitude: 90_000_000 + $0 % 2 * 3000) }, splitEvery: 500)

    private struct Cast {
        let web: WebFixture
        let organiser: Member, ada: Member, bob: Member, eve: Member, stranger: Member
        let run: StoredRun
        var path: String { "/runs/\(run.code)" }

        func get(_ path: String, as member: Member? = nil, headers: [(String, String)] = []) async throws -> WebFixture.Answer {
            try await web.send(.GET, path, cookie: member?.cookie, headers: headers)
        }
    }

    /// A run with three who are enrolled and checked in: Ada shows all but her heart, Bob (without a name) the time, Eve nothing.
    /// - Parameter waves: names of those that start, all with the same gun; Bob is in the first one, Ada and Eve are in the second.
    private func cast(_ web: WebFixture, isPublic: Bool = true, waves: [String] = []) async throws -> Cast {
        let organiser = try web.member(.organiser, "club@example.org"), starts = Self.now + 3_600_000
        let plan = RunPlan(
            name: "Up <north>", purpose: "For the fun of it", place: "Bergamo", timeZone: "Europe/Rome", starts: starts,
            ends: starts + 3_600_000, closes: starts - 1000, most: 100, isPublic: isPublic,
            waves: waves.map { Wave(name: $0, gun: starts) })
        let runs = web.hub.runs,
            draft = try runs.organising.create(
                plan, course: Self.course, accepted: OrganiserService.disclaimerVersion, by: organiser.account)
        let run = try runs.organising.publish(draft.id, by: organiser.account)
        let members = try ["ada", "bob", "eve", "sam"].map { try web.member(.person, "\($0)@example.org") }
        var choices = [
            EnrolmentChoices(publicName: "=Ada & \"Co\"", published: [.time, .splits, .track]), EnrolmentChoices(published: [.time]),
            EnrolmentChoices(publicName: "Eve", published: []),
        ]
        for index in [0, 2] where waves.count > 1 { choices[index].wave = 1 }
        if isPublic {
            for (member, choices) in zip(members, choices) {
                _ = try await runs.enrolments.enrol(member.account.id.person, in: run.id, choices, by: member.account)
                _ = try runs.checkIns.checkIn(member.account.id.person, to: run.id, publicHeartRate: false, by: member.account)
            }
        }
        return Cast(web: web, organiser: organiser, ada: members[0], bob: members[1], eve: members[2], stranger: members[3], run: run)
    }

    /// It was run, and these are the results: Bob, Eve, Ada.
    /// - Parameter isOver: false while it goes on.
    private func finish(_ cast: Cast, isOver: Bool = true) throws -> StoredRun {
        let runs = cast.web.hub.runs, live = try runs.organising.begin(cast.run.id, by: cast.organiser.account)
        let run = try isOver ? runs.organising.finish(cast.run.id, by: cast.organiser.account) : live, gun = run.began ?? 0
        let rows = try cast.web.hub.runsStore.enrolments.enrolments(in: run.id)
        func result(_ bib: Int, _ place: Int, _ seconds: Int64) throws -> RunnerResult {
            let splits = [500, 1000, 2000].map { metres in
                """
                {"metres": \(metres), "time": \(gun + seconds * Int64(metres) / 2), "gun": \(seconds * Int64(metres) / 2),
                "net": \(seconds * Int64(metres) / 2), "leg": \(seconds * 250), "isSeen": \(metres != 1000)}
                """
            }
            let json = """
                {"bib": \(bib), "group": "finished", "place": \(place), "gunTime": \(seconds * 1000), "netTime": \(seconds * 1000 - 3000),
                "start": {"time": \(gun + 3000), "isSeen": true}, "finish": {"time": \(gun + seconds * 1000), "isSeen": true}, "metres": 2000,
                "missedMetres": 0, "secondsPerKilometre": \(seconds / 2), "splits": [\(splits.joined(separator: ","))], "stretches": [],
                "heart": {"average": 150.4, "max": 177}}
                """
            var result = try JSONDecoder().decode(RunnerResult.self, from: Data(json.utf8))
            result.category = run.plan.category(wave: rows[bib - 1].choices.wave)
            if result.category != nil { result.placeInCategory = max(place - 1, 1) }
            return result
        }
        try cast.web.hub.runsStore.results.setResults(
            [
                RunResult(try result(1, 3, 660), of: rows[0]), RunResult(try result(2, 1, 540), of: rows[1]),
                RunResult(try result(3, 2, 600), of: rows[2]),
            ], of: run.id)
        return run
    }

    @Test("RUN-7: the live page needs no account, works as a table without scripts, and is not there for a run that is not shown")
    func live() async throws {
        try await WebFixture.run { web in
            let cast = try await cast(web), page = try await cast.get(cast.path + "/live")
            #expect(page.status == 200 && page.body.contains("<title>Up &lt;north&gt;") && page.body.contains("It has not begun"))
            #expect(page.body.contains(#""name":"Up \u003cnorth>""#) && page.body.contains("og:title") && !page.body.contains("<script>"))
            #expect(page.header("set-cookie") == nil)
            let italian = try await cast.get(cast.path + "/live?q=%3Cb%3E&page=-7", headers: [("accept-language", "it")])
            #expect(italian.body.contains("Non è ancora cominciata") && italian.body.contains("value=\"&lt;b&gt;\""))
            for name in [
                "watch.js", "watchrace.js", "watchline.js", "watchlist.js", "watchmap.js", "watchmotion.js", "watchreplay.js", "watch.css",
            ] {
                #expect(try await cast.get("/assets/" + name).status == 200)
            }
            let hidden = try await self.hidden(web, cast)
            for path in ["", "/live", "/results", "/results/1", "/results.csv", "/results.xml", "/results/1.png"].dropFirst() {
                let there = try await cast.get(hidden + path), none = try await cast.get("/runs/ZZZZZZ" + path)
                #expect(there.status == 404 && there.body == none.body, "\(path)")
                #expect(try await cast.get(hidden + path, as: cast.stranger).status == 404)
            }
            #expect(try await cast.get(hidden + "/live", as: cast.organiser).status == 200)
        }
    }

    /// A run by invitation of the same organiser.
    private func hidden(_ web: WebFixture, _ cast: Cast) async throws -> String {
        var plan = cast.run.plan
        (plan.isPublic, plan.starts, plan.ends) = (false, plan.starts + 86_400_000, plan.ends + 86_400_000)
        let draft = try web.hub.runs.organising.create(
            plan, course: Self.course, accepted: OrganiserService.disclaimerVersion, by: cast.organiser.account)
        return "/runs/\(try web.hub.runs.organising.publish(draft.id, by: cast.organiser.account).code)"
    }

    @Test("RUN-10: results are what each published; who published nothing is not there, not even by address; a runner sees all of the own")
    func results() async throws {
        try await WebFixture.run { web in
            let cast = try await cast(web), path = cast.path
            #expect(try await cast.get(path + "/results").body.contains("There are no public results yet."))
            _ = try finish(cast)
            let page = try await cast.get(path + "/results").body
            #expect(page.contains("=Ada &amp; &quot;Co&quot;") && page.contains("Bib 2") && !page.contains("Eve"))
            #expect(page.contains("One runner who finished shows no time.") && page.contains(">9:00<") && page.contains(">11:00<"))
            #expect(!page.contains("♥") && !page.contains("for=organiser"))
            let found = try await cast.get(path + "/results?q=ada").body
            #expect(found.contains("=Ada") && !found.contains("Bib 2"))

            let ada = try await cast.get(path + "/results/1").body
            #expect(
                ada.contains("3 of 3") && ada.contains(">10:57<") && ada.contains("estimated") && !ada.contains("150")
                    && !ada.contains("onlyYou"))
            #expect(ada.contains("\(path)/results/1.gpx") && ada.contains("No times on the way are public for both."))
            let gone = try await cast.get(path + "/results/3"), none = try await cast.get(path + "/results/77")
            #expect(gone.status == 404 && gone.body == none.body)
            for end in ["3.png", "3.svg", "3.gpx", "2.gpx", "0", "-1", "01", "1.pdf", "1.png.svg", "x"] {
                #expect(try await cast.get("\(path)/results/\(end)").status == 404, "\(end)")
            }

            let own = try await cast.get(path + "/results/3", as: cast.eve)
            #expect(
                own.status == 200 && own.body.contains("only you see this") && own.body.contains("150") && !own.body.contains("og:image"))
            #expect(own.body.contains("None of your friends") && own.body.contains("−1:00"), "a minute before Ada")
            #expect(try await cast.get(path + "/results/3", as: cast.stranger).status == 404)
            #expect(try await cast.get(path + "/results/3", as: cast.organiser).status == 404, "also for the organiser, who has the files")
        }
    }

    @Test(
        "RUN-11: a shared result has a picture of what is public, whose text is text, and its address stands in the page for social networks"
    )
    func shared() async throws {
        try await WebFixture.run { web in
            let cast = try await cast(web), path = cast.path + "/results/1"
            _ = try finish(cast)
            let page = try await cast.get(path).body, hasTool = access("/usr/bin/rsvg-convert", X_OK) == 0
            #expect(page.contains(#/og:image" content="https:\/\/[^"]+\/results\/1\.(png|svg)"/#))
            #expect(page.contains("\(path).\(hasTool ? "png" : "svg")\">"))
            #expect(page.contains("og:description\" content=\"3 of 3 · 11:00\"") && page.contains("summary_large_image"))
            let drawing = try await cast.get(path + ".svg")
            #expect(drawing.header("content-type") == "image/svg+xml" && drawing.body.contains("Up &lt;north&gt;"))
            #expect(drawing.body.contains("=Ada &amp; &quot;Co&quot;") && drawing.body.contains("3 of 3") && !drawing.body.contains("♥"))
            #expect(try XMLDocument(xmlString: drawing.body).rootElement()?.name == "svg")
            let picture = try await cast.get(path + ".png")
            #expect(picture.status == 200 && picture.header("content-type") == (hasTool ? "image/png" : "image/svg+xml"))
        }
    }

    @Test("RUN-9, RUN-10: files hold what is public; the organiser's hold everybody, for the organiser alone")
    func files() async throws {
        try await WebFixture.run { web in
            let cast = try await cast(web), path = cast.path
            _ = try finish(cast)
            let open = try await cast.get(path + "/results.csv", as: cast.organiser)
            #expect(
                open.body.contains("1,'=Ada") == false && open.body.contains("3,1,\"'=Ada & \"\"Co\"\"\"")
                    && open.body.contains("\r\n1,2,,"))
            #expect(!open.body.contains("Eve") && !open.body.contains(",150,"))
            #expect(open.header("content-disposition") == "attachment; filename=\"\(cast.run.code)-results.csv\"")
            let xml = try await cast.get(path + "/results.xml")
            #expect(xml.body.contains("<Position>3</Position>") && xml.body.contains("<Time>660</Time>") && !xml.body.contains(">Eve"))
            let all = try await cast.get(path + "/results.csv?for=organiser", as: cast.organiser)
            #expect(all.body.contains("2,3,Ada Example,") && all.body.contains(",150,177,"))
            for file in ["results.csv?for=organiser", "results.xml?for=organiser", "start.csv", "start.xml", "tracks.gpx"] {
                #expect(try await cast.get("\(path)/\(file)", as: cast.organiser).status == 200, "\(file)")
                #expect(try await cast.get("\(path)/\(file)").status == 303)
                #expect(try await cast.get("\(path)/\(file)", as: cast.ada).status == 404)
                let other = try web.member(.organiser, "other.\(file.prefix { $0 != "?" })@example.org")
                #expect(try await cast.get("\(path)/\(file)", as: other).status == 404)
            }
            #expect(try await cast.get(path + "/tracks.gpx", as: cast.organiser).body.hasSuffix("</gpx>\n"))
            #expect(try await cast.get(path + "/results", as: cast.organiser).body.contains("results.csv?for=organiser"))
        }
    }

    @Test("RUN-10: with two waves results have the classes of the start list, with places of their own, on the page and in files")
    func waves() async throws {
        try await WebFixture.run { web in
            let cast = try await cast(web, waves: ["Men", "Women"]), path = cast.path
            func classes(_ file: String) async throws -> [String] {
                let body = try await cast.get("\(path)/\(file)", as: cast.organiser).body
                return body.matches(of: /<Class>\s*<Name>([^<]+)</).map { String($0.output.1) }.sorted()
            }
            #expect(try await classes("start.xml") == ["Men", "Women"])
            _ = try finish(cast)
            #expect(try await classes("results.xml") == ["Men", "Women"])
            #expect(try await classes("results.xml?for=organiser") == ["Men", "Women"])
            let places = try await cast.get(path + "/results.xml?for=organiser", as: cast.organiser).body
                .matches(of: /<Position>([0-9]+)</).map { String($0.output.1) }
            #expect(places == ["1", "1", "2"], "Bob; Eve and Ada")
            #expect(try await cast.get(path + "/results.csv").body.contains(",Women,2,"))
            let page = try await cast.get(path + "/results").body
            #expect(page.contains(">Category<") && page.contains("<td>Women</td>") && page.contains("<td>Men</td>"))
        }
    }

    @Test("RUN-6, RUN-9, RUN-10: a run that was called off on the way has no results and no tracks for anybody, and each address says so")
    func calledOff() async throws {
        try await WebFixture.run { web in
            let cast = try await cast(web), path = cast.path, organiser = cast.organiser
            _ = try finish(cast, isOver: false)
            let own = ["results.csv?for=organiser", "results.xml?for=organiser", "tracks.gpx"]
            #expect(try await cast.get(path + "/results/1").body.contains("3 of 3"))
            for file in own { #expect(try await cast.get("\(path)/\(file)", as: organiser).status == 200, "\(file)") }
            #expect(try await cast.get(path + "/people", as: organiser).body.contains("3 of 3 have checked in"))
            #expect(try await web.post(path + "/state/cancel", ["reason": "storm"], cookie: organiser.cookie).status == 303)

            func expectGone(_ file: String, as member: Member?) async throws {
                let answer = try await cast.get("\(path)/\(file)", as: member)
                #expect(answer.status == 410 && answer.body.contains("This run was called off"), "\(file)")
                for secret in ["=Ada", "Ada Example", "trkpt", ",150,"] { #expect(!answer.body.contains(secret), "\(file)") }
            }
            for file in own { try await expectGone(file, as: organiser) }
            for file in ["results", "results.csv", "results.xml", "results/1", "results/1.gpx", "results/1.png", "results/1.svg"] {
                for member in [nil, cast.ada, organiser] { try await expectGone(file, as: member) }
            }
            let italian = try await cast.get(path + "/results", headers: [("accept-language", "it")])
            #expect(italian.body.contains("Questa corsa è stata annullata"))
            #expect(try await cast.get(path + "/replay.json").status == 404)
            // Who was enrolled stays: that is no data of anybody's body.
            #expect(try await cast.get(path + "/start.csv", as: organiser).status == 200)
            #expect(try await cast.get(path + "/people", as: organiser).body.contains("0 of 3 have checked in"))
        }
    }

    /// Takes what is sent, and does something with one of the pieces.
    private struct Taking: ResponseBodyWriter {
        final class Taken: Sendable {
            let state = Mutex((text: "", pieces: 0, isWhole: false))
            var now: (text: String, pieces: Int, isWhole: Bool) { state.withLock { $0 } }
        }

        let taken = Taken()
        let piece: Int
        let act: @Sendable () throws -> Void

        mutating func write(_ buffer: ByteBuffer) async throws {
            let count = taken.state.withLock { state in
                state.text += String(buffer: buffer)
                state.pieces += 1
                return state.pieces
            }
            if count == piece { try act() }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { taken.state.withLock { $0.isWhole = true } }
    }

    @Test("RUN-6, RUN-9: tracks that are on their way when the run is called off are cut behind that piece, and do not look whole")
    func cut() async throws {
        try await WebFixture.run { web in
            let cast = try await cast(web), run = try finish(cast, isOver: false), runs = web.hub.runs, club = cast.organiser.account
            let site = WatchSite(
                finder: runs.finder, resultService: runs.results, care: web.hub.accounts.care, ledger: web.hub.accounts.ledger,
                templates: try Templates(), map: HubConfiguration(directory: web.directory.url).map, address: { "" },
                time: MonotonicUTC { Self.now })
            let exports = RaceExports(
                site: site, export: Export(series: web.hub.series.reader) { Self.now },
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let tracks = try runs.results.tracks(of: run, for: club)
            // The head, three tracks, and the end.
            let whole = Taking(piece: 0) {}
            try await exports.tracks(tracks, of: run, file: "x").body.write(whole)
            var taken = whole.taken.now
            #expect(tracks.count == 3 && taken.pieces == 5 && taken.isWhole && taken.text.hasSuffix("</gpx>\n"))
            let cut = Taking(piece: 4) { _ = try runs.organising.cancel(run.id, reason: "storm", by: club) }
            await #expect(throws: RunProblem.state(.cancelled)) { try await exports.tracks(tracks, of: run, file: "x").body.write(cut) }
            taken = cut.taken.now
            #expect(taken.pieces == 4 && !taken.isWhole && !taken.text.contains("</gpx>"))
        }
    }

    @Test("DATA-16: the ground of the maps comes compressed to who takes that, each part for a year but the first")
    func ground() async throws {
        try await WebFixture.run { web in
            let file = try #require(Ground.file), gzip = [("accept-encoding", "gzip, br")]
            let identifier = file.identifier
            for (name, cache) in [("index", "max-age=300"), ("\(identifier)-world", "immutable"), ("\(identifier)-0", "immutable")] {
                let plain = try await web.send(.GET, "/ground/\(name)"), part = try #require(file.part(name))
                #expect(plain.header("content-encoding") == nil && plain.header("content-length") == "\(part.count)")
                for _ in 0..<2 {
                    let packed = try await web.send(.GET, "/ground/\(name)", headers: gzip)
                    #expect(packed.header("content-encoding") == "gzip" && packed.header("cache-control")?.contains(cache) == true)
                    #expect(packed.header("content-length") == Gzip.packed(Array(part)).map { "\($0.count)" })
                    #expect(packed.header("vary") == "Accept-Encoding")
                }
            }
            #expect(try await web.send(.GET, "/ground/head", headers: gzip).status == 404)
        }
    }

    @Test("RUN-7: Leaflet comes compressed to who takes that, as Debian has it")
    func leaflet() async throws {
        guard FileManager.default.fileExists(atPath: "/usr/share/javascript/leaflet/leaflet.min.js.gz") else { return }
        try await WebFixture.run { web in
            let packed = try await web.send(.GET, "/vendor/leaflet/leaflet.min.js", headers: [("accept-encoding", "gzip, br")])
            #expect(packed.header("content-encoding") == "gzip" && packed.header("content-type") == Assets.script)
            #expect(try await web.send(.GET, "/vendor/leaflet/leaflet.min.js").header("content-encoding") == nil)
        }
    }
}

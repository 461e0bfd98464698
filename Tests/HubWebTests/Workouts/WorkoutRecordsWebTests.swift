import Accounts
import Database
import Exchange
import Foundation
import HubServices
import NIOHTTP1
import Runs
import TestSupport
import Testing
import Vitals
import Workouts

@testable import HubStore
@testable import HubWeb

/// Workouts of one's own, on the pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct WorkoutRecordsWebTests {
    /// Yesterday, about now.
    private static var began: Milliseconds { (Date().milliseconds - 86_400_000) / 1000 * 1000 }

    /// A quarter of an hour north at 3 m/s, uphill, with a heart that gets faster.
    static func run(from time: Milliseconds, seconds: Int = 900) -> SampleSet {
        var samples = SampleSet()
        for second in 0..<seconds {
            let at = time + Milliseconds(second) * 1000, north = Int32((Double(second) * 3 * 89.93).rounded())
            samples.positions.append(
                PositionSample(
                    time: at, latitude: 458_000_000 + north, longitude: 116_000_000, altitude: 2000 + Int32(second), horizontalError: 30))
            samples.heartRates.append(HeartRateSample(time: at, beatsPerMinute: UInt16(110 + second / 12), contact: .detected))
        }
        return samples
    }

    /// Somebody's list, when nothing is left to look through.
    private func list(_ web: WebFixture, _ cookie: String, base: String = "/workouts") async throws -> String {
        var list = try await web.send(.GET, base, cookie: cookie)
        while list.body.contains("\(base)?looking=1") { list = try await web.send(.GET, "\(base)?looking=1", cookie: cookie) }
        #expect(list.status == 200)
        return list.body
    }

    /// The address of the only workout in somebody's list.
    private func only(_ web: WebFixture, _ cookie: String, base: String = "/workouts") async throws -> String {
        let body = try await list(web, cookie, base: base)
        let found = body.matches(of: /<h2><a href="([^"]+)">/).map { String($0.output.1) }
        #expect(found.count == 1, "\(body)")
        return try #require(found.first)
    }

    @Test("DATA-7, DATA-17: a workout is found by itself; list and page show way, distance, time, pace and curves without script")
    func shown() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            #expect(try await list(web, person.cookie).contains("No workouts were found yet."))
            try web.append([Self.run(from: Self.began)], of: person.account.id.person)
            let path = try await only(web, person.cookie), body = try await list(web, person.cookie)
            #expect(body.contains("<svg class=\"worksketch\"") && body.contains(">Run</a>") && body.contains(/2\.[67]\d? km ·/))
            let page = try await web.send(.GET, path, cookie: person.cookie).body
            #expect(page.contains("<svg class=\"workmap\"") && page.contains("<circle class=\"workstart\""))
            // With script the same way lies on the ground, and the cursor knows its places.
            #expect(page.contains("/assets/worktrack.js") && page.contains(/id="workTrack">\[\{"bin":\d,"line":"/))
            #expect(page.contains(/"at":\[45\.8\d*,11\.6\d*\]/))
            for curve in ["heartRate", "pace", "elevation"] { #expect(page.contains("<path class=\"\(curve)\" d=\"M"), "\(curve)") }
            #expect(page.contains("Splits by kilometre") && page.contains("Best efforts") && page.contains(" /km"))
            #expect(!page.contains(" style=") && body.contains("href=\"/health\" aria-current=\"true\""))
            for colour in ["pace", "height"] {
                let coloured = try await web.send(.GET, "\(path)?colour=\(colour)", cookie: person.cookie).body
                #expect(coloured.contains(/<path class="bin[0-5]" d="M/), "\(colour)")
            }
            let miles = try await web.send(.GET, "\(path)?unit=mi&axis=distance", cookie: person.cookie).body
            #expect(miles.contains("Splits by mile") && miles.contains(" /mi") && miles.contains(" mi</dd>"))
            #expect(try await web.send(.GET, path, cookie: other.cookie).status == 404)
            #expect(try await list(web, other.cookie).contains("No workouts were found yet."))
            #expect(try await web.send(.GET, "/workouts/nothing", cookie: person.cookie).status == 404)
        }
    }

    @Test("DATA-17: its owner names it, says what it was, and deletes it for good; what is too long is told at its field")
    func edited() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try web.append([Self.run(from: Self.began)], of: person.account.id.person)
            let path = try await only(web, person.cookie)
            let fields = ["title": "<b>Lake</b>", "kind": "1", "note": "Windy"]
            #expect(try await web.post(path, fields, cookie: person.cookie).status == 303)
            let page = try await web.send(.GET, path, cookie: person.cookie).body
            #expect(page.contains("&lt;b&gt;Lake&lt;/b&gt;") && !page.contains("<b>Lake"))
            #expect(page.contains("Windy") && page.contains("Walk, "))
            let long = try await web.post(path, ["title": String(repeating: "x", count: 101)], cookie: person.cookie)
            #expect(long.status == 422 && long.body.contains("id=\"title-error\""))
            #expect(try await web.post(path, ["kind": "9"], cookie: person.cookie).status == 400)
            #expect(try await web.post("\(path)/delete", [:], cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, path, cookie: person.cookie).status == 404)
            #expect(try await list(web, person.cookie).contains("No workouts were found yet."))
        }
    }

    @Test("DATA-17: a workout is downloaded as GPX, TCX and FIT", arguments: ["gpx", "tcx", "fit"])
    func files(format: String) async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try web.append([Self.run(from: Self.began)], of: person.account.id.person)
            let path = try await only(web, person.cookie)
            let page = try await web.send(.GET, path, cookie: person.cookie).body
            #expect(page.contains("\(path)/file?format=\(format)\"") && page.contains("No home zone is chosen yet"))
            let home = HomeZone(centre: CoursePoint(latitude: 458_000_000, longitude: 116_000_000), radius: 500), store = web.hub.runsStore
            let content = WorkoutContent(starter: person.account.id, home: home), id = person.account.id.person
            _ = try store.workouts.beginWorkout(content, of: id, isShared: false, now: Self.began - 86_400_000)
            _ = try store.workouts.endWorkout(of: id, now: Self.began - 86_000_000)
            #expect(try await web.send(.GET, path, cookie: person.cookie).body.contains("format=\(format)&amp;home=hidden"))
            #expect(try await web.send(.GET, "\(path)/file?format=\(format)&home=hidden", cookie: person.cookie).status == 200)
            #expect(try await web.send(.GET, "\(path)/file?format=\(format)", cookie: person.cookie).status == 200)
            #expect(try await web.send(.GET, "\(path)/file?format=kml", cookie: person.cookie).status == 404)
        }
    }

    @Test("DATA-17: trends by week and month with records, in the reader's language")
    func trends() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try web.append([Self.run(from: Self.began)], of: person.account.id.person)
            _ = try await only(web, person.cookie)
            for period in ["week", "month"] {
                let page = try await web.send(.GET, "/workouts/trends?by=\(period)&kind=running", cookie: person.cookie)
                #expect(page.status == 200 && page.body.contains("<svg class=\"workbars\""), "\(period)")
                #expect(page.body.contains("Fastest 1 km") && page.body.contains("Longest distance"), "\(period)")
            }
            #expect(try await web.send(.GET, "/workouts/trends?by=year", cookie: person.cookie).status == 404)
            #expect(try await web.send(.GET, "/workouts/trends?kind=swimming", cookie: person.cookie).status == 404)
            _ = try await web.post("/language", ["language": "it", "back": "/workouts"], cookie: person.cookie)
            let italian = try await web.send(.GET, "/workouts", cookie: person.cookie).body
            #expect(italian.contains(">Corsa</a>") && italian.contains("Andamento e record"))
        }
    }

    @Test("DATA-17: two workouts of a kind are compared: figures beside each other with the difference, curves along the distance")
    func compared() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            try web.append(
                [Self.run(from: Self.began), Self.run(from: Self.began - 86_400_000, seconds: 1200)], of: person.account.id.person)
            let ids = try await list(web, person.cookie).matches(of: /<h2><a href="\/workouts\/([0-9a-f]+)">/).map { String($0.output.1) }
            #expect(ids.count == 2)
            let page = try await web.send(.GET, "/workouts/\(ids[0])", cookie: person.cookie).body
            #expect(page.contains("<option value=\"\(ids[1])\">Run, ") && !page.contains("<option value=\"\(ids[0])\">"))
            let path = "/workouts/compare?one=\(ids[0])&other=\(ids[1])"
            let compared = try await web.send(.GET, path, cookie: person.cookie).body
            for line in ["first", "second"] {
                let drawn = compared.matches(of: /<path class="(\w+)" d="M\d+ \d+L/).filter { $0.output.1 == line }
                #expect(drawn.count == 3, "\(line)")
            }
            // 900 s and 1200 s at 3 m/s.
            #expect(compared.contains(/2\.[67]\d? km<\/td><td class="num">3\.[56]\d? km<\/td><td class="num">\+[\d.]+ k?m</))
            #expect(compared.contains("Fastest 1 km") && compared.contains(/>\+1\d bpm</))
            #expect(compared.contains("href=\"/workouts/\(ids[0])\"") && compared.contains("href=\"/workouts/\(ids[1])\""))
            #expect(try await web.send(.GET, path, cookie: other.cookie).status == 404)
            #expect(try await web.send(.GET, "/workouts/compare?one=\(ids[0])", cookie: person.cookie).status == 404)
        }
    }

    @Test(
        "DATA-17: the page of a workout says where others of its kind may be that are not offered for comparison", arguments: ["en", "it"])
    func notOffered(lang: String) async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person, texts = Texts.of(lang)
            _ = try await web.post("/language", ["language": lang, "back": "/workouts"], cookie: person.cookie)
            let store = web.hub.runsStore.workoutRecords
            func keep(_ numbers: Range<Int>, _ kind: WorkoutKind) throws {
                var change = WorkoutRecordChange()
                change.kept = numbers.map { number in
                    let begin = Self.began - Milliseconds(number) * 86_400_000, span = begin...begin + 600_000
                    let statistics = WorkoutStatistics(WorkoutLine([], [], in: span))
                    return .init(span: span, content: .init(origin: .found, kind: kind, statistics: statistics, sketch: []))
                }
                #expect(try store.keep(change, store.scan(of: id), of: id))
            }
            func page(_ number: Int) async throws -> String {
                let record = try #require(try store.records(of: id, before: .max, count: 99).dropFirst(number).first)
                return try await web.send(.GET, "/workouts/\(record.id)", cookie: person.cookie).body
            }
            func options(_ page: String) -> Int { page.matches(of: /<option value="[0-9a-f]{16,}"/).count }
            let values = ["newest": "40", "shown": "20"]
            let cut = texts.filled("workouts.compareNewest", values), none = texts.filled("workouts.compareNone", values)
            try keep(0..<21, .running)
            let all = try await page(0)
            #expect(options(all) == 20 && !all.contains(cut), "all are there")
            try keep(21..<40, .running)
            let first = try await page(0)
            #expect(options(first) == 20 && first.contains(cut))
            try keep(40..<41, .walking)
            let last = try await page(40)
            #expect(options(last) == 0 && last.contains(none) && !last.contains(cut))
        }
    }

    @Test("DATA-17: a page holds 30 workouts, and leads to older ones; a full list says so")
    func pages() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person, store = web.hub.runsStore.workoutRecords
            var change = WorkoutRecordChange()
            change.kept = (0..<31).map { number in
                let begin = Self.began - Milliseconds(number) * 86_400_000, span = begin...begin + 600_000
                let statistics = WorkoutStatistics(WorkoutLine([], [], in: span))
                return .init(
                    span: span,
                    content: .init(origin: .found, kind: .running, statistics: statistics, sketch: [], edit: .init(title: "No \(number)")))
            }
            #expect(try store.keep(change, store.scan(of: id), of: id))
            let first = try await list(web, person.cookie)
            #expect(first.contains(">No 0</a>") && first.contains(">No 29</a>") && !first.contains(">No 30</a>"))
            #expect(!first.contains("the most it can"))
            let more = try #require(first.firstMatch(of: /href="(\/workouts\?before=\d+)"/)).output.1
            let second = try await web.send(.GET, String(more), cookie: person.cookie).body
            #expect(second.contains(">No 30</a>") && !second.contains(">No 29</a>") && !second.contains("/workouts?before="))
            // As many as there may be, deleted ones included.
            try web.hub.runsStore.pool.write { db in
                try db.execute(
                    sql: """
                        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
                        INSERT INTO workout_record(record, person, began, ended, is_deleted) SELECT randomblob(16), ?, n, n, 1 FROM number
                        """, arguments: [WorkoutRecordStore.recordsMax - 31, Data(id.bytes)])
            }
            #expect(try await list(web, person.cookie).contains("This list holds 20,000 workouts, the most it can."))
            var one = WorkoutRecordChange()
            one.kept = [change.kept[0]]
            #expect(try store.keep(one, store.scan(of: id), of: id) && store.count(of: id) == WorkoutRecordStore.recordsMax)
        }
    }

    @Test("ACC-17, DATA-12, DATA-17: a parent sees a child's workouts, which stands in the child's ledger; nobody else does")
    func ward() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), other = try web.member(.person, "other@example.org")
            let kid = try web.child(of: parent.account, "ab3d-ef5h"), base = "/care/person/\(kid.id)/workouts"
            try web.append([Self.run(from: Self.began)], of: kid.id.person)
            let path = try await only(web, parent.cookie, base: base)
            #expect(path.hasPrefix(base))
            #expect(try await web.send(.GET, path, cookie: parent.cookie).status == 200)
            let own = try web.session(of: kid, strength: .full)
            #expect(try await web.send(.GET, "/ledger", cookie: own).body.contains("Ada Example read"))
            for cookie in [other.cookie, own] { #expect(try await web.send(.GET, path, cookie: cookie).status == 403) }
        }
    }
}

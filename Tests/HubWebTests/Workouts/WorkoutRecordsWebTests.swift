import Accounts
import Exchange
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

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

    /// The address of the only workout in somebody's list.
    private func only(_ web: WebFixture, _ cookie: String, base: String = "/workouts") async throws -> String {
        let list = try await web.send(.GET, base, cookie: cookie)
        #expect(list.status == 200)
        let found = list.body.matches(of: /<h2><a href="([^"]+)">/).map { String($0.output.1) }
        #expect(found.count == 1, "\(list.body)")
        return try #require(found.first)
    }

    @Test("DATA-7, DATA-17: a workout is found by itself; list and page show way, distance, time, pace and curves without script")
    func shown() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            #expect(try await web.send(.GET, "/workouts", cookie: person.cookie).body.contains("No workouts were found yet."))
            try web.append([Self.run(from: Self.began)], of: person.account.id.person)
            let path = try await only(web, person.cookie), list = try await web.send(.GET, "/workouts", cookie: person.cookie).body
            #expect(list.contains("<svg class=\"worksketch\"") && list.contains(">Run</a>") && list.contains(/2\.[67]\d? km ·/))
            let page = try await web.send(.GET, path, cookie: person.cookie).body
            #expect(page.contains("<svg class=\"workmap\"") && page.contains("<circle class=\"workstart\""))
            for curve in ["heartRate", "pace", "elevation"] { #expect(page.contains("<path class=\"\(curve)\" d=\"M"), "\(curve)") }
            #expect(page.contains("Splits by kilometre") && page.contains("Best efforts") && page.contains(" /km"))
            #expect(!page.contains(" style=") && list.contains("href=\"/health\" aria-current=\"true\""))
            for colour in ["pace", "height"] {
                let coloured = try await web.send(.GET, "\(path)?colour=\(colour)", cookie: person.cookie).body
                #expect(coloured.contains(/<path class="bin[0-5]" d="M/), "\(colour)")
            }
            let miles = try await web.send(.GET, "\(path)?unit=mi&axis=distance", cookie: person.cookie).body
            #expect(miles.contains("Splits by mile") && miles.contains(" /mi") && miles.contains(" mi</dd>"))
            #expect(try await web.send(.GET, path, cookie: other.cookie).status == 404)
            #expect(try await web.send(.GET, "/workouts", cookie: other.cookie).body.contains("No workouts were found yet."))
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
            #expect(try await web.send(.GET, "/workouts", cookie: person.cookie).body.contains("No workouts were found yet."))
        }
    }

    @Test("DATA-17: a workout is downloaded as GPX, TCX and FIT", arguments: ["gpx", "tcx", "fit"])
    func files(format: String) async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try web.append([Self.run(from: Self.began)], of: person.account.id.person)
            let path = try await only(web, person.cookie)
            #expect(try await web.send(.GET, path, cookie: person.cookie).body.contains("\(path)/file?format=\(format)"))
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

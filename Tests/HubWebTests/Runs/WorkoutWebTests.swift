import Accounts
import AsyncHTTPClient
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Lone workouts and notice of runs nearby, over a real hub.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct WorkoutWebTests {
    private static var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    private func phone(_ web: WebFixture, _ person: Member) async throws -> String {
        let made = try await web.post("/boxes/devices", ["deviceName": "My phone", "deviceKind": "osmAnd"], cookie: person.cookie)
        return String(try #require(made.body.firstMatch(of: /[A-Z0-9]{4}(-[A-Z0-9]{4}){3}/)).output.0)
    }

    private func befriend(_ web: WebFixture, _ one: Member, _ other: Member) throws {
        let link = try web.hub.runs.workouts.friendLink(of: one.account.id.person, by: one.account)
        _ = try web.hub.runs.workouts.befriend(
            try #require(link.split(separator: "/").last.map(String.init)), other.account.id.person, by: other.account)
    }

    /// Reads a stream until it says something, does that, and goes on until it ends.
    private func read(
        _ web: WebFixture, _ path: String, cookie: String, steps: [(String, () async throws -> Void)]
    ) async throws -> String {
        var request = HTTPClientRequest(url: web.url + path)
        request.headers.add(name: "cookie", value: cookie)
        let response = try await web.client.execute(request, timeout: .seconds(60))
        #expect(response.status == .ok && response.headers.first(name: "content-type") == "text/event-stream")
        var text = "", left = steps[...]
        let start = ContinuousClock.now
        for try await chunk in response.body {
            text += String(buffer: chunk)
            try #require(start.duration(to: .now) < .seconds(60), "waits for \(left.first?.0 ?? "its end") in \(text)")
            while let (word, step) = left.first, text.contains(word) {
                left = left.dropFirst()
                try await step()
            }
        }
        return text
    }

    @Test(
        "RUN-19: begun, seen live by oneself and by a friend, stopped and deleted, without a script; a friend's stream ends at once when it is not shared"
    )
    func workout() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), bob = try web.member(.person, "bob@example.org")
            let eve = try web.member(.person, "eve@example.org")
            try befriend(web, ada, bob)
            let secret = try await phone(web, ada), person = ada.account.id.person
            let empty = try await web.send(.GET, "/runs/workout", cookie: ada.cookie)
            #expect(empty.status == 200 && empty.body.contains("action=\"/runs/workout\""))
            #expect(try await web.send(.GET, "/runs/workout/events", cookie: ada.cookie).status == 404)
            // A zone without a place is asked for again; nothing began.
            #expect(try await web.post("/runs/workout", ["homeRadius": "500"], cookie: ada.cookie).status == 422)
            #expect(try await web.post("/runs/workout", [:], cookie: ada.cookie).status == 303)
            let open = try #require(try web.hub.runsStore.workouts.openWorkout(of: person))
            #expect(!open.isShared)
            let friends = "/runs/workout/friends/\(person)"
            for member in [bob, eve] {
                #expect(try await web.send(.GET, friends, cookie: member.cookie).status == 404)
                #expect(try await web.send(.GET, friends + "/events", cookie: member.cookie).status == 404)
                #expect(try await web.send(.GET, "/runs/workout/\(open.id)", cookie: member.cookie).status == 404)
                #expect(try await web.send(.GET, "/runs/workout?person=\(person)", cookie: member.cookie).status == 403)
            }
            try await Task.sleep(for: .milliseconds(1100))
            let own = try await read(
                web, "/runs/workout/events", cookie: ada.cookie,
                steps: [
                    (
                        "event: workout",
                        { () async throws in
                            // Some seconds of the next minute: a phone that is ahead by less than a minute.
                            for second in 1...30 {
                                let time = open.began + Milliseconds(second) * 1000, latitude = 45.4 + Double(second) * 4 / 111_170
                                let query = "id=\(secret)&timestamp=\(time / 1000)&lat=\(latitude)&lon=9.0&accuracy=3"
                                #expect(try await web.send(.POST, "/osmand?\(query)").status == 200)
                            }
                        }
                    ),
                    ("\"metres\":116", {}),
                    (
                        "\"isStanding\":false",
                        {
                            let page = try await web.send(.GET, "/runs/workout", cookie: ada.cookie)
                            #expect(page.body.contains("id=\"workoutMetres\">116 m<") && page.body.contains("id=\"workoutRate\">–<"))
                            #expect(!page.body.contains("Lap 2, since") && page.body.contains("action=\"/runs/workout/lap\""))
                            #expect(try await web.post("/runs/workout/lap", [:], cookie: ada.cookie).status == 303)
                            #expect(try await web.send(.GET, "/runs/workout", cookie: ada.cookie).body.contains("Lap 2, since"))
                            #expect(try await web.post("/runs/workout/share", ["share": "1"], cookie: ada.cookie).status == 303)
                            #expect(try await web.send(.GET, "/runs/workout", cookie: bob.cookie).body.contains(friends))
                            #expect(try await web.send(.GET, "/runs/workout", cookie: eve.cookie).body.contains(friends) == false)
                            #expect(try await web.send(.GET, friends, cookie: eve.cookie).status == 404)
                            let shown = try await web.send(.GET, friends, cookie: bob.cookie)
                            #expect(shown.status == 200 && shown.body.contains("id=\"workoutMetres\">116 m<"))
                            let stream = try await read(
                                web, friends + "/events", cookie: bob.cookie,
                                steps: [
                                    (
                                        "\"metres\":116",
                                        { () async throws in
                                            #expect(
                                                try await web.post("/runs/workout/share", ["share": "0"], cookie: ada.cookie).status == 303)
                                        }
                                    )
                                ])
                            #expect(stream.hasSuffix("event: end\ndata: {}\n\n"))
                            #expect(try await web.send(.GET, friends, cookie: bob.cookie).status == 404)
                            #expect(try await web.post("/runs/workout/stop", [:], cookie: ada.cookie).status == 303)
                        }
                    ),
                ])
            #expect(own.hasSuffix("event: end\ndata: {}\n\n"))
            for _ in 0..<100 {
                if try web.hub.runsStore.workouts.workout(open.id, of: person)?.content.summary != nil { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            let done = try await web.send(.GET, "/runs/workout/\(open.id)", cookie: ada.cookie)
            #expect(done.status == 200 && done.body.contains("/delete"))
            let reads = try web.hub.accounts.ledger.ledger(of: person).entries.filter { $0.what == .readByFriend(bob.account.id) }
            #expect(!reads.isEmpty)
            #expect(try await web.post("/runs/workout/\(open.id)/delete", [:], cookie: bob.cookie).status == 404)
            #expect(try await web.post("/runs/workout/\(open.id)/delete", [:], cookie: ada.cookie).status == 303)
            #expect(try await web.send(.GET, "/runs/workout/\(open.id)", cookie: ada.cookie).status == 404)
        }
    }

    @Test("RUN-12: notice of runs nearby is off, is turned on with a place, comes with the next run there, and is off with one tap")
    func nearby() async throws {
        try await RunsScene.run { scene in
            let off = try await scene.get("/runs/nearby", scene.ada.cookie)
            #expect(off.status == 200 && !off.body.contains("/runs/nearby/end"))
            for fields in [
                [:], ["homePlace": "45.41, 9.0"], ["homePlace": "here", "radius": "5000"], ["homePlace": "45.41, 9.0", "radius": "1"],
            ] {
                #expect(try await scene.post("/runs/nearby", fields, scene.ada.cookie).status == 422)
            }
            #expect(try await scene.post("/runs/nearby", ["homePlace": "45.41, 9.0", "radius": "10000"], scene.ada.cookie).status == 303)
            let on = try await scene.get("/runs/nearby", scene.ada.cookie)
            #expect(on.body.contains("/runs/nearby/end") && on.body.contains("45.41000, 9.00000"))
            // A change of the radius alone keeps the place.
            #expect(try await scene.post("/runs/nearby", ["radius": "25000"], scene.ada.cookie).status == 303)
            let person = scene.ada.account.id.person
            #expect(
                try scene.web.hub.runsStore.nearby.nearby(of: person)?.place == CoursePoint(latitude: 454_100_000, longitude: 90_000_000))
            let code = try await scene.published("Hill <run>"), accounts = scene.web.hub.accounts
            try await scene.until { try accounts.notices.notices(of: scene.ada.account).contains { $0.kind == .runNearby } }
            let notices = try await scene.get("/notices", scene.ada.cookie)
            #expect(notices.body.contains("Hill &lt;run&gt;, Bergamo") && notices.body.contains("name=\"run.nearby.mail\""))
            let notice = try #require(try accounts.notices.notices(of: scene.ada.account).first { $0.kind == .runNearby })
            #expect(try await scene.get("/notices/\(notice.row)", scene.ada.cookie).header("location") == "/runs/\(code)")
            #expect(try await scene.post("/runs/nearby/end", [:], scene.ada.cookie).status == 303)
            #expect(try await scene.get("/runs/nearby", scene.ada.cookie).body.contains("/runs/nearby/end") == false)
        }
    }
}

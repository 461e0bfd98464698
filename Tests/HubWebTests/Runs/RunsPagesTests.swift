import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import Runs
import Testing
import Vitals

@testable import HubWeb

/// Finding, enrolling, checking in: the runner's pages.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RunsPagesTests {
    @Test(
        "RUN-3, RUN-12: without an account a run is listed, found by code, name and place, nearby, and its calendar file is had; nothing found is said"
    )
    func finding() async throws {
        try await RunsScene.run { scene in
            #expect(try await scene.get("/runs").body.contains("No public run is planned"))
            let code = try await scene.published(), hidden = try await scene.published("Hidden hill", changing: ["runPublic": "0"])
            let list = try await scene.get("/runs").body
            #expect(list.contains("/runs/\(code)") && list.contains("Città alta") && !list.contains("Hidden hill"))
            for query in [code.lowercased(), "citta%20ALTA", "bergamo"] {
                let found = try await scene.get("/runs?q=\(query)").body
                #expect(found.contains("1 run found") && found.contains("/runs/\(code)"), "\(query)")
            }
            for query in ["nowhere", hidden, "hidden"] {
                let none = try await scene.get("/runs?q=\(query)").body
                #expect(none.contains("Nothing found.") && none.contains("0 runs found"), "\(query)")
            }
            #expect(try await scene.get("/runs?lat=45.4&lon=9.0&km=5").body.contains("/runs/\(code)"))
            #expect(try await scene.get("/runs?lat=10&lon=9.0").body.contains("Nothing found near there"))
            let page = try await scene.get("/runs/\(code)")
            #expect(page.body.contains("0 of 100") && page.body.contains("3.4") && page.body.contains("<polyline points="))
            #expect(page.body.contains("Log in") && !page.body.contains("/runs/\(code)/edit"))
            for gone in [hidden, "ZZZZZZ"] { #expect(try await scene.get("/runs/\(gone)").status == 404) }
            let calendar = try await scene.get("/runs/\(code)/calendar.ics")
            #expect(calendar.body.hasPrefix("BEGIN:VCALENDAR") && calendar.header("content-type")?.hasPrefix("text/calendar") == true)
            let italian = try await scene.web.send(.GET, "/runs?q=x", headers: [("accept-language", "it")])
            #expect(italian.body.contains("Nessun risultato"))
        }
    }

    @Test("CONS-8, RUN-4: Track4Run is added by enrolling or on its page, says what it does, and removed it takes the runner off the lists")
    func service() async throws {
        try await RunsScene.run { scene in
            let code = try await scene.published(), cookie = scene.ada.cookie, path = "/services/\(BuiltInService.track4Run.id)"
            let before = try await scene.get(path, cookie).body
            #expect(before.contains(path + "/add") && !before.contains("You are on the list") && !before.contains("does not do this yet"))
            #expect(try await scene.post("/runs/\(code)/enrol", [:], cookie).status == 303)
            let added = try await scene.get(path, cookie).body
            #expect(added.contains("You have added") && added.contains("You are on the list of one run."))
            #expect(try await scene.get("/followers", cookie).body.contains("Track4Run"))
            #expect(try await scene.post(path + "/remove", [:], cookie).status == 303)
            let removed = try await scene.get(path, cookie).body
            #expect(removed.contains(path + "/add") && !removed.contains("You are on the list"))
            #expect(try await scene.get("/runs/\(code)", cookie).body.contains("/runs/\(code)/enrol"))
        }
    }

    @Test("RUN-4, RUN-15, RUN-18: a runner enrols with choices, changes them, sees My Run, and withdraws")
    func enrolling() async throws {
        try await RunsScene.run { scene in
            let code = try await scene.published(), cookie = scene.ada.cookie, person = scene.ada.account.id.person
            #expect(try await scene.get("/runs/\(code)", cookie).body.contains("/runs/\(code)/enrol"))
            let form = try await scene.get("/runs/\(code)/enrol", cookie).body
            #expect(form.contains("publicName") && form.contains("homeRadius") && form.contains("publish_heartRate"))
            for (name, text) in [("ada@example.org", "Not an e-mail address"), (String(repeating: "x", count: 41), "At most 40")] {
                let refused = try await scene.post("/runs/\(code)/enrol", ["publicName": name], cookie)
                #expect(refused.status == 422 && refused.body.contains(text) && refused.body.contains("publicName-error"))
            }
            let noHome = try await scene.post("/runs/\(code)/enrol", ["homeRadius": "500"], cookie)
            #expect(noHome.status == 422 && noHome.body.contains("homePlace-error"))
            let chosen = [
                "publicName": "Ada", "delay": "120000", "homeRadius": "500", "homePlace": "45.401, 9.001", "publish_time": "1",
            ]
            let done = try await scene.post("/runs/\(code)/enrol", chosen, cookie)
            #expect(done.status == 303 && done.header("location") == "/runs/\(code)/mine")
            let run = try scene.stored(code),
                enrolment = try #require(try scene.web.hub.runsStore.enrolments.enrolment(of: person, in: run.id))
            #expect(enrolment.choices.publicName == "Ada" && enrolment.choices.delay == 120_000 && enrolment.choices.published == [.time])
            let home = try #require(enrolment.choices.home)
            #expect(home.radius == 500 && home.holds(CoursePoint(latitude: 454_010_000, longitude: 90_010_000)))
            let mine = try await scene.get("/runs/\(code)/mine", cookie).body
            #expect(mine.contains("bib number 1") && mine.contains("2 minutes later") && mine.contains("hidden within 500 m"))
            // The zone stays where nothing else is typed, and goes where none is wanted.
            #expect(try await scene.post("/runs/\(code)/enrol", ["homeRadius": "500", "publish_track": "1"], cookie).status == 303)
            #expect(try scene.web.hub.runsStore.enrolments.enrolment(of: person, in: run.id)?.choices.home == home)
            #expect(try await scene.post("/runs/\(code)/enrol", ["publicName": "A"], cookie).status == 303)
            let last = try #require(try scene.web.hub.runsStore.enrolments.enrolment(of: person, in: run.id)).choices
            #expect(last.home == nil && last.published.isEmpty && last.publicName == "A")
            #expect(try await scene.get("/runs/mine", cookie).body.contains("/runs/\(code)/mine"))
            let bob = try scene.member(.person, "bob")
            #expect(try await scene.get("/runs/\(code)/mine", bob.cookie).status == 404)
            #expect(try await scene.post("/runs/\(code)/withdraw", [:], cookie).status == 303)
            #expect(try await scene.get("/runs/\(code)", cookie).body.contains("/runs/\(code)/enrol"))
        }
    }

    @Test(
        "RUN-4: each refusal is said in words: full, closed, another run at the same time, not invited, too young, started, over, called off"
    )
    func refusals() async throws {
        try await RunsScene.run { scene in
            let cookie = scene.ada.cookie
            func refused(_ code: String, _ text: String, _ line: Int = #line) async throws {
                let answer = try await scene.post("/runs/\(code)/enrol", [:], cookie)
                #expect(answer.status == 409 && answer.body.contains(text), "\(line): \(answer.status)")
            }
            let full = try await scene.published("Full", changing: ["runMost": "1"])
            #expect(try await scene.post("/runs/\(full)/enrol", [:], scene.member(.person, "bob").cookie).status == 303)
            try await refused(full, "It is full")
            #expect(try await scene.get("/runs/\(full)", cookie).body.contains("It is full"))
            let young = try await scene.published("Old", changing: ["runYoungest": "120"])
            try await refused(young, "120 years old")
            let first = try await scene.published("First"), second = try await scene.published("Second")
            #expect(try await scene.post("/runs/\(first)/enrol", [:], cookie).status == 303)
            let overlapping = try await scene.post("/runs/\(second)/enrol", [:], cookie)
            #expect(overlapping.status == 409 && overlapping.body.contains(first) && overlapping.body.contains("href=\"/runs/\(first)\""))
            #expect(try await scene.post("/runs/\(first)/withdraw", [:], cookie).status == 303)
            #expect(try await scene.post("/runs/\(first)/state/cancel", ["reason": "Snow"], scene.organiser.cookie).status == 303)
            try await refused(first, "called off")
            let run = try scene.stored(second)
            scene.clock.set(to: run.plan.closes + 1000)
            try await refused(second, "Enrolment closed on")
            scene.clock.set(to: run.plan.starts + 1000)
            try await refused(second, "It has started")
            scene.clock.set(to: run.plan.ends + 1000)
            try await refused(second, "It is over")
        }
    }

    @Test("RUN-11: a form that does not say whether the run is public makes one by invitation")
    func notSaid() async throws {
        try await RunsScene.run { scene in
            var fields = scene.fields("Hidden hill")
            fields["runPublic"] = nil
            let gpx = ("course.gpx", Array(RunFiles.gpx(RunFiles.points()).utf8))
            let made = try await scene.upload("/runs/new", fields, files: ["courseFile": gpx], scene.organiser.cookie)
            let code = try #require(made.header("location")?.split(separator: "/").dropFirst().first.map(String.init))
            #expect(try !scene.stored(code).plan.isPublic)
        }
    }

    @Test("RUN-11: an invitation lets one in behind a button; the link of a mail goes to who follows it, and works once")
    func invitations() async throws {
        try await RunsScene.run { scene in
            let code = try await scene.published("Hidden hill", changing: ["runPublic": "0"]), club = scene.organiser.cookie
            #expect(try await scene.get("/runs/\(code)", scene.ada.cookie).status == 404)
            #expect(try await scene.post("/runs/\(code)/invitations", ["email": "nobody"], club).status == 422)
            #expect(try await scene.post("/runs/\(code)/invitations", ["email": "eve@example.org"], club).status == 303)
            let page = try await scene.post("/runs/\(code)/invitations/link", ["uses": "1"], club).body
            #expect(page.contains("eve@example.org") && page.contains("By link"))
            let link = try #require(page.firstMatch(of: /\/runs\/invitation\/[\w-]+/)).output
            let offer = try await scene.get(String(link), scene.ada.cookie)
            #expect(offer.status == 200 && offer.body.contains("Hidden hill"))
            #expect(try await scene.get("/runs/\(code)", scene.ada.cookie).status == 404, "looking lets nobody in")
            #expect(try await scene.get(String(link)).body.contains("open this link again"))
            #expect(try await scene.post(String(link)).status == 303, "to log in")
            let taken = try await scene.post(String(link), [:], scene.ada.cookie)
            #expect(taken.header("location") == "/runs/\(code)/enrol")
            #expect(try await scene.post("/runs/\(code)/enrol", [:], scene.ada.cookie).status == 303)
            #expect(try await scene.get(String(link), scene.member(.person, "bob").cookie).status == 410)
            let invitations = scene.web.hub.runs.invitations
            let number = try #require(try invitations.invitations(to: scene.stored(code).id, by: scene.organiser.account).first)
                .number
            #expect(try await scene.post("/runs/\(code)/invitations/\(number)/revoke", [:], club).status == 303)
            #expect(try await !scene.get("/runs/\(code)/people", club).body.contains("eve@example.org"))
        }
    }

    @Test("RUN-12, RUN-19: a calendar's address is shown once and can be ended; friends are made by a link and a yes, and ended by either")
    func feedAndFriends() async throws {
        try await RunsScene.run { scene in
            let code = try await scene.published(), bob = try scene.member(.person, "bob")
            #expect(try await scene.post("/runs/\(code)/enrol", [:], scene.ada.cookie).status == 303)
            let made = try await scene.post("/runs/feed", [:], scene.ada.cookie).body
            let feed = String(try #require(made.firstMatch(of: /\/runs\/calendar\/[\w-]+\.ics/)).output)
            #expect(try await scene.get(feed).body.contains("SUMMARY:Città alta"))
            #expect(try await scene.post("/runs/feed/end", [:], scene.ada.cookie).status == 303)
            #expect(try await scene.get(feed).status == 404)
            let page = try await scene.post("/runs/friends/link", [:], scene.ada.cookie).body
            let link = String(try #require(page.firstMatch(of: /\/runs\/friend\/[\w-]+/)).output)
            #expect(try await scene.post(link, [:], scene.ada.cookie).status == 409, "one's own")
            #expect(try await scene.get(link, bob.cookie).status == 200)
            #expect(try await scene.post(link, [:], bob.cookie).status == 303)
            #expect(try scene.web.hub.runsStore.friends.friends(of: bob.account.id.person) == [scene.ada.account.id.person])
            #expect(try await scene.post("/runs/friends/\(scene.ada.account.id.person)/end", [:], bob.cookie).status == 303)
            #expect(try scene.web.hub.runsStore.friends.friends(of: scene.ada.account.id.person).isEmpty)
        }
    }

    @Test(
        "RUN-5, CONS-2: on the day two consents are asked apart from each other, the box tells that they wait, and one tap answers; notices lead to the run"
    )
    func checkIn() async throws {
        try await RunsScene.run { scene in
            let code = try await scene.published(), bob = try scene.member(.person, "bob"), run = try scene.stored(code)
            for cookie in [scene.ada.cookie, bob.cookie] { #expect(try await scene.post("/runs/\(code)/enrol", [:], cookie).status == 303) }
            let early = try await scene.get("/runs/\(code)/check-in", scene.ada.cookie).body
            #expect(early.contains("Check-in opens on") && !early.contains("organiserConsent"))
            let accounts = scene.web.hub.accounts, people = [scene.ada.account.id.person, bob.account.id.person]
            #expect(try accounts.notices.questionsForBox(of: people) == 0)
            scene.clock.set(to: run.checkInOpens + 1000)
            // What each answer to a box carries.
            try await scene.until { try accounts.notices.questionsForBox(of: people) == 4 }
            // One tap on the question is a check-in.
            let questions = try await scene.get("/followers", bob.cookie).body
            #expect(questions.contains(code) && questions.contains("until it ends"))
            let asked = try #require(
                try scene.web.hub.consents.followers(of: bob.account.id.person, for: bob.account.id).items.first {
                    $0.consent.request.scope.kinds.contains(.position)
                })
            #expect(try await scene.post("/followers/\(asked.consent.id)/accept", [:], bob.cookie).status == 303)
            let tapped = try await scene.get("/runs/\(code)/check-in", bob.cookie).body
            #expect(tapped.contains("may read your position") && tapped.contains("Nobody but the organiser sees your heart rate"))
            #expect(tapped.contains("No position of yours came in the last 30 minutes"))
            // By the page: the first yes is needed, the second is not.
            let none = try await scene.post("/runs/\(code)/check-in", ["publicHeartRate": "1"], scene.ada.cookie)
            #expect(none.status == 422 && none.body.contains("organiserConsent-error"))
            let both = ["organiserConsent": "1", "publicHeartRate": "1"]
            #expect(try await scene.post("/runs/\(code)/check-in", both, scene.ada.cookie).status == 303)
            #expect(
                try await scene.get("/runs/\(code)/check-in", scene.ada.cookie).body.contains("Everybody who watches sees your heart rate"))
            #expect(try await scene.post("/runs/\(code)/check-in", ["organiserConsent": "1"], scene.ada.cookie).status == 303)
            #expect(try await scene.get("/runs/\(code)/check-in", scene.ada.cookie).body.contains("Nobody but the organiser sees"))
            let list = try await scene.get("/runs/\(code)/people", scene.organiser.cookie).body
            #expect(list.contains("2 of 2 have checked in") && list.contains("lets you read"))
            // Without a position both are taken off the list at the start, and are told; the notice leads to the run.
            scene.clock.set(to: run.plan.starts + 1000)
            try await scene.until { try accounts.notices.notices(of: bob.account).contains { $0.kind == .runTakenOff } }
            let notice = try #require(try accounts.notices.notices(of: bob.account).first { $0.kind == .runTakenOff })
            #expect(try await scene.get("/notices/\(notice.row)", bob.cookie).header("location") == "/runs/\(code)")
            #expect(try await scene.get("/runs/\(code)/mine", bob.cookie).body.contains("no position came before the start"))
            #expect(try await scene.post("/runs/\(code)/check-in", both, bob.cookie).status == 409)
        }
    }
}

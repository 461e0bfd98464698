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

/// Who is where in a run, over a real hub.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct RunLiveWebTests {
    private static var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    /// A straight way of 2 km to the north.
    private static let course = CoursePlan(
        points: (0...20).map { CoursePoint(latitude: 454_000_000 + $0 * 9000, longitude: 90_000_000) }, splitEvery: 500)

    private func published(_ web: WebFixture, by organiser: Member, isPublic: Bool = true) throws -> StoredRun {
        let starts = Self.now + 3_600_000
        let plan = RunPlan(
            name: "Up <north>", purpose: "For the fun of it", place: "Bergamo", timeZone: "Europe/Rome", starts: starts,
            ends: starts + 3_600_000, closes: starts - 1000, most: 100, isPublic: isPublic)
        let draft = try web.hub.runs.organising.create(
            plan, course: Self.course, accepted: OrganiserService.disclaimerVersion, by: organiser.account)
        return try web.hub.runs.organising.publish(draft.id, by: organiser.account)
    }

    private func phone(_ web: WebFixture, _ person: Member) async throws -> String {
        let made = try await web.post("/boxes/devices", ["deviceName": "My phone", "deviceKind": "osmAnd"], cookie: person.cookie)
        return String(try #require(made.body.firstMatch(of: /[A-Z0-9]{4}(-[A-Z0-9]{4}){3}/)).output.0)
    }

    private func send(_ web: WebFixture, _ secret: String, metres: Double, at time: Milliseconds) async throws {
        let latitude = 45.4 + metres / 111_170
        let path = "/osmand?id=\(secret)&timestamp=\(time / 1000)&lat=\(latitude)&lon=9.0&hdop=1&accuracy=3"
        #expect(try await web.send(.POST, path).status == 200)
    }

    /// Reads a stream until it says something, then does something and goes on until it ends.
    private func read(
        _ web: WebFixture, _ path: String, cookie: String? = nil, steps: [(String, () async throws -> Void)], until end: (String) -> Bool
    ) async throws -> String {
        var request = HTTPClientRequest(url: web.url + path)
        if let cookie { request.headers.add(name: "cookie", value: cookie) }
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
            if left.isEmpty, end(text) { break }
        }
        return text
    }

    @Test("RUN-7, RUN-9, CONS-6: a spectator without an account sees who runs within seconds; who takes the consent back is gone")
    func spectator() async throws {
        try await WebFixture.run { web in
            let organiser = try web.member(.organiser, "club@example.org"), other = try web.member(.organiser, "other@example.org")
            let ada = try web.member(.person, "ada@example.org"), eve = try web.member(.person, "eve@example.org")
            let run = try published(web, by: organiser), path = "/runs/\(run.code.lowercased())"
            _ = try await web.hub.runs.enrolments.enrol(
                ada.account.id.person, in: run.id, EnrolmentChoices(publicName: "Ada"), by: ada.account)
            _ = try web.hub.runs.checkIns.checkIn(ada.account.id.person, to: run.id, publicHeartRate: false, by: ada.account)
            let secret = try await phone(web, ada)
            // A device tells full seconds, and what was recorded before the check-in is nobody's.
            try await Task.sleep(for: .milliseconds(1100))
            try await send(web, secret, metres: 0, at: Self.now)
            var gun: Milliseconds = 0
            let text = try await read(
                web, path + "/events",
                steps: [
                    (
                        "\"state\":\"scheduled\"",
                        { gun = try #require(try web.hub.runs.organising.begin(run.id, by: organiser.account).began) }
                    ),
                    (
                        "\"n\":{\"1\":\"Ada\"}",
                        {
                            for second in 1...15 {
                                // In parts: the first shows who runs, the others that they move; one of them may come as a whole row.
                                if second == 8 || second == 12 { try await Task.sleep(for: .milliseconds(2200)) }
                                try await send(web, secret, metres: Double(second) * 4, at: gun + Milliseconds(second) * 1000)
                            }
                        }
                    ),
                    (
                        "\"m\":[1,",
                        {
                            let enrolment = try #require(try web.hub.runsStore.enrolments.enrolment(of: ada.account.id.person, in: run.id))
                            try web.hub.consents.answer(#require(enrolment.checkIn), .revoke, by: ada.account.id)
                        }
                    ),
                ]
            ) { $0.contains("\"x\":[1]") }
            #expect(text.hasPrefix("retry: 2000\n: watching\n\nevent: snapshot\n"))
            // Who has no business there.
            for (cookie, status) in [(other.cookie, 403), (ada.cookie, 403)] as [(String, UInt)] {
                #expect(try await web.send(.GET, path + "/people/events", cookie: cookie).status == status)
            }
            #expect(try await web.send(.GET, path + "/people/events").status == 303)
            #expect(try await web.send(.GET, path + "/mine/events").status == 303)
            #expect(try await web.send(.GET, path + "/mine/events", cookie: eve.cookie).status == 403)
            #expect(try await web.send(.GET, path + "/mine/events?person=\(ada.account.id.person)", cookie: eve.cookie).status == 403)
            let people = try await read(web, path + "/people/events", cookie: organiser.cookie, steps: []) { $0.contains("event: people") }
            #expect(people.contains("\"name\":\"Ada Example\"") && people.contains("\"lat\":null"))
            let mine = try await read(web, path + "/mine/events", cookie: ada.cookie, steps: []) { $0.contains("event: mine") }
            #expect(mine.contains("\"bib\":1"))

            let end = try await read(
                web, path + "/events", steps: [("snapshot", { _ = try web.hub.runs.organising.finish(run.id, by: organiser.account) })]
            ) { _ in false }
            #expect(end.hasSuffix("event: end\ndata: {}\n\n"))
            #expect(try await web.send(.GET, path + "/events").body.hasSuffix("event: end\ndata: {}\n\n"))
            #expect(try await web.send(.GET, path + "/replay.json").body.contains("\"runners\":[]"))
        }
    }

    @Test("RUN-13, ACC-17: a parent who is no person here sees the child's run live, and not another child's")
    func parent() async throws {
        try await WebFixture.run { web in
            let organiser = try web.member(.organiser, "club@example.org"), carer = try web.member(.caregiver, "carer@example.org")
            let stranger = try web.member(.caregiver, "stranger@example.org")
            let child = try web.child(of: carer.account)
            let run = try published(web, by: organiser), path = "/runs/\(run.code.lowercased())/mine/events"
            _ = try await web.hub.runs.enrolments.enrol(
                child.id.person, in: run.id, EnrolmentChoices(publicName: "Kid"), by: carer.account)
            _ = try web.hub.runs.checkIns.checkIn(child.id.person, to: run.id, publicHeartRate: false, by: carer.account)
            let secret = try await phone(web, Member(account: child, cookie: web.session(of: child, strength: .full)))
            // Who has no position since the check-in is not on the list.
            try await Task.sleep(for: .milliseconds(1100))
            try await send(web, secret, metres: 0, at: Self.now)
            _ = try web.hub.runs.organising.begin(run.id, by: organiser.account)
            let theirs = path + "?person=\(child.id.person)"
            let mine = try await read(web, theirs, cookie: carer.cookie, steps: []) { $0.contains("event: mine") }
            #expect(mine.contains("\"bib\":1"))
            #expect(try await web.send(.GET, theirs, cookie: stranger.cookie).status == 403)
            #expect(try await web.send(.GET, path, cookie: carer.cookie).status == 403)
        }
    }

    @Test("RUN-3, ACC-17: a parent whose child is invited gets the stream and the course that the page reads")
    func invitedChild() async throws {
        try await WebFixture.run { web in
            let organiser = try web.member(.organiser, "club@example.org"), carer = try web.member(.caregiver, "carer@example.org")
            let child = try web.child(of: carer.account)
            let run = try published(web, by: organiser, isPublic: false), path = "/runs/\(run.code.lowercased())"
            #expect(try await web.send(.GET, path + "/course.json", cookie: carer.cookie).status == 404)
            let link = try web.hub.runs.invitations.invitationLink(to: run.id, uses: 1, by: organiser.account)
            let secret = String(try #require(link.split(separator: "/").last))
            #expect(try web.hub.runs.invitations.redeem(secret, for: child.id.person, by: carer.account) != nil)
            #expect(try await web.send(.GET, path + "/course.json", cookie: carer.cookie).status == 200)
            let events = try await read(web, path + "/events", cookie: carer.cookie, steps: []) { $0.contains("event: snapshot") }
            #expect(events.contains("\"state\":\"scheduled\""))
        }
    }

    @Test("RUN-3: a run by invitation is there for nobody who is not invited; the course has a tag")
    func invited() async throws {
        try await WebFixture.run { web in
            let organiser = try web.member(.organiser, "club@example.org"), eve = try web.member(.person, "eve@example.org")
            let run = try published(web, by: organiser, isPublic: false)
            for part in ["events", "course.json", "replay.json"] {
                #expect(try await web.send(.GET, "/runs/\(run.code)/\(part)").status == 404)
                #expect(try await web.send(.GET, "/runs/\(run.code)/\(part)", cookie: eve.cookie).status == 404)
            }
            let course = try await web.send(.GET, "/runs/\(run.code)/course.json", cookie: organiser.cookie)
            #expect(course.status == 200 && course.body.contains("\"name\":\"Up \\u003cnorth>\"") && course.body.contains("[500,null]"))
            #expect(course.header("cache-control") == "private, no-cache")
            let tag = try #require(course.header("etag"))
            let again = try await web.send(
                .GET, "/runs/\(run.code)/course.json", cookie: organiser.cookie, headers: [("if-none-match", tag)])
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(try await web.send(.GET, "/runs/\(run.code)/replay.json", cookie: organiser.cookie).status == 404)
            let events = try await read(web, "/runs/\(run.code)/events", cookie: organiser.cookie, steps: []) { $0.contains("snapshot") }
            #expect(events.contains("\"state\":\"scheduled\""))
        }
    }
}

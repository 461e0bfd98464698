import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// The clock of a hub, which somebody sets.
private final class WallClock: Sendable {
    private let offset = Mutex<Milliseconds>(0)
    var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) + offset.withLock(\.self) }

    /// So many milliseconds ahead of the machine's.
    func set(_ ahead: Milliseconds) { offset.withLock { $0 = ahead } }
}

/// What people see of an emergency, on pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SOSPagesTests {
    @Test("SOS-16, SOS-6, SOS-11: help asked for on a page without a box reaches crews as soon as the phone tells where it is")
    func help() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person(), crew = try await cast.crew("Bergamo1")
            #expect(try await cast.place(person) == 409, "nothing is kept of somebody in no need")
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            var page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("data-own-case") && page.contains("There is no position"))
            #expect(!page.contains("data-call-near"), "a contact is told: the page makes no noise")
            #expect(try await cast.alarms(crew).contains("no alarm for you"))
            #expect(try await cast.place(person) == 204)
            let path = try await cast.path(crew)
            #expect(try await web.post(path + "/accept", [:], cookie: crew.cookie).status == 303)
            // Where the person goes, the crew sees.
            page = try await cast.alarms(crew)
            #expect(page.contains("data-lat=\"45.600000\"") && page.contains("Asked for help") && !page.contains("You asked"))
            #expect(try await cast.place(person, latitude: 45.602) == 204)
            page = try await cast.alarms(crew)
            #expect(page.contains("data-lat=\"45.602000\"") && page.contains("geo:45.602000,9.700000") && page.contains("±15 m"), "\(page)")
            #expect(page.contains("data-point=\"ambulance\""))
            #expect(
                try await web.post("/protection/place", ["latitude": "95", "longitude": "9", "time": "1"], cookie: person.cookie).status
                    == 400)
        }
    }

    @Test("SOS-10, SOS-12: who is on the way sees a false alarm at once, also after a restart, and by its stream")
    func falseAlarm() async throws {
        let directory = try TemporaryDirectory()
        var cookie = ""
        try await WebFixture.run(in: directory) { web in
            let cast = try await SOSCast(web), person = try await cast.person(), crew = try await cast.crew("Bergamo1")
            cookie = crew.cookie
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            #expect(try await cast.place(person) == 204)
            let path = try await cast.path(crew)
            #expect(try await web.post(path + "/accept", [:], cookie: crew.cookie).status == 303)
            #expect(try await web.post("/protection/press/falseAlarm", [:], cookie: person.cookie).status == 303)
            // Also once everybody was told, and the case has left the memory of what is open.
            for _ in 0..<20 {
                let page = try await cast.alarms(crew)
                #expect(page.contains("FALSE ALARM: nobody needs you") && page.contains("data-over") && !page.contains("Ada Example"))
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await web.post(path + "/there", [:], cookie: crew.cookie).status == 409)
        }
        try await WebFixture.run(in: directory) { web async throws in
            #expect(try await web.send(.GET, "/duty/alarms", cookie: cookie).body.contains("FALSE ALARM: nobody needs you"))
        }
    }

    @Test("SOS-11, SOS-12, SOS-13: where the hub's clock is set back a crew has 15 seconds to answer, and nothing is newer than it is")
    func setBack() async throws {
        let clock = WallClock(), now: @Sendable () -> Milliseconds = { clock.now }
        try await WebFixture.run(now: now) { web in
            let cast = try await SOSCast(web), person = try await cast.person(), crew = try await cast.crew("Bergamo1")
            // This hub has no other clock, so that nothing moves on in it: the offer stays open for as long as the test takes.
            clock.set(-3_600_000)
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            #expect(try await cast.place(person) == 204)
            let offer = try await cast.alarms(crew), told = try #require(offer.firstMatch(of: /([0-9]+) seconds to answer/), "\(offer)")
            let left = try #require(Int(told.output.1))
            #expect((1...15).contains(left) && offer.contains("data-ring"))
            let mails = MailCatcher(directory: web.directory.url)
            let link = try mails.link(in: try await mails.mail(to: "bruno@example.org", with: "/sos/"), "/sos/")
            #expect(try await web.post(cast.path(crew) + "/accept", [:], cookie: crew.cookie).status == 303)

            // 40 seconds later, seen once, it is set back again.
            clock.set(40_000)
            _ = try await cast.alarms(crew)
            clock.set(-3_600_000)
            let position = /Position: ([0-9]+) s ago/, place = /known ([0-9]+) s ago/
            for (path, cookie, age) in [
                ("/duty/alarms", crew.cookie, position), ("/protection", person.cookie, position), (link, nil, position),
                ("/duty/alarms", crew.cookie, place), ("/protection", person.cookie, place), (link, nil, place),
                ("/duty", crew.cookie, place),
            ] as [(String, String?, Regex<(Substring, Substring)>)] {
                let page = try await web.send(.GET, path, cookie: cookie).body
                let seconds = try #require(page.firstMatch(of: age).flatMap { Int($0.output.1) }, "\(page)")
                #expect(seconds >= 40, "\(path)")
            }
            #expect(try await cast.move(crew, 45.62) == 204, "a crew whose phone's clock is right")
        }
    }

    @Test("SOS-11: of two crews that accept one gets it, the other is told so")
    func race() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person()
            let crews = [try await cast.crew("Bergamo1"), try await cast.crew("Bergamo2", latitude: 45.62)]
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            #expect(try await cast.place(person) == 204)
            let path = try await cast.path(crews[0])
            #expect(try await cast.path(crews[1]) == path)
            async let first = web.post(path + "/accept", [:], cookie: crews[0].cookie)
            async let second = web.post(path + "/accept", [:], cookie: crews[1].cookie)
            let answers = [try await first, try await second], statuses = answers.map(\.status)
            #expect(statuses.sorted() == [303, 409])
            let loser = try #require(statuses.firstIndex(of: 409))
            #expect(answers[loser].body.contains("Somebody else was first"))
            // The page says so by itself as well, and asks for itself at its own address.
            let page = try await cast.alarms(crews[loser])
            #expect(page.contains("Somebody else was first") && !page.contains("/accept") && page.contains("data-look=\"/duty/alarms\""))
        }
    }

    @Test(
        "SOS-13, SOS-20: person and contact see the ambulance come with the age of its place and an arrival; the end is told, then nothing")
    func coming() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person(), crew = try await cast.crew("Bergamo1")
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            #expect(try await cast.place(person) == 204)
            let mails = MailCatcher(directory: web.directory.url)
            let link = try mails.link(in: try await mails.mail(to: "bruno@example.org", with: "/sos/"), "/sos/")
            #expect(try await web.send(.GET, link).body.contains("data-look=\"\(link)\""))
            let path = try await cast.path(crew)
            #expect(try await web.post(path + "/accept", [:], cookie: crew.cookie).status == 303)
            #expect(try await cast.move(crew, 45.63) == 204)
            for page in [try await web.send(.GET, link).body, try await web.send(.GET, "/protection", cookie: person.cookie).body] {
                #expect(page.contains("data-point=\"ambulance\" data-lat=\"45.630000\""), "\(page)")
                #expect(page.contains("The ambulance is on the way") && page.contains("minutes to go") && page.contains("s ago"))
            }
            #expect(try await web.post(path + "/there", [:], cookie: crew.cookie).status == 303)
            #expect(try await web.post(path + "/done", [:], cookie: crew.cookie).status == 303)
            let over = try await web.send(.GET, link)
            #expect(over.status == 410 && over.body.contains("Over: somebody came") && !over.body.contains("Ada Example"))
            #expect(try await web.send(.GET, link + "/events").status == 410)
            // The mail is there before the hub has heard that it left.
            let history = try await web.until("/protection", cookie: person.cookie) { $0.contains("Bruno, mail: alarm, sent") }
            #expect(history.contains("messages delivered"), "\(history)")
        }
    }

    @Test(
        "SOS-1, SOS-2, SOS-19, SOS-20: the page of protection says what is missing, what holds, who is called in which order, and what a test brought"
    )
    func protection() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            var page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("Nobody could be called") && page.contains("Low: 40 a minute (by age; between 30 and 50)"))
            for name in ["Bruno", "Carla"] {
                let contact = ["contactName": name, "contactEmail": "\(name.lowercased())@example.org"]
                #expect(try await web.post("/protection/contacts", contact, cookie: person.cookie).status == 303)
            }
            #expect(try await web.post("/protection/contacts/1/up", [:], cookie: person.cookie).status == 303)
            page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            let order = try #require(page.range(of: "Carla:")?.lowerBound), second = try #require(page.range(of: "Bruno:")?.lowerBound)
            #expect(order < second && !page.contains("Nobody could be called"))
            #expect(
                try await web.post("/protection/on", ["consent": SOSChoices.consentDocument, "strict": "no"], cookie: person.cookie).status
                    == 303)
            #expect(
                try await web.post("/protection/limits", ["criticalHigh": "140", "asksFirst": "1"], cookie: person.cookie).status == 303)
            #expect(try await web.post("/protection/drill", [:], cookie: person.cookie).status == 303)
            let plan = ["drillWeeks": "4", "drillDay": "3", "drillHour": "10"]
            #expect(try await web.post("/protection/plan", plan, cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, "/protection", cookie: person.cookie).body.contains("The next test:"))
            #expect(try await web.post("/protection/plan", plan.merging(["drillHour": "25"]) { $1 }, cookie: person.cookie).status == 400)
            #expect(try await web.post("/protection/plan", plan.merging(["drillWeeks": "0"]) { $1 }, cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, "/protection", cookie: person.cookie).body.contains("No test is planned."))
            let proof = try await web.until("/protection", cookie: person.cookie) { $0.contains("2 of 2 messages delivered") }
            #expect(proof.contains("Carla, mail: alarm, sent") && proof.contains("High: 140 a minute (chosen; between 111 and 150)"))
        }
    }
}

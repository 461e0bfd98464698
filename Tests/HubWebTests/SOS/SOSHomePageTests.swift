import Accounts
import Distress
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// The page on which somebody shows where they live, and what a crew sees of it.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SOSHomePageTests {
    private func set(_ web: WebFixture, _ member: Member, _ latitude: String, _ longitude: String, base: String = "/protection")
        async throws
        -> (status: UInt, body: String)
    {
        let answer = try await web.post(
            base + "/home", ["homeLatitude": latitude, "homeLongitude": longitude], cookie: member.cookie)
        return (answer.status, answer.body)
    }

    private func live(_ member: Member, _ web: WebFixture, _ residence: String) throws {
        let account = try #require(try web.hub.accounts.account(member.account.id))
        try web.hub.accounts.setDetails(account.details.merging(["residence": residence]) { $1 }, of: account, now: 0)
    }

    @Test("SOS-6, SOS-11: a pin set without a script leads a crew where no position is known, and the page says that it is the home")
    func pin() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person(), crew = try await cast.crew("Bergamo1")
            try live(person, web, "Via Roma 1, Bergamo")
            let before = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(before.contains("Show us on a map where that is") && before.contains("href=\"/protection/home\""))
            #expect(try await set(web, person, "45.600000, 9.700000", "").status == 303)
            let page = try await web.send(.GET, "/protection/home", cookie: person.cookie).body
            #expect(page.contains("value=\"45.600000\"") && page.contains("value=\"9.700000\"") && page.contains("Address: Via Roma 1"))
            #expect(try await web.send(.GET, "/protection", cookie: person.cookie).body.contains("The place is set since"))
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            let offer = try await cast.alarms(crew)
            #expect(offer.contains("km away as the crow flies, to where the person lives: there is no position"), "\(offer)")
            #expect(!offer.contains("45.600000"), "no place before it is accepted")
            #expect(try await web.post(try await cast.path(crew) + "/accept", [:], cookie: crew.cookie).status == 303)
            let mine = try await cast.alarms(crew)
            #expect(mine.contains("data-point=\"home\" data-lat=\"45.600000\"") && mine.contains("geo:45.600000,9.700000"), "\(mine)")
            #expect(mine.contains("not where they are. Call them first") && mine.contains("Home of Ada"))
            // The phone tells after all.
            #expect(try await cast.place(person, latitude: 45.602) == 204)
            let found = try await cast.alarms(crew)
            #expect(found.contains("data-point=\"person\" data-lat=\"45.602000\"") && !found.contains("data-point=\"home\""))
        }
    }

    @Test("SOS-6: a crew sees which kind of place it is, and how old")
    func kinds() async throws {
        let texts = try #require(Texts.all.first { $0.lang == "en" }), time: Milliseconds = 1_800_000_000_000
        func text(_ ago: Milliseconds, _ source: PositionSource = .gnss, isAgeUnknown: Bool? = nil) throws -> String {
            var position = LastPosition(
                PositionSample(time: time - ago, latitude: 456_000_000, longitude: 97_000_000, horizontalError: 120, source: source))
            position.isAgeUnknown = isAgeUnknown
            let alarm = Alarm(
                id: IncidentID(high: 1, low: 1), person: .random(), provenance: .live, raisedAt: time, abnormalities: [], position: position
            )
            return try #require(PlacesMap.Point(SOSCase(alarm, isTest: false, opened: time), "Ada", texts, time)).text
        }
        #expect(try text(20_000) == "Position: 20 s ago, ±12 m")
        #expect(try text(40 * 86_400_000) == "Last known position, 40 d ago, ±12 m. They may be elsewhere by now.")
        #expect(try text(180_000, isAgeUnknown: true) == "Last known position, ±12 m. Nobody knows how old it is: at least 3 min.")
        #expect(try text(3_000_000, .fixed) == "Where their box stands, as it was set, ±12 m")
    }

    @Test(
        "SOS-6: what is no place is refused in words and keeps what was typed; after a move the page warns; relatives may set it, others not"
    )
    func rights() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person()
            for (latitude, longitude) in [("north", "9"), ("95", "9"), ("", ""), ("45", "200"), ("0", "0"), ("45,6,7", "")] {
                let refused = try await set(web, person, latitude, longitude)
                #expect(refused.status == 409 && refused.body.contains("This is no place on a map"), "\(latitude) \(longitude)")
                #expect(refused.body.contains("value=\"\(latitude)\""))
            }
            #expect(try await set(web, person, "45,6", "9,7").status == 303, "as Italians write numbers")
            #expect(try await web.send(.GET, "/protection/home", cookie: person.cookie).body.contains("value=\"45.600000\""))
            try live(person, web, "Via Verdi 2, Bergamo")
            try await eventuallyShown(web, person, "Your address has changed")
            let relative = try web.member(.person, "rosa@example.org"), base = "/care/person/\(person.account.id.person)/protection"
            #expect(try await set(web, relative, "45.7", "9.7", base: base).status == 403)
            #expect(try await web.post(base + "/home/remove", [:], cookie: relative.cookie).status == 403)
            let parent = try web.member(.caregiver, "parent@example.org")
            try web.hub.accounts.consents.setGuardians([parent.account.id], of: person.account.id.person, adultFrom: .max / 2)
            #expect(try await web.send(.GET, base + "/home", cookie: parent.cookie).body.contains("The address of Ada"))
            #expect(try await set(web, parent, "45.7", "9.7", base: base).status == 303)
            #expect(try await web.send(.GET, base, cookie: parent.cookie).body.contains("The place is set since"))
            #expect(try await web.post("/protection/home/remove", [:], cookie: person.cookie).status == 303)
            let page = try await web.send(.GET, "/protection/home", cookie: person.cookie).body
            #expect(page.contains("value=\"\"") && !page.contains("/home/remove"))
            let past = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(past.contains("where the person lives was removed from the map"), "\(past)")
        }
    }

    private func eventuallyShown(_ web: WebFixture, _ member: Member, _ text: String) async throws {
        while try await !web.send(.GET, "/protection", cookie: member.cookie).body.contains(text) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

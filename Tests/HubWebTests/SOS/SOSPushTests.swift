import Accounts
import AsyncHTTPClient
import Foundation
import HubStore
import NIOCore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb
@testable import WebPush

/// An offer on a phone whose page is closed: from the alarm to the push service, which is a real one of the test's own.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SOSPushTests {
    /// A crew on duty whose browser takes notices at a path of its own.
    private func crew(
        _ cast: SOSCast, _ name: String, latitude: Double = 45.61, _ service: HookServer
    ) async throws -> (member: Member, browser: TestBrowser) {
        let crew = try await cast.crew(name, latitude: latitude)
        var browser = TestBrowser()
        browser.endpoint = "https://127.0.0.1:\(service.port)/send/\(name)"
        let fields = ["subscription": String(decoding: browser.json(), as: UTF8.self)]
        #expect(try await cast.web.post("/notices/devices", fields, cookie: crew.cookie).status == 201)
        return (crew, browser)
    }

    private func help(_ cast: SOSCast, _ name: String = "ada") async throws -> Member {
        let person = try await cast.person(name)
        #expect(try await cast.web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
        #expect(try await cast.place(person) == 204)
        return person
    }

    private func until(_ limit: Duration = .seconds(20), _ isDone: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end, try await !isDone() { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try await isDone())
    }

    @Test("SOS-11, SOS-12: an offer reaches a phone whose page is closed, readable for it alone, names nobody, and leads to the page")
    func closed() async throws {
        let service = try await HookServer()
        service.answer(.status(201))
        try await WebFixture.run(outside: service.trust) { web in
            let cast = try await SOSCast(web), (crew, browser) = try await crew(cast, "Bergamo1", service)
            let start = ContinuousClock.now, person = try await help(cast)
            try await until { service.got.count == 1 }
            #expect(ContinuousClock.now - start < .seconds(10))
            let got = try #require(service.got.first), text = String(decoding: try browser.read(got.body), as: UTF8.self)
            #expect(got.header("urgency") == "high")
            let letter = try JSONDecoder().decode(PushSender.Letter.self, from: Data(text.utf8))
            #expect(letter.title == "An emergency is offered to my ambulance" && letter.isUrgent == true)
            // It stands on a locked screen, and passes a stranger's service.
            let id = person.account.id
            for secret in ["Ada", "Example", "ada@", "\(id)", "45.6", "9.7", "km", "heart", "help", "Bruno"] {
                #expect(!text.contains(secret), "\(secret) in \(text)")
            }
            #expect(throws: (any Error).self) { try TestBrowser().read(got.body) }
            let opened = try await web.send(.GET, letter.url, cookie: crew.cookie)
            #expect(opened.header("location") == "/duty/alarms")
            let page = try await cast.alarms(crew)
            #expect(page.contains("/accept") && !page.contains("do not get through") && !page.contains("no alarm reaches you"))
        }
        try await service.close()
    }

    @Test("SOS-12: an open page hears of the offer by its stream; who looks at it is not notified, a line in a pocket is")
    func open() async throws {
        let service = try await HookServer()
        service.answer(.status(201))
        try await WebFixture.run(outside: service.trust) { web in
            let cast = try await SOSCast(web)
            let (looking, _) = try await crew(cast, "Looks", service),
                (pocket, _) = try await crew(cast, "Pocket", latitude: 45.62, service)
            var lines: [HTTPClientResponse.Body.AsyncIterator] = []
            for member in [looking, pocket] {
                var request = HTTPClientRequest(url: web.url + "/duty/alarms/events")
                request.headers.add(name: "cookie", value: member.cookie)
                lines.append(try await web.client.execute(request, timeout: .seconds(60)).body.makeAsyncIterator())
            }
            func heard(_ index: Int) async throws {
                while let part = try await lines[index].next() { if String(buffer: part).contains("event: changed") { return } }
            }
            for index in lines.indices { try await heard(index) }
            _ = try await help(cast)
            // A page has two seconds before its phone is notified.
            try await heard(0)
            #expect(try await cast.alarms(looking).contains("data-ring"))
            try await heard(1)
            try await until { service.got(at: "/send/Pocket").count == 1 }
            try await Task.sleep(for: .seconds(1))
            #expect(service.got(at: "/send/Looks").isEmpty && service.got.count == 1)
        }
        try await service.close()
    }

    @Test(
        "SOS-11: where push services answer 410 or nothing the offer goes wider after 15 s, the pages say so, and other offers are not held up"
    )
    func broken() async throws {
        let service = try await HookServer()
        service.answer(.status(410), at: "/send/Gone")
        service.answer(.silence, at: "/send/Silent")
        try await WebFixture.run(outside: service.trust) { web in
            let cast = try await SOSCast(web)
            let (gone, _) = try await crew(cast, "Gone", latitude: 45.605, service)
            let (silent, _) = try await crew(cast, "Silent", latitude: 45.606, service)
            let (_, _) = try await crew(cast, "Third", latitude: 45.607, service)
            let (wider, _) = try await crew(cast, "Wider", latitude: 45.7, service)
            _ = try await crew(cast, "Widest", latitude: 45.8, service)
            let start = ContinuousClock.now, person = try await help(cast), id = person.account.id.person
            let offered = try #require(web.hub.sos.openCase(of: id)).offers.map(\.account)
            #expect(offered.count == 3 && !offered.contains(wider.account.id))
            try await until { service.got(at: "/send/Gone").count == 1 && service.got(at: "/send/Silent").count == 1 }
            // Another alarm, while the silent one is still waited for.
            let second = ContinuousClock.now
            _ = try await help(cast, "eve")
            try await until { service.got(at: "/send/Wider").count == 1 }
            #expect(ContinuousClock.now - second < .seconds(9), "one silent push service holds no other offer up")
            #expect(try await web.post(cast.path(wider) + "/reject", [:], cookie: wider.cookie).status == 303)
            // Closed for good: the page itself says that nothing arrives.
            try await until { try await cast.alarms(gone).contains("no alarm reaches you") }
            try await until { try await cast.alarms(silent).contains("do not get through to") }
            try await until(.seconds(30)) {
                web.hub.sos.openCase(of: id)?.offers.contains { $0.account == wider.account.id } == true
            }
            #expect(ContinuousClock.now - start < .seconds(25) && ContinuousClock.now - start > .seconds(14))
            try await until { service.got(at: "/send/Wider").count == 2 }
        }
        try await service.close()
    }
}

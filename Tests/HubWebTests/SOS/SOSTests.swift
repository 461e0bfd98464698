import Accounts
import AsyncHTTPClient
import Distress
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// AutomatedSOS over HTTP, from a box to a crew, as a real hub has it.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SOSWebTests {
    private func first(_ page: String, _ pattern: Regex<(Substring, Substring)>) throws -> String {
        String(try #require(page.firstMatch(of: pattern), "\(page)").output.1)
    }

    private func report(_ person: PersonID, _ revision: UInt64, isHelp: Bool) throws -> [UInt8] {
        var report = SOSReport(
            person: person, boot: BootID(high: 1, low: 2), revision: revision, sentAt: 3000, provenance: .live, unprotected: [])
        if isHelp {
            var watch = DistressWatch(person: person, provenance: .live, side: .box, settings: DistressSettings(), at: 0)
            _ = watch.handle(.position(PositionSample(time: 1000, latitude: 456_000_000, longitude: 97_000_000)), at: 1000)
            let key = SampleKey(stream: StreamID(high: 3, low: 4), sequence: 1, kind: .event, index: 0)
            for effect in watch.handle(.state(StateEvent(time: 2000, code: .help), key), at: 2000) {
                if case .report(let alarm) = effect { report.alarm = alarm }
            }
        }
        return Array(try JSONEncoder().encode(report))
    }

    private func send(_ web: WebFixture, _ token: String, _ body: [UInt8]) async throws -> SOSAnswer {
        let answer = try await web.send(.POST, SyncRoute.sos, headers: [("authorization", "Bearer \(token)")], body: body)
        #expect(answer.status == 200, "\(answer.body)")
        return try JSONDecoder().decode(SOSAnswer.self, from: Data(answer.body.utf8))
    }

    /// A crew on duty near by.
    private func crew(_ web: WebFixture) async throws -> Member {
        let hospital = try web.member(.organisation, "hospital@example.org"), chief = try web.member(.operator, "chief@example.org")
        let crew = try web.member(.responder, "crew@example.org")
        #expect(try await web.post("/operator/hospitals/\(hospital.account.id)/admit", [:], cookie: chief.cookie).status == 303)
        let fields = ["ambulanceName": "Bergamo 1", "plate": "ZA 123 BC"]
        #expect(try await web.post("/hospital/ambulances", fields, cookie: hospital.cookie).status == 303)
        let page = try await web.send(.GET, "/hospital", cookie: hospital.cookie).body
        let path = try first(page, /action="(\/hospital\/ambulances\/[0-9]+\/code)"/)
        let code = try first(try await web.post(path, [:], cookie: hospital.cookie).body, /<code class="command">([A-Z0-9-]{9})</)
        #expect(try await web.post("/crew", ["crewCode": code], cookie: crew.cookie).status == 303)
        #expect(try await web.post("/duty/on", [:], cookie: crew.cookie).status == 303)
        let time = Int(Date().timeIntervalSince1970 * 1000)
        let place = ["latitude": "45.61", "longitude": "9.7", "accuracy": "12", "time": "\(time)"]
        #expect(try await web.post("/duty/place", place, cookie: crew.cookie).status == 204)
        return crew
    }

    @Test("SOS-16, EDGE-13: crew and contact of a case of two see both names, and neither an age nor a telephone as theirs")
    func joint() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person(), other = try await cast.person("bruna")
            let crew = try await cast.crew("Bergamo1"), ids = [person, other].map(\.account.id.person)
            for (member, name, phone) in [(person, "Ada", "+390351"), (other, "Bruna", "+390352")] {
                let account = try #require(try web.hub.accounts.account(member.account.id))
                try web.hub.accounts.setDetails(account.details.merging(["firstName": name, "phone": phone]) { $1 }, of: account, now: 0)
            }
            var report = try JSONDecoder().decode(SOSReport.self, from: Data(self.report(ids[0], 1, isHelp: true)))
            report.others = [ids[1]]
            _ = try await send(web, try await Cast.agentToken(web, ids), Array(JSONEncoder().encode(report)))
            #expect(try await web.post(try await cast.path(crew) + "/accept", [:], cookie: crew.cookie).status == 303)
            let item = try #require(web.hub.sos.openCase(of: ids[1])), link = try #require(item.links.first)
            let contact = try await web.send(.GET, "/sos/\(link)").body, alarm = try await cast.alarms(crew)
            for page in [contact, alarm] {
                #expect(page.contains("Ada") && page.contains("Bruna") && !page.contains("+39035"), "\(page)")
            }
            #expect(!alarm.contains("years old"))
            // The page of either says which others may be meant, and who said that they are OK.
            #expect(try await web.post("/protection/press/ok", [:], cookie: person.cookie).status == 303)
            #expect(
                try await web.send(.GET, "/protection", cookie: person.cookie).body.contains(
                    "You said that you are OK. It goes on for Bruna"))
            #expect(try await !web.send(.GET, "/sos/\(link)").body.contains("Ada"))
        }
    }

    @Test("SOS-18, ACC-12: what weakens a box stands on its person's page and on that of whoever looks after them, in both languages")
    func weaknesses() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person(), id = person.account.id.person
            let parent = try web.member(.caregiver, "parent@example.org"), token = try await Cast.agentToken(web, [id])
            try web.hub.accounts.consents.setGuardians([parent.account.id], of: id, adultFrom: .max / 2)
            var report = try JSONDecoder().decode(SOSReport.self, from: Data(self.report(id, 1, isHelp: false)))
            report.weaknesses = ["noPosition", "ofTomorrow"]
            #expect(try await send(web, token, Array(JSONEncoder().encode(report))).isDurable)
            for (path, cookie) in [("/protection", person.cookie), ("/care/person/\(id)/protection", parent.cookie)] {
                let page = try await web.send(.GET, path, cookie: cookie).body
                #expect(page.contains("Protected now") && page.contains("The box does not know the position"), "\(page)")
                #expect(!page.contains("ofTomorrow"))
                #expect(try await web.post("/language", ["language": "it", "back": "/home"], cookie: cookie).status == 303)
                #expect(try await web.send(.GET, path, cookie: cookie).body.contains("Il dispositivo non conosce la posizione"))
            }
        }
    }

    @Test("SOS-1, SOS-11, SOS-12, SOS-13, SOS-20: from a box to contact, crew and back, page by page")
    func way() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            let token = try await Cast.agentToken(web, [id])
            // Not where nobody could be called, and not without consent.
            let consent = ["consent": SOSChoices.consentDocument, "strict": "no"]
            #expect(try await web.post("/protection/on", consent, cookie: person.cookie).status == 409)
            let contact = ["contactName": "Bruno", "contactEmail": "bruno@example.org"]
            #expect(try await web.post("/protection/contacts", contact, cookie: person.cookie).status == 303)
            #expect(try await web.post("/protection/on", [:], cookie: person.cookie).status == 409)
            // One of the two is chosen by the person, never by the page.
            let open = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(open.matches(of: /type="radio" name="strict" value="(no|yes)" required(?! checked)/).count == 2)
            let unchosen = try await web.post("/protection/on", ["consent": SOSChoices.consentDocument], cookie: person.cookie)
            #expect(unchosen.status == 409 && unchosen.body.contains("Choose how quickly help should be called"))
            #expect(try await web.post("/protection/on", consent, cookie: person.cookie).status == 303)
            let wrong = try await web.post("/protection/limits", ["criticalLow": "10"], cookie: person.cookie)
            #expect(wrong.status == 409 && wrong.body.contains("not safe"))
            // Wider than a baseline gives: shown what it means, and confirmed.
            let wide = ["criticalLow": "32", "asksFirst": "1"]
            let asked = try await web.post("/protection/limits", wide, cookie: person.cookie)
            #expect(asked.status == 409 && asked.body.contains("wider than we would choose") && asked.body.contains("name=\"understood\""))
            let confirmed = wide.merging(["understood": "1"]) { $1 }
            #expect(try await web.post("/protection/limits", confirmed, cookie: person.cookie).status == 303)
            #expect(try await web.post("/protection/limits", ["strict": "1", "asksFirst": "1"], cookie: person.cookie).status == 303)
            var page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("help after 5 seconds, always: turned on") && page.contains("name=\"shown\" value=\",,1,1\""), "\(page)")
            // A page that was open before that was chosen takes it back for nobody.
            let stale = ["shown": ",,1,", "criticalHigh": "140", "asksFirst": "1"]
            #expect(try await web.post("/protection/limits", stale, cookie: person.cookie).status == 303)
            let kept = try #require(try web.hub.sos.views.view(of: id)).choice
            #expect(kept.strict == true && kept.overrides == LimitOverrides(criticalHigh: 140))
            page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("Not protected now") && page.contains("No heart rate arrives") && page.contains("Bruno"))
            #expect(try await send(web, token, report(id, 1, isHelp: false)).isDurable)
            page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            // A box that says nothing of what 0.3.0 did not know waits as that did, whatever is chosen here.
            #expect(page.contains("Protected now") && page.contains("A box runs an older version of TrackMe"), "\(page)")
            let bearer = [("authorization", "Bearer \(token)")]
            let settings = try await web.send(.GET, SyncRoute.sosSettings, headers: bearer).body
            #expect(try JSONDecoder().decode(SOSSettings.self, from: Data(settings.utf8)).people.map(\.distress.isOn) == [true])
            // What a box understands beyond 0.3.0 it says itself.
            #expect(try JSONDecoder().decode(SOSSettings.self, from: Data(settings.utf8)).detector == nil)
            let shown = bearer + [(SyncRoute.showsHeader, SyncRoute.showsSOS)]
            let newer = try await web.send(.GET, SyncRoute.sosSettings, headers: shown).body
            #expect(try await web.send(.POST, SyncRoute.sos, headers: shown, body: report(id, 2, isHelp: false)).status == 200)
            #expect(try await !web.send(.GET, "/protection", cookie: person.cookie).body.contains("older version of TrackMe"))
            #expect(try JSONDecoder().decode(SOSSettings.self, from: Data(newer.utf8)).detector == 2)

            let crew = try await crew(web)
            #expect(try await web.send(.GET, "/duty/alarms", cookie: crew.cookie).body.contains("no alarm for you"))
            let answer = try await send(web, token, report(id, 3, isHelp: true))
            #expect(answer.isDurable && answer.incident != nil && !answer.addresseeReached)
            page = try await web.send(.GET, "/duty/alarms", cookie: crew.cookie).body
            #expect(page.contains("Accept") && page.contains("1.11 km") && !page.contains("Ada Example"), "\(page)")
            #expect(try await send(web, token, report(id, 4, isHelp: true)).addresseeReached, "a crew has it on a screen")
            let path = try first(page, /action="(\/duty\/alarms\/[0-9a-f]+)\/accept"/)
            let stranger = try web.member(.responder, "stranger@example.org")
            #expect(try await web.post(path + "/accept", [:], cookie: stranger.cookie).status == 403)
            #expect(try await web.post(path + "/accept", [:], cookie: crew.cookie).status == 303)
            page = try await web.send(.GET, "/duty/alarms", cookie: crew.cookie).body
            #expect(page.contains("Ada Example") && page.contains("geo:45.600000,9.700000") && page.contains("on the way"))
            page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("Bergamo 1, ZA 123 BC sees to it") && page.contains("The ambulance is on the way"))
            let taken = try await send(web, token, report(id, 5, isHelp: true))
            #expect(taken.ownerName == "Bergamo 1, ZA 123 BC" && taken.coming != nil)

            // The contact got a mail with a link that works without a log-in, and does nothing when it is only looked at.
            let mails = MailCatcher(directory: web.directory.url)
            let mail = try await mails.mail(to: "bruno@example.org", with: "/sos/")
            let link = try mails.link(in: mail, "/sos/")
            page = try await web.send(.GET, link).body
            #expect(page.contains("Ada Example needs help") && page.contains("sees to it") && !page.contains("/take"))
            #expect(try await web.post(link + "/seen", [:]).status == 303)

            #expect(try await web.post(path + "/there", [:], cookie: crew.cookie).status == 303)
            #expect(try await web.send(.GET, "/protection", cookie: person.cookie).body.contains("The ambulance is there"))
            #expect(try await web.post(path + "/done", [:], cookie: crew.cookie).status == 303)
            #expect(try await send(web, token, report(id, 6, isHelp: true)).outcome != nil)
            page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("Reactivate monitoring") && page.contains("somebody came"))
            #expect(try await web.post("/protection/press/reactivate", [:], cookie: person.cookie).status == 303)
            #expect(try await send(web, token, report(id, 7, isHelp: true)).pressed.map(\.button) == [.reactivate])
            #expect(try await web.send(.GET, link).status == 410)
        }
    }

    @Test("SOS-12, SOS-13: pages hear of a change at once by server-sent events")
    func events() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            let token = try await Cast.agentToken(web, [id])
            #expect(
                try await web.post("/protection/contacts", ["contactName": "B", "contactEmail": "b@example.org"], cookie: person.cookie)
                    .status == 303)
            #expect(
                try await web.post("/protection/on", ["consent": SOSChoices.consentDocument, "strict": "no"], cookie: person.cookie).status
                    == 303)
            let crew = try await crew(web)
            var request = HTTPClientRequest(url: web.url + "/duty/alarms/events")
            request.headers.add(name: "cookie", value: crew.cookie)
            let stream = try await web.client.execute(request, timeout: .seconds(30))
            var iterator = stream.body.makeAsyncIterator(), events = 0
            func next() async throws {
                events += 1
                while let part = try await iterator.next() { if String(buffer: part).contains("event: changed") { return } }
            }
            try await next()
            let answer = try await send(web, token, report(id, 1, isHelp: true))
            try await next()
            #expect(events == 2 && answer.incident != nil)
            // An open line is nobody who sees it, nor is a page that renews itself in a pocket.
            _ = try await web.send(.GET, "/duty/alarms", cookie: crew.cookie, headers: [("X-Unseen", "1")])
            #expect(web.hub.sos.openCase(of: id)?.offers.allSatisfy { $0.seen == nil } == true)
            _ = try await web.send(.GET, "/duty/alarms", cookie: crew.cookie)
            _ = try await web.until("/protection", cookie: person.cookie) { _ in
                web.hub.sos.openCase(of: id)?.offers.contains { $0.seen != nil } == true
            }
        }
    }

    @Test("SOS, design rule 7: an expired token is taken for an alarm alone, a revoked box and another person's are refused")
    func tokens() async throws {
        let shift = ManualClock(0)
        let clock: @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) + shift.now }
        try await WebFixture.run(now: clock) { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            let token = try await Cast.agentToken(web, [id]), bearer = [("authorization", "Bearer \(token)")]
            #expect(try await send(web, token, report(id, 1, isHelp: false)).isDurable)
            let other = try web.member(.person, "eve@example.org").account.id.person
            #expect(try await web.send(.POST, SyncRoute.sos, headers: bearer, body: report(other, 1, isHelp: true)).status == 400)
            shift.advance(2 * 3_600_000)
            #expect(try await web.send(.GET, SyncRoute.sosSettings, headers: bearer).status == 401)
            #expect(try await web.send(.POST, SyncRoute.segments, headers: bearer, body: [1]).status == 401)
            #expect(try await send(web, token, report(id, 2, isHelp: true)).incident != nil)
            #expect(try await web.send(.POST, SyncRoute.sos, headers: [("authorization", "Bearer x")], body: [1]).status == 401)
            let box = try #require(try web.hub.accounts.agents.agents().first?.agent.id)
            let fresh = try web.session(of: person.account, strength: .full)
            #expect(try await web.post("/boxes/\(box)/revoke", [:], cookie: fresh).status == 303)
            #expect(try await web.send(.POST, SyncRoute.sos, headers: bearer, body: report(id, 3, isHelp: true)).status == 403)
        }
    }
}

import Accounts
import Distress
import Foundation
import HubStore
import NIOHTTP1
import Synchronization
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// Asking where there is no sign of life, on the page of protection (SOS-24).
@Suite(.serialized, .timeLimit(.minutes(3)))
struct InactivityPageTests {
    private func turnOn(_ web: WebFixture, _ member: Member) async throws {
        let contact = ["contactName": "Bruno", "contactEmail": "bruno@example.org"]
        #expect(try await web.post("/protection/contacts", contact, cookie: member.cookie).status == 303)
        let on = ["consent": SOSChoices.consentDocument, "strict": "no"]
        #expect(try await web.post("/protection/on", on, cookie: member.cookie).status == 303)
    }

    @Test("SOS-24: chosen on the page in both languages, shown as chosen, noted among the changes, refused in words, and turned off again")
    func chosen() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            var fields = ["inactiveBy": "540", "inactiveHours": "4", "nightFrom": "1320", "nightTo": "360", "inactiveZone": "Europe/Rome"]
            func page() async throws -> String { try await web.send(.GET, "/protection", cookie: person.cookie).body }
            #expect(try await !page().contains("/protection/inactivity"), "it is part of AutomatedSOS, which is off")
            try await turnOn(web, person)
            for texts in Texts.all {
                #expect(try await web.post("/language", ["language": texts.lang, "back": "/"], cookie: person.cookie).status == 303)
                let shown = try await page()
                #expect(shown.contains("/protection/inactivity") && shown.contains(texts["protection.inactivityHoursHint"]))
            }
            #expect(try await web.post("/language", ["language": "en", "back": "/"], cookie: person.cookie).status == 303)
            #expect(try await web.post("/protection/inactivity", fields, cookie: person.cookie).status == 303)
            let plan = InactivityPlan(by: 540, hours: 4, timeZone: "Europe/Rome")
            #expect(try web.hub.sos.views.view(of: id)?.choice.inactivity == plan)
            let shown = try await page(), texts = Texts.of("en")
            #expect(shown.contains("<option value=\"540\" selected") && shown.contains(texts["protection.inactivityOn"]))
            #expect(shown.contains("no sign of life: 9:00, 4 h"))
            fields["inactiveBy"] = "360"
            let refused = try await web.post("/protection/inactivity", fields, cookie: person.cookie)
            #expect(refused.status == 409 && refused.body.contains(texts["protection.badInactivity"]))
            #expect(try web.hub.sos.views.view(of: id)?.choice.inactivity == plan)
            (fields["inactiveBy"], fields["inactiveHours"]) = ("", "")
            #expect(try await web.post("/protection/inactivity", fields, cookie: person.cookie).status == 303)
            #expect(try web.hub.sos.views.view(of: id)?.choice.inactivity == nil)
            #expect(try await page().contains("no sign of life: turned off"))
        }
    }

    @Test("SOS-24: a page that the person opened is a sign of life; what a script or a timer fetches is none")
    func touched() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            try await turnOn(web, person)
            try await web.hub.sos.inactivity.setPlan(InactivityPlan(hours: 4, timeZone: "Europe/Rome"), of: id, by: person.account.id)
            func sign() -> Milliseconds? { web.hub.sos.state.withLock { $0.entries[id]?.state.inactivity?.ownSign } }
            _ = try await web.send(.GET, "/protection", cookie: person.cookie)
            let other = try web.member(.person, "other@example.org")
            _ = try await web.send(.GET, "/", cookie: other.cookie, headers: [("sec-fetch-user", "?1")])
            #expect(sign() == nil)
            _ = try await web.send(.GET, "/protection", cookie: person.cookie, headers: [("sec-fetch-user", "?1")])
            #expect(sign() != nil)
        }
    }

    @Test("SOS-24: notices and mails say what was not seen since when, in the person's own time, and differently where nobody could see")
    func words() throws {
        for texts in Texts.all {
            var said: Set<String> = []
            for what in ["movement", "sensors", "box"] {
                // 20:40 and 7:10 in Rome.
                let arguments = [
                    "person": "Ada", "what": what, "since": "1790793600000", "last": "1790745000000", "zone": "Europe/Rome",
                    "path": "/care",
                ]
                var values = arguments
                texts.runs(&values)
                let line = texts.filled("notice.sos.inactive", values)
                #expect(line.contains("Ada") && !line.contains("{") && line.contains("20:40"), "\(line)")
                #expect(line.contains("7:10") == (what != "movement"), "\(line)")
                said.insert(line)
            }
            #expect(said.count == 3)
        }
    }
}

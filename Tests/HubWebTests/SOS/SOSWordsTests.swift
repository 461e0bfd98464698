import Accounts
import Alerts
import Distress
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// What people read of AutomatedSOS, in their language.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SOSWordsTests {
    @Test("ACC-12, SOS-2: why limits are refused is said in the reader's language, with what would be safe")
    func limits() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            func refused(_ fields: [String: String]) async throws -> String {
                let answer = try await web.post("/protection/limits", fields, cookie: person.cookie)
                #expect(answer.status == 409)
                return answer.body
            }
            #expect(try await refused(["criticalLow": "10"]).contains("The low limit 10 is not safe: choose 30 to 50"))
            #expect(try await web.post("/language", ["language": "it", "back": "/home"], cookie: person.cookie).status == 303)
            let low = try await refused(["criticalLow": "10"]), high = try await refused(["criticalHigh": "300"])
            #expect(low.contains("Il limite basso 10 non è sicuro: scegli da 30 a 50") && !low.contains("not safe"))
            #expect(high.contains("Il limite alto 300 non è sicuro") && !high.contains("not safe"))
            #expect(try await refused(["criticalLow": "x"]).contains(Texts.of("it")["protection.noNumber"]))
        }
    }

    @Test("ACC-12, SOS-9: what a box did by itself, and why it failed, is said in both languages, the last of each way")
    func boxTries() throws {
        let reading = Reading(time: 1, value: 0, key: SampleKey(stream: .random(), sequence: 1, kind: .event, index: 0))
        let help = Abnormality(
            trigger: .help, tier: .critical, limit: nil, context: .unknown, first: reading, latest: reading, worst: 0, count: 1,
            isLost: false,
            answerTime: 0)
        let alarm = Alarm(id: .random(), person: .random(), provenance: .live, raisedAt: 1, abnormalities: [help])
        var item = SOSCase(alarm, isTest: false, opened: 1)
        item.contacts = [SOSContact(name: "Bruno", phone: "+3902", email: nil, language: "it")]
        func one(_ state: String, _ why: String? = nil, _ problem: String? = nil, isDelivered: Bool? = nil) -> SOSBoxTry {
            SOSBoxTry(channel: "text", recipient: "+3902", state: state, isDelivered: isDelivered, why: why, problem: problem)
        }
        item.boxTries = [one("failed", "noModem", "English"), one("failed", "undelivered", "English")]
        #expect(
            Texts.of("it").boxTries(of: item) == ["Il dispositivo: messaggio a Bruno: non riuscito (la rete non ha potuto consegnarlo)"])
        item.boxTries = [one("sent"), one("sent", isDelivered: true)]
        #expect(Texts.of("it").boxTries(of: item) == ["Il dispositivo: messaggio a Bruno: arrivato"])
        #expect(Texts.of("en").boxTries(of: item) == ["The box: text to Bruno: arrived"])
        item.boxTries = [one("failed", "ofTomorrow", "Something new")]
        #expect(Texts.of("it").boxTries(of: item) == ["Il dispositivo: messaggio a Bruno: non riuscito (Something new)"])
        #expect(Texts.of("it").change("question: off") == "la domanda: spento")
        #expect(Texts.of("en").change("drill: 4 w, 3, 10:00 Europe/Rome") == "plan of tests: every 4 weeks, Wednesday 10:00 (Europe/Rome)")
    }

    @Test("SOS-19, SOS-1, ACC-12: a relative as the only addressee gets the test, in both languages, and the person sees the proof")
    func relative() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person(), id = person.account.id.person
            let parent = try web.member(.caregiver, "parent@example.org")
            try web.hub.accounts.consents.setGuardians([parent.account.id], of: id, adultFrom: .max / 2)
            #expect(try await web.post("/protection/contacts/0/remove", [:], cookie: person.cookie).status == 303)
            #expect(try await web.post("/protection/drill", [:], cookie: person.cookie).status == 303)
            let proof = try await web.until("/protection", cookie: person.cookie) { $0.contains("1 of 1 messages delivered") }
            #expect(proof.contains("Relative, notice: alarm, sent"), "\(proof)")
            var page = try await web.send(.GET, "/notices", cookie: parent.cookie).body
            #expect(page.contains("TEST: if Ada Example were in distress") && page.contains("sos.raised.mail"), "\(page)")
            #expect(!page.contains("sos.test.mail"), "it goes the ways of alarms")
            #expect(try await web.post("/language", ["language": "it", "back": "/home"], cookie: parent.cookie).status == 303)
            page = try await web.send(.GET, "/notices", cookie: parent.cookie).body
            #expect(page.contains("PROVA: se Ada Example fosse in pericolo"))
            #expect(web.hub.sos.openCase(of: id) == nil)
        }
    }

    @Test("SOS-19: where the hub sent nobody anything, its page says that, and not that all of it was delivered")
    func noMessage() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            #expect(try await web.post("/protection/press/falseAlarm", [:], cookie: person.cookie).status == 303)
            let page = try await web.until("/protection", cookie: person.cookie) { $0.contains("the hub sent no message") }
            #expect(!page.contains("0 of 0"))
        }
    }

    @Test("SOS-22: whoever turns it on chooses how often the way is tested, every 4 weeks unless changed; without a plan the page says so")
    func planFromTheStart() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person, cookie = person.cookie
            let contact = ["contactName": "Bruno", "contactEmail": "bruno@example.org"]
            #expect(try await web.post("/protection/contacts", contact, cookie: cookie).status == 303)
            func page() async throws -> String { try await web.send(.GET, "/protection", cookie: cookie).body }
            func turnOn(_ weeks: String, consent: String = SOSChoices.consentDocument) async throws -> WebFixture.Answer {
                try await web.post("/protection/on", ["consent": consent, "strict": "no", "testWeeks": weeks], cookie: cookie)
            }
            #expect(try await page().contains("<option value=\"4\" selected>every 4 weeks</option>"))
            #expect(try await turnOn("3").status == 400)
            let unread = try await turnOn("2", consent: "")
            #expect(unread.status == 409 && unread.body.contains("<option value=\"2\" selected>"))
            #expect(try await web.sos(id) == nil)
            #expect(try await turnOn("8").status == 303)
            #expect(try await web.sos(id) == SOSDrillPlan(everyWeeks: 8, weekday: 1, hour: 10))
            let planned = try await page()
            #expect(planned.contains("The next test:") && !planned.contains("Without regular tests"))
            #expect(try await web.post("/protection/off", [:], cookie: cookie).status == 303)
            #expect(try await page().contains("<option value=\"8\" selected>"))
            #expect(try await turnOn("0").status == 303)
            let unplanned = try await page()
            #expect(unplanned.contains("Without regular tests") && unplanned.contains("No test is planned."))
            #expect(try await web.post("/language", ["language": "it", "back": "/home"], cookie: cookie).status == 303)
            #expect(try await page().contains("Senza prove regolari"))
        }
    }

    @Test("SOS-1, SOS-9: where nobody could be called the page says what would help: by what this hub reaches, and what is there already")
    func nobodyToCall() async throws {
        let on = ["consent": SOSChoices.consentDocument, "strict": "no"]
        func enter(_ contact: [String: String], _ web: WebFixture, _ cookie: String) async throws {
            #expect(try await web.post("/protection/contacts", contact, cookie: cookie).status == 303)
        }
        try await WebFixture.run { web in
            let cookie = try web.member(.person, "ada@example.org").cookie
            func page() async throws -> String { try await web.send(.GET, "/protection", cookie: cookie).body }
            var shown = try await page()
            #expect(shown.contains("telephone alone is enough once your box") && shown.contains("No contact, no relative"))
            try await enter(["contactName": "Bruno", "contactPhone": "+39 333 1234567"], web, cookie)
            shown = try await page()
            #expect(shown.contains("None of your contacts can be reached") && !shown.contains("No contact, no relative"))
            try await enter(["contactName": "Carla", "contactEmail": "carla@example.org"], web, cookie)
            shown = try await page()
            #expect(!shown.contains("Nobody could be called") && !shown.contains("perhaps nobody hears of it"))
            web.hub.sos.ways.attempted(.mail, to: "carla@example.org", .failure(CocoaError(.fileNoSuchFile)))
            shown = try await page()
            #expect(shown.contains("Check their numbers") && shown.contains("At the moment no message from here"))
            let refused = try await web.post("/protection/on", on, cookie: cookie)
            #expect(refused.status == 409 && refused.body.contains("Check their numbers"))
        }
        func texting(_ configuration: inout HubConfiguration) { configuration.sms.command = "/bin/true" }
        try await WebFixture.run(change: texting) { web in
            let cookie = try web.member(.person, "ada@example.org").cookie
            let refused = try await web.post("/protection/on", on, cookie: cookie)
            #expect(refused.status == 409 && refused.body.contains("first add a contact with a telephone number or a mail address"))
            try await enter(["contactName": "Bruno", "contactPhone": "+39 333 1234567"], web, cookie)
            #expect(try await web.post("/protection/on", on, cookie: cookie).status == 303)
        }
    }

    @Test(
        "SOS-19: whoever looks after the person plans the test of the way, on a page in both languages; strangers do not, and it is logged")
    func plan() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person(), id = person.account.id.person
            let parent = try web.member(.caregiver, "parent@example.org"), stranger = try web.member(.caregiver, "stranger@example.org")
            try web.hub.accounts.consents.setGuardians([parent.account.id], of: id, adultFrom: .max / 2)
            let path = "/care/person/\(id)/protection", plan = ["drillWeeks": "4", "drillDay": "3", "drillHour": "10"]
            var page = try await web.send(.GET, path, cookie: parent.cookie).body
            #expect(page.contains("action=\"\(path)/plan\"") && page.contains("No test is planned."), "\(page)")
            #expect(!page.contains("/protection/drill\"") && !page.contains("/protection/off\""))
            #expect(try await web.post(path + "/plan", plan, cookie: stranger.cookie).status == 403)
            #expect(try await web.sos(id) == nil)
            #expect(try await web.post(path + "/plan", plan.merging(["drillHour": "24"]) { $1 }, cookie: parent.cookie).status == 400)
            #expect(try await web.post(path + "/plan", plan, cookie: parent.cookie).status == 303)
            #expect(try await web.sos(id)?.everyWeeks == 4)
            page = try await web.send(.GET, path, cookie: parent.cookie).body
            #expect(page.contains("The next test:") && page.contains("plan of tests: every 4 weeks, Wednesday 10:00"))
            #expect(try await web.post("/language", ["language": "it", "back": "/home"], cookie: parent.cookie).status == 303)
            page = try await web.send(.GET, path, cookie: parent.cookie).body
            #expect(page.contains("La prossima prova:") && page.contains("piano delle prove: ogni 4 settimane, mercoledì 10:00"))
            // The person sees it, and takes it back.
            #expect(try await web.send(.GET, "/protection", cookie: person.cookie).body.contains("The next test:"))
            #expect(try await web.post("/protection/plan", plan.merging(["drillWeeks": "0"]) { $1 }, cookie: person.cookie).status == 303)
            #expect(try await web.sos(id) == nil)
        }
    }
}

extension WebFixture {
    fileprivate func sos(_ person: PersonID) async throws -> SOSDrillPlan? { try await hub.sos.drills.plan(of: person) }
}

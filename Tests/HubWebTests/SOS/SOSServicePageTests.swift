import Accounts
import Foundation
import HubServices
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubStore
@testable import HubWeb

/// AutomatedSOS on the page of services, and help of a person who never turned it on.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SOSServicePageTests {
    private let path = "/services/\(BuiltInService.automatedSOS.id)"

    private func page(_ web: WebFixture, _ member: Member, _ path: String) async throws -> String {
        try await web.send(.GET, path, cookie: member.cookie).body
    }

    private func turnOn(_ web: WebFixture, _ member: Member) async throws {
        let contact = ["contactName": "Bruno", "contactEmail": "bruno@example.org"]
        #expect(try await web.post("/protection/contacts", contact, cookie: member.cookie).status == 303)
        let on = ["consent": SOSChoices.consentDocument, "strict": "no"]
        #expect(try await web.post("/protection/on", on, cookie: member.cookie).status == 303)
    }

    @Test(
        "CONS-8, SOS-18: adding AutomatedSOS says that it is not yet on and leads there; removing it turns it off and says so",
        arguments: ["en", "it"])
    func added(language: String) async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), texts = Texts.of(language)
            #expect(try await web.post("/language", ["language": language, "back": "/"], cookie: person.cookie).status == 303)
            #expect(try await web.post(path + "/add", ["action": "daily"], cookie: person.cookie).header("location") == path)
            var shown = try await page(web, person, path)
            #expect(shown.contains(texts["services.sosNotOnText"]) && shown.contains("href=\"/protection#on\""), "\(shown)")
            let list = try await page(web, person, "/services")
            #expect(list.contains(texts["services.sosNotOnShort"]) && !list.contains(">\(texts["services.added"])<"))
            let form = try await page(web, person, "/protection")
            #expect(form.matches(of: /name="strict" value="(no|yes)" required aria/).map(\.1) == ["no", "yes"], "neither is chosen")
            try await turnOn(web, person)
            shown = try await page(web, person, path)
            #expect(shown.contains(texts["services.sosOn"]) && !shown.contains(texts["services.sosNotOnText"]))
            #expect(try await page(web, person, "/services").contains(">\(texts["services.added"])<"))
            let removed = try await web.post(path + "/remove", [:], cookie: person.cookie)
            #expect(removed.header("location") == path + "?removed=1")
            shown = try await page(web, person, path + "?removed=1")
            #expect(shown.contains(texts["services.sosOff"]) && shown.contains(path + "/add"))
            #expect(try await page(web, person, "/protection").contains(texts["protection.reason_off"]))
        }
    }

    @Test("CONS-8, SOS-18: turned on without the page of services it stands there as on, and can be removed there")
    func turnedOnElsewhere() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try await turnOn(web, person)
            let shown = try await page(web, person, path)
            #expect(shown.contains("AutomatedSOS is turned on") && shown.contains(path + "/remove") && !shown.contains(path + "/add"))
            #expect(try await web.post(path + "/remove", [:], cookie: person.cookie).status == 303)
            // "removed" in an address claims nothing.
            try await turnOn(web, person)
            #expect(try await !page(web, person, path + "?removed=1").contains("AutomatedSOS is off now"))
        }
    }

    @Test("CONS-6, CONS-8: revoked among the followers, it is turned off as well")
    func revoked() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            #expect(try await web.post(path + "/add", ["action": "daily"], cookie: person.cookie).status == 303)
            try await turnOn(web, person)
            let followers = try await page(web, person, "/followers")
            let action = String(try #require(followers.firstMatch(of: /action="(\/followers\/[0-9a-f]+\/revoke)"/)).output.1)
            #expect(try await web.post(action, [:], cookie: person.cookie).status == 303)
            for _ in 0..<400 {
                if try await page(web, person, "/protection").contains("AutomatedSOS is turned off") { break }
                try await Task.sleep(for: .milliseconds(25))
            }
            #expect(try await page(web, person, "/protection").contains("AutomatedSOS is turned off"))
            #expect(try await !page(web, person, path).contains("AutomatedSOS is turned on"))
        }
    }

    @Test("SOS-16: where nobody is set up the page says so before the press and after it, and claims no call")
    func nobody() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            #expect(try await page(web, person, "/protection").contains("perhaps nobody hears of it"))
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            let shown = try await page(web, person, "/protection")
            #expect(shown.contains("Nobody is set up to be called: call 112!") && shown.contains("href=\"tel:112\""))
            #expect(!shown.contains("Nobody has taken it yet"), "nothing is repeated")
            #expect(shown.contains(" data-call-near=\"") && shown.contains("/assets/callnear.js") && shown.contains("Help is needed here!"))
            for script in ["callnear.js", "tone.js", "ring.js"] { #expect(try await web.send(.GET, "/assets/\(script)").status == 200) }
            #expect(try await web.post("/protection/press/ok", [:], cookie: person.cookie).status == 303)
            #expect(try await !page(web, person, "/protection").contains("You answered"), "it is off: nothing is silent, or watched")
        }
    }

    @Test("SOS-20: mails to contacts tell measured values only where the person chose so", arguments: ["en", "it"])
    func values(language: String) async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), texts = Texts.of(language)
            #expect(try await web.post("/language", ["language": language, "back": "/"], cookie: person.cookie).status == 303)
            #expect(try await page(web, person, "/protection").contains(texts["protection.valuesOff"]))
            #expect(try await web.post("/protection/values", ["tell": "yes"], cookie: person.cookie).status == 303)
            #expect(try web.hub.sos.store.choice(of: person.account.id.person).mailsValues == true)
            let shown = try await page(web, person, "/protection").replacing("&#39;", with: "'")
            #expect(shown.contains(texts["protection.valuesOn"]) && shown.contains(texts["protection.change_values"]))
            #expect(try await web.post("/protection/values", ["tell": "no"], cookie: person.cookie).status == 303)
            #expect(try web.hub.sos.store.choice(of: person.account.id.person).mailsValues == false)
        }
    }

    @Test(
        "SOS-24: the person turns messages about an irregular heartbeat on and off, in words, where AutomatedSOS is on",
        arguments: ["en", "it"])
    func rhythm(language: String) async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), texts = Texts.of(language)
            #expect(try await web.post("/language", ["language": language, "back": "/"], cookie: person.cookie).status == 303)
            #expect(try await !page(web, person, "/protection").contains(texts["protection.rhythm"]), "AutomatedSOS is off")
            try await turnOn(web, person)
            var shown = try await page(web, person, "/protection")
            #expect(shown.contains(texts["protection.rhythmText"]) && shown.contains(texts["protection.rhythmOff"]), "\(shown)")
            #expect(try await web.post("/protection/rhythm", ["tell": "perhaps"], cookie: person.cookie).status == 400)
            #expect(try await web.post("/protection/rhythm", ["tell": "yes"], cookie: person.cookie).status == 303)
            shown = try await page(web, person, "/protection")
            #expect(shown.contains(texts["protection.rhythmOn"]) && shown.contains(texts["protection.change_rhythm"]))
            #expect(
                shown.contains(
                    texts.filled(
                        "protection.rhythmCounts",
                        ["judged": texts.counted("protection.minutes", 0), "unclear": texts.counted("protection.minutes", 0)])))
            #expect(try await web.post("/protection/rhythm", ["tell": "no"], cookie: person.cookie).status == 303)
            #expect(try await page(web, person, "/protection").contains(texts["protection.rhythmOff"]))
        }
    }

    @Test(
        "SOS-24: the message says what was seen and when, that straps err, that it is no diagnosis, and what to do; a locked screen tells nothing",
        arguments: ["en", "it"])
    func rhythmWords(language: String) throws {
        let texts = Texts.of(language), begin: Milliseconds = 1_795_600_000_000, end = begin + 600_000
        let notice = StoredNotice(
            row: 1, kind: .irregularRhythm, name: "rhythm.irregular",
            arguments: ["begin": "\(begin)", "end": "\(end)", "path": "/protection"],
            created: end, seen: nil)
        let values = ["begin": texts.instant(begin), "end": texts.instant(end), "site": "", "path": "/protection"]
        for text in [texts.notice(notice), texts.filled("mail.rhythm.irregular.text", values)] {
            #expect(text.contains(texts.instant(begin)) && text.contains(texts.instant(end)) && !text.contains("{"), "\(text)")
            for word in language == "en"
                ? ["mistakes", "no diagnosis", "doctor", "“Get help”"] : ["sbagliano", "diagnosi", "medico", "“Chiedi aiuto”"]
            {
                #expect(text.contains(word), "\(word): \(text)")
            }
        }
        #expect(!texts["mail.rhythm.irregular.subject"].localizedCaseInsensitiveContains(language == "en" ? "heart" : "battito"))
    }

    @Test("SOS-16: a contact whom this hub cannot reach: page and bar say so, and claim no call", arguments: ["en", "it"])
    func unreachable(language: String) async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), texts = Texts.of(language)
            #expect(try await web.post("/language", ["language": language, "back": "/"], cookie: person.cookie).status == 303)
            let contact = ["contactName": "Bruno", "contactPhone": "+390212345678"]
            #expect(try await web.post("/protection/contacts", contact, cookie: person.cookie).status == 303)
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            while web.hub.sos.openCase(of: person.account.id.person)?.hasNobody != true { try await Task.sleep(for: .milliseconds(20)) }
            let shown = try await page(web, person, "/protection")
            #expect(shown.contains(texts["protection.nobodyReached"]) && !shown.contains(texts["protection.noOwner"]), "\(shown)")
            #expect(try await page(web, person, "/home").contains(texts["emergency.ownNobody"]))
        }
    }

    @Test("CONS-6, CONS-8: a hub that was killed between the revocation and the turning off makes up for it when it runs again")
    func killedBetween() async throws {
        let directory = try TemporaryDirectory()
        var cookies: [String] = []
        func revoke(_ web: WebFixture, _ person: Member) async throws {
            #expect(try await web.post(path + "/add", ["action": "daily"], cookie: person.cookie).status == 303)
            let action = try #require(try await page(web, person, "/followers").firstMatch(of: /action="(\/followers\/[0-9a-f]+\/revoke)"/))
            #expect(try await web.post(String(action.output.1), [:], cookie: person.cookie).status == 303)
        }
        try await WebFixture.run(in: directory) { web in
            // The task behind a revocation never comes to it.
            web.hub.consents.ends.tell { _, _, _ in }
            let before = try web.member(.person, "before@example.org"), after = try web.member(.person, "after@example.org")
            cookies = [before.cookie, after.cookie]
            try await revoke(web, before)
            for person in [before, after] { try await turnOn(web, person) }
            try await revoke(web, after)
            #expect(try await page(web, after, path).contains("AutomatedSOS is turned on"))
        }
        func isOn(_ web: WebFixture, _ cookie: String) async throws -> Bool {
            try await web.send(.GET, path, cookie: cookie).body.contains("AutomatedSOS is turned on")
        }
        try await WebFixture.run(in: directory) { web async throws in
            while try await isOn(web, cookies[1]) { try await Task.sleep(for: .milliseconds(25)) }
        }
        try await WebFixture.run(in: directory) { web async throws in
            #expect(try await isOn(web, cookies[0]), "what was revoked before it was turned on says nothing of it")
            #expect(try await !isOn(web, cookies[1]))
        }
    }

    @Test("SOS-21: the times of reminders are the person's, in words, and no others are taken")
    func reminders() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            func save(_ first: String) async throws -> Int {
                let fields = ["remindFirst": first, "remindEvery": "1440", "relativesAfter": "60"]
                return Int(try await web.post("/protection/reminders", fields, cookie: person.cookie).status)
            }
            #expect(try await page(web, person, "/protection").contains("Remind me again after"))
            #expect(try await save("30") == 303)
            for wrong in ["31", "soon", "99999999999"] { #expect(try await save(wrong) == 400, "\(wrong)") }
            let shown = try await page(web, person, "/protection")
            #expect(shown.contains("<option value=\"30\" selected") && shown.contains("30 minutes"), "\(shown)")
        }
    }
}

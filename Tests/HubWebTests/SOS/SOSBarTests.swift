import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// An emergency is seen everywhere; relatives prepare, and contacts get letters and confirm tests.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SOSBarTests {
    @Test("SOS-20: an emergency stands on every page of everybody concerned, with the name and the way to it, until it is over")
    func bar() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person(), crew = try await cast.crew("Bergamo1")
            let id = person.account.id.person, parent = try web.member(.caregiver, "parent@example.org")
            let stranger = try web.member(.person, "stranger@example.org")
            try web.hub.accounts.consents.setGuardians([parent.account.id], of: id, adultFrom: .max / 2)
            func bar(_ member: Member, _ path: String) async throws -> String? {
                let page = try await web.send(.GET, path, cookie: member.cookie).body
                // Before everything else.
                #expect(page.contains("tabindex=\"-1\">\n<div id=\"emergencies\">"), "\(page)")
                return page.firstMatch(of: /<p class="emergency" role="alert">(.*)<\/p><\/div>/).map { String($0.output.1) }
            }
            for member in [person, parent, crew] { #expect(try await bar(member, "/home") == nil) }
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            #expect(try await cast.place(person) == 204)
            // An offer waits 15 s.
            let offered = try #require(try await bar(crew, "/home"))
            #expect(offered.contains("href=\"/duty/alarms\"") && offered.contains("offered to you") && !offered.contains("Ada"))
            for path in ["/home", "/runs", "/notices", "/profile"] {
                let own = try #require(try await bar(person, path)), cared = try #require(try await bar(parent, path))
                #expect(own.contains("href=\"/protection\"") && own.contains("Help is being called for you."), "\(own)")
                #expect(cared.contains("href=\"/care/person/\(id)/protection\"") && cared.contains("Ada Example needs help."), "\(cared)")
                #expect(cared.contains(" s ago)") && cared.contains("Nobody is handling it yet."), "\(cared)")
                #expect(try await bar(stranger, path) == nil)
            }
            #expect(try await bar(person, "/protection") == nil, "there it stands anyway")
            // Also where what was sent is shown again, with what is wrong in it.
            let refused = try await web.post("/profile", ["firstName": ""], cookie: parent.cookie)
            #expect(refused.status != 303 && refused.body.contains("Ada Example needs help."), "\(refused.body)")
            for page in ["/nowhere", "/people/\(id)"] {
                #expect(try await web.send(.GET, page, cookie: parent.cookie).body.contains("/assets/emergency.js"), "\(page)")
            }
            let fragment = try await web.send(.GET, "/emergencies", cookie: parent.cookie).body
            #expect(fragment.hasPrefix("<div id=\"emergencies\"><p class=\"emergency\"") && fragment.contains("Ada Example needs help."))
            // A notice leads to the same place.
            let notices = try web.hub.accounts.notices.notices(of: parent.account)
            let raised = try #require(notices.first { $0.kind == .sosRaised })
            let opened = try await web.send(.GET, "/notices/\(raised.row)", cookie: parent.cookie)
            #expect(opened.headers.first(name: "location") == "/care/person/\(id)/protection")
            #expect(try await web.post("/language", ["language": "it", "back": "/home"], cookie: parent.cookie).status == 303)
            #expect(try await web.post("/care/person/\(id)/protection/take", [:], cookie: parent.cookie).status == 303)
            #expect(try await bar(parent, "/home")?.contains("Ada Example ha bisogno di aiuto. Te ne occupi tu.") == true)
            #expect(web.hub.sos.openCase(of: id)?.seeksAmbulance == true, "a relative's word stands no ambulance down")
            #expect(try await web.post("/protection/press/falseAlarm", [:], cookie: person.cookie).status == 303)
            for member in [person, parent, crew] { #expect(try await bar(member, "/home") == nil) }
        }
    }

    @Test("ACC-12: times are those of the reader's clock where the browser told its time zone, and a wrong one changes nothing")
    func zone() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person()
            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            func page(_ zone: String) async throws -> String {
                try await web.send(.GET, "/protection", cookie: person.cookie + "; __Host-trackme-zone=\(zone)").body
            }
            let opened = try #require(web.hub.sos.openCase(of: person.account.id.person)).opened
            var texts = Texts.of("en")
            texts.zone = TimeZone(identifier: "Asia/Kolkata")
            #expect(try await page("Asia/Kolkata").contains(">\(texts.instant(opened))</time> ("))
            #expect(texts.instant(0).hasPrefix("1 January 1970, 05:30 "))
            #expect(try await page("Not/AZone").contains(">\(Texts.of("en").instant(opened))</time> ("))
        }
    }

    @Test("SOS-20, ACC-12: a contact's mail is a letter in the contact's language, and its page answers a test")
    func letter() async throws {
        try await WebFixture.run { web in
            let cast = try await SOSCast(web), person = try await cast.person()
            let dora = ["contactName": "Dora", "contactEmail": "dora@example.org", "contactLanguage": "it"]
            #expect(try await web.post("/protection/contacts", dora, cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, "/protection", cookie: person.cookie).body.contains("Dora: dora@example.org, Italiano"))
            #expect(try await web.post("/protection/drill", [:], cookie: person.cookie).status == 303)
            let mails = MailCatcher(directory: web.directory.url)
            let test = try await mails.mail(to: "dora@example.org", with: "/sos/")
            #expect(test.contains("PROVA, nessuna emergenza") && test.contains("Buongiorno Dora,"), "\(test)")
            let link = try mails.link(in: test, "/sos/")
            var page = try await web.send(.GET, link, headers: [("accept-language", "it")]).body
            #expect(
                page.contains("Prova: nessuno è in pericolo") && page.contains("La prova è arrivata") && !page.contains("/take"), "\(page)")
            #expect(try await web.post(link + "/take", [:]).status == 303, "whatever is pressed, it confirms the test")
            page = try await web.send(.GET, link, headers: [("accept-language", "it")]).body
            #expect(page.contains("Grazie.") && !page.contains("/seen"))
            #expect(try await web.send(.GET, "/protection", cookie: person.cookie).body.contains("Dora, mail: alarm, answered"))

            #expect(try await web.post("/protection/press/help", [:], cookie: person.cookie).status == 303)
            #expect(try await cast.place(person) == 204)
            let letter = try await mails.mail(to: "bruno@example.org", with: "needs help.")
            #expect(letter.contains("Subject: SOS: Ada Example needs help") && letter.contains("Dear Bruno,"), "\(letter)")
            let second = try await mails.mail(to: "bruno@example.org", with: "?mlat=45.60000&mlon=9.70000")
            #expect(second.contains("Map: https://www.openstreetmap.org/"), "\(second)")
        }
    }

    @Test(
        "SOS-1, SOS-20: a relative prepares contacts and turning it on; the person's yes on the page makes it hold, and nothing before does"
    )
    func prepared() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            let relative = try web.member(.caregiver, "relative@example.org"), stranger = try web.member(.caregiver, "s@example.org")
            let consents = web.hub.consents, now = Milliseconds(Date().timeIntervalSince1970 * 1000)
            let asked = try consents.askAsCaregiver(
                ConsentAddress(person.account.email), by: relative.account, kinds: [.heartRate], purpose: "Looks after me")
            try web.hub.accounts.consents.reachConsent(asked.id, now: now)
            try consents.answer(asked.id, .accept, by: person.account.id)
            let path = "/care/person/\(id)/protection", contact = ["contactName": "Dora", "contactEmail": "dora@example.org"]
            #expect(try await web.post(path + "/contacts", contact, cookie: stranger.cookie).status == 403)
            #expect(try await web.post(path + "/contacts", ["contactName": ""], cookie: relative.cookie).status == 409)
            #expect(try await web.post(path + "/contacts", contact, cookie: relative.cookie).status == 303)
            #expect(try await web.post(path + "/ask", [:], cookie: relative.cookie).status == 303)
            var page = try await web.send(.GET, path, cookie: relative.cookie).body
            #expect(page.contains("It waits for the yes of Ada Example") && !page.contains("/prepared/yes"), "\(page)")
            #expect(
                try await web.post(path + "/prepared/yes", ["consent": SOSChoices.consentDocument], cookie: relative.cookie).status == 403)
            page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("Prepared by") && page.contains("Dora: dora@example.org") && page.contains("/protection/prepared/yes"))
            #expect(page.contains("AutomatedSOS is turned off."))
            func shown(_ page: String) throws -> String {
                try #require(page.firstMatch(of: /name="prepared" value="(\d+)"/).map { String($0.output.1) })
            }
            var consent = ["consent": SOSChoices.consentDocument, "strict": "no", "prepared": try shown(page)]
            // A contact that the relative adds while the person reads is not agreed to.
            let late = ["contactName": "Eve", "contactEmail": "eve@example.org"]
            #expect(try await web.post(path + "/contacts", late, cookie: relative.cookie).status == 303)
            let unseen = try await web.post("/protection/prepared/yes", consent, cookie: person.cookie)
            #expect(unseen.status == 409 && unseen.body.contains("Eve: eve@example.org"))
            #expect(try web.hub.sos.store.choice(of: id).contacts.isEmpty)
            consent["prepared"] = try shown(unseen.body)
            let bare = try await web.post("/protection/prepared/yes", ["prepared": consent["prepared"] ?? ""], cookie: person.cookie)
            #expect(bare.status == 409, "not without the consent")
            #expect(try web.hub.sos.store.choice(of: id).isOn == false)
            #expect(try await web.post("/protection/prepared/yes", consent, cookie: person.cookie).status == 303)
            let choice = try web.hub.sos.store.choice(of: id)
            #expect(choice.isOn && choice.contacts.map(\.name) == ["Dora", "Eve"] && choice.prepared == nil)
        }
    }
}

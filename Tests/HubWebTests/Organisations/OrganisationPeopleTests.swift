import Accounts
import AsyncHTTPClient
import Distress
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// What an organisation sees and downloads of the people who consented: a real hub, and a phone that sends.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct OrganisationPeopleTests {
    /// A person with a phone, an operator, and what an organisation asked of the person, accepted.
    private struct Scene {
        let web: WebFixture
        let person: Member
        let chief: Member
        let phone: String

        init(_ web: WebFixture) async throws {
            self.web = web
            person = try web.member(.person, "ada@example.org")
            chief = try web.member(.operator, "chief@example.org")
            let made = try await web.post("/boxes/devices", ["deviceName": "My phone", "deviceKind": "osmAnd"], cookie: person.cookie)
            phone = String(try #require(made.body.firstMatch(of: /[A-Z0-9]{4}(-[A-Z0-9]{4}){3}/)).output.0)
        }

        func send(second: Int) async throws {
            let now = Int(Date().timeIntervalSince1970)
            let path = "/osmand?id=\(phone)&timestamp=\(now - 60 + second)&lat=45.6\(second)&lon=9.7&speed=3"
            #expect(try await web.send(.POST, path).status == 200)
        }

        func accepted(_ organisation: Member, kind: DataKind, term: String) async throws -> String {
            let fields = ["whom": "ada@example.org", "requestPurpose": "A study", "term": term, "kind\(kind.rawValue)": "1"]
            #expect(try await web.post("/requests", fields, cookie: organisation.cookie).status == 303)
            let reader = Reader.organisation(OrganisationID(organisation.account.id))
            let id = try #require(try web.hub.consents.history(of: reader).items.first).id.description
            #expect(try await web.post("/operator/requests/\(id)/approve", [:], cookie: chief.cookie).status == 303)
            _ = try await web.until("/followers", cookie: person.cookie) { $0.contains("/followers/\(id)/accept") }
            #expect(try await web.post("/followers/\(id)/accept", [:], cookie: person.cookie).status == 303)
            return id
        }

        func revoke(_ id: String) async throws {
            #expect(try await web.post("/followers/\(id)/revoke", [:], cookie: person.cookie).status == 303)
        }

        /// Reads a stream to its end; `each` is told all that came so far whenever something came.
        func stream(_ path: String, _ cookie: String, _ each: (String) async throws -> Void) async throws -> String {
            var request = HTTPClientRequest(url: web.url + path)
            request.headers.add(name: "cookie", value: cookie)
            let response = try await web.client.execute(request, timeout: .seconds(60))
            #expect(response.status == .ok && response.headers.first(name: "content-type") == "text/event-stream")
            var text = ""
            for try await chunk in response.body {
                text += String(buffer: chunk)
                try await each(text)
            }
            return text
        }
    }

    @Test(
        "CONS-15: people are listed with what they granted; last and live values are of the granted kinds, in the ledger, and end with the grant"
    )
    func people() async throws {
        try await WebFixture.run { web in
            let scene = try await Scene(web)
            let lab = try web.member(.organisation, "lab@example.org"), clinic = try web.member(.organisation, "clinic@example.org")
            #expect(try await web.send(.GET, "/organisation/people", cookie: lab.cookie).body.contains("Nobody yet"))
            let place = try await scene.accepted(lab, kind: .position, term: "30")
            let heart = try await scene.accepted(clinic, kind: .heartRate, term: "30")
            try await scene.send(second: 1)

            let list = try await web.send(.GET, "/organisation/people", cookie: lab.cookie).body
            #expect(list.contains("ada@example.org") && list.contains(place) && !list.contains(heart) && list.contains("position"))
            let path = "/organisation/people/\(place)", other = "/organisation/people/\(heart)"
            let page = try await web.send(.GET, path, cookie: lab.cookie).body
            #expect(page.contains("45.61000, 9.70000") && page.contains("id=\"map\"") && !page.contains("id=\"plot\""))
            #expect(try await web.send(.GET, path + "/recent", cookie: lab.cookie).body.contains("45.61"))
            #expect(try await web.send(.GET, "/ledger", cookie: scene.person.cookie).body.contains("Lab of Bergamo read"))

            // Heart rate is not position: neither page nor script of the other organisation says where somebody is, nor that something came.
            let closed = try await web.send(.GET, other, cookie: clinic.cookie).body
            #expect(
                closed.contains("id=\"plot\"") && !closed.contains("id=\"map\"") && !closed.contains("45.6")
                    && closed.contains("Nothing yet"))
            let recent = try await web.send(.GET, other + "/recent", cookie: clinic.cookie).body
            #expect(!recent.contains("45.6") && recent.contains("\"pos\":[]") && recent.contains("\"received\":null"))

            for (cookie, status) in [(clinic.cookie, 403), (scene.person.cookie, 403), (scene.chief.cookie, 403)] as [(String, UInt)] {
                for part in ["", "/recent", "/live"] { #expect(try await web.send(.GET, path + part, cookie: cookie).status == status) }
            }
            #expect(try await web.send(.GET, path).header("location") == "/log-in")
            #expect(try await web.send(.GET, path + "/live").status == 403)

            var sent = false, ended = ContinuousClock.now
            async let quiet = scene.stream(other + "/live", clinic.cookie) { _ in }
            let text = try await scene.stream(path + "/live", lab.cookie) { text in
                if !sent, text.contains("watching") {
                    sent = true
                    try await scene.send(second: 2)
                }
                if text.contains("45.62"), !text.contains("event: end") {
                    ended = .now
                    try await scene.revoke(place)
                    try await scene.send(second: 3)
                }
            }
            #expect(text.hasSuffix("event: end\ndata: {}\n\n") && !text.contains("45.63"), "\(text)")
            #expect(ContinuousClock.now - ended < .seconds(10))
            try await scene.revoke(heart)
            #expect(try await !quiet.contains("event: samples"))
            for part in ["", "/recent", "/live"] { #expect(try await web.send(.GET, path + part, cookie: lab.cookie).status == 403) }
            #expect(try await !web.send(.GET, "/organisation/people", cookie: lab.cookie).body.contains(place))
        }
    }

    @Test("CONS-15, ACC-6: a live view ends with the session that opened it")
    func session() async throws {
        try await WebFixture.run { web in
            let scene = try await Scene(web), lab = try web.member(.organisation, "lab@example.org")
            let id = try await scene.accepted(lab, kind: .position, term: "30")
            let text = try await scene.stream("/organisation/people/\(id)/live", lab.cookie) { text in
                guard text.contains("watching"), !text.contains("event: end") else { return }
                #expect(try await web.post("/log-out", [:], cookie: lab.cookie).status == 303)
                try await scene.send(second: 1)
            }
            #expect(text.hasSuffix("event: end\ndata: {}\n\n") && !text.contains("45.61"))
        }
    }

    @Test(
        "CONS-9: what was granted once is downloaded again as long as the consent holds, always the same; the mail has a link and no data")
    func downloads() async throws {
        try await WebFixture.run { web in
            let scene = try await Scene(web)
            let lab = try web.member(.organisation, "lab@example.org"), rival = try web.member(.organisation, "rival@example.org")
            try await scene.send(second: 1)
            let id = try await scene.accepted(lab, kind: .position, term: "once"), path = "/requests/\(id)"
            let history = try await web.send(.GET, "/requests", cookie: lab.cookie).body
            #expect(
                history.contains("\(path)/download") && history.contains("\(path)/mail")
                    && history.contains("measured until the person said yes"))
            let person = try await web.send(.GET, "/organisation/people/\(id)", cookie: lab.cookie).body
            #expect(!person.contains("45.6") && !person.contains("id=\"board\"") && person.contains("\(path)/download"))
            #expect(try await web.send(.GET, "/organisation/people/\(id)/live", cookie: lab.cookie).status == 403)

            let csv = try await web.send(.GET, path + "/download?format=csv", cookie: lab.cookie)
            #expect(csv.status == 200 && csv.body.contains("45.61") && csv.header("content-disposition")?.contains(".csv") == true)
            #expect(try await web.send(.GET, path + "/download?format=json", cookie: lab.cookie).body.contains("45.61"))
            #expect(try await web.send(.GET, path + "/download?format=exe", cookie: lab.cookie).status == 400)
            #expect(try await web.send(.GET, path + "/download?format=csv", cookie: rival.cookie).status == 403)
            #expect(try await web.send(.GET, "/ledger", cookie: scene.person.cookie).body.contains("Lab of Bergamo read"))
            // What is measured after the yes is no part of it. Times of phones are whole seconds.
            let accepted = Int(Date().timeIntervalSince1970)
            while Int(Date().timeIntervalSince1970) == accepted { try await Task.sleep(for: .milliseconds(20)) }
            #expect(try await web.send(.POST, "/osmand?id=\(scene.phone)&timestamp=\(accepted + 1)&lat=45.69&lon=9.7").status == 200)
            #expect(try await web.send(.GET, path + "/download?format=csv", cookie: lab.cookie).body == csv.body)

            #expect(try await web.post(path + "/mail", [:], cookie: rival.cookie).status == 403)
            #expect(try await web.post(path + "/mail", [:], cookie: lab.cookie).status == 200)
            let mails = MailCatcher(directory: web.directory.url)
            let mail = try await mails.mail(to: "lab@example.org", with: "/mailed/"),
                link = try mails.link(in: mail, "/requests/\(id)/mailed/")
            #expect(!mail.contains("45.6") && !mail.contains("ada@example.org"))
            #expect(try await web.send(.GET, link).header("location") == "/log-in")
            #expect(try await web.send(.GET, link, cookie: rival.cookie).status == 410)
            #expect(try await web.send(.GET, link, cookie: lab.cookie).body.contains("\(path)/download"))
            let parts = link.split(separator: "-")
            let later = "\(parts[0].dropLast())\(parts[0].last == "9" ? 8 : 9)-\(parts[1])"
            for wrong in ["/" + later.drop { $0 == "/" }, String(link.dropLast()), link + "0"] {
                #expect(try await web.send(.GET, wrong, cookie: lab.cookie).status == 410, "\(wrong)")
            }
            let links = DownloadLinks(accounts: web.hub.accounts), consent = try #require(ConsentID(id))
            let token = links.token(consent, of: lab.account.id, now: 0)
            #expect(links.isGood(token, consent, of: lab.account.id, now: DownloadLinks.lifetime - 1))
            #expect(!links.isGood(token, consent, of: lab.account.id, now: DownloadLinks.lifetime))

            try await scene.revoke(id)
            #expect(try await web.send(.GET, path + "/download?format=csv", cookie: lab.cookie).status == 403)
            #expect(try await web.post(path + "/mail", [:], cookie: lab.cookie).status == 403)
            #expect(try await web.send(.GET, link, cookie: lab.cookie).status == 403)
            #expect(try await !web.send(.GET, "/requests", cookie: lab.cookie).body.contains("\(path)/download"))
        }
    }

    /// What waits for a webhook, as soon as some of it says something; the queue is then as before.
    private func waiting(_ web: WebFixture, _ hook: StoredWebhook, _ text: String) async throws -> String {
        while true {
            // Whatever the hub's own service claimed is claimed here again.
            let far = Milliseconds(Date().timeIntervalSince1970 * 1000) + 10 * 86_400_000
            let due = try web.hub.accounts.webhooks.dueWebhooks(9, now: far).map { (webhook: $0, count: 9) }
            let claimed = try web.hub.accounts.webhooks.claimDeliveries(due, lease: 1, now: far)
            try web.hub.accounts.webhooks.releaseDeliveries(now: far - 20 * 86_400_000)
            let payloads = claimed.filter { $0.webhook.id == hook.id }.flatMap(\.deliveries).map {
                String(decoding: $0.payload, as: UTF8.self)
            }
            if let payload = payloads.first(where: { $0.contains(text) }) { return payload }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    @Test(
        "CONS-5, CONS-6: what arrives for a subscription is queued for its organisation's webhook, of the granted kinds, until the revocation"
    )
    func webhooks() async throws {
        try await WebFixture.run { web in
            let scene = try await Scene(web), lab = try web.member(.organisation, "lab@example.org")
            let clinic = try web.member(.organisation, "clinic@example.org")
            let place = try await scene.accepted(lab, kind: .position, term: "30")
            let heart = try await scene.accepted(clinic, kind: .heartRate, term: "30")
            // After the yes, which would be told first: of an address that fails one delivery alone is tried.
            var hooks: [StoredWebhook] = []
            for member in [lab, clinic] {
                let reader = OrganisationID(member.account.id)
                #expect(
                    try await web.post("/organisation/webhooks", ["webhookURL": "https://hooks.invalid/in"], cookie: member.cookie).status
                        == 200)
                hooks.append(try #require(try web.hub.accounts.webhooks.webhooks(of: reader).first))
            }
            try await scene.send(second: 1)
            let payload = try await waiting(web, hooks[0], "samples")
            let body = try #require(try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any], "\(payload)")
            #expect(body["consent"] as? String == place && (body["samples"] as? [[String: Any]])?.first?["lat"] as? Double == 45.61)
            #expect(SubscriptionCursor(body["cursor"] as? String ?? "") != nil)
            // What waits on a consent that ends is not sent any more; that it ended is said.
            try await scene.revoke(place)
            #expect(try await waiting(web, hooks[0], "ended").contains(place))
            try await scene.revoke(heart)
            #expect(try await waiting(web, hooks[1], "ended").contains(heart))
            let counts = try hooks.map { try web.hub.accounts.webhooks.webhook($0.id, of: $0.organisation)?.waiting }
            #expect(counts == [1, 1])
        }
    }

    @Test("SOS-4: an organisation chooses whether help is called to the letter only where the person lets it, and while its consent runs")
    func strict() async throws {
        try await WebFixture.run { web in
            let scene = try await Scene(web), person = scene.person, sos = web.hub.sos
            let clinic = try web.member(.organisation, "clinic@example.org"), lab = try web.member(.organisation, "lab@example.org")
            let consent = try await scene.accepted(clinic, kind: .heartRate, term: "30")
            let contact = ["contactName": "Bruno", "contactEmail": "bruno@example.org"]
            #expect(try await web.post("/protection/contacts", contact, cookie: person.cookie).status == 303)
            func allow(_ may: String) async throws -> Int {
                Int(try await web.post("/protection/strict/\(consent)", ["may": may], cookie: person.cookie).status)
            }
            func choose(_ way: String?, _ member: Member) async throws -> Int {
                let fields = way.map { ["strict": $0] } ?? [:]
                return Int(try await web.post("/organisation/people/\(consent)/strict", fields, cookie: member.cookie).status)
            }
            func isOffered() async throws -> Bool {
                try await web.send(.GET, "/organisation/people/\(consent)", cookie: clinic.cookie).body.contains("id=\"strict\"")
            }
            func isStrict() throws -> Bool? { try sos.views.view(of: person.account.id.person)?.choice.strict }
            // Allowed while it is off: there is nothing to choose yet.
            #expect(try await allow("yes") == 303)
            #expect(try await !isOffered())
            let on = ["consent": SOSChoices.consentDocument, "strict": "no"]
            #expect(try await web.post("/protection/on", on, cookie: person.cookie).status == 303)
            #expect(try await allow("no") == 303)
            #expect(try await !isOffered())
            #expect(try await choose("yes", clinic) == 403)
            #expect(try await allow("yes") == 303)
            let offered = try await web.send(.GET, "/organisation/people/\(consent)", cookie: clinic.cookie).body
            #expect(offered.matches(of: /name="strict" value="(no|yes)"/).map(\.1) == ["no", "yes"])
            #expect(try await choose(nil, clinic) == 422)
            #expect(try isStrict() == false)
            #expect(try await choose("yes", lab) == 403)
            #expect(try await choose("yes", clinic) == 303)
            #expect(try isStrict() == true)
            #expect(try sos.choices.distressSettings(of: person.account.id.person).strict == true)
            let page = try await web.send(.GET, "/protection", cookie: person.cookie).body
            #expect(page.contains("Take the right back"))
            #expect(page.contains("Lab of Bergamo: help after 5 seconds, always: turned on"))
            try await scene.revoke(consent)
            #expect(try await choose("no", clinic) == 403)
            #expect(try isStrict() == true)
            #expect(try await !web.send(.GET, "/protection", cookie: person.cookie).body.contains("id=\"setters\""))
            #expect(try await allow("yes") == 403)
        }
    }
}

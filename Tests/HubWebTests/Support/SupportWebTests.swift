import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing

@testable import HubWeb

/// Help by whoever runs the hub, from the page of help to the answer.
@Suite("Support")
struct SupportWebTests {
    @Test("OPS-1: every page of help names the operator's contact and leads to the form, in both languages")
    func help() async throws {
        let change = { (configuration: inout HubConfiguration) in configuration.support.contact = "help@hub.example" }
        try await WebFixture.run(change: change) { web in
            for (language, words) in [("en", "Ask whoever runs this hub"), ("it", "Chiedi a chi gestisce questo hub")] {
                for topic in HomePages.topics {
                    let page = try await web.send(.GET, "/help/\(topic)", headers: [("accept-language", language)]).body
                    #expect(page.contains("help@hub.example") && page.contains(words), "\(topic)")
                    #expect(page.contains("href=\"/support?topic=\(topic)\""), "\(topic)")
                }
            }
            let form = try await web.send(.GET, "/support?topic=boxes").body
            #expect(form.contains("name=\"supportTopic\" value=\"boxes\"") && form.contains("name=\"supportMail\""))
            #expect(form.contains("help@hub.example"))
        }
    }

    @Test("OPS-1: an account asks, the operator sees it with its topic and answers, and both sides get notices")
    func account() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let other = try web.member(.person, "other@example.org")
            let empty = try await web.post("/support", ["supportText": " "], cookie: ada.cookie)
            #expect(empty.status == 422 && empty.body.contains("href=\"#supportText\""))
            let sent = try await web.post(
                "/support", ["supportText": "My <box> is red.", "supportTopic": "boxes"], cookie: ada.cookie)
            #expect(sent.status == 200 && sent.body.contains("role=\"status\"") && sent.body.contains("My &lt;box&gt; is red."))
            #expect(try web.hub.accounts.notices.notices(of: chief.account).map(\.kind) == [.supportAsked])
            let list = try await web.send(.GET, "/operator/support", cookie: chief.cookie).body
            #expect(list.contains("My &lt;box&gt; is red.") && list.contains("Ada Example"))
            let row = try #require(try SupportStore(web.hub.accounts).waiting().first).row
            let short = try await web.post("/operator/support/\(row)/answer", ["supportAnswer\(row)": ""], cookie: chief.cookie)
            #expect(short.status == 422 && short.body.contains("href=\"#supportAnswer\(row)\""))
            let answer = ["supportAnswer\(row)": "Charge it."]
            for stranger in [ada, other] {
                #expect(try await web.post("/operator/support/\(row)/answer", answer, cookie: stranger.cookie).status == 403)
            }
            #expect(try await web.post("/operator/support/\(row)/answer", answer, cookie: chief.cookie).status == 303)
            #expect(try await web.post("/operator/support/\(row)/answer", answer, cookie: chief.cookie).status == 404)
            #expect(try web.hub.accounts.notices.notices(of: ada.account).map(\.kind) == [.supportAnswered])
            #expect(try await web.send(.GET, "/support", cookie: ada.cookie).body.contains("Charge it."))
            #expect(try await !web.send(.GET, "/support", cookie: other.cookie).body.contains("Charge it."))
            #expect(try await web.send(.GET, "/operator/support", cookie: chief.cookie).body.contains("Charge it."))
        }
    }

    @Test("OPS-1: somebody without an account gets the answer by mail, in the language of the form, and nothing before")
    func stranger() async throws {
        try await WebFixture.run { web in
            let chief = try web.member(.operator, "chief@example.org"), mails = MailCatcher(directory: web.directory.url)
            let italian = [("accept-language", "it")]
            let wrong = try await web.post("/support", ["supportText": "Ciao", "supportMail": "eva"], headers: italian)
            #expect(wrong.status == 422 && wrong.body.contains("href=\"#supportMail\""))
            let fields = ["supportText": "Come mi iscrivo?", "supportMail": "eva@example.org", "supportTopic": "made up"]
            let sent = try await web.post("/support", fields, headers: italian)
            #expect(sent.status == 200 && sent.body.contains("La risposta arriva per e-mail") && !sent.body.contains("Come mi iscrivo?"))
            _ = try await mails.mail(to: "chief@example.org", with: "/operator/support")
            let question = try #require(try SupportStore(web.hub.accounts).waiting().first)
            #expect(question.topic.isEmpty)
            let answer = ["supportAnswer\(question.row)": "It stands on the first page."]
            #expect(try await web.post("/operator/support/\(question.row)/answer", answer, cookie: chief.cookie).status == 303)
            let mail = try await mails.mail(to: "eva@example.org", with: "It stands on the first page.")
            #expect(mail.contains("hai chiesto a chi gestisce TrackMe") && mail.contains("Come mi iscrivo?"))
            #expect(try mails.mails().filter { $0.contains("To: eva@example.org") || $0.contains("To: <eva@example.org>") }.count == 1)
        }
    }

    @Test("OPS-1: strangers' questions are limited by network, an account's by how many wait; a question can be deleted without a word")
    func limits() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            for number in 1...SupportStore.waitingMax {
                #expect(try SupportStore(web.hub.accounts).ask("\(number)", topic: "", by: ada.account, now: Int64(number)))
            }
            let more = try await web.post("/support", ["supportText": "more"], cookie: ada.cookie)
            #expect(more.status == 422 && more.body.contains("Too many questions are waiting"))
            let rows = try SupportStore(web.hub.accounts).waiting().map(\.row)
            #expect(try await web.post("/operator/support/\(rows[0])/drop", [:], cookie: chief.cookie).status == 303)
            #expect(try SupportStore(web.hub.accounts).countWaiting() == SupportStore.waitingMax - 1)
            #expect(try await web.post("/support", ["supportText": "more"], cookie: ada.cookie).status == 200)
            var statuses: Set<UInt> = []
            for _ in 1...200 where !statuses.contains(429) {
                let fields = ["supportText": "again", "supportMail": "eva@example.org"]
                statuses.insert(try await web.post("/support", fields).status)
            }
            #expect(statuses == [200, 429])
            #expect(try SupportStore(web.hub.accounts).countWaiting() < SupportStore.waitingMax + SupportStore.waitingOfStrangersMax)
        }
    }
}

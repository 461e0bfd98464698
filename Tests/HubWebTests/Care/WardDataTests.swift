import Accounts
import AsyncHTTPClient
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

/// What a parent does with a minor's data, and what an organisation downloads again, on the pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct WardDataTests {
    private static var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    @Test(
        "ACC-17, DATA-9, DATA-10: a parent downloads a child's data, deletes a part of it, and the account; nobody else can, and the child sees it"
    )
    func ward() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), other = try web.member(.person, "other@example.org")
            let kid = try web.child(of: parent.account, "ab3d-ef5h"), path = "/care/person/\(kid.id)/data"
            let page = try await web.send(.GET, path, cookie: parent.cookie)
            #expect(page.status == 200 && page.body.contains("Data of Kid Example") && page.body.contains("action=\"\(path)/delete\""))
            #expect(try await web.send(.GET, "/care/person/\(kid.id)", cookie: parent.cookie).body.contains(path))

            var request = HTTPClientRequest(url: web.url + path + "/export?format=json&days=0")
            request.headers.add(name: "cookie", value: parent.cookie)
            let file = try await web.client.execute(request, timeout: .seconds(60)).body.collect(upTo: 1 << 24)
            let archive = web.directory.url.appendingPathComponent("ward.zip")
            try Data(file.readableBytesView).write(to: archive)
            #expect(try Archive.members(archive)["profile.json"]?.contains("\"Kid\"") == true)
            let own = try web.session(of: kid, strength: .full)
            #expect(try await web.send(.GET, "/ledger", cookie: own).body.contains("read"))

            for cookie in [other.cookie, own] {
                #expect(try await web.send(.GET, path, cookie: cookie).status == 403)
                #expect(try await web.send(.GET, path + "/export?format=json&days=0", cookie: cookie).status == 403)
                #expect(try await web.post(path + "/delete", ["kind1": "1"], cookie: cookie).status == 403)
                #expect(try await web.post(path + "/account", ["confirmation": "DELETE"], cookie: cookie).status == 403)
            }
            let part = try await web.post(path + "/delete", ["kind1": "1"], cookie: parent.cookie)
            #expect(part.status == 200)
            #expect(try web.hub.accounts.deletedParts(of: kid.id.person).count == 1)
            #expect(try web.hub.accounts.deletedParts(of: parent.account.id.person).isEmpty)
            #expect(try await web.post(path + "/account", [:], cookie: parent.cookie).status == 422)
            #expect(try await web.post(path + "/account", ["confirmation": "DELETE"], cookie: parent.cookie).status == 200)
            #expect(try web.hub.accounts.isDeleted(kid.id.person) && !web.hub.accounts.isDeleted(parent.account.id.person))
            #expect(try await web.send(.GET, path, cookie: parent.cookie).status == 403)
            #expect(try await web.send(.GET, "/home", cookie: parent.cookie).status == 200)
        }
    }

    @Test("CONS-9, CONS-6: on the pages a delivered once is downloaded again, until the person takes it back there")
    func again() async throws {
        try await WebFixture.run { web in
            let lab = try web.member(.organisation, "lab@example.org"), ada = try web.member(.person, "ada@example.org")
            let chief = try web.member(.operator, "chief@example.org"), reader = Reader.organisation(OrganisationID(lab.account.id))
            let asked = try web.hub.consents.ask(
                ConsentAddress("ada@example.org"), by: lab.account, kinds: [.heartRate], purpose: "A study", term: .once)
            try web.hub.consents.approve(asked.id, by: chief.account)
            _ = try await web.until("/followers", cookie: ada.cookie) { $0.contains("/followers/\(asked.id)/accept") }
            #expect(try await web.post("/followers/\(asked.id)/accept", [:], cookie: ada.cookie).status == 303)
            #expect(try web.hub.consents.read(asked.id, as: reader, from: 0, to: 1) != nil)
            try web.hub.consents.delivered(asked.id, to: reader)

            let path = "/requests/\(asked.id)"
            let history = try await web.send(.GET, "/requests", cookie: lab.cookie).body
            #expect(history.contains("\(path)/download") && history.contains("can be downloaded again until"))
            #expect(try await web.send(.GET, path + "/download?format=csv", cookie: lab.cookie).status == 200)
            #expect(try await web.post(path + "/mail", [:], cookie: lab.cookie).status == 200)
            #expect(try await web.send(.GET, "/organisation/people/\(asked.id)", cookie: lab.cookie).status == 403)
            let followers = try await web.send(.GET, "/followers", cookie: ada.cookie).body
            #expect(followers.contains("/followers/\(asked.id)/revoke"))
            #expect(try await web.post("/followers/\(asked.id)/revoke", [:], cookie: ada.cookie).status == 303)
            #expect(try await web.send(.GET, path + "/download?format=csv", cookie: lab.cookie).status == 403)
            #expect(try await !web.send(.GET, "/requests", cookie: lab.cookie).body.contains("\(path)/download"))
            #expect(try await !web.send(.GET, "/followers", cookie: ada.cookie).body.contains("/followers/\(asked.id)/revoke"))
        }
    }

    @Test("CONS-1: an invitation has a link to no more of them, whose button alone does something; it holds for whoever asks after that")
    func letters() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), mails = MailCatcher(directory: web.directory.url)
            let fields = ["kind1": "1", "requestPurpose": "Looks after me", "email": "stranger@example.org"]
            #expect(try await web.post("/care/invite", fields, cookie: ada.cookie).status == 200)
            let mail = try await mails.mail(to: "stranger@example.org", with: "/no-letters/")
            let link = try mails.link(in: mail, "/no-letters/")
            let mark = web.hub.accounts.deferredWork.addressMark("stranger@example.org")
            #expect(try await web.send(.GET, link).body.contains("Never write to me again"))
            #expect(try !web.hub.accounts.deferredWork.refusesLetters(mark))
            for wrong in [link + "0", String(link.dropLast()), "/no-letters/x"] {
                #expect(try await web.post(wrong, [:]).status == 410)
            }
            #expect(try await web.post(link, [:]).status == 200)
            #expect(try web.hub.accounts.deferredWork.refusesLetters(mark))
            #expect(try await web.post(link, [:]).status == 200)
        }
    }

    @Test("ACC-6, ACC-15: on the page of notices who has no mailbox reads what others get as a mail")
    func notices() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), kid = try web.child(of: parent.account, "ab3d-ef5h")
            try web.hub.accounts.notices.addMail(
                "account.newBrowser", ["browser": "Firefox <on> Android", "address": "192.0.2.1", "link": "https://hub.example/security"],
                to: kid, now: Self.now)
            let cookie = try web.session(of: kid, strength: .full), page = try await web.send(.GET, "/notices", cookie: cookie).body
            #expect(page.contains("You logged in on another browser") && page.contains("Firefox &lt;on&gt; Android, from 192.0.2.1"))
            #expect(!page.contains("Hello"))
            let row = try #require(try web.hub.accounts.notices.notices(of: kid).first).row
            #expect(try await web.send(.GET, "/notices/\(row)", cookie: cookie).header("location") == "/security")
        }
    }
}

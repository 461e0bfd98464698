import Accounts
import Foundation
import HubServices
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore
@testable import HubWeb

/// What stands on My Followers beside consents, and what is found there.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct FollowersListTests {
    private static var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    @Test("CONS-7, DATA-12: a link to the live page of a person waits for their yes on the page, is ended there, and is nobody else's")
    func links() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            let accounts = web.hub.accounts, audit = try AuditLog(HubDirectory(web.directory.url), accounts: accounts)
            let links = LiveLinks(accounts: accounts, audit: audit)
            let made = try #require(try links.make(to: person.account.id.person, now: Self.now))
            #expect(made.shown == .asked)
            _ = try await MailCatcher(directory: web.directory.url).mail(to: "ada@example.org", with: "waits for your yes")
            #expect(try await web.send(.GET, "/l/\(made.secret)").status == 410)
            let page = try await web.send(.GET, "/followers", cookie: person.cookie).body
            let path = String(try #require(page.firstMatch(of: /action="(\/followers\/links\/[0-9a-f]+)\/allow"/)).output.1)
            #expect(try await !web.send(.GET, "/followers", cookie: other.cookie).body.contains("/followers/links/"))
            for answer in ["/allow", "/end"] { #expect(try await web.post(path + answer, [:], cookie: other.cookie).status == 404) }
            #expect(try await web.post(path + "/allow", [:], cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, "/l/\(made.secret)").status == 200)
            #expect(try await web.post("/l/\(made.secret)", [:]).status == 303)
            let open = try await web.send(.GET, "/followers", cookie: person.cookie).body
            #expect(open.contains("Somebody opened it"))
            let session = String(try #require(open.firstMatch(of: /action="(\/followers\/links\/[0-9a-f]+\/end)"/)).output.1)
            #expect(try await web.post(session, [:], cookie: person.cookie).status == 303)
            #expect(try await !web.send(.GET, "/followers", cookie: person.cookie).body.contains("/followers/links/"))
            let ledger = try await web.send(.GET, "/ledger", cookie: person.cookie).body
            #expect(ledger.contains("made a link to your live page") && ledger.contains("ended a link"))
            #expect(try audit.verify().problem == nil && audit.verify().rows >= 3)
            // A minor's page is opened by no link of a shell.
            #expect(try links.make(to: web.child(of: person.account).id.person, now: Self.now) == nil)
            // Whoever has no account cannot be asked.
            let added = try accounts.addPerson(name: "Box", now: Self.now)
            #expect(try links.make(to: added.id, now: Self.now)?.shown == .withoutAccount)
        }
    }

    @Test("CONS-7: friends and whom AutomatedSOS may tell stand among the followers, each with the way to its end")
    func others() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), friend = try web.member(.person, "bea@example.org")
            let id = person.account.id.person, hash = [UInt8](repeating: 5, count: 32)
            #expect(try await web.send(.GET, "/followers", cookie: person.cookie).body.contains("Nobody may read anything"))
            try web.hub.runsStore.friends.addFriendLink(hash, of: id, expires: Self.now + 60_000, now: Self.now)
            #expect(try web.hub.runsStore.friends.befriend(hash, friend.account.id.person, now: Self.now) == id)
            _ = try web.hub.sos.store.change(id, by: person.account.id, now: Self.now) { choice in
                choice.contacts = [SOSContact(name: "Bruno <1>", phone: "+390212345", email: nil, language: "it")]
                return ["contacts"]
            }
            let page = try await web.send(.GET, "/followers", cookie: person.cookie).body
            #expect(!page.contains("Nobody may read anything") && page.contains("href=\"/runs/friends\""))
            #expect(
                page.contains("Bruno &lt;1&gt;") && page.contains("Only when you ask for help") && page.contains("href=\"/protection\""))
        }
    }

    @Test("CONS-7, DATA-12: followers and reads are found by name and purpose, and what is not looked for is left out")
    func search() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), lab = try web.member(.organisation, "lab@example.org")
            let reader = Reader.organisation(OrganisationID(lab.account.id))
            for purpose in ["A study of sleep", "A study of <steps>"] {
                let scope = try ConsentScope(asker: reader, kinds: [.heartRate], purpose: purpose, term: .untilRevoked)
                _ = try web.hub.accounts.consents.giveConsent(
                    scope, of: person.account.id.person, by: person.account.id, parameters: .data4Help, now: Self.now)
            }
            let found = try await web.send(.GET, "/followers?q=STUDY+steps", cookie: person.cookie).body
            #expect(found.contains("&lt;steps&gt;") && !found.contains("study of sleep") && found.contains("value=\"STUDY steps\""))
            let all = try await web.send(.GET, "/followers?q=", cookie: person.cookie).body
            #expect(all.contains("&lt;steps&gt;") && all.contains("study of sleep"))
            #expect(try await web.send(.GET, "/ledger?q=nobody", cookie: person.cookie).body.contains("Nobody has read anything"))
            #expect(try await web.send(.GET, "/ledger?q=bergamo", cookie: person.cookie).body.contains("Lab of Bergamo"))
            let history = try await web.send(.GET, "/requests?q=sleep", cookie: lab.cookie).body
            #expect(history.contains("study of sleep") && !history.contains("&lt;steps&gt;"))
        }
    }
}

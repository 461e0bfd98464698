import Accounts
import Foundation
import HubStore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Lost addresses, as operator and owner meet them on a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AddressTests {
    private static let form = [
        "lostAddress": " ADA@example.org", "newAddress": "new@example.org", "addressProof": "Identity card, seen on Monday",
    ]

    @Test("ACC-8: an operator replaces a lost address: with proof, after seven days, and with word to both mailboxes")
    func replaced() async throws {
        let ahead = Mutex<Milliseconds>(0)
        let now: @Sendable () -> Milliseconds = { Milliseconds(Date().timeIntervalSince1970 * 1000) + ahead.withLock { $0 } }
        try await WebFixture.run(now: now) { web in
            let ada = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let path = "/operator/addresses"
            #expect(try await web.post(path, Self.form, cookie: ada.cookie).status == 403)
            for (field, value, said) in [
                ("lostAddress", "nobody@example.org", "No account has this address"),
                ("newAddress", "no address", "id=\"newAddress-error\""),
                ("newAddress", "chief@example.org", "has an account already"), ("addressProof", " ", "id=\"addressProof-error\""),
                ("lostAddress", "chief@example.org", "Another operator"),
            ] {
                let answer = try await web.post(path, Self.form.merging([field: value]) { $1 }, cookie: chief.cookie)
                #expect(answer.status == 422 && answer.body.contains(said), "\(said)")
            }
            let begun = try await web.post(path, Self.form, cookie: chief.cookie)
            #expect(begun.status == 200 && begun.body.contains("Identity card, seen on Monday") && begun.body.contains("not followed yet"))
            let mails = MailCatcher(directory: web.directory.url)
            _ = try await mails.mail(to: "ada@example.org", with: "/address/stop/")
            let link = try mails.link(in: try await mails.mail(to: "new@example.org", with: "/address/confirm/"), "/address/confirm/")
            #expect(try await web.send(.GET, "/address", cookie: ada.cookie).body.contains("new@example.org"))
            #expect(try await web.send(.GET, "/notices", cookie: ada.cookie).body.contains("is to be replaced"))
            #expect(try await web.send(.GET, link).body.contains("method=\"post\""))
            #expect(try web.hub.accounts.account(email: "new@example.org") == nil)
            #expect(try await web.post(link, [:]).body.contains("Address confirmed"))
            #expect(try web.hub.accounts.account(email: "new@example.org") == nil, "not before seven days")
            ahead.withLock { $0 = AddressChangeStore.wait + 1000 }
            while try web.hub.accounts.account(email: "new@example.org") == nil { try await Task.sleep(for: .milliseconds(50)) }
            #expect(try web.hub.accounts.account(email: "new@example.org")?.id == ada.account.id)
            #expect(try await web.send(.GET, "/home", cookie: ada.cookie).header("location") == "/log-in")
            for address in ["ada@example.org", "new@example.org"] { _ = try await mails.mail(to: address, with: "was replaced") }
            #expect(try await web.post(link, [:]).status == 410)
        }
    }

    @Test("ACC-8: the owner keeps the address by the link to the old mailbox, or on a page; an operator stops it, too")
    func kept() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let mails = MailCatcher(directory: web.directory.url), changes = AddressChangeStore(web.hub.accounts)
            #expect(try await web.post("/operator/addresses", Self.form, cookie: chief.cookie).status == 200)
            let link = try mails.link(in: try await mails.mail(to: "ada@example.org", with: "/address/stop/"), "/address/stop/")
            #expect(try await web.send(.GET, link).status == 200 && changes.changes().count == 1, "a look changes nothing")
            #expect(try await web.post(link, [:]).body.contains("Your address stays"))
            #expect(try changes.changes().isEmpty)
            #expect(try await web.post(link, [:]).status == 410)
            _ = try await mails.mail(to: "new@example.org", with: "does not take place")
            for (stop, member) in [("/address/stop", ada), ("/operator/addresses/\(ada.account.id)/stop", chief)] {
                #expect(try await web.post("/operator/addresses", Self.form, cookie: chief.cookie).status == 200)
                #expect(try await web.post(stop, [:], cookie: member.cookie).status == 303)
                #expect(try changes.changes().isEmpty, "\(stop)")
            }
        }
    }
}

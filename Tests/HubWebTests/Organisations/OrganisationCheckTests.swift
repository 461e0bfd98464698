import Accounts
import Credentials
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// The operator's look at an organisation, and what follows when the organisation changes after it.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct OrganisationCheckTests {
    private func ask(_ web: WebFixture, _ lab: Member, term: String = "30", _ whom: String = "ada@example.org") async throws {
        let fields = ["whom": whom, "requestPurpose": "A study", "term": term, "kind1": "1"]
        #expect(try await web.post("/requests", fields, cookie: lab.cookie).status == 303)
    }

    private func edit(_ web: WebFixture, _ lab: Member, proof: String) async throws -> WebFixture.Answer {
        try await web.post("/profile", ["proof": proof, "purpose": "Research about sleep"], cookie: lab.cookie)
    }

    private func waiting(_ web: WebFixture, _ chief: Member) async throws -> (id: String, seen: String, page: String) {
        let page = try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body
        let id = try #require(page.firstMatch(of: /requests\/([0-9a-f]{32})\/approve/)).output.1
        let seen = try #require(page.firstMatch(of: /name="seen" value="([0-9a-f]+)"/)).output.1
        return (String(id), String(seen), page)
    }

    @Test("ACC-2, CONS-11: an operator sees proof and purpose; when the proof changes, what was approved is checked anew")
    func changed() async throws {
        try await WebFixture.run { web in
            let lab = try web.member(.organisation, "lab@example.org"), chief = try web.member(.operator, "chief@example.org")
            try await ask(web, lab)
            let first = try await waiting(web, chief)
            for text in ["Register 17", "Research", "Lab of Bergamo", "lab@example.org", "A study"] { #expect(first.page.contains(text)) }
            // Changed while the operator looks: what was not looked at is not approved.
            #expect(try await edit(web, lab, proof: "Register 99").status == 200)
            let stale = try await web.post("/operator/requests/\(first.id)/approve", ["seen": first.seen], cookie: chief.cookie)
            #expect(stale.status == 409 && stale.body.contains("Register 99") && stale.body.contains(first.id))
            let second = try await waiting(web, chief)
            #expect(
                try await web.post("/operator/requests/\(second.id)/approve", ["seen": second.seen], cookie: chief.cookie).status == 303)

            try await ask(web, lab, "bea@example.org")
            #expect(try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body.contains("Nothing waits"))
            #expect(try await edit(web, lab, proof: "Register 99").body.contains("Saved."), "nothing changed")
            try await ask(web, lab, "cleo@example.org")
            #expect(try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body.contains("Nothing waits"))
            #expect(try await edit(web, lab, proof: "Register 100").body.contains("An operator has to look"))
            try await ask(web, lab, "dora@example.org")
            let third = try await waiting(web, chief)
            #expect(third.page.contains("Register 100") && third.id != second.id)
        }
    }

    @Test("ACC-2, CONS-11: another name of an organisation waits for an operator; with it its requests are looked at again")
    func renamed() async throws {
        try await WebFixture.run { web in
            let lab = try web.member(.organisation, "lab@example.org"), chief = try web.member(.operator, "chief@example.org")
            try await ask(web, lab)
            let first = try await waiting(web, chief)
            #expect(try await web.post("/operator/requests/\(first.id)/approve", ["seen": first.seen], cookie: chief.cookie).status == 303)
            func rename(_ name: String) async throws -> WebFixture.Answer {
                let fields = ["organisationName": name, "proof": "Register 17", "purpose": "Research about sleep"]
                return try await web.post("/profile", fields, cookie: lab.cookie)
            }
            func names() throws -> [String?] {
                let account = try web.hub.accounts.account(lab.account.id)
                return [account?.name, account?.waitingName]
            }
            #expect(try await rename(" ").status == 422)
            let renamed = try await rename("Lab of Milan")
            #expect(renamed.status == 200 && renamed.body.contains("Lab of Milan"))
            #expect(try names() == ["Lab of Bergamo", "Lab of Milan"], "nobody sees it before an operator looked")
            _ = try await MailCatcher(directory: web.directory.url).mail(to: "chief@example.org", with: "/operator/organisations")
            let path = "/operator/organisations/\(lab.account.id)"
            #expect(
                try await web.send(.GET, "/operator/organisations", cookie: chief.cookie).body.contains("action=\"\(path)/accept-name\""))
            #expect(try await web.post(path + "/accept-name", ["seen": "Lab of Rome"], cookie: chief.cookie).status == 303)
            #expect(try names() == ["Lab of Bergamo", "Lab of Milan"], "another one than was looked at")
            #expect(try await web.post(path + "/refuse-name", ["seen": "Lab of Milan"], cookie: chief.cookie).status == 303)
            #expect(try names() == ["Lab of Bergamo", nil])
            #expect(try await rename("Lab of Milan").status == 200)
            #expect(try await web.post(path + "/accept-name", ["seen": "Lab of Milan"], cookie: lab.cookie).status == 403)
            #expect(try await web.post(path + "/accept-name", ["seen": "Lab of Milan"], cookie: chief.cookie).status == 303)
            #expect(try names() == ["Lab of Milan", nil])
            try await ask(web, lab, "bea@example.org")
            #expect(try await waiting(web, chief).page.contains("Lab of Milan"), "approvals lapse with the name")
        }
    }

    @Test("CONS-10: of two askers with one name, the one that the person lets ask again can, and the other cannot")
    func unblock() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            let labs = [try web.member(.organisation, "lab@example.org"), try web.member(.organisation, "other@example.org")]
            for lab in labs {
                for term in ["30", "once", "7"] {
                    try await ask(web, lab, term: term)
                    if term == "30" {
                        let id = try await waiting(web, chief).id
                        #expect(try await web.post("/operator/requests/\(id)/approve", [:], cookie: chief.cookie).status == 303)
                    }
                    let page = try await web.until("/followers", cookie: person.cookie) { $0.contains("/deny") }
                    let deny = try #require(page.firstMatch(of: /\/followers\/[0-9a-f]{32}\/deny/)).output
                    #expect(try await web.post(String(deny), [:], cookie: person.cookie).status == 303)
                }
            }
            let page = try await web.send(.GET, "/followers", cookie: person.cookie).body
            let keys = page.matches(of: /name="asker" value="([0-9a-f]+)"/).map { String($0.output.1) }
            #expect(Set(keys).count == 2)
            #expect(try await web.post("/followers/unblock", ["name": "Lab of Bergamo"], cookie: person.cookie).status == 303)
            #expect(try web.hub.accounts.consents.blockedAskers(of: person.account.id.person).count == 2)
            #expect(try await web.post("/followers/unblock", ["asker": keys[0]], cookie: person.cookie).status == 303)
            #expect(try web.hub.accounts.consents.blockedAskers(of: person.account.id.person).map(\.key) == [keys[1]])
        }
    }

    @Test("ACC-1: a password of 8 characters is taken, whatever the role; a shorter one is refused, with how long it must be")
    func password() async throws {
        try await WebFixture.run { web in
            let old = "three ducks swim to Bergamo", short = "Kj4-pq9x", accounts = web.hub.accounts
            let pepper = try #require(Pepper(accounts.derivedKey("pepper")))
            let lab = try web.member(.organisation, "lab@example.org")
            try accounts.upgradePassword(try await PasswordHasher(pepper: pepper, threads: 1).hash(old), of: lab.account.row)
            func set(_ new: String) async throws -> WebFixture.Answer {
                try await web.post("/security/password", ["currentPassword": old, "newPassword": new], cookie: lab.cookie)
            }
            let refused = try await set(String(short.dropLast()))
            #expect(refused.status == 422 && refused.body.contains("At least 8"))
            #expect(try await set(short).header("location") == "/security?done=password")
        }
    }
}

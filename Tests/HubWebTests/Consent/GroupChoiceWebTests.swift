import Accounts
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Statistics about groups on the pages of a person and of a parent.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct GroupChoiceWebTests {
    @Test("CONS-13: the page of the policy says whether one counts, what a change means, and takes an objection")
    func person() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org"), groups = web.hub.accounts.consents.groups
            func page(_ path: String) async throws -> String { try await web.send(.GET, path, cookie: ada.cookie).body }
            let before = try await page("/followers/policy")
            #expect(before.contains("You count in statistics about groups.") && before.contains("from the next period on"))
            #expect(before.contains("name=\"counted\" value=\"0\""))
            #expect(try await web.post("/followers/groups", ["counted": "0"], cookie: ada.cookie).header("location") == "/followers/policy")
            let after = try await page("/followers/policy")
            #expect(after.contains("You do not count in statistics about groups.") && after.contains("name=\"counted\" value=\"1\""))
            #expect(try !groups.standing(of: ada.account.id.person).isCounted)
            #expect(try await page("/ledger").contains("does not count in statistics about groups"))
            #expect(try await web.post("/followers/groups", ["counted": "1"], cookie: ada.cookie).status == 303)
            #expect(try groups.standing(of: ada.account.id.person).isCounted)
        }
    }

    @Test("ACC-17: a parent says yes for a child, and nobody else does")
    func parent() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), eve = try web.member(.person, "eve@example.org")
            let kid = try web.child(of: parent.account), groups = web.hub.accounts.consents.groups, person = kid.id.person
            let kidsCookie = try web.session(of: kid, strength: .full), path = "/care/person/\(person)/groups"
            let page = try await web.send(.GET, "/care/person/\(person)", cookie: parent.cookie).body
            #expect(page.contains("a parent has to say yes first") && page.contains("action=\"\(path)\""))
            #expect(try await !web.send(.GET, "/followers/policy", cookie: kidsCookie).body.contains("/followers/groups"))
            #expect(try await web.post("/followers/groups", ["counted": "1"], cookie: kidsCookie).status == 403)
            #expect(try await web.post(path, ["counted": "1"], cookie: eve.cookie).status == 403)
            #expect(try !groups.standing(of: person).isCounted)
            #expect(try await web.post(path, ["counted": "1"], cookie: parent.cookie).header("location") == "/care/person/\(person)")
            #expect(try groups.standing(of: person).isCounted)
            #expect(try await web.send(.GET, "/care/person/\(person)", cookie: parent.cookie).body.contains("Your child counts"))
            #expect(try await web.send(.GET, "/care/person/\(person)/ledger", cookie: parent.cookie).body.contains("counts in statistics"))
        }
    }
}

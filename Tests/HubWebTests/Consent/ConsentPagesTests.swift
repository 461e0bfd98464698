import Accounts
import Credentials
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Consents as people and organisations meet them: pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ConsentPagesTests {
    private let mails: (WebFixture) -> MailCatcher = { MailCatcher(directory: $0.directory.url) }

    private func ask(_ web: WebFixture, _ organisation: Member, _ whom: String, kinds: [Int] = [1], term: String = "30") async throws
        -> WebFixture.Answer
    {
        var fields = ["whom": whom, "requestPurpose": "A study of <sleep>", "term": term]
        for kind in kinds { fields["kind\(kind)"] = "1" }
        return try await web.post("/requests", fields, cookie: organisation.cookie)
    }

    /// The path of the first form of a page that ends so.
    private func action(_ page: String, _ ending: String) throws -> String {
        let parts = page.components(separatedBy: "action=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
        return try #require(parts.first { $0.hasSuffix(ending) })
    }

    @Test("CONS-1, CONS-2, CONS-6, CONS-7, CONS-9, CONS-11: asked, checked, accepted, shown to both, revoked")
    func wholeWay() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), organisation = try web.member(.organisation, "lab@example.org")
            let chief = try web.member(.operator, "chief@example.org")
            #expect(try await ask(web, organisation, "ADA@example.org").header("location") == "/requests")
            #expect(try await web.send(.GET, "/followers", cookie: person.cookie).body.contains("Nobody asks"))
            #expect(try await web.send(.GET, "/requests", cookie: organisation.cookie).body.contains("An operator looks at it first"))

            let waiting = try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body
            #expect(waiting.contains("A study of &lt;sleep&gt;") && waiting.contains("Lab of Bergamo"))
            #expect(try await web.post(try action(waiting, "/approve"), [:], cookie: chief.cookie).status == 303)
            _ = try await mails(web).mail(to: "ada@example.org", with: "asks to read your data")

            let asked = try await web.send(.GET, "/followers", cookie: person.cookie).body
            #expect(asked.contains("Lab of Bergamo") && asked.contains("heart rate") && !asked.contains("<sleep>"))
            #expect(asked.contains("Organisation · VAT number IT 01234567897") && asked.contains("Checked by the operator of this site on"))
            #expect(try await web.post(try action(asked, "/accept"), [:], cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, "/requests", cookie: organisation.cookie).body.contains("Accepted, until"))
            _ = try await mails(web).mail(to: "lab@example.org", with: "news of a request")

            let running = try await web.send(.GET, "/followers", cookie: person.cookie).body
            #expect(running.contains("Has read nothing yet"))
            let paths = running.components(separatedBy: "href=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
            let receipt = try #require(paths.first { $0.hasSuffix("/receipt") })
            func kept() async throws {
                let file = try await web.send(.GET, receipt, cookie: person.cookie)
                #expect(file.status == 200 && file.header("content-type") == "application/fhir+json")
                #expect(file.body.contains("\"Consent\"") && file.body.contains("Provenance") && file.body.contains("A study of"))
                #expect(file.body.contains("Patient/\(person.account.id)"))
            }
            try await kept()
            #expect(try await web.post(try action(running, "/revoke"), [:], cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, "/requests", cookie: organisation.cookie).body.contains("Revoked"))
            try await kept()
            #expect(try await web.send(.GET, "/followers", cookie: person.cookie).body.contains("It was asked to delete what it has"))
            let over = try await web.send(.GET, "/requests", cookie: organisation.cookie).body, confirm = try action(over, "/deleted")
            let other = try web.member(.organisation, "other@example.org")
            #expect(try await web.post(confirm, [:], cookie: other.cookie).status == 403)
            #expect(try await web.post(confirm, [:], cookie: organisation.cookie).status == 303)
            #expect(try await web.send(.GET, "/requests", cookie: organisation.cookie).body.contains("You confirmed the deletion on"))
            #expect(try await web.send(.GET, "/followers", cookie: person.cookie).body.contains("It confirmed on"))
            let ledger = try await web.send(.GET, "/ledger", cookie: person.cookie).body
            #expect(ledger.contains("Lab of Bergamo asked you") && ledger.contains("You accepted Lab of Bergamo"))
        }
    }

    @Test("CONS-1, CONS-10, CONS-13: unknown, blocked and unwilling people look to the asker like one who does not answer")
    func alike() async throws {
        try await WebFixture.run { web in
            let willing = try web.member(.person, "silent@example.org"), closed = try web.member(.person, "closed@example.org")
            let blocking = try web.member(.person, "blocking@example.org")
            let organisation = try web.member(.organisation, "lab@example.org"), chief = try web.member(.operator, "chief@example.org")
            #expect(try await web.post("/followers/policy", [:], cookie: closed.cookie).status == 303)
            // One approval lets all of this kind leave.
            _ = try await ask(web, organisation, "silent@example.org")
            _ = try await web.post(
                try action(try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body, "/approve"), [:], cookie: chief.cookie
            )
            for term in ["once", "7", "30"] {
                _ = try await ask(web, organisation, "blocking@example.org", term: term)
                let page = try await web.until("/followers", cookie: blocking.cookie) { $0.contains("/deny") }
                #expect(try await web.post(try action(page, "/deny"), [:], cookie: blocking.cookie).status == 303)
            }
            let whom = ["silent@example.org", "closed@example.org", "blocking@example.org", "nobody@example.org"]
            for address in whom.dropFirst() { #expect(try await ask(web, organisation, address).status == 303) }
            let page = try await web.send(.GET, "/requests", cookie: organisation.cookie).body
            let states = whom.map { address in
                page.components(separatedBy: "<article").first { $0.contains("<h3>\(address)</h3>") }?
                    .components(separatedBy: "</article>")[0].replacingOccurrences(of: address, with: "")
                    .replacing(/[0-9a-f]{32}/, with: "").replacing(/datetime="[^"]*"/, with: "").replacing(/[0-9]{2}:[0-9]{2}/, with: "")
            }
            #expect(states[0]?.contains("Waits for an answer") == true && states.allSatisfy { $0 == states[0] }, "\(states)")
            #expect(try await web.until("/followers", cookie: willing.cookie) { $0.contains("/accept") }.contains("Lab of Bergamo"))
            for silent in [closed, blocking] {
                #expect(try await !web.send(.GET, "/followers", cookie: silent.cookie).body.contains("/accept"))
            }
            #expect(try await web.send(.GET, "/followers", cookie: blocking.cookie).body.contains("Let them ask again"))
        }
    }

    @Test("CONS-1: what is wrong with a request is told at once, and the same question is not asked twice")
    func wrong() async throws {
        try await WebFixture.run { web async throws in
            let organisation = try web.member(.organisation, "lab@example.org")
            #expect(try await ask(web, organisation, "not an address").body.contains("id=\"whom-error\""))
            #expect(try await ask(web, organisation, "ada@example.org", kinds: []).body.contains("at least one kind"))
            #expect(try await ask(web, organisation, "ada@example.org", term: "9999").status == 422)
            #expect(try await ask(web, organisation, "ada@example.org").status == 303)
            #expect(try await ask(web, organisation, "ada@example.org").body.contains("still open"))
        }
    }

    @Test("CONS-3, CONS-10: the operator sets within how many hours an answer counts, and how many denials block")
    func settings() async throws {
        let change: (inout HubConfiguration) throws -> Void = { ($0.consent.answerWithin, $0.consent.denialsMax) = (5, 1) }
        try await WebFixture.run(change: change) { web in
            let ada = try web.member(.person, "ada@example.org"), bob = try web.member(.person, "bob@example.org")
            let consents = web.hub.consents
            let asked = try consents.askAsCaregiver(
                ConsentAddress("ada@example.org"), by: bob.account, kinds: [.heartRate], purpose: "Care at home")
            let stored = try #require(try web.hub.accounts.consents.consent(asked.id))
            #expect(stored.parameters.expiry == .after(5 * 3_600_000) && stored.parameters.denialsUntilBlocked == 1)
            try web.hub.accounts.consents.reachConsent(asked.id, now: consents.now)
            try consents.answer(asked.id, .deny, by: ada.account.id)
            #expect(try consents.blockedAskers(of: ada.account.id.person, for: ada.account.id).count == 1)
        }
        var wrong = HubConfiguration(directory: URL(fileURLWithPath: "/nowhere"))
        wrong.consent.answerWithin = 0
        #expect(throws: HubConfigurationError.self) { try wrong.check() }
        (wrong.consent.answerWithin, wrong.consent.denialsMax) = (72, 0)
        #expect(throws: HubConfigurationError.self) { try wrong.check() }
    }

    @Test("ACC-20: an operator suspends an organisation and lets it go on; it is told by mail, and nobody else may do that")
    func suspended() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), organisation = try web.member(.organisation, "lab@example.org")
            let chief = try web.member(.operator, "chief@example.org")
            let scope = try ConsentScope(
                asker: .organisation(OrganisationID(organisation.account.id)), kinds: [.heartRate], purpose: "A study", term: .untilRevoked)
            _ = try web.hub.accounts.consents.giveConsent(
                scope, of: person.account.id.person, by: person.account.id, parameters: .data4Help, now: web.hub.consents.now)
            let page = try await web.send(.GET, "/operator/organisations", cookie: chief.cookie).body
            #expect(page.contains("Lab of Bergamo") && page.contains("0 kinds of requests") && !page.contains("/restore"))
            let suspend = try action(page, "/suspend")
            for other in [person, organisation] { #expect(try await web.post(suspend, [:], cookie: other.cookie).status == 403) }
            #expect(try await web.post(suspend, [:], cookie: chief.cookie).status == 303)
            let after = try await web.send(.GET, "/operator/organisations", cookie: chief.cookie).body
            #expect(after.contains("Suspended since") && !after.contains("/suspend\""))
            _ = try await mails(web).mail(to: "lab@example.org", with: "Your organisation is suspended")
            let said = "Suspended by the operator: it reads nothing at present."
            #expect(try await web.send(.GET, "/followers", cookie: person.cookie).body.contains(said), "the person sees it, too")
            let service = web.hub.consents, address = try ConsentAddress("ada@example.org")
            let id = try service.ask(address, by: organisation.account, kinds: [.heartRate], purpose: "Study", term: .once).id
            try service.approve(id, by: chief.account)
            let asked = try await web.until("/followers", cookie: person.cookie) { $0.contains("/accept") }
            #expect(asked.contains(said), "also beside what waits for an answer")
            #expect(try await web.post(try action(after, "/restore"), [:], cookie: chief.cookie).status == 303)
            _ = try await mails(web).mail(to: "lab@example.org", with: "Your organisation can go on")
            #expect(try await !web.send(.GET, "/followers", cookie: person.cookie).body.contains(said))
        }
    }

    @Test("CONS-2: a person says yes to some of the kinds and for a shorter time, and both sides see what was accepted")
    func part() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), organisation = try web.member(.organisation, "lab@example.org")
            let chief = try web.member(.operator, "chief@example.org"), place = Int(DataKind.position.rawValue)
            _ = try await ask(web, organisation, "ada@example.org", kinds: [1, place])
            let waiting = try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body
            #expect(try await web.post(try action(waiting, "/approve"), [:], cookie: chief.cookie).status == 303)
            let asked = try await web.until("/followers", cookie: person.cookie) { $0.contains("/accept") }
            #expect(asked.contains("Accept a part") && asked.contains("name=\"kind\(place)\"") && asked.contains("<option value=\"7\">"))
            #expect(!asked.contains("<option value=\"30\">"), "no longer than was asked")
            let accept = try action(asked, "/accept")
            let nothing = try await web.post(accept, ["part": "1"], cookie: person.cookie)
            #expect(nothing.status == 409 && nothing.body.contains("/accept"), "nothing was ticked, and the question is still open")
            #expect(try await web.post(accept, ["part": "1", "kind1": "1", "lasting": "7"], cookie: person.cookie).status == 303)
            let mine = try #require(try web.hub.accounts.consents.running(of: person.account.id.person).first?.consent.request.scope)
            #expect(mine.kinds == [.heartRate] && mine.term == .lasting(7 * 86_400_000))
            #expect(try await web.send(.GET, "/requests", cookie: organisation.cookie).body.contains("Accepted, until"))
        }
    }

    @Test("CONS-2: every page refuses who has another role, has only begun to log in, or is somebody else")
    func matrix() async throws {
        try await WebFixture.run { web async throws in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            let organisation = try web.member(.organisation, "lab@example.org"), rival = try web.member(.organisation, "rival@example.org")
            let chief = try web.member(.operator, "chief@example.org")
            let pages: [(String, Role)] = [
                ("/followers", .person), ("/ledger", .person), ("/requests", .organisation), ("/operator/requests", .operator),
            ]
            for (number, (path, role)) in pages.enumerated() {
                for (member, own) in [(person, Role.person), (organisation, .organisation), (chief, .operator)] {
                    #expect(try await web.send(.GET, path, cookie: member.cookie).status == (own == role ? 200 : 403), "\(path) \(own)")
                }
                #expect(try await web.send(.GET, path).header("location") == "/log-in")
                let begun = try web.session(of: web.member(role, "begun\(number)@example.org").account, strength: .begun)
                #expect(try await web.send(.GET, path, cookie: begun).header("location") == "/log-in/second")
            }
            _ = try await ask(web, organisation, "ada@example.org")
            let waiting = try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body
            let approve = try action(waiting, "/approve")
            for member in [person, organisation] { #expect(try await web.post(approve, [:], cookie: member.cookie).status == 403) }
            #expect(try await web.post(approve, [:], cookie: chief.cookie).status == 303)
            let page = try await web.until("/followers", cookie: person.cookie) { $0.contains("/accept") }
            let accept = try action(page, "/accept")
            for member in [other, organisation, chief] { #expect(try await web.post(accept, [:], cookie: member.cookie).status == 403) }
            let end = try action(try await web.send(.GET, "/requests", cookie: organisation.cookie).body, "/end")
            #expect(try await web.post(end, [:], cookie: rival.cookie).status == 403)
            #expect(try await web.post("/followers/nothing/accept", [:], cookie: person.cookie).status == 404)
            #expect(try await web.post("/followers/\(PersonID.random())/accept", [:], cookie: person.cookie).status == 403)
        }
    }
}

/// Somebody who is logged in.
struct Member {
    let account: StoredAccount
    let cookie: String
}

extension WebFixture {
    private static var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    /// A confirmed account with a session that proved all that it has to.
    func member(_ role: Role, _ email: String) throws -> Member {
        var details = [Field.email.rawValue: email, Field.firstName.rawValue: "Ada", Field.lastName.rawValue: "Example"]
        if role == .organisation {
            details[Field.organisationKind.rawValue] = "organisation"
            details[Field.organisationName.rawValue] = "Lab of Bergamo"
            details[Field.proof.rawValue] = "Register 17"
            (details[Field.vatCountry.rawValue], details[Field.vatNumber.rawValue]) = ("IT", "01234567897")
            details[Field.purpose.rawValue] = "Research"
        }
        let new = NewAccount(
            roles: [role], details: details, canonicalEmail: email, canonicalIdentifier: nil, password: "none", language: "en",
            accepted: [:])
        guard case .added(let account) = try hub.accounts.addConfirmedAccount(new, now: Self.now) else { throw CocoaError(.fileNoSuchFile) }
        return Member(account: account, cookie: try session(of: account, strength: .full))
    }

    /// Somebody's child with an account of its own.
    func child(of parent: StoredAccount, _ email: String = "kid@example.org") throws -> StoredAccount {
        let new = NewAccount(
            roles: [.person], details: [Field.email.rawValue: email, Field.firstName.rawValue: "Kid", Field.lastName.rawValue: "Example"],
            canonicalEmail: email, canonicalIdentifier: nil, password: "none", language: "en", accepted: [:])
        let added = try hub.accounts.care.openMinor(new, guardian: parent.id, adultFrom: Self.now + 100_000_000_000, now: Self.now)
        guard case .added(let child) = added else { throw CocoaError(.fileNoSuchFile) }
        return child
    }

    func session(of account: StoredAccount, strength: StoredSession.Strength) throws -> String {
        let token = SecretToken.random()
        try hub.accounts.addSession(token.hash, of: account.row, strength: strength, device: "test", now: Self.now)
        return "\(Sessions.cookie)=\(token.text)"
    }

    /// A page as soon as it says something. The test's time limit ends the wait.
    func until(_ path: String, cookie: String, _ condition: (String) -> Bool) async throws -> String {
        while true {
            let page = try await send(.GET, path, cookie: cookie).body
            if condition(page) { return page }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

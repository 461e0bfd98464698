import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import Seams
import TestSupport
import Testing

@testable import HubWeb

/// The operator's own terms and privacy statement: read, shown, accepted, and accepted anew once they changed.
@Suite("Documents of the operator")
struct AcceptanceTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func write(_ version: String = "2027-01", sentence: String = "You use this hub as you like.") throws {
        let facts = "controller: Hub Example\ncontact: privacy@hub.example\nbasis: consent\nretention: until deleted\nrights: all\n"
        for language in Texts.all.map(\.lang) {
            try "version: \(version)\n\n\(sentence) (\(language))\n".write(
                to: folder.url.appending(path: "terms.\(language).txt"), atomically: true, encoding: .utf8)
            try "version: \(version)\n\(facts)\nFirst paragraph (\(language)).\n\nSecond one.\n".write(
                to: folder.url.appending(path: "privacy.\(language).txt"), atomically: true, encoding: .utf8)
        }
    }

    private func documents() throws -> OperatorDocuments {
        try OperatorDocuments(folder.url.path, languages: Texts.all.map(\.lang), files: Machine.system.files)
    }

    @Test("ACC-1: terms and a privacy statement of the operator's are read with their head; another text is another version")
    func reading() throws {
        try write()
        let first = try documents(), privacy = try #require(first.text(.privacy, in: "it"))
        #expect(privacy.facts.map(\.name) == ["controller", "contact", "basis", "retention", "rights"])
        #expect(privacy.facts[1].value == "privacy@hub.example" && privacy.paragraphs == ["First paragraph (it).", "Second one."])
        #expect(first.versions.terms.hasPrefix("2027-01-") && first.versions.dataDuties == AccountService.documents.dataDuties)
        try write(sentence: "You use this hub as we like.")
        let second = try documents()
        #expect(second.versions.terms != first.versions.terms && second.versions.privacy == first.versions.privacy)
    }

    @Test("ACC-1: all that is wrong with the operator's documents is told at once, with file and line")
    func mistakes() throws {
        try write()
        try "version: 2027-02\nauthor: me\n\nText.\n".write(
            to: folder.url.appending(path: "terms.it.txt"), atomically: true, encoding: .utf8)
        try "version: 2027-01\ncontroller: A\n".write(
            to: folder.url.appending(path: "privacy.it.txt"), atomically: true, encoding: .utf8)
        try FileManager.default.removeItem(at: folder.url.appending(path: "privacy.en.txt"))
        let error = #expect(throws: HubConfigurationError.self) { try documents() }
        let said = error?.mistakes ?? []
        for words in [
            "terms.it.txt, line 2", "privacy.it.txt does not say contact", "privacy.it.txt has no text", "privacy.en.txt is not there",
        ] {
            #expect(said.contains { $0.contains(words) }, "\(words): \(said)")
        }
        try write()
        try "version: 2027-02\n\nText.\n".write(to: folder.url.appending(path: "terms.it.txt"), atomically: true, encoding: .utf8)
        let other = #expect(throws: HubConfigurationError.self) { try documents() }
        #expect(other?.description.contains("2027-01 and 2027-02") == true)
        var configuration = HubConfiguration(directory: folder.url)
        configuration.documents.folder = folder.url.path
        #expect(throws: HubConfigurationError.self) { try configuration.check() }
    }

    /// A hub with the operator's documents.
    private var choosing: (inout HubConfiguration) -> Void {
        let path = folder.url.path
        return { $0.documents.folder = path }
    }

    private static let page = [("accept", "text/html,application/xhtml+xml")]

    @Test("ACC-1: whoever has not accepted the operator's documents is asked on the pages for looking around, in their language")
    func asked() async throws {
        try write()
        let change = choosing
        try await WebFixture.run(change: change) { web in
            let person = try web.member(.person, "ada@example.org")
            for place in ["/home", "/profile", "/health"] {
                let held = try await web.send(.GET, place, cookie: person.cookie, headers: Self.page)
                #expect(held.status == 303 && held.header("location") == "/accept", "\(place)")
            }
            let shown = try await web.send(.GET, "/accept", cookie: person.cookie, headers: Self.page)
            #expect(shown.status == 200)
            for words in ["You use this hub as you like. (en)", "privacy@hub.example", "Second one.", "name=\"terms\"", "name=\"privacy\""]
            {
                #expect(shown.body.contains(words), "\(words)")
            }
            let help = try await web.send(.GET, "/help/documents", headers: [("accept-language", "it")])
            #expect(help.body.contains("You use this hub as you like. (it)") && help.body.contains("Hub Example"))
            let signUp = try await web.send(.GET, "/sign-up/person")
            #expect(signUp.body.contains("value=\"\(try documents().versions.terms)\""))
            for kept in ["terms", "privacy"] {
                let version = kept == "terms" ? try documents().versions.terms : try documents().versions.privacy
                let file = web.directory.url.appending(path: "documents/\(kept)-\(version).it.txt")
                #expect(try Data(contentsOf: file) == Data(contentsOf: folder.url.appending(path: "\(kept).it.txt")))
            }
        }
    }

    @Test("ACC-1: nobody is kept from \"I'm OK\", help, alarms, care, one's data or deletion by documents that were not accepted")
    func free() async throws {
        try write()
        let change = choosing
        try await WebFixture.run(change: change) { web in
            let person = try web.member(.person, "ada@example.org")
            for place in ["/protection", "/care", "/data", "/account", "/notices", "/help/home", "/security", "/duty"] {
                let answer = try await web.send(.GET, place, cookie: person.cookie, headers: Self.page)
                #expect(answer.header("location") != "/accept", "\(place)")
            }
            let routes = web.hub.routes.filter { $0.hasPrefix("GET ") }.map { String($0.dropFirst(4)) }
            for word in ["emergenc", "alarm", "protection", "care", "duty", "sos", "leave", "delete"] {
                #expect(
                    routes.filter { $0.contains(word) && !$0.hasPrefix("/organisation") }.allSatisfy { !AcceptanceGuard.isHeld($0) },
                    "\(word)")
            }
            // A form, a script and a stream are never held.
            #expect(try await web.send(.POST, "/profile", cookie: person.cookie, headers: Self.page).status == 422)
            #expect(try await web.send(.GET, "/home", cookie: person.cookie, headers: [("accept", "application/json")]).status != 303)
            #expect(!AcceptanceGuard.isHeld("/people/0123") && AcceptanceGuard.isHeld("/people"))
        }
    }

    @Test(
        "ACC-1: a yes counts for the text that was shown; once it changed it is asked for anew, and what was accepted before stays written down"
    )
    func accepted() async throws {
        try write()
        let change = choosing, directory = try TemporaryDirectory()
        var cookie = "", account: StoredAccount?
        let first = try documents().versions
        try await WebFixture.run(in: directory, change: change) { web in
            let person = try web.member(.person, "ada@example.org")
            (cookie, account) = (person.cookie, person.account)
            let half = try await web.post("/accept", ["terms": first.terms], cookie: cookie)
            #expect(half.status == 422 && half.body.contains("href=\"#privacy\""))
            let old = try await web.post("/accept", ["terms": "2026-11", "privacy": first.privacy], cookie: cookie)
            #expect(old.status == 422)
            let stored = try #require(account)
            #expect(try web.hub.accounts.acceptances.accepted(by: stored.row).isEmpty)
            let yes = try await web.post("/accept", ["terms": first.terms, "privacy": first.privacy], cookie: cookie)
            #expect(yes.status == 303 && yes.header("location") == "/home")
            #expect(try await web.send(.GET, "/home", cookie: cookie, headers: Self.page).status == 200)
            #expect(try await web.send(.GET, "/accept", cookie: cookie, headers: Self.page).header("location") == "/home")
        }
        try write(sentence: "You use this hub as we like.")
        let second = try documents().versions
        try await WebFixture.run(in: directory, change: change) { web in
            let held = try await web.send(.GET, "/home", cookie: cookie, headers: Self.page)
            #expect(held.header("location") == "/accept")
            let shown = try await web.send(.GET, "/accept", cookie: cookie, headers: Self.page)
            #expect(shown.body.contains("as we like") && shown.body.contains("name=\"terms\"") && !shown.body.contains("name=\"privacy\""))
            #expect(try await web.post("/accept", ["terms": second.terms], cookie: cookie).status == 303)
            let row = try #require(account).row
            #expect(try Set(web.hub.accounts.acceptances.accepted(by: row).map(\.version)) == [first.terms, first.privacy, second.terms])
        }
    }

    @Test("ACC-1: where the hub's own documents hold, nobody is asked anew")
    func own() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            #expect(try await web.send(.GET, "/home", cookie: person.cookie, headers: Self.page).status == 200)
        }
    }
}

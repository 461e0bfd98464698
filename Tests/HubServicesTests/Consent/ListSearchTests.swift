import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Searching lists whose rows are sealed.
@Suite struct ListSearchTests {
    private static func words(_ text: String) -> [String] { [text] }

    @Test("CONS-7, CONS-9: words find, however they are written; nothing typed is no search")
    func words() throws {
        #expect(ListSearch(nil) == nil && ListSearch("") == nil && ListSearch("  \n") == nil)
        let search = try #require(ListSearch(" STUDIO perché "))
        #expect(search.matches(["Clinica", "Uno studio, perche no"]) && search.matches(["Perché", "studio"]))
        #expect(!search.matches(["Uno studio"]) && !search.matches([]))
    }

    @Test("CONS-7: a search goes on over pages until enough is found, and from there; nothing is skipped, nothing comes twice")
    func pages() throws {
        let search = try #require(ListSearch("odd")), all = (0..<5000).map { ($0.isMultiple(of: 2) ? "even" : "odd") + " \($0)" }
        var next: Int64?, found: [String] = [], calls = 0
        repeat {
            let part = search.find(Self.words, from: next) { before in
                let start = Int(before ?? 0), end = min(start + 20, all.count)
                calls += 1
                return (Array(all[start..<end]), end == all.count ? nil : Int64(end), 1)
            }
            #expect(part.items.count <= ListSearch.foundMax + 20 && part.unreadable <= ListSearch.pagesMax)
            found += part.items
            next = part.next
        } while next != nil
        #expect(found == all.filter { $0.hasPrefix("odd") } && calls == 250)
        var looked = 0
        let none = try #require(ListSearch("nowhere")).find(Self.words, from: nil) { before in
            looked += 1
            return (["x"], (before ?? 0) + 1, 0)
        }
        #expect(none.items.isEmpty && none.next != nil && looked == ListSearch.pagesMax, "one look is bounded")
    }

    @Test("CONS-7, DATA-12, CONS-9: a person finds a follower and a read, an organisation its request; nobody else's")
    func lists() throws {
        let hub = try ConsentFixture(), now = hub.clock.now
        let scope = try ConsentScope(asker: hub.asker, kinds: [.heartRate], purpose: "A study of sleep", term: .untilRevoked)
        let id = try hub.accounts.consents.giveConsent(scope, of: hub.person, by: hub.ada.id, parameters: .data4Help, now: now).consent.id
        let hit = try #require(ConsentSearch("sleep", in: hub.consents)), miss = try #require(ConsentSearch("weight", in: hub.consents))
        #expect(try hit.followers(of: hub.person, for: hub.ada.id, before: nil).items.map(\.consent.id) == [id])
        #expect(try miss.followers(of: hub.person, for: hub.ada.id, before: nil).items.isEmpty)
        #expect(try hit.ledger(of: hub.person, for: hub.ada.id, before: nil).entries.map(\.consent) == [id])
        #expect(try hit.history(of: hub.asker, before: nil).items.map(\.id) == [id])
        #expect(throws: ConsentProblem.notYours) {
            try hit.followers(of: hub.person, for: hub.checker.id, before: nil)
        }
        #expect(throws: ConsentProblem.notYours) {
            try hit.ledger(of: hub.person, for: hub.checker.id, before: nil)
        }
    }
}

import Accounts
import Database
import Foundation
import HubServices
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore
@testable import HubWeb

/// Pages whose lists leave out a row that does not open: each says how many there are.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct UnreadablePagesTests {
    private static let one = "1 entry that belongs on this page could not be read", both = "2 entries that belong on this page"

    private func damage(_ web: WebFixture, _ table: String, _ column: String = "envelope", below limit: Int64 = .max) throws {
        try web.hub.accounts.pool.write {
            try $0.execute(sql: "UPDATE \(table) SET \(column) = zeroblob(length(\(column))) WHERE id < ?", arguments: [limit])
        }
    }

    /// A doctor whom a person lets read.
    private func given(_ web: WebFixture, _ person: Member, to email: String) throws -> Member {
        let reader = try web.member(.person, email)
        let offered = try web.hub.consents.offer(
            to: EmailAddress(email), kinds: [.heartRate], purpose: "Care", of: person.account.id.person, by: person.account.id)
        try web.hub.consents.takeOffer(offered, by: reader.account)
        return reader
    }

    @Test(
        "DATA-11, CONS-7, ACC-12: a consent that does not open is counted on the pages of the person and of the reader, in both languages")
    func consents() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), doctor = try given(web, person, to: "doctor@example.org")
            _ = try given(web, person, to: "nurse@example.org")
            let whole = try await web.send(.GET, "/followers", cookie: person.cookie).body
            #expect(!whole.contains("could not be read"))
            try damage(web, "consent", below: 2)
            let page = try await web.send(.GET, "/followers", cookie: person.cookie).body
            #expect(page.contains(Self.one) && page.contains("tell the operator"), "\(page)")
            let read = try await web.send(.GET, "/following", cookie: doctor.cookie).body
            #expect(read.contains(Self.one))
            // A page without it says nothing.
            #expect(try await !web.send(.GET, "/profile", cookie: person.cookie).body.contains("could not be read"))
            try damage(web, "consent")
            #expect(try await web.send(.GET, "/followers", cookie: person.cookie).body.contains(Self.both))
            _ = try await web.post("/language", ["language": "it", "back": "/followers"], cookie: person.cookie)
            let italian = try await web.send(.GET, "/followers", cookie: person.cookie).body
            #expect(italian.contains("2 voci di questa pagina non si sono potute leggere: avvisa il gestore"))
        }
    }

    @Test("DATA-11, DATA-12: lines of the ledger that do not open are counted, and the page does not say that nobody read")
    func ledger() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            _ = try given(web, person, to: "doctor@example.org")
            try damage(web, "ledger")
            let count = try web.hub.accounts.ledger.ledger(of: person.account.id.person).unreadable
            let page = try await web.send(.GET, "/ledger", cookie: person.cookie).body
            #expect(count > 0 && page.contains(count == 1 ? Self.one : "\(count) entries that belong on this page"), "\(page)")
            #expect(!page.contains("Nobody has read anything"))
        }
    }

    @Test("DATA-11, ACC-11, ACC-17: on a parent's page of a child's ledger, too; another child's is not counted there")
    func ward() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), kid = try web.child(of: parent.account, "ab3d-ef5h")
            _ = try await web.send(.GET, "/care", cookie: parent.cookie)
            try damage(web, "ledger")
            let page = try await web.send(.GET, "/care/person/\(kid.id)/ledger", cookie: parent.cookie).body
            #expect(page.contains("could not be read") && !page.contains("Nobody has read anything"), "\(page)")
            #expect(try await !web.send(.GET, "/ledger", cookie: parent.cookie).body.contains("could not be read"))
        }
    }

    @Test("DATA-11: offers, notices and what waits for an operator are counted alike; the operator is told what to do")
    func others() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), chief = try web.member(.operator, "chief@example.org")
            _ = try web.hub.consents.offer(
                to: EmailAddress("doctor@example.org"), kinds: [.heartRate], purpose: "Care", of: person.account.id.person,
                by: person.account.id)
            try damage(web, "offer")
            #expect(try await web.send(.GET, "/followers", cookie: person.cookie).body.contains(Self.one))
            try web.hub.accounts.notices.addNotice(.quota, ["until": "0", "bytes": "1"], to: person.account, now: 1)
            try damage(web, "notice", "arguments")
            #expect(try await web.send(.GET, "/notices", cookie: person.cookie).body.contains(Self.one))

            let organisation = try web.member(.organisation, "lab@example.org")
            let fields = ["whom": "ada@example.org", "requestPurpose": "A study", "term": "30", "kind1": "1"]
            #expect(try await web.post("/requests", fields, cookie: organisation.cookie).status == 303)
            try damage(web, "consent")
            let waiting = try await web.send(.GET, "/operator/requests", cookie: chief.cookie).body
            #expect(waiting.contains(Self.one) && waiting.contains("the log names it"), "\(waiting)")
            #expect(try await web.send(.GET, "/requests", cookie: organisation.cookie).body.contains(Self.one))
        }
    }

    @Test("DATA-11: what a pool of threads reads for a page counts for that page")
    func pool() async throws {
        let reads = ReadPool<Int>(), rows = UnreadableRows(), tally = UnreadableTally()
        try await UnreadableTally.$current.withValue(tally) {
            try await reads.run(for: 1) { rows.note(UnreadableRow(.block, 7)) }
        }
        try await reads.run(for: 1) { rows.note(UnreadableRow(.block, 8)) }
        #expect(tally.count == 1 && rows.count == 2)
    }
}
